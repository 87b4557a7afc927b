// The weighted sum of losses and its slopes, where one block has all rows.
#pragma once
#include "threads.cuh"

// WeightedLoss is where the loss of a row goes: to its place, or, with weights, into the sum over the rows of a launch
// of one block. The weight of a row is what its slopes are multiplied by.
template <class T> struct WeightedLoss {
    T *loss;
    const T *weights; // null: ones, and every loss by itself
    T sum;
    __device__ WeightedLoss(T *to, const T *by) : loss(to), weights(by), sum(0) {}
    __device__ T weight(long long r) const { return weights ? weights[r] : T(1); }
    __device__ void add(long long r, T of_row) {
        if (weights) sum = multiply_add(weights[r], of_row, sum);
        else loss[r] = of_row;
    }
    // finish writes the sum, in the order of the threads; all threads of the block call it.
    __device__ void finish() {
        if (!weights) return;
        const T total = block_sum(sum);
        if (threadIdx.x == 0) *loss = total;
    }
};
