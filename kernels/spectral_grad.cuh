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

// multiply_whole leaves op(A) op(B) of order n in the elements of this thread: (y + 16 i, x + 16 j).
template <bool TRANS_A, bool TRANS_B>
__device__ inline void multiply_whole(double (&sum)[4][4], const double *a, const double *b, int n, int line) {
    const int y = threadIdx.x / SPECTRAL_SIDE, x = threadIdx.x % SPECTRAL_SIDE;
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) sum[i][j] = 0;
    for (int k = 0; k < n; k++) {
        double left[4], right[4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int row = y + SPECTRAL_SIDE * i, column = x + SPECTRAL_SIDE * i;
            left[i] = row < n ? (TRANS_A ? a[k * line + row] : a[row * line + k]) : 0.0;
            right[i] = column < n ? (TRANS_B ? b[column * line + k] : b[k * line + column]) : 0.0;
        }
#pragma unroll
        for (int i = 0; i < 4; i++)
#pragma unroll
            for (int j = 0; j < 4; j++) sum[i][j] = fma(left[i], right[j], sum[i][j]);
    }
}

// each_whole calls body with the elements of this thread within order n.
template <class Body> __device__ inline void each_whole(double (&sum)[4][4], int n, Body body) {
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) {
            const int row = threadIdx.x / SPECTRAL_SIDE + SPECTRAL_SIDE * i,
                      column = threadIdx.x % SPECTRAL_SIDE + SPECTRAL_SIDE * j;
            if (row < n && column < n) body(row, column, sum[i][j]);
        }
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
        double sum[4][4];
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
            to[first + i * n + j] = x;
            to[first + j * n + i] = x;
        });
    }
}
