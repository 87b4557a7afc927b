// Diagonals of powers: a thread for each vertex walks all powers with two vectors in global memory.
#pragma once
#include "../weighted_arcs.cuh"

// Each thread of the grid has space for 2 stride values.
template <class T>
__device__ inline void power_diagonal_plain(T *y, WeightedArcs<T> a, const int *offsets, int graphs, int n, int powers, T *values, long long stride) {
    T *current = values + 2 * global_thread() * stride, *before = current + stride;
    for (long long v = global_thread(); v < n; v += global_threads()) {
        const int g = graph_of(offsets, graphs, static_cast<int>(v)), first = offsets[g], size = offsets[g + 1] - first;
        for (int u = 0; u < size; u++) current[u] = first + u == v ? T(1) : T(0);
        for (int d = 0; d < powers; d++) {
            T *swapped = before;
            before = current;
            current = swapped;
            for (int u = 0; u < size; u++) {
                T sum = T(0);
                for (int e = a.row_ptr[first + u]; e < a.row_ptr[first + u + 1]; e++) sum += a.weight(e) * before[a.col[e] - first];
                current[u] = sum;
            }
            y[v * powers + d] = current[v - first];
        }
    }
}

#define POWER_DIAGONAL_PLAIN(NAME, T)                                                                                     \
    extern "C" __global__ void NAME(T *y, const int *row_ptr, const int *col, const T *weights, const int *offsets,       \
                                    int graphs, int n, int powers, T *values, long long stride) {                         \
        power_diagonal_plain<T>(y, {row_ptr, col, weights}, offsets, graphs, n, powers, values, stride);                  \
    }
POWER_DIAGONAL_PLAIN(power_diagonal_plain_f32, float)
POWER_DIAGONAL_PLAIN(power_diagonal_plain_f64, double)
