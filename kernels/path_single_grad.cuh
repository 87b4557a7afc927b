// The gradient of kernel values of single vertices, which are paths of one vertex.
//
//   k = exp(alpha (s_vf - 1)),  sg_vf = alpha m_v k g_vf,  mg_v = sum_f k g_vf        s, g and sg n x q, norms m, mg n
//
// norms null: ones; norm_grad null: it is not asked for.
//
// Bytes s n (3 q + 2), floor bytes / copy bandwidth, and n q exponentials. A group of lanes (a power of two up to a
// warp) has a row. Prediction, not a measurement: 70% of the floor for rows of 128 bytes or more.
#pragma once
#include "rows.cuh"

template <class T>
__device__ inline void path_single_grad(T *score_grad, T *norm_grad, const T *gradient, const T *scores,
                                        const T *norms, int n, int q, T alpha, int group) {
    const int rows = blockDim.x / group, lane = threadIdx.x % group;
    for (long long first = (long long)blockIdx.x * rows; first < n; first += (long long)gridDim.x * rows) {
        const long long v = first + threadIdx.x / group;
        const T slope = v < n ? alpha * (norms ? norms[v] : T(1)) : T(0);
        T sum = 0;
        for (int f = lane; v < n && f < q; f += group) {
            const T share = exponential(alpha * (scores[v * q + f] - T(1))) * gradient[v * q + f];
            score_grad[v * q + f] = slope * share;
            sum += share;
        }
        sum = group_sum(sum, group);
        if (norm_grad && v < n && lane == 0) norm_grad[v] = sum;
    }
}

#define PATH_SINGLE_GRAD(NAME, T)                                                                                      \
    extern "C" __global__ void __launch_bounds__(256)                                                                  \
    NAME(T *__restrict__ score_grad, T *__restrict__ norm_grad, const T *__restrict__ gradient,                        \
         const T *__restrict__ scores, const T *__restrict__ norms, int n, int q, T alpha, int group) {                \
        path_single_grad(score_grad, norm_grad, gradient, scores, norms, n, q, alpha, group);                          \
    }
PATH_SINGLE_GRAD(path_single_grad_f32, float)
PATH_SINGLE_GRAD(path_single_grad_f64, double)
