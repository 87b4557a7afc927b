// Sparse-dense product: a thread for each element of Y walks along the row of A. Its loads depend on each other in
// pairs (column, then X), so that it waits for memory twice for every entry.
#pragma once
#include "../sparse_matrix.cuh"

template <class T>
__device__ inline void sparse_matmul_plain(T *y, SparseMatrix<T> a, const T *x, int rows, int q) {
    const long long elements = static_cast<long long>(rows) * q;
    for (long long i = global_thread(); i < elements; i += global_threads()) {
        const int r = static_cast<int>(i / q), c = static_cast<int>(i % q);
        T sum = T(0);
        if (!a.keep_rows || a.keep_rows[r])
            for (int e = a.row_ptr[r]; e < a.row_ptr[r + 1]; e++)
                if (!a.keep_cols || a.keep_cols[a.col[e]])
                    sum += (a.values ? a.values[e] : T(1)) * x[static_cast<long long>(a.col[e]) * q + c];
        y[i] = sum;
    }
}

#define SPARSE_MATMUL_PLAIN(NAME, T)                                                                                   \
    extern "C" __global__ void __launch_bounds__(256)                                                                  \
    NAME(T *y, const int *row_ptr, const int *col, const T *values, const unsigned char *keep_rows,                    \
         const unsigned char *keep_cols, const T *x, int rows, int q) {                                                \
        sparse_matmul_plain<T>(y, {row_ptr, col, values, keep_rows, keep_cols}, x, rows, q);                           \
    }
SPARSE_MATMUL_PLAIN(sparse_matmul_plain_f32, float)
SPARSE_MATMUL_PLAIN(sparse_matmul_plain_f64, double)
