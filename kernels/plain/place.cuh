// Placement of rows: a thread for each element.
#pragma once
#include "../threads.cuh"

template <class T>
__device__ inline void place_plain(T *dst, const T *src, const int *index, int rows, int q, int ld, int stride) {
    for (long long e = global_thread(); e < (long long)rows * q; e += global_threads()) {
        const long long i = e / q, f = e % q;
        dst[i * ld + f * stride] = src[(index ? index[i] : i) * q + f];
    }
}
extern "C" __global__ void place_plain_f32(float *__restrict__ dst, const float *__restrict__ src,
                                           const int *__restrict__ index, int rows, int q, int ld, int stride) {
    place_plain(dst, src, index, rows, q, ld, stride);
}
extern "C" __global__ void place_plain_f64(double *__restrict__ dst, const double *__restrict__ src,
                                           const int *__restrict__ index, int rows, int q, int ld, int stride) {
    place_plain(dst, src, index, rows, q, ld, stride);
}
