// Rows that groups of lanes share, and the gradient of their length.
#pragma once
#include "threads.cuh"

// group_sum adds x over groups of lanes; all lanes of the warp call it.
template <class T> __device__ inline T group_sum(T x, int group) {
    for (int apart = group / 2; apart > 0; apart /= 2) x += __shfl_xor_sync(ALL_LANES, x, apart);
    return x;
}
template <class T> __device__ inline T group_max(T x, int group) {
    for (int apart = group / 2; apart > 0; apart /= 2) x = Maximum::combine(x, __shfl_xor_sync(ALL_LANES, x, apart));
    return x;
}

// gradient_along is a_r for inner = <u_r, g_r>. A norm that is not a number makes no case of its own.
template <class T> __device__ inline T gradient_along(T norm, T norm_grad, T inner, T eps) {
    if (norm >= eps) return norm_grad - inner / norm;
    return norm > T(0) ? norm_grad * eps / norm : T(0);
}
