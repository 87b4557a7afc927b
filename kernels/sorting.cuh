// Sorting and sums over a block.
#pragma once
#include "splits.cuh"

// sort_tile sorts a power of two of values in shared memory. A GPU has no instruction for a division by a number that
// only the run of the program knows, so what divides by powers of two masks their bits instead.
__device__ inline void sort_tile(double *value, int *index, int size) {
    for (int run = 2; run <= size; run *= 2)
        for (int apart = run / 2; apart > 0; apart /= 2) {
            __syncthreads();
            for (int pair = threadIdx.x; pair < size / 2; pair += blockDim.x) {
                const int a = 2 * pair - (pair & (apart - 1)), b = a + apart;
                const bool up = (a & run) == 0;
                const Sorted low = {value[a], index[a]}, high = {value[b], index[b]};
                if (comes_before(high, low) == up) {
                    value[a] = high.value, index[a] = high.index;
                    value[b] = low.value, index[b] = low.index;
                }
            }
        }
    __syncthreads();
}

// merge_runs merges pairs of sorted runs of m values, run of them each, a power of two: a value goes where its rank in
// its own run and in the other one says.
__device__ inline void merge_runs(double *to_value, int *to_index, const double *value, const int *index, int run,
                                  int m) {
    for (int p = threadIdx.x; p < m; p += blockDim.x) {
        const int own = p & -run, pair = own & ~run;
        const int other = own == pair ? min(pair + run, m) : pair,
                  end = own == pair ? min(pair + 2 * run, m) : pair + run;
        const Sorted e = {value[p], index[p]};
        int low = other, high = end;
        while (low < high) {
            const int middle = low + (high - low) / 2;
            if (comes_before({value[middle], index[middle]}, e)) low = middle + 1;
            else high = middle;
        }
        const int to = pair + (p - own) + (low - other);
        to_value[to] = e.value;
        to_index[to] = e.index;
    }
    __syncthreads();
}

// scan_sums turns the sums of every thread of the block into those of all threads before it, and all into the total.
__device__ inline void scan_sums(double *sums, double *all, int rows) {
    const int threads = blockDim.x;
    for (int w = warp_index(); w < rows; w += block_warps()) {
        double carry = 0;
        for (int t = lane_index(); t < threads; t += WARP) {
            const double x = sums[static_cast<long long>(w) * threads + t], up_to = warp_scan(x);
            sums[static_cast<long long>(w) * threads + t] = carry + up_to - x;
            carry += __shfl_sync(ALL_LANES, up_to, WARP - 1);
        }
        if (lane_index() == 0) all[w] = carry;
    }
    __syncthreads();
}
