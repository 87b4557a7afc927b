// Losses of single outputs.
//
//   loss_i = sum_j l(x_ij, y_ij),  grad_ij = dl/dx_ij
//
//   kind 0, squared:        l = 1/2 (x - y)^2               dl/dx = x - y
//   kind 1, logistic:       l = log(1 + exp(x)) - y x       dl/dx = 1 / (1 + exp(-x)) - y
//   kind 2, squared hinge:  l = 1/2 max(0, 1 - y x)^2       dl/dx = -y max(0, 1 - y x)
//
// x, y and grad n x c (grad null: none; it may be x itself), loss n, or with weights the weighted sum, as in
// softmax_cross_entropy. The logistic loss is computed as
// max(x, 0) + log(1 + exp(-|x|)) - y x, whose exponential cannot overflow.
//
// Bytes s n (c (2 + [grad]) + 1), floor bytes / copy bandwidth; an exponential and a logarithm for each logistic
// element are less. A group of lanes (a power of two up to a warp) has a row.
// Prediction, not a measurement: 70% of the floor from 32 outputs on.
#pragma once
#include "rows.cuh"
#include "single_loss.cuh"
#include "weighted_loss.cuh"

template <class T>
__device__ inline void output_loss(WeightedLoss<T> loss, T *grad, const T *x, const T *y, int n, int c, int kind,
                                   int group) {
    const int rows = blockDim.x / group, lane = threadIdx.x % group;
    for (long long first = (long long)blockIdx.x * rows; first < n; first += (long long)gridDim.x * rows) {
        const long long r = first + threadIdx.x / group;
        const int columns = r < n ? c : 0;
        const T weight = r < n ? loss.weight(r) : T(0);
        T sum = 0, slope;
        for (int j = lane; j < columns; j += group) {
            sum += single_loss(x[r * c + j], y[r * c + j], kind, slope);
            if (grad) grad[r * c + j] = weight * slope;
        }
        sum = group_sum(sum, group);
        if (r < n && lane == 0) loss.add(r, sum);
    }
    loss.finish();
}

#define OUTPUT_LOSS(NAME, T)                                                                                           \
    extern "C" __global__ void NAME(T *__restrict__ loss, T *grad, const T *x, const T *__restrict__ y,                \
                                    const T *__restrict__ weights, int n, int c, int kind, int group) {                \
        output_loss(WeightedLoss<T>(loss, weights), grad, x, y, n, c, kind, group);                                    \
    }
OUTPUT_LOSS(output_loss_f32, float)
OUTPUT_LOSS(output_loss_f64, double)
