// The gradient of kernel matrices of anchors.
//
//   zg_i = plus_i + sum_{j >= i} scale_j (K_j o G_j + (K_j o G_j)') z_i       z, zg, plus p x q x d, K and G J x q x q
//
// K and G are in float64 whatever the type of z, and so are the sums. scale_j and J are those of gram; plus null:
// zeros.
//
// Bytes      s p q d (2 + [plus]) + 16 J q q, and for a position again those of its longer lengths
// Operations 2 p q q d in fp64, and 2 q q for each position and length
// Floor      operations / fp64 peak for all but the smallest d.
// A block computes 32 x 32 elements of one position, 4 a thread, from strips of 32 anchors in shared memory. The
// weights of a strip are made where they are used, first K o G and then, read along its rows too, the mirror image.
// Prediction, not a measurement: for the few dozen anchors that are trained the latency of two passes over a strip.
#pragma once
#include "threads.cuh"

constexpr int GRAM_TILE = 32;

// WeightsOf are what the gradient of position i is weighted by, before the mirror image is added.
struct WeightsOf {
    const double *k, *g;
    int p, q, i, sum_exponent, all_lengths;
    double alpha;
    // at leaves those of R elements, whose rows are a step apart, and those where row and column are the other way
    // round; what is not there is zero. The lengths are the outer loop, so that the loads of one wait at the same time.
    template <int R, int STEP>
    __device__ void at(double (&here)[R], double (&mirrored)[R], int row, int column, int other_row,
                       int other_column) const {
        long long place[R], other[R];
#pragma unroll
        for (int e = 0; e < R; e++) {
            place[e] = (long long)min(row + STEP * e, q - 1) * q + min(column, q - 1);
            other[e] = (long long)min(other_row + STEP * e, q - 1) * q + min(other_column, q - 1);
            here[e] = mirrored[e] = 0;
        }
        for (int j = all_lengths ? i : p - 1; j < p; j++) {
            const double scale = sum_exponent ? alpha : alpha / (j + 1);
            const double *kj = k + (all_lengths ? (long long)j * q * q : 0),
                         *gj = g + (all_lengths ? (long long)j * q * q : 0);
            double of_k[2 * R], of_g[2 * R];
#pragma unroll
            for (int e = 0; e < R; e++) {
                of_k[e] = kj[place[e]], of_g[e] = gj[place[e]];
                of_k[R + e] = kj[other[e]], of_g[R + e] = gj[other[e]];
            }
#pragma unroll
            for (int e = 0; e < R; e++) {
                here[e] = fma(scale * of_k[e], of_g[e], here[e]);
                mirrored[e] = fma(scale * of_k[R + e], of_g[R + e], mirrored[e]);
            }
        }
#pragma unroll
        for (int e = 0; e < R; e++) {
            if (row + STEP * e >= q || column >= q) here[e] = 0;
            if (other_row + STEP * e >= q || other_column >= q) mirrored[e] = 0;
        }
    }
};

template <class T>
__device__ inline void gram_grad(T *z_grad, const T *plus, const T *z, const double *k_grad, const double *k, int p,
                                 int q, int d, double alpha, int sum_exponent, int all_lengths,
                                 double (*weights)[GRAM_TILE + 1], double (*rows)[GRAM_TILE + 1]) {
    constexpr int R = 4, STEP = GRAM_TILE / R; // elements of a thread, and how far apart they are
    const int tx = threadIdx.x % GRAM_TILE, ty = threadIdx.x / GRAM_TILE;
    const int down = (q + GRAM_TILE - 1) / GRAM_TILE, across = (d + GRAM_TILE - 1) / GRAM_TILE;
    for (long long tile = blockIdx.x; tile < (long long)p * down * across; tile += gridDim.x) {
        const int i = (int)(tile / (down * across)), f0 = (int)(tile / across % down) * GRAM_TILE,
                  c0 = (int)(tile % across) * GRAM_TILE;
        const WeightsOf of = {k, k_grad, p, q, i, sum_exponent, all_lengths, alpha};
        const long long first = (long long)i * q * d;
        double sum[R] = {};
        for (int g0 = 0; g0 < q; g0 += GRAM_TILE) {
            double here[R], mirrored[R];
            of.at<R, STEP>(here, mirrored, f0 + ty, g0 + tx, g0 + ty, f0 + tx);
            __syncthreads();
#pragma unroll
            for (int e = 0; e < R; e++) {
                const int row = ty + STEP * e;
                weights[row][tx] = here[e];
                rows[row][tx] =
                    g0 + row < q && c0 + tx < d ? (double)z[first + (long long)(g0 + row) * d + c0 + tx] : 0.0;
            }
            __syncthreads();
#pragma unroll
            for (int e = 0; e < R; e++) weights[tx][ty + STEP * e] += mirrored[e];
            __syncthreads();
#pragma unroll
            for (int g = 0; g < GRAM_TILE; g++)
#pragma unroll
                for (int e = 0; e < R; e++) sum[e] = fma(weights[ty + STEP * e][g], rows[g][tx], sum[e]);
        }
#pragma unroll
        for (int e = 0; e < R; e++) {
            if (f0 + ty + STEP * e >= q || c0 + tx >= d) continue;
            const long long at = first + (long long)(f0 + ty + STEP * e) * d + c0 + tx;
            z_grad[at] = plus ? plus[at] + (T)sum[e] : (T)sum[e];
        }
    }
}

#define GRAM_GRAD(NAME, T)                                                                                             \
    extern "C" __global__ void __launch_bounds__(256)                                                                  \
    NAME(T *__restrict__ z_grad, const T *__restrict__ plus, const T *__restrict__ z,                                  \
         const double *__restrict__ k_grad, const double *__restrict__ k, int p, int q, int d, double alpha,           \
         int sum_exponent, int all_lengths) {                                                                          \
        __shared__ double weights[GRAM_TILE][GRAM_TILE + 1], rows[GRAM_TILE][GRAM_TILE + 1];                           \
        gram_grad(z_grad, plus, z, k_grad, k, p, q, d, alpha, sum_exponent, all_lengths, weights, rows);               \
    }
GRAM_GRAD(gram_grad_f32, float)
GRAM_GRAD(gram_grad_f64, double)
