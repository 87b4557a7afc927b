// Losses of single outputs: a thread for each row.
#pragma once
#include "../single_loss.cuh"

template <class T>
__device__ inline void output_loss_plain(T *loss, T *grad, const T *x, const T *y, int n, int c, int kind) {
    for (long long r = global_thread(); r < n; r += global_threads()) {
        T sum = 0, slope;
        for (long long e = r * c; e < (r + 1) * c; e++) {
            sum += single_loss(x[e], y[e], kind, slope);
            if (grad) grad[e] = slope;
        }
        loss[r] = sum;
    }
}

#define OUTPUT_LOSS_PLAIN(suffix, T)                                                                                   \
    extern "C" __global__ void output_loss_plain_##suffix(T *__restrict__ loss, T *grad, const T *x,                   \
                                                          const T *__restrict__ y, int n, int c, int kind) {           \
        output_loss_plain(loss, grad, x, y, n, c, kind);                                                               \
    }
OUTPUT_LOSS_PLAIN(f32, float)
OUTPUT_LOSS_PLAIN(f64, double)
