// Two-sided Jacobi rotations of a matrix of order 32 and less, in shared memory.
#pragma once
#include "spectral.cuh"

// quick_rotation is rotation by a tangent in float32, which is soon there: an element is made as small as 2^-22 of
// what it was, not zero, which costs a sweep more at most, while cosine and sine are of float64.
__device__ inline void quick_rotation(double a, double b, double d, double &c, double &s) {
    const float tau = (float)(d - a) / (2 * (float)b), size = fabsf(tau);
    const float t = copysignf(size > 1e9f ? 0.5f / size : 1 / (size + sqrtf(1 + size * size)), tau);
    const double x = fma((double)t, (double)t, 1.0), half = -0.5 * x;
    c = 1 / sqrtf((float)x);
    c *= fma(half * c, c, 1.5); // Newton's steps to 1/sqrt(x)
    c *= fma(half * c, c, 1.5);
    s = t * c;
}

// turn_rows applies the rotations of a round to the rows of q, every step-th of them from the given one on by a warp.
__device__ inline void turn_rows(double *q, const double *cosines, const double *sines, int round, int m, int first,
                                 int step) {
    const int column = lane_index();
    for (int t = first; t < m / 2 && column < m; t += step) {
        const Meeting of = meeting(t, round, m);
        const double p = q[of.p * PAIR_STRIDE + column], l = q[of.q * PAIR_STRIDE + column];
        q[of.p * PAIR_STRIDE + column] = cosines[t] * p - sines[t] * l;
        q[of.q * PAIR_STRIDE + column] = sines[t] * p + cosines[t] * l;
    }
}

// diagonalize turns a symmetric matrix g of even order m <= PAIR (rows PAIR_STRIDE apart) to diagonal form
// by cyclic two-sided rotations, which it applies to the rows of q as well: with q the unit matrix at the
// start its rows are the eigenvectors. All 256 threads of the block call it. Each round has m/2 rotations,
// of which a pair (i, j) turns the 2 x 2 block where they cross; so that g stays symmetric to the bit, one
// thread does both blocks, and what is left of (p, q) itself is written twice. Entries below 2^-80, of matrices
// of norm about one, are zero. At the end the rows of q are made unit vectors again, so that the rounding of many
// rotations does not add up, and rank[i] is the position of g_ii among the diagonal, the largest first.
//
// The angles of a round, a chain of operations that only g has to wait for, are one warp's; the others turn the rows
// of q by the round before in the meantime.
__device__ inline void diagonalize(double *g, double *q, int *rank, int m, int sweeps) {
    constexpr int WARPS = SPECTRAL_THREADS / WARP;
    __shared__ double cosines[2][HALF], sines[2][HALF]; // of a round and of the one before
    __shared__ int turned;
    const int i = threadIdx.x / HALF, j = threadIdx.x % HALF, half = m / 2;
    int now = 0, before = -1; // where the angles are; the round whose rotations q lacks
    for (int sweep = 0; sweep < sweeps; sweep++) {
        if (threadIdx.x == 0) turned = 0;
        __syncthreads();
        for (int round = 0; round < m - 1; round++) {
            now = 1 - now;
            if (threadIdx.x < half) {
                const Meeting of = meeting(threadIdx.x, round, m);
                const double a = g[of.p * PAIR_STRIDE + of.p], b = g[of.p * PAIR_STRIDE + of.q],
                             d = g[of.q * PAIR_STRIDE + of.q];
                double c, s;
                quick_rotation(a, b, d, c, s);
                const bool turns = fabs(b) > 0x1p-80 && b * b > 0x1p-108 * fabs(a * d);
                if (turns) atomicOr(&turned, 1);
                cosines[now][threadIdx.x] = turns ? c : 1;
                sines[now][threadIdx.x] = turns ? s : 0;
            } else if (warp_index() > 0 && before >= 0) {
                turn_rows(q, cosines[1 - now], sines[1 - now], before, m, warp_index() - 1, WARPS - 1);
            }
            __syncthreads();
            if (j <= i && i < half) {
                const Meeting rows = meeting(i, round, m), cols = meeting(j, round, m);
                const double ci = cosines[now][i], si = sines[now][i], cj = cosines[now][j], sj = sines[now][j];
                double *pp = g + rows.p * PAIR_STRIDE + cols.p, *pq = g + rows.p * PAIR_STRIDE + cols.q;
                double *qp = g + rows.q * PAIR_STRIDE + cols.p, *qq = g + rows.q * PAIR_STRIDE + cols.q;
                const double a = *pp, b = *pq, c = *qp, d = *qq;
                const double up = ci * a - si * c, uq = ci * b - si * d;
                const double lp = si * a + ci * c, lq = si * b + ci * d;
                const double to_pp = cj * up - sj * uq, to_qq = sj * lp + cj * lq;
                *pp = to_pp;
                *qq = to_qq;
                const double to_pq = sj * up + cj * uq;
                *pq = to_pq;
                if (i == j) {
                    *qp = to_pq;
                } else {
                    const double to_qp = cj * lp - sj * lq;
                    *qp = to_qp;
                    g[cols.p * PAIR_STRIDE + rows.p] = to_pp;
                    g[cols.q * PAIR_STRIDE + rows.p] = to_pq;
                    g[cols.p * PAIR_STRIDE + rows.q] = to_qp;
                    g[cols.q * PAIR_STRIDE + rows.q] = to_qq;
                }
            }
            before = round;
            __syncthreads();
        }
        const int again = turned;
        __syncthreads();
        if (!again) break;
    }
    if (before >= 0) turn_rows(q, cosines[now], sines[now], before, m, warp_index(), WARPS);
    __syncthreads();
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
