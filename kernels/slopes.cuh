// The divided differences of a rule, and an element of a product that they scale.
#pragma once
#include "spectral.cuh"

struct Slopes {
    const double *factors, *roots, *clamped;
};

// divided_difference returns F_ij for eigenvalues i and j of all matrices.
__device__ inline double divided_difference(const Slopes &of, long long i, long long j) {
    const double e = of.clamped[i], d = of.clamped[j];
    if (e < 0 && d < 0) return 0;
    double slope = -of.factors[i] * of.factors[j] / (of.roots[i] + of.roots[j]);
    if (e < 0 || d < 0) slope *= fmax(e, d) / fabs(e - d);
    return slope;
}

// product_element finishes element (i, j) of matrix m and writes it.
__device__ inline void product_element(double *c, double x, int i, int j, int n, int m, const Slopes &slopes,
                                       int mirror) {
    if (i >= n || j >= n || (mirror && j > i)) return;
    const long long first = static_cast<long long>(m) * n * n;
    if (slopes.roots)
        x *= divided_difference(slopes, static_cast<long long>(m) * n + i, static_cast<long long>(m) * n + j);
    c[first + static_cast<long long>(i) * n + j] = x;
    if (mirror) c[first + static_cast<long long>(j) * n + i] = x;
}
