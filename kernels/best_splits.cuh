// best_splits: the best threshold of every column, and the best column of every node.
//
// A column has m values; left of a threshold between two that follow each other lie examples of weight n and sums t
// (of the targets, or the weight of each of `width` classes), and the threshold gains score(left) + score(right) -
// score(all), see split_gain. found has gain, threshold and 1 for missing values above, for each column; column c is
// number c % (kinds q) of search c / (kinds q). Bytes: 8 m for a column, 12 or 16 m for weights and targets, which a
// cache keeps. Operations: m log^2 m comparisons in shared memory. Floor: the comparisons.
//
// best_splits: one block for each column. Values are sorted with their places by a bitonic network in shared memory, a
// tile of them at a time; sorted tiles are merged by rank, each value by a binary search. Missing values sort to
// the end. Every thread then takes as many sorted values as the others: it adds up their sums, a scan gives what lies
// left of them, and it walks along them. Sums are exact, so their order does not matter.
// best_splits_finish: one block for each node, which takes the first column of the largest gain.
//
// Columns of nodes of more than SORT_BELOW examples for each of `bins` (0: of none) are left to best_splits_histogram,
// but for those where it wants exact thresholds.
#pragma once
#include "sorting.cuh"

extern "C" __global__ void __launch_bounds__(256)
best_splits_f64(double *found, const double *columns, const int *searches, const long long *places,
                const int *nodes, const unsigned char *features, const double *weights, const double *targets,
                const int *classes, const double *information, int impurity, int width, double min_leaf,
                int per_search, int q, long long count, double *value_space, int *index_space, double *sum_space,
                int longest, int tile, int bins) {
    DYNAMIC_SHARED(double, tile_value);
    int *tile_index = reinterpret_cast<int *>(tile_value + tile);
    const SplitExamples x = {weights, targets, classes, information, impurity, width, min_leaf};
    const int threads = blockDim.x, rows = width + 1;
    double *sums = sum_space + static_cast<long long>(blockIdx.x) * rows * (threads + 2), *own = sums + threadIdx.x;
    double *all = sums + static_cast<long long>(rows) * threads, *lost = all + rows;
    for (long long c = blockIdx.x; c < count; c += gridDim.x) {
        const int s = static_cast<int>(c / per_search), node = searches[static_cast<long long>(s) * SEARCH_FIELDS];
        const int first = nodes[node], m = nodes[node + 1] - first;
        if (histogrammed(m, bins)) {
            if (found[3 * c] != WANTS_EXACT) continue;
        } else if (threadIdx.x == 0) {
            write_no_split(found + 3 * c);
        }
        if (m < 2 || (features && !features[static_cast<long long>(search_mask(searches, s)) * q + c % q])) continue;
        const double *column = columns + places[s] + c % per_search * m;
        double *value = value_space + static_cast<long long>(blockIdx.x) * 2 * longest, *other_value = value + longest;
        int *index = index_space + static_cast<long long>(blockIdx.x) * 2 * longest, *other_index = index + longest;

        int missing = 0;
        for (int from = 0; from < m; from += tile) {
            const int length = min(tile, m - from);
            int size = 1;
            while (size < length) size *= 2;
            for (int i = threadIdx.x; i < size; i += threads) {
                const Sorted e = i < length ? sorted_entry(column, from + i, m) : Sorted{infinity<double>(), 2 * m};
                missing += i < length && e.index >= m;
                tile_value[i] = e.value, tile_index[i] = e.index;
            }
            sort_tile(tile_value, tile_index, size);
            for (int i = threadIdx.x; i < length; i += threads)
                value[from + i] = tile_value[i], index[from + i] = tile_index[i];
            __syncthreads();
        }
        for (int run = tile; run < m; run *= 2) {
            merge_runs(other_value, other_index, value, index, run, m);
            double *v = value;
            value = other_value, other_value = v;
            int *i = index;
            index = other_index, other_index = i;
        }
        const int present = m - block_sum(missing);

        const int share = (m + threads - 1) / threads, from = min(static_cast<int>(threadIdx.x) * share, m),
                  to = min(from + share, m);
        for (int w = 0; w < rows; w++) own[static_cast<long long>(w) * threads] = 0;
        for (int p = from; p < to; p++) x.take(own, threads, first + index[p] - (index[p] < m ? 0 : m));
        __syncthreads();
        scan_sums(sums, all, rows);
        if (present < m && from <= present && present < to) { // what is missing: everything less what is there
            for (int w = 0; w < rows; w++) lost[w] = own[static_cast<long long>(w) * threads];
            for (int p = from; p < present; p++) x.take(lost, 1, first + index[p]);
            for (int w = 0; w < rows; w++) lost[w] = all[w] - lost[w];
        }
        __syncthreads();
        Split below = {0, 0, -1}, above = {0, 0, -1};
        for (int p = from; p < min(to, present); p++) {
            x.take(own, threads, first + index[p]);
            try_value(below, above, x, value, p, present, m, own, threads, lost, all);
        }
        const Best<double> best_below = block_best(Best<double>{below.gain, below.at}),
                           best_above = block_best(Best<double>{above.gain, above.at});
        const bool up = best_above.index >= 0 && (best_below.index < 0 || best_above.value > best_below.value);
        const int at = up ? best_above.index : best_below.index;
        if (from <= at && at < to) {
            const Split &mine = up ? above : below;
            write_split(found + 3 * c, mine.gain, threshold_above(value, at, present), present < m, up, mine.n,
                        all[width]);
        }
        __syncthreads(); // the space serves the next column
    }
}

extern "C" __global__ void __launch_bounds__(256)
best_splits_finish_f64(double *best, const double *found, const int *first_search, int per_search, int nodes) {
    for (int node = blockIdx.x; node < nodes; node += gridDim.x) {
        const int from = first_search[node] * per_search, to = first_search[node + 1] * per_search;
        Best<double> mine = no_best<double>();
        for (int c = from + static_cast<int>(threadIdx.x); c < to; c += blockDim.x)
            if (found[3LL * c] > 0) mine = better(mine, Best<double>{found[3LL * c], c});
        mine = block_best(mine);
        if (threadIdx.x == 0) {
            double *to_best = best + 4LL * node;
            to_best[0] = to_best[1] = to_best[2] = to_best[3] = 0;
            if (mine.index >= 0) {
                to_best[0] = mine.value;
                to_best[1] = found[3LL * mine.index + 1];
                to_best[2] = mine.index;
                to_best[3] = found[3LL * mine.index + 2];
            }
        }
    }
}
