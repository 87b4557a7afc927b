// drawn_splits: the one threshold that every column of an extremely randomised tree draws.
//
// It lies at a share u of the way from the least to the largest value; values of graphs whose subset is empty (hollow)
// count where all others are the same. u follows from the seed of the node and the stream of the column, see Draws of
// the engine. Arguments and outcome are otherwise those of best_splits. Bytes: 8 m for a column, twice, 12 or 16 m for
// weights and targets, which a cache keeps. Operations: some 20 for an example. Floor: memory.
//
// drawn_splits: one block for each column. Sums are exact, so their order does not matter.
#pragma once
#include "sorting.cuh"

// first_draw returns the first number of the generator PCG-DXSM in the given state (O'Neill 2014).
__device__ inline unsigned long long first_draw(unsigned long long high, unsigned long long low) {
    constexpr unsigned long long STEP_HIGH = 2549297995355413924ULL, STEP_LOW = 4865540595714422341ULL,
                                 PLUS_HIGH = 6364136223846793005ULL, PLUS_LOW = 1442695040888963407ULL,
                                 CHEAP = 0xda942042e4dd58b5ULL;
    const unsigned long long product = low * STEP_LOW, next_low = product + PLUS_LOW;
    unsigned long long x = __umul64hi(low, STEP_LOW) + high * STEP_LOW + low * STEP_HIGH + PLUS_HIGH;
    x += next_low < product; // the carry
    x ^= x >> 32;
    x *= CHEAP;
    x ^= x >> 48;
    return x * (next_low | 1);
}

extern "C" __global__ void __launch_bounds__(256)
drawn_splits_f64(double *found, const double *columns, const int *searches, const double *empties,
                 const long long *places, const int *nodes, const unsigned char *features, const double *weights,
                 const double *targets, const int *classes, const double *information, int impurity, int width,
                 double min_leaf, int per_search, int q, long long count, const unsigned char *hollow,
                 const long long *seeds, const long long *streams, const long long *of_kind,
                 const long long *of_feature, double *sum_space) {
    const SplitExamples x = {weights, targets, classes, information, impurity, width, min_leaf};
    const int threads = blockDim.x, rows = width + 1;
    double *sums = sum_space + static_cast<long long>(blockIdx.x) * rows * (threads + 3), *own = sums + threadIdx.x;
    double *all = sums + static_cast<long long>(rows) * threads, *lost = all + rows, *left = lost + rows;
    for (long long c = blockIdx.x; c < count; c += gridDim.x) {
        const int s = static_cast<int>(c / per_search), within = static_cast<int>(c % per_search);
        const int node = searches[static_cast<long long>(s) * SEARCH_FIELDS];
        const int first = nodes[node], m = nodes[node + 1] - first;
        if (threadIdx.x == 0) write_no_split(found + 3 * c);
        if (m < 2) continue;
        if (features && !features[static_cast<long long>(search_mask(searches, s)) * q + within % q]) continue;
        const double *column = columns + places[s] + static_cast<long long>(within) * m;
        const unsigned char *empty = hollow ? hollow + places[s] / per_search : nullptr;

        double low = infinity<double>(), high = -infinity<double>();
        int missing = 0, hollows = 0;
        for (int i = threadIdx.x; i < m; i += threads) {
            const double v = column[i];
            if (v != v) missing++;
            else if (empty && empty[i]) hollows++;
            else low = fmin(low, v), high = fmax(high, v);
        }
        low = block_min(low), high = block_max(high), missing = block_sum(missing), hollows = block_sum(hollows);
        if (low >= high && hollows > 0) low = fmin(low, empties[s]), high = fmax(high, empties[s]);
        if (low > high || (low == high && missing == 0)) continue;
        const unsigned long long draw = first_draw(
            static_cast<unsigned long long>(seeds[node]),
            static_cast<unsigned long long>(streams[s]) + static_cast<unsigned long long>(of_kind[within / q]) +
                static_cast<unsigned long long>(of_feature[within % q]));
        const double u = static_cast<double>(draw >> 11) * (1.0 / 9007199254740992.0);
        double at = fmin(fmax(low + __dmul_rn(u, high - low), low), high);
        if (at == high && low < high) at = low;

        for (int part = 0; part < 3; part++) { // all examples, those whose value is missing, those below
            for (int w = 0; w < rows; w++) own[static_cast<long long>(w) * threads] = 0;
            for (int i = threadIdx.x; i < m; i += threads) {
                const double v = column[i];
                if (part == 0 || (part == 1 ? v != v : v <= at)) x.take(own, threads, first + i);
            }
            __syncthreads();
            scan_sums(sums, part == 0 ? all : part == 1 ? lost : left, rows);
        }
        if (threadIdx.x == 0) {
            const bool some = missing > 0;
            double best = 0, threshold = at, n = 0;
            bool up = false;
            if (at < high) {
                best = x.gain(left, 1, lost, all, some);
                n = left[width] + (some ? lost[width] : 0.0);
            }
            if (some) {
                const double gain = x.gain(left, 1, lost, all, false);
                if (gain > best) best = gain, up = true;
                for (int w = 0; w < rows; w++) left[w] = all[w] - lost[w];
                const double whole = x.gain(left, 1, lost, all, false);
                if (whole > best) best = whole, up = true, threshold = high;
            }
            if (best > 0) write_split(found + 3 * c, best, threshold, some, up, n, all[width]);
        }
        __syncthreads(); // the space serves the next column
    }
}
