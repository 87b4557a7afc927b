// Placement of rows.
//
//   dst_{i, f stride} = src_{index_i, f}        src . x q, rows of dst are ld apart, index null: row i
//
// dst points at the first element of the block to be written.
//
// Bytes 2 s rows q + 4 rows, floor bytes / copy bandwidth; with a stride whole sectors are written for
// single elements, up to 32 / s times as much.
// A group of lanes copies a row, 16 bytes each at a time where stride is 1 and everything is aligned.
// Prediction, not a measurement: 80% of the floor for rows of 128 bytes or more.
#pragma once
#include "vectors.cuh"

template <class T>
__device__ inline void place(T *dst, const T *src, const int *index, int rows, int q, int ld, int stride, int group) {
    constexpr int V = 16 / sizeof(T);
    const bool wide = stride == 1 && aligned16(dst) && aligned16(src) && q % V == 0 && ld % V == 0;
    const int lane = threadIdx.x % group;
    for (long long i = global_thread() / group; i < rows; i += global_threads() / group) {
        const T *from = src + (index ? index[i] : i) * (long long)q;
        T *to = dst + i * ld;
        if (wide) {
            for (int f = lane * V; f < q; f += group * V) {
                T value[V];
                load16(value, from + f);
                store16(to + f, value);
            }
        } else {
            for (int f = lane; f < q; f += group) to[(long long)f * stride] = from[f];
        }
    }
}
extern "C" __global__ void place_f32(float *__restrict__ dst, const float *__restrict__ src,
                                     const int *__restrict__ index, int rows, int q, int ld, int stride, int group) {
    place(dst, src, index, rows, q, ld, stride, group);
}
extern "C" __global__ void place_f64(double *__restrict__ dst, const double *__restrict__ src,
                                     const int *__restrict__ index, int rows, int q, int ld, int stride, int group) {
    place(dst, src, index, rows, q, ld, stride, group);
}
