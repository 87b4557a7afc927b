// dynamic_features: columns of what vectors along walks come to at examples.
//
// Search s reads vector x_v (n x q; from number `shared` on one of walked) and writes kinds q m values from places[s]
// on, m the examples of its node: for a graph sum, mean, minimum or maximum of the entries of its vertices, for a
// vertex (offsets null, one kind) its entry. hollow, unless null, tells the graphs whose subset is empty, a byte for
// each example of each search.
// Bytes: 8 q for every vertex of an example, 1 for its side, 8 kinds q for an example. Operations: 4 for each
// entry. Floor: memory.
//
// dynamic_features: a block takes TILE_EXAMPLES examples and TILE_FEATURES features and turns them in shared
// memory, so that 64 bytes are read together and 256 are written.
#pragma once
#include "searches.cuh"

constexpr int TILE_EXAMPLES = 32, TILE_FEATURES = 8, MOST_KINDS = 4;

extern "C" __global__ void __launch_bounds__(TILE_EXAMPLES *TILE_FEATURES)
dynamic_features_f64(double *columns, unsigned char *hollow, const double *x, const double *walked, int shared,
                     const int *searches, const double *empties, const long long *places, const int *examples,
                     const int *nodes, const int *offsets, const unsigned char *sides, const double *factors,
                     const double *shifts, const int *aggregations, int kinds, int n, int q, int count) {
    __shared__ double tile[MOST_KINDS][TILE_FEATURES][TILE_EXAMPLES + 1];
    const DynamicFeatures f = {x, walked, shared, offsets, sides, factors, shifts, n, q};
    const int feature = threadIdx.x % TILE_FEATURES, example = threadIdx.x / TILE_FEATURES;
    for (int s = blockIdx.y; s < count; s += gridDim.y) {
        const SearchFields t = search_fields(searches, empties, s);
        const int first = nodes[t.node], m = nodes[t.node + 1] - first,
                  across = (q + TILE_FEATURES - 1) / TILE_FEATURES;
        const long long tiles = static_cast<long long>((m + TILE_EXAMPLES - 1) / TILE_EXAMPLES) * across;
        for (long long at = blockIdx.x; at < tiles; at += gridDim.x) {
            const int from = static_cast<int>(at / across) * TILE_EXAMPLES,
                      k0 = static_cast<int>(at % across) * TILE_FEATURES;
            if (from + example < m && k0 + feature < q) {
                const int i = examples[first + from + example];
                if (offsets) {
                    const Entries e = entries_of(f, t, i, k0 + feature);
                    for (int a = 0; a < kinds; a++) tile[a][feature][example] = e.value(aggregations[a], t.empty);
                    if (hollow && k0 + feature == 0)
                        hollow[places[s] / (static_cast<long long>(kinds) * q) + from + example] = e.size == 0;
                } else {
                    tile[0][feature][example] = f.entry(t, i, k0 + feature);
                }
            }
            __syncthreads();
            const int k = k0 + warp_index(), to = from + lane_index();
            if (k < q && to < m)
                for (int a = 0; a < kinds; a++)
                    columns[places[s] + (static_cast<long long>(a) * q + k) * m + to] =
                        tile[a][warp_index()][lane_index()];
            __syncthreads();
        }
    }
}
