// The best threshold of every column of a large node: a thread for each column, cells in device memory.
#pragma once
#include "../cells.cuh"

extern "C" __global__ void __launch_bounds__(64)
best_splits_histogram_plain_f64(double *found, const double *columns, const int *searches, const double *empties,
                                const long long *places, const int *nodes, const unsigned char *features,
                                const double *weights, const double *targets, const int *classes,
                                const double *information, int impurity, int width, double min_leaf, int per_search,
                                int q, long long count, long long *cell_space, int *weight_space, double *sum_space,
                                int bins, double unit) {
    const SplitExamples x = {weights, targets, classes, information, impurity, width, min_leaf};
    long long *low = cell_space + global_thread() * (width + 2) * ALL_CELLS;
    Histogram h = {
        low, low + ALL_CELLS, low + 2 * ALL_CELLS, weight_space + global_thread() * ALL_CELLS, unit, 1 / unit, width};
    double *left = sum_space + global_thread() * (3 * (width + 1) + SAMPLE_MOST), *lost = left + width + 1,
           *all = lost + width + 1;
    double *sample = all + width + 1;
    for (long long c = global_thread(); c < count; c += global_threads()) {
        const int s = static_cast<int>(c / per_search), node = searches[static_cast<long long>(s) * SEARCH_FIELDS];
        const int first = nodes[node], m = nodes[node + 1] - first;
        if (!histogrammed(m, bins)) continue;
        write_no_split(found + 3 * c);
        if (features && !features[static_cast<long long>(search_mask(searches, s)) * q + c % q]) continue;
        const double *column = columns + places[s] + c % per_search * m;
        Cells cells = {0, 0, 0, empties ? empties[s] : 0};
        int sampled = 0; // inserted in order
        for (int i = 0; i < m; i += max(m / SAMPLE_EXAMPLES, 1)) {
            if (!proper(column[i], cells.empty)) continue;
            int at = sampled++;
            for (; at > 0 && sample[at - 1] > column[i]; at--) sample[at] = sample[at - 1];
            sample[at] = column[i];
        }
        bool whole = true;
        double least = 0, most = 0;
        for (int i = 0; i < m; i++) {
            if (column[i] != column[i] || column[i] == cells.empty) continue;
            whole = whole && is_whole(column[i]);
            least = fmin(least, column[i]), most = fmax(most, column[i]);
        }
        if (!cells.counts(whole, least, most) && !cells.fits(sample, sampled)) {
            found[3 * c] = WANTS_EXACT;
            continue;
        }
        h.clear(0, 1);
        for (int i = 0; i < m; i++)
            h.take(x, column[i] == column[i] ? cells.at(column[i]) : MISSING, column[i] + 0.0, first + i);
        for (int i = 0; i < m; i++)
            if (column[i] == column[i]) h.refine(cells.at(column[i]), column[i] + 0.0);
        Groups g(cells, bins);
        for (int i = 0; i < NUM_CELLS; i++) g.add(h, i);
        if (!g.apart()) {
            found[3 * c] = WANTS_EXACT;
            continue;
        }
        for (int w = 0; w <= width; w++) {
            left[w] = all[w] = 0;
            for (int i = 0; i < ALL_CELLS; i++) all[w] += w < width ? h.sum(i, w) : h.weight[i];
            lost[w] = w < width ? h.sum(MISSING, w) : h.weight[MISSING];
        }
        Split below = {0, 0, -1}, above = {0, 0, -1};
        try_cells(below, above, x, h, g, 0, NUM_CELLS, left, 1, lost, all);
        const bool up = above.gain > below.gain;
        if (up) below = above;
        if (below.at >= 0)
            write_split(found + 3 * c, below.gain, threshold_above_cell(h, below.at), h.weight[MISSING] > 0, up,
                        below.n, all[width]);
    }
}
