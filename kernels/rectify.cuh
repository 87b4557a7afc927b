// Rectified elements and their gradient.
//
//   y = max(0, x + bias)                                    x, y n x d, bias d or null; y may be x itself
//
// Bytes 2 s n d, floor bytes / copy bandwidth. A thread takes 16 bytes where rows are whole vectors.
// Prediction, not a measurement: 80% of the floor.
#pragma once
#include "columns.cuh"
#include "vectors.cuh"

template <class T> __device__ inline void rectify(T *y, const T *x, const T *bias, long long elements, int d) {
    constexpr int V = 16 / sizeof(T);
    const bool wide = aligned16(x) && aligned16(y);
    for (long long at = global_thread() * V; at < elements; at += global_threads() * V) {
        const int count = static_cast<int>(elements - at < V ? elements - at : V);
        T v[V];
        load_some(v, x + at, count, wide);
        int column = bias ? static_cast<int>(at % d) : 0;
#pragma unroll
        for (int k = 0; k < V; k++) {
            if (bias && k < count) {
                v[k] += bias[column];
                column = column + 1 < d ? column + 1 : 0;
            }
            v[k] = Maximum::combine(v[k], T(0));
        }
        store_some(y + at, v, count, wide);
    }
}

// ----- rectify_grad: x_grad = y_grad where y > 0, else 0; bias_grad its sums along columns ------------
//
// x_grad may be y_grad itself, and bias_grad null. Bytes 3 s n d, floor bytes / copy bandwidth. A block has eight
// columns and, where their sums are wanted, all rows; of many rows the sums of slices go to partial (slices x d), which
// matmul_combine adds. Prediction, not a measurement: 10 us for 4000 x 64, bound by the few blocks.
template <class T>
__device__ inline void rectify_grad(T *x_grad, T *bias_grad, const T *y_grad, const T *y, int n, int d, int rows) {
    __shared__ ColumnTotals<1> totals;
    const ColumnSlice s(n, d, rows);
    T sum = 0;
    s.each([&](long long i) {
        const T g = y[i] > T(0) ? y_grad[i] : T(0);
        x_grad[i] = g;
        sum += g;
    });
    if (!bias_grad) return;
    const double own[1] = {static_cast<double>(sum)};
    totals.add(s, own);
    if (s.lane == 0 && s.column < d)
        bias_grad[static_cast<long long>(blockIdx.y) * d + s.column] = static_cast<T>(totals.of[0][s.place]);
}

#define RECTIFY(suffix, T)                                                                                             \
    extern "C" __global__ void __launch_bounds__(256)                                                                  \
    rectify_##suffix(T *y, const T *x, const T *bias, long long elements, int d) {                                     \
        rectify(y, x, bias, elements, d);                                                                              \
    }                                                                                                                  \
    extern "C" __global__ void __launch_bounds__(COLUMN_THREADS, 1)                                                    \
    rectify_grad_##suffix(T *x_grad, T *bias_grad, const T *y_grad, const T *y, int n, int d, int rows) {              \
        rectify_grad(x_grad, bias_grad, y_grad, y, n, d, rows);                                                        \
    }
RECTIFY(f32, float)
RECTIFY(f64, double)
