// Walks within subsets: a thread for each element of y.
#pragma once
#include "../subsets.cuh"

extern "C" __global__ void __launch_bounds__(256)
subset_walks_plain_f64(double *y, const double *x, const int *row_ptr, const int *col, const double *values,
                       const unsigned char *sides, const int *rows, const double *shifts, int n, int q, int vectors,
                       int wanted, int own) {
    const long long items = static_cast<long long>(vectors) * wanted * q;
    for (long long item = global_thread(); item < items; item += global_threads()) {
        const int k = static_cast<int>(item % q), at = static_cast<int>(item / q % wanted),
                  v = static_cast<int>(item / q / wanted);
        const int i = rows ? rows[at] : at;
        const double *from = x + (own ? static_cast<long long>(v) * n * q : 0);
        const double shift = shifts ? shifts[k] : 0;
        double sum = 0;
        for (int e = row_ptr[i]; e < row_ptr[i + 1]; e++) {
            const int j = col[e];
            const double value = from[static_cast<long long>(j) * q + k];
            if (value == value && in_subset(sides, sides ? v : -1, j, n))
                sum += on_grid(__dmul_rn(values ? values[e] : 1.0, value), shift);
        }
        y[(static_cast<long long>(v) * n + i) * q + k] = sum;
    }
}
