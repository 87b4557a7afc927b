// subset_walks: y_vik = sum over j of row i, j in subset v, of round_k(a_ij x_vjk).
//
// A is n x n with m entries, y is V x wanted x q, x the same or 1 x n x q. Missing values (NaN) of x count as 0.
// Rows of sides are those that of_sides lists, or the first ones; with stamps only rows of A with the given one are
// wanted. Bytes, with one x for all: 8 n q + 4 (n + m) (+ 8 m with values) + V/2 n for the sides, 8 V wanted q for y.
// Operations: V m q additions at most, half of them where the subsets of a row part the vertices. Floor: memory.
//
// subset_walks: one thread for both vectors of a row of sides, so that arcs, sides and, where it serves all, x are read
// once for two sums. The columns of a row lie side by side, so neighbouring threads read neighbouring addresses. The
// entries of a row are added one after another whatever its length, for the order.
#pragma once
#include "subsets.cuh"

extern "C" __global__ void __launch_bounds__(256)
subset_walks_f64(double *y, const double *x, const int *row_ptr, const int *col, const double *values,
                 const unsigned char *sides, const int *of_sides, const int *rows, const double *shifts,
                 const int *stamps, int stamp, int n, int q, int vectors, int wanted, int own) {
    const int together = sides ? 2 : 1, groups = vectors / together;
    const long long vector = static_cast<long long>(n) * q, items = static_cast<long long>(groups) * wanted * q;
    for (long long item = global_thread(); item < items; item += global_threads()) {
        const int k = static_cast<int>(item % q), at = static_cast<int>(item / q % wanted),
                  m = static_cast<int>(item / q / wanted);
        const int i = rows ? rows[at] : at;
        if (stamps && stamps[i] != stamp) continue;
        const double *from = x + (own ? static_cast<long long>(m) * together * vector : 0) + k;
        const unsigned char *side = sides ? sides + static_cast<long long>(of_sides ? of_sides[m] : m) * n : nullptr;
        const double shift = shifts ? shifts[k] : 0;
        double sum[2] = {0, 0};
        const int end = row_ptr[i + 1];
#pragma unroll 4
        for (int e = row_ptr[i]; e < end; e++) {
            const int j = __ldg(col + e), bits = side ? side[j] : 1;
            const double weight = values ? __ldg(values + e) : 1.0;
            double value = 0;
            if (bits & (own ? 1 : 3)) value = from[static_cast<long long>(j) * q];
            if (bits & 1 && value == value) sum[0] += on_grid(__dmul_rn(weight, value), shift);
            if (own && bits & 2) value = from[vector + static_cast<long long>(j) * q];
            if (bits & 2 && value == value) sum[1] += on_grid(__dmul_rn(weight, value), shift);
        }
        double *to = y + static_cast<long long>(m) * together * vector + static_cast<long long>(i) * q + k;
        to[0] = sum[0];
        if (together == 2) to[vector] = sum[1];
    }
}
