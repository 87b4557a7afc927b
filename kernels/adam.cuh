// Adam on vectors of 16 bytes, for all tensors in one launch.
//
// Bytes 7 s n (four arrays read, three written), floor bytes / copy bandwidth; for the few thousand parameters of a
// network the latency of a launch.
// The rows of the grid have a tensor each. A thread takes 16 bytes of each array at a time where they are aligned.
// Prediction, not a measurement: 85% of the floor from a million elements on.
#pragma once
#include "adam_element.cuh"
#include "vectors.cuh"

template <class T> struct AdamState {
    T *parameter, *moment1, *moment2;
    const T *gradient;
    long long n;
    T decay;
};

template <class T>
__device__ inline void adam(AdamState<T> of, T rate, T root, T beta1, T beta2, T rest1, T rest2, T epsilon) {
    constexpr int V = 16 / sizeof(T);
    const bool wide =
        aligned16(of.parameter) && aligned16(of.moment1) && aligned16(of.moment2) && aligned16(of.gradient);
    for (long long i = global_thread() * V; i < of.n; i += global_threads() * V) {
        const int count = of.n - i < V ? (int)(of.n - i) : V;
        T p[V], m1[V], m2[V], g[V];
        load_some(p, of.parameter + i, count, wide);
        load_some(m1, of.moment1 + i, count, wide);
        load_some(m2, of.moment2 + i, count, wide);
        load_some(g, of.gradient + i, count, wide);
#pragma unroll
        for (int v = 0; v < V; v++)
            adam_element(p[v], m1[v], m2[v], g[v], rate, root, beta1, beta2, rest1, rest2, epsilon, of.decay);
        store_some(of.parameter + i, p, count, wide);
        store_some(of.moment1 + i, m1, count, wide);
        store_some(of.moment2 + i, m2, count, wide);
    }
}

// states lists the tensors, in words of 64 bits laid out as AdamState.
#define ADAM(NAME, T)                                                                                                  \
    extern "C" __global__ void NAME(const long long *__restrict__ states, T rate, T root, T beta1, T beta2, T rest1,   \
                                    T rest2, T epsilon) {                                                              \
        adam(reinterpret_cast<const AdamState<T> *>(states)[blockIdx.y], rate, root, beta1, beta2, rest1, rest2,       \
             epsilon);                                                                                                 \
    }
ADAM(adam_f32, float)
ADAM(adam_f64, double)
