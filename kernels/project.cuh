// Local projections: every channel of stacked rows by a matrix, and the gradient of the matrices.
//
//   y_r = x_r op(A_{c mod J})                    for the rows r of channel c; x and y rows x q, A J x q x q
//   A'_j = sum_{c = j mod J} X_c' Y_c            A' J x q x q
//
// A is in float64 whatever the rows are: it comes from an inverse square root. op is a transposition or none. x or y
// may be interleaved: row i of every channel, q x C, where element (i, f) of channel c is base[(i q + f) C + c].
//
// Bytes      2 s rows q + 8 J q q, operations 2 rows q q
// Floor      the larger of bytes / copy bandwidth and operations / peak of the units of T
//
// One launch has up to eight channels, whose ends are arguments. A block computes a tile of 16 R x 16 R elements of a
// channel, or of a matrix of the gradient, R x R a thread, from strips of depth 16 in shared memory. For the gradient
// the rows of a channel may be split over gridDim.y blocks, each for a matrix of its own, which matmul_combine adds in
// order. Prediction, not a measurement: 40% of the floor for large q; the latency of q / 16 strips for the few dozen
// filters that are trained, where a launch for each channel was what it took.
#pragma once
#include "threads.cuh"

constexpr int PROJECT_DEPTH = 16;

// Stack is where the rows of channels are.
template <class T> struct Stack {
    T *base;
    int q, interleaved; // the number of all channels, 0 where they are stacked
    // element (i, f) of channel c, which begins with row first
    __device__ T &at(int c, int first, int i, int f) const {
        return base[interleaved ? ((long long)i * q + f) * interleaved + c : (long long)(first + i) * q + f];
    }
};

// Channels are some that follow one another: channel number from + i has the rows ends[i - 1], or first, to ends[i].
struct Channels {
    int from, first, count, ends[8];
    __device__ int begin(int i) const { return i ? ends[i - 1] : first; }
    __device__ int rows(int i) const { return ends[i] - begin(i); }
};

// add_strip adds the products of a strip to the elements of this thread.
template <int R, class T, int LINE>
__device__ inline void add_strip(T (&sum)[R][R], const T (*left)[LINE], const T (*right)[LINE]) {
    const int ty = threadIdx.x / 16, tx = threadIdx.x % 16;
#pragma unroll
    for (int k = 0; k < PROJECT_DEPTH; k++)
#pragma unroll
        for (int u = 0; u < R; u++)
#pragma unroll
            for (int v = 0; v < R; v++)
                sum[u][v] = multiply_add(left[k][ty + 16 * u], right[k][tx + 16 * v], sum[u][v]);
}

template <int R, class T, int LINE>
__device__ inline void project(Stack<T> y, Stack<const T> x, const double *a, const Channels &of, int matrices, int q,
                               int transposed, T (*left)[LINE], T (*right)[LINE]) {
    constexpr int SIDE = 16 * R;
    const int across = (q + SIDE - 1) / SIDE, ty = threadIdx.x / 16, tx = threadIdx.x % 16;
    int before = 0; // tiles of the channels before
    for (int i = 0; i < of.count; i++) {
        const int rows = of.rows(i), tiles = (rows + SIDE - 1) / SIDE * across, c = of.from + i, first = of.begin(i);
        const double *matrix = a + (long long)(c % matrices) * q * q;
        // the first tile of this channel that is one of this block's
        const int skipped = before > (int)blockIdx.x ? (before - (int)blockIdx.x + gridDim.x - 1) / gridDim.x : 0;
        for (int tile = blockIdx.x + skipped * gridDim.x - before; tile < tiles; tile += gridDim.x) {
            const int row0 = tile / across * SIDE, column0 = tile % across * SIDE;
            T sum[R][R] = {};
            for (int k0 = 0; k0 < q; k0 += PROJECT_DEPTH) {
                __syncthreads();
#pragma unroll
                for (int u = 0; u < R; u++) {
                    const int row = ty + 16 * u;
                    left[tx][row] =
                        row0 + row < rows && k0 + tx < q ? x.at(c, first, row0 + row, k0 + tx) : T(0);
                    const int k = transposed ? tx : (threadIdx.x + 256 * u) / SIDE,
                              column = transposed ? row : (threadIdx.x + 256 * u) % SIDE;
                    T entry = 0;
                    if (k0 + k < q && column0 + column < q)
                        entry = (T)(transposed ? matrix[(long long)(column0 + column) * q + k0 + k]
                                               : matrix[(long long)(k0 + k) * q + column0 + column]);
                    right[k][column] = entry;
                }
                __syncthreads();
                add_strip<R>(sum, left, right);
            }
#pragma unroll
            for (int u = 0; u < R; u++)
#pragma unroll
                for (int v = 0; v < R; v++) {
                    const int row = row0 + ty + 16 * u, column = column0 + tx + 16 * v;
                    if (row < rows && column < q) y.at(c, first, row, column) = sum[u][v];
                }
        }
        before += tiles;
    }
}

template <int R, class T, int LINE>
__device__ inline void project_grad(double *a_grad, Stack<const T> x, Stack<const T> y, const Channels &of,
                                    int matrices, int q, int split, T (*left)[LINE], T (*right)[LINE]) {
    constexpr int SIDE = 16 * R;
    const int across = (q + SIDE - 1) / SIDE, ty = threadIdx.x / 16, tx = threadIdx.x % 16;
    double *to = a_grad + (long long)blockIdx.y * matrices * q * q;
    for (int tile = blockIdx.x; tile < matrices * across * across; tile += gridDim.x) {
        const int j = tile / (across * across), row0 = tile / across % across * SIDE, column0 = tile % across * SIDE;
        T sum[R][R] = {};
        for (int i = 0; i < of.count; i++) {
            const int c = of.from + i, first = of.begin(i), begin = blockIdx.y * split,
                      end = min(of.rows(i), begin + split);
            if (c % matrices != j) continue;
            for (int k0 = begin; k0 < end; k0 += PROJECT_DEPTH) {
                __syncthreads();
#pragma unroll
                for (int u = 0; u < R; u++) {
                    const int k = (threadIdx.x + 256 * u) / SIDE, column = (threadIdx.x + 256 * u) % SIDE;
                    left[k][column] =
                        k0 + k < end && row0 + column < q ? x.at(c, first, k0 + k, row0 + column) : T(0);
                    right[k][column] =
                        k0 + k < end && column0 + column < q ? y.at(c, first, k0 + k, column0 + column) : T(0);
                }
                __syncthreads();
                add_strip<R>(sum, left, right);
            }
        }
#pragma unroll
        for (int u = 0; u < R; u++)
#pragma unroll
            for (int v = 0; v < R; v++) {
                const int row = row0 + ty + 16 * u, column = column0 + tx + 16 * v;
                if (row < q && column < q) to[((long long)j * q + row) * q + column] = (double)sum[u][v];
            }
    }
}

#define PROJECT(NAME, T, R)                                                                                            \
    extern "C" __global__ void __launch_bounds__(256)                                                                  \
    NAME(T *__restrict__ y, const T *__restrict__ x, const double *__restrict__ a, int matrices, int q,                \
         int transposed, int interleaved_x, int interleaved_y, int from, int first, int count, int end0, int end1,     \
         int end2, int end3, int end4, int end5, int end6, int end7) {                                                 \
        __shared__ T left[PROJECT_DEPTH][16 * R + 1], right[PROJECT_DEPTH][16 * R + 1];                                \
        const Channels of = {from, first, count, {end0, end1, end2, end3, end4, end5, end6, end7}};                    \
        project<R>(Stack<T>{y, q, interleaved_y}, Stack<const T>{x, q, interleaved_x}, a, of, matrices, q, transposed, \
                   left, right);                                                                                       \
    }
PROJECT(project_f32, float, 4)
PROJECT(project_f64, double, 4)
PROJECT(project_small_f32, float, 2)
PROJECT(project_small_f64, double, 2)

#define PROJECT_GRAD(NAME, T, R)                                                                                       \
    extern "C" __global__ void __launch_bounds__(256, 2)                                                               \
    NAME(double *__restrict__ a_grad, const T *__restrict__ x, const T *__restrict__ y, int matrices, int q,           \
         int interleaved_y, int split, int from, int first, int count, int end0, int end1, int end2, int end3,         \
         int end4, int end5, int end6, int end7) {                                                                     \
        __shared__ T left[PROJECT_DEPTH][16 * R + 1], right[PROJECT_DEPTH][16 * R + 1];                                \
        const Channels of = {from, first, count, {end0, end1, end2, end3, end4, end5, end6, end7}};                    \
        project_grad<R>(a_grad, Stack<const T>{x, q, 0}, Stack<const T>{y, q, interleaved_y}, of, matrices, q, split,  \
                        left, right);                                                                                  \
    }
PROJECT_GRAD(project_grad_f32, float, 4)
PROJECT_GRAD(project_grad_f64, double, 4)
PROJECT_GRAD(project_grad_small_f32, float, 2)
PROJECT_GRAD(project_grad_small_f64, double, 2)
