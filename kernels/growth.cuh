// Trees that grow on the device: their examples stay there in the order in which splits leave them, and so do the
// subsets that splits generate. Only the chosen splits leave the device, with what is known of the children.
//
// A node has NODE_FIELDS integers: where its examples begin in the order, how many splits are above it, and the row of
// sides that its split writes (-1: none). The examples of the root lie in their own order; below it splits write one of
// two orders of `planted` positions by turns, so that what a node reads stays as it is. The columns, their best splits
// and `nodes` are those of best_splits.
//
// level_examples: one thread for each example of a level: its weight and target (less the centre of the node) or class
// where best_splits reads them, and a stamp on the vertices of its graph. Bytes: 24 to 44 for an example. Floor:
// memory.
//
// choose_splits: one block for each node takes the first column of the largest gain, unless an earlier pass over other
// columns has a better one, orders the examples by it and adds up what is known of the children. Bytes: 8 for an
// example of the node, twice, 8 for its place, and some 60 for the sums, which a cache has. Floor: memory, but a node
// has one block.
//
// cut_subsets: a warp for each graph of a node, or a thread for each vertex where examples are vertices, divides the
// subset that the chosen split looks at by its threshold, which is that of a sum divided by the size of the subset.
// Bytes: 9 to 11 for a vertex. Floor: memory.
#pragma once
#include "node_sums.cuh"
#include "searches.cuh"

constexpr int NODE_FIELDS = 3;
struct GrowingNode {
    int from, depth, row;
    // position returns where example i of the node is in the list of examples of the tree.
    __device__ int position(const int *order, int planted, int i) const {
        return depth == 0 ? from + i : order[static_cast<long long>(depth % 2) * planted + from + i];
    }
};
__device__ inline GrowingNode growing_node(const int *fields, int node) {
    const int *at = fields + static_cast<long long>(node) * NODE_FIELDS;
    return {at[0], at[1], at[2]};
}

extern "C" __global__ void __launch_bounds__(256)
level_examples_f64(double *weights, double *targets, int *classes, int *examples, int *stamps, const int *order,
                   const int *fields, const double *centres, const int *nodes, int count, const int *example_of,
                   const double *weight_of, const double *target_of, const int *class_of, const int *offsets,
                   int stamp, int planted) {
    const int all = nodes[count];
    for (int i = static_cast<int>(global_thread()); i < all; i += static_cast<int>(global_threads())) {
        int node = 0, end = count; // nodes[node] <= i < nodes[end]
        while (end - node > 1) {
            const int middle = (node + end) / 2;
            if (nodes[middle] <= i) node = middle;
            else end = middle;
        }
        const int at = growing_node(fields, node).position(order, planted, i - nodes[node]), example = example_of[at];
        const double w = weight_of[at];
        examples[i] = example, weights[i] = w;
        if (target_of) targets[i] = target_of[at] - __dmul_rn(w, centres[node]);
        else classes[i] = class_of[at];
        if (!stamps) continue;
        for (int v = offsets[example]; v < offsets[example + 1]; v++) stamps[v] = stamp;
    }
}

__device__ inline bool exceeds(double value, double threshold, bool missing_above) {
    return value > threshold || (value != value && missing_above);
}

extern "C" __global__ void __launch_bounds__(256)
choose_splits_f64(double *best, double *children, int *chosen, int *sides, int *order, const double *found,
                  const double *columns, const int *first_search, const int *ranks, const long long *places,
                  const int *numbers, const int *nodes, const int *fields, const int *words, const double *weight_of,
                  const double *value_of, const double *target_of, const double *shift, const int *class_of, int width,
                  int all, int planted, int per_search, int q, int count, int first) {
    __shared__ int ups_of_warp[WARP];
    const TreeTargets t = {weight_of, value_of, target_of, shift, class_of, width};
    const int of_child = sums_of(value_of, width);
    for (int node = blockIdx.x; node < count; node += gridDim.x) {
        Best<double> mine = no_best<double>();
        for (int c = first_search[node] * per_search + static_cast<int>(threadIdx.x);
             c < first_search[node + 1] * per_search; c += blockDim.x)
            if (found[3LL * c] > 0) mine = better(mine, Best<double>{found[3LL * c], c});
        mine = block_best(mine);
        double *row = best + 4LL * node, number = 0;
        const int m = nodes[node + 1] - nodes[node];
        int s = 0, within = 0;
        bool improves = mine.index >= 0;
        if (improves) {
            s = mine.index / per_search, within = mine.index % per_search;
            number = (static_cast<double>(ranks[s]) * (per_search / q) + within / q) * all + numbers[within % q];
            improves = first || mine.value > row[0] || (mine.value == row[0] && number < row[2]);
        }
        __syncthreads();
        const double *split = found + 3LL * mine.index;
        if (threadIdx.x == 0) {
            chosen[node] = improves ? mine.index : -1;
            if (improves) row[0] = mine.value, row[1] = split[1], row[2] = number, row[3] = split[2];
            else if (first) row[0] = row[1] = row[2] = row[3] = 0;
        }
        int *word = sides + words[node];
        double *sums = children + 2LL * node * of_child;
        if (!improves) {
            for (int i = threadIdx.x; first && i < 2 * of_child; i += blockDim.x) sums[i] = 0;
            continue;
        }
        const double *column = columns + places[s] + static_cast<long long>(within) * m, threshold = split[1];
        // A warp takes some words in a row, so that it needs the others for its first place alone.
        const int number_of_words = (m + WARP - 1) / WARP;
        const int from = static_cast<int>(static_cast<long long>(number_of_words) * warp_index() / block_warps());
        const int end = static_cast<int>(static_cast<long long>(number_of_words) * (warp_index() + 1) / block_warps());
        const bool missing_above = split[2] != 0;
        int of_warp = 0;
#pragma unroll 4
        for (int w = from; w < end; w++) {
            const int i = w * WARP + lane_index();
            const unsigned bits = __ballot_sync(ALL_LANES, i < m && exceeds(column[i], threshold, missing_above));
            if (lane_index() == 0) word[w] = static_cast<int>(bits);
            of_warp += __popc(bits);
        }
        if (lane_index() == 0) ups_of_warp[warp_index()] = of_warp;
        __syncthreads();
        int before = 0, ups = 0; // examples above the threshold, before the warp's next word and in all
        for (int w = 0; w < block_warps(); w++) {
            before += w < warp_index() ? ups_of_warp[w] : 0;
            ups += ups_of_warp[w];
        }
        const GrowingNode n = growing_node(fields, node);
        int *to = order + static_cast<long long>((n.depth + 1) % 2) * planted + n.from;
#pragma unroll 4
        for (int w = from; w < end; w++) {
            const int i = w * WARP + lane_index();
            const unsigned bits = static_cast<unsigned>(word[w]);
            const int above = before + __popc(bits & ((1u << lane_index()) - 1));
            if (i < m) to[bits >> lane_index() & 1 ? m - ups + above : i - above] = n.position(order, planted, i);
            before += __popc(bits);
        }
        __syncthreads();
        node_sums(sums, t, m - ups, [&](int i) { return to[i]; });
        node_sums(sums + of_child, t, ups, [&](int i) { return to[m - ups + i]; });
    }
}

extern "C" __global__ void __launch_bounds__(256)
cut_subsets_f64(unsigned char *sides, const double *best, const int *chosen, const double *x, const double *walked,
                int shared, const int *searches, const double *empties, const int *examples, const int *nodes,
                const int *fields, const int *offsets, const double *factors, const double *shifts,
                const int *aggregations, int per_search, int n, int q, int count) {
    const DynamicFeatures f = {x, walked, shared, offsets, sides, factors, shifts, n, q};
    for (int node = blockIdx.y; node < count; node += gridDim.y) {
        const int row = growing_node(fields, node).row, column = chosen[node];
        if (row < 0 || column < 0) continue;
        const SearchFields t = search_fields(searches, empties, column / per_search);
        const int k = column % q, kind = column % per_search / q;
        const double threshold = best[4LL * node + 1];
        const bool missing_above = best[4LL * node + 3] != 0;
        unsigned char *to = sides + static_cast<long long>(row) * n;
        const auto side = [&](int v, double bound) {
            if (!in_subset(sides, t.subset, v, n)) return 0;
            return exceeds(f.entry(t, v, k), bound, missing_above) ? 1 : 2;
        };
        if (!offsets) {
            for (long long v = global_thread(); v < n; v += global_threads())
                to[v] = static_cast<unsigned char>(side(static_cast<int>(v), threshold));
            continue;
        }
        const bool of_sum = aggregations[kind] == 0;
        for (long long i = nodes[node] + global_thread() / WARP; i < nodes[node + 1]; i += global_threads() / WARP) {
            const int from = offsets[examples[i]], end = offsets[examples[i] + 1];
            int size = 0;
            for (int v = from + lane_index(); of_sum && v < end; v += WARP) size += in_subset(sides, t.subset, v, n);
            const double bound = of_sum ? threshold / warp_sum(size) : threshold;
            for (int v = from + lane_index(); v < end; v += WARP) to[v] = static_cast<unsigned char>(side(v, bound));
        }
    }
}
