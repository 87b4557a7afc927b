// The plain ancestors of spectral_small and spectral_large: a launch for every step.
//
// spectral_norms has the absolute sum of every row, spectral_start the scaled and shifted matrices w, their scales and
// the status of each. spectral_plain makes the columns orthogonal: one block for each matrix of any order, one warp for
// each pair of columns, one-sided Jacobi on w in global memory with one rotation after the other: 6 n multiply-adds and
// 6 * 8 n bytes for each of n^2/2 pairs of a sweep, through one multiprocessor. spectral_values makes the rows of w
// unit vectors and their lengths eigenvalues. spectral_rule and spectral_product_plain follow.
#pragma once
#include "../spectral.cuh"

extern "C" __global__ void __launch_bounds__(SPECTRAL_THREADS)
spectral_norms_plain_f64(double *norms, const double *k, int n, int matrices) {
    const long long rows = static_cast<long long>(matrices) * n;
    for (long long row = global_thread() / WARP; row < rows; row += global_threads() / WARP) {
        const double norm = row_norm(k + row / n * n * n, n, static_cast<int>(row % n));
        if (lane_index() == 0) norms[row] = norm;
    }
}

extern "C" __global__ void __launch_bounds__(SPECTRAL_THREADS)
spectral_start_plain_f64(double *w, double *scales, int *status, const double *k, const double *norms, int n,
                         int matrices) {
    for (int m = blockIdx.x; m < matrices; m += gridDim.x) {
        const long long first = static_cast<long long>(m) * n * n;
        double norm = 0;
        for (int i = threadIdx.x; i < n; i += blockDim.x)
            norm = Maximum::combine(norm, norms[static_cast<long long>(m) * n + i]);
        const double scale = scale_of(block_max(norm));
        if (threadIdx.x == 0) {
            scales[m] = scale;
            status[m] = scale == scale ? 0 : 1;
        }
        for (int at = threadIdx.x; at < n * n; at += blockDim.x)
            w[first + at] = scale * lower(k + first, n, at / n, at % n) + (at / n == at % n ? SHIFT : 0.0);
    }
}

extern "C" __global__ void __launch_bounds__(SPECTRAL_THREADS)
spectral_plain_f64(double *w, int *angles, const int *status, int n, int matrices) {
    __shared__ int largest;
    const double enough = orthogonal_enough(n);
    const int even = n + n % 2;
    for (int m = blockIdx.x; m < matrices; m += gridDim.x) {
        if (status[m]) continue;
        double *matrix = w + static_cast<long long>(m) * n * n;
        for (int sweep = 0; sweep < SWEEPS; sweep++) {
            __syncthreads();
            if (threadIdx.x == 0) largest = 0;
            __syncthreads();
            for (int round = 0; round < even - 1; round++) {
                for (int t = warp_index(); t < even / 2; t += block_warps()) {
                    const Meeting of = meeting(t, round, even);
                    if (of.q >= n) continue;
                    double *p = matrix + static_cast<long long>(of.p) * n,
                           *q = matrix + static_cast<long long>(of.q) * n;
                    double pp = 0, pq = 0, qq = 0;
                    for (int i = lane_index(); i < n; i += WARP) {
                        pp = fma(p[i], p[i], pp);
                        pq = fma(p[i], q[i], pq);
                        qq = fma(q[i], q[i], qq);
                    }
                    pp = warp_sum(pp);
                    pq = warp_sum(pq);
                    qq = warp_sum(qq);
                    const double cosine = fabs(pq) / (sqrt(pp) * sqrt(qq));
                    if (lane_index() == 0) atomicMax(&largest, __float_as_int(static_cast<float>(cosine)));
                    if (cosine <= enough) continue;
                    double c, s;
                    rotation(pp, pq, qq, c, s);
                    for (int i = lane_index(); i < n; i += WARP) {
                        const double x = p[i], y = q[i];
                        p[i] = c * x - s * y;
                        q[i] = s * x + c * y;
                    }
                }
                __syncthreads();
            }
            if (__int_as_float(largest) <= static_cast<float>(enough)) break;
        }
        if (threadIdx.x == 0) angles[m * SWEEPS + SWEEPS - 1] = largest;
        __syncthreads();
    }
}

extern "C" __global__ void __launch_bounds__(SPECTRAL_THREADS)
spectral_values_plain_f64(double *w, double *values, int *status, const int *angles, const double *scales, int n,
                          int matrices) {
    const long long rows = static_cast<long long>(matrices) * n;
    for (long long row = global_thread() / WARP; row < rows; row += global_threads() / WARP) {
        const int m = static_cast<int>(row / n);
        double *vector = w + row * n, sum = 0;
        for (int i = lane_index(); i < n; i += WARP) sum = fma(vector[i], vector[i], sum);
        const double length = sqrt(warp_sum(sum));
        for (int i = lane_index(); i < n; i += WARP) vector[i] /= length;
        if (lane_index() == 0) {
            values[row] = (length - SHIFT) / scales[m];
            if (row % n == 0 && status[m] == 0 &&
                __int_as_float(angles[m * SWEEPS + SWEEPS - 1]) > static_cast<float>(orthogonal_enough(n)))
                status[m] = 3;
        }
    }
}
