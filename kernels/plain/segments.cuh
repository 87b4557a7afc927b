// Pooling of segments: a thread for each column of a segment, however long.
#pragma once
#include "../threads.cuh"

template <class S, class T>
__device__ inline void segment_reduce_plain(S *out, const T *x, const int *offsets, const int *index, const S *weights,
                                            const S *divisor, int segments, int q, int pool) {
    for (long long e = global_thread(); e < (long long)segments * q; e += global_threads()) {
        const int g = (int)(e / q), column = (int)(e % q);
        S sum = 0;
        for (int i = offsets[g]; i < offsets[g + 1]; i++) {
            const S value = x[(long long)(index ? index[i] : i) * q + column];
            if (pool != 2) sum += (weights ? weights[i] : S(1)) * value;
            else if (i == offsets[g] || value > sum) sum = value;
        }
        if (pool == 1) {
            const S by = divisor ? divisor[g] : S(offsets[g + 1] - offsets[g]);
            sum = by != S(0) ? sum / by : S(0);
        }
        out[e] = sum;
    }
}

#define SEGMENT_REDUCE_PLAIN(NAME, S, T)                                                                               \
    extern "C" __global__ void NAME(S *__restrict__ out, const T *__restrict__ x, const int *__restrict__ offsets,     \
                                    const int *__restrict__ index, const S *__restrict__ weights,                      \
                                    const S *__restrict__ divisor, int segments, int q, int pool) {                    \
        segment_reduce_plain(out, x, offsets, index, weights, divisor, segments, q, pool);                             \
    }
SEGMENT_REDUCE_PLAIN(segment_reduce_plain_f32, float, float)
SEGMENT_REDUCE_PLAIN(segment_reduce_plain_f64, double, double)
SEGMENT_REDUCE_PLAIN(segment_reduce_plain_f32_f64, double, float)

// The plain ancestor of both, for every pooling: a thread for each element of x_grad goes through the items of its row,
// for a maximum each time through the whole segment. share null: ones.
template <class T>
__device__ inline void segment_reduce_grad_plain(T *x_grad, const T *out_grad, const T *x, const int *offsets,
                                                 const int *index, const T *share, const int *row_offsets,
                                                 const int *items, const int *item_segment, int rows, int q, int pool) {
    for (long long e = global_thread(); e < (long long)rows * q; e += global_threads()) {
        const int r = (int)(e / q), column = (int)(e % q);
        T sum = 0;
        for (int k = row_offsets[r]; k < row_offsets[r + 1]; k++) {
            const int item = items[k], g = item_segment[item];
            const T gradient = out_grad[(long long)g * q + column];
            if (pool != 2) {
                sum += (share ? share[item] : T(1)) * gradient;
                continue;
            }
            bool wins = true;
            for (int i = offsets[g]; i < offsets[g + 1] && wins; i++) {
                const T other = x[(long long)(index ? index[i] : i) * q + column], own = x[e];
                wins = i < item ? !(other >= own) : !(other > own);
            }
            if (wins) sum += gradient;
        }
        x_grad[e] = sum;
    }
}

#define SEGMENT_REDUCE_GRAD_PLAIN(suffix, T)                                                                           \
    extern "C" __global__ void segment_reduce_grad_plain_##suffix(                                                     \
        T *__restrict__ x_grad, const T *__restrict__ out_grad, const T *__restrict__ x,                               \
        const int *__restrict__ offsets, const int *__restrict__ index, const T *__restrict__ share,                   \
        const int *__restrict__ row_offsets, const int *__restrict__ items, const int *__restrict__ item_segment,      \
        int rows, int q, int pool) {                                                                                   \
        segment_reduce_grad_plain(x_grad, out_grad, x, offsets, index, share, row_offsets, items, item_segment, rows,  \
                                  q, pool);                                                                            \
    }
SEGMENT_REDUCE_GRAD_PLAIN(f32, float)
SEGMENT_REDUCE_GRAD_PLAIN(f64, double)
