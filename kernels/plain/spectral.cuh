// spectral_plain: the plain ancestor of spectral_small and spectral_round.
//
// One block for each matrix of any order, one warp for each pair of columns, one-sided Jacobi on w in global
// memory with one rotation after the other: 6 n multiply-adds and 6 * 8 n bytes for each of n^2/2 pairs of a
// sweep, through one multiprocessor.
#pragma once
#include "../spectral.cuh"

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
