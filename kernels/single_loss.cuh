// The loss of a single output and its slope.
#pragma once
#include "threads.cuh"

__device__ inline float  logarithm_of_one_plus(float x)  { return log1pf(x); }
__device__ inline double logarithm_of_one_plus(double x) { return log1p(x); }

// single_loss returns l(x, y) and leaves dl/dx in slope.
template <class T> __device__ inline T single_loss(T x, T y, int kind, T &slope) {
    if (kind == 0) {
        slope = x - y;
        return slope * slope / 2;
    }
    if (kind == 1) {
        const T small = exponential(-absolute(x));
        slope = (x < 0 ? small : T(1)) / (1 + small) - y;
        return Maximum::combine(x, T(0)) + logarithm_of_one_plus(small) - y * x;
    }
    const T margin = Maximum::combine(1 - y * x, T(0));
    slope = -y * margin;
    return margin * margin / 2;
}
