// Softmax and cross-entropy: a thread for each row.
#pragma once
#include "../threads.cuh"

template <class T>
__device__ inline void softmax_cross_entropy_plain(T *loss, T *grad, const T *logits, const int *target, int n, int c) {
    for (long long r = global_thread(); r < n; r += global_threads()) {
        const T *x = logits + r * c;
        T largest = x[0], sum = 0;
        for (int j = 1; j < c; j++) largest = x[j] > largest ? x[j] : largest;
        for (int j = 0; j < c; j++) sum += exponential(x[j] - largest);
        loss[r] = logarithm(sum) + (largest - x[target[r]]);
        if (!grad) continue;
        for (int j = 0; j < c; j++) grad[r * c + j] = exponential(x[j] - largest) / sum - T(j == target[r]);
    }
}
extern "C" __global__ void softmax_cross_entropy_plain_f32(float *__restrict__ loss, float *grad, const float *logits,
                                                           const int *__restrict__ target, int n, int c) {
    softmax_cross_entropy_plain(loss, grad, logits, target, n, c);
}
extern "C" __global__ void softmax_cross_entropy_plain_f64(double *__restrict__ loss, double *grad,
                                                           const double *logits, const int *__restrict__ target, int n,
                                                           int c) {
    softmax_cross_entropy_plain(loss, grad, logits, target, n, c);
}
