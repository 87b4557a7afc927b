// A product with a thread for each element: what few terms take, and what the tiles are compared with.
#pragma once
#include "rounding.cuh"

template <class T, int ROUND>
__device__ inline void matmul_by_elements(T *c, const T *a, const T *b, int m, int n, int k, int trans_a, int trans_b,
                                          T alpha, T beta) {
    for (long long e = global_thread(); e < (long long)m * n; e += global_threads()) {
        const long long i = e / n, j = e % n;
        T sum = 0;
        for (long long l = 0; l < k; l++) {
            const T x = rounded<ROUND>(trans_a ? a[l * m + i] : a[i * k + l]),
                    y = rounded<ROUND>(trans_b ? b[j * k + l] : b[l * n + j]);
            sum = multiply_add(x, y, sum);
        }
        sum *= alpha;
        if (beta != T(0)) sum += beta * c[e];
        c[e] = sum;
    }
}

#define MATMUL_ELEMENTS(NAME, T, ROUND)                                                                                \
    extern "C" __global__ void NAME(T *__restrict__ c, const T *__restrict__ a, const T *__restrict__ b, int m, int n, \
                                    int k, int trans_a, int trans_b, T alpha, T beta) {                                \
        matmul_by_elements<T, ROUND>(c, a, b, m, n, k, trans_a, trans_b, alpha, beta);                                 \
    }
