// spectral_product: C = op(A) diag(s) op(B) [o F], for each of a number of matrices of order n.
//
// scale (s) null: ones; roots null: no F, else F from f = factors, roots and clamped; with mirror only the
// lower triangle is computed and copied to the upper one. Matrices with a status keep their C; status null: none has
// one. Bytes: 24 n^2; operations: n^3 multiply-adds (half of them with mirror). Floor: operations at the rate of double
// precision.
//
// spectral_product: a block computes 64 x 64 elements, a thread 4 x 4 of them, from strips of A and B of
// depth 16 in shared memory: 16 multiply-adds for four double2 loads, where a thread for each element has 1 for two
// loads from the cache. Prediction: half of the floor for n >= 512, not measured.
#pragma once
#include "slopes.cuh"

constexpr int TILE = 64;
constexpr int DEPTH = 16;

// load_strip loads rows row0 .. row0 + 64 and columns k0 .. k0 + 16 of op(X) as strip[k][row].
__device__ inline void load_strip(double (*strip)[TILE + 2], const double *x, int transposed, int n, int row0, int k0,
                                  const double *scale) {
#pragma unroll
    for (int i = 0; i < TILE * DEPTH / SPECTRAL_THREADS; i++) {
        const int at = threadIdx.x + i * SPECTRAL_THREADS;
        const int row = transposed ? at % TILE : at / DEPTH, k = transposed ? at / TILE : at % DEPTH;
        double value = 0;
        if (row0 + row < n && k0 + k < n) {
            value = transposed ? x[static_cast<long long>(k0 + k) * n + row0 + row]
                               : x[static_cast<long long>(row0 + row) * n + k0 + k];
            if (scale) value *= scale[k0 + k];
        }
        strip[k][row] = value;
    }
}

// product_tile computes the 64 x 64 elements of matrix m from (i0, j0) on.
__device__ inline void product_tile(double *c, const double *a, const double *b, int trans_a, int trans_b, int n, int m,
                                    const double *scale, const Slopes &slopes, int mirror, int i0, int j0) {
    __shared__ __align__(16) double left[DEPTH][TILE + 2], right[DEPTH][TILE + 2];
    const int y = threadIdx.x / 16, x = threadIdx.x % 16;
    const long long first = static_cast<long long>(m) * n * n;
    double sum[4][4] = {};
    for (int k0 = 0; k0 < n; k0 += DEPTH) {
        __syncthreads();
        load_strip(left, a + first, trans_a, n, i0, k0, scale ? scale + static_cast<long long>(m) * n : nullptr);
        load_strip(right, b + first, !trans_b, n, j0, k0, nullptr);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < DEPTH; k++) {
            const double2 *l = reinterpret_cast<const double2 *>(left[k]),
                          *r = reinterpret_cast<const double2 *>(right[k]);
            const double2 l0 = l[y], l1 = l[16 + y], r0 = r[x], r1 = r[16 + x];
            const double ls[4] = {l0.x, l0.y, l1.x, l1.y}, rs[4] = {r0.x, r0.y, r1.x, r1.y};
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++) sum[i][j] = fma(ls[i], rs[j], sum[i][j]);
        }
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
            product_element(c, sum[i][j], i0 + 2 * y + i % 2 + i / 2 * 32, j0 + 2 * x + j % 2 + j / 2 * 32, n, m,
                            slopes, mirror);
}

extern "C" __global__ void __launch_bounds__(SPECTRAL_THREADS)
spectral_product_f64(double *c, const double *a, const double *b, const int *status, int trans_a, int trans_b,
                     int n, int matrices, const double *scale, const double *factors, const double *roots,
                     const double *clamped, int mirror) {
    const int tiles = (n + TILE - 1) / TILE;
    const long long items = static_cast<long long>(tiles) * tiles * matrices;
    for (long long item = blockIdx.x; item < items; item += gridDim.x) {
        const int m = static_cast<int>(item / (tiles * tiles)), tile = static_cast<int>(item % (tiles * tiles));
        const int i0 = tile / tiles * TILE, j0 = tile % tiles * TILE;
        if ((status && status[m]) || (mirror && j0 > i0)) continue;
        product_tile(c, a, b, trans_a, trans_b, n, m, scale, {factors, roots, clamped}, mirror, i0, j0);
    }
}
