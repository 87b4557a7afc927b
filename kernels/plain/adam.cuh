// Adam: a thread for each element.
#pragma once
#include "../adam_element.cuh"

template <class T>
__device__ inline void adam_plain(T *parameter, T *moment1, T *moment2, const T *gradient, long long n, T rate, T root,
                                  T beta1, T beta2, T rest1, T rest2, T epsilon, T decay) {
    for (long long i = global_thread(); i < n; i += global_threads())
        adam_element(parameter[i], moment1[i], moment2[i], gradient[i], rate, root, beta1, beta2, rest1, rest2, epsilon,
                     decay);
}

#define ADAM_PLAIN(NAME, T)                                                                                            \
    extern "C" __global__ void NAME(T *__restrict__ parameter, T *__restrict__ moment1, T *__restrict__ moment2,       \
                                    const T *__restrict__ gradient, long long n, T rate, T root, T beta1, T beta2,     \
                                    T rest1, T rest2, T epsilon, T decay) {                                            \
        adam_plain(parameter, moment1, moment2, gradient, n, rate, root, beta1, beta2, rest1, rest2, epsilon, decay);  \
    }
ADAM_PLAIN(adam_plain_f32, float)
ADAM_PLAIN(adam_plain_f64, double)
