// Pooling over walks.
#pragma once
#include "walk_factor.cuh"

// ----- walk_step: one position of the recursion over walks ------------------------------------------
//
//   c_i(u) = b_i(u) * sum over neighbours v of c_{i+1}(v),   c_j(u) = b_j(u),   b_i(u) = 2^(rate s_i(u) + offset / j)
//
// and for a maximum the same with exponents: x_i(u) = rate s_i(u) + max x_{i+1}(v), picked = the first neighbour
// that attains it, -1: there is none. value, pooled and source are n x width, for the filters [f0, f0+width);
// source is null for i = j, pooled and picked where the gradient needs them. scores null: b is 1, which counts.
//
// Bytes: (2 + arcs/n) n width values; operations: an addition an arc, an exponential a vertex; floor: bandwidth.
// What large graphs use, where walk_small takes small ones: neighbouring threads read neighbouring filters.

template <class T>
__device__ void walk_step(T *value, T *pooled, int *picked, const T *source, const T *scores, const int *index,
                          const int *row_ptr, const int *col, int n, int size, int q, int f0, int width, int position,
                          int maximum, T rate, T offset)
{
    const long long all = (long long)n * width;
    for (long long at = global_thread(); at < all; at += global_threads()) {
        const int u = (int)(at / width), f = (int)(at % width);
        T x = scores ? rate * scores[((long long)path_row(index, u) * size + position - 1) * q + f0 + f] : (T)0;
        if (!maximum) {
            x = path_exp2(x + offset);
        }
        if (source) {
            T sum = maximum ? PathLowest<T>::value() : (T)0;
            int best = -1;
            for (int e = row_ptr[u]; e < row_ptr[u + 1]; e++) {
                const int v = col[e];
                const T y = source[(long long)v * width + f];
                if (!maximum) {
                    sum += y;
                } else if (y > sum) {
                    sum = y, best = v;
                }
            }
            if (pooled) {
                pooled[at] = sum;
            }
            if (picked) {
                picked[at] = best;
            }
            x = maximum ? x + sum : x * sum;
        }
        value[at] = x;
    }
}

#define WALK_STEP(T, suffix)                                                                                           \
    extern "C" __global__ void walk_step_##suffix(T *value, T *pooled, int *picked, const T *source, const T *scores,  \
                                                  const int *index, const int *row_ptr, const int *col, int n,         \
                                                  int size, int q, int f0, int width, int position, int maximum,       \
                                                  T rate, T offset)                                                    \
    {                                                                                                                  \
        walk_step<T>(value, pooled, picked, source, scores, index, row_ptr, col, n, size, q, f0, width, position,      \
                     maximum, rate, offset);                                                                           \
    }
WALK_STEP(float, f32)
WALK_STEP(double, f64)

// ----- walk_finish: norm and mean of what a recursion left for every vertex --------------------------
//
//   out[row(v)] = norm(v) / count(v) * value(v), or norm(v) 2^(value(v) + offset) for a maximum
//
// root_row and counts are those of one size and may be null. Bytes: 2 n width values; floor: bandwidth.

template <class T>
__device__ void walk_finish(T *out, const T *value, const T *norms, const int *index, const double *counts,
                            const int *root_row, int n, int q, int f0, int width, int maximum, T offset)
{
    const long long all = (long long)n * width;
    for (long long at = global_thread(); at < all; at += global_threads()) {
        const int v = (int)(at / width), f = (int)(at % width), row = path_row(root_row, v);
        if (row >= 0) {
            const T x = maximum ? path_exp2(value[at] + offset) : value[at];
            out[(long long)row * q + f0 + f] = walk_factor(norms, index, counts, v) * x;
        }
    }
}

#define WALK_FINISH(T, suffix)                                                                                         \
    extern "C" __global__ void walk_finish_##suffix(T *out, const T *value, const T *norms, const int *index,          \
                                                    const double *counts, const int *root_row, int n, int q, int f0,   \
                                                    int width, int maximum, T offset)                                  \
    {                                                                                                                  \
        walk_finish<T>(out, value, norms, index, counts, root_row, n, q, f0, width, maximum, offset);                  \
    }
WALK_FINISH(float, f32)
WALK_FINISH(double, f64)

// ----- walk_small: all positions and sizes of small graphs in shared memory --------------------------
//
// A block takes a run of whole graphs (packs, as for path_trie) and 32 filters; two vectors of values and the
// arcs live in shared memory, so that of every size the table is read, mostly through the caches, and the
// outputs are written once. counts is size x n doubles, null but for a mean.
// Shared memory: 64 values and 2 ints a vertex, an int an arc.
// Floor: max of bytes (scores and outputs once) and n q size (size+1) / 2 exponentials for all lengths.

template <class T>
__device__ void walk_small(const long long *out, const T *scores, const T *norms, const int *index, const int *row_ptr,
                           const int *col, const double *counts, const int *root_row, const int *packs, int n,
                           int size, int q, int maximum, T alpha2, int sum_exponent, int max_vertices)
{
    DYNAMIC_SHARED(unsigned char, memory);
    T *next = reinterpret_cast<T *>(memory), *current = next + 32 * (long long)max_vertices;
    int *first = reinterpret_cast<int *>(current + 32 * (long long)max_vertices), *heads = first + max_vertices + 1;
    const int from = packs[2 * blockIdx.x], vertices = packs[2 * blockIdx.x + 1] - from;
    const int lane = threadIdx.x, warp = threadIdx.y, warps = blockDim.y;
    const int f = blockIdx.y * 32 + lane, base = row_ptr[from];
    for (int v = warp * 32 + lane; v <= vertices; v += warps * 32) {
        first[v] = row_ptr[from + v] - base;
    }
    for (int e = warp * 32 + lane; e < row_ptr[from + vertices] - base; e += warps * 32) {
        heads[e] = col[base + e] - from;
    }
    for (int j = 1; j <= size; j++) {
        if (!out[j - 1]) {
            continue;
        }
        const T rate = path_rate(alpha2, sum_exponent, j), offset = path_offset(alpha2, sum_exponent, j);
        for (int i = j; i >= 1; i--) {
            __syncthreads();
            for (int v = warp; v < vertices; v += warps) {
                T x = f < q ? rate * scores[((long long)path_row(index, from + v) * size + i - 1) * q + f] : (T)0;
                if (!maximum) {
                    x = path_exp2(x + offset / (T)j);
                }
                if (i < j) {
                    T sum = maximum ? PathLowest<T>::value() : (T)0;
                    for (int e = first[v]; e < first[v + 1]; e++) {
                        const T y = next[heads[e] * 32 + lane];
                        sum = maximum ? max(sum, y) : sum + y;
                    }
                    x = maximum ? x + sum : x * sum;
                }
                current[v * 32 + lane] = x;
            }
            T *other = next;
            next = current, current = other;
        }
        for (int v = warp; v < vertices; v += warps) {  // the values that this warp wrote itself
            const int row = path_root(root_row, n, j, from + v);
            if (row >= 0 && f < q) {
                const T x = next[v * 32 + lane];
                path_matrix<T>(out, j)[(long long)row * q + f] =
                    walk_factor(norms, index, counts ? counts + (long long)(j - 1) * n : counts, from + v) *
                    (maximum ? path_exp2(x + offset) : x);
            }
        }
    }
}

#define WALK_SMALL(T, suffix)                                                                                          \
    extern "C" __global__ void __launch_bounds__(256, 1)                                                               \
    walk_small_##suffix(const long long *out, const T *scores, const T *norms, const int *index,                       \
                        const int *row_ptr, const int *col, const double *counts, const int *root_row,                 \
                        const int *packs, int n, int size, int q, int maximum, T alpha2, int sum_exponent,             \
                        int max_vertices)                                                                              \
{                                                                                                                      \
        walk_small<T>(out, scores, norms, index, row_ptr, col, counts, root_row, packs, n, size, q, maximum, alpha2,   \
                      sum_exponent, max_vertices);                                                                     \
    }
WALK_SMALL(float, f32)
WALK_SMALL(double, f64)
