// walk_grad: one position of the way back through walks of one size.
//
// With H_i(u) the gradient of the exponent of b_i(u):
//
//   H_1(u) = G(u) norm(u) / count(u) c_1(u),   H_{i+1}(v) = c_{i+1}(v) * sum over u with v next to it of H_i(u) /
//   sum_i(u),
//
// sum_i(u) being what walk_step pooled. For a maximum H_{i+1}(v) is the sum of H_i(u) over the u that picked v.
// share holds H_i / sum_i (H_i for a maximum) for the next position, previous that of the last; previous is null
// for i = 1. grad[v, i] += scale H_i(v) by vertex. in_ptr and in_col are the reversed arcs; parallel ones
// share a pick, so only the first counts for a maximum. Bytes: (5 + arcs/n) n width values; floor: bandwidth.
#pragma once
#include "walk_factor.cuh"

template <class T>
__device__ void walk_grad(T *grad, T *share, const T *previous, const T *value, const T *pooled, const int *picked,
                          const T *given, const T *norms, const int *index, const double *counts, const int *root_row,
                          const int *in_ptr, const int *in_col, int n, int size, int q, int f0, int width,
                          int position, int maximum, T scale, T offset)
{
    const long long all = (long long)n * width;
    for (long long at = global_thread(); at < all; at += global_threads()) {
        const int v = (int)(at / width), f = (int)(at % width);
        T h = 0;
        if (!previous) {
            const int row = path_row(root_row, v);
            if (row >= 0) {
                h = given[(long long)row * q + f0 + f] * walk_factor(norms, index, counts, v) *
                    (maximum ? path_exp2(value[at] + offset) : value[at]);
            }
        } else {
            const int begin = in_ptr[v], end = in_ptr[v + 1];
            for (int e = begin; e < end; e++) {
                const int u = in_col[e];
                const long long from = (long long)u * width + f;
                if (!maximum) {
                    h += previous[from];
                } else if (picked[from] == v && (e == begin || in_col[e - 1] != u)) {
                    h += previous[from];
                }
            }
            if (!maximum) {
                h *= value[at];
            }
        }
        grad[((long long)v * size + position - 1) * q + f0 + f] += scale * h;
        if (share) {
            share[at] = maximum ? h : pooled[at] > 0 ? h / pooled[at] : (T)0;
        }
    }
}

#define WALK_GRAD(T, suffix)                                                                                           \
    extern "C" __global__ void walk_grad_##suffix(                                                                     \
        T *grad, T *share, const T *previous, const T *value, const T *pooled, const int *picked, const T *given,      \
        const T *norms, const int *index, const double *counts, const int *root_row, const int *in_ptr,                \
        const int *in_col, int n, int size, int q, int f0, int width, int position, int maximum, T scale, T offset)    \
    {                                                                                                                  \
        walk_grad<T>(grad, share, previous, value, pooled, picked, given, norms, index, counts, root_row, in_ptr,      \
                     in_col, n, size, q, f0, width, position, maximum, scale, offset);                                 \
    }
WALK_GRAD(float, f32)
WALK_GRAD(double, f64)
