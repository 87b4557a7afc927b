// Routes of any kind and any size, forward and backward.
#pragma once
#include "paths.cuh"

// ----- path_pool_long: any route, any size ----------------------------------------------------------
//
// One thread for each vertex and filter visits every route depth first with its stack in global memory. route is how
// many of the last vertices a route must not meet again: all of them (size) for paths, 2 for non-backtracking walks, 0
// for walks.
// Where all pooled lengths have one rate, the factors of path_factors are multiplied (null: none; large: one is too
// large for that), otherwise every route takes an exponential: the common multiple of lengths up to 11 is 27720, and a
// power of one product for all of them would have so many times the error of a factor, 8e-12 in float64.
// Routes that share all but their last vertex are added up first, which keeps long sums short. ints: 3 size, values:
// 2 size + 1 for every thread of the grid.
// Roots of many paths are left out (cut); a launch for parts of them, as those of path_trie, has a thread for each part
// and filter, and path_join adds up what these come to.
// Bytes: a row of scores, an arc and a stack entry for every route; operations: one product or exponential and one
// addition for every route and filter; floor: the bytes, at bandwidth, which it is far from, because every step waits
// for memory.

template <class T> struct RouteStack {
    int *vertex, *edge, *count;
    T *sum;
    long long stride;

    __device__ RouteStack(int *ints, T *values, int size)
    {
        const long long thread = global_thread();
        stride = global_threads();
        vertex = ints + thread;
        edge = vertex + size * stride;
        count = edge + size * stride;
        sum = values + thread;
    }

    __device__ int &at(int *table, int depth) const { return table[(depth - 1) * stride]; }

    // visit calls enter(j) for every route of 1 to limit vertices from root, depth first, and leave(j) when the
    // routes that go on from it are done; its vertices are at(vertex, 1..j), the sum of its scores is sum[j * stride].
    // In products the scores are factors, and sum is their product. The first depth vertices go on by the arcs of a
    // part alone: each by one, and the last of them by those before the next number. Without a part arcs is null.
    template <bool PRODUCTS = false, class Enter, class Leave>
    __device__ void visit(int root, int limit, int route, const T *scores, const int *index, const int *row_ptr,
                          const int *col, int size, int q, int f, Enter enter, Leave leave, const int *arcs = nullptr,
                          int depth = 0) const
    {
        int j = 1, v = root;
        sum[0] = PRODUCTS ? 1 : 0;
        while (j > 0) {
            if (v >= 0) {
                at(vertex, j) = v;
                at(edge, j) = j >= limit ? 0 : arcs && j <= depth ? arcs[j - 1] : row_ptr[v];
                const T before = sum[(j - 1) * stride],
                        score = scores[((long long)path_row(index, v) * size + j - 1) * q + f];
                sum[j * stride] = PRODUCTS ? before * score : before + score;
                enter(j);
            }
            const int e = at(edge, j), u = at(vertex, j);
            v = -1;
            if (j == limit || e == (!arcs || j > depth ? row_ptr[u + 1] : j < depth ? arcs[j - 1] + 1 : arcs[j])) {
                leave(j--);
                continue;
            }
            at(edge, j) = e + 1;
            const int w = col[e];
            bool fresh = true;
            for (int i = max(1, j - route + 1); i <= j; i++) {
                fresh = fresh && at(vertex, i) != w;
            }
            if (fresh) {
                v = w;
                j++;
            }
        }
    }
};

template <class T> __device__ int path_limit(const long long *out, const int *root_row, int n, int size, int v)
{
    int limit = size;
    while (limit > 0 && (!out[limit - 1] || path_root(root_row, n, limit, v) < 0)) {
        limit--;
    }
    return limit;
}

template <bool PRODUCTS, class T>
__device__ void path_pool_long(const long long *out, const T *scores, const T *norms, const int *index,
                                const int *row_ptr, const int *col, const int *root_row, const unsigned char *cut,
                                const int *parts, T *partial, int *counts, int part_count, int n, int size, int q,
                                int route, int pool, T alpha2, int sum_exponent, int *ints, T *values)
{
    const RouteStack<T> stack(ints, values, size);
    T *siblings = stack.sum + size * stack.stride;  // kernel values of routes that differ in the last vertex, from 1
    const long long items = (long long)(part_count > 0 ? part_count : n) * q;
    for (long long item = global_thread(); item < items; item += stack.stride) {
        const int number = (int)(item / q), f = (int)(item % q);
        const int *part = part_count > 0 ? parts + (long long)PATH_PART * number : nullptr;
        const int v = part ? part[0] : number, counted = part ? part[2] : 0;  // vertices of the prefix, by parts before
        if (!part && cut && cut[v]) {
            continue;
        }
        // Where routes of j vertices are pooled; null: nowhere.
        const auto pooled_at = [&](int j) -> T * {
            const int row = j > counted && out[j - 1] ? path_root(root_row, n, j, v) : -1;
            return row < 0 ? nullptr
                   : part  ? partial + ((long long)number * size + j - 1) * q + f
                           : path_matrix<T>(out, j) + (long long)row * q + f;
        };
        const int limit = path_limit<T>(out, root_row, n, size, v);
        for (int j = 1; j <= limit; j++) {
            stack.at(stack.count, j) = 0;
            siblings[j * stack.stride] = 0;
            if (part) {
                const T none = pool == POOLED_MAX ? PathLowest<T>::value() : (T)0;
                partial[((long long)number * size + j - 1) * q + f] = none;
            } else if (T *pooled = pooled_at(j)) {
                *pooled = 0;
            }
        }
        if (limit == 0) {
            continue;
        }
        stack.template visit<PRODUCTS>(v, limit, route, scores, index, row_ptr, col, size, q, f, [&](int j) {
            T *pooled = pooled_at(j);
            if (!pooled) {
                return;
            }
            T x = stack.sum[j * stack.stride];
            if constexpr (!PRODUCTS) {
                x = path_rate(alpha2, sum_exponent, j) * x + path_offset(alpha2, sum_exponent, j);
                if (!part || pool != POOLED_MAX) {  // the largest exponent of a part
                    x = path_exp2(x);
                }
            }
            if (pool == POOLED_MAX) {
                *pooled = max(*pooled, x);
            } else if (j == 1) {
                *pooled = x;
            } else {
                siblings[j * stack.stride] += x;
            }
            stack.at(stack.count, j)++;
        }, [&](int parent) {
            const int j = parent + 1;
            T *pooled = j <= limit && pool != POOLED_MAX ? pooled_at(j) : nullptr;
            if (pooled) {
                *pooled += siblings[j * stack.stride];
                siblings[j * stack.stride] = 0;
            }
        }, part ? part + 3 : nullptr, part ? part[1] : 0);
        if (part) {
            for (int j = 1; f == 0 && j <= limit; j++) {
                counts[(long long)number * size + j - 1] = stack.at(stack.count, j);
            }
            continue;
        }
        const T norm = norms ? norms[path_row(index, v)] : (T)1;
        for (int j = 1; j <= limit; j++) {
            const int row = out[j - 1] ? path_root(root_row, n, j, v) : -1;
            if (row >= 0) {
                const int count = stack.at(stack.count, j);
                T *pooled = path_matrix<T>(out, j) + (long long)row * q + f;
                *pooled *= pool == POOLED_MEAN && count > 0 ? norm / (T)count : norm;
            }
        }
    }
}

#define PATH_POOL_LONG(T, suffix)                                                                                    \
    extern "C" __global__ void path_pool_long_##suffix(                                                              \
        const long long *out, const T *scores, const T *factors, const int *large, const T *norms, const int *index, \
        const int *row_ptr, const int *col, const int *root_row, const unsigned char *cut, const int *parts,         \
        T *partial, int *counts, int part_count, int n, int size, int q, int route, int pool, T alpha2,              \
        int sum_exponent, int *ints, T *values)                                                                      \
    {                                                                                                                \
        if (factors && !*large) {                                                                                    \
            path_pool_long<true>(out, factors, norms, index, row_ptr, col, root_row, cut, parts, partial, counts,    \
                                 part_count, n, size, q, route, pool, alpha2, sum_exponent, ints, values);           \
        } else {                                                                                                     \
            path_pool_long<false>(out, scores, norms, index, row_ptr, col, root_row, cut, parts, partial, counts,    \
                                  part_count, n, size, q, route, pool, alpha2, sum_exponent, ints, values);          \
        }                                                                                                            \
    }
PATH_POOL_LONG(float, f32)
PATH_POOL_LONG(double, f64)

// ----- path_grad_long: gradient of any route, any size, any pooling ---------------------------------
//
//   grad[v, i] += G_j[u] norm(u) w(p) scale_j f(p) for every route p of j vertices from u with p_i = v,
//
// w(p) is 1 (sum), 1 / number of routes (mean), or 1 for the first route that attains the maximum and else 0.
// grad is n x (size q), zero on entry: by vertex, not by row of the table. One thread for each graph and
// filter visits all routes of the graph, so that no other thread adds to its elements and the order is
// that of the routes. Bytes: the rows of a route for every route; floor: that of path_grad, far away.
// offsets are those of the graphs; null: every vertex is one. ints: 5 size, values: 2 size + 1 a thread.

template <class T>
__device__ void path_grad_long(T *grad, const long long *out, const T *scores, const T *norms, const int *index,
                                const int *row_ptr, const int *col, const int *root_row, const int *offsets,
                                int graphs, int n, int size, int q, int route, int pool, T alpha2, T alpha,
                                int sum_exponent, int *ints, T *values)
{
    const RouteStack<T> stack(ints, values, size);
    int *first = stack.count + size * stack.stride, *number = first + size * stack.stride;
    T *best = stack.sum + (size + 1) * stack.stride;  // of sizes from 1
    T *through = best + (size - 1) * stack.stride;    // gradient of what the routes through a vertex share, from 1
    for (long long item = global_thread(); item < (long long)graphs * q; item += stack.stride) {
        const int graph = (int)(item / q), f = (int)(item % q);
        const int from = offsets ? offsets[graph] : graph, to = offsets ? offsets[graph + 1] : graph + 1;
        for (int v = from; v < to; v++) {
            const int limit = path_limit<T>(out, root_row, n, size, v);
            if (limit == 0) {
                continue;
            }
            for (int j = 1; j <= limit; j++) {
                stack.at(stack.count, j) = stack.at(number, j) = 0;
            }
            stack.visit(v, limit, route, scores, index, row_ptr, col, size, q, f, [&](int j) {
                const T x = path_rate(alpha2, sum_exponent, j) * stack.sum[j * stack.stride];
                if (stack.at(stack.count, j) == 0 || x > best[(j - 1) * stack.stride]) {
                    best[(j - 1) * stack.stride] = x;
                    stack.at(first, j) = stack.at(stack.count, j);
                }
                stack.at(stack.count, j)++;
            }, [](int) {});
            const T norm = norms ? norms[path_row(index, v)] : (T)1;
            stack.visit(v, limit, route, scores, index, row_ptr, col, size, q, f, [&](int j) {
                const int row = out[j - 1] ? path_root(root_row, n, j, v) : -1;
                const bool taken = pool != POOLED_MAX || stack.at(number, j) == stack.at(first, j);
                stack.at(number, j)++;
                T weight = 0;
                if (row >= 0 && taken) {
                    weight = path_rate(alpha, sum_exponent, j) * norm * path_matrix<T>(out, j)[(long long)row * q + f];
                    if (pool == POOLED_MEAN) {
                        weight /= (T)stack.at(stack.count, j);
                    }
                    weight *= path_exp2(path_rate(alpha2, sum_exponent, j) * stack.sum[j * stack.stride] +
                                        path_offset(alpha2, sum_exponent, j));
                }
                through[j * stack.stride] = weight;
            }, [&](int j) {
                const T all = through[j * stack.stride];
                grad[((long long)stack.at(stack.vertex, j) * size + j - 1) * q + f] += all;
                if (j > 1) {
                    through[(j - 1) * stack.stride] += all;
                }
            });
        }
    }
}

#define PATH_GRAD_LONG(T, suffix)                                                                               \
    extern "C" __global__ void path_grad_long_##suffix(                                                         \
        T *grad, const long long *out, const T *scores, const T *norms, const int *index, const int *row_ptr,   \
        const int *col, const int *root_row, const int *offsets, int graphs, int n, int size, int q, int route, \
        int pool, T alpha2, T alpha, int sum_exponent, int *ints, T *values)                                    \
    {                                                                                                           \
        path_grad_long<T>(grad, out, scores, norms, index, row_ptr, col, root_row, offsets, graphs, n, size, q, \
                           route, pool, alpha2, alpha, sum_exponent, ints, values);                             \
    }
PATH_GRAD_LONG(float, f32)
PATH_GRAD_LONG(double, f64)
