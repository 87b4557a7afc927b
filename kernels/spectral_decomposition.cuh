// Eigendecomposition of symmetric matrices by Jacobi's method.
#pragma once
#include "spectral.cuh"

// ----- spectral_norms and spectral_start: scaling ---------------------------------------------------
//
// norms has the absolute sum of every row. Bytes: 8 n^2 for each matrix, half of them down columns;
// operations: n^2. Floor: memory, below the time of a launch up to n = 1024.
// spectral_start writes the scaled and shifted matrix and the scale (a power of two) of each.

extern "C" __global__ void __launch_bounds__(SPECTRAL_THREADS)
spectral_norms_f64(double *norms, const double *k, int n, int matrices) {
    const long long rows = static_cast<long long>(matrices) * n;
    for (long long row = global_thread() / WARP; row < rows; row += global_threads() / WARP) {
        const double *matrix = k + row / n * n * n;
        const int i = static_cast<int>(row % n);
        double sum = 0;
        for (int j = lane_index(); j < n; j += WARP)
            sum += fabs(j <= i ? matrix[static_cast<long long>(i) * n + j] : matrix[static_cast<long long>(j) * n + i]);
        sum = warp_sum(sum);
        if (lane_index() == 0) norms[row] = sum;
    }
}

extern "C" __global__ void __launch_bounds__(SPECTRAL_THREADS)
spectral_start_f64(double *w, double *scales, int *status, const double *k, const double *norms, int n,
                   int matrices, double shift) {
    for (int m = blockIdx.y; m < matrices; m += gridDim.y) {
        double norm = 0;
        for (int i = threadIdx.x; i < n; i += blockDim.x)
            norm = Maximum::combine(norm, norms[static_cast<long long>(m) * n + i]);
        norm = block_max(norm);
        const bool finite = norm <= 1.7976931348623157e308;
        const double scale = finite && norm >= 0x1p-1000 ? scalbn(1.0, -ilogb(norm) - 1) : 1.0;
        if (blockIdx.x == 0 && threadIdx.x == 0) {
            scales[m] = scale;
            status[m] = finite ? 0 : 1;
        }
        const double *matrix = k + static_cast<long long>(m) * n * n;
        double *to = w + static_cast<long long>(m) * n * n;
        for (long long at = global_thread(); at < static_cast<long long>(n) * n; at += global_threads()) {
            const int i = static_cast<int>(at / n), j = static_cast<int>(at % n);
            to[at] = scale * (j <= i ? matrix[at] : matrix[static_cast<long long>(j) * n + i]) + (i == j ? shift : 0.0);
        }
    }
}

// ----- Rotations in shared memory ----------------------------------------------------------------------

// diagonalize turns a symmetric matrix g of even order m <= PAIR (rows PAIR_STRIDE apart) to diagonal form
// by cyclic two-sided rotations, which it applies to the rows of q as well: with q the unit matrix at the
// start its rows are the eigenvectors. All 256 threads of the block call it. Each round has m/2 rotations,
// of which a pair (i, j) turns the 2 x 2 block where they cross; so that g stays symmetric to the bit, one
// thread does both blocks. Entries below 2^-80, of matrices of norm about one, are zero. At the end the rows
// of q are made unit vectors again, so that the rounding of many rotations does not add up, and rank[i] is
// the position of g_ii among the diagonal, the largest first.
__device__ inline void diagonalize(double *g, double *q, int *rank, int m, int sweeps) {
    __shared__ double cosines[HALF], sines[HALF];
    __shared__ int turned;
    const int i = threadIdx.x / HALF, j = threadIdx.x % HALF, half = m / 2;
    for (int sweep = 0; sweep < sweeps; sweep++) {
        if (threadIdx.x == 0) turned = 0;
        __syncthreads();
        for (int round = 0; round < m - 1; round++) {
            if (threadIdx.x < half) {
                const Meeting of = meeting(threadIdx.x, round, m);
                const double a = g[of.p * PAIR_STRIDE + of.p], b = g[of.p * PAIR_STRIDE + of.q],
                             d = g[of.q * PAIR_STRIDE + of.q];
                double c = 1, s = 0;
                if (fabs(b) > 0x1p-80 && fabs(b) > 0x1p-54 * sqrt(fabs(a)) * sqrt(fabs(d))) {
                    rotation(a, b, d, c, s);
                    atomicOr(&turned, 1);
                }
                cosines[threadIdx.x] = c;
                sines[threadIdx.x] = s;
            }
            __syncthreads();
            if (j <= i && i < half) {
                const Meeting rows = meeting(i, round, m), cols = meeting(j, round, m);
                const double ci = cosines[i], si = sines[i], cj = cosines[j], sj = sines[j];
                double *pp = g + rows.p * PAIR_STRIDE + cols.p, *pq = g + rows.p * PAIR_STRIDE + cols.q;
                double *qp = g + rows.q * PAIR_STRIDE + cols.p, *qq = g + rows.q * PAIR_STRIDE + cols.q;
                const double up = ci * *pp - si * *qp, uq = ci * *pq - si * *qq;
                const double lp = si * *pp + ci * *qp, lq = si * *pq + ci * *qq;
                *pp = cj * up - sj * uq;
                *qq = sj * lp + cj * lq;
                if (i == j) {
                    if (si != 0) *pq = *qp = 0;
                } else {
                    *pq = sj * up + cj * uq;
                    *qp = cj * lp - sj * lq;
                    g[cols.p * PAIR_STRIDE + rows.p] = *pp;
                    g[cols.q * PAIR_STRIDE + rows.p] = *pq;
                    g[cols.p * PAIR_STRIDE + rows.q] = *qp;
                    g[cols.q * PAIR_STRIDE + rows.q] = *qq;
                }
            }
            for (int at = threadIdx.x; at < half * m; at += SPECTRAL_THREADS) {
                const int t = at / m, column = at % m;
                const Meeting of = meeting(t, round, m);
                const double p = q[of.p * PAIR_STRIDE + column], l = q[of.q * PAIR_STRIDE + column];
                q[of.p * PAIR_STRIDE + column] = cosines[t] * p - sines[t] * l;
                q[of.q * PAIR_STRIDE + column] = sines[t] * p + cosines[t] * l;
            }
            __syncthreads();
        }
        const int again = turned;
        __syncthreads();
        if (!again) break;
    }
    for (int row = warp_index(); row < m; row += SPECTRAL_THREADS / WARP) {
        const double x = lane_index() < m ? q[row * PAIR_STRIDE + lane_index()] : 0.0;
        const double length = sqrt(warp_sum(x * x));
        if (lane_index() < m) q[row * PAIR_STRIDE + lane_index()] = x / length;
    }
    if (threadIdx.x < m) {
        const double own = g[threadIdx.x * (PAIR_STRIDE + 1)];
        int before = 0;
        for (int other = 0; other < m; other++) {
            const double x = g[other * (PAIR_STRIDE + 1)];
            before += x > own || (x == own && other < threadIdx.x);
        }
        rank[threadIdx.x] = before;
    }
    __syncthreads();
}

// ----- spectral_small: eigendecomposition for n <= 32 ---------------------------------------------------
//
// w holds the scaled matrices (shift 0) and becomes the eigenvectors, values the eigenvalues.
// Bytes: 16 n^2 + 8 n for each matrix; operations: 6 n^3 multiply-adds a sweep, 5 to 8 sweeps. Floor: the
// latency of 31 rounds a sweep, each the two barriers, a division and two roots, together some 500 cycles:
// about 0.1 ms for any number of matrices up to that of blocks on the device. The tuned kernel for larger
// matrices spends its time here as well. 

extern "C" __global__ void __launch_bounds__(SPECTRAL_THREADS)
spectral_small_f64(double *w, double *values, int *status, const double *scales, int n, int matrices) {
    __shared__ __align__(16) double g[PAIR * PAIR_STRIDE], q[PAIR * PAIR_STRIDE];
    __shared__ int rank[PAIR];
    const int even = n + n % 2;
    for (int m = blockIdx.x; m < matrices; m += gridDim.x) {
        if (status[m]) continue;
        double *matrix = w + static_cast<long long>(m) * n * n;
        for (int at = threadIdx.x; at < even * even; at += SPECTRAL_THREADS) {
            const int i = at / even, j = at % even;
            g[i * PAIR_STRIDE + j] = i < n && j < n ? matrix[i * n + j] : 0.0;
            q[i * PAIR_STRIDE + j] = i == j;
        }
        __syncthreads();
        diagonalize(g, q, rank, even, SWEEPS);
        for (int at = threadIdx.x; at < n * n; at += SPECTRAL_THREADS) matrix[at] = q[at / n * PAIR_STRIDE + at % n];
        for (int i = threadIdx.x; i < n; i += SPECTRAL_THREADS)
            values[static_cast<long long>(m) * n + i] = g[i * PAIR_STRIDE + i] / scales[m];
        __syncthreads();
    }
}

// ----- spectral_round: one round of the block Jacobi method ---------------------------------------------
//
// The columns of W form `blocks` (even, the last may be empty) blocks of 16; in each of blocks - 1 rounds of
// a sweep every block meets another, one thread block for each pair of each matrix. It computes the
// 32 x 32 matrix of inner products of its columns, turns that to diagonal form in shared memory, and
// applies the rotations to the columns at once, the longest first: with the eigenvalues sorted the method
// needs 8 sweeps for a Gaussian kernel matrix of order 128, without 15 (counted on the simulated GPU).
// angles has SWEEPS words for each matrix: the largest |cos| between two columns that a sweep met, as the
// bits of a float, which for non-negative numbers order like integers. A sweep after one that met only
// orthogonal columns does nothing, so that the host launches SWEEPS of them without asking.
// Bytes: 2 * 32 * 8 n for each pair, 16 n^2 a round, from the cache of the device (W is 8 MB at n = 1024);
// operations: 2 * 1024 n multiply-adds for each pair. Floor: 2 n^3 / 16 * 16 multiply-adds a sweep at the
// rate of double precision, and for each round the latency of diagonalize on top; the second is the larger
// for n < 1024. Prediction, not measured: 50 us a round, 63 rounds and 8 to 10 sweeps, some 30 ms for n =
// 1024, 3 ms for n = 128.

extern "C" __global__ void __launch_bounds__(SPECTRAL_THREADS, 1)
spectral_round_f64(double *w, int *angles, const int *status, int n, int blocks, int round, int sweep, int matrices) {
    constexpr int CHUNK = 64;   // elements of every column at a time
    constexpr int WARPS = SPECTRAL_THREADS / WARP;
    __shared__ __align__(16) double part[CHUNK * PAIR_STRIDE];
    __shared__ __align__(16) double g[PAIR * PAIR_STRIDE];
    __shared__ int rank[PAIR];
    double *q = part;   // which the inner products no longer need
    const double enough = orthogonal_enough(n);
    const int items = blocks / 2 * matrices;
    for (int item = blockIdx.x; item < items; item += gridDim.x) {
        const int m = item / (blocks / 2);
        if (status[m]) continue;
        int *angle = angles + m * SWEEPS + sweep;
        if (sweep > 0 && __int_as_float(angle[-1]) <= static_cast<float>(enough)) continue;
        const Meeting of = meeting(item % (blocks / 2), round, blocks);
        if (of.q * HALF >= n) continue;   // the empty block
        double *matrix = w + static_cast<long long>(m) * n * n;
        // Column s of the pair, counted from 0 to 31, is row column(s) of the stored matrix if it is below n.
        const auto column = [&](int s) { return s < HALF ? of.p * HALF + s : of.q * HALF + s - HALF; };

        double sum[PAIR];
#pragma unroll
        for (int s = 0; s < PAIR; s++) sum[s] = 0;
        for (int r0 = 0; r0 < n; r0 += CHUNK) {
            __syncthreads();
#pragma unroll
            for (int at = threadIdx.x; at < PAIR * CHUNK; at += SPECTRAL_THREADS) {
                const int s = at / CHUNK, r = at % CHUNK;
                part[r * PAIR_STRIDE + s] =
                    column(s) < n && r0 + r < n ? matrix[static_cast<long long>(column(s)) * n + r0 + r] : 0.0;
            }
            __syncthreads();
            for (int r = warp_index(); r < CHUNK; r += WARPS) {
                const double own = part[r * PAIR_STRIDE + lane_index()];
                const double2 *all = reinterpret_cast<const double2 *>(part + r * PAIR_STRIDE);
#pragma unroll
                for (int s = 0; s < PAIR / 2; s++) {
                    const double2 two = all[s];
                    sum[2 * s] = fma(own, two.x, sum[2 * s]);
                    sum[2 * s + 1] = fma(own, two.y, sum[2 * s + 1]);
                }
            }
        }
        for (int turn = 0; turn < WARPS; turn++) {   // the warps add their sums in order
            __syncthreads();
            if (warp_index() == turn)
#pragma unroll
                for (int s = 0; s < PAIR; s++) {
                    double *to = g + s * PAIR_STRIDE + lane_index();
                    *to = turn == 0 ? sum[s] : *to + sum[s];
                }
        }
        __syncthreads();

        double largest = 0;
        for (int at = threadIdx.x; at < PAIR * PAIR; at += SPECTRAL_THREADS) {
            const int i = at / PAIR, j = at % PAIR;
            const double lengths = sqrt(g[i * PAIR_STRIDE + i]) * sqrt(g[j * PAIR_STRIDE + j]);
            if (j < i && lengths > 0) largest = fmax(largest, fabs(g[i * PAIR_STRIDE + j]) / lengths);
        }
        largest = block_max(largest);
        if (threadIdx.x == 0) atomicMax(angle, __float_as_int(static_cast<float>(largest)));
        if (largest <= enough) continue;

        for (int at = threadIdx.x; at < PAIR * PAIR; at += SPECTRAL_THREADS)
            q[at / PAIR * PAIR_STRIDE + at % PAIR] = at / PAIR == at % PAIR;
        __syncthreads();
        diagonalize(g, q, rank, PAIR, 3);
        for (int r = threadIdx.x; r < n; r += SPECTRAL_THREADS) {
            double x[PAIR];
#pragma unroll
            for (int s = 0; s < PAIR; s++)
                x[s] = column(s) < n ? matrix[static_cast<long long>(column(s)) * n + r] : 0.0;
            for (int i = 0; i < PAIR; i++) {
                const int to = rank[i];
                const double2 *row = reinterpret_cast<const double2 *>(q + i * PAIR_STRIDE);
                double even = 0, odd = 0;
#pragma unroll
                for (int s = 0; s < PAIR / 2; s++) {
                    even = fma(row[s].x, x[2 * s], even);
                    odd = fma(row[s].y, x[2 * s + 1], odd);
                }
                if (column(to) < n) matrix[static_cast<long long>(column(to)) * n + r] = even + odd;
            }
        }
        __syncthreads();
    }
}

// spectral_values makes the rows of w unit vectors and their lengths eigenvalues; a matrix whose last sweep
// met columns that were not orthogonal has not converged. Bytes: 16 n^2, operations 3 n^2. Floor: memory.
extern "C" __global__ void __launch_bounds__(SPECTRAL_THREADS)
spectral_values_f64(double *w, double *values, int *status, const int *angles, const double *scales, int n,
                    int matrices) {
    const long long rows = static_cast<long long>(matrices) * n;
    for (long long row = global_thread() / WARP; row < rows; row += global_threads() / WARP) {
        const int m = static_cast<int>(row / n);
        double *vector = w + row * n, sum = 0;
        for (int i = lane_index(); i < n; i += WARP) sum = fma(vector[i], vector[i], sum);
        const double length = sqrt(warp_sum(sum));
        for (int i = lane_index(); i < n; i += WARP) vector[i] /= length;
        if (lane_index() == 0) {
            values[row] = (length - SHIFT) / scales[m];
            if (row % n == 0 && status[m] == 0 &&
                __int_as_float(angles[m * SWEEPS + SWEEPS - 1]) > static_cast<float>(orthogonal_enough(n)))
                status[m] = 3;
        }
    }
}
