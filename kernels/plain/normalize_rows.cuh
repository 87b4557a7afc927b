// Rows of unit length and their gradient: a thread for each row.
#pragma once
#include "../rows.cuh"

template <class T> __device__ inline void normalize_rows_plain(T *dst, T *norms, const T *x, int n, int d, T eps) {
    for (long long r = global_thread(); r < n; r += global_threads()) {
        T sum = 0;
        for (int c = 0; c < d; c++) sum += x[r * d + c] * x[r * d + c];
        const T norm = square_root(sum), length = norm > eps ? norm : eps;
        if (norms) norms[r] = norm;
        for (int c = 0; c < d; c++) dst[r * d + c] = x[r * d + c] / length;
    }
}
extern "C" __global__ void normalize_rows_plain_f32(float *dst, float *__restrict__ norms, const float *x, int n, int d,
                                                    float eps) {
    normalize_rows_plain(dst, norms, x, n, d, eps);
}
extern "C" __global__ void normalize_rows_plain_f64(double *dst, double *__restrict__ norms, const double *x, int n,
                                                    int d, double eps) {
    normalize_rows_plain(dst, norms, x, n, d, eps);
}

template <class T>
__device__ inline void normalize_rows_grad_plain(T *x_grad, const T *unit_grad, const T *norm_grad, const T *unit,
                                                 const T *norms, int n, int d, T eps) {
    for (long long r = global_thread(); r < n; r += global_threads()) {
        T inner = 0;
        for (int c = 0; c < d; c++) inner += unit[r * d + c] * unit_grad[r * d + c];
        const T along = gradient_along(norms[r], norm_grad ? norm_grad[r] : T(0), inner, eps);
        for (int c = 0; c < d; c++)
            x_grad[r * d + c] = unit_grad[r * d + c] / Maximum::combine(norms[r], eps) + along * unit[r * d + c];
    }
}

#define NORMALIZE_ROWS_GRAD_PLAIN(suffix, T)                                                                           \
    extern "C" __global__ void normalize_rows_grad_plain_##suffix(                                                     \
        T *x_grad, const T *unit_grad, const T *__restrict__ norm_grad, const T *__restrict__ unit,                    \
        const T *__restrict__ norms, int n, int d, T eps) {                                                            \
        normalize_rows_grad_plain(x_grad, unit_grad, norm_grad, unit, norms, n, d, eps);                               \
    }
NORMALIZE_ROWS_GRAD_PLAIN(f32, float)
NORMALIZE_ROWS_GRAD_PLAIN(f64, double)
