// segment_winners, segment_max_grad: gradient of maxima.
//
//   winner_gf = the first item of segment g that attains the maximum of column f, -1 where there is none
//   x_grad_rf = sum of out_grad_{s_i,f} over the items i of row r with winner_{s_i,f} = i        s_i: segment of item i
//
// The items of row r are items[row_offsets[r] .. row_offsets[r+1]], ascending, and item_segment is s_i: the
// host sorts them, and cuts rows of many items as it cuts long segments. Sums and means go back by segment_reduce
// itself: x_grad_r is the sum of out_grad_{s_i}, times the share of item i, over the items of the row.
//
// segment_winners: candidates null: the items themselves; else candidates[i] has the winners of piece i of a cut
// segment. Bytes s q items + 4 items + 4 q segments. segment_max_grad: bytes (s + 4) q items + 8 items + s q rows, of
// which the winners and gradients come from the cache where segments are short. Floor bytes / copy bandwidth.
// A group of lanes owns a column each of a segment or of a row.
// Prediction, not a measurement: 60% of the floor for rows of 128 bytes or more.
#pragma once
#include "threads.cuh"

template <class T>
__device__ inline void segment_winners(int *winners, const T *x, const int *offsets, const int *index,
                                       const int *candidates, int segments, int q, int group) {
    const int blocks = (q + group - 1) / group, lane = threadIdx.x % group;
    for (long long unit = global_thread() / group; unit < (long long)segments * blocks;
         unit += global_threads() / group) {
        const int g = (int)(unit / blocks), column = (int)(unit % blocks) * group + lane;
        if (column >= q) continue;
        int winner = -1;
        T best = 0;
        for (int i = offsets[g]; i < offsets[g + 1]; i++) {
            const int item = candidates ? candidates[(long long)i * q + column] : i;
            const T value = x[(long long)(index ? index[item] : item) * q + column];
            if (winner < 0 || value > best) {
                winner = item;
                best = value;
            }
        }
        winners[(long long)g * q + column] = winner;
    }
}

template <class T>
__device__ inline void segment_max_grad(T *x_grad, const T *out_grad, const int *winners, const int *row_offsets,
                                        const int *items, const int *item_segment, int rows, int q, int group) {
    const int blocks = (q + group - 1) / group, lane = threadIdx.x % group;
    for (long long unit = global_thread() / group; unit < (long long)rows * blocks; unit += global_threads() / group) {
        const int r = (int)(unit / blocks), column = (int)(unit % blocks) * group + lane;
        if (column >= q) continue;
        T sum = 0;
        for (int k = row_offsets[r]; k < row_offsets[r + 1]; k++) {
            const int item = items[k];
            const long long from = (long long)item_segment[item] * q + column;
            if (winners[from] == item) sum += out_grad[from];
        }
        x_grad[(long long)r * q + column] = sum;
    }
}

#define SEGMENT_MAX_GRAD(suffix, T)                                                                                    \
    extern "C" __global__ void __launch_bounds__(256) segment_winners_##suffix(                                        \
        int *__restrict__ winners, const T *__restrict__ x, const int *__restrict__ offsets,                           \
        const int *__restrict__ index, const int *__restrict__ candidates, int segments, int q, int group) {           \
        segment_winners(winners, x, offsets, index, candidates, segments, q, group);                                   \
    }                                                                                                                  \
    extern "C" __global__ void __launch_bounds__(256) segment_max_grad_##suffix(                                       \
        T *__restrict__ x_grad, const T *__restrict__ out_grad, const int *__restrict__ winners,                       \
        const int *__restrict__ row_offsets, const int *__restrict__ items, const int *__restrict__ item_segment,      \
        int rows, int q, int group) {                                                                                  \
        segment_max_grad(x_grad, out_grad, winners, row_offsets, items, item_segment, rows, q, group);                 \
    }
SEGMENT_MAX_GRAD(f32, float)
SEGMENT_MAX_GRAD(f64, double)
