// Adam on vectors of 16 bytes.
//
// Bytes 7 s n (four arrays read, three written), floor bytes / copy bandwidth.
// A thread takes 16 bytes of each array at a time where they are aligned.
// Prediction, not a measurement: 85% of the floor from a million elements on.
#pragma once
#include "adam_element.cuh"
#include "vectors.cuh"

template <class T>
__device__ inline void adam(T *parameter, T *moment1, T *moment2, const T *gradient, long long n, T rate, T root,
                            T beta1, T beta2, T rest1, T rest2, T epsilon, T decay) {
    constexpr int V = 16 / sizeof(T);
    const bool wide = aligned16(parameter) && aligned16(moment1) && aligned16(moment2) && aligned16(gradient);
    for (long long i = global_thread() * V; i < n; i += global_threads() * V) {
        const int count = n - i < V ? (int)(n - i) : V;
        T p[V], m1[V], m2[V], g[V];
        load_some(p, parameter + i, count, wide);
        load_some(m1, moment1 + i, count, wide);
        load_some(m2, moment2 + i, count, wide);
        load_some(g, gradient + i, count, wide);
#pragma unroll
        for (int v = 0; v < V; v++)
            adam_element(p[v], m1[v], m2[v], g[v], rate, root, beta1, beta2, rest1, rest2, epsilon, decay);
        store_some(parameter + i, p, count, wide);
        store_some(moment1 + i, m1, count, wide);
        store_some(moment2 + i, m2, count, wide);
    }
}

#define ADAM(NAME, T)                                                                                                  \
    extern "C" __global__ void NAME(T *__restrict__ parameter, T *__restrict__ moment1, T *__restrict__ moment2,       \
                                    const T *__restrict__ gradient, long long n, T rate, T root, T beta1, T beta2,     \
                                    T rest1, T rest2, T epsilon, T decay) {                                            \
        adam(parameter, moment1, moment2, gradient, n, rate, root, beta1, beta2, rest1, rest2, epsilon, decay);        \
    }
ADAM(adam_f32, float)
ADAM(adam_f64, double)
