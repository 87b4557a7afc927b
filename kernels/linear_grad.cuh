// Gradients of a linear layer.
//
//   x_grad = y_grad W          weight_grad = y_grad' x          bias_grad = sums of the columns of y_grad
//
// x n x d, W outputs x d, y_grad n x outputs; any of the gradients may be null.
//
// Bytes      s (2 n outputs + 2 n d + 2 outputs d)
// Operations 4 n outputs d
// Floor      the larger of bytes / copy bandwidth and operations / peak of the fp32 (fp64) units.
// One launch has the tiles of both products side by side, so that neither waits for the other: first those of x_grad,
// then those of weight_grad, whose terms, the rows, are split; the first column of these tiles adds up the bias too.
// The sums of several splits go to partial, splits x (outputs d + outputs); the last block of a tile to be ready adds
// them in their order. Blocks count themselves in turns, a word for each tile that is zero before the launch.
// Prediction, not a measurement: 19 us for 4000 rows of 64 numbers and 64 outputs.
#pragma once
#include "matmul.cuh"

// gradient_tile computes the tile of op(A) B at (row0, column0) over the terms first..end.
template <class P, bool TRANS_A, bool WIDE, class T>
__device__ inline void gradient_tile(T *c, const T *a, const T *b, int m, int n, int k, int row0, int column0,
                                     int first, int end, T *space) {
    constexpr int V = P::V;
    const bool wide_c = aligned16(c) && n % V == 0;
    int half = 0;
    T sum[P::TM][P::TN] = {};
    auto of_a = bring<TRANS_A, WIDE, P::BM, P::BK, P::LDA, P::THREADS, 1>(a, m, k, row0, first, end);
    auto of_b = bring<true, WIDE, P::BN, P::BK, P::LDB, P::THREADS, 1>(b, n, k, column0, first, end);
    multiply_tile<P>(sum, of_a, of_b, end > first ? (end - first + P::BK - 1) / P::BK : 0, space, half);
#pragma unroll
    for (int i = 0; i < P::TM; i++)
#pragma unroll
        for (int j = 0; j < P::TN; j += V) {
            const int row = row0 + P::row() + P::below(i), column = column0 + P::column() + P::beside(j);
            T result[V];
#pragma unroll
            for (int v = 0; v < V; v++) result[v] = sum[i][j + v];
            store_some(c + (long long)row * n + column, result, row < m ? n - column : 0, wide_c);
        }
}

// sum_outputs adds up the rows first..end of the columns column0.. of y_grad, P::BM of them.
template <class P, class T>
__device__ inline void sum_outputs(T *to, const T *y_grad, int outputs, int column0, int first, int end, T *space) {
    constexpr int PARTS = P::THREADS / P::BM;
    const int column = column0 + threadIdx.x % P::BM, part = threadIdx.x / P::BM;
    T sum = 0;
    if (column < outputs)
#pragma unroll 4
        for (int r = first + part; r < end; r += PARTS) sum += y_grad[(long long)r * outputs + column];
    __syncthreads(); // the space is that of tiles
    space[threadIdx.x] = sum;
    __syncthreads();
    if (part > 0 || column >= outputs) return;
    for (int p = 1; p < PARTS; p++) sum += space[p * P::BM + threadIdx.x];
    to[column] = sum;
}

// is_last reports whether this block is the last of splits to come here, and what the others wrote before is there.
__device__ inline bool is_last(int *turn, int splits) {
    __shared__ int last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        last = atomicAdd(turn, 1) == splits - 1;
        __threadfence();
    }
    __syncthreads();
    return last;
}

// add_splits adds up what the splits have of count elements from first on.
template <class T>
__device__ inline void add_splits(T *to, const T *partial, long long each, int splits, long long first, int count) {
    for (int i = threadIdx.x; i < count; i += blockDim.x) {
        T sum = (RACE_IS_INTENDED("others wrote it before they counted themselves") partial[first + i]);
#pragma unroll 4
        for (int s = 1; s < splits; s++)
            sum += (RACE_IS_INTENDED("others wrote it before they counted themselves") partial[s * each + first + i]);
        to[i] = sum;
    }
}

template <class P, bool WIDE, class T>
__device__ inline void linear_grad(T *x_grad, T *weight_grad, T *bias_grad, const T *y_grad, const T *x, const T *w,
                                   T *partial, int *turns, int n, int outputs, int d, int x_tiles, int splits,
                                   int split_rows, T *space) {
    const int across = (d + P::BN - 1) / P::BN;
    const int block = blockIdx.x;
    if (block < x_tiles) {
        gradient_tile<P, false, WIDE>(x_grad, y_grad, w, n, d, outputs, block / across * P::BM,
                                     block % across * P::BN, 0, outputs, space);
        return;
    }
    const int split = (block - x_tiles) % splits, tile = (block - x_tiles) / splits;
    const int of_weight = weight_grad ? across : 1, first = split * split_rows, end = min(n, first + split_rows);
    const int row0 = tile / of_weight * P::BM, column0 = tile % of_weight * P::BN;
    const long long weights = (long long)outputs * d, each = weights + outputs;
    T *own = partial + split * each;
    if (weight_grad)
        gradient_tile<P, true, WIDE>(splits > 1 ? own : weight_grad, y_grad, x, outputs, d, n, row0, column0, first,
                                     end, space);
    if (bias_grad && column0 == 0)
        sum_outputs<P>(splits > 1 ? own + weights : bias_grad, y_grad, outputs, row0, first, end, space);
    if (splits == 1 || !is_last(turns + tile, splits)) return;
    const int rows = min(P::BM, outputs - row0), columns = min(P::BN, d - column0);
    if (weight_grad)
        for (int r = row0; r < row0 + rows; r++) {
            const long long at = (long long)r * d + column0;
            add_splits(weight_grad + at, partial, each, splits, at, columns);
        }
    if (bias_grad && column0 == 0) add_splits(bias_grad + row0, partial, each, splits, weights + row0, rows);
}

#define LINEAR_GRAD(suffix, T, B, K, M)                                                                                \
    extern "C" __global__ void __launch_bounds__(Tile<T, B, B, K, M, M>::THREADS, 2)                                   \
    linear_grad_##suffix(T *__restrict__ x_grad, T *__restrict__ weight_grad, T *__restrict__ bias_grad,               \
                         const T *__restrict__ y_grad, const T *__restrict__ x, const T *__restrict__ w, T *partial,   \
                         int *turns, int n, int outputs, int d, int x_tiles, int splits, int split_rows) {             \
        typedef Tile<T, B, B, K, M, M> P;                                                                              \
        __shared__ __align__(16) T space[P::SPACE];                                                                    \
        if (aligned16(y_grad) && aligned16(x) && aligned16(w) && outputs % P::V == 0 && d % P::V == 0)                 \
            linear_grad<P, true>(x_grad, weight_grad, bias_grad, y_grad, x, w, partial, turns, n, outputs, d, x_tiles, \
                                 splits, split_rows, space);                                                           \
        else                                                                                                           \
            linear_grad<P, false>(x_grad, weight_grad, bias_grad, y_grad, x, w, partial, turns, n, outputs, d,         \
                                  x_tiles, splits, split_rows, space);                                                 \
    }
LINEAR_GRAD(f32, float, 64, 16, 4)
LINEAR_GRAD(f64, double, 32, 8, 2)
