// Products of spectra: a thread for each element of C.
#pragma once
#include "../slopes.cuh"

extern "C" __global__ void __launch_bounds__(SPECTRAL_THREADS)
spectral_product_plain_f64(double *c, const double *a, const double *b, const int *status, int trans_a, int trans_b,
                           int n, int matrices, const double *scale, const double *factors, const double *roots,
                           const double *clamped, int mirror) {
    const Slopes slopes = {factors, roots, clamped};
    const long long elements = static_cast<long long>(n) * n;
    for (long long at = global_thread(); at < elements * matrices; at += global_threads()) {
        const int m = static_cast<int>(at / elements), i = static_cast<int>(at % elements / n),
                  j = static_cast<int>(at % n);
        if (status && status[m]) continue;
        const double *left = a + m * elements, *right = b + m * elements;
        double sum = 0;
        for (long long k = 0; k < n; k++) {
            const double l = trans_a ? left[k * n + i] : left[i * static_cast<long long>(n) + k];
            const double r = trans_b ? right[j * static_cast<long long>(n) + k] : right[k * n + j];
            sum = fma(scale ? l * scale[static_cast<long long>(m) * n + k] : l, r, sum);
        }
        product_element(c, sum, i, j, n, m, slopes, mirror);
    }
}
