// Softmax and cross-entropy.
//
//   loss_i = log sum_j exp(x_ij - m_i) + m_i - x_{i,target_i},  grad_i = softmax(x_i) - e_{target_i},  m_i = max_j x_ij
//
// logits x and grad n x c (grad null: none; it may be x itself), loss and target n. With weights, n, the loss is the
// one number sum_i weights_i loss_i, grad_i is weights_i times as large, and the launch has one block.
//
// Bytes s n (c (1 + [grad]) + 1) + 4 n, floor bytes / copy bandwidth; 2 n c exponentials are less.
// A group of lanes (a power of two up to a warp) has a row of up to 1024 classes, a block has a longer one.
// Both read the row three times, of which two come from the cache.
// Prediction, not a measurement: 70% of the floor from 32 classes on.
#pragma once
#include "rows.cuh"
#include "weighted_loss.cuh"

template <class T>
__device__ inline void softmax_cross_entropy(WeightedLoss<T> loss, T *grad, const T *logits, const int *target, int n,
                                             int c, int group) {
    const int rows = blockDim.x / group, lane = threadIdx.x % group;
    for (long long first = (long long)blockIdx.x * rows; first < n; first += (long long)gridDim.x * rows) {
        const long long r = first + threadIdx.x / group;
        const int classes = r < n ? c : 0, aim = r < n ? target[r] : 0;
        const T *x = logits + r * c;
        T largest = -infinity<T>(), sum = 0, of_target = 0;
        for (int j = lane; j < classes; j += group) largest = Maximum::combine(largest, x[j]);
        largest = group_max(largest, group);
        for (int j = lane; j < classes; j += group) {
            const T above = x[j] - largest;
            sum += exponential(above);
            if (j == aim) of_target = above;
        }
        sum = group_sum(sum, group);
        if (r < n && lane == aim % group) loss.add(r, logarithm(sum) - of_target);
        if (!grad) continue;
        __syncwarp();
        const T weight = r < n ? loss.weight(r) : T(0);
        for (int j = lane; j < classes; j += group)
            grad[r * c + j] = weight * (exponential(x[j] - largest) / sum - T(j == aim));
    }
    loss.finish();
}
#define SOFTMAX_CROSS_ENTROPY(NAME, T)                                                                                 \
    extern "C" __global__ void NAME(T *__restrict__ loss, T *grad, const T *logits, const int *__restrict__ target,    \
                                    const T *__restrict__ weights, int n, int c, int group) {                          \
        softmax_cross_entropy(WeightedLoss<T>(loss, weights), grad, logits, target, n, c, group);                      \
    }
SOFTMAX_CROSS_ENTROPY(softmax_cross_entropy_f32, float)
SOFTMAX_CROSS_ENTROPY(softmax_cross_entropy_f64, double)

template <class T>
__device__ inline void softmax_cross_entropy_long(T *loss, T *grad, const T *logits, const int *target, int n, int c) {
    for (int r = blockIdx.x; r < n; r += gridDim.x) {
        const int aim = target[r];
        const T *x = logits + (long long)r * c;
        T largest = -infinity<T>(), sum = 0;
        for (int j = threadIdx.x; j < c; j += blockDim.x) largest = Maximum::combine(largest, x[j]);
        largest = block_max(largest);
        for (int j = threadIdx.x; j < c; j += blockDim.x) sum += exponential(x[j] - largest);
        const T of_target = x[aim] - largest;
        sum = block_sum(sum);
        if (threadIdx.x == 0) loss[r] = logarithm(sum) - of_target;
        if (!grad) continue;
        for (int j = threadIdx.x; j < c; j += blockDim.x)
            grad[(long long)r * c + j] = exponential(x[j] - largest) / sum - T(j == aim);
    }
}
extern "C" __global__ void softmax_cross_entropy_long_f32(float *__restrict__ loss, float *grad, const float *logits,
                                                          const int *__restrict__ target, int n, int c) {
    softmax_cross_entropy_long(loss, grad, logits, target, n, c);
}
extern "C" __global__ void softmax_cross_entropy_long_f64(double *__restrict__ loss, double *grad, const double *logits,
                                                          const int *__restrict__ target, int n, int c) {
    softmax_cross_entropy_long(loss, grad, logits, target, n, c);
}
