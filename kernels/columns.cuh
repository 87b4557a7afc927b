// Columns of a matrix that a block shares: sums along them in a fixed order.
//
// A block has COLUMN_GROUP columns, which fill a sector of memory in fp32; its threads are COLUMN_GROUP across and
// COLUMN_LANES down. A thread adds up every COLUMN_LANES-th row in the precision of the matrix, few numbers; what the
// threads found is added in double.
#pragma once
#include "threads.cuh"

constexpr int COLUMN_GROUP = 8;
constexpr int COLUMN_THREADS = 1024; // of a block
constexpr int COLUMN_LANES = COLUMN_THREADS / COLUMN_GROUP;

// ColumnSlice is what a block has of a matrix of n x d: its columns, and the rows from blockIdx.y rows on.
struct ColumnSlice {
    int column, place, lane, from, to, d;
    __device__ ColumnSlice(int n, int d, int rows)
        : column(blockIdx.x * COLUMN_GROUP + threadIdx.x % COLUMN_GROUP), place(threadIdx.x % COLUMN_GROUP),
          lane(threadIdx.x / COLUMN_GROUP), from(blockIdx.y * rows), to(min(n, from + rows)), d(d) {
        if (column >= d) to = from; // no rows
    }
    // each calls f with the index of every element of this thread.
    template <class F> __device__ void each(F f) const {
#pragma unroll 8
        for (int r = from + lane; r < to; r += COLUMN_LANES) f(static_cast<long long>(r) * d + column);
    }
    // speaks says whether this thread is the one that writes what the column has once.
    __device__ bool speaks() const { return from == 0 && lane == 0 && column < d; }
};

// ColumnTotals are N sums for each column of a block.
template <int N> struct ColumnTotals {
    double of[N][COLUMN_GROUP];

    // add sets the totals to the sums over the threads of each column. All threads of the block call it.
    __device__ void add(const ColumnSlice &s, const double (&own)[N]) {
        constexpr int WARPS = COLUMN_THREADS / WARP;
        __shared__ double of_warp[N][WARPS][COLUMN_GROUP];
#pragma unroll
        for (int i = 0; i < N; i++) {
            double x = own[i];
            for (int apart = COLUMN_GROUP; apart < WARP; apart *= 2) x += __shfl_xor_sync(ALL_LANES, x, apart);
            if (lane_index() < COLUMN_GROUP) of_warp[i][warp_index()][s.place] = x;
        }
        __syncthreads();
        if (s.lane < N) {
            double sum = 0;
            for (int w = 0; w < WARPS; w++) sum += of_warp[s.lane][w][s.place];
            of[s.lane][s.place] = sum;
        }
        __syncthreads();
    }

    // add_slices sets the totals to the sums of what slices of the rows kept. All threads of the block call it.
    __device__ void add_slices(const ColumnSlice &s, const double *partial, int slices) {
        if (s.lane < N) {
            double sum = 0;
            for (int i = 0; i < slices && s.column < s.d; i++)
                sum += partial[(static_cast<long long>(i) * N + s.lane) * s.d + s.column];
            of[s.lane][s.place] = sum;
        }
        __syncthreads();
    }

    // keep writes the totals of the slice: partial is slices x N x d.
    __device__ void keep(const ColumnSlice &s, double *partial) const {
        if (s.lane < N && s.column < s.d)
            partial[(static_cast<long long>(blockIdx.y) * N + s.lane) * s.d + s.column] = of[s.lane][s.place];
    }
};
