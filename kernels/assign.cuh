// Nearest anchor.
//
//   index_i = argmax_f sum_j <x_ij, z_jf>, best_i = the maximum; the first of equal maxima wins
//   With columns 2 best is n x 2: the maximum and the largest of the others, minus infinity where there are none.
//
// Point i consists of the rows list[i p .. i p + p] of the table (rows x d), or of row i where list is null
// and p = 1. Anchors z are p x q x d. best may be null. The n x q similarities are never stored.
//
// Bytes      s (n p d + p q d) + 4 n p + (4 + s columns) n
// Operations 2 n q p d
// Floor      operations / fp32 peak (300 000 points of p d = 96 and 1024 anchors: 59 GFLOP).
// A block keeps a tile of points and walks over all anchors, tile by tile, as a matrix product does; the
// stages of terms run through the positions j without a break. After each tile of anchors a thread folds its
// elements into the two best of each of its rows, which lie in shared memory, each seen by one thread alone: two
// comparisons for each p d multiply-adds. At the end the candidates of a row are compared.
// Prediction, not a measurement: 65 to 80% of the fp32 peak where p d >= 64 and q is a multiple of 128; half
// of that at p d = 16.
#pragma once
#include "tiles.cuh"

template <class P, bool WIDE, class T>
__device__ inline void assign(int *index, T *best, const T *table, const int *list, const T *z, int n, int p, int q,
                              int d, int columns, T *space, T *value, T *other, int *anchor) {
    const int stages = p * ((d + P::BK - 1) / P::BK);
    int half = 0;
    for (long long first = (long long)blockIdx.x * P::BM; first < n; first += (long long)gridDim.x * P::BM) {
        const int point0 = (int)first;
#pragma unroll
        for (int i = 0; i < P::TM; i++) {
            value[i * P::THREADS + threadIdx.x] = other[i * P::THREADS + threadIdx.x] = -infinity<T>();
            anchor[i * P::THREADS + threadIdx.x] = infinity<int>();
        }
        for (int anchor0 = 0; anchor0 < q; anchor0 += P::BN) {
            AlongTerms<WIDE, T, P::BM, P::BK, P::LDA, P::THREADS, PointRows<T>> x({table, list, n, p, d}, point0, 0, d);
            AlongTerms<WIDE, T, P::BN, P::BK, P::LDB, P::THREADS, AnchorRows<T>> y({z, q, d}, anchor0, 0, d);
            T sum[P::TM][P::TN] = {};
            multiply_tile<P>(sum, x, y, stages, space, half);
#pragma unroll
            for (int i = 0; i < P::TM; i++) {
                const int slot = i * P::THREADS + threadIdx.x;
                T v = value[slot], u = other[slot];
                int f = anchor[slot];
#pragma unroll
                for (int j = 0; j < P::TN; j++) {
                    const int column = anchor0 + P::column() + P::beside(j);
                    if (column >= q) continue;
                    if (sum[i][j] > v) u = v, v = sum[i][j], f = column;
                    else if (sum[i][j] > u) u = sum[i][j];
                }
                value[slot] = v;
                other[slot] = u;
                anchor[slot] = f;
            }
        }
        __syncthreads();
        for (int r = threadIdx.x; r < P::BM && point0 + r < n; r += P::THREADS) {
            const int down = r % (P::DOWN * P::V) / P::V, i = r / (P::DOWN * P::V) * P::V + r % P::V;
            T v = -infinity<T>(), u = v;
            int f = infinity<int>();
            for (int across = 0; across < P::ACROSS; across++) {
                const int slot = i * P::THREADS + P::thread_at(down, across);
                if (value[slot] > v || (value[slot] == v && anchor[slot] < f)) {
                    u = v > other[slot] ? v : other[slot];
                    v = value[slot];
                    f = anchor[slot];
                } else if (value[slot] > u) {
                    u = value[slot];
                }
            }
            index[point0 + r] = f < q ? f : 0; // nothing is larger than minus infinity or NaN
            if (columns > 0) best[static_cast<long long>(point0 + r) * columns] = v;
            if (columns > 1) best[static_cast<long long>(point0 + r) * columns + 1] = u;
        }
        __syncthreads();
    }
}

#define ASSIGN(NAME, T, BM, BN, BK, TM, TN)                                                                            \
    extern "C" __global__ void __launch_bounds__(Tile<T, BM, BN, BK, TM, TN>::THREADS, 2)                              \
    NAME(int *__restrict__ index, T *__restrict__ best, const T *__restrict__ table, const int *__restrict__ list,     \
         const T *__restrict__ z, int n, int p, int q, int d, int columns) {                                           \
        typedef Tile<T, BM, BN, BK, TM, TN> P;                                                                         \
        __shared__ __align__(16) T space[P::SPACE];                                                                    \
        __shared__ T value[P::OWN_ROWS], other[P::OWN_ROWS];                                                           \
        __shared__ int anchor[P::OWN_ROWS];                                                                            \
        if (aligned16(table) && aligned16(z) && d % P::V == 0)                                                         \
            assign<P, true>(index, best, table, list, z, n, p, q, d, columns, space, value, other, anchor);            \
        else                                                                                                           \
            assign<P, false>(index, best, table, list, z, n, p, q, d, columns, space, value, other, anchor);           \
    }
ASSIGN(assign_f32, float, 128, 128, 8, 8, 8)
ASSIGN(assign_f64, double, 64, 64, 8, 4, 4)
