// power_diagonal: y_vd = (A^{d+1})_vv for d < powers.
//
// A is the block-diagonal adjacency of graphs that own the vertices offsets[g] .. offsets[g+1], with arc
// weights (null: ones). y is n x powers.
// Bytes: 4 n + 4 m (+ sizeof(T) m) for A, sizeof(T) n powers for y. Operations: a vector of n_g weights of
// walks from every vertex v of a graph goes over its m_g arcs once for each step, n_g m_g multiply-adds.
// With A symmetric row and column v of a power are equal and two halves of a walk meet in the middle,
// (A^{i+j})_vv = sum_w (A^i)_vw (A^j)_wv, which takes floor(powers / 2) steps beyond the first arc;
// otherwise all powers are walked. Floor: sum_g n_g m_g ceil(powers / 2) / rate of multiply-adds from
// shared memory (one a lane and two cycles or so), for small graphs below the time of a launch.
//
// power_diagonal: one block for each graph, the graph in shared memory, one warp for each vertex with two
// vectors there, which pulls along the arcs of every vertex: no two lanes write to one place. It leaves
// out graphs that need more than shared_bytes.
//
// power_diagonal_large takes those: one warp for each vertex keeps the vertices that its walks reach as a
// list, so that a step costs the arcs that leave them and not those of the graph, as on the CPU. The lanes
// of a warp take the arcs of one vertex of the list after the other, whose heads differ: parallel arcs,
// which lie together, are added up by the first of them. Each warp has space for stride vertices.
#pragma once
#include "weighted_arcs.cuh"

constexpr int DIAGONAL_WARPS = 8;   // of a block

// power_diagonal_bytes is the shared memory for a graph of n vertices and m arcs; the host computes the same.
template <class T> __device__ inline long long power_diagonal_bytes(long long n, long long m, bool weighted) {
    return static_cast<long long>(sizeof(T)) * (2 * DIAGONAL_WARPS * n + (weighted ? m : 0)) + 4 * (n + 1 + m);
}

template <class T>
__device__ inline void power_diagonal(T *y, WeightedArcs<T> a, const int *offsets, int graphs, int powers, int symmetric, long long shared_bytes) {
    DYNAMIC_SHARED(T, space);
    for (int g = blockIdx.x; g < graphs; g += gridDim.x) {
        const int first = offsets[g], n = offsets[g + 1] - first;
        if (n == 0) continue;
        const int arc = a.row_ptr[first], m = a.row_ptr[first + n] - arc;
        if (power_diagonal_bytes<T>(n, m, a.weights) > shared_bytes) continue;
        T *weight = space + 2 * DIAGONAL_WARPS * n;
        int *row = reinterpret_cast<int *>(weight + (a.weights ? m : 0)), *head = row + n + 1;
        for (int i = threadIdx.x; i <= n; i += blockDim.x) row[i] = a.row_ptr[first + i] - arc;
        for (int i = threadIdx.x; i < m; i += blockDim.x) {
            head[i] = a.col[arc + i] - first;
            if (a.weights) weight[i] = a.weights[arc + i];
        }
        __syncthreads();
        T *current = space + 2 * warp_index() * n, *before = current + n;
        for (int v = warp_index(); v < n; v += DIAGONAL_WARPS) {
            for (int u = lane_index(); u < n; u += WARP) current[u] = u == v ? T(1) : T(0);
            __syncwarp();
            for (int d = 0; d < powers; d++) {
                if (d % 2 == 0 || !symmetric) {
                    T *swapped = before;
                    before = current;
                    current = swapped;
                    for (int u = lane_index(); u < n; u += WARP) {
                        T sum = T(0);
                        for (int e = row[u]; e < row[u + 1]; e++) sum += a.weights ? weight[e] * before[head[e]] : before[head[e]];
                        current[u] = sum;
                    }
                    __syncwarp();
                }
                T met = T(0);
                if (symmetric) {
                    const T *other = d % 2 == 0 ? before : current;
                    for (int u = lane_index(); u < n; u += WARP) met = multiply_add(current[u], other[u], met);
                    met = warp_sum(met);
                } else {
                    met = current[v];
                }
                if (lane_index() == 0) y[static_cast<long long>(first + v) * powers + d] = met;
                __syncwarp();
            }
        }
        __syncthreads();
    }
}

// met says which step reached a vertex, so that no vector needs to be cleared; it starts as zeros.
template <class T>
__device__ inline void power_diagonal_large(T *y, WeightedArcs<T> a, const int *offsets, int graphs, int n, int powers, int symmetric,
                                            long long shared_bytes, T *values, int *met, int *lists, long long stride) {
    const long long warp = global_thread() / WARP, warps = global_threads() / WARP;
    T *current = values + 2 * warp * stride, *before = current + stride;
    int *met_now = met + 2 * warp * stride, *met_before = met_now + stride;
    int *at = lists + 2 * warp * stride, *from = at + stride;
    int step = 0;
    const int lane = lane_index();
    for (long long v = warp; v < n; v += warps) {
        const int g = graph_of(offsets, graphs, static_cast<int>(v)), first = offsets[g];
        const int size = offsets[g + 1] - first, root = static_cast<int>(v) - first;
        if (power_diagonal_bytes<T>(size, a.row_ptr[first + size] - a.row_ptr[first], a.weights) <= shared_bytes) continue;
        int reached = 1;
        step++;
        if (lane == 0) {
            at[0] = root;
            current[root] = T(1);
            met_now[root] = step;
        }
        __syncwarp();
        for (int d = 0; d < powers; d++) {
            if (d % 2 == 0 || !symmetric) {
                T *values_swapped = before; before = current; current = values_swapped;
                int *met_swapped = met_before; met_before = met_now; met_now = met_swapped;
                int *list_swapped = from; from = at; at = list_swapped;
                const int sources = reached;
                reached = 0;
                step++;
                for (int i = 0; i < sources; i++) {
                    const int u = from[i], begin = a.row_ptr[first + u], end = a.row_ptr[first + u + 1];
                    const T x = before[u];
                    for (int e0 = begin; e0 < end; e0 += WARP) {
                        const int e = e0 + lane;
                        const int to = e < end ? a.col[e] : -1;
                        bool fresh = false;
                        if (e < end && (e == begin || a.col[e - 1] != to)) {
                            T weight = a.weight(e);
                            for (int f = e + 1; f < end && a.col[f] == to; f++) weight += a.weight(f);
                            fresh = met_now[to - first] != step;
                            met_now[to - first] = step;
                            current[to - first] = fresh ? x * weight : multiply_add(x, weight, current[to - first]);
                        }
                        const unsigned all = __ballot_sync(ALL_LANES, fresh);
                        if (fresh) at[reached + __popc(all & ((1u << lane) - 1))] = to - first;
                        reached += __popc(all);
                        __syncwarp();
                    }
                }
            }
            T sum = T(0);
            if (symmetric) {
                const T *other = d % 2 == 0 ? before : current;
                const int *met_other = d % 2 == 0 ? met_before : met_now;
                const int other_step = d % 2 == 0 ? step - 1 : step;
                for (int i = lane; i < reached; i += WARP) {
                    const int u = at[i];
                    if (met_other[u] == other_step) sum = multiply_add(current[u], other[u], sum);
                }
                sum = warp_sum(sum);
            } else if (met_now[root] == step) {
                sum = current[root];
            }
            if (lane == 0) y[v * powers + d] = sum;
            __syncwarp();
        }
    }
}

#define POWER_DIAGONAL(NAME, T)                                                                                           \
    extern "C" __global__ void __launch_bounds__(DIAGONAL_WARPS * 32, 4) NAME(                                            \
        T *y, const int *row_ptr, const int *col, const T *weights, const int *offsets, int graphs, int powers,           \
        int symmetric, long long shared_bytes) {                                                                          \
        power_diagonal<T>(y, {row_ptr, col, weights}, offsets, graphs, powers, symmetric, shared_bytes);                  \
    }
POWER_DIAGONAL(power_diagonal_f32, float)
POWER_DIAGONAL(power_diagonal_f64, double)

#define POWER_DIAGONAL_LARGE(NAME, T)                                                                                     \
    extern "C" __global__ void __launch_bounds__(DIAGONAL_WARPS * 32, 4) NAME(                                            \
        T *y, const int *row_ptr, const int *col, const T *weights, const int *offsets, int graphs, int n, int powers,    \
        int symmetric, long long shared_bytes, T *values, int *met, int *lists, long long stride) {                       \
        power_diagonal_large<T>(y, {row_ptr, col, weights}, offsets, graphs, n, powers, symmetric, shared_bytes, values,  \
                                met, lists, stride);                                                                      \
    }
POWER_DIAGONAL_LARGE(power_diagonal_large_f32, float)
POWER_DIAGONAL_LARGE(power_diagonal_large_f64, double)
