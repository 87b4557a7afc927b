// The gradient of pooling over non-backtracking walks.
#pragma once
#include "messages.cuh"

// ----- message_root_grad: from the outputs of one size to the messages of position 2 ----------------
//
//   grad[u, 1] += scale g(u) value(u),   d_2(u->w) = g(u) b_1(u),   g(u) = G(u) norm(u) / count(u)
//
// for arcs to w other than u, zero for self loops. For a maximum d is g(u) times the kernel value at the picked
// arc and zero elsewhere. message (arcs x width) is null for walks of a single vertex.
// Bytes: (arcs + 3 n) width values; floor: bandwidth.

template <class T>
__device__ void message_root_grad(T *grad, T *message, const T *value, const int *picked, const T *given,
                                  const T *scores, const T *norms, const int *index, const double *counts,
                                  const int *root_row, const int *row_ptr, const int *col, int n, int size, int q,
                                  int f0, int width, int maximum, T rate, T offset, T shared_offset, T scale)
{
    const long long all = (long long)n * width;
    for (long long at = global_thread(); at < all; at += global_threads()) {
        const int u = (int)(at / width), f = (int)(at % width), row = path_row(root_row, u);
        const T g = row >= 0 ? given[(long long)row * q + f0 + f] * walk_factor(norms, index, counts, u) : (T)0;
        const T h = g * (maximum ? path_exp2(value[at] + offset) : value[at]);
        grad[((long long)u * size) * q + f0 + f] += scale * h;
        if (!message) {
            continue;
        }
        const T d = maximum ? h : g * message_factor(scores, index, u, size, q, f0 + f, 1, 0, rate, shared_offset);
        for (int e = row_ptr[u]; e < row_ptr[u + 1]; e++) {
            const bool taken = maximum ? picked[at] == e : col[e] != u;
            message[(long long)e * width + f] = taken ? d : (T)0;
        }
    }
}

#define MESSAGE_ROOT_GRAD(T, suffix)                                                                                   \
    extern "C" __global__ void message_root_grad_##suffix(                                                             \
        T *grad, T *message, const T *value, const int *picked, const T *given, const T *scores, const T *norms,       \
        const int *index, const double *counts, const int *root_row, const int *row_ptr, const int *col, int n,        \
        int size, int q, int f0, int width, int maximum, T rate, T offset, T shared_offset, T scale)                   \
    {                                                                                                                  \
        message_root_grad<T>(grad, message, value, picked, given, scores, norms, index, counts, root_row, row_ptr,     \
                             col, n, size, q, f0, width, maximum, rate, offset, shared_offset, scale);                 \
    }
MESSAGE_ROOT_GRAD(float, f32)
MESSAGE_ROOT_GRAD(double, f64)

// ----- message_grad: one position of the way back through messages -----------------------------------
//
//   grad[v, i] += scale sum over arcs u->v of d_i(u->v) m_i(u->v),
//   d_{i+1}(v->w) = b_i(v) * sum of d_i(u->v) over the arcs into v from u other than w and v,
//
// message_step with the arcs turned around; message holds d_i, next takes d_{i+1} and is null for i = j. For a
// maximum grad gets the sum of d_i, and d_i goes on to the arc that was picked: every arc out of v belongs to
// the one thread that owns v and the filter. after is scratch, arcs x width. Bytes: 7 arcs width values
// (floor: bandwidth for 3).

template <class T>
__device__ void message_grad(T *grad, T *next, T *after, const T *message, const T *value, const int *picked,
                             const T *scores, const int *index, const int *row_ptr, const int *col, const int *in_ptr,
                             const int *in_arc, const int *tail, int n, int size, int q, int f0, int width,
                             int position, int maximum, T rate, T offset, T scale)
{
    const long long all = (long long)n * width;
    for (long long at = global_thread(); at < all; at += global_threads()) {
        const int v = (int)(at / width), f = (int)(at % width);
        const int begin = in_ptr[v], end = in_ptr[v + 1];
        T h = 0, sum = 0;
        for (int k = end - 1; k >= begin; k--) {
            const int a = in_arc[k];
            const long long from = (long long)a * width + f;
            if (tail[a] != v) {
                const T d = message[from];
                h += maximum ? d : d * value[from];
                sum += d;
            }
            if (next && !maximum) {
                after[(long long)k * width + f] = sum;
            }
        }
        grad[((long long)v * size + position - 1) * q + f0 + f] += scale * h;
        if (!next) {
            continue;
        }
        if (maximum) {
            for (int e = row_ptr[v]; e < row_ptr[v + 1]; e++) {
                next[(long long)e * width + f] = 0;
            }
            for (int k = begin; k < end; k++) {
                const int a = in_arc[k];
                const long long from = (long long)a * width + f;
                if (tail[a] != v && picked[from] >= 0) {
                    next[(long long)picked[from] * width + f] += message[from];
                }
            }
            continue;
        }
        const T factor = message_factor(scores, index, v, size, q, f0 + f, position, 0, rate, offset);
        T before = 0;
        int k = begin;
        for (int e = row_ptr[v]; e < row_ptr[v + 1]; e++) {
            const int w = col[e];
            for (; k < end && tail[in_arc[k]] < w; k++) {
                before += tail[in_arc[k]] != v ? message[(long long)in_arc[k] * width + f] : (T)0;
            }
            int beyond = k;
            while (beyond < end && tail[in_arc[beyond]] == w) {
                beyond++;
            }
            const T others = before + (beyond < end ? after[(long long)beyond * width + f] : (T)0);
            next[(long long)e * width + f] = w != v ? factor * others : (T)0;
        }
    }
}

#define MESSAGE_GRAD(T, suffix)                                                                                        \
    extern "C" __global__ void message_grad_##suffix(                                                                  \
        T *grad, T *next, T *after, const T *message, const T *value, const int *picked, const T *scores,              \
        const int *index, const int *row_ptr, const int *col, const int *in_ptr, const int *in_arc, const int *tail,   \
        int n, int size, int q, int f0, int width, int position, int maximum, T rate, T offset, T scale)               \
    {                                                                                                                  \
        message_grad<T>(grad, next, after, message, value, picked, scores, index, row_ptr, col, in_ptr, in_arc, tail,  \
                        n, size, q, f0, width, position, maximum, rate, offset, scale);                                \
    }
MESSAGE_GRAD(float, f32)
MESSAGE_GRAD(double, f64)
