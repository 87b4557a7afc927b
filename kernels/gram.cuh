// Kernel matrices of anchors.
//
//   out_j[f, g] = exp(scale_j sum_{i <= j} <z_i[f], z_i[g]> + shift_j)        z p x q x d, out J x q x q
//
// out and all arithmetic are in float64 whatever the type of z. scale_j = alpha / j and shift_j = -alpha, or
// alpha and -alpha j with sum_exponent; J is p with all_lengths, else 1 for j = p.
//
// Bytes      s p q d + 8 J q q
// Operations p q (q + 1) d in fp64 and J q (q + 1) / 2 exponentials: the matrices are symmetric
// Floor      operations / fp64 peak for all but the smallest d.
// A block computes a tile of 16 R x 16 R elements on or below the diagonal, R x R a thread, and writes it to
// its place and, transposed, to its mirror image; R consecutive rows of a thread make whole sectors there.
// Prediction, not a measurement: half of the fp64 peak without tensor cores at q = 1024.
#pragma once
#include "threads.cuh"

template <int R, class T>
__device__ inline void gram(double *out, const T *z, int p, int q, int d, double alpha, int sum_exponent,
                            int all_lengths, double *space) {
    constexpr int SIDE = 16 * R, BK = 16, LINE = SIDE + 2;
    double *of_f = space, *of_g = space + BK * LINE;
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    const int side = (q + SIDE - 1) / SIDE;
    for (long long tile = blockIdx.x; tile < (long long)side * (side + 1) / 2; tile += gridDim.x) {
        int across = (int)tile, down = 0;
        while (across > down) across -= ++down;
        const int f0 = down * SIDE, g0 = across * SIDE;
        double sum[R][R] = {};
        for (int i = 0; i < p; i++) {
            const T *zi = z + (long long)i * q * d;
            for (int k0 = 0; k0 < d; k0 += BK) {
                __syncthreads();
#pragma unroll
                for (int e = 0; e < R; e++) {
                    const int row = ty + 16 * e, k = k0 + tx;
                    of_f[tx * LINE + row] = f0 + row < q && k < d ? (double)zi[(long long)(f0 + row) * d + k] : 0.0;
                    of_g[tx * LINE + row] = g0 + row < q && k < d ? (double)zi[(long long)(g0 + row) * d + k] : 0.0;
                }
                __syncthreads();
#pragma unroll
                for (int k = 0; k < BK; k++) {
                    double x[R], y[R];
#pragma unroll
                    for (int e = 0; e < R; e++) x[e] = of_f[k * LINE + ty * R + e], y[e] = of_g[k * LINE + tx + 16 * e];
#pragma unroll
                    for (int u = 0; u < R; u++)
#pragma unroll
                        for (int v = 0; v < R; v++) sum[u][v] = fma(x[u], y[v], sum[u][v]);
                }
            }
            if (!all_lengths && i < p - 1) continue;
            const double scale = sum_exponent ? alpha : alpha / (i + 1),
                         shift = sum_exponent ? -alpha * (i + 1) : -alpha;
            double *to = out + (all_lengths ? (long long)i * q * q : 0);
#pragma unroll
            for (int v = 0; v < R; v++) {
                const int g = g0 + tx + 16 * v;
                double value[R];
#pragma unroll
                for (int u = 0; u < R; u++) {
                    const int f = f0 + ty * R + u;
                    value[u] = exp(fma(scale, sum[u][v], shift));
                    if (f < q && g < q) to[(long long)f * q + g] = value[u];
                }
                if (down == across) continue;
#pragma unroll
                for (int u = 0; u < R; u++)
                    if (f0 + ty * R + u < q) to[(long long)g * q + f0 + ty * R + u] = value[u];
            }
        }
    }
}

#define GRAM(NAME, T, R)                                                                                               \
    extern "C" __global__ void __launch_bounds__(256)                                                                  \
    NAME(double *__restrict__ out, const T *__restrict__ z, int p, int q, int d, double alpha, int sum_exponent,       \
         int all_lengths) {                                                                                            \
        __shared__ __align__(16) double space[2 * 16 * (16 * R + 2)];                                                  \
        gram<R>(out, z, p, q, d, alpha, sum_exponent, all_lengths, space);                                             \
    }
GRAM(gram_f32, float, 4)
GRAM(gram_f64, double, 4)
GRAM(gram_small_f32, float, 2)
GRAM(gram_small_f64, double, 2)
