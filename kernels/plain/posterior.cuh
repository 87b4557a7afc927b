// Bayes' rule: a thread for each row, whose neighbours read far apart.
#pragma once
#include "../threads.cuh"

template <class T>
__device__ inline void posterior_plain(T *to, T *evidence, const T *prior, const T *likelihood, const int *index, int n,
                                       int c) {
    for (long long u = global_thread(); u < n; u += global_threads()) {
        const T *of_label = likelihood + static_cast<long long>(index[u]) * c;
        T sum = T(0);
        for (int i = 0; i < c; i++) sum += prior[u * c + i] * of_label[i];
        for (int i = 0; i < c; i++) to[u * c + i] = sum == T(0) ? T(0) : prior[u * c + i] * of_label[i] / sum;
        evidence[u] = sum;
    }
}

#define POSTERIOR_PLAIN(NAME, T)                                                                                       \
    extern "C" __global__ void NAME(T *to, T *evidence, const T *prior, const T *likelihood, const int *index, int n,  \
                                    int c) {                                                                           \
        posterior_plain<T>(to, evidence, prior, likelihood, index, n, c);                                              \
    }
POSTERIOR_PLAIN(posterior_plain_f32, float)
POSTERIOR_PLAIN(posterior_plain_f64, double)
