// The norm of a vertex over the number of its routes.
#pragma once
#include "paths.cuh"

template <class T>
__device__ __forceinline__ T walk_factor(const T *norms, const int *index, const double *counts, int v)
{
    const T norm = norms ? norms[path_row(index, v)] : (T)1;
    return counts && counts[v] > 0 ? (T)(norm / counts[v]) : norm;
}
