// The best threshold of every column: a thread for each column, heapsort in device memory. It has no use for a tile.
#pragma once
#include "../splits.cuh"

extern "C" __global__ void __launch_bounds__(64)
best_splits_plain_f64(double *found, const double *columns, const int *searches, const long long *places,
                      const int *nodes, const unsigned char *features, const double *weights, const double *targets,
                      const int *classes, const double *information, int impurity, int width, double min_leaf,
                      int per_search, int q, long long count, double *value_space, int *index_space,
                      double *sum_space, int longest, int tile, int bins) {
    const SplitExamples x = {weights, targets, classes, information, impurity, width, min_leaf};
    double *value = value_space + global_thread() * longest, *sums = sum_space + global_thread() * 3 * (width + 1);
    int *index = index_space + global_thread() * longest;
    double *left = sums, *lost = sums + width + 1, *all = lost + width + 1;
    for (long long c = global_thread(); c < count; c += global_threads()) {
        const int s = static_cast<int>(c / per_search), node = searches[static_cast<long long>(s) * SEARCH_FIELDS];
        const int first = nodes[node], m = nodes[node + 1] - first;
        if (histogrammed(m, bins)) {
            if (found[3 * c] != WANTS_EXACT) continue;
        } else {
            write_no_split(found + 3 * c);
        }
        if (features && !features[static_cast<long long>(search_mask(searches, s)) * q + c % q]) continue;
        for (int w = 0; w < 3 * (width + 1); w++) sums[w] = 0;
        const double *column = columns + places[s] + c % per_search * m;
        int present = 0;
        for (int i = 0; i < m; i++) {
            const Sorted e = sorted_entry(column, i, m);
            x.take(all, 1, first + i);
            if (e.index < m) {
                value[present] = e.value;
                index[present++] = i;
            } else {
                x.take(lost, 1, first + i);
            }
        }
        // Heapsort: a node of the heap sinks below its larger child.
        for (int start = present / 2, end = present; end > 1;) {
            if (start > 0) {
                start--;
            } else {
                end--;
                const double v = value[0];
                const int i = index[0];
                value[0] = value[end], index[0] = index[end];
                value[end] = v, index[end] = i;
            }
            const Sorted e = {value[start], index[start]};
            int at = start;
            for (int child = 2 * at + 1; child < end; child = 2 * at + 1) {
                if (child + 1 < end && comes_before({value[child], index[child]}, {value[child + 1], index[child + 1]}))
                    child++;
                if (!comes_before(e, {value[child], index[child]})) break;
                value[at] = value[child], index[at] = index[child];
                at = child;
            }
            value[at] = e.value, index[at] = e.index;
        }
        Split below = {0, 0, -1}, above = {0, 0, -1};
        for (int p = 0; p < present; p++) {
            x.take(left, 1, first + index[p]);
            try_value(below, above, x, value, p, present, m, left, 1, lost, all);
        }
        const bool up = above.gain > below.gain;
        if (up) below = above;
        if (below.at >= 0)
            write_split(found + 3 * c, below.gain, threshold_above(value, below.at, present), present < m, up, below.n,
                        all[width]);
    }
}
