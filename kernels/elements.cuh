// What gorgonia asks of tensors: functions of elements, reductions along an axis, softmax, copies between layouts.
//
// All are bound by memory: every element is read and written once or twice, floor bytes / copy bandwidth. Neighbouring
// threads have neighbouring elements of the result. Prediction, not a measurement: 80% of the floor from a million
// elements on, for small tensors the latency of a launch.
#pragma once
#include "rows.cuh"

#define ELEMENT_FUNCTION(name, single, twice)                                                                          \
    __device__ inline float name(float x) { return single(x); }                                                        \
    __device__ inline double name(double x) { return twice(x); }
ELEMENT_FUNCTION(round_up, ceilf, ceil)
ELEMENT_FUNCTION(round_down, floorf, floor)
ELEMENT_FUNCTION(sine, sinf, sin)
ELEMENT_FUNCTION(cosine, cosf, cos)
ELEMENT_FUNCTION(logarithm2, log2f, log2)
ELEMENT_FUNCTION(logarithm10, log10f, log10)
ELEMENT_FUNCTION(logarithm_1p, log1pf, log1p)
ELEMENT_FUNCTION(exponential_m1, expm1f, expm1)
ELEMENT_FUNCTION(tangent_h, tanhf, tanh)
ELEMENT_FUNCTION(cube_root, cbrtf, cbrt)
__device__ inline float power(float x, float y) { return powf(x, y); }
__device__ inline double power(double x, double y) { return pow(x, y); }

// ----- elements_binary: dst_i = f(a_i, b_i), or dst_i + f(a_i, b_i) where add is set --------------------
//
// n elements; a null a or b stands for the number left or right. dst may be a or b. Comparisons are 1 or 0.
// Bytes s n (3 + [add]), less s n for a number.

// element_binary numbers the functions as elements.go does.
template <class T> __device__ inline T element_binary(int f, T a, T b) {
    switch (f) {
    case 0: return a + b;
    case 1: return a - b;
    case 2: return a * b;
    case 3: return a / b;
    case 4: return power(a, b);
    case 5: return b < a ? b : a;
    case 6: return b > a ? b : a;
    case 7: return T(a < b);
    case 8: return T(a <= b);
    case 9: return T(a > b);
    case 10: return T(a >= b);
    case 11: return T(a == b);
    }
    return T(a != b);
}
template <class T>
__device__ inline void elements_binary(T *dst, const T *a, const T *b, T left, T right, long long n, int f, int add) {
    for (long long i = global_thread(); i < n; i += global_threads()) {
        const T value = element_binary(f, a ? a[i] : left, b ? b[i] : right);
        dst[i] = add ? dst[i] + value : value;
    }
}

// ----- elements_unary: dst_i = f(x_i), or dst_i + f(x_i) where add is set -------------------------------
//
// n elements; dst may be x. low and high are the bounds of the clamp. Bytes s n (2 + [add]).

template <class T> __device__ inline T element_unary(int f, T x, T low, T high) {
    switch (f) {
    case 0: return -x;
    case 1: return absolute(x);
    case 2: return T(x > T(0)) - T(x < T(0));
    case 3: return T(1) / x;
    case 4: return x * x;
    case 5: return x * x * x;
    case 6: return square_root(x);
    case 7: return T(1) / square_root(x);
    case 8: return cube_root(x);
    case 9: return exponential(x);
    case 10: return exponential_m1(x);
    case 11: return logarithm(x);
    case 12: return logarithm_1p(x);
    case 13: return logarithm2(x);
    case 14: return logarithm10(x);
    case 15: return tangent_h(x);
    case 16: return T(1) / (T(1) + exponential(-x));
    case 17: return x > T(0) ? x + logarithm_1p(exponential(-x)) : logarithm_1p(exponential(x));
    case 18: return round_up(x);
    case 19: return round_down(x);
    case 20: return sine(x);
    case 21: return cosine(x);
    }
    return x < low ? low : x > high ? high : x;
}
template <class T>
__device__ inline void elements_unary(T *dst, const T *x, T low, T high, long long n, int f, int add) {
    for (long long i = global_thread(); i < n; i += global_threads()) {
        const T value = element_unary(f, x[i], low, high);
        dst[i] = add ? dst[i] + value : value;
    }
}

// ----- elements_reduce: dst_opi = reduction over j = p, p + parts, ... < size of x_oji ------------------
//
// x outer x size x inner, dst outer x parts x inner: a sum, product, maximum or minimum in the order of j; launches
// after another bring parts down to one. Bytes s outer inner (size + parts). A thread has one element of dst, and
// FLIGHT elements of x on their way to it at a time.

template <class T> __device__ inline T element_combine(int f, T a, T b) {
    switch (f) {
    case 0: return a + b;
    case 1: return a * b;
    case 2: return Maximum::combine(a, b);
    }
    return Minimum::combine(a, b);
}
template <class T>
__device__ inline void elements_reduce(T *dst, const T *x, long long outer, long long size, long long inner,
                                       long long parts, int f) {
    constexpr int FLIGHT = 8;
    for (long long i = global_thread(); i < outer * parts * inner; i += global_threads()) {
        const long long column = i % inner, part = i / inner % parts;
        const T *from = x + i / inner / parts * size * inner + column;
        T value = from[part * inner], v[FLIGHT];
        for (long long j = part + parts; j < size; j += FLIGHT * parts) {
#pragma unroll
            for (int k = 0; k < FLIGHT; k++)
                if (j + k * parts < size) v[k] = from[(j + k * parts) * inner];
#pragma unroll
            for (int k = 0; k < FLIGHT; k++)
                if (j + k * parts < size) value = element_combine(f, value, v[k]);
        }
        dst[i] = value;
    }
}

// ----- elements_softmax: y_ji = exp(x_ji - m_i) / s_i, or x_ji - m_i - log s_i where logs is set -----------
//
// m_i = max_j x_ji, s_i = sum_j exp(x_ji - m_i) for every i < inner of every outer; x and y outer x size x inner, and
// may be the same. Bytes 2 s outer size inner and two reads from the cache. A group of lanes has the elements of one
// sum where they lie together, a thread has them where they lie apart.

template <class T>
__device__ inline void elements_softmax(T *y, const T *x, long long outer, long long size, long long inner, int logs,
                                        int group) {
    const int rows = blockDim.x / group, lane = threadIdx.x % group;
    const long long all = outer * inner;
    for (long long first = (long long)blockIdx.x * rows; first < all; first += (long long)gridDim.x * rows) {
        const long long r = first + threadIdx.x / group, at = r / inner * size * inner + r % inner;
        const long long terms = r < all ? size : 0;
        T largest = -infinity<T>(), sum = 0;
        for (long long j = lane; j < terms; j += group) largest = Maximum::combine(largest, x[at + j * inner]);
        largest = group_max(largest, group);
        for (long long j = lane; j < terms; j += group) sum += exponential(x[at + j * inner] - largest);
        sum = group_sum(sum, group);
        const T shift = logs ? logarithm(sum) : T(0);
        for (long long j = lane; j < terms; j += group) {
            const T above = x[at + j * inner] - largest;
            y[at + j * inner] = logs ? above - shift : exponential(above) / sum;
        }
    }
}

// ----- elements_softmax_grad: from the gradient g of y that of x ---------------------------------------
//
//   y_ji (g_ji - sum_k y_ki g_ki), or g_ji - exp(y_ji) sum_k g_ki where logs is set
//
// Shapes and threads as for elements_softmax; x_grad may be y_grad. Bytes 3 s outer size inner.

template <class T>
__device__ inline void elements_softmax_grad(T *x_grad, const T *y, const T *y_grad, long long outer,
                                             long long size, long long inner, int logs, int group) {
    const int rows = blockDim.x / group, lane = threadIdx.x % group;
    const long long all = outer * inner;
    for (long long first = (long long)blockIdx.x * rows; first < all; first += (long long)gridDim.x * rows) {
        const long long r = first + threadIdx.x / group, at = r / inner * size * inner + r % inner;
        const long long terms = r < all ? size : 0;
        T sum = 0;
        for (long long j = lane; j < terms; j += group) {
            const long long i = at + j * inner;
            sum = logs ? sum + y_grad[i] : multiply_add(y[i], y_grad[i], sum);
        }
        sum = group_sum(sum, group);
        for (long long j = lane; j < terms; j += group) {
            const long long i = at + j * inner;
            x_grad[i] = logs ? y_grad[i] - exponential(y[i]) * sum : y[i] * (y_grad[i] - sum);
        }
    }
}

// ----- elements_copy: elements of one layout to another ------------------------------------------------
//
// Index i = (i_0, i_1, ...) below the sizes is element sum_k i_k dst_stride_k of dst and sum_k i_k src_stride_k of src.
// layout holds, for every dimension, its size and the two strides. Bytes 2 s n; strides in src cost sectors.

template <class T>
__device__ inline void elements_copy(T *dst, const T *src, const long long *layout, int dims, long long n) {
    for (long long i = global_thread(); i < n; i += global_threads()) {
        long long rest = i, to = 0, from = 0;
        for (int k = dims - 1; k >= 0; k--) {
            const long long size = layout[3 * k], index = rest % size;
            rest /= size;
            to += index * layout[3 * k + 1];
            from += index * layout[3 * k + 2];
        }
        dst[to] = src[from];
    }
}

#define ELEMENTS(suffix, T)                                                                                            \
    extern "C" __global__ void elements_binary_##suffix(T *dst, const T *a, const T *b, T left, T right, long long n,  \
                                                        int f, int add) {                                              \
        elements_binary(dst, a, b, left, right, n, f, add);                                                            \
    }                                                                                                                  \
    extern "C" __global__ void elements_unary_##suffix(T *dst, const T *x, T low, T high, long long n, int f,          \
                                                       int add) {                                                      \
        elements_unary(dst, x, low, high, n, f, add);                                                                  \
    }                                                                                                                  \
    extern "C" __global__ void elements_reduce_##suffix(T *__restrict__ dst, const T *__restrict__ x, long long outer, \
                                                        long long size, long long inner, long long parts, int f) {     \
        elements_reduce(dst, x, outer, size, inner, parts, f);                                                         \
    }                                                                                                                  \
    extern "C" __global__ void elements_softmax_##suffix(T *y, const T *x, long long outer, long long size,            \
                                                         long long inner, int logs, int group) {                       \
        elements_softmax(y, x, outer, size, inner, logs, group);                                                       \
    }                                                                                                                  \
    extern "C" __global__ void elements_softmax_grad_##suffix(T *x_grad, const T *y, const T *y_grad, long long outer, \
                                                              long long size, long long inner, int logs, int group) {  \
        elements_softmax_grad(x_grad, y, y_grad, outer, size, inner, logs, group);                                     \
    }                                                                                                                  \
    extern "C" __global__ void elements_copy_##suffix(T *__restrict__ dst, const T *__restrict__ src,                  \
                                                      const long long *__restrict__ layout, int dims, long long n) {   \
        elements_copy(dst, src, layout, dims, n);                                                                      \
    }
ELEMENTS(f32, float)
ELEMENTS(f64, double)
