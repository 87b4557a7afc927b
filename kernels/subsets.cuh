// Splits of trees that look along walks (TREE-G).
//
// Everything here is in double. Numbers lie on grids of powers of two on which sums are exact, so that the bits
// are those of any other order and of any other engine; where there is no such grid, sums have the order of the
// arcs and of the vertices, as on the CPU. Therefore no product is fused with a sum.
//
// A subset t is bit t % 2 of row t / 2 of sides, a byte for each of n vertices; t < 0 is everything. A search is
// SEARCH_FIELDS integers, see SearchFields.
#pragma once
#include "threads.cuh"

// on_grid rounds x to multiples of the grid that a shift stands for; 0 leaves it as it is.
__device__ inline double on_grid(double x, double shift) { return shift == 0 ? x : (x + shift) - shift; }

__device__ inline bool in_subset(const unsigned char *sides, int subset, int v, int n) {
    return subset < 0 || sides[static_cast<long long>(subset / 2) * n + v] >> subset % 2 & 1;
}
