// Numbers of paths, and what the gradients of paths share: weights and the gradient of norms.
#pragma once
#include "paths.cuh"

// ----- path_counts: number of paths of up to 8 vertices ---------------------------------------------
//
// counts[j][v] = number of paths of j vertices from v, size x n. One thread a vertex. Bytes: 4 (n + arcs) once,
// 4 n size out; a step of the walk a path: 1 / q of what pooling costs.

template <int LIMIT> struct PathCounter {
    const int *row_ptr, *col;
    int limit, count[LIMIT + 1], path[LIMIT + 1];

    template <int J> __device__ __forceinline__ void step(int v)
    {
        count[J]++;
        if constexpr (J < LIMIT) {
            if (J == limit) {
                return;
            }
            path[J] = v;
            const int end = row_ptr[v + 1];
            for (int e = row_ptr[v]; e < end; e++) {
                const int w = col[e];
                bool fresh = true;
#pragma unroll
                for (int i = 1; i <= J; i++) {
                    fresh = fresh && path[i] != w;
                }
                if (fresh) {
                    step<J + 1>(w);
                }
            }
        }
    }
};

extern "C" __global__ void __launch_bounds__(128, 1)
path_counts(int *counts, const int *row_ptr, const int *col, int n, int size) {
    for (int v = global_thread(); v < n; v += global_threads()) {
        PathCounter<8> counter;
        counter.row_ptr = row_ptr, counter.col = col, counter.limit = size;
#pragma unroll
        for (int j = 1; j <= 8; j++) {
            counter.count[j] = 0;
        }
        counter.step<1>(v);
#pragma unroll
        for (int j = 1; j <= 8; j++) {
            if (j <= size) {
                counts[(long long)(j - 1) * n + v] = counter.count[j];
            }
        }
    }
}

// ----- path_weights: what norm, mean and scale make of the gradients of the outputs of a root --------
//
// weights[j][v] = scale_j norm(v) / count_j(v), size x n, and zero where v is not pooled for size j; counts is
// null but for a mean. 12 bytes an element; floor: bandwidth.

template <class T>
__device__ void path_weights(T *weights, const long long *out, const int *counts, const T *norms, const int *index,
                             const int *root_row, int n, int size, T alpha, int sum_exponent)
{
    const long long all = (long long)n * size;
    for (long long i = global_thread(); i < all; i += global_threads()) {
        const int j = (int)(i / n) + 1, v = (int)(i % n);
        T weight = 0;
        if (out[j - 1] && path_root(root_row, n, j, v) >= 0) {
            weight = path_rate(alpha, sum_exponent, j) * (norms ? norms[path_row(index, v)] : (T)1);
            if (counts) {
                weight = counts[i] > 0 ? weight / (T)counts[i] : (T)0;
            }
        }
        weights[i] = weight;
    }
}

#define PATH_WEIGHTS(T, suffix)                                                                                        \
    extern "C" __global__ void path_weights_##suffix(T *weights, const long long *out, const int *counts,              \
                                                     const T *norms, const int *index, const int *root_row, int n,     \
                                                     int size, T alpha, int sum_exponent)                              \
    {                                                                                                                  \
        path_weights<T>(weights, out, counts, norms, index, root_row, n, size, alpha, sum_exponent);                   \
    }
PATH_WEIGHTS(float, f32)
PATH_WEIGHTS(double, f64)

// ----- path_norm_grad: gradient of the norms ---------------------------------------------------------
//
//   by_vertex[v] = sum over sizes j and filters of G_j[v] pooled_j[v], pooled_j without the norm
//
// A warp a vertex, added in a fixed tree. Bytes: both matrices of every size once; floor: bandwidth.

template <class T>
__device__ void path_norm_grad(T *by_vertex, const long long *out, const long long *pooled, const int *root_row, int n,
                               int size, int q)
{
    for (int v = blockIdx.x * blockDim.y + threadIdx.y; v < n; v += gridDim.x * blockDim.y) {
        T sum = 0;
        for (int j = 1; j <= size; j++) {
            const int row = out[j - 1] ? path_root(root_row, n, j, v) : -1;
            if (row < 0) {
                continue;
            }
            const T *g = path_matrix<T>(out, j) + (long long)row * q,
                    *x = path_matrix<T>(pooled, j) + (long long)row * q;
            for (int f = threadIdx.x; f < q; f += 32) {
                sum += g[f] * x[f];
            }
        }
        sum = warp_sum(sum);
        if (threadIdx.x == 0) {
            by_vertex[v] = sum;
        }
    }
}

#define PATH_NORM_GRAD(T, suffix)                                                                                      \
    extern "C" __global__ void path_norm_grad_##suffix(T *by_vertex, const long long *out, const long long *pooled,    \
                                                       const int *root_row, int n, int size, int q)                    \
    {                                                                                                                  \
        path_norm_grad<T>(by_vertex, out, pooled, root_row, n, size, q);                                               \
    }
PATH_NORM_GRAD(float, f32)
PATH_NORM_GRAD(double, f64)
