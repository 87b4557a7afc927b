// Dynamic features: a thread for each example and feature, which writes its values far from its neighbours'.
#pragma once
#include "../searches.cuh"

extern "C" __global__ void __launch_bounds__(256)
dynamic_features_plain_f64(double *columns, const double *x, const int *searches, const double *empties,
                           const long long *places, const int *examples, const int *nodes, const int *offsets,
                           const unsigned char *sides, const double *factors, const double *shifts,
                           const int *aggregations, int kinds, int n, int q, int count) {
    const DynamicFeatures f = {x, nullptr, infinity<int>(), offsets, sides, factors, shifts, n, q};
    for (int s = blockIdx.y; s < count; s += gridDim.y) {
        const SearchFields t = search_fields(searches, empties, s);
        const int first = nodes[t.node], m = nodes[t.node + 1] - first;
        for (long long item = global_thread(); item < static_cast<long long>(m) * q; item += global_threads()) {
            const int k = static_cast<int>(item % q), at = static_cast<int>(item / q), example = examples[first + at];
            double *to = columns + places[s] + static_cast<long long>(k) * m + at;
            if (!offsets) {
                *to = f.entry(t, example, k);
                continue;
            }
            const Entries e = entries_of(f, t, example, k);
            for (int a = 0; a < kinds; a++) to[static_cast<long long>(a) * q * m] = e.value(aggregations[a], t.empty);
        }
    }
}
