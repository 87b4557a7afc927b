// The gain of a split, and the best one of a column.
#pragma once
#include "searches.cuh"

constexpr int VARIANCE = 0, ENTROPY = 2; // the Gini impurity is 1

struct SplitExamples {
    const double *weights, *targets;
    const int *classes;
    const double *information; // x log2 x of whole numbers
    int impurity, width;
    double min_leaf;

    // take adds example i to sums that lie stride apart, the weight after them.
    __device__ void take(double *sums, int stride, int i) const {
        const double w = weights[i];
        if (impurity == VARIANCE) sums[0] += targets[i];
        else sums[static_cast<long long>(classes[i]) * stride] += w;
        sums[static_cast<long long>(width) * stride] += w;
    }
    __device__ double term(double x) const {
        return impurity == ENTROPY ? information[static_cast<int>(x)] : __dmul_rn(x, x);
    }
    __device__ double score(double n, double terms) const { return impurity == ENTROPY ? terms - term(n) : terms / n; }

    // gain returns what is gained by examples whose sums, stride apart, are left + lost; all are those of the node.
    __device__ double gain(const double *left, int stride, const double *lost, const double *all,
                           bool with_lost) const {
        double below = 0, above = 0, both = 0;
        for (int c = 0; c < width; c++) {
            const double x = left[static_cast<long long>(c) * stride] + (with_lost ? lost[c] : 0.0);
            below += term(x);
            above += term(all[c] - x);
            both += term(all[c]);
        }
        const double n = left[static_cast<long long>(width) * stride] + (with_lost ? lost[width] : 0.0),
                     total = all[width];
        if (n < min_leaf || total - n < min_leaf) return 0;
        return score(n, below) + score(total - n, above) - score(total, both);
    }
};

// between returns a number t with a <= t < b.
__device__ inline double between(double a, double b) {
    double t = (a + b) / 2;
    if (fabs(t) == infinity<double>()) t = a / 2 + b / 2;
    return t >= b || t < a ? a : t;
}

// Sorted is a value with the number of its example, from m on for the m examples whose value is missing; their value is
// infinite, so that they come last.
struct Sorted {
    double value;
    int index;
};
__device__ inline bool comes_before(Sorted a, Sorted b) {
    return a.value < b.value || (a.value == b.value && a.index < b.index);
}
__device__ inline Sorted sorted_entry(const double *column, int i, int m) {
    const double v = column[i];
    if (v != v) return {infinity<double>(), i + m};
    return {v, i};
}

// Split is the best threshold so far of those that one thread tries with the missing values on one side.
struct Split {
    double gain, n; // n: weight below it
    int at;         // the sorted value below it, -1: none
    __device__ void offer(double other, double weight, int p) {
        if (other > gain) gain = other, n = weight, at = p;
    }
};

// try_value offers the thresholds above sorted value p; left are the sums of the values up to p.
__device__ inline void try_value(Split &below, Split &above, const SplitExamples &x, const double *value, int p,
                                 int present, int m, const double *left, int stride, const double *lost,
                                 const double *all) {
    const bool last = p == present - 1;
    const double n = left[static_cast<long long>(x.width) * stride];
    if (!last && value[p + 1] == value[p]) return;
    if (!last) below.offer(x.gain(left, stride, lost, all, present < m), n + (present < m ? lost[x.width] : 0.0), p);
    if (present < m) above.offer(x.gain(left, stride, lost, all, false), n, p);
}

// write_split writes the outcome of a column whose threshold has examples of weight n of the total below it.
__device__ inline void write_split(double *found, double gain, double threshold, bool missing, bool missing_above,
                                   double n, double total) {
    found[0] = gain;
    found[1] = threshold;
    found[2] = missing_above || (!missing && total - n > n) ? 1 : 0;
}
__device__ inline double threshold_above(const double *value, int p, int present) {
    return p == present - 1 ? value[p] : between(value[p], value[p + 1]);
}
__device__ inline void write_no_split(double *found) { found[0] = found[1] = found[2] = 0; }

// WANTS_EXACT is the gain of a column whose thresholds are to be exact although its node is large.
constexpr double WANTS_EXACT = -1;
constexpr int SORT_BELOW = 4;
__device__ inline bool histogrammed(int m, int bins) {
    return bins > 0 && m / SORT_BELOW >= bins && m > SORT_BELOW * bins;
}
