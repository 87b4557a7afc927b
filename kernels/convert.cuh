// Conversion.
//
//   dst_i = src_i in the other type        n elements
//
// Bytes 12 n, floor bytes / copy bandwidth. Neighbouring threads read neighbouring elements, whole sectors at
// a time, so that this loop is near the floor already.
#pragma once
#include "threads.cuh"

extern "C" __global__ void convert_f32_f64(double *__restrict__ dst, const float *__restrict__ src, long long n) {
    for (long long i = global_thread(); i < n; i += global_threads()) dst[i] = (double)src[i];
}
extern "C" __global__ void convert_f64_f32(float *__restrict__ dst, const double *__restrict__ src, long long n) {
    for (long long i = global_thread(); i < n; i += global_threads()) dst[i] = (float)src[i];
}
