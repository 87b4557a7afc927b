// What the hardware reaches: kernels that do nothing but one kind of arithmetic, for the floors of the benchmark.
//
// Every thread works on 8 numbers that do not wait for each other, so that units and not latencies bound it. The
// results are written, so that nothing is left out: out has a value for every thread. Operations: 16 multiply-adds or
// 8 exponentials a thread and round; bytes: one value a thread.
#pragma once
#include "paths.cuh"

constexpr int RATE_CHAINS = 8;

template <class T, class Step> __device__ inline void rate(T *out, int rounds, Step step)
{
    T x[RATE_CHAINS], sum = 0;
#pragma unroll
    for (int k = 0; k < RATE_CHAINS; k++) {
        x[k] = (T)(threadIdx.x + k) / (T)1024;
    }
    for (int r = 0; r < rounds; r++) {
#pragma unroll
        for (int k = 0; k < RATE_CHAINS; k++) {
            x[k] = step(x[k]);
        }
    }
#pragma unroll
    for (int k = 0; k < RATE_CHAINS; k++) {
        sum += x[k];
    }
    out[global_thread()] = sum;
}

#define RATES(suffix, T)                                                                                               \
    extern "C" __global__ void __launch_bounds__(256)                                                                  \
        rate_multiply_add_##suffix(T *__restrict__ out, int rounds, T factor, T term)                                  \
    {                                                                                                                  \
        rate(out, rounds, [=](T x) { return multiply_add(multiply_add(x, factor, term), factor, term); });             \
    }                                                                                                                  \
    extern "C" __global__ void __launch_bounds__(256) rate_exponential_##suffix(T *__restrict__ out, int rounds)       \
    {                                                                                                                  \
        rate(out, rounds, [](T x) { return path_exp2(-x); });                                                          \
    }
RATES(f32, float)
RATES(f64, double)
