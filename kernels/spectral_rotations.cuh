// Two-sided Jacobi rotations of a matrix of order 32 and less, in shared memory.
#pragma once
#include "spectral.cuh"

// A Turn is the cosine and sine of a rotation.
struct __align__(16) Turn {
    double c, s;
};

// quick_rotation computes the rotation that takes [[a, b], [b, d]] to diagonal form by an angle of float32: b becomes
// as small as 2^-21 of what it was, not zero, which costs a sweep more at most. b is worth a turn where it is above
// 2^-54 sqrt|ad|, and 2^-60 of matrices of norm about one. What is returned is whether it is large, above
// 2^-38 sqrt|ad| and 2^-44: once a sweep has met no such one, its turns leave no more than the rounding of the matrix.
// With w = 1/sqrt(h^2 + 4b^2) and h = d - a the cosine and sine of twice the angle are |h| w and 2b w; those of the
// angle have squares whose sum is 1 + e; a series in e makes them of float64. No square leaves the range of float32.
__device__ inline bool quick_rotation(double a, double b, double d, Turn &turn) {
    const float h = static_cast<float>(d - a), of = 2 * static_cast<float>(b), square = of * of;
    const float product = fabsf(static_cast<float>(a) * static_cast<float>(d));
    const bool turns = (square > 0x1p-118f) & (square > 0x1p-106f * product);
    const float w = rsqrtf(fmaf(h, h, square)), x = fmaf(0.5f * fabsf(h), w, 0.5f);
    const float half_sine = (h < 0 ? -0.5f : 0.5f) * of * w, u = rsqrtf(x);
    const double cosine = x * u, sine = half_sine * u;
    const double e = fma(sine, sine, fma(cosine, cosine, -1.0)), to_one = fma(e, fma(0.375, e, -0.5), 1.0);
    turn = turns ? Turn{cosine * to_one, sine * to_one} : Turn{1, 0};
    return (square > 0x1p-86f) & (square > 0x1p-74f * product);
}

// The players of a round sit in M places, those of pair t in t and M - 1 - t. After it the last stays where it is and
// the others move on by one; so every two meet once in M - 1 rounds, after which all sit where they sat at first.
template <int M> __device__ inline int moved(int place) {
    return place == M - 1 ? place : place == 0 ? M - 2 : place - 1;
}
template <int M> __device__ inline int before(int place) {
    return place == M - 1 ? place : place == M - 2 ? 0 : place + 1;
}
// player returns who sits in a place in a round.
template <int M> __device__ inline int player(int place, int round) {
    return place == M - 1 ? place : (place + round) % (M - 1);
}

// place is how many bytes from its beginning element (row, column) of a matrix lies; element is what lies there.
__device__ inline int place(int row, int column) { return kept((row * PAIR_STRIDE + column) * 8); }
__device__ inline double &element(double *matrix, int place) {
    return *reinterpret_cast<double *>(reinterpret_cast<char *>(matrix) + place);
}

// A Crossing is where pairs i >= j cross, a 2 x 2 block of the matrix, and where it is in the next round, with its
// mirror image.
template <int M> struct Crossing {
    int i, j, pp, pq, qp, qq, to_pp, to_pq, to_qp, to_qq, mirror_pp, mirror_pq, mirror_qp, mirror_qq;
    __device__ Crossing(int i, int j) : i(kept(i)), j(kept(j)) {
        const int i1 = M - 1 - i, j1 = M - 1 - j;
        pp = place(i, j), pq = place(i, j1), qp = place(i1, j), qq = place(i1, j1);
        const int p = moved<M>(i), q = moved<M>(i1), r = moved<M>(j), s = moved<M>(j1);
        to_pp = place(p, r), to_pq = place(p, s), to_qp = place(q, r), to_qq = place(q, s);
        mirror_pp = place(r, p), mirror_pq = place(s, p), mirror_qp = place(r, q), mirror_qq = place(s, q);
    }
    // turn writes to the next place what the rotations make of it.
    __device__ inline void turn(double *to, double *g, const Turn *turns) const {
        const Turn x = turns[i], y = turns[j];
        const double a = element(g, pp), b = element(g, pq), c = element(g, qp), d = element(g, qq);
        const double up = x.c * a - x.s * c, uq = x.c * b - x.s * d, lp = x.s * a + x.c * c, lq = x.s * b + x.c * d;
        const double in_pp = y.c * up - y.s * uq, in_pq = y.s * up + y.c * uq, in_qq = y.s * lp + y.c * lq;
        const double in_qp = i == j ? in_pq : y.c * lp - y.s * lq;
        element(to, to_pp) = in_pp, element(to, mirror_pp) = in_pp;
        element(to, to_pq) = in_pq, element(to, mirror_pq) = in_pq;
        element(to, to_qp) = in_qp, element(to, mirror_qp) = in_qp;
        element(to, to_qq) = in_qq, element(to, mirror_qq) = in_qq;
    }
};

// Coming is a pair (p, q) of the next round: the pairs x and y in which the two are in this one, with p1 and q1, and
// where the four cross.
template <int M> struct Coming {
    int x, y, pp, pp1, p1p1, qq, qq1, q1q1, pq, pq1, p1q, p1q1;
    bool x_second, y_second; // in a pair
    __device__ Coming(int t) {
        const int p = before<M>(t), q = before<M>(M - 1 - t), p1 = M - 1 - p, q1 = M - 1 - q;
        x = kept(min(p, p1)), y = kept(min(q, q1)), x_second = kept(p > p1), y_second = kept(q > q1);
        pp = place(p, p), p1p1 = place(p1, p1), pp1 = place(p, p1);
        qq = place(q, q), q1q1 = place(q1, q1), qq1 = place(q, q1);
        pq = place(p, q), pq1 = place(p, q1), p1q = place(p1, q), p1q1 = place(p1, q1);
    }
    // find computes the rotation of the pair from the matrix before the rotations of this round, and says whether what
    // it turns is large.
    __device__ inline int find(Turn *found, double *g, const Turn *turns) const {
        const Turn of_x = turns[x], of_y = turns[y];
        const double g_pp = element(g, pp), g_pp1 = element(g, pp1), g_p1p1 = element(g, p1p1);
        const double g_qq = element(g, qq), g_qq1 = element(g, qq1), g_q1q1 = element(g, q1q1);
        const double g_pq = element(g, pq), g_pq1 = element(g, pq1), g_p1q = element(g, p1q), g_p1q1 = element(g, p1q1);
        __syncwarp(); // so that all are on their way before the first is used
        const double cx = of_x.c, sx = x_second ? of_x.s : -of_x.s, cy = of_y.c, sy = y_second ? of_y.s : -of_y.s;
        double a = sx * g_pp1, a1 = sx * g_p1p1, b = sy * g_pq1, b1 = sy * g_p1q1, d = sy * g_qq1, d1 = sy * g_q1q1;
        a = fma(cx, g_pp, a), a1 = fma(cx, g_pp1, a1), b = fma(cy, g_pq, b), b1 = fma(cy, g_p1q, b1);
        d = fma(cy, g_qq, d), d1 = fma(cy, g_qq1, d1);
        a1 *= sx, b1 *= sx, d1 *= sy;
        a = fma(cx, a, a1), b = fma(cx, b, b1), d = fma(cy, d, d1);
        Turn turn;
        const bool large = quick_rotation(a, b, d, turn);
        if (lane_index() < M / 2) found[lane_index()] = turn;
        return large;
    }
};

// A Column is a column of the eigenvectors, in the order of the places.
template <int M> struct Column {
    double at[M];
    __device__ Column(int column) {
#pragma unroll
        for (int i = 0; i < M; i++) at[i] = i == column;
    }
    // turn applies the rotations of a round.
    __device__ inline void turn(const Turn *turns) {
        Turn by[M / 2];
#pragma unroll
        for (int t = 0; t < M / 2; t++) by[t] = turns[t];
        __syncwarp(); // so that all are on their way before the first is used
#pragma unroll
        for (int t = 0; t < M / 2; t++) {
            const double p = at[t], q = at[M - 1 - t];
            at[t] = by[t].c * p - by[t].s * q;
            at[M - 1 - t] = by[t].s * p + by[t].c * q;
        }
        const double first = at[0];
#pragma unroll
        for (int i = 0; i < M - 2; i++) at[i] = at[i + 1];
        at[M - 2] = first;
    }
};

// diagonalize turns a symmetric matrix g of even order M <= PAIR (rows PAIR_STRIDE apart) to diagonal form by cyclic
// two-sided rotations. The rows of q become the eigenvectors; spare is as large as g. All 256 threads of the block
// call it. Each round has M/2 rotations, of which a pair (i, j) turns the 2 x 2 block where they cross; so that the
// matrix stays symmetric to the bit, one thread does both blocks, and what is left of (p, q) itself is written twice.
// At the end the rows of q are made unit vectors again, so that the rounding of many rotations does not add up,
// diagonal[i] is the eigenvalue of row i, and rank[i] its position among them, the largest first.
//
// A round is one barrier: while some warps turn the matrix and one the columns of q, which it has in registers,
// another has the angles of the next round, a long chain of operations. It computes for itself the three elements of
// each that the others are about to write. The matrix goes from one space to the other, its rows and columns in the
// order of the places, so that a thread has to do with the same elements in every round. The end is where all
// pairs have been turned once more, M - 1 rounds, and what the last large turn left of its own pair too.
template <int M>
__device__ inline void diagonalize(double *g, double *spare, double *q, double *diagonal, int *rank, int sweeps) {
    constexpr int WARPS = SPECTRAL_THREADS / WARP;
    static_assert(HALF * (HALF + 1) / 2 <= (WARPS - 3) * WARP, "a thread for each crossing");
    __shared__ Turn spaces[2][HALF];
    Turn *turns = spaces[0], *found = spaces[1]; // of a round and of the next
    // Of the crossings, in the order of the rows of a triangle, the first warp has none, nor the one that it shares a
    // scheduler with.
    const int number = warp_index() == WARPS / 2 ? PAIR * PAIR : threadIdx.x - WARP * (1 + warp_index() / (WARPS / 2));
    int i = 0;
    while ((i + 1) * (i + 2) / 2 <= number) i++;
    const Crossing<M> crossing(i, number - i * (i + 1) / 2);
    const Coming<M> coming(lane_index() % (M / 2));
    Column<M> column(lane_index());
    if (threadIdx.x < M / 2) turns[threadIdx.x] = Turn{1, 0};
    __syncthreads();
    const int last = 1 + sweeps * (M - 1); // the first round has no angles yet
    int round = 0;
    for (int end = M; round < end; round++) {
        int large = 0;
        if (warp_index() == 0) {
            large = coming.find(found, g, turns);
        } else if (warp_index() == WARPS - 1) {
            column.turn(turns);
        } else if (i < M / 2) {
            crossing.turn(spare, g, turns);
        }
        double *const g_now = spare;
        spare = g, g = g_now;
        Turn *const turns_now = found;
        found = turns, turns = turns_now;
        if (__syncthreads_or(large)) end = min(round + 1 + M, last);
    }
    round %= M - 1;
    if (threadIdx.x < M) diagonal[player<M>(threadIdx.x, round)] = g[threadIdx.x * (PAIR_STRIDE + 1)];
    if (warp_index() == WARPS - 1 && lane_index() < M) {
#pragma unroll
        for (int at = 0; at < M; at++) q[player<M>(at, round) * PAIR_STRIDE + lane_index()] = column.at[at];
    }
    __syncthreads();
    for (int row = warp_index(); row < M; row += SPECTRAL_THREADS / WARP) {
        const double x = lane_index() < M ? q[row * PAIR_STRIDE + lane_index()] : 0.0;
        const double to_one = 0.5 * (3 - warp_sum(x * x)); // one over the root of what is nearly one
        if (lane_index() < M) q[row * PAIR_STRIDE + lane_index()] = x * to_one;
    }
    if (threadIdx.x < M) {
        const double own = diagonal[threadIdx.x];
        int before = 0;
        for (int other = 0; other < M; other++) {
            const double x = diagonal[other];
            before += x > own || (x == own && other < threadIdx.x);
        }
        rank[threadIdx.x] = before;
    }
    __syncthreads();
}
