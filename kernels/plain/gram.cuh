// Kernel matrices of anchors: a thread for each element of a matrix.
#pragma once
#include "../threads.cuh"

template <class T>
__device__ inline void gram_plain(double *out, const T *z, int p, int q, int d, double alpha, int sum_exponent,
                                  int all_lengths) {
    for (long long e = global_thread(); e < (long long)q * q; e += global_threads()) {
        const long long f = e / q, g = e % q;
        double sum = 0;
        for (int i = 0; i < p; i++) {
            for (int k = 0; k < d; k++)
                sum += (double)z[((long long)i * q + f) * d + k] * (double)z[((long long)i * q + g) * d + k];
            if (!all_lengths && i < p - 1) continue;
            const double scale = sum_exponent ? alpha : alpha / (i + 1),
                         shift = sum_exponent ? -alpha * (i + 1) : -alpha;
            out[(all_lengths ? (long long)i * q * q : 0) + e] = exp(scale * sum + shift);
        }
    }
}
extern "C" __global__ void gram_plain_f32(double *__restrict__ out, const float *__restrict__ z, int p, int q, int d,
                                          double alpha, int sum_exponent, int all_lengths) {
    gram_plain(out, z, p, q, d, alpha, sum_exponent, all_lengths);
}
extern "C" __global__ void gram_plain_f64(double *__restrict__ out, const double *__restrict__ z, int p, int q, int d,
                                          double alpha, int sum_exponent, int all_lengths) {
    gram_plain(out, z, p, q, d, alpha, sum_exponent, all_lengths);
}
