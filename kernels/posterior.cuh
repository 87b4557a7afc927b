// posterior: posterior_ui = prior_ui likelihood_{index_u,i} / evidence_u, evidence_u = their sum.
//
// prior and posterior are n x c and may be the same, likelihood is m x c, evidence and index have n entries;
// a row without evidence gets zeros. This is the gather and the normalisation of an EM step of CGMM; the
// scatter is a segment sum.
// Bytes: 2 n c sizeof(T) + n (4 + sizeof(T)) + m c sizeof(T); operations: 3 n c. Floor: memory.
//
// posterior: row_lanes (a power of two <= 32) lanes for each row, added by shuffles.
#pragma once
#include "threads.cuh"

template <class T>
__device__ inline void posterior(T *to, T *evidence, const T *prior, const T *likelihood, const int *index, int n,
                                 int c, int row_lanes) {
    const long long groups = global_threads() / row_lanes, group = global_thread() / row_lanes;
    const int lane = threadIdx.x % row_lanes;
    for (long long u0 = 0; u0 < n; u0 += groups) {   // the lanes of a warp stay together
        const long long u = u0 + group;
        const T *of_prior = prior + u * c, *of_label = likelihood + (u < n ? static_cast<long long>(index[u]) * c : 0);
        T sum = T(0);
        if (u < n)
            for (int i = lane; i < c; i += row_lanes) sum = multiply_add(of_prior[i], of_label[i], sum);
        for (int apart = row_lanes / 2; apart > 0; apart /= 2) sum += __shfl_xor_sync(ALL_LANES, sum, apart);
        if (u >= n) continue;
        for (int i = lane; i < c; i += row_lanes) to[u * c + i] = sum == T(0) ? T(0) : of_prior[i] * of_label[i] / sum;
        if (lane == 0) evidence[u] = sum;
    }
}

#define POSTERIOR(NAME, T)                                                                                             \
    extern "C" __global__ void __launch_bounds__(256)                                                                  \
    NAME(T *to, T *evidence, const T *prior, const T *likelihood, const int *index, int n, int c, int row_lanes) {     \
        posterior<T>(to, evidence, prior, likelihood, index, n, c, row_lanes);                                         \
    }
POSTERIOR(posterior_f32, float)
POSTERIOR(posterior_f64, double)
