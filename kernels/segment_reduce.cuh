// Pooling of segments and its gradient.
//
//   out_g = sum, mean or maximum over offsets[g] <= i < offsets[g+1] of weights_i x_{index_i}
//
// x rows x q, out segments x q, offsets segments + 1; index null: item i is row i; weights null: ones. An empty
// segment gives zeros. A mean is divided by divisor_g, or by span[g+1] - span[g] where divisor is null, and is
// zero where that is zero. pool is 0 for a sum, 1 for a mean, 2 for a maximum. Rows in float have a result in
// float or, where the sums shall lose nothing, in double.
//
// Bytes s q (items + segments) + 4 items, floor bytes / copy bandwidth (of scattered rows of at least a
// sector each where there is an index).
// A group of lanes owns V columns each of a segment and reads its rows one after the other, four of them at
// a time. Segments longer than a fixed length are cut into pieces of that length by the host, which launches
// the kernel on the pieces first and then on the results of the pieces: the order of additions depends on
// the segments alone. The update of anchors is this operation over the points sorted by anchor.
// Prediction, not a measurement: 70 to 85% of the floor for rows of 128 bytes or more.
#pragma once
#include "vectors.cuh"

template <int V, class S, class T>
__device__ inline void segment_reduce(S *out, const T *x, const int *offsets, const int *index, const S *weights,
                                      const S *divisor, const int *span, int segments, int q, int pool, int group) {
    constexpr int AHEAD = 4;
    const int blocks = (q + group * V - 1) / (group * V), lane = threadIdx.x % group;
    for (long long unit = global_thread() / group; unit < (long long)segments * blocks;
         unit += global_threads() / group) {
        const int g = (int)(unit / blocks), column = ((int)(unit % blocks) * group + lane) * V;
        if (column >= q) continue;
        const int from = offsets[g], to = offsets[g + 1];
        S sum[V];
#pragma unroll
        for (int v = 0; v < V; v++) sum[v] = pool == 2 && from < to ? -infinity<S>() : S(0);
        for (int i = from; i < to; i += AHEAD) {
            T value[AHEAD][V];
#pragma unroll
            for (int a = 0; a < AHEAD; a++) {
                const int item = min(i + a, to - 1);
                load_some(value[a], x + (long long)(index ? index[item] : item) * q + column, V, V > 1);
            }
#pragma unroll
            for (int a = 0; a < AHEAD; a++) {
                if (i + a >= to) break;
                const S weight = weights ? weights[i + a] : S(1);
#pragma unroll
                for (int v = 0; v < V; v++) {
                    if (pool == 2) sum[v] = value[a][v] > sum[v] ? S(value[a][v]) : sum[v];
                    else sum[v] = multiply_add(weight, S(value[a][v]), sum[v]);
                }
            }
        }
        if (pool == 1) {
            const S by = divisor ? divisor[g] : S(span[g + 1] - span[g]);
#pragma unroll
            for (int v = 0; v < V; v++) sum[v] = by != S(0) ? sum[v] / by : S(0);
        }
        store_some(out + (long long)g * q + column, sum, V, V > 1);
    }
}

#define SEGMENT_REDUCE(NAME, S, T, V)                                                                                  \
    extern "C" __global__ void __launch_bounds__(256)                                                                  \
    NAME(S *__restrict__ out, const T *__restrict__ x, const int *__restrict__ offsets,                                \
         const int *__restrict__ index, const S *__restrict__ weights, const S *__restrict__ divisor,                  \
         const int *__restrict__ span, int segments, int q, int pool, int group) {                                     \
        segment_reduce<V>(out, x, offsets, index, weights, divisor, span, segments, q, pool, group);                   \
    }
SEGMENT_REDUCE(segment_reduce_f32, float, float, 1)
SEGMENT_REDUCE(segment_reduce_f64, double, double, 1)
SEGMENT_REDUCE(segment_reduce_f32_f64, double, float, 1)
SEGMENT_REDUCE(segment_reduce_wide_f32, float, float, 4)
SEGMENT_REDUCE(segment_reduce_wide_f64, double, double, 2)
SEGMENT_REDUCE(segment_reduce_wide_f32_f64, double, float, 4)
