// path_grad: gradient of sums and means over paths of up to 4 or 8 vertices.
//
//   grad[v, i] = sum over paths p with p_i = v of weights[j][p_1] G_j[p_1] k(p),   k(p) the value of the path
//
// because the derivative of k by a score is k times the scale, which is part of the weights. It is turned from a
// scatter over paths into a gather: a warp owns a vertex v, a position i and 32 F filters, and finds the paths that
// have v there, first back from v along reversed arcs to the root, then on from v. Both halves are one search of
// depth size; what is found is added up in registers and written once, in a fixed order, without atomics or
// partial sums, for graphs of any size. in_ptr and in_col are the reversed arcs.
//
// Values are products of factors and small graphs lie in shared memory, as in path_trie, with the same bound on the
// factors and the exponential of the sum where it does not hold. A path of full size has no node here either: from a
// position below size, the factors of the last vertices that go on from a path are added up; back from
// position size, the weighted gradients of their roots, times what the first factor makes of them.
//
// Each path is met once for every position: for sizes up to 4 with all lengths four times the nodes of the
// forward pass. The blocks of a pack, as many as fill the device, share its vertices and positions: block x has
// share x mod shares of pack x / shares.
//
// Shared memory: 32 F size values a row, size values and 2 ints a vertex, 2 ints an arc; for directed graphs 1 int a
// vertex and 2 an arc more. Bytes: scores once a block, output gradients through the caches, grad (n size q) once.
// Exponentials: size q a row of a pack for each of its blocks, and none a node. Floor: bytes (scores, outputs and grad
// once each) / bandwidth.
#pragma once
#include "paths.cuh"

template <class T, int F, int LIMIT, PathRule RULE, bool SHARED> struct PathGather {
    const T *scores, *weights;  // scores of this lane's first filter; shared: factors, where they are multiplied
    const T *outputs[LIMIT + 1];  // gradients by size, of this lane's first filter
    const int *row_ptr, *col, *in_ptr, *in_col;  // shared: pairs of vertex and first score of its row
    const int *index, *root_row;
    int n, first, size, q, filters, pooled, position, root;
    bool whole;
    T rate[LIMIT + 1], offset[LIMIT + 1];
    T given[LIMIT + 1][F];  // of the root: weight times output gradient by size
    T acc[F];
    int path[LIMIT + 1];

    __device__ __forceinline__ void load(T (&x)[F], int row, int i) const
    {
        if constexpr (SHARED) {
            path_load<T, F>(x, scores + row + (i - 1) * 32 * F, F, true);
        } else {
            path_load<T, F>(x, scores + ((long long)row * size + i - 1) * q, filters, whole);
        }
    }

    // give loads the weighted gradient of the output of size j from root v, or returns false where it is zero.
    __device__ __forceinline__ bool give(T (&x)[F], int j, int v) const
    {
        const T weight = SHARED ? weights[v * size + j - 1] : weights[(long long)(j - 1) * n + v];
        if (weight == (T)0) {
#pragma unroll
            for (int k = 0; k < F; k++) {
                x[k] = 0;
            }
            return false;
        }
        path_load<T, F>(x, outputs[j] + (long long)path_root(root_row, n, j, first + v) * q, filters, whole);
#pragma unroll
        for (int k = 0; k < F; k++) {
            x[k] *= weight;
        }
        return true;
    }

    // at returns the position of the search, I where the compiler knows it.
    template <int I> __device__ __forceinline__ int at() const { return I ? I : position; }

    // next calls visit for every vertex, with the start of its row, that the search meets after K others.
    template <int K, int I, class Visit> __device__ __forceinline__ void next(Visit visit) const
    {
        const int position = at<I>();
        const bool back = K < position;
        const int from = K == position ? path[1] : path[K];
        const int *ptr = back ? in_ptr : row_ptr, *end_of = back ? in_col : col;
        const int end = ptr[from + 1];
        for (int e = ptr[from]; e < end; e++) {
            int w, row;
            if constexpr (SHARED) {
                const int2 arc = reinterpret_cast<const int2 *>(end_of)[e];
                w = arc.x, row = arc.y;
            } else {
                w = end_of[e], row = path_row(index, w);
            }
            bool fresh = true;
#pragma unroll
            for (int p = 1; p <= K; p++) {
                fresh = fresh && path[p] != w;
            }
            if (fresh) {
                visit(w, row);
            }
        }
    }

    template <int K, int I> __device__ __forceinline__ void step(int v, int row, const T (&prefix)[F])
    {
        const int position = at<I>();
        T value[F];
        if (PATH_MULTIPLIES<RULE> && K == 1 && position == size) {  // its factor, already a power, comes last
#pragma unroll
            for (int k = 0; k < F; k++) {
                value[k] = 1;
            }
        } else {
            load(value, row, K <= position ? position - K + 1 : K);
#pragma unroll
            for (int k = 0; k < F; k++) {
                value[k] = PATH_MULTIPLIES<RULE> ? prefix[k] * value[k] : prefix[k] + value[k];
            }
        }
        if (K == position) {
            bool any = false;
#pragma unroll
            for (int j = K; j <= LIMIT; j++) {
                if (pooled >> j & 1) {
                    any = give(given[j], j, v) || any;
                }
            }
            if (!any) {
                return;
            }
        }
        if (K >= position && (pooled >> K & 1)) {
#pragma unroll
            for (int k = 0; k < F; k++) {
                if constexpr (PATH_MULTIPLIES<RULE>) {
                    acc[k] += given[K][k] * path_power<K, LIMIT, RULE>(value[k], root);
                } else {
                    acc[k] += given[K][k] * path_exp2(rate[K] * value[k] + offset[K]);
                }
            }
        }
        if constexpr (K < LIMIT) {
            if (K == size) {
                return;
            }
            path[K] = v;
            if constexpr (PATH_MULTIPLIES<RULE>) {
                if (K + 1 == size) {
                    ends<K, I>(value);
                    return;
                }
            }
            next<K, I>([&](int w, int next_row) { step<K + 1, I>(w, next_row, value); });
        }
    }

    // ends adds the paths of K + 1 = size vertices of which all but one have been met, whose product is given.
    template <int K, int I> __device__ __forceinline__ void ends(const T (&product)[F])
    {
        T sum[F];
#pragma unroll
        for (int k = 0; k < F; k++) {
            sum[k] = 0;
        }
        if (at<I>() == size) {
            next<K, I>([&](int w, int row) {
                T x[F], factor[F];
                if (give(x, K + 1, w)) {
                    load(factor, row, 1);
#pragma unroll
                    for (int k = 0; k < F; k++) {
                        sum[k] += x[k] * path_power<K + 1, LIMIT, RULE>(factor[k], root);
                    }
                }
            });
        } else {
            next<K, I>([&](int, int row) {
                T factor[F];
                load(factor, row, K + 1);
#pragma unroll
                for (int k = 0; k < F; k++) {
                    sum[k] += factor[k];
                }
            });
#pragma unroll
            for (int k = 0; k < F; k++) {
                sum[k] *= given[K + 1][k];
            }
        }
#pragma unroll
        for (int k = 0; k < F; k++) {
            acc[k] += path_power<K + 1, LIMIT, RULE>(product[k], root) * sum[k];
        }
    }

    // gather adds up acc for vertex v, whose row starts at row, and a position.
    template <int I> __device__ __forceinline__ void gather(int v, int row, int i)
    {
        T none[F];
        position = i;
#pragma unroll
        for (int k = 0; k < F; k++) {
            none[k] = PATH_MULTIPLIES<RULE> ? 1 : 0;
            acc[k] = 0;
        }
        step<1, I>(v, row, none);
        if (PATH_MULTIPLIES<RULE> && i == size) {
            load(none, row, i);
#pragma unroll
            for (int k = 0; k < F; k++) {
                acc[k] *= none[k];
            }
        }
    }
};

// path_grad returns false, and has written nothing, where path_trie does.
template <class T, int F, int LIMIT, PathRule RULE, bool SHARED>
__device__ __forceinline__ bool path_grad(T *grad, const long long *out, const T *scores, const T *weights,
                                          const int *index, const int *row_ptr, const int *col, const int *in_ptr,
                                          const int *in_col, const int *root_row, const int *packs, int n, int rows,
                                          int size, int q, T alpha2, int sum_exponent, int max_rows, int max_vertices,
                                          int max_arcs, int root, int shares)
{
    DYNAMIC_SHARED(unsigned char, memory);
    const int pack = blockIdx.x / shares, share = blockIdx.x % shares;
    const int from = packs[2 * pack], to = packs[2 * pack + 1], vertices = to - from;
    const int lane = threadIdx.x, warp = threadIdx.y, warps = blockDim.y;
    const int f0 = blockIdx.y * 32 * F + lane * F;
    PathGather<T, F, LIMIT, RULE, SHARED> gather;
    gather.index = index, gather.root_row = root_row;
    gather.n = n, gather.size = size, gather.q = q, gather.root = root;
    gather.first = SHARED ? from : 0;
    gather.filters = max(0, min(F, q - f0));
    gather.whole = F == 4 && q % 4 == 0 && gather.filters == F;
    gather.pooled = 0;
#pragma unroll
    for (int j = 1; j <= LIMIT; j++) {
        gather.rate[j] = path_rate(alpha2, sum_exponent, j);
        gather.offset[j] = path_offset(alpha2, sum_exponent, j);
        gather.outputs[j] = nullptr;
        if (j <= size && out[j - 1]) {
            gather.outputs[j] = path_matrix<T>(out, j) + f0;
            gather.pooled |= 1 << j;
        }
#pragma unroll
        for (int k = 0; k < F; k++) {
            gather.given[j][k] = 0;
        }
    }
    const bool directed = in_ptr != row_ptr;
    T *table = reinterpret_cast<T *>(memory);
    int *arcs = reinterpret_cast<int *>(table + (long long)max_rows * size * 32 * F);  // pairs
    int *in_arcs = directed ? arcs + 2 * max_arcs : arcs;
    T *weight = reinterpret_cast<T *>(in_arcs + 2 * max_arcs);
    int *row_of = reinterpret_cast<int *>(weight + max_vertices * size), *first = row_of + max_vertices;
    int *in_first = directed ? first + max_vertices + 1 : first;
    if constexpr (SHARED) {
        const int base = row_ptr[from], in_base = in_ptr[from], line = size * 32 * F;
        const int thread = warp * 32 + lane, threads = warps * 32;
        const auto row = [&](int v) { return (rows ? index[v] : v - from) * line; };
        for (int v = thread; v <= vertices; v += threads) {
            first[v] = row_ptr[from + v] - base;
            if (directed) {
                in_first[v] = in_ptr[from + v] - in_base;
            }
        }
        for (int v = thread; v < vertices; v += threads) {
            row_of[v] = row(from + v);
            for (int j = 0; j < size; j++) {
                weight[v * size + j] = weights[(long long)j * n + from + v];
            }
        }
        const int ends = row_ptr[to] - base;
        for (int e = thread; e < ends; e += threads) {
            arcs[2 * e] = col[base + e] - from;
            arcs[2 * e + 1] = row(col[base + e]);
            if (directed) {
                in_arcs[2 * e] = in_col[in_base + e] - from;
                in_arcs[2 * e + 1] = row(in_col[in_base + e]);
            }
        }
        bool large = false;  // is a factor
        for (int r = warp; r < (rows ? rows : vertices); r += warps) {
            const T *scores_of = scores + (long long)(rows ? r : path_row(index, from + r)) * size * q + f0;
            T x[LIMIT][F];
#pragma unroll
            for (int i = 0; i < LIMIT; i++) {  // all at once, so that they wait for memory together
                path_load<T, F>(x[i], scores_of + (long long)i * q, i < size ? gather.filters : 0,
                                gather.whole && i < size);
            }
#pragma unroll
            for (int i = 0; i < LIMIT; i++) {
                if (i >= size) {
                    continue;
                }
                if constexpr (PATH_MULTIPLIES<RULE>) {
#pragma unroll
                    for (int k = 0; k < F; k++) {
                        const T exponent = path_factor_exponent(x[i][k], alpha2, sum_exponent, i + 1, size, root);
                        large = large || exponent * (T)size > 1;
                        x[i][k] = path_exp2(exponent);
                    }
                }
                path_store<T, F>(table + r * line + i * 32 * F + lane * F, x[i], F, true);
            }
        }
        if (__syncthreads_or(large)) {
            return false;
        }
        gather.scores = table + lane * F, gather.weights = weight;
        gather.row_ptr = first, gather.col = arcs, gather.in_ptr = in_first, gather.in_col = in_arcs;
    } else {
        gather.scores = scores + f0, gather.weights = weights;
        gather.row_ptr = row_ptr, gather.col = col, gather.in_ptr = in_ptr, gather.in_col = in_col;
    }
    for (int t = share * warps + warp; t < vertices * size; t += shares * warps) {
        const int v = t % vertices, i = t / vertices + 1;
        const int of = SHARED ? v : from + v, row = SHARED ? row_of[v] : path_row(index, of);
        if constexpr (LIMIT == 4 && PATH_MULTIPLIES<RULE>) {
            switch (i) {
            case 1: gather.template gather<1>(of, row, i); break;
            case 2: gather.template gather<2>(of, row, i); break;
            case 3: gather.template gather<3>(of, row, i); break;
            default: gather.template gather<4>(of, row, i);
            }
        } else {
            gather.template gather<0>(of, row, i);
        }
        path_store<T, F>(grad + ((long long)(from + v) * size + i - 1) * q + f0, gather.acc, gather.filters,
                         gather.whole);
    }
    return true;
}

// Packs that fit shared memory have max_rows > 0.
template <class T, int F, int LIMIT, class... Rest>
__device__ __forceinline__ void path_grad_any(int max_rows, int root, Rest... rest)
{
    if (max_rows == 0) {
        path_grad<T, F, LIMIT, PathRule::SUM, false>(rest...);
        return;
    }
    if (root == 1 && path_grad<T, F, LIMIT, PathRule::PRODUCT, true>(rest...)) {
        return;
    }
    if (root > 1 && path_grad<T, F, LIMIT, PathRule::POWER, true>(rest...)) {
        return;
    }
    path_grad<T, F, LIMIT, PathRule::SUM, true>(rest...);
}

#define PATH_GRAD(name, T, F, LIMIT)                                                                                   \
    extern "C" __global__ void __launch_bounds__(LIMIT == 4 ? 512 : 256, 1)                                            \
    name(T *grad, const long long *out, const T *scores, const T *weights, const int *index, const int *row_ptr,       \
         const int *col, const int *in_ptr, const int *in_col, const int *root_row, const int *packs, int n, int rows, \
         int size, int q, T alpha2, int sum_exponent, int max_rows, int max_vertices, int max_arcs, int root,          \
         int shares)                                                                                                   \
{                                                                                                                      \
        path_grad_any<T, F, LIMIT>(max_rows, root, grad, out, scores, weights, index, row_ptr, col, in_ptr, in_col,    \
                                   root_row, packs, n, rows, size, q, alpha2, sum_exponent, max_rows, max_vertices,    \
                                   max_arcs, root, shares);                                                            \
    }
PATH_GRAD(path_grad_4_f32, float, 1, 4)
PATH_GRAD(path_grad_8_f32, float, 1, 8)
PATH_GRAD(path_grad_wide_4_f32, float, 4, 4)
PATH_GRAD(path_grad_4_f64, double, 1, 4)
PATH_GRAD(path_grad_8_f64, double, 1, 8)
