// Histogram intersection: a thread for each element merges two rows.
#pragma once
#include "../threads.cuh"

template <class T>
__device__ inline void histogram_intersection_plain(T *out, const int *row_ptr, const int *col, const T *values,
                                                    const int *other_row_ptr, const int *other_col,
                                                    const T *other_values, int rows, int others) {
    const long long elements = static_cast<long long>(rows) * others;
    for (long long item = global_thread(); item < elements; item += global_threads()) {
        const int i = static_cast<int>(item / others), j = static_cast<int>(item % others);
        int e = row_ptr[i], f = other_row_ptr[j];
        T sum = T(0);
        while (e < row_ptr[i + 1] && f < other_row_ptr[j + 1]) {
            const int difference = col[e] - other_col[f];
            if (difference == 0) sum += min(values ? values[e] : T(1), other_values ? other_values[f] : T(1));
            e += difference <= 0;
            f += difference >= 0;
        }
        out[item] = sum;
    }
}

#define HISTOGRAM_INTERSECTION_PLAIN(NAME, T)                                                                          \
    extern "C" __global__ void NAME(T *out, const int *row_ptr, const int *col, const T *values,                       \
                                    const int *other_row_ptr, const int *other_col, const T *other_values, int rows,   \
                                    int others) {                                                                      \
        histogram_intersection_plain<T>(out, row_ptr, col, values, other_row_ptr, other_col, other_values, rows,       \
                                        others);                                                                       \
    }
HISTOGRAM_INTERSECTION_PLAIN(histogram_intersection_plain_f32, float)
HISTOGRAM_INTERSECTION_PLAIN(histogram_intersection_plain_f64, double)
