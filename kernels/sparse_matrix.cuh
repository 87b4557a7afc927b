// Sparse matrices.
//
// A matrix in compressed sparse rows has the entries row_ptr[r] .. row_ptr[r+1] of row r in the columns
// col[e], with values[e] (null: ones). keep_rows and keep_cols are masks of bytes (null: everything).
#pragma once
#include "threads.cuh"

template <class T> struct SparseMatrix {
    const int *row_ptr, *col;
    const T *values;
    const unsigned char *keep_rows, *keep_cols;
};
