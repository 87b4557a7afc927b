// path_grad: gradient of sums and means over paths of up to 4 or 8 vertices.
//
//   grad[v, i] = sum over paths p with p_i = v of weights[j][p_1] G_j[p_1] 2^(rate_j sum of scores + offset_j)
//
// turned from a scatter over paths into a gather: a warp owns a vertex v and 32 F filters, and finds for each
// position i the paths that have v there, first back from v along reversed arcs to the root, then on from v.
// Both halves are one search of depth size; what is found is added up in registers and written once, in a
// fixed order, without atomics or partial sums, for graphs of any size. in_ptr and in_col are the reversed arcs.
//
// Each path is met once for every position, so a path of j vertices costs j exponentials: for sizes up to 4 with
// all lengths about three times the forward pass. Bytes: scores and output gradients through the caches, grad
// (n size q) once. Floor: max of bytes (scores, outputs, grad once each) and sum over j of j paths_j q exponentials.
#pragma once
#include "paths.cuh"

template <class T, int F, int LIMIT> struct PathGather {
    const T *scores, *weights;  // scores and grad of this lane's first filter
    const long long *out;
    const int *row_ptr, *col, *in_ptr, *in_col, *index, *root_row;
    int n, size, q, f0, filters, pooled, position;
    bool whole;
    T rate[LIMIT + 1], offset[LIMIT + 1];
    T given[LIMIT + 1][F];  // of the root: weight times output gradient by size
    T acc[F];
    int path[LIMIT + 1];

    template <int K> __device__ __forceinline__ void step(int v, const T (&prefix)[F])
    {
        const int i = K <= position ? position - K + 1 : K;
        T sum[F];
        path_load<T, F>(sum, scores + ((long long)path_row(index, v) * size + i - 1) * q, filters, whole);
#pragma unroll
        for (int k = 0; k < F; k++) {
            sum[k] += prefix[k];
        }
        if (K == position) {
            bool any = false;
#pragma unroll
            for (int j = K; j <= LIMIT; j++) {
                if (!(pooled >> j & 1)) {
                    continue;
                }
                const T weight = weights[(long long)(j - 1) * n + v];
                if (weight != (T)0) {
                    any = true;
                    path_load<T, F>(given[j], path_matrix<T>(out, j) + (long long)path_root(root_row, n, j, v) * q + f0,
                                    filters, whole);
                }
#pragma unroll
                for (int k = 0; k < F; k++) {
                    given[j][k] = weight != (T)0 ? given[j][k] * weight : (T)0;
                }
            }
            if (!any) {
                return;
            }
        }
        if (K >= position && (pooled >> K & 1)) {
#pragma unroll
            for (int k = 0; k < F; k++) {
                acc[k] += given[K][k] * path_exp2(rate[K] * sum[k] + offset[K]);
            }
        }
        if constexpr (K < LIMIT) {
            if (K == size) {
                return;
            }
            path[K] = v;
            const bool back = K < position;
            const int from = K == position ? path[1] : v;
            const int *ptr = back ? in_ptr : row_ptr, *end_of = back ? in_col : col;
            const int end = ptr[from + 1];
            for (int e = ptr[from]; e < end; e++) {
                const int w = end_of[e];
                bool fresh = true;
#pragma unroll
                for (int p = 1; p <= K; p++) {
                    fresh = fresh && path[p] != w;
                }
                if (fresh) {
                    step<K + 1>(w, sum);
                }
            }
        }
    }
};

template <class T, int F, int LIMIT>
__device__ __forceinline__ void path_grad(T *grad, const long long *out, const T *scores, const T *weights,
                                          const int *index, const int *row_ptr, const int *col, const int *in_ptr,
                                          const int *in_col, const int *root_row, int n, int size, int q, T alpha2,
                                          int sum_exponent)
{
    PathGather<T, F, LIMIT> gather;
    gather.f0 = blockIdx.y * 32 * F + threadIdx.x * F;
    gather.scores = scores + gather.f0, gather.weights = weights, gather.out = out;
    gather.row_ptr = row_ptr, gather.col = col, gather.in_ptr = in_ptr, gather.in_col = in_col;
    gather.index = index, gather.root_row = root_row;
    gather.n = n, gather.size = size, gather.q = q;
    gather.filters = max(0, min(F, q - gather.f0));
    gather.whole = F == 4 && q % 4 == 0 && gather.filters == F;
    gather.pooled = 0;
    T zero[F];
#pragma unroll
    for (int k = 0; k < F; k++) {
        zero[k] = 0;
    }
#pragma unroll
    for (int j = 1; j <= LIMIT; j++) {
        gather.rate[j] = path_rate(alpha2, sum_exponent, j);
        gather.offset[j] = path_offset(alpha2, sum_exponent, j);
        gather.pooled |= j <= size && out[j - 1] ? 1 << j : 0;
#pragma unroll
        for (int k = 0; k < F; k++) {
            gather.given[j][k] = 0;
        }
    }
    for (int v = blockIdx.x * blockDim.y + threadIdx.y; v < n; v += gridDim.x * blockDim.y) {
        for (int i = 1; i <= size; i++) {
            gather.position = i;
#pragma unroll
            for (int k = 0; k < F; k++) {
                gather.acc[k] = 0;
            }
            gather.template step<1>(v, zero);
            path_store<T, F>(grad + ((long long)v * size + i - 1) * q + gather.f0, gather.acc, gather.filters,
                             gather.whole);
        }
    }
}

#define PATH_GRAD(name, T, F, LIMIT)                                                                                   \
    extern "C" __global__ void __launch_bounds__(256, 1)                                                               \
    name(T *grad, const long long *out, const T *scores, const T *weights, const int *index, const int *row_ptr,       \
         const int *col, const int *in_ptr, const int *in_col, const int *root_row, int n, int size, int q,            \
         T alpha2, int sum_exponent)                                                                                   \
{                                                                                                                      \
        path_grad<T, F, LIMIT>(grad, out, scores, weights, index, row_ptr, col, in_ptr, in_col, root_row, n, size, q,  \
                               alpha2, sum_exponent);                                                                  \
    }
PATH_GRAD(path_grad_4_f32, float, 1, 4)
PATH_GRAD(path_grad_8_f32, float, 1, 8)
PATH_GRAD(path_grad_wide_4_f32, float, 4, 4)
PATH_GRAD(path_grad_4_f64, double, 1, 4)
PATH_GRAD(path_grad_8_f64, double, 1, 8)
