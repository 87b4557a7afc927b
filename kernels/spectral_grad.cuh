// spectral_grad: the gradient of functions of symmetric matrices of order 64 and less, in one launch.
//
//   S = V (F o (V' (G + G')/2 V)) V'        V, e and F as in spectral.cuh, the eigenvectors the ROWS of `vectors`
//
// for each of a number of matrices of order n; a block has a matrix. G and the eigenvectors lie in shared memory, and
// each of the four products takes the place of what it was computed from: a thread keeps its elements, 4 x 4 at most,
// in registers until all have read. Larger matrices take spectral_rule, spectral_symmetrize and spectral_product.
//
// Bytes 24 n^2, operations 4 n^3 multiply-adds. Floor: the latency of the products, 4 n multiply-adds one after the
// other for each of the elements of a thread.
#pragma once
#include "slopes.cuh"
#include "spectral_rule.cuh"

constexpr int SPECTRAL_WHOLE = 64; // the largest order
constexpr int SPECTRAL_SIDE = 16;  // threads along a side of a matrix

// RuleAt is what the rule makes of an eigenvalue e, as spectral_rule has it; delta is what e is known up to.
struct RuleAt {
    double factor, root, clamped;
    __device__ RuleAt(double e, double delta, double eps, int rule) {
        root = regularised_root(e, eps, rule), clamped = 0;
        factor = root > 0 ? 1 / root : infinity<double>() - infinity<double>();
        if (rule == 2) return;
        clamped = e >= -delta ? fmax(e, delta) : e;
        root = sqrt(Maximum::combine(clamped, 0.0) + (rule == 1 ? eps : 0));
    }
};

// multiply_whole leaves op(A) op(B) of order n <= 16 R in the elements of this thread, (y + 16 i, x + 16 j). What it
// leaves in those beyond n means nothing.
template <bool TRANS_A, bool TRANS_B, int R>
__device__ inline void multiply_whole(double (&sum)[R][R], const double *a, const double *b, int n, int line) {
    const double *left[R], *right[R];
#pragma unroll
    for (int i = 0; i < R; i++) {
        const int row = min(static_cast<int>(threadIdx.x) / SPECTRAL_SIDE + SPECTRAL_SIDE * i, n - 1),
                  column = min(static_cast<int>(threadIdx.x) % SPECTRAL_SIDE + SPECTRAL_SIDE * i, n - 1);
        left[i] = a + row * (TRANS_A ? 1 : line);
        right[i] = b + column * (TRANS_B ? line : 1);
#pragma unroll
        for (int j = 0; j < R; j++) sum[i][j] = 0;
    }
    for (int k = 0; k < n; k++) {
        double x[R], y[R];
#pragma unroll
        for (int i = 0; i < R; i++) x[i] = left[i][k * (TRANS_A ? line : 1)], y[i] = right[i][k * (TRANS_B ? 1 : line)];
#pragma unroll
        for (int i = 0; i < R; i++)
#pragma unroll
            for (int j = 0; j < R; j++) sum[i][j] = fma(x[i], y[j], sum[i][j]);
    }
}

// each_whole calls body with the elements of this thread within order n.
template <int R, class Body> __device__ inline void each_whole(double (&sum)[R][R], int n, Body body) {
#pragma unroll
    for (int i = 0; i < R; i++)
#pragma unroll
        for (int j = 0; j < R; j++) {
            const int row = threadIdx.x / SPECTRAL_SIDE + SPECTRAL_SIDE * i,
                      column = threadIdx.x % SPECTRAL_SIDE + SPECTRAL_SIDE * j;
            if (row < n && column < n) body(row, column, sum[i][j]);
        }
}

// gradient_of writes S of a matrix of order n <= 16 R from V in v and (G + G')/2 in g, which it uses up.
template <int R>
__device__ inline void gradient_of(double *to, const double *v, double *g, const Slopes &slopes, int n, int line) {
    double sum[R][R];
    const auto replace = [&]() {
        __syncthreads();
        each_whole(sum, n, [&](int i, int j, double x) { g[i * line + j] = x; });
        __syncthreads();
    };
    multiply_whole<false, false>(sum, v, g, n, line);
    replace();
    multiply_whole<false, true>(sum, g, v, n, line);
    each_whole(sum, n, [&](int i, int j, double &x) { x *= divided_difference(slopes, i, j); });
    replace();
    multiply_whole<true, false>(sum, v, g, n, line);
    replace();
    multiply_whole<false, false>(sum, g, v, n, line);
    each_whole(sum, n, [&](int i, int j, double x) {
        if (j > i) return;
        to[i * n + j] = x;
        to[j * n + i] = x;
    });
}

extern "C" __global__ void __launch_bounds__(SPECTRAL_THREADS)
spectral_grad_f64(double *to, const double *gradient, const double *vectors, const double *values, int n, int matrices,
                  double eps, int rule) {
    __shared__ double factors[SPECTRAL_WHOLE], roots[SPECTRAL_WHOLE], clamped[SPECTRAL_WHOLE];
    DYNAMIC_SHARED(double, space); // 2 n (n + 1) elements
    const int line = n + 1 - n % 2; // odd: columns lie in banks of their own
    double *v = space, *g = space + n * line;
    const Slopes slopes = {factors, roots, clamped};
    for (int m = blockIdx.x; m < matrices; m += gridDim.x) {
        const long long first = static_cast<long long>(m) * n * n;
        double largest = 0;
        for (int i = threadIdx.x; i < n; i += blockDim.x)
            largest = fmax(largest, fabs(values[static_cast<long long>(m) * n + i]));
        largest = block_max(largest); // which also waits for the matrix before
        const double delta = fmax((30 + 2 * n) * 0x1p-53 * largest, 0x1p-1022);
        for (int i = threadIdx.x; i < n; i += blockDim.x) {
            const RuleAt at(values[static_cast<long long>(m) * n + i], delta, eps, rule);
            factors[i] = at.factor, roots[i] = at.root, clamped[i] = at.clamped;
        }
        for (int at = threadIdx.x; at < n * n; at += blockDim.x) {
            const int i = at / n, j = at % n;
            v[i * line + j] = vectors[first + at];
            g[i * line + j] = (gradient[first + at] + gradient[first + j * n + i]) / 2;
        }
        __syncthreads();
        if (n <= 2 * SPECTRAL_SIDE) gradient_of<2>(to + first, v, g, slopes, n, line);
        else gradient_of<4>(to + first, v, g, slopes, n, line);
    }
}
