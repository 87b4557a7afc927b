// What is known of the examples of a node of a tree that grows, and how values become targets: NodeSums and TreeTargets
// of the engine say what it is, and in which order numbers are added up. A block of SUM_LANES threads has a node.
#pragma once
#include "subsets.cuh"

constexpr int SUM_LANES = 256;

// sums_of returns how many numbers there are of a node: number of examples, weight, 1 where targets differ; then
// centre, impurity, sum of values and curvature, or the weight of every class.
constexpr int COMMON_SUMS = 3, VALUE_SUMS = 4;
__device__ inline int sums_of(const double *values, int classes) {
    return COMMON_SUMS + (values ? VALUE_SUMS : classes);
}

struct TreeTargets {
    const double *weights, *values, *targets, *shift; // of the examples of the tree; values null with classes
    const int *classes;
    int number; // of classes
};

// total adds up `of` of 0 to m-1 and returns the sum to every thread.
template <class Of> __device__ inline double total(int m, Of of) {
    double sum = 0;
    for (int i = threadIdx.x; i < m; i += blockDim.x) sum += of(i);
    return block_sum(sum);
}

// node_sums writes what is known of m examples, of which example i is at(i).
template <class At> __device__ inline void node_sums(double *out, const TreeTargets &t, int m, At at) {
    const int first = m > 0 ? at(0) : 0;
    double weight = 0, target = 0, sum = 0, curvature = 0;
    int differ = 0;
    for (int i = threadIdx.x; i < m; i += blockDim.x) {
        const int p = at(i);
        const double w = t.weights[p];
        weight += w;
        if (!t.values) {
            differ |= t.classes[p] != t.classes[first];
            continue;
        }
        const double v = t.values[p], size = fabs(v);
        target += t.targets[p], sum += __dmul_rn(w, v), curvature += __dmul_rn(size, 1 - size);
        differ |= __dmul_rn(t.targets[p], t.weights[first]) != __dmul_rn(t.targets[first], w);
    }
    weight = block_sum(weight), differ = block_sum(differ);
    if (threadIdx.x == 0) out[0] = m, out[1] = weight, out[2] = differ > 0;
    out += COMMON_SUMS;
    for (int c = 0; !t.values && c < t.number; c++) {
        const double of_class = total(m, [&](int i) { return t.classes[at(i)] == c ? t.weights[at(i)] : 0.0; });
        if (threadIdx.x == 0) out[c] = of_class;
    }
    if (!t.values) return;
    const double centre = on_grid(block_sum(target) / weight, *t.shift);
    sum = block_sum(sum), curvature = block_sum(curvature);
    const double impurity = total(m, [&](int i) {
        const int p = at(i);
        const double off = t.targets[p] - __dmul_rn(t.weights[p], centre);
        return __dmul_rn(off, off) / t.weights[p];
    });
    if (threadIdx.x == 0) out[0] = centre, out[1] = impurity, out[2] = sum, out[3] = curvature;
}

// shift_for returns the shift of the finest grid on which sums up to bound are exact, 0 where there is none.
__device__ inline double shift_for(double bound) {
    constexpr int EXACT_BITS = 50, MIN_GRID = -1000, MAX_GRID = 900;
    if (!(bound > 0) || bound == infinity<double>()) return 0;
    const int grid = static_cast<int>(__double_as_longlong(bound) >> 52) - 1022 - EXACT_BITS; // bound < 2^(grid + 50)
    if (grid < MIN_GRID || grid > MAX_GRID) return 0;
    return __longlong_as_double(static_cast<long long>(1023 + 52 + grid) << 52 | 1LL << 51); // 1.5 2^(52 + grid)
}
