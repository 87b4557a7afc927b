// Histograms of a column, and the splits between groups of their cells.
#pragma once
#include "splits.cuh"

constexpr int EVEN_CELLS = 1024, NUM_CELLS = EVEN_CELLS + 4, MISSING = NUM_CELLS, ALL_CELLS = NUM_CELLS + 1;
constexpr int SAMPLE_EXAMPLES = 128, SAMPLE_MOST = 2 * SAMPLE_EXAMPLES, SAMPLE_LEAST = 16, SAMPLE_BEYOND = 64,
              CROWDED = 32;

__device__ inline int steps(double v, double bound) { return v < bound ? 0 : v == bound ? 1 : 2; }

// Cells are even parts of a range, with cells of their own for zero and for the value of empty subsets.
struct Cells {
    double from, to, scale, empty;
    __device__ int at(double v) const {
        return static_cast<int>(fmax((fmin(v, to) - from) * scale, 0.0)) + steps(v, 0) + steps(v, empty);
    }
    // fits chooses the range by a sorted sample of proper values and reports whether it says enough.
    __device__ bool fits(const double *sample, int count) {
        if (count < SAMPLE_LEAST) return false;
        from = sample[count / SAMPLE_BEYOND], to = sample[count - 1 - count / SAMPLE_BEYOND];
        scale = (EVEN_CELLS - 1) / (to - from);
        return scale > 0 && scale < infinity<double>();
    }
    // counts makes a cell of each whole number from low to high.
    __device__ bool counts(bool whole, double low, double high) {
        from = low, to = high, scale = 1;
        return whole && high - low < EVEN_CELLS;
    }
};
__device__ inline bool proper(double v, double empty) { return v == v && v != 0 && v != empty; }
__device__ inline bool is_whole(double v) { return v == trunc(v); }

// ordered maps the bits of doubles to integers in the same order, and back.
__device__ inline long long ordered(long long bits) { return bits ^ (bits >> 63 & 0x7fffffffffffffffLL); }

// Histogram is the examples by cell: their weight, least and largest value, and sums in whole units. Numbers of 64
// bits are put together of halves by atomic operations on 32 bits: those on 64 bits are loops in shared memory.
// A carry from the lower half of a sum goes to the upper one whoever makes it, so sums do not depend on the order. The
// extremes get their upper halves from all values first (take), their lower ones from the values that have these
// (refine).
struct Histogram {
    long long *low, *high, *sums;
    int *weight;
    double unit, per_unit;
    int width;

    __device__ void clear(int first, int step) {
        for (int i = first; i < ALL_CELLS; i += step)
            low[i] = infinity_bits(), high[i] = -infinity_bits() - 1, weight[i] = 0;
        for (int i = first; i < ALL_CELLS * width; i += step) sums[i] = 0;
    }
    __device__ static long long infinity_bits() { return 0x7fffffffffffffffLL; }
    __device__ double least(int i) const { return __longlong_as_double(ordered(low[i])); }
    __device__ double most(int i) const { return __longlong_as_double(ordered(high[i])); }
    __device__ double sum(int i, int w) const { return sums[static_cast<long long>(i) * width + w] * unit; }

    __device__ static unsigned *lower(long long *x) { return reinterpret_cast<unsigned *>(x); }
    __device__ static int *upper(long long *x) { return reinterpret_cast<int *>(x) + 1; }

    __device__ void add(int i, int w, long long sum) {
        long long *to = sums + static_cast<long long>(i) * width + w;
        const unsigned rest = static_cast<unsigned>(sum), before = rest ? atomicAdd(lower(to), rest) : 0;
        const int carried = static_cast<int>(sum >> 32) + (before + rest < rest);
        if (carried != 0) atomicAdd(upper(to), carried);
    }
    // glance reads a bound that others may move at the same time.
    template <class T> __device__ static T glance(const T *bound) {
        return RACE_IS_INTENDED("an older bound costs an atomic operation that changes nothing") *bound;
    }
    __device__ void take(const SplitExamples &x, int cell, double v, int example) {
        const double w = x.weights[example];
        atomicAdd(weight + cell, static_cast<int>(w));
        if (x.impurity == VARIANCE) add(cell, 0, static_cast<long long>(x.targets[example] * per_unit));
        else add(cell, x.classes[example], static_cast<long long>(w));
        const int place = static_cast<int>(ordered(__double_as_longlong(v)) >> 32);
        if (place < glance(upper(low + cell))) atomicMin(upper(low + cell), place);
        if (place > glance(upper(high + cell))) atomicMax(upper(high + cell), place);
    }
    __device__ void refine(int cell, double v) {
        const long long bits = ordered(__double_as_longlong(v));
        const int place = static_cast<int>(bits >> 32);
        const unsigned rest = static_cast<unsigned>(bits);
        if (place == *upper(low + cell) && rest < glance(lower(low + cell))) atomicMin(lower(low + cell), rest);
        if (place == *upper(high + cell) && rest > glance(lower(high + cell))) atomicMax(lower(high + cell), rest);
    }
    // put gives a cell examples of one value by their sums, the weight after them.
    __device__ void put(int cell, double v, const double *all) {
        if (all[width] == 0) return;
        for (int w = 0; w < width; w++)
            sums[static_cast<long long>(cell) * width + w] = static_cast<long long>(all[w] * per_unit);
        weight[cell] = static_cast<int>(all[width]);
        low[cell] = high[cell] = ordered(__double_as_longlong(v));
    }
};

// Groups says which cells are joined. Its sums are of the proper cells that add takes.
struct Groups {
    int zero, empty, bins;
    int occupied;
    double weight, most;
    bool several; // values in a cell

    __device__ Groups(const Cells &c, int bins)
        : zero(c.at(0)), empty(c.at(c.empty)), bins(bins), occupied(0), weight(0), most(0), several(false) {}
    __device__ bool is_proper(int i) const { return i != zero && i != empty; }
    __device__ void add(const Histogram &h, int i) {
        if (h.weight[i] == 0 || !is_proper(i)) return;
        occupied++;
        weight += h.weight[i];
        if (h.low[i] == h.high[i]) return;
        several = true;
        most = fmax(most, static_cast<double>(h.weight[i]));
    }
    __device__ bool apart() const { return !several || (occupied > bins && most * bins <= CROWDED * weight); }
    // number returns the group of a cell with the given weight of proper examples below it.
    __device__ int number(int i, double below) const {
        return several ? static_cast<int>(below * bins / weight) + steps(i, zero) + steps(i, empty) : i;
    }
};

// try_cells offers the thresholds above the cells from..to; left are the sums of the cells before them, stride apart.
__device__ inline void try_cells(Split &below, Split &above, const SplitExamples &x, const Histogram &h,
                                 const Groups &g, int from, int to, double *left, int stride, const double *lost,
                                 const double *all) {
    double &n = left[static_cast<long long>(x.width) * stride];
    const bool missing = h.weight[MISSING] > 0;
    double before = n; // proper examples
    if (from > g.zero) before -= h.weight[g.zero];
    if (from > g.empty && g.empty != g.zero) before -= h.weight[g.empty];
    for (int i = from; i < to; i++) {
        if (h.weight[i] == 0) continue;
        for (int w = 0; w < x.width; w++) left[static_cast<long long>(w) * stride] += h.sum(i, w);
        n += h.weight[i];
        const int group = g.number(i, before);
        if (g.is_proper(i)) before += h.weight[i];
        int next = i + 1;
        while (next < NUM_CELLS && h.weight[next] == 0) next++;
        if (next < NUM_CELLS && g.number(next, before) == group) continue;
        if (next < NUM_CELLS)
            below.offer(x.gain(left, stride, lost, all, missing), n + (missing ? lost[x.width] : 0.0), i);
        if (missing) above.offer(x.gain(left, stride, lost, all, false), n, i);
    }
}

// threshold_above_cell returns the threshold between a cell and the next one that has examples.
__device__ inline double threshold_above_cell(const Histogram &h, int i) {
    int next = i + 1;
    while (next < NUM_CELLS && h.weight[next] == 0) next++;
    return next == NUM_CELLS ? h.most(i) : between(h.most(i), h.least(next));
}
