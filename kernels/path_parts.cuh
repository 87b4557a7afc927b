// What path_trie needs before and after it where a graph is large or a root has many paths.
#pragma once
#include "paths.cuh"

// ----- path_factors: factors of the scores of rows ---------------------------------------------------
//
//   factors[r, i] = 2^(rate (s_i(r) - 1)), the rate of path_trie's factors, for the rows r of pieces; D x (size q)
//
// A block takes the rows [pieces[2b], pieces[2b+1]). large, zero on entry, becomes 1 where a factor is above
// 2^(1 / size), so that products of factors cannot be relied on. One exponential an element; floor: the bytes of scores
// and factors once, at bandwidth.

template <class T>
__device__ void path_factors(T *factors, int *large, const T *scores, const int *pieces, int size, int q, T alpha2,
                             int sum_exponent, int root)
{
    const int from = pieces[2 * blockIdx.x], items = (pieces[2 * blockIdx.x + 1] - from) * size * q;
    const long long first = (long long)from * size * q;
    bool above = false;
    for (int i = threadIdx.x; i < items; i += blockDim.x) {
        const int position = i / q % size + 1;
        const T exponent = path_factor_exponent(scores[first + i], alpha2, sum_exponent, position, size, root);
        above = above || exponent * (T)size > 1;
        factors[first + i] = path_exp2(exponent);
    }
    if (__syncthreads_or(above) && threadIdx.x == 0) {
        atomicMax(large, 1);
    }
}

#define PATH_FACTORS(T, suffix)                                                                                        \
    extern "C" __global__ void path_factors_##suffix(T *factors, int *large, const T *scores, const int *pieces,       \
                                                     int size, int q, T alpha2, int sum_exponent, int root)            \
    {                                                                                                                  \
        path_factors<T>(factors, large, scores, pieces, size, q, alpha2, sum_exponent, root);                          \
    }
PATH_FACTORS(float, f32)
PATH_FACTORS(double, f64)

// ----- path_join: what the parts of a root come to together ------------------------------------------
//
//   out_j[v] = norm(v) * pool over the parts of v of partial[part, j], for the cut roots (v, first part, end) of roots
//
// partial: parts x size x q, sums or largest exponents; counts: parts x size, numbers of paths; both from part base on.
// A block takes a root and 32 filters; each of its warps adds up a run of the parts, and the first then adds these in
// their order. Bytes: the parts once; floor: bandwidth. Maxima take an exponential a root, size and filter.

template <class T>
__device__ void path_join(const long long *out, const T *partial, const int *counts, const int *roots, const T *norms,
                          const int *index, const int *root_row, int base, int n, int size, int q, int pool)
{
    constexpr int WARPS = 8;
    __shared__ T of_warp[WARPS][WARP];
    __shared__ T number_of_warp[WARPS];
    const int lane = threadIdx.x, warp = threadIdx.y, f = blockIdx.y * WARP + lane;
    const int *root = roots + 3 * blockIdx.x;
    const int v = root[0], first = root[1] - base, parts = root[2] - root[1];
    const int from = first + (int)((long long)parts * warp / WARPS);
    const int to = first + (int)((long long)parts * (warp + 1) / WARPS);
    const bool maximum = pool == POOLED_MAX;
    for (int j = 1; j <= size; j++) {
        const int row = out[j - 1] ? path_root(root_row, n, j, v) : -1;
        if (row < 0) {
            continue;
        }
        T pooled = maximum ? PathLowest<T>::value() : (T)0, number = 0;
        if (f < q) {
#pragma unroll 4
            for (int p = from; p < to; p++) {
                const T x = partial[((long long)p * size + j - 1) * q + f];
                pooled = maximum ? max(pooled, x) : pooled + x;
            }
        }
        for (int p = from + lane; p < to; p += WARP) {
            number += (T)counts[(long long)p * size + j - 1];
        }
        of_warp[warp][lane] = pooled;
        number = warp_sum(number);
        if (lane == 0) {
            number_of_warp[warp] = number;
        }
        __syncthreads();
        if (warp == 0 && f < q) {
            for (int other = 1; other < WARPS; other++) {
                const T x = of_warp[other][lane];
                pooled = maximum ? max(pooled, x) : pooled + x;
                number += number_of_warp[other];
            }
            T factor = norms ? norms[path_row(index, v)] : (T)1;
            if (pool == POOLED_MEAN && number > 0) {
                factor /= number;
            }
            if (maximum) {
                pooled = path_exp2(pooled);
                factor = number > 0 ? factor : (T)0;
            }
            path_matrix<T>(out, j)[(long long)row * q + f] = factor * pooled;
        }
        __syncthreads();
    }
}

#define PATH_JOIN(T, suffix)                                                                                           \
    extern "C" __global__ void __launch_bounds__(256)                                                                  \
    path_join_##suffix(const long long *out, const T *partial, const int *counts, const int *roots, const T *norms,    \
                       const int *index, const int *root_row, int base, int n, int size, int q, int pool)              \
    {                                                                                                                  \
        path_join<T>(out, partial, counts, roots, norms, index, root_row, base, n, size, q, pool);                     \
    }
PATH_JOIN(float, f32)
PATH_JOIN(double, f64)
