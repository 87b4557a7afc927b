// spectral_rule: f, the roots and the eigenvalues that divided differences are made of.
//
// delta = (30 + 2n) 2^-53 max|e| is what an eigenvalue is known up to; one within delta of zero counts as
// delta in a slope of rules 0 and 1. roots and clamped may be null, and status, for eigenvalues of an earlier call.
// Bytes: at most 32 n. Floor: the latency of a launch.
#pragma once
#include "spectral.cuh"

// regularised_root is 1/f at an eigenvalue. Where it is zero there is no inverse square root.
__device__ inline double regularised_root(double e, double eps, int rule) {
    const double positive = Maximum::combine(e, 0.0);
    return rule == 1 ? sqrt(positive + eps) : sqrt(positive) + eps;
}

extern "C" __global__ void __launch_bounds__(SPECTRAL_THREADS)
spectral_rule_f64(double *f, double *roots, double *clamped, int *status, double *values, int n, int matrices,
                  double eps, int rule) {
    const double nan = infinity<double>() - infinity<double>();
    for (int m = blockIdx.x; m < matrices; m += gridDim.x) {
        const long long first = static_cast<long long>(m) * n;
        if (status && status[m]) {
            for (int i = threadIdx.x; i < n; i += blockDim.x) f[first + i] = values[first + i] = nan;
            continue;
        }
        double largest = 0;
        for (int i = threadIdx.x; i < n; i += blockDim.x) largest = fmax(largest, fabs(values[first + i]));
        largest = block_max(largest);
        const double delta = fmax((30 + 2 * n) * 0x1p-53 * largest, 0x1p-1022);
        bool singular = false;
        for (int i = threadIdx.x; i < n; i += blockDim.x) {
            double e = values[first + i];
            const double root = regularised_root(e, eps, rule);
            f[first + i] = root > 0 ? 1 / root : nan;
            singular = singular || root == 0;
            if (!roots) continue;
            if (rule == 2) {
                clamped[first + i] = 0;
                roots[first + i] = root;
                continue;
            }
            if (e >= -delta) e = fmax(e, delta);
            clamped[first + i] = e;
            roots[first + i] = rule == 1 ? sqrt(Maximum::combine(e, 0.0) + eps) : sqrt(Maximum::combine(e, 0.0));
        }
        singular = __syncthreads_or(singular);
        if (status && singular && threadIdx.x == 0) status[m] = 2;
    }
}

// spectral_symmetrize computes (G + G')/2. Bytes: 16 n^2 (and G' by columns). Floor: memory.
extern "C" __global__ void __launch_bounds__(SPECTRAL_THREADS)
spectral_symmetrize_f64(double *to, const double *g, int n, int matrices) {
    const long long elements = static_cast<long long>(n) * n;
    for (long long at = global_thread(); at < elements * matrices; at += global_threads()) {
        const long long first = at / elements * elements, i = (at - first) / n, j = (at - first) % n;
        to[at] = (g[at] + g[first + j * n + i]) / 2;
    }
}
