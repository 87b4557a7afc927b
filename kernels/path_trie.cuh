// path_trie: paths of up to 4 or 8 vertices.
//
// A warp owns a root and 32 F filters, F of them a lane. The paths from a root are the same for every filter, so all
// lanes walk the same tree and never diverge; the loops over its depth are unrolled, so that the running
// sums of the scores, one vector a depth, stay in registers. A tree node costs F additions, F multiply-adds and F
// exponentials a lane, and about 15 instructions of the walk, which F lanes' filters share.
//
// Small graphs: a block takes a run of whole graphs (packs holds their first and last vertices) and keeps
// their arcs and score rows in shared memory, so that the scores of these are read once. Where the table is
// small (rows > 0) all of it is kept, otherwise a row for every vertex. Large graphs: a pack is a piece of
// the vertices of a graph, and arcs and scores come through the caches.
//
// Shared memory: (32 F size + 1) values or ints a row, 2 ints an arc, 2 ints a vertex.
// Bytes: D size q scores and n q lengths outputs once, 4 (n + arcs); exponentials: q a path.
// Floor: max(bytes / bandwidth, exponentials / (16 a clock and multiprocessor)). NCI1 with size 4, all
// lengths, q = 128 has 1.3 million paths: 0.16 G exponentials (about 40 us on 132 multiprocessors at 1.9 GHz) and 0.25
// GB of outputs (52 us at 4.8 TB/s), with as much again for scores that are not shared.
#pragma once
#include "paths.cuh"

template <class T, int F, int LIMIT, bool MAXIMUM, bool SHARED> struct PathTrie {
    const T *scores;           // of this lane's first filter
    const int *row_ptr, *col;  // shared: pairs of vertex and first score of its row
    const int *index;
    int size, q, limit, pooled, filters;
    bool whole;
    T rate[LIMIT + 1], offset[LIMIT + 1];
    T acc[LIMIT + 1][F];
    int count[LIMIT + 1], path[LIMIT + 1];

    template <int J> __device__ __forceinline__ void step(int v, int row, const T (&prefix)[F])
    {
        T sum[F];
        if constexpr (SHARED) {
            path_load<T, F>(sum, scores + row + (J - 1) * 32 * F, F, true);
        } else {
            path_load<T, F>(sum, scores + ((long long)row * size + J - 1) * q, filters, whole);
        }
#pragma unroll
        for (int k = 0; k < F; k++) {
            sum[k] += prefix[k];
        }
        if (pooled >> J & 1) {
#pragma unroll
            for (int k = 0; k < F; k++) {
                const T x = rate[J] * sum[k] + offset[J];
                if constexpr (MAXIMUM) {
                    acc[J][k] = max(acc[J][k], x);
                } else {
                    acc[J][k] += path_exp2(x);
                }
            }
        }
        count[J]++;
        if constexpr (J < LIMIT) {
            if (J == limit) {
                return;
            }
            path[J] = v;
            const int end = row_ptr[v + 1];
            for (int e = row_ptr[v]; e < end; e++) {
                int w, next;
                if constexpr (SHARED) {
                    const int2 arc = reinterpret_cast<const int2 *>(col)[e];
                    w = arc.x, next = arc.y;
                } else {
                    w = col[e], next = path_row(index, w);
                }
                bool fresh = true;
#pragma unroll
                for (int i = 1; i <= J; i++) {
                    fresh = fresh && path[i] != w;
                }
                if (fresh) {
                    step<J + 1>(w, next, sum);
                }
            }
        }
    }

    // pool visits all paths from v, whose row starts at row.
    __device__ __forceinline__ void pool(int v, int row)
    {
        T zero[F];
#pragma unroll
        for (int k = 0; k < F; k++) {
            zero[k] = 0;
        }
#pragma unroll
        for (int j = 1; j <= LIMIT; j++) {
            count[j] = 0;
#pragma unroll
            for (int k = 0; k < F; k++) {
                acc[j][k] = MAXIMUM ? PathLowest<T>::value() : (T)0;
            }
        }
        step<1>(v, row, zero);
    }
};

// path_sizes returns, as bits, the sizes that vertex v is pooled for.
template <int LIMIT>
__device__ __forceinline__ int path_sizes(const long long *out, const int *root_row, int n, int size, int v)
{
    int sizes = 0;
#pragma unroll
    for (int j = 1; j <= LIMIT; j++) {
        if (j <= size && out[j - 1] && path_root(root_row, n, j, v) >= 0) {
            sizes |= 1 << j;
        }
    }
    return sizes;
}

template <class T, int F, int LIMIT, bool MAXIMUM, bool SHARED>
__device__ __forceinline__ void path_trie(const long long *out, const T *scores, const T *norms, const int *index,
                                          const int *row_ptr, const int *col, const int *root_row, const int *packs,
                                          int n, int rows, int size, int q, int mean, T alpha2, int sum_exponent,
                                          int max_rows, int max_arcs)
{
    DYNAMIC_SHARED(unsigned char, memory);
    T *table = reinterpret_cast<T *>(memory);
    int *arcs = reinterpret_cast<int *>(table + (SHARED ? (long long)max_rows * size * 32 * F : 0));
    int *first = arcs + 2 * max_arcs;  // of the arcs of each vertex, then the row of each vertex

    const int from = packs[2 * blockIdx.x], to = packs[2 * blockIdx.x + 1], vertices = to - from;
    const int lane = threadIdx.x, warp = threadIdx.y, warps = blockDim.y;
    const int f0 = blockIdx.y * 32 * F + lane * F;
    PathTrie<T, F, LIMIT, MAXIMUM, SHARED> trie;
    trie.size = size, trie.q = q, trie.index = index;
    trie.filters = max(0, min(F, q - f0));
    trie.whole = F == 4 && q % 4 == 0 && trie.filters == F;
#pragma unroll
    for (int j = 1; j <= LIMIT; j++) {
        trie.rate[j] = path_rate(alpha2, sum_exponent, j);
        trie.offset[j] = path_offset(alpha2, sum_exponent, j);
    }
    int *row_of = first + vertices + 1;
    if constexpr (SHARED) {
        const int base = row_ptr[from], line = size * 32 * F;
        const int thread = warp * 32 + lane, threads = warps * 32;
        for (int v = thread; v <= vertices; v += threads) {
            first[v] = row_ptr[from + v] - base;
        }
        for (int v = thread; v < vertices; v += threads) {
            row_of[v] = (rows ? index[from + v] : v) * line;
        }
        const int ends = row_ptr[to] - base;
        for (int e = thread; e < ends; e += threads) {
            const int w = col[base + e];
            arcs[2 * e] = w - from;
            arcs[2 * e + 1] = (rows ? index[w] : w - from) * line;
        }
        const int lines = (rows ? rows : vertices) * size;
        for (int i = warp; i < lines; i += warps) {
            const int r = i / size, position = i % size;
            const int row = rows ? r : path_row(index, from + r);
            T x[F];
            path_load<T, F>(x, scores + ((long long)row * size + position) * q + f0, trie.filters, trie.whole);
            path_store<T, F>(table + i * 32 * F + lane * F, x, F, true);
        }
        __syncthreads();
        trie.scores = table + lane * F;
        trie.row_ptr = first, trie.col = arcs;
    } else {
        trie.scores = scores + f0;
        trie.row_ptr = row_ptr, trie.col = col;
    }
    for (int i = warp; i < vertices; i += warps) {
        const int v = from + i;
        trie.pooled = path_sizes<LIMIT>(out, root_row, n, size, v);
        if (!trie.pooled) {
            continue;
        }
        trie.limit = 31 - __clz(trie.pooled);
        if constexpr (SHARED) {
            trie.pool(i, row_of[i]);
        } else {
            trie.pool(v, path_row(index, v));
        }
        const T norm = norms ? norms[path_row(index, v)] : (T)1;
#pragma unroll
        for (int j = 1; j <= LIMIT; j++) {
            if (!(trie.pooled >> j & 1)) {
                continue;
            }
            T factor = mean && trie.count[j] > 0 ? norm / (T)trie.count[j] : norm;
            if (MAXIMUM && trie.count[j] == 0) {
                factor = 0;
            }
            T x[F];
#pragma unroll
            for (int k = 0; k < F; k++) {
                x[k] = factor * (MAXIMUM ? path_exp2(trie.acc[j][k]) : trie.acc[j][k]);
            }
            T *dst = path_matrix<T>(out, j) + (long long)path_root(root_row, n, j, v) * q + f0;
            path_store<T, F>(dst, x, trie.filters, trie.whole);
        }
    }
}

// Packs that fit shared memory have max_rows > 0.
#define PATH_TRIE(name, T, F, LIMIT, MAXIMUM)                                                                          \
    extern "C" __global__ void __launch_bounds__(256, 1)                                                               \
    name(const long long *out, const T *scores, const T *norms, const int *index, const int *row_ptr,                  \
         const int *col, const int *root_row, const int *packs, int n, int rows, int size, int q, int mean,            \
         T alpha2, int sum_exponent, int max_rows, int max_arcs) {                                                     \
        if (max_rows > 0) {                                                                                            \
            path_trie<T, F, LIMIT, MAXIMUM, true>(out, scores, norms, index, row_ptr, col, root_row, packs, n, rows,   \
                                                  size, q, mean, alpha2, sum_exponent, max_rows, max_arcs);            \
        } else {                                                                                                       \
            path_trie<T, F, LIMIT, MAXIMUM, false>(out, scores, norms, index, row_ptr, col, root_row, packs, n, rows,  \
                                                   size, q, mean, alpha2, sum_exponent, max_rows, max_arcs);           \
        }                                                                                                              \
    }
PATH_TRIE(path_trie_4_f32, float, 1, 4, false)
PATH_TRIE(path_trie_8_f32, float, 1, 8, false)
PATH_TRIE(path_trie_wide_4_f32, float, 4, 4, false)
PATH_TRIE(path_trie_wide_8_f32, float, 4, 8, false)
PATH_TRIE(path_trie_max_4_f32, float, 1, 4, true)
PATH_TRIE(path_trie_max_8_f32, float, 1, 8, true)
PATH_TRIE(path_trie_max_wide_4_f32, float, 4, 4, true)
PATH_TRIE(path_trie_max_wide_8_f32, float, 4, 8, true)
PATH_TRIE(path_trie_4_f64, double, 1, 4, false)
PATH_TRIE(path_trie_8_f64, double, 1, 8, false)
PATH_TRIE(path_trie_max_4_f64, double, 1, 4, true)
PATH_TRIE(path_trie_max_8_f64, double, 1, 8, true)
