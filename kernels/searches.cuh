// What a search of splits reads: the entries of a vector along walks.
#pragma once
#include "subsets.cuh"

constexpr int SEARCH_FIELDS = 6;
struct SearchFields {
    int node, vector, subset, factor, over; // over: 0 within the subset, 1 zeros beyond it, 2 everywhere
    double empty;
};
// search_mask returns the row of features that says which a search may use; no kernel but best_splits asks for it.
__device__ inline int search_mask(const int *searches, int s) {
    return searches[static_cast<long long>(s) * SEARCH_FIELDS + 5];
}
__device__ inline SearchFields search_fields(const int *searches, const double *empties, int s) {
    const int *at = searches + static_cast<long long>(s) * SEARCH_FIELDS;
    return {at[0], at[1], at[2], at[3], at[4], empties[s]};
}

struct DynamicFeatures {
    const double *x, *walked; // vectors before number `shared`, and from it on
    int shared;
    const int *offsets;
    const unsigned char *sides;
    const double *factors, *shifts;
    int n, q;

    __device__ double entry(const SearchFields &t, int v, int k) const {
        if (t.over != 2 && !in_subset(sides, t.subset, v, n)) return 0;
        const double *from = t.vector < shared ? x : walked;
        const int vector = t.vector < shared ? t.vector : t.vector - shared;
        const double value = from[(static_cast<long long>(vector) * n + v) * q + k];
        if (t.factor < 0) return value;
        return on_grid(__dmul_rn(factors[static_cast<long long>(t.factor) * n + v], value), shifts ? shifts[k] : 0);
    }
};

struct Entries {
    double sum, low, high;
    int count, size; // entries that are not missing, vertices in the subset

    __device__ double value(int aggregation, double empty) const {
        if (size == 0) return empty;
        if (count == 0) return __longlong_as_double(0x7ff8000000000000LL);
        return aggregation == 0 ? sum : aggregation == 1 ? sum / count : aggregation == 2 ? low : high;
    }
};

__device__ inline Entries entries_of(const DynamicFeatures &f, const SearchFields &t, int graph, int k) {
    Entries e = {0, 0, 0, 0, 0};
    const int end = f.offsets[graph + 1];
    for (int v = f.offsets[graph]; v < end; v++) {
        const bool in = in_subset(f.sides, t.subset, v, f.n);
        e.size += in;
        if (!in && t.over == 0) continue;
        const double value = f.entry(t, v, k);
        if (value != value) continue;
        e.low = e.count == 0 || value < e.low ? value : e.low;
        e.high = e.count == 0 || value > e.high ? value : e.high;
        e.sum += value;
        e.count++;
    }
    return e;
}
