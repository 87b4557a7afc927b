// spectral_large: inverse square roots of matrices of order 33 and more, in one cooperative launch.
//
// The columns of W form `blocks` (even, the last may be empty) blocks of 16; in each of blocks - 1 rounds of a sweep
// every block meets another, one thread block for each pair of each matrix. Between the rounds all thread blocks wait
// for each other, and after a sweep each of them sees whether any matrix is to go on: sweeps end where all columns are
// orthogonal. At the end the same blocks compute the product V' diag(f) V.
// angles has SWEEPS words for each matrix, which are zero at the launch: the largest |cos| between two columns that a
// sweep met, as the bits of a float, which for non-negative numbers order like integers.
// vectors are W. status is never null: with ask the caller looks at it, and a matrix that has one keeps its r.
// r may be k.
//
// Bytes: 2 * 32 * 8 n for each pair, 16 n^2 a round, from the cache of the device (W is 8 MB at n = 1024);
// operations: 2 * 1024 n multiply-adds for each pair. Floor: 2 n^3 / 16 * 16 multiply-adds a sweep at the
// rate of double precision, and for each round the latency of diagonalize on top; the second is the larger
// for n < 1024. Predictions: cmd/bench/predict.go.
#pragma once
#include "spectral_product.cuh"
#include "spectral_rotations.cuh"
#include "spectral_rule.cuh"

// turn_pair makes the columns of two blocks more orthogonal. It computes the 32 x 32 matrix of their inner products,
// turns that towards diagonal form in shared memory, and applies the rotations to the columns at once, the longest
// first, without which there would be twice as many sweeps. One sweep over the pairs of columns is enough: three make
// them orthogonal, but cost more than the sweep over the blocks that they save.
__device__ inline void turn_pair(double *matrix, int *angle, Meeting of, int n) {
    constexpr int CHUNK = 64;   // elements of every column at a time
    __shared__ __align__(16) double part[CHUNK * PAIR_STRIDE];
    __shared__ __align__(16) double g[PAIR * PAIR_STRIDE];
    __shared__ double lengths[PAIR];
    __shared__ int rank[PAIR];
    double *q = part, *spare = part + PAIR * PAIR_STRIDE;   // which the inner products no longer need
    // Column s of the pair, counted from 0 to 31, is row column(s) of the stored matrix if it is below n.
    const auto column = [&](int s) { return s < HALF ? of.p * HALF + s : of.q * HALF + s - HALF; };

    // A thread has the inner products of two columns with two.
    const int i = threadIdx.x / HALF * 2, j = threadIdx.x % HALF * 2;
    double sum[2][2] = {};
    for (int r0 = 0; r0 < n; r0 += CHUNK) {
        __syncthreads();
#pragma unroll
        for (int at = threadIdx.x; at < PAIR * CHUNK; at += SPECTRAL_THREADS) {
            const int s = at / CHUNK, r = at % CHUNK;
            part[r * PAIR_STRIDE + s] =
                column(s) < n && r0 + r < n ? matrix[static_cast<long long>(column(s)) * n + r0 + r] : 0.0;
        }
        __syncthreads();
        const int rows = min(CHUNK, n - r0);
#pragma unroll 8
        for (int r = 0; r < rows; r++) {
            const double2 left = *reinterpret_cast<const double2 *>(part + r * PAIR_STRIDE + i),
                          right = *reinterpret_cast<const double2 *>(part + r * PAIR_STRIDE + j);
            sum[0][0] = fma(left.x, right.x, sum[0][0]), sum[0][1] = fma(left.x, right.y, sum[0][1]);
            sum[1][0] = fma(left.y, right.x, sum[1][0]), sum[1][1] = fma(left.y, right.y, sum[1][1]);
        }
    }
#pragma unroll
    for (int k = 0; k < 4; k++) g[(i + k / 2) * PAIR_STRIDE + j + k % 2] = sum[k / 2][k % 2];
    __syncthreads();
    if (threadIdx.x < PAIR) {
        const double square = g[threadIdx.x * (PAIR_STRIDE + 1)];
        lengths[threadIdx.x] = square > 0 ? 1 / sqrt(square) : 0;
    }
    __syncthreads();
    double largest = 0;
#pragma unroll
    for (int k = 0; k < 4; k++)
        if (j + k % 2 < i + k / 2)
            largest = fmax(largest, fabs(sum[k / 2][k % 2]) * (lengths[i + k / 2] * lengths[j + k % 2]));
    largest = block_max(largest);
    if (threadIdx.x == 0) atomicMax(angle, __float_as_int(static_cast<float>(largest)));
    if (largest <= orthogonal_enough(n)) return;

    diagonalize<PAIR>(g, spare, q, lengths, rank, 1);
    // The threads of a row share the columns that it is turned to.
    const int shares = n <= SPECTRAL_THREADS / 4 ? 4 : n <= SPECTRAL_THREADS / 2 ? 2 : 1;
    const int lanes = SPECTRAL_THREADS / shares, first = threadIdx.x / lanes * (PAIR / shares);
    for (int r0 = 0; r0 < n; r0 += lanes) {
        const int r = r0 + threadIdx.x % lanes;
        double x[PAIR];
#pragma unroll
        for (int s = 0; s < PAIR; s++)
            x[s] = column(s) < n && r < n ? matrix[static_cast<long long>(column(s)) * n + r] : 0.0;
        __syncthreads(); // all have read what some are about to write
        for (int to = first; to < first + PAIR / shares; to++) {
            const double2 *row = reinterpret_cast<const double2 *>(q + to * PAIR_STRIDE);
            double sums[4] = {};
#pragma unroll
            for (int s = 0; s < PAIR / 2; s++) {
                sums[s % 2] = fma(row[s].x, x[2 * s], sums[s % 2]);
                sums[2 + s % 2] = fma(row[s].y, x[2 * s + 1], sums[2 + s % 2]);
            }
            const int c = column(rank[to]);
            if (c < n && r < n) matrix[static_cast<long long>(c) * n + r] = sums[0] + sums[1] + (sums[2] + sums[3]);
        }
    }
    __syncthreads();
}

// orthogonal says whether a sweep met only orthogonal columns, by the largest cosine.
__device__ inline bool orthogonal(int angle, int n) {
    return __int_as_float(angle) <= static_cast<float>(orthogonal_enough(n));
}

extern "C" __global__ void __launch_bounds__(SPECTRAL_THREADS, 1)
spectral_large_f64(double *r, double *values, double *vectors, double *factors, double *norms, double *scales,
                   int *arrived, int *status, int *angles, const double *k, int n, int matrices, double eps, int rule,
                   int ask) {
    int barriers = 0;
    const long long elements = static_cast<long long>(n) * n, rows = static_cast<long long>(matrices) * n;
    const long long warp = global_thread() / WARP, warps = global_threads() / WARP;
    for (long long row = warp; row < rows; row += warps) {
        const double norm = row_norm(k + row / n * elements, n, static_cast<int>(row % n));
        if (lane_index() == 0) norms[row] = norm;
    }
    GRID_BARRIER(arrived, barriers);

    for (int m = 0; m < matrices; m++) {
        double norm = 0;
        for (int i = threadIdx.x; i < n; i += blockDim.x)
            norm = Maximum::combine(norm, norms[static_cast<long long>(m) * n + i]);
        const double scale = scale_of(block_max(norm));
        if (global_thread() == 0) {
            scales[m] = scale;
            status[m] = scale == scale ? 0 : 1;
        }
        for (long long at = global_thread(); at < elements; at += global_threads()) {
            const int i = static_cast<int>(at / n), j = static_cast<int>(at % n);
            vectors[m * elements + at] = scale * lower(k + m * elements, n, i, j) + (i == j ? SHIFT : 0.0);
        }
    }
    GRID_BARRIER(arrived, barriers);

    int blocks = (n + HALF - 1) / HALF;
    blocks += blocks % 2;
    const int items = blocks / 2 * matrices;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        for (int round = 0; round < blocks - 1; round++) {
            for (int item = blockIdx.x; item < items; item += gridDim.x) {
                const int m = item / (blocks / 2);
                int *angle = angles + m * SWEEPS + sweep;
                if (status[m] || (sweep > 0 && orthogonal(angle[-1], n))) continue;
                const Meeting of = meeting(item % (blocks / 2), round, blocks);
                if (of.q * HALF < n) turn_pair(vectors + m * elements, angle, of, n);   // else the block is empty
            }
            GRID_BARRIER(arrived, barriers);
        }
        bool again = false;
        for (int m = threadIdx.x; m < matrices; m += blockDim.x)
            again = again || !(status[m] || orthogonal(angles[m * SWEEPS + sweep], n));
        if (!__syncthreads_or(again)) break;
    }

    // The rows become unit vectors, their lengths eigenvalues.
    const double nan = infinity<double>() - infinity<double>();
    for (long long row = warp; row < rows; row += warps) {
        const int m = static_cast<int>(row / n);
        double *vector = vectors + row * n, sum = 0;
        for (int i = lane_index(); i < n; i += WARP) sum = fma(vector[i], vector[i], sum);
        const double length = sqrt(warp_sum(sum));
        for (int i = lane_index(); i < n; i += WARP) vector[i] /= length;
        if (lane_index() > 0) continue;
        const bool converged = orthogonal(angles[m * SWEEPS + SWEEPS - 1], n);
        const double e = converged ? (length - SHIFT) / scales[m] : nan, root = regularised_root(e, eps, rule);
        values[row] = e;
        factors[row] = root > 0 ? 1 / root : nan;
        if (!converged || root == 0) atomicMax(status + m, converged ? 2 : 3);
    }
    GRID_BARRIER(arrived, barriers);

    const int tiles = (n + TILE - 1) / TILE;
    const long long products = static_cast<long long>(tiles) * tiles * matrices;
    for (long long item = blockIdx.x; item < products; item += gridDim.x) {
        const int m = static_cast<int>(item / (tiles * tiles)), tile = static_cast<int>(item % (tiles * tiles));
        const int i0 = tile / tiles * TILE, j0 = tile % tiles * TILE;
        if (j0 <= i0 && !(ask && status[m]))
            product_tile(r, vectors, vectors, 1, 0, n, m, factors, {}, 1, i0, j0);
    }
}
