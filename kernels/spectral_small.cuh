// spectral_small: inverse square roots of matrices of order 32 and less, all of it in one block for each.
//
// values and vectors are null where nobody keeps them, status where nobody asks. r may be k.
// Bytes: 16 n^2, and 8 n^2 + 8 n for a spectrum; operations: 6 n^3 multiply-adds a sweep, 5 to 9 sweeps. Floor: the
// latency of 31 rounds a sweep, each a barrier and the chain of an angle, for any number of matrices up to that of
// blocks on the device. Orders up to 8 take 7 rounds a sweep, those up to 16 take 15.
#pragma once
#include "spectral_rotations.cuh"
#include "spectral_rule.cuh"

extern "C" __global__ void __launch_bounds__(SPECTRAL_THREADS)
spectral_small_f64(double *r, double *values, double *vectors, int *status, const double *k, int n, int matrices,
                   double eps, int rule) {
    __shared__ __align__(16) double g[PAIR * PAIR_STRIDE], spare[PAIR * PAIR_STRIDE], q[PAIR * PAIR_STRIDE];
    __shared__ double f[PAIR], diagonal[PAIR];
    __shared__ int rank[PAIR];
    const int order = n <= 8 ? 8 : n <= 16 ? 16 : PAIR; // that it is turned in, with zeros
    for (int m = blockIdx.x; m < matrices; m += gridDim.x) {
        const long long first = static_cast<long long>(m) * n * n;
        const double *matrix = k + first;
        double norm = 0;
        for (int i = warp_index(); i < n; i += SPECTRAL_THREADS / WARP)
            norm = Maximum::combine(norm, row_norm(matrix, n, i));
        const double scale = scale_of(block_max(norm));
        for (int at = threadIdx.x; at < order * order; at += SPECTRAL_THREADS) {
            const int i = at / order, j = at % order;
            g[i * PAIR_STRIDE + j] = i < n && j < n ? scale * lower(matrix, n, i, j) : 0.0;
        }
        __syncthreads();
        if (n <= 8) diagonalize<8>(g, spare, q, diagonal, rank, SWEEPS);
        else if (n <= 16) diagonalize<16>(g, spare, q, diagonal, rank, SWEEPS);
        else diagonalize<PAIR>(g, spare, q, diagonal, rank, SWEEPS);

        bool singular = false;
        if (threadIdx.x < n) {
            const double e = diagonal[threadIdx.x] / scale, root = regularised_root(e, eps, rule);
            f[threadIdx.x] = root > 0 ? 1 / root : infinity<double>() - infinity<double>();
            if (values) values[static_cast<long long>(m) * n + threadIdx.x] = e;
            singular = root == 0;
        }
        const int code = __syncthreads_or(singular) ? 2 : scale == scale ? 0 : 1;
        if (status && threadIdx.x == 0) status[m] = code;
        for (int at = threadIdx.x; at < n * n; at += SPECTRAL_THREADS) {
            const int i = at / n, j = at % n;
            if (vectors) vectors[first + at] = q[i * PAIR_STRIDE + j];
            if ((status && code) || j > i) continue;
            double sum = 0;
            for (int v = 0; v < n; v++)
                sum = fma(q[v * PAIR_STRIDE + i] * f[v], q[v * PAIR_STRIDE + j], sum);
            r[first + at] = r[first + static_cast<long long>(j) * n + i] = sum;
        }
        __syncthreads();
    }
}
