// Functions of symmetric matrices: the inverse square root and its gradient.
//
//   R = V diag(f(e)) V'            for K = V diag(e) V' and f(e) = 1/(sqrt(max(e, 0)) + eps)  (rules 0 and 2)
//   S = V (F o (V' G V)) V'                          or f(e) = 1/sqrt(max(e, 0) + eps)        (rule 1)
//   F_ij = (f(e_i) - f(e_j)) / (e_i - e_j) = -f_i f_j / (r_i + r_j)    r the root in f, without eps in rule 0
//
// for a number of matrices K and G of order n, row-major, in double. Rule 2 has r = 1/f, with eps: the gradient of
// the published code. Only the lower triangle of K counts. The eigenvectors are the ROWS of a matrix `vectors`.
// The gradient takes V and e as the way forward left them.
//
// Why Jacobi. Everything here is as accurate as the eigenvalues, whose error counts relative to |K| and is
// magnified at the small ones; rotations keep it at some n 2^-53 |K|, need nothing but products of small
// blocks, and the order of all sums is fixed. Iterations for the root itself (Newton and its kin) lose the
// small eigenvalues of nearly singular kernel matrices, which rule 0 depends on.
//
// Every matrix is scaled by a power of two, exactly, to a largest absolute row sum |K| in [1/2, 1).
//
// Order 32 and less: spectral_small, one block for each matrix, two-sided Jacobi in shared memory.
// Larger: spectral_large, one-sided Jacobi (Hestenes, 1958) on W = K + 3/2 I, whose eigenvalues lie in (1/2, 5/2):
// rotations from the right, W := W J, until the columns of W are orthogonal. Then W = V diag(e + 3/2), so that its
// columns are the eigenvectors times their values and no rotation is accumulated. W' is stored: a column of W is a
// row, contiguous.
// Both do all of an inverse square root in one launch.
//
// Errors are words in status, one for each matrix: 0 none, 1 not finite, 2 no inverse square root (a zero
// eigenvalue and eps 0), 3 no convergence. A matrix that has one keeps what R holds where somebody asks for the errors;
// otherwise its R has NaN in every element. NaN are the eigenvalues in any case but 2.
#pragma once
#include "threads.cuh"

constexpr int SPECTRAL_THREADS = 256;
constexpr int PAIR = 32;               // columns of two blocks
constexpr int HALF = PAIR / 2;         // columns of a block
constexpr int PAIR_STRIDE = PAIR + 2;  // of rows in shared memory: double2 loads stay aligned
constexpr int SWEEPS = 24;             // the most sweeps over all pairs
constexpr double SHIFT = 1.5;

// The largest |cos| of the angle between two columns that counts as orthogonal: the rounding of a product of
// order n, and no less than that of a few dozen rotations.
__device__ inline double orthogonal_enough(int n) { return 0x1p-52 * fmax(8.0, sqrt(static_cast<double>(n))); }

// In round r of m - 1, member t of m/2 plays the pair (p, q); every two of m meet once. m is even.
struct Meeting {
    int p, q;
};
__device__ inline Meeting meeting(int t, int r, int m) {
    if (t == 0) return {r, m - 1};
    int p = r + t, q = r - t;
    if (p >= m - 1) p -= m - 1;
    if (q < 0) q += m - 1;
    return {min(p, q), max(p, q)};
}

// rotation returns the cosine and sine of the smaller angle that takes [[a, b], [b, d]] to diagonal form:
// J = [[c, s], [-s, c]], J' M J diagonal.
__device__ inline void rotation(double a, double b, double d, double &c, double &s) {
    const double tau = (d - a) / (2 * b);
    const double t = copysign(1.0, tau) / (fabs(tau) + sqrt(1 + tau * tau));
    c = 1 / sqrt(1 + t * t);
    s = t * c;
}

// The power of two that a matrix is scaled by, from its largest absolute row sum; NaN for one that is not finite.
__device__ inline double scale_of(double norm) {
    if (!(norm <= 1.7976931348623157e308)) return infinity<double>() - infinity<double>();
    return norm >= 0x1p-1000 ? scalbn(1.0, -ilogb(norm) - 1) : 1.0;
}

// Element (i, j) of a symmetric matrix of which the lower triangle counts.
__device__ inline double lower(const double *matrix, int n, int i, int j) {
    return matrix[static_cast<long long>(max(i, j)) * n + min(i, j)];
}

// row_norm returns the sum of the absolute values of row i to every lane of a warp.
__device__ inline double row_norm(const double *matrix, int n, int i) {
    double sum = 0;
    for (int j = lane_index(); j < n; j += WARP) sum += fabs(lower(matrix, n, i, j));
    return warp_sum(sum);
}
