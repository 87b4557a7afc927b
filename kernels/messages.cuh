// Pooling over non-backtracking walks, by messages along arcs.
#pragma once
#include "walk_factor.cuh"

// ----- message_step: one position of the recursion over non-backtracking walks ----------------------
//
//   m_i(u->v) = b_i(v) * sum of m_{i+1}(v->w) over the arcs from v to w other than u and v,   m_j(u->v) = b_j(v)
//
// and with exponents for a maximum. The sum without u is that of the arcs before u and those after it, never a
// difference; a maximum needs the best arc and the best to another vertex. An arc is its position in col;
// those into v are in_arc[in_ptr[v]..in_ptr[v+1]) by tail. value, source and after (scratch for sums) are arcs x
// width; picked is the arc that attains a maximum, null where it is not asked for. source is null for i = j.
// scores null: b is 1, which counts.
//
// Bytes: 5 arcs width values for sums, 2 for maxima; operations: 3 additions an arc, an exponential a vertex;
// floor: bandwidth for 2 arcs width values. What large graphs use, where
// message_small takes small ones.

template <class T> struct MessageMaximum {
    T first, second;
    int arc, other, end;

    __device__ __forceinline__ MessageMaximum()
        : first(PathLowest<T>::value()), second(PathLowest<T>::value()), arc(-1), other(-1), end(-1) {}

    // see takes the value of an arc to w.
    __device__ __forceinline__ void see(T x, int w, int e)
    {
        if (x > first) {
            if (end != w) {
                second = first, other = arc;
            }
            first = x, arc = e, end = w;
        } else if (x > second && end != w) {
            second = x, other = e;
        }
    }
};

template <class T>
__device__ __forceinline__ T message_factor(const T *scores, const int *index, int v, int size, int q, int f,
                                            int position, int maximum, T rate, T offset)
{
    const T x = scores ? rate * scores[((long long)path_row(index, v) * size + position - 1) * q + f] : (T)0;
    return maximum ? x : path_exp2(x + offset);
}

template <class T>
__device__ void message_step(T *value, T *after, int *picked, const T *source, const T *scores, const int *index,
                             const int *row_ptr, const int *col, const int *in_ptr, const int *in_arc, const int *tail,
                             int n, int size, int q, int f0, int width, int position, int maximum, T rate, T offset)
{
    const long long all = (long long)n * width;
    for (long long at = global_thread(); at < all; at += global_threads()) {
        const int v = (int)(at / width), f = (int)(at % width);
        const T factor = message_factor(scores, index, v, size, q, f0 + f, position, maximum, rate, offset);
        const int begin = row_ptr[v], end = row_ptr[v + 1];
        MessageMaximum<T> best;
        T sum = 0;
        if (source && maximum) {
            for (int e = begin; e < end; e++) {
                if (col[e] != v) {
                    best.see(source[(long long)e * width + f], col[e], e);
                }
            }
        } else if (source) {
            for (int e = end - 1; e >= begin; e--) {
                sum += col[e] != v ? source[(long long)e * width + f] : (T)0;
                after[(long long)e * width + f] = sum;
            }
        }
        T before = 0;
        int e = begin;
        for (int k = in_ptr[v]; k < in_ptr[v + 1]; k++) {
            const int a = in_arc[k], u = tail[a];
            const long long to = (long long)a * width + f;
            if (u == v) {
                continue;
            }
            if (!source) {
                value[to] = factor;
            } else if (maximum) {
                const bool other = best.end == u;
                value[to] = factor + (other ? best.second : best.first);
                if (picked) {
                    picked[to] = other ? best.other : best.arc;
                }
            } else {
                for (; e < end && col[e] < u; e++) {
                    before += col[e] != v ? source[(long long)e * width + f] : (T)0;
                }
                int next = e;
                while (next < end && col[next] == u) {
                    next++;
                }
                value[to] = factor * (before + (next < end ? after[(long long)next * width + f] : (T)0));
            }
        }
    }
}

#define MESSAGE_STEP(T, suffix)                                                                                        \
    extern "C" __global__ void message_step_##suffix(                                                                  \
        T *value, T *after, int *picked, const T *source, const T *scores, const int *index, const int *row_ptr,       \
        const int *col, const int *in_ptr, const int *in_arc, const int *tail, int n, int size, int q, int f0,         \
        int width, int position, int maximum, T rate, T offset)                                                        \
    {                                                                                                                  \
        message_step<T>(value, after, picked, source, scores, index, row_ptr, col, in_ptr, in_arc, tail, n, size, q,   \
                        f0, width, position, maximum, rate, offset);                                                   \
    }
MESSAGE_STEP(float, f32)
MESSAGE_STEP(double, f64)

// ----- message_root: what the messages of position 2 pool to at every vertex -------------------------
//
//   value(u) = b_1(u) * sum of m_2(u->w) over the arcs from u to w other than u
//
// n x width, for walk_finish; picked is the arc that attains a maximum, may be null. source is null for walks
// of a single vertex. Bytes: (arcs + n) width values; floor: bandwidth.

template <class T>
__device__ void message_root(T *value, int *picked, const T *source, const T *scores, const int *index,
                             const int *row_ptr, const int *col, int n, int size, int q, int f0, int width, int maximum,
                             T rate, T offset)
{
    const long long all = (long long)n * width;
    for (long long at = global_thread(); at < all; at += global_threads()) {
        const int u = (int)(at / width), f = (int)(at % width);
        T x = message_factor(scores, index, u, size, q, f0 + f, 1, maximum, rate, offset);
        if (source) {
            T sum = maximum ? PathLowest<T>::value() : (T)0;
            int best = -1;
            for (int e = row_ptr[u]; e < row_ptr[u + 1]; e++) {
                if (col[e] == u) {
                    continue;
                }
                const T y = source[(long long)e * width + f];
                if (!maximum) {
                    sum += y;
                } else if (y > sum) {
                    sum = y, best = e;
                }
            }
            if (picked) {
                picked[at] = best;
            }
            x = maximum ? x + sum : x * sum;
        }
        value[at] = x;
    }
}

#define MESSAGE_ROOT(T, suffix)                                                                                        \
    extern "C" __global__ void message_root_##suffix(T *value, int *picked, const T *source, const T *scores,          \
                                                     const int *index, const int *row_ptr, const int *col, int n,      \
                                                     int size, int q, int f0, int width, int maximum, T rate,          \
                                                     T offset)                                                         \
    {                                                                                                                  \
        message_root<T>(value, picked, source, scores, index, row_ptr, col, n, size, q, f0, width, maximum, rate,      \
                        offset);                                                                                       \
    }
MESSAGE_ROOT(float, f32)
MESSAGE_ROOT(double, f64)

// ----- message_small: non-backtracking walks of small graphs in shared memory ------------------------
//
// As walk_small: a block takes a run of whole graphs and 32 filters, and three vectors over arcs live in shared
// memory. Shared memory: 96 values and 4 ints an arc, 2 ints a vertex.
// Floor: max of bytes (scores and outputs once) and n q size (size+1) / 2 exponentials for all lengths.

template <class T>
__device__ void message_small(const long long *out, const T *scores, const T *norms, const int *index,
                              const int *row_ptr, const int *col, const int *in_ptr, const int *in_arc,
                              const int *tail, const double *counts, const int *root_row, const int *packs, int n,
                              int size, int q, int maximum, T alpha2, int sum_exponent, int max_vertices, int max_arcs)
{
    DYNAMIC_SHARED(unsigned char, memory);
    T *next = reinterpret_cast<T *>(memory), *current = next + 32 * (long long)max_arcs;
    T *after = current + 32 * (long long)max_arcs;
    int *first = reinterpret_cast<int *>(after + 32 * (long long)max_arcs), *in_first = first + max_vertices + 1;
    int *heads = in_first + max_vertices + 1, *in_arcs = heads + max_arcs, *tails = in_arcs + max_arcs;
    const int from = packs[2 * blockIdx.x], vertices = packs[2 * blockIdx.x + 1] - from;
    const int lane = threadIdx.x, warp = threadIdx.y, warps = blockDim.y, threads = warps * 32;
    const int f = blockIdx.y * 32 + lane, base = row_ptr[from], arcs = row_ptr[from + vertices] - base;
    for (int v = warp * 32 + lane; v <= vertices; v += threads) {
        first[v] = row_ptr[from + v] - base;
        in_first[v] = in_ptr[from + v] - base;
    }
    for (int e = warp * 32 + lane; e < arcs; e += threads) {
        heads[e] = col[base + e] - from;
        in_arcs[e] = in_arc[base + e] - base;
        tails[e] = tail[base + e] - from;
    }
    for (int j = 1; j <= size; j++) {
        if (!out[j - 1]) {
            continue;
        }
        const T rate = path_rate(alpha2, sum_exponent, j), offset = path_offset(alpha2, sum_exponent, j);
        for (int i = j; i >= 1; i--) {
            __syncthreads();
            for (int v = warp; v < vertices; v += warps) {
                const T factor =
                    f < q ? message_factor(scores, index, from + v, size, q, f, i, maximum, rate, offset / (T)j) : (T)0;
                const int begin = first[v], end = first[v + 1];
                MessageMaximum<T> best;
                T sum = 0;
                for (int e = end - 1; e >= begin && i < j; e--) {
                    if (heads[e] != v) {
                        const T x = next[e * 32 + lane];
                        best.see(x, heads[e], e);
                        sum += x;
                    }
                    after[e * 32 + lane] = sum;
                }
                if (i == 1) {
                    const int row = path_root(root_row, n, j, from + v);
                    if (row >= 0 && f < q) {
                        T x = factor;
                        if (j > 1) {
                            x = maximum ? x + best.first : x * sum;
                        }
                        path_matrix<T>(out, j)[(long long)row * q + f] =
                            walk_factor(norms, index, counts ? counts + (long long)(j - 1) * n : counts, from + v) *
                            (maximum ? path_exp2(x + offset) : x);
                    }
                    continue;
                }
                T before = 0;
                int e = begin;
                for (int k = in_first[v]; k < in_first[v + 1]; k++) {
                    const int a = in_arcs[k], u = tails[a];
                    if (u == v) {
                        continue;
                    }
                    T x = factor;
                    if (i < j && maximum) {
                        x += best.end == u ? best.second : best.first;
                    } else if (i < j) {
                        for (; e < end && heads[e] < u; e++) {
                            before += heads[e] != v ? next[e * 32 + lane] : (T)0;
                        }
                        int beyond = e;
                        while (beyond < end && heads[beyond] == u) {
                            beyond++;
                        }
                        x *= before + (beyond < end ? after[beyond * 32 + lane] : (T)0);
                    }
                    current[a * 32 + lane] = x;
                }
            }
            T *other = next;
            next = current, current = other;
        }
    }
}

#define MESSAGE_SMALL(T, suffix)                                                                                       \
    extern "C" __global__ void __launch_bounds__(256, 1)                                                               \
    message_small_##suffix(const long long *out, const T *scores, const T *norms, const int *index,                    \
                           const int *row_ptr, const int *col, const int *in_ptr, const int *in_arc,                   \
                           const int *tail, const double *counts, const int *root_row, const int *packs, int n,        \
                           int size, int q, int maximum, T alpha2, int sum_exponent, int max_vertices,                 \
                           int max_arcs)                                                                               \
{                                                                                                                      \
        message_small<T>(out, scores, norms, index, row_ptr, col, in_ptr, in_arc, tail, counts, root_row, packs, n,    \
                         size, q, maximum, alpha2, sum_exponent, max_vertices, max_arcs);                              \
    }
MESSAGE_SMALL(float, f32)
MESSAGE_SMALL(double, f64)

// ----- message_counts: number of non-backtracking walks ----------------------------------------------
//
// counts(v) = sum of ways over the arcs from v to other vertices; ways(a) are the ways to go on from arc a, left
// by message_step without scores; null: one for every arc. 8 bytes an arc; floor: bandwidth.

extern "C" __global__ void message_counts(double *counts, const double *ways, const int *row_ptr, const int *col, int n)
{
    for (int v = global_thread(); v < n; v += global_threads()) {
        double sum = 0;
        for (int e = row_ptr[v]; e < row_ptr[v + 1]; e++) {
            sum += col[e] == v ? 0.0 : ways ? ways[e] : 1.0;
        }
        counts[v] = sum;
    }
}
