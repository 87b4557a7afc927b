// sparse_matmul: Y = diag(keep_rows) A diag(keep_cols) X; sparse_matmul_add adds that to Y.
//
// A is rows x cols with m entries, X cols x q, Y rows x q, T is float or double.
// Bytes: 4 rows + 4 m (+ sizeof(T) m with values) for A, q sizeof(T) for every entry of A as the kernel
// asks for them, q sizeof(T) rows for Y. Operations: m q multiply-adds, a quarter of one for each byte.
// Floor: memory. Every row of X is read from memory once and then found in a cache at best, which is
// ((cols + rows) q sizeof(T) + 4 rows + 4 m) / bandwidth; without any cache it is the bytes above. In a
// batch of small graphs the rows of X that a graph reads lie together and its rows are computed at the
// same time, so the caches give the first: staging a graph in shared memory would move the same bytes and
// add a barrier, and it does not pay.
//
// Rows of a graph that follows a power law differ by orders of magnitude, so work is cut by entries and not by rows.
// Rows and entries are merged into one sequence, each row behind its last entry. The host gives every block a run of
// whole rows with about as many items of that sequence as the others', and a row of more than PART_ENTRIES entries to
// several blocks, whose sums sparse_matmul_finish adds in their order. Within a block G lanes, which load G float4 or
// double2 of a row of X at once, take an equal share of the items, FLIGHT entries at a time whatever rows they are of.
// A row that several of these groups share is added up in their order by the one that it begins in. The cuts depend on
// A and q alone, and so do the bits. sparse_matmul_narrow is the same with single columns, for q or addresses that no
// vector fits.
#pragma once
#include "sparse_matrix.cuh"

constexpr int SPARSE_THREADS = 256;       // of a block
constexpr int SPARSE_BLOCK_ITEMS = 2048;  // of the merged sequence that begin in a block, at most

template <class T, int VEC> struct Columns;
template <class T> struct Columns<T, 1> {
    static __device__ inline void load(T (&to)[1], const T *from) { to[0] = __ldg(from); }
    static __device__ inline void store(T *to, const T (&from)[1]) { to[0] = from[0]; }
    static __device__ inline void add(T *to, const T (&from)[1]) { to[0] += from[0]; }
};
template <> struct Columns<float, 4> {
    static __device__ inline void load(float (&to)[4], const float *from) {
        const float4 v = __ldg(reinterpret_cast<const float4 *>(from));
        to[0] = v.x; to[1] = v.y; to[2] = v.z; to[3] = v.w;
    }
    static __device__ inline void store(float *to, const float (&from)[4]) {
        *reinterpret_cast<float4 *>(to) = make_float4(from[0], from[1], from[2], from[3]);
    }
    static __device__ inline void add(float *to, const float (&from)[4]) {
        const float4 v = *reinterpret_cast<const float4 *>(to);
        *reinterpret_cast<float4 *>(to) = make_float4(v.x + from[0], v.y + from[1], v.z + from[2], v.w + from[3]);
    }
};
template <> struct Columns<double, 2> {
    static __device__ inline void load(double (&to)[2], const double *from) {
        const double2 v = __ldg(reinterpret_cast<const double2 *>(from));
        to[0] = v.x; to[1] = v.y;
    }
    static __device__ inline void store(double *to, const double (&from)[2]) {
        *reinterpret_cast<double2 *>(to) = make_double2(from[0], from[1]);
    }
    static __device__ inline void add(double *to, const double (&from)[2]) {
        const double2 v = *reinterpret_cast<const double2 *>(to);
        *reinterpret_cast<double2 *>(to) = make_double2(v.x + from[0], v.y + from[1]);
    }
};
template <class T> constexpr int WIDE = 16 / sizeof(T);   // elements of a vector load

// SparseRows are the rows of a block: entries of row i are ends[i - 1] .. ends[i], the first ones from begin on. A part
// of a row is a single row.
struct SparseRows {
    const int *ends;
    int rows, begin;

    __device__ inline int start(int i) const { return i ? ends[i - 1] : begin; }

    // find returns the row that the given item of the merged sequence is of, by the number of rows that end before it.
    __device__ inline int find(int item) const {
        int low = 0, high = rows;
        while (low < high) {
            const int middle = (low + high) / 2;
            if (ends[middle] - begin + middle < item)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }
};

// gather_rows loads what FLIGHT entries from e on, those before end, add to their rows, from column c of X on.
template <class T, int VEC, int FLIGHT>
__device__ inline void gather_rows(T (&v)[FLIGHT][VEC], const SparseMatrix<T> &a, const T *x, int q, int c, int e,
                                   int end) {
#pragma unroll
    for (int i = 0; i < FLIGHT; i++) {
        const bool inside = c < q && e + i < end;
        const int u = inside ? __ldg(a.col + e + i) : 0;
#pragma unroll
        for (int k = 0; k < VEC; k++) v[i][k] = T(0);
        if (inside && (!a.keep_cols || a.keep_cols[u]))
            Columns<T, VEC>::load(v[i], x + static_cast<long long>(u) * q + c);
    }
    if (!a.values) return;
#pragma unroll
    for (int i = 0; i < FLIGHT; i++) {
        const T w = e + i < end ? __ldg(a.values + e + i) : T(0);
#pragma unroll
        for (int k = 0; k < VEC; k++) v[i][k] *= w;
    }
}

// blocks has for every block its first row, the row after its last one, its first entry and the one after its last.
// Where the second is not above the first the block takes a part of that row, and writes row first - second (from 0
// down) of sums.
template <class T, int VEC, bool ADD>
__device__ inline void sparse_matmul(T *y, T *sums, SparseMatrix<T> a, const T *x, const int4 *blocks, int q,
                                     int column_lanes) {
    constexpr int FLIGHT = 4;
    __shared__ int ends[SPARSE_BLOCK_ITEMS];
    __shared__ T shared_sums[SPARSE_THREADS * VEC];  // of the row that began before a group, by group
    const int4 work = blocks[blockIdx.x];
    const bool part = work.y <= work.x;
    const SparseRows rows{ends, part ? 1 : work.y - work.x, work.z};
    for (int i = threadIdx.x; i < rows.rows; i += blockDim.x) ends[i] = part ? work.w : a.row_ptr[work.x + i + 1];
    __syncthreads();
    const int groups = SPARSE_THREADS / column_lanes, group = threadIdx.x / column_lanes;
    const int column = threadIdx.x % column_lanes;
    const int items = rows.rows + work.w - work.z, share = (items + groups - 1) / groups;
    const int from = min(group * share, items), to = min(from + share, items);
    const int first = rows.find(from), last = rows.find(to);
    const int begin = work.z + from - first, end = work.z + to - last;  // entries
    T *out = part ? sums + static_cast<long long>(work.x - work.y) * q : y + static_cast<long long>(work.x) * q;
    const auto finish = [&](T *to, const T(&sum)[VEC]) {
        if (ADD && !part) Columns<T, VEC>::add(to, sum);
        else Columns<T, VEC>::store(to, sum);
    };
    for (int c0 = 0; c0 < q; c0 += column_lanes * VEC) {
        const int c = c0 + column * VEC;
        T sum[VEC] = {};
        int row = first;
        bool begun = from < to && begin > rows.start(first);  // by a group before
        const auto keep = [&](const T(&partial)[VEC]) {
#pragma unroll
            for (int k = 0; k < VEC; k++) shared_sums[threadIdx.x * VEC + k] = partial[k];
        };
        const auto close = [&]() {
            if (begun) {
                keep(sum);
            } else if (c < q) {
                finish(out + static_cast<long long>(row) * q + c, sum);
            }
            begun = false;
#pragma unroll
            for (int k = 0; k < VEC; k++) sum[k] = T(0);
            row++;
        };
        for (int e = begin; e < end; e += FLIGHT) {
            T v[FLIGHT][VEC];
            gather_rows<T, VEC, FLIGHT>(v, a, x, q, c, e, end);
#pragma unroll
            for (int i = 0; i < FLIGHT; i++) {
                while (row < last && ends[row] <= e + i) close();
                if (e + i < end && (!a.keep_rows || a.keep_rows[work.x + row]))
#pragma unroll
                    for (int k = 0; k < VEC; k++) sum[k] += v[i][k];
            }
        }
        while (row < last) close();
        const bool open = from < to && last < rows.rows && end > rows.start(last);
        if (begun) keep(sum);
        __syncthreads();
        if (open && !begun && c < q) {
            const int over = (rows.ends[last] - work.z + last) / share;  // the group that the row ends in
            for (int other = group + 1; other <= over; other++)
#pragma unroll
                for (int k = 0; k < VEC; k++) sum[k] += shared_sums[(other * column_lanes + column) * VEC + k];
            finish(out + static_cast<long long>(last) * q + c, sum);
        }
        __syncthreads();
    }
}

// One thread for each column of each row in parts adds these. parted has the row, its first part and the one after its
// last.
template <class T, bool ADD>
__device__ inline void sparse_matmul_finish(T *y, const T *sums, const int *parted, int rows, int q) {
    const long long columns = static_cast<long long>(rows) * q;
    for (long long i = global_thread(); i < columns; i += global_threads()) {
        const int at = static_cast<int>(i / q), c = static_cast<int>(i % q);
        T sum = T(0);
#pragma unroll 4
        for (int p = parted[3 * at + 1]; p < parted[3 * at + 2]; p++) sum += sums[static_cast<long long>(p) * q + c];
        T &to = y[static_cast<long long>(parted[3 * at]) * q + c];
        to = ADD ? to + sum : sum;
    }
}

#define SPARSE_MATMUL(NAME, T, VEC, ADD)                                                                               \
    extern "C" __global__ void __launch_bounds__(SPARSE_THREADS, 4)                                                    \
    NAME(T *y, T *sums, const int *row_ptr, const int *col, const T *values, const unsigned char *keep_rows,           \
         const unsigned char *keep_cols, const T *x, const int *blocks, int q, int column_lanes) {                     \
        sparse_matmul<T, VEC, ADD>(y, sums, {row_ptr, col, values, keep_rows, keep_cols}, x,                           \
                                   reinterpret_cast<const int4 *>(blocks), q, column_lanes);                           \
    }
#define SPARSE_MATMUL_FINISH(NAME, T, ADD)                                                                             \
    extern "C" __global__ void __launch_bounds__(SPARSE_THREADS)                                                       \
    NAME(T *y, const T *sums, const int *parted, int rows, int q) {                                                    \
        sparse_matmul_finish<T, ADD>(y, sums, parted, rows, q);                                                        \
    }
#define SPARSE_MATMULS(SUFFIX, T)                                                                                      \
    SPARSE_MATMUL(sparse_matmul_##SUFFIX, T, WIDE<T>, false)                                                           \
    SPARSE_MATMUL(sparse_matmul_add_##SUFFIX, T, WIDE<T>, true)                                                        \
    SPARSE_MATMUL(sparse_matmul_narrow_##SUFFIX, T, 1, false)                                                          \
    SPARSE_MATMUL(sparse_matmul_narrow_add_##SUFFIX, T, 1, true)                                                       \
    SPARSE_MATMUL_FINISH(sparse_matmul_finish_##SUFFIX, T, false)                                                      \
    SPARSE_MATMUL_FINISH(sparse_matmul_finish_add_##SUFFIX, T, true)
SPARSE_MATMULS(f32, float)
SPARSE_MATMULS(f64, double)
