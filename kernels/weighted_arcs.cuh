// Arcs with weights, and the graphs that own vertices.
#pragma once
#include "threads.cuh"

template <class T> struct WeightedArcs {
    const int *row_ptr, *col;
    const T *weights;
    __device__ inline T weight(int e) const { return weights ? weights[e] : T(1); }
};

// graph_of returns the graph that owns vertex v, by bisection.
__device__ inline int graph_of(const int *offsets, int graphs, int v) {
    int low = 0, high = graphs;   // the first graph that ends after v
    while (low < high) {
        const int middle = (low + high) / 2;
        if (offsets[middle + 1] > v) high = middle;
        else low = middle + 1;
    }
    return low;
}
