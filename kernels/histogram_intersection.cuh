// histogram_intersection: out_ij = sum_k min(a_ik, b_jk).
//
// a is rows x bins, b others x bins, both with non-negative entries; out is rows x others.
// Bytes: 12 (float) or 16 (double) for every entry of a and b, sizeof(T) rows others for out. Operations:
// a minimum and an addition for every pair of entries of one bin, sum_k |a_k| |b_k| of them.
// Floor: the larger of the bytes / bandwidth and of the pairs / rate of 4-byte updates in shared memory
// (one a bank and cycle, two accesses each).
//
// histogram_intersection visits the pairs alone: b comes as an inverted index (for every bin the rows that
// have an entry there, ascending), and a block adds the lists of the bins of one row of a up in shared
// memory, for up to HISTOGRAM_TILE rows of b. The bins follow one another, so that a sum has the order of
// the bins whatever thread adds; the list of the next bin is loaded before the barrier. Most lists are a few
// rows long: a block is a single warp, so that a barrier waits for nobody else, and its tile leaves room for as
// many blocks as a multiprocessor takes. With same only j >= i is computed, and mirror_upper copies it.
#pragma once
#include "threads.cuh"

constexpr int HISTOGRAM_THREADS = 32;
constexpr int HISTOGRAM_TILE = 1024;

// first_at_least returns the first position in list[from..to) whose row is at least row.
__device__ inline int first_at_least(const int *list, int from, int to, int row) {
    while (from < to) {
        const int middle = from + (to - from) / 2;
        if (list[middle] < row) from = middle + 1;
        else to = middle;
    }
    return from;
}

template <class T>
__device__ inline void histogram_intersection(T *out, const int *row_ptr, const int *col, const T *values,
                                              const int *bin_ptr, const int *bin_row, const T *bin_values, int rows,
                                              int others, int same) {
    __shared__ T sums[HISTOGRAM_TILE];
    __shared__ int begins[HISTOGRAM_THREADS], ends[HISTOGRAM_THREADS];
    __shared__ T weights[HISTOGRAM_THREADS];
    const int tiles = (others + HISTOGRAM_TILE - 1) / HISTOGRAM_TILE;
    const long long items = static_cast<long long>(rows) * tiles;
    for (long long item = blockIdx.x; item < items; item += gridDim.x) {
        const int i = static_cast<int>(item / tiles), tile = static_cast<int>(item % tiles) * HISTOGRAM_TILE;
        const int first = same ? max(tile, i) : tile, last = min(tile + HISTOGRAM_TILE, others);
        if (first >= last) continue;
        for (int j = tile + threadIdx.x; j < last; j += HISTOGRAM_THREADS) sums[j - tile] = T(0);
        for (int e0 = row_ptr[i]; e0 < row_ptr[i + 1]; e0 += HISTOGRAM_THREADS) {
            const int bins = min(HISTOGRAM_THREADS, row_ptr[i + 1] - e0);
            if (threadIdx.x < bins) {
                const int bin = col[e0 + threadIdx.x];
                int from = bin_ptr[bin], to = bin_ptr[bin + 1];
                if (first > 0) from = first_at_least(bin_row, from, to, first);
                if (last < others) to = first_at_least(bin_row, from, to, last);
                begins[threadIdx.x] = from;
                ends[threadIdx.x] = to;
                weights[threadIdx.x] = values ? values[e0 + threadIdx.x] : T(1);
            }
            __syncthreads();
            int at = begins[0] + threadIdx.x;
            int row = at < ends[0] ? bin_row[at] : -1;
            T entry = row >= 0 && bin_values ? bin_values[at] : T(1);
            for (int bin = 0; bin < bins; bin++) {
                int next_at = 0, next_row = -1;
                T next_entry = T(1);
                if (bin + 1 < bins) {
                    next_at = begins[bin + 1] + threadIdx.x;
                    if (next_at < ends[bin + 1]) {
                        next_row = bin_row[next_at];
                        if (bin_values) next_entry = bin_values[next_at];
                    }
                }
                const T weight = weights[bin];
                if (row >= 0) sums[row - tile] += min(weight, entry);
                for (at += HISTOGRAM_THREADS; at < ends[bin]; at += HISTOGRAM_THREADS)
                    sums[bin_row[at] - tile] += min(weight, bin_values ? bin_values[at] : T(1));
                at = next_at;
                row = next_row;
                entry = next_entry;
                __syncthreads();
            }
        }
        __syncthreads();
        for (int j = first + threadIdx.x; j < last; j += HISTOGRAM_THREADS)
            out[static_cast<long long>(i) * others + j] = sums[j - tile];
        __syncthreads();
    }
}

// mirror_upper copies the upper triangle of an n x n matrix to the lower one, 32 x 32 elements at a time
// through shared memory so that both are read and written by rows. Floor: n^2 sizeof(T) / bandwidth.
constexpr int MIRROR_ROWS = 8;   // warps of a block
template <class T> __device__ inline void mirror_upper(T *x, int n) {
    __shared__ T part[WARP][WARP + 1];
    const long long tiles = (n + WARP - 1) / WARP;
    for (long long tile = blockIdx.x; tile < tiles * tiles; tile += gridDim.x) {
        const int i0 = static_cast<int>(tile / tiles) * WARP, j0 = static_cast<int>(tile % tiles) * WARP;
        if (j0 < i0) continue;
        for (int i = warp_index(); i < WARP; i += MIRROR_ROWS)
            if (i0 + i <= j0 + lane_index() && j0 + lane_index() < n)
                part[i][lane_index()] = x[static_cast<long long>(i0 + i) * n + j0 + lane_index()];
        __syncthreads();
        for (int j = warp_index(); j < WARP; j += MIRROR_ROWS) {
            const int row = j0 + j, column = i0 + lane_index();
            if (row < n && column < row) x[static_cast<long long>(row) * n + column] = part[lane_index()][j];
        }
        __syncthreads();
    }
}

#define HISTOGRAM_INTERSECTION(NAME, T)                                                                                \
    extern "C" __global__ void __launch_bounds__(HISTOGRAM_THREADS)                                                    \
    NAME(T *out, const int *row_ptr, const int *col, const T *values, const int *bin_ptr, const int *bin_row,          \
         const T *bin_values, int rows, int others, int same) {                                                        \
        histogram_intersection<T>(out, row_ptr, col, values, bin_ptr, bin_row, bin_values, rows, others, same);        \
    }
HISTOGRAM_INTERSECTION(histogram_intersection_f32, float)
HISTOGRAM_INTERSECTION(histogram_intersection_f64, double)

extern "C" __global__ void __launch_bounds__(MIRROR_ROWS * 32) mirror_upper_f32(float *x, int n) {
    mirror_upper<float>(x, n);
}
extern "C" __global__ void __launch_bounds__(MIRROR_ROWS * 32) mirror_upper_f64(double *x, int n) {
    mirror_upper<double>(x, n);
}
