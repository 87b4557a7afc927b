// Rows of unit length and their gradient.
//
//   dst_r = x_r / max(|x_r|, eps),  norms_r = |x_r|        x, dst n x d, norms n or null
//
// Bytes 2 s n d, floor bytes / copy bandwidth. A group of lanes (a power of two up to a warp) shares a row
// and keeps its first elements in registers; what is longer is read again, from the cache.
// Prediction, not a measurement: 80% of the floor from d = 16 on.
#pragma once
#include "rows.cuh"

template <class T> __device__ inline void normalize_rows(T *dst, T *norms, const T *x, int n, int d, T eps, int group) {
    constexpr int KEPT = 4;
    const int rows = blockDim.x / group, lane = threadIdx.x % group;
    for (long long first = (long long)blockIdx.x * rows; first < n; first += (long long)gridDim.x * rows) {
        const long long r = first + threadIdx.x / group;
        const int columns = r < n ? d : 0;
        const T *from = x + r * d;
        T kept[KEPT], sum = 0;
#pragma unroll
        for (int k = 0; k < KEPT; k++) {
            const int c = lane + k * group;
            kept[k] = c < columns ? from[c] : T(0);
            sum = multiply_add(kept[k], kept[k], sum);
        }
        for (int c = lane + KEPT * group; c < columns; c += group) sum = multiply_add(from[c], from[c], sum);
        const T norm = square_root(group_sum(sum, group));
        const T scale = T(1) / (norm > eps ? norm : eps);
        if (norms && lane == 0 && r < n) norms[r] = norm;
#pragma unroll
        for (int k = 0; k < KEPT; k++) {
            const int c = lane + k * group;
            if (c < columns) dst[r * d + c] = kept[k] * scale;
        }
        for (int c = lane + KEPT * group; c < columns; c += group) dst[r * d + c] = from[c] * scale;
    }
}
extern "C" __global__ void normalize_rows_f32(float *dst, float *__restrict__ norms, const float *x, int n, int d,
                                              float eps, int group) {
    normalize_rows(dst, norms, x, n, d, eps, group);
}
extern "C" __global__ void normalize_rows_f64(double *dst, double *__restrict__ norms, const double *x, int n, int d,
                                              double eps, int group) {
    normalize_rows(dst, norms, x, n, d, eps, group);
}

// ----- normalize_rows_grad: from the gradients of unit rows and norms to that of the rows ------------
//
//   x_grad_r = g_r / max(|x_r|, eps) + a_r u_r        g = unit_grad, u = unit, h = norm_grad or zeros where it is null
//   a_r = h_r - <u_r, g_r> / |x_r|  where |x_r| >= eps;  h_r eps / |x_r|  below;  0  where x_r = 0
//
// unit, unit_grad and x_grad n x d, norms and norm_grad n; x_grad may be unit_grad itself.
//
// Bytes 3 s n d, operations 2 multiply-adds for an element; floor bytes / copy bandwidth. As normalize_rows: a group of
// lanes shares a row and keeps its first elements in registers. Prediction, not a measurement: 75% of the floor from d
// = 16 on.

template <class T>
__device__ inline void normalize_rows_grad(T *x_grad, const T *unit_grad, const T *norm_grad, const T *unit,
                                           const T *norms, int n, int d, T eps, int group) {
    constexpr int KEPT = 4;
    const int rows = blockDim.x / group, lane = threadIdx.x % group;
    for (long long first = (long long)blockIdx.x * rows; first < n; first += (long long)gridDim.x * rows) {
        const long long r = first + threadIdx.x / group;
        const int columns = r < n ? d : 0;
        const T *u = unit + r * d, *g = unit_grad + r * d;
        T kept_u[KEPT], kept_g[KEPT], sum = 0;
#pragma unroll
        for (int k = 0; k < KEPT; k++) {
            const int c = lane + k * group;
            kept_u[k] = c < columns ? u[c] : T(0);
            kept_g[k] = c < columns ? g[c] : T(0);
            sum = multiply_add(kept_u[k], kept_g[k], sum);
        }
        for (int c = lane + KEPT * group; c < columns; c += group) sum = multiply_add(u[c], g[c], sum);
        const T inner = group_sum(sum, group);
        if (r >= n) continue;
        const T norm = norms[r], scale = T(1) / Maximum::combine(norm, eps);
        const T along = gradient_along(norm, norm_grad ? norm_grad[r] : T(0), inner, eps);
#pragma unroll
        for (int k = 0; k < KEPT; k++) {
            const int c = lane + k * group;
            if (c < columns) x_grad[r * d + c] = multiply_add(along, kept_u[k], scale * kept_g[k]);
        }
        for (int c = lane + KEPT * group; c < columns; c += group)
            x_grad[r * d + c] = multiply_add(along, u[c], scale * g[c]);
    }
}

#define NORMALIZE_ROWS_GRAD(suffix, T)                                                                                 \
    extern "C" __global__ void normalize_rows_grad_##suffix(                                                           \
        T *x_grad, const T *unit_grad, const T *__restrict__ norm_grad, const T *__restrict__ unit,                    \
        const T *__restrict__ norms, int n, int d, T eps, int group) {                                                 \
        normalize_rows_grad(x_grad, unit_grad, norm_grad, unit, norms, n, d, eps, group);                              \
    }
NORMALIZE_ROWS_GRAD(f32, float)
NORMALIZE_ROWS_GRAD(f64, double)
