// A linear layer: the classifier at the end of a network.
//
//   y_io = sum_k x_ik w_ok + b_o        x n x d, w outputs x d, b outputs or null, y n x outputs
//
// Bytes      s (n d + outputs d + outputs + n outputs)
// Operations 2 n outputs d
// Floor      bytes / copy bandwidth for the few outputs of a classifier.
// A warp has an element, and reads its two rows together; the rows of x come from the cache for all outputs but one.
// Prediction, not a measurement: 60% of the floor for two outputs; for dozens a product in tiles would be faster.
#pragma once
#include "threads.cuh"

template <class T>
__device__ inline void linear_layer(T *y, const T *x, const T *w, const T *b, int n, int outputs, int d) {
    const long long elements = (long long)n * outputs;
    for (long long at = global_thread() / WARP; at < elements; at += global_threads() / WARP) {
        const T *row = x + at / outputs * d, *weights = w + at % outputs * d;
        T sum = 0;
#pragma unroll 4
        for (int k = lane_index(); k < d; k += WARP) sum = multiply_add(row[k], weights[k], sum);
        sum = warp_sum(sum);
        if (lane_index() == 0) y[at] = b ? sum + b[at % outputs] : sum;
    }
}

#define LINEAR_LAYER(NAME, T)                                                                                          \
    extern "C" __global__ void __launch_bounds__(256)                                                                  \
    NAME(T *__restrict__ y, const T *__restrict__ x, const T *__restrict__ w, const T *__restrict__ b, int n,          \
         int outputs, int d) {                                                                                         \
        linear_layer(y, x, w, b, n, outputs, d);                                                                       \
    }
LINEAR_LAYER(linear_layer_f32, float)
LINEAR_LAYER(linear_layer_f64, double)
