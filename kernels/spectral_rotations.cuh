// Two-sided Jacobi rotations of a matrix of order 32 and less, in shared memory.
#pragma once
#include "spectral.cuh"

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
