// sparse_matmul: Y = diag(keep_rows) A diag(keep_cols) X.
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
// Against a thread for each element of Y (kernels/plain) three things change. (1) G lanes load G * 4 columns (float4,
// double2) of a row of X at once. (2) Four entries are in flight for every lane, and where rows are long S/G lanes side
// by side take different entries, added by shuffles. (3) A row of more than LONG_ROW entries is the work of a whole
// block, cut into equal parts that are added in order; one of more than HUGE_ROW entries is listed, cut
// into parts of fixed length for all blocks of sparse_matmul_parts, and added up in their order by
// sparse_matmul_finish. The place of a part in the list depends on timing, the sums do not.
// sparse_matmul_narrow is the same with single columns, for q or addresses that no vector fits.
#pragma once
#include "sparse_matrix.cuh"

constexpr int SPARSE_THREADS = 256;   // of a block
constexpr int LONG_ROW = 256;         // entries from which on a row is the work of a block
constexpr int HUGE_ROW = 4096;        // and from which on that of many
constexpr int ROW_PART = 1024;        // entries of a part of such a row

template <class T, int VEC> struct Columns;
template <class T> struct Columns<T, 1> {
    static __device__ inline void load(T (&to)[1], const T *from) { to[0] = __ldg(from); }
    static __device__ inline void store(T *to, const T (&from)[1]) { to[0] = from[0]; }
};
template <> struct Columns<float, 4> {
    static __device__ inline void load(float (&to)[4], const float *from) {
        const float4 v = __ldg(reinterpret_cast<const float4 *>(from));
        to[0] = v.x; to[1] = v.y; to[2] = v.z; to[3] = v.w;
    }
    static __device__ inline void store(float *to, const float (&from)[4]) {
        *reinterpret_cast<float4 *>(to) = make_float4(from[0], from[1], from[2], from[3]);
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
};
template <class T> constexpr int WIDE = 16 / sizeof(T);   // elements of a vector load

// gather_rows adds the rows of X that the entries e, e + step, ... < end stand for to sum, from column c on.
template <class T, int VEC>
__device__ inline void gather_rows(T (&sum)[VEC], const SparseMatrix<T> &a, const T *x, int q, int c, int e, int end,
                                   int step) {
    constexpr int FLIGHT = 4;
    for (; e < end; e += FLIGHT * step) {
        T v[FLIGHT][VEC];
#pragma unroll
        for (int i = 0; i < FLIGHT; i++) {
            const bool inside = e + i * step < end;
            const int u = inside ? __ldg(a.col + e + i * step) : 0;
#pragma unroll
            for (int k = 0; k < VEC; k++) v[i][k] = T(0);
            if (inside && (!a.keep_cols || a.keep_cols[u]))
                Columns<T, VEC>::load(v[i], x + static_cast<long long>(u) * q + c);
        }
        if (a.values) {
#pragma unroll
            for (int i = 0; i < FLIGHT; i++) {
                const T w = e + i * step < end ? __ldg(a.values + e + i * step) : T(0);
#pragma unroll
                for (int k = 0; k < VEC; k++) sum[k] = multiply_add(w, v[i][k], sum[k]);
            }
        } else {
#pragma unroll
            for (int i = 0; i < FLIGHT; i++)
#pragma unroll
                for (int k = 0; k < VEC; k++) sum[k] += v[i][k];
        }
    }
}

// add_lanes adds the sums of lanes that lie from, 2 from, ... < to lanes apart.
template <class T, int VEC> __device__ inline void add_lanes(T (&sum)[VEC], int from, int to) {
    for (int apart = from; apart < to; apart *= 2)
#pragma unroll
        for (int k = 0; k < VEC; k++) sum[k] += __shfl_xor_sync(ALL_LANES, sum[k], apart);
}

// list_row puts the parts of a huge row into the list: part_row and part_number of every part, and in
// huge_row and huge_first the row with its first part. counts are the lengths of both lists.
__device__ inline void list_row(int row, int entries, int *counts, int *part_row, int *part_number, int *huge_row,
                                int *huge_first) {
    const int parts = (entries + ROW_PART - 1) / ROW_PART;
    const int first = atomicAdd(&counts[0], parts), at = atomicAdd(&counts[1], 1);
    huge_row[at] = row;
    huge_first[at] = first;
    for (int i = 0; i < parts; i++) {
        part_row[first + i] = row;
        part_number[first + i] = i;
    }
}

// A row takes row_lanes (S) lanes, of which column_lanes (G) stand for columns; both are powers of two with
// G <= S <= 32. Without counts there are no lists and every long row is the work of its block.
template <class T, int VEC>
__device__ inline void sparse_matmul(T *y, SparseMatrix<T> a, const T *x, int rows, int q, int row_lanes,
                                     int column_lanes, int *counts, int *part_row, int *part_number, int *huge_row,
                                     int *huge_first) {
    __shared__ T shared_sums[SPARSE_THREADS * VEC];
    const int block_rows = SPARSE_THREADS / row_lanes;
    const int in_row = threadIdx.x % row_lanes, in_columns = in_row % column_lanes;
    const int tiles = (rows + block_rows - 1) / block_rows;
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const int first = tile * block_rows;
        const int r = first + threadIdx.x / row_lanes;
        int begin = 0, end = 0;
        if (r < rows && (!a.keep_rows || a.keep_rows[r])) {
            begin = a.row_ptr[r];
            end = a.row_ptr[r + 1];
        }
        const bool is_long = end - begin > LONG_ROW;
        for (int c0 = 0; c0 < q; c0 += column_lanes * VEC) {
            const int c = c0 + in_columns * VEC;
            T sum[VEC] = {};
            if (!is_long && c < q)
                gather_rows<T, VEC>(sum, a, x, q, c, begin + in_row / column_lanes, end, row_lanes / column_lanes);
            add_lanes<T, VEC>(sum, column_lanes, row_lanes);
            if (!is_long && r < rows && c < q && in_row < column_lanes)
                Columns<T, VEC>::store(y + static_cast<long long>(r) * q + c, sum);
        }
        if (!__syncthreads_or(is_long)) continue;
        for (int i = 0; i < block_rows && first + i < rows; i++) {
            const int row = first + i;
            if (a.keep_rows && !a.keep_rows[row]) continue;
            const int from = a.row_ptr[row], entries = a.row_ptr[row + 1] - from;
            if (entries <= LONG_ROW) continue;
            if (counts && entries > HUGE_ROW) {
                if (threadIdx.x == 0) list_row(row, entries, counts, part_row, part_number, huge_row, huge_first);
                continue;
            }
            const int groups = SPARSE_THREADS / column_lanes, group = threadIdx.x / column_lanes;
            const int length = (entries + groups - 1) / groups, column = threadIdx.x % column_lanes;
            const int begin = min(group * length, entries), end = min(begin + length, entries);
            for (int c0 = 0; c0 < q; c0 += column_lanes * VEC) {
                const int c = c0 + column * VEC;
                T sum[VEC] = {};
                if (c < q) gather_rows<T, VEC>(sum, a, x, q, c, from + begin, from + end, 1);
#pragma unroll
                for (int k = 0; k < VEC; k++) shared_sums[threadIdx.x * VEC + k] = sum[k];
                __syncthreads();
                if (group == 0 && c < q) {
                    for (int other = 1; other < groups; other++)
#pragma unroll
                        for (int k = 0; k < VEC; k++) sum[k] += shared_sums[(other * column_lanes + column) * VEC + k];
                    Columns<T, VEC>::store(y + static_cast<long long>(row) * q + c, sum);
                }
                __syncthreads();
            }
        }
    }
}

// One warp sums one part of a huge row at a time, into row number of the part of sums.
template <class T, int VEC>
__device__ inline void sparse_matmul_parts(T *sums, SparseMatrix<T> a, const T *x, int q, int column_lanes,
                                           const int *counts, const int *part_row, const int *part_number) {
    const int lane = lane_index(), column = lane % column_lanes;
    const int warps = static_cast<int>(global_threads() / WARP);
    for (int part = static_cast<int>(global_thread() / WARP); part < counts[0]; part += warps) {
        const int row = part_row[part], begin = a.row_ptr[row] + part_number[part] * ROW_PART;
        const int end = min(begin + ROW_PART, a.row_ptr[row + 1]);
        for (int c0 = 0; c0 < q; c0 += column_lanes * VEC) {
            const int c = c0 + column * VEC;
            T sum[VEC] = {};
            if (c < q) gather_rows<T, VEC>(sum, a, x, q, c, begin + lane / column_lanes, end, WARP / column_lanes);
            add_lanes<T, VEC>(sum, column_lanes, WARP);
            if (c < q && lane < column_lanes) Columns<T, VEC>::store(sums + static_cast<long long>(part) * q + c, sum);
        }
    }
}

// One thread for each column of each huge row adds its parts.
template <class T>
__device__ inline void sparse_matmul_finish(T *y, const T *sums, const int *row_ptr, int q, const int *counts,
                                            const int *huge_row, const int *huge_first) {
    const long long columns = static_cast<long long>(counts[1]) * q;
    for (long long i = global_thread(); i < columns; i += global_threads()) {
        const int at = static_cast<int>(i / q), c = static_cast<int>(i % q), row = huge_row[at];
        const int parts = (row_ptr[row + 1] - row_ptr[row] + ROW_PART - 1) / ROW_PART;
        const T *part = sums + static_cast<long long>(huge_first[at]) * q + c;
        T sum = T(0);
#pragma unroll 4
        for (int p = 0; p < parts; p++) sum += part[static_cast<long long>(p) * q];
        y[static_cast<long long>(row) * q + c] = sum;
    }
}

#define SPARSE_MATMUL(NAME, T, VEC)                                                                                    \
    extern "C" __global__ void __launch_bounds__(SPARSE_THREADS, 4)                                                    \
    NAME(T *y, const int *row_ptr, const int *col, const T *values, const unsigned char *keep_rows,                    \
         const unsigned char *keep_cols, const T *x, int rows, int q, int row_lanes, int column_lanes,                 \
         int *counts, int *part_row, int *part_number, int *huge_row, int *huge_first) {                               \
        sparse_matmul<T, VEC>(y, {row_ptr, col, values, keep_rows, keep_cols}, x, rows, q, row_lanes, column_lanes,    \
                              counts, part_row, part_number, huge_row, huge_first);                                    \
    }
SPARSE_MATMUL(sparse_matmul_f32, float, WIDE<float>)
SPARSE_MATMUL(sparse_matmul_f64, double, WIDE<double>)
SPARSE_MATMUL(sparse_matmul_narrow_f32, float, 1)
SPARSE_MATMUL(sparse_matmul_narrow_f64, double, 1)

#define SPARSE_MATMUL_PARTS(NAME, T, VEC)                                                                              \
    extern "C" __global__ void __launch_bounds__(SPARSE_THREADS)                                                       \
    NAME(T *sums, const int *row_ptr, const int *col, const T *values, const unsigned char *keep_cols, const T *x,     \
         int q, int column_lanes, const int *counts, const int *part_row, const int *part_number) {                    \
        sparse_matmul_parts<T, VEC>(sums, {row_ptr, col, values, nullptr, keep_cols}, x, q, column_lanes, counts,      \
                                    part_row, part_number);                                                            \
    }
SPARSE_MATMUL_PARTS(sparse_matmul_parts_f32, float, WIDE<float>)
SPARSE_MATMUL_PARTS(sparse_matmul_parts_f64, double, WIDE<double>)
SPARSE_MATMUL_PARTS(sparse_matmul_parts_narrow_f32, float, 1)
SPARSE_MATMUL_PARTS(sparse_matmul_parts_narrow_f64, double, 1)

#define SPARSE_MATMUL_FINISH(NAME, T)                                                                                  \
    extern "C" __global__ void __launch_bounds__(SPARSE_THREADS)                                                       \
    NAME(T *y, const T *sums, const int *row_ptr, int q, const int *counts, const int *huge_row,                       \
         const int *huge_first) {                                                                                      \
        sparse_matmul_finish<T>(y, sums, row_ptr, q, counts, huge_row, huge_first);                                    \
    }
SPARSE_MATMUL_FINISH(sparse_matmul_finish_f32, float)
SPARSE_MATMUL_FINISH(sparse_matmul_finish_f64, double)
