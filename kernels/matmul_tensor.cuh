// Matrix product on tensor cores.
//
// The same product of float32 matrices with the factors rounded to TF32 or bfloat16; sums in float32.
//
// Floor: the larger of bytes / copy bandwidth and 2 m n k / peak of the tensor cores. Tiles of 128 x 128
// with 16 terms a stage; a warp computes 64 x 32 of them by mma.sync, m16n8k8 in TF32 and m16n8k16 in
// bfloat16. Factors are rounded once, on their way to shared memory, where a word holds one TF32 factor or
// two bfloat16 factors of consecutive terms. Word (w, row) lies in line w at row ^ 8 (w / 4 mod 4); lines are 136
// words, so that the reads of fragments (4 lines x 8 rows) and both ways of writing meet no bank twice.
// Prediction, not a measurement: mma.sync reaches about half of what wgmma could on compute capability 9.0.
#pragma once
#include "matmul.cuh"
#include "rounding.cuh"

constexpr int TENSOR_LINE = 136;

__device__ inline int tensor_word(int word, int row) { return word * TENSOR_LINE + (row ^ (word / 4 % 4 * 8)); }

template <int ROUND, bool WIDE, int ROWS, int BK, int LD, int THREADS, class Source>
__device__ inline void put_words(unsigned *shared, const AlongTerms<WIDE, float, ROWS, BK, LD, THREADS, Source> &a) {
    typedef AlongTerms<WIDE, float, ROWS, BK, LD, THREADS, Source> A;
#pragma unroll
    for (int i = 0; i < A::PER; i++)
#pragma unroll
        for (int v = 0; v < 4; v += ROUND == TO_TF32 ? 1 : 2) {
            if (ROUND == TO_TF32) shared[tensor_word(A::term_of(i) + v, A::row_of(i))] = tf32_bits(a.value[i][v]);
            else
                shared[tensor_word((A::term_of(i) + v) / 2, A::row_of(i))] =
                    bfloat16_pair(a.value[i][v], a.value[i][v + 1]);
        }
}

template <int ROUND, bool WIDE, int ROWS, int BK, int LD, int THREADS, int PAIR>
__device__ inline void put_words(unsigned *shared, const AlongRows<WIDE, float, ROWS, BK, LD, THREADS, PAIR> &a) {
    typedef AlongRows<WIDE, float, ROWS, BK, LD, THREADS, PAIR> A;
#pragma unroll
    for (int i = 0; i < A::PER; i++) {
        unsigned word[4];
#pragma unroll
        for (int v = 0; v < 4; v++) {
            if constexpr (ROUND == TO_TF32) word[v] = tf32_bits(a.value[i][0][v]);
            else word[v] = bfloat16_pair(a.value[i][0][v], a.value[i][1][v]);
        }
        uint4 *to = reinterpret_cast<uint4 *>(
            shared + tensor_word(ROUND == TO_TF32 ? A::term_of(i) : A::term_of(i) / 2, A::row_of(i)));
        *to = make_uint4(word[0], word[1], word[2], word[3]);
    }
}

// tensor_stage adds the products of the words of one stage to the 64 x 32 elements of a warp, of which a lane
// owns (16 i + g + 8 h, 8 j + 2 t + l) as sum[i][j][2 h + l], where g = lane / 4 and t = lane mod 4. g and t
// leave the bits alone in which lines are permuted, so that each read is a constant away from one address.
template <int ROUND>
__device__ inline void tensor_stage(float (&sum)[4][4][4], const unsigned *a, const unsigned *b, int row0,
                                    int column0) {
    constexpr int WORDS = ROUND == TO_TF32 ? 16 : 8;
    const int g = lane_index() / 4, t = lane_index() % 4;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    const unsigned *from_a = a + t * TENSOR_LINE + row0 + g, *from_b = b + t * TENSOR_LINE + column0 + g;
#pragma unroll
    for (int w = 0; w < WORDS; w += 8) {
        unsigned y[4][2];
#pragma unroll
        for (int j = 0; j < 4; j++)
#pragma unroll
            for (int h = 0; h < 2; h++) y[j][h] = from_b[tensor_word(w + h * 4, 8 * j)];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            unsigned x[4];
#pragma unroll
            for (int h = 0; h < 4; h++) x[h] = from_a[tensor_word(w + h / 2 * 4, 16 * i + h % 2 * 8)];
#pragma unroll
            for (int j = 0; j < 4; j++) {
                if constexpr (ROUND == TO_TF32)
                    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
                        "{%0,%1,%2,%3};"
                        : "+f"(sum[i][j][0]), "+f"(sum[i][j][1]), "+f"(sum[i][j][2]), "+f"(sum[i][j][3])
                        : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[j][0]), "r"(y[j][1]));
                else
                    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
                        "{%0,%1,%2,%3};"
                        : "+f"(sum[i][j][0]), "+f"(sum[i][j][1]), "+f"(sum[i][j][2]), "+f"(sum[i][j][3])
                        : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[j][0]), "r"(y[j][1]));
            }
        }
    }
#else
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            for (int e = 0; e < 4; e++)
                for (int w = 0; w < WORDS; w++) {
                    const unsigned x = a[tensor_word(w, row0 + 16 * i + g + e / 2 * 8)],
                                   y = b[tensor_word(w, column0 + 8 * j + 2 * t + e % 2)];
                    if (ROUND == TO_TF32) {
                        sum[i][j][e] += __int_as_float((int)x) * __int_as_float((int)y);
                    } else {
                        sum[i][j][e] += __int_as_float((int)(x << 16)) * __int_as_float((int)(y << 16));
                        sum[i][j][e] += __int_as_float((int)(x & 0xffff0000u)) * __int_as_float((int)(y & 0xffff0000u));
                    }
                }
#endif
}

constexpr int TENSOR_THREADS = 256, TENSOR_TILE = 128, TENSOR_TERMS = 16;

template <int ROUND, class L>
__device__ inline void matmul_tensor(float *c, const float *a, const float *b, int m, int n, int k, float alpha,
                                     float beta, unsigned *space) {
    constexpr int PAIR = ROUND == TO_TF32 ? 1 : 2, OPERAND = TENSOR_TERMS / PAIR * TENSOR_LINE;
    const int tiles_across = (n + TENSOR_TILE - 1) / TENSOR_TILE, stages = (k + TENSOR_TERMS - 1) / TENSOR_TERMS;
    const int tiles = (m + TENSOR_TILE - 1) / TENSOR_TILE * tiles_across;
    const int warp_row = warp_index() / 4 * 64, warp_column = warp_index() % 4 * 32;
    int half = 0;
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const int row0 = tile / tiles_across * TENSOR_TILE, column0 = tile % tiles_across * TENSOR_TILE;
        float sum[4][4][4] = {};
        auto of_a = bring<L::TRANS_A, L::WIDE, TENSOR_TILE, TENSOR_TERMS, TENSOR_LINE, TENSOR_THREADS, PAIR>(
            a, m, k, row0, 0, k);
        auto of_b = bring<!L::TRANS_B, L::WIDE, TENSOR_TILE, TENSOR_TERMS, TENSOR_LINE, TENSOR_THREADS, PAIR>(
            b, n, k, column0, 0, k);
        if (stages > 0) {
            of_a.fetch();
            of_b.fetch();
        }
        for (int s = 0; s < stages; s++) {
            unsigned *at_a = space + half * 2 * OPERAND, *at_b = at_a + OPERAND;
            put_words<ROUND>(at_a, of_a);
            put_words<ROUND>(at_b, of_b);
            __syncthreads();
            if (s + 1 < stages) {
                of_a.fetch();
                of_b.fetch();
            }
            tensor_stage<ROUND>(sum, at_a, at_b, warp_row, warp_column);
            half ^= 1;
        }
        const int g = lane_index() / 4, t = lane_index() % 4;
#pragma unroll
        for (int i = 0; i < 4; i++)
#pragma unroll
            for (int j = 0; j < 4; j++)
#pragma unroll
                for (int e = 0; e < 4; e++) {
                    const int row = tile / tiles_across * TENSOR_TILE + warp_row + 16 * i + g + e / 2 * 8;
                    const int column = column0 + warp_column + 8 * j + 2 * t + e % 2;
                    if (row < m && column < n) {
                        float *at = c + (long long)row * n + column;
                        *at = alpha * sum[i][j][e] + (beta != 0 ? beta * *at : 0.0f);
                    }
                }
    }
}

#define MATMUL_TENSOR(NAME, ROUND)                                                                                     \
    extern "C" __global__ void __launch_bounds__(TENSOR_THREADS, 2)                                                    \
    NAME(float *__restrict__ c, const float *__restrict__ a, const float *__restrict__ b, int m, int n, int k,         \
         int trans_a, int trans_b, float alpha, float beta) {                                                          \
        __shared__ __align__(16) unsigned space[4 * TENSOR_TERMS / (ROUND == TO_TF32 ? 1 : 2) * TENSOR_LINE];          \
        by_layout(a, b, m, n, k, trans_a, trans_b,                                                                     \
                  [&](auto layout) { matmul_tensor<ROUND, decltype(layout)>(c, a, b, m, n, k, alpha, beta, space); }); \
    }
MATMUL_TENSOR(matmul_tf32_f32, TO_TF32)
MATMUL_TENSOR(matmul_bfloat16_f32, TO_BFLOAT16)
