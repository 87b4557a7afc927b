// Sums that rows are added to, one after another.
//
//   sums_g = sums_g + weights_i x_{index_i}      for offsets[g] <= i < offsets[g+1] in this order
//
// x rows x q, sums segments x q in double, offsets segments + 1; index null: item i is row i; weights null: ones. Every
// product and every sum is rounded, none is fused: these are the bits of the host.
//
// Bytes s q items + 12 items + 16 q segments, floor bytes / copy bandwidth of scattered rows
// A lane owns a column of a segment, a group of lanes the columns that lie side by side; AHEAD rows are on their way at
// a time with their weights, and the numbers of those after them. The order of additions leaves the longest segment as
// it is: 0.1 us an item. Prediction, not a measurement: the larger of that and 60% of the floor.
#pragma once
#include "threads.cuh"

template <class T>
__device__ inline void add_rows(double *sums, const T *x, const int *offsets, const int *index, const double *weights,
                                int segments, int q, int group) {
    constexpr int AHEAD = 16;
    const int blocks = (q + group - 1) / group, lane = threadIdx.x % group;
    for (long long unit = global_thread() / group; unit < (long long)segments * blocks;
         unit += global_threads() / group) {
        const int g = (int)(unit / blocks), column = (int)(unit % blocks) * group + lane;
        if (column >= q) continue;
        const int from = offsets[g], to = offsets[g + 1];
        if (from >= to) continue;
        double sum = sums[(long long)g * q + column];
        int row[AHEAD];
        const auto rows_from = [&](int i) {
#pragma unroll
            for (int a = 0; a < AHEAD; a++) {
                const int item = min(i + a, to - 1);
                row[a] = index ? index[item] : item;
            }
        };
        rows_from(from);
        for (int i = from; i < to; i += AHEAD) {
            double value[AHEAD], weight[AHEAD];
#pragma unroll
            for (int a = 0; a < AHEAD; a++) {
                value[a] = x[(long long)row[a] * q + column];
                if (weights) weight[a] = weights[min(i + a, to - 1)];
            }
            rows_from(min(i, to - AHEAD) + AHEAD);
#pragma unroll
            for (int a = 0; a < AHEAD; a++)
                if (i + a < to) sum = __dadd_rn(sum, weights ? __dmul_rn(weight[a], value[a]) : value[a]);
        }
        sums[(long long)g * q + column] = sum;
    }
}

#define ADD_ROWS(NAME, T)                                                                                              \
    extern "C" __global__ void __launch_bounds__(256)                                                                  \
    NAME(double *__restrict__ sums, const T *__restrict__ x, const int *__restrict__ offsets,                          \
         const int *__restrict__ index, const double *__restrict__ weights, int segments, int q, int group) {          \
        add_rows(sums, x, offsets, index, weights, segments, q, group);                                                \
    }
ADD_ROWS(add_rows_f32, float)
ADD_ROWS(add_rows_f64, double)
