// Matrix product.
//
//   C = alpha op(A) op(B) + beta C        C m x n, op(A) m x k, op(B) k x n; op is a transposition or none
//
// Bytes      s (m k + k n + m n) with s bytes for an element, and 3 s m n more where beta is not 0
// Operations 2 m n k
// Floor      the larger of bytes / copy bandwidth and operations / peak of the fp32 (fp64) units.
// A tile of 128 x 128 in fp32 takes 8 bytes from the second-level cache for 256 multiply-adds, so that the
// multiply-adds bound large products; 64 of them for 4 wide reads of shared memory keep both units busy.
// Prediction, not a measurement: 70 to 85% of the fp32 peak from m = n = 2048 on.
//
// The ladder: matmul_short, an element a thread, everything from the cache, for 8 terms or fewer; then tiles through
// shared memory in four shapes: 128 x 128 for large products, 64 x 64 where those would leave multiprocessors
// idle, 128 x 32 and 32 x 128 for thin ones. Where even small tiles are few and k is large, the terms are split over
// gridDim.y blocks, whose sums matmul_combine adds in the order of the terms. It also adds beta C to a product: with
// registers for old elements the tile kernels would spill.
#pragma once
#include "tiles.cuh"
#include "matmul_elements.cuh"

// Layout is how the operands of a product lie in memory; WIDE says that both consist of whole aligned pieces
// of 16 bytes. Each layout has its own code, which by_layout chooses.
template <bool A, bool B, bool W> struct Layout {
    static constexpr bool TRANS_A = A, TRANS_B = B, WIDE = W;
};
template <bool WIDE, class Body> __device__ inline void by_transposition(int trans_a, int trans_b, Body body) {
    if (trans_a && trans_b) body(Layout<true, true, WIDE>());
    else if (trans_a) body(Layout<true, false, WIDE>());
    else if (trans_b) body(Layout<false, true, WIDE>());
    else body(Layout<false, false, WIDE>());
}
template <class T, class Body>
__device__ inline void by_layout(const T *a, const T *b, int m, int n, int k, int trans_a, int trans_b, Body body) {
    constexpr int V = 16 / sizeof(T);
    if (aligned16(a) && aligned16(b) && (trans_a ? m : k) % V == 0 && (trans_b ? k : n) % V == 0)
        by_transposition<true>(trans_a, trans_b, body);
    else by_transposition<false>(trans_a, trans_b, body);
}

// What brings the terms first..end of rows row0.. of an operand, whose rows lie along memory where ALONG.
template <bool ALONG, bool WIDE, int ROWS, int BK, int LD, int THREADS, int PAIR, class T>
__device__ inline auto bring(const T *operand, int rows, int terms, int row0, int first, int end) {
    if constexpr (ALONG) return AlongRows<WIDE, T, ROWS, BK, LD, THREADS, PAIR>(operand, rows, row0, first, end);
    else return AlongTerms<WIDE, T, ROWS, BK, LD, THREADS, MatrixRows<T>>({operand, rows, terms}, row0, first, end);
}

// matmul_tiles computes alpha op(A) op(B), or the sums of the splits of split_terms terms (a multiple of BK) into
// gridDim.y matrices of m x n one after the other.
template <class P, class L, class T>
__device__ inline void matmul_tiles(T *c, const T *a, const T *b, int m, int n, int k, T alpha, int split_terms,
                                    T *space) {
    constexpr int V = P::V;
    const int first = blockIdx.y * split_terms, end = min(k, first + split_terms);
    const int stages = end > first ? (end - first + P::BK - 1) / P::BK : 0;
    T *to = c + (long long)blockIdx.y * m * n;
    const bool wide_c = aligned16(to) && n % V == 0;
    const int tiles_across = (n + P::BN - 1) / P::BN;
    const int tiles = (m + P::BM - 1) / P::BM * tiles_across; // memory ends long before an int does
    int half = 0;
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const int row0 = tile / tiles_across * P::BM, column0 = tile % tiles_across * P::BN;
        T sum[P::TM][P::TN] = {};
        auto of_a = bring<L::TRANS_A, L::WIDE, P::BM, P::BK, P::LDA, P::THREADS, 1>(a, m, k, row0, first, end);
        auto of_b = bring<!L::TRANS_B, L::WIDE, P::BN, P::BK, P::LDB, P::THREADS, 1>(b, n, k, column0, first, end);
        multiply_tile<P>(sum, of_a, of_b, stages, space, half);
#pragma unroll
        for (int i = 0; i < P::TM; i++)
#pragma unroll
            for (int j = 0; j < P::TN; j += V) {
                const int row = row0 + P::row() + P::below(i), column = column0 + P::column() + P::beside(j);
                T result[V];
#pragma unroll
                for (int v = 0; v < V; v++) result[v] = alpha * sum[i][j + v];
                store_some(to + (long long)row * n + column, result, row < m ? n - column : 0, wide_c);
            }
    }
}

#define MATMUL_TILES(NAME, T, BM, BN, BK, TM, TN, BLOCKS)                                                              \
    extern "C" __global__ void __launch_bounds__(Tile<T, BM, BN, BK, TM, TN>::THREADS, BLOCKS)                         \
    NAME(T *__restrict__ c, const T *__restrict__ a, const T *__restrict__ b, int m, int n, int k, int trans_a,        \
         int trans_b, T alpha, int split_terms) {                                                                      \
        typedef Tile<T, BM, BN, BK, TM, TN> P;                                                                         \
        __shared__ __align__(16) T space[P::SPACE];                                                                    \
        by_layout(a, b, m, n, k, trans_a, trans_b, [&](auto layout) {                                                  \
            matmul_tiles<P, decltype(layout)>(c, a, b, m, n, k, alpha, split_terms, space);                            \
        });                                                                                                            \
    }

MATMUL_TILES(matmul_f32, float, 128, 128, 8, 8, 8, 2)
MATMUL_TILES(matmul_f64, double, 64, 64, 8, 4, 4, 2)
MATMUL_TILES(matmul_medium_f32, float, 64, 64, 16, 4, 4, 3)
MATMUL_TILES(matmul_medium_f64, double, 32, 32, 8, 2, 2, 3)
MATMUL_TILES(matmul_tall_f32, float, 128, 32, 16, 4, 4, 2)
MATMUL_TILES(matmul_tall_f64, double, 64, 16, 8, 2, 2, 2)
MATMUL_TILES(matmul_wide_f32, float, 32, 128, 16, 4, 4, 2)
MATMUL_TILES(matmul_wide_f64, double, 16, 64, 8, 2, 2, 2)

// matmul_combine adds the partial sums of the splits in their order: C = alpha (sum of the splits) + beta C.
template <class T>
__device__ inline void matmul_combine(T *c, const T *partial, long long elements, int splits, T alpha, T beta) {
    for (long long i = global_thread(); i < elements; i += global_threads()) {
        T sum = partial[i];
        for (int s = 1; s < splits; s++) sum += partial[s * elements + i];
        sum *= alpha;
        if (beta != T(0)) sum += beta * c[i];
        c[i] = sum;
    }
}
extern "C" __global__ void matmul_combine_f32(float *__restrict__ c, const float *__restrict__ partial,
                                              long long elements, int splits, float alpha, float beta) {
    matmul_combine(c, partial, elements, splits, alpha, beta);
}
extern "C" __global__ void matmul_combine_f64(double *__restrict__ c, const double *__restrict__ partial,
                                              long long elements, int splits, double alpha, double beta) {
    matmul_combine(c, partial, elements, splits, alpha, beta);
}

MATMUL_ELEMENTS(matmul_short_f32, float, EXACT)
MATMUL_ELEMENTS(matmul_short_f64, double, EXACT)
