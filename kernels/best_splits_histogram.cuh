// best_splits_histogram: the best threshold of every column of a large node.
//
// Value v of a column is in cell max(0, floor((min(v, to) - from) scale)), from and to two quantiles of a sample, and
// the cell in group floor(bins (weight of the cells below) / (weight of all)); thresholds lie between groups. What is
// apart and what is exact, histogram.go of the engine defines. Arguments are those of best_splits; a column whose
// thresholds are to be exact gets the gain WANTS_EXACT. Sums of targets are taken in integers, in units of the grid
// that the targets lie on, so their order does not matter. Bytes: 8 m for a column, twice, three times where a sample
// of it has whole numbers alone, 16 m for weights and targets (12 m with classes), which a cache keeps. Operations for
// an example: some 20 for its cell, twice, and 2 or 3 atomic ones on 32 bits, some more until the cell knows its
// extremes. Floor: memory.
//
// best_splits_histogram: one block for each column, cells in shared memory, but the sums of several classes. Zeros, of
// which there may be most, are counted by each thread for itself. A scan gives what lies left of the cells of a thread.
#pragma once
#include "cells.cuh"
#include "sorting.cuh"

extern "C" __global__ void __launch_bounds__(256)
best_splits_histogram_f64(double *found, const double *columns, const int *searches, const double *empties,
                          const long long *places, const int *nodes, const unsigned char *features,
                          const double *weights, const double *targets, const int *classes,
                          const double *information, int impurity, int width, double min_leaf, int per_search,
                          int q, long long count, long long *cell_space, int *weight_space, double *sum_space,
                          int bins, double unit) {
    __shared__ long long low[ALL_CELLS], high[ALL_CELLS], sum_of_cell[ALL_CELLS];
    __shared__ int weight_of_cell[ALL_CELLS];
    __shared__ double sample[SAMPLE_MOST];
    __shared__ int sample_index[SAMPLE_MOST];
    const SplitExamples x = {weights, targets, classes, information, impurity, width, min_leaf};
    const int threads = blockDim.x, rows = width + 1;
    double *sums = sum_space + static_cast<long long>(blockIdx.x) * rows * (threads + 2), *own = sums + threadIdx.x;
    double *all = sums + static_cast<long long>(rows) * threads, *lost = all + rows;
    long long *sums_of_cell =
        width == 1 ? sum_of_cell : cell_space + static_cast<long long>(blockIdx.x) * ALL_CELLS * width;
    Histogram h = {low, high, sums_of_cell, weight_of_cell, unit, 1 / unit, width};
    for (long long c = blockIdx.x; c < count; c += gridDim.x) {
        const int s = static_cast<int>(c / per_search), node = searches[static_cast<long long>(s) * SEARCH_FIELDS];
        const int first = nodes[node], m = nodes[node + 1] - first;
        if (!histogrammed(m, bins)) continue;
        if (threadIdx.x == 0) write_no_split(found + 3 * c);
        if (features && !features[static_cast<long long>(search_mask(searches, s)) * q + c % q]) continue;
        const double *column = columns + places[s] + c % per_search * m;
        Cells cells = {0, 0, 0, empties ? empties[s] : 0};

        const int stride = max(m / SAMPLE_EXAMPLES, 1);
        int sampled = 0, broken = 0;
        for (int i = threadIdx.x; i < SAMPLE_MOST; i += threads) {
            const double v = i <= (m - 1) / stride ? column[i * stride] : 0;
            const bool good = proper(v, cells.empty);
            sampled += good;
            broken += good && !is_whole(v);
            sample[i] = good ? v : infinity<double>(), sample_index[i] = good ? i : i + SAMPLE_MOST;
        }
        sampled = block_sum(sampled), broken = block_sum(broken);
        bool counted = false;
        if (broken == 0) {
            double least = 0, most = 0;
            for (int i = threadIdx.x; i < m; i += threads) {
                const double v = column[i];
                if (v != v || v == cells.empty) continue;
                broken += !is_whole(v);
                least = fmin(least, v), most = fmax(most, v);
            }
            broken = block_sum(broken), least = block_min(least), most = block_max(most);
            counted = cells.counts(broken == 0, least, most);
        }
        if (!counted) {
            sort_tile(sample, sample_index, SAMPLE_MOST);
            if (!cells.fits(sample, sampled)) {
                if (threadIdx.x == 0) found[3 * c] = WANTS_EXACT;
                __syncthreads();
                continue;
            }
        }

        h.clear(threadIdx.x, threads);
        for (int w = 0; w < rows; w++) own[static_cast<long long>(w) * threads] = 0;
        __syncthreads();
        for (int i = threadIdx.x; i < m; i += threads) {
            const double v = column[i];
            if (v == 0) x.take(own, threads, first + i);
            else h.take(x, v == v ? cells.at(v) : MISSING, v, first + i);
        }
        __syncthreads();
        scan_sums(sums, all, rows);
        Groups g(cells, bins);
        if (threadIdx.x == 0) h.put(g.zero, 0, all);
        for (int i = threadIdx.x; i < m; i += threads) {
            const double v = column[i];
            if (v == v && v != 0) h.refine(cells.at(v), v);
        }
        __syncthreads();

        const int share = (NUM_CELLS + threads - 1) / threads,
                  from = min(static_cast<int>(threadIdx.x) * share, NUM_CELLS), to = min(from + share, NUM_CELLS);
        for (int i = from; i < to; i++) g.add(h, i);
        g.occupied = block_sum(g.occupied), g.weight = block_sum(g.weight), g.most = block_max(g.most);
        g.several = block_max(static_cast<double>(g.several)) > 0;
        if (!g.apart()) {
            if (threadIdx.x == 0) found[3 * c] = WANTS_EXACT;
            __syncthreads();
            continue;
        }
        for (int w = 0; w < rows; w++) {
            double sum = 0;
            for (int i = from; i < to; i++) sum += w < width ? h.sum(i, w) : h.weight[i];
            own[static_cast<long long>(w) * threads] = sum;
        }
        __syncthreads();
        scan_sums(sums, all, rows);
        for (int w = threadIdx.x; w < rows; w += threads) {
            lost[w] = w < width ? h.sum(MISSING, w) : h.weight[MISSING];
            all[w] += lost[w];
        }
        __syncthreads();
        Split below = {0, 0, -1}, above = {0, 0, -1};
        try_cells(below, above, x, h, g, from, to, own, threads, lost, all);
        const Best<double> best_below = block_best(Best<double>{below.gain, below.at}),
                           best_above = block_best(Best<double>{above.gain, above.at});
        const bool up = best_above.index >= 0 && (best_below.index < 0 || best_above.value > best_below.value);
        const int at = up ? best_above.index : best_below.index;
        if (from <= at && at < to) {
            const Split &mine = up ? above : below;
            write_split(found + 3 * c, mine.gain, threshold_above_cell(h, at), h.weight[MISSING] > 0, up, mine.n,
                        all[width]);
        }
        __syncthreads(); // the space serves the next column
    }
}
