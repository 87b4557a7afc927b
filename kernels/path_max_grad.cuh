// path_winners, path_max_grad: gradient of maxima over paths of up to 8 vertices.
//
// path_winners searches as path_trie does and keeps, for every root, size and filter, the first path with the
// largest exponent: its vertices in winners (n x size (size+1) / 2 x width, size j from j (j-1) / 2 on), and in
// shares (n x size x width) weight times output gradient times kernel value, for the filters [f0, f0+width).
// path_max_grad gathers: a warp owns a vertex v and 32 filters, finds for each position i the roots that
// reach v in i steps, and adds the shares of those winners that run along the way found. Parallel arcs
// would find one twice and are passed over. Plain ancestor of both: path_grad_long.
//
// Bytes: winners and shares are written once, (size (size+1) / 2 + size) 4 q n, and read at every way back.
// Floor: bytes / bandwidth; the exponentials are q n a size.
#pragma once
#include "paths.cuh"

template <class T, int LIMIT> struct PathWinners {
    const T *scores;
    const int *row_ptr, *col, *index;
    int size, q, limit;
    bool active;
    T rate[LIMIT + 1], best[LIMIT + 1];
    int path[LIMIT + 1], winner[LIMIT * (LIMIT + 1) / 2 + 1];

    template <int J> __device__ __forceinline__ void step(int v, T prefix)
    {
        const T sum = prefix + (active ? scores[((long long)path_row(index, v) * size + J - 1) * q] : (T)0);
        path[J] = v;
        const T x = rate[J] * sum;
        if (x > best[J]) {
            best[J] = x;
#pragma unroll
            for (int i = 1; i <= J; i++) {
                winner[J * (J - 1) / 2 + i - 1] = path[i];
            }
        }
        if constexpr (J < LIMIT) {
            if (J == limit) {
                return;
            }
            const int end = row_ptr[v + 1];
            for (int e = row_ptr[v]; e < end; e++) {
                const int w = col[e];
                bool fresh = true;
#pragma unroll
                for (int i = 1; i <= J; i++) {
                    fresh = fresh && path[i] != w;
                }
                if (fresh) {
                    step<J + 1>(w, sum);
                }
            }
        }
    }
};

template <class T, int LIMIT>
__device__ __forceinline__ void path_winners(int *winners, T *shares, const long long *out, const T *scores,
                                             const T *weights, const int *index, const int *row_ptr, const int *col,
                                             const int *root_row, int n, int size, int q, int f0, int width, T alpha2,
                                             int sum_exponent)
{
    PathWinners<T, LIMIT> search;
    const int f = blockIdx.y * 32 + threadIdx.x;
    search.active = f < width;
    search.scores = scores + f0 + f;
    search.row_ptr = row_ptr, search.col = col, search.index = index, search.size = size, search.q = q;
#pragma unroll
    for (int j = 1; j <= LIMIT; j++) {
        search.rate[j] = path_rate(alpha2, sum_exponent, j);
    }
    for (int v = blockIdx.x * blockDim.y + threadIdx.y; v < n; v += gridDim.x * blockDim.y) {
        search.limit = path_limit<T>(out, root_row, n, size, v);
#pragma unroll
        for (int j = 1; j <= LIMIT; j++) {
            search.best[j] = PathLowest<T>::value();
#pragma unroll
            for (int i = 1; i <= j; i++) {
                search.winner[j * (j - 1) / 2 + i - 1] = -1;
            }
        }
        if (search.limit > 0) {
            search.template step<1>(v, 0);
        }
        if (!search.active) {
            continue;
        }
#pragma unroll
        for (int j = 1; j <= LIMIT; j++) {
            if (j > size) {
                continue;
            }
            T share = 0;
            if (search.winner[j * (j - 1) / 2] >= 0) {
                const T weight = weights[(long long)(j - 1) * n + v];
                if (weight != (T)0) {
                    share = weight * path_matrix<T>(out, j)[(long long)path_root(root_row, n, j, v) * q + f0 + f] *
                            path_exp2(search.best[j] + path_offset(alpha2, sum_exponent, j));
                }
            }
            shares[((long long)v * size + j - 1) * width + f] = share;
#pragma unroll
            for (int i = 1; i <= j; i++) {
                const int at = j * (j - 1) / 2 + i - 1;
                winners[((long long)v * (size * (size + 1) / 2) + at) * width + f] = search.winner[at];
            }
        }
    }
}

template <class T, int LIMIT> struct PathMaxGather {
    const int *winners, *in_ptr, *in_col;
    const T *shares;
    int size, width, position;
    bool active;
    T acc;
    int path[LIMIT + 1];

    template <int K> __device__ __forceinline__ void step(int v)
    {
        path[K] = v;
        if (K == position) {
            for (int j = K; j <= size && active; j++) {
                const int *winner = winners + ((long long)v * (size * (size + 1) / 2) + j * (j - 1) / 2) * width;
                bool same = true;
#pragma unroll
                for (int i = K; i >= 1; i--) {
                    same = same && winner[(long long)(i - 1) * width] == path[K - i + 1];
                }
                if (same) {
                    acc += shares[((long long)v * size + j - 1) * width];
                }
            }
            return;
        }
        if constexpr (K < LIMIT) {
            const int begin = in_ptr[v], end = in_ptr[v + 1];
            for (int e = begin; e < end; e++) {
                const int w = in_col[e];
                bool fresh = e == begin || in_col[e - 1] != w;
#pragma unroll
                for (int p = 1; p <= K; p++) {
                    fresh = fresh && path[p] != w;
                }
                if (fresh) {
                    step<K + 1>(w);
                }
            }
        }
    }
};

template <class T, int LIMIT>
__device__ __forceinline__ void path_max_grad(T *grad, const int *winners, const T *shares, const int *in_ptr,
                                              const int *in_col, int n, int size, int q, int f0, int width)
{
    PathMaxGather<T, LIMIT> gather;
    const int f = blockIdx.y * 32 + threadIdx.x;
    gather.active = f < width;
    gather.winners = winners + f, gather.shares = shares + f;
    gather.in_ptr = in_ptr, gather.in_col = in_col;
    gather.size = size, gather.width = width;
    for (int v = blockIdx.x * blockDim.y + threadIdx.y; v < n; v += gridDim.x * blockDim.y) {
        for (int i = 1; i <= size; i++) {
            gather.position = i;
            gather.acc = 0;
            gather.template step<1>(v);
            if (gather.active) {
                grad[((long long)v * size + i - 1) * q + f0 + f] = gather.acc;
            }
        }
    }
}

#define PATH_MAX_GRAD(T, LIMIT, suffix)                                                                                \
    extern "C" __global__ void __launch_bounds__(256, 1) path_winners_##suffix(                                        \
        int *winners, T *shares, const long long *out, const T *scores, const T *weights, const int *index,            \
        const int *row_ptr, const int *col, const int *root_row, int n, int size, int q, int f0, int width, T alpha2,  \
        int sum_exponent)                                                                                              \
    {                                                                                                                  \
        path_winners<T, LIMIT>(winners, shares, out, scores, weights, index, row_ptr, col, root_row, n, size, q, f0,   \
                               width, alpha2, sum_exponent);                                                           \
    }                                                                                                                  \
    extern "C" __global__ void __launch_bounds__(256, 1)                                                               \
    path_max_grad_##suffix(T *grad, const int *winners, const T *shares, const int *in_ptr, const int *in_col,         \
                           int n, int size, int q, int f0, int width)                                                  \
{                                                                                                                      \
        path_max_grad<T, LIMIT>(grad, winners, shares, in_ptr, in_col, n, size, q, f0, width);                         \
    }
PATH_MAX_GRAD(float, 4, 4_f32)
PATH_MAX_GRAD(float, 8, 8_f32)
PATH_MAX_GRAD(double, 4, 4_f64)
PATH_MAX_GRAD(double, 8, 8_f64)
