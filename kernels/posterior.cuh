// posterior: posterior_ui = prior_ui likelihood_{index_u,i} / evidence_u, evidence_u = their sum.
//
// prior and posterior are n x c and may be the same, likelihood is m x c, evidence and index have n entries;
// a row without evidence gets zeros. This is the gather and the normalisation of an EM step of CGMM; the
// scatter is a segment sum.
// Bytes: 2 n c sizeof(T) + n (4 + sizeof(T)) + m c sizeof(T); operations: 3 n c. Floor: memory.
//
// Up to POSTERIOR_FEW states take 8 lanes a row, each of which keeps what it multiplied in registers; further states
// take a warp a row and multiply twice. Lanes are added by shuffles, states that are 16 or 8 apart first.
#pragma once
#include "threads.cuh"

constexpr int POSTERIOR_LANES = 8, POSTERIOR_STATES = 4, POSTERIOR_FEW = POSTERIOR_LANES * POSTERIOR_STATES;

template <class T>
__device__ inline void posterior_few(T *to, T *evidence, const T *prior, const T *likelihood, const int *index, int n,
                                     int c) {
    const long long groups = global_threads() / POSTERIOR_LANES, group = global_thread() / POSTERIOR_LANES;
    const int lane = threadIdx.x % POSTERIOR_LANES;
    for (long long u0 = 0; u0 < n; u0 += groups) {   // the lanes of a warp stay together
        const long long u = u0 + group, at = u * c + lane;
        const long long of_label = u < n ? static_cast<long long>(index[u]) * c + lane : 0;
        const int states = u < n ? c - lane : 0;
        T x[POSTERIOR_STATES];
#pragma unroll
        for (int k = 0; k < POSTERIOR_STATES; k++) {
            const int i = k * POSTERIOR_LANES;
            x[k] = i < states ? multiply_add(prior[at + i], likelihood[of_label + i], T(0)) : T(0);
        }
        T sum = (x[0] + x[2]) + (x[1] + x[3]);
#pragma unroll
        for (int apart = POSTERIOR_LANES / 2; apart > 0; apart /= 2) sum += __shfl_xor_sync(ALL_LANES, sum, apart);
#pragma unroll
        for (int k = 0; k < POSTERIOR_STATES; k++) {
            const int i = k * POSTERIOR_LANES;
            if (i < states) to[at + i] = sum == T(0) ? T(0) : x[k] / sum;
        }
        if (u < n && lane == 0) evidence[u] = sum;
    }
}

template <class T>
__device__ inline void posterior_many(T *to, T *evidence, const T *prior, const T *likelihood, const int *index, int n,
                                      int c) {
    const long long warps = global_threads() / WARP;
    for (long long u = global_thread() / WARP; u < n; u += warps) {
        const T *of_prior = prior + u * c, *of_label = likelihood + static_cast<long long>(index[u]) * c;
        T sum = T(0);
        for (int i = lane_index(); i < c; i += WARP) sum = multiply_add(of_prior[i], of_label[i], sum);
        sum = warp_sum(sum);
        for (int i = lane_index(); i < c; i += WARP) {
            to[u * c + i] = sum == T(0) ? T(0) : of_prior[i] * of_label[i] / sum;
        }
        if (lane_index() == 0) evidence[u] = sum;
    }
}

#define POSTERIOR(NAME, T)                                                                                             \
    extern "C" __global__ void __launch_bounds__(256) NAME(T *to, T *evidence, const T *prior, const T *likelihood,    \
                                                           const int *index, int n, int c) {                           \
        if (c <= POSTERIOR_FEW) posterior_few<T>(to, evidence, prior, likelihood, index, n, c);                        \
        else posterior_many<T>(to, evidence, prior, likelihood, index, n, c);                                          \
    }
POSTERIOR(posterior_f32, float)
POSTERIOR(posterior_f64, double)
