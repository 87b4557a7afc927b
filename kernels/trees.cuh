// Examples on their way through fitted trees, all of a depth at once.
//
// A node has TREE_FIELDS integers and TREE_NUMBERS doubles, see TreeNode. Features are F x n. A slot is what has a
// vector of its own: a tree where examples are graphs, for a graph is at one node of each tree; else a node. `at` has
// the node of every example, tree by tree; `roots` stand for it at the beginning. Sums have the order of the arcs and
// vertices, as on the CPU, whether a grid makes them exact or not.
//
// tree_walks: one thread for each vertex of a slot makes a step of walks: as subset_walks of one feature. Bytes: 12 for
// an arc, 8 for its value, 8 for a vertex. Floor: memory.
//
// descend_graphs: one thread for each graph of a tree computes its value, cuts the subset and takes the graph to a
// child. Bytes: 9 to 18 for a vertex, twice. Floor: memory.
//
// cut_vertices, descend_vertices: one thread for each vertex of a node, and of a tree, does the same where examples are
// vertices. Bytes: 9 to 18 for a vertex. Floor: memory.
#pragma once
#include "growth.cuh"

constexpr int TREE_FIELDS = 13, TREE_NUMBERS = 3;
struct TreeNode {
    int feature, subset, factor, over, aggregation, steps, matrix, all, missing_above, row, slot, below, above;
    double threshold, empty;
    const double *shift;
    __device__ bool leaf() const { return below == 0; }
    // search returns what the entries of the node are made of, for a node whose vector is that of a slot.
    __device__ SearchFields search(int features, int slots, int slot) const {
        return {0, steps == 0 ? feature : features + (steps - 1) * slots + slot, subset, factor, over, empty};
    }
};
__device__ inline TreeNode tree_node(const int *fields, const double *numbers, int node) {
    const int *f = fields + static_cast<long long>(node) * TREE_FIELDS;
    const double *x = numbers + static_cast<long long>(node) * TREE_NUMBERS;
    return {f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7], f[8], f[9], f[10], f[11], f[12], x[0], x[1], x + 2};
}

// The arrays of a matrix: where rows begin, columns, and values or null.
constexpr int MATRIX_ARRAYS = 3;

extern "C" __global__ void __launch_bounds__(256)
tree_walks_f64(double *walked, const double *x, const int *fields, const double *numbers, const int *of_slot,
               const int *roots, const int *at, const int *graph_of, const long long *matrices,
               const unsigned char *sides, int step, int n, int graphs, int slots) {
    for (long long item = global_thread(); item < static_cast<long long>(slots) * n; item += global_threads()) {
        const int slot = static_cast<int>(item / n), i = static_cast<int>(item % n);
        const int node = of_slot ? of_slot[slot]
                         : roots ? roots[slot]
                                 : at[static_cast<long long>(slot) * graphs + graph_of[i]];
        const TreeNode t = tree_node(fields, numbers, node);
        if (t.leaf() || t.steps < step) continue;
        const long long *arrays = matrices + static_cast<long long>(t.matrix) * MATRIX_ARRAYS;
        const int *row_ptr = reinterpret_cast<const int *>(arrays[0]), *col = reinterpret_cast<const int *>(arrays[1]);
        const double *values = reinterpret_cast<const double *>(arrays[2]);
        const double *from = step == 1 ? x + static_cast<long long>(t.feature) * n
                                       : walked + (static_cast<long long>(step - 2) * slots + slot) * n;
        const int subset = step == 1 && !t.all ? t.subset : -1, end = row_ptr[i + 1];
        double sum = 0;
        for (int e = row_ptr[i]; e < end; e++) {
            const int j = col[e];
            const double value = from[j];
            if (value == value && in_subset(sides, subset, j, n))
                sum += on_grid(__dmul_rn(values ? values[e] : 1.0, value), *t.shift);
        }
        walked[(static_cast<long long>(step - 1) * slots + slot) * n + i] = sum;
    }
}

// cut_vertex writes the side of a vertex.
__device__ inline void cut_vertex(unsigned char *sides, const TreeNode &t, const DynamicFeatures &f,
                                  const SearchFields &s, int v, double bound) {
    unsigned char side = 0;
    if (in_subset(f.sides, t.subset, v, f.n)) side = exceeds(f.entry(s, v, 0), bound, t.missing_above) ? 1 : 2;
    sides[static_cast<long long>(t.row) * f.n + v] = side;
}

extern "C" __global__ void __launch_bounds__(256)
descend_graphs_f64(int *at, unsigned char *sides, const double *x, const double *walked, const int *fields,
                   const double *numbers, const int *roots, const int *offsets, const double *factors, int features,
                   int n, int graphs, int trees) {
    const long long items = static_cast<long long>(graphs) * trees;
    for (long long item = global_thread(); item < items; item += global_threads()) {
        const int tree = static_cast<int>(item / graphs), graph = static_cast<int>(item % graphs);
        const int node = roots ? roots[tree] : at[item];
        const TreeNode t = tree_node(fields, numbers, node);
        if (t.leaf()) {
            at[item] = node;
            continue;
        }
        const DynamicFeatures f = {x, walked, features, offsets, sides, factors, t.shift, n, 1};
        const SearchFields s = t.search(features, trees, tree);
        const Entries e = entries_of(f, s, graph, 0);
        const double bound = t.aggregation == 0 ? t.threshold / e.size : t.threshold;
        for (int v = offsets[graph]; v < offsets[graph + 1]; v++) cut_vertex(sides, t, f, s, v, bound);
        at[item] = exceeds(e.value(t.aggregation, t.empty), t.threshold, t.missing_above) ? t.above : t.below;
    }
}

extern "C" __global__ void __launch_bounds__(256)
cut_vertices_f64(unsigned char *sides, const double *x, const double *walked, const int *fields,
                 const double *numbers, const int *of_slot, const double *factors, int features, int n, int slots) {
    for (long long item = global_thread(); item < static_cast<long long>(slots) * n; item += global_threads()) {
        const int slot = static_cast<int>(item / n);
        const TreeNode t = tree_node(fields, numbers, of_slot[slot]);
        const DynamicFeatures f = {x, walked, features, nullptr, sides, factors, t.shift, n, 1};
        cut_vertex(sides, t, f, t.search(features, slots, slot), static_cast<int>(item % n), t.threshold);
    }
}

extern "C" __global__ void __launch_bounds__(256)
descend_vertices_f64(int *at, const unsigned char *sides, const double *x, const double *walked, const int *fields,
                     const double *numbers, const int *roots, const double *factors, int features, int n, int slots,
                     int trees) {
    for (long long item = global_thread(); item < static_cast<long long>(trees) * n; item += global_threads()) {
        const int v = static_cast<int>(item % n), node = roots ? roots[item / n] : at[item];
        const TreeNode t = tree_node(fields, numbers, node);
        if (t.leaf()) {
            at[item] = node;
            continue;
        }
        const DynamicFeatures f = {x, walked, features, nullptr, sides, factors, t.shift, n, 1};
        const double value = f.entry(t.search(features, slots, t.slot), v, 0);
        at[item] = exceeds(value, t.threshold, t.missing_above) ? t.above : t.below;
    }
}
