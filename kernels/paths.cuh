// Pooling over paths, walks and non-backtracking walks.
//
//   out_j[u] = norm(u) * pool over routes p of j vertices from u of exp(scale_j sum_i s_i(p_i) + shift_j)
//
// scores    D x (size q), columns (i-1) q .. i q of a row are s_i of its vertices, 1 <= i <= size
// index     row of each of the n vertices, null: vertex v has row v        norms   D, null: ones
// row_ptr   n+1, col: arcs                                                 out     addresses of size matrices
// root_row  size x n: row of each vertex in the matrix of each size, -1: none, null: row v; the matrix of
//           a size has q columns; out[j-1] is 0 for a size that is not pooled
//
// Exponents are to the base 2: alpha2 is alpha log2(e), so that an exponential is one instruction of the
// special function unit. ex2.approx has a relative error below 2^-22 and the exponent one rounding of
// 2^-24 |x|, together below 1e-6 for kernel values down to exp(-10); smaller ones matter less than the
// sums that they enter.
#pragma once
#include "threads.cuh"

constexpr int POOLED_MEAN = 1, POOLED_MAX = 2;  // of the values of engine.Pooling

// Ints of a part of a root that is cut: the root, the number d of vertices of a prefix, of how many of them other parts
// have counted the paths that end there, the d - 1 arcs of the prefix, and the first and last of the arcs to go on by.
constexpr int PATH_PART = 11;

__device__ __forceinline__ float path_exp2(float x)
{
#if defined(__CUDA_ARCH__)
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
#else
    return exp2f(x);
#endif
}

__device__ __forceinline__ double path_exp2(double x) { return exp2(x); }

// The exponent of a route of j vertices is path_rate * (sum of its scores) + path_offset.
template <class T> __device__ __forceinline__ T path_rate(T alpha2, int sum_exponent, int j)
{
    return sum_exponent ? alpha2 : alpha2 / (T)j;
}

template <class T> __device__ __forceinline__ T path_offset(T alpha2, int sum_exponent, int j)
{
    return sum_exponent ? -alpha2 * (T)j : -alpha2;
}

// How the vertices of a path come together: by the product of their factors, which is the value of the path or of which
// this is a power, or by the sum of their scores, of which the exponential is added up or the largest exponent kept.
enum class PathRule { PRODUCT, POWER, SUM, MAXIMUM };

template <PathRule RULE> constexpr bool PATH_MULTIPLIES = RULE == PathRule::PRODUCT || RULE == PathRule::POWER;

// path_power returns the value of a path of J vertices from the product of its factors: its power root / J, where RULE
// is that.
template <int J, int LIMIT, PathRule RULE, class T> __device__ __forceinline__ T path_power(T x, int root)
{
    if constexpr (RULE == PathRule::PRODUCT) {
        return x;
    } else if constexpr (LIMIT == 4) {  // root is 12
        const T square = x * x;
        if constexpr (J == 3) {
            return square * square;
        } else if constexpr (J == 4) {
            return square * x;
        } else {
            const T cube = square * x, sixth = cube * cube;
            return J == 2 ? sixth : sixth * sixth;
        }
    } else {
        T power = 1;
        for (int exponent = root / J;; x *= x) {
            if (exponent & 1) {
                power *= x;
            }
            if (!(exponent >>= 1)) {
                return power;
            }
        }
    }
}

// The exponent of the factor of a score at position i of paths of up to size vertices, see path_trie.
template <class T>
__device__ __forceinline__ T path_factor_exponent(T score, T alpha2, int sum_exponent, int i, int size, int root)
{
    const T rate = i < size && root > 1 ? alpha2 / (T)root : path_rate(alpha2, sum_exponent, size);
    return rate * score - rate;
}

// The exponent of no route at all: 2 to this is zero, and finite arithmetic stays finite.
template <class T> struct PathLowest;
template <> struct PathLowest<float> { static __device__ __forceinline__ float value() { return -3.0e38f; } };
template <> struct PathLowest<double> { static __device__ __forceinline__ double value() { return -1.0e308; } };

__device__ __forceinline__ int path_row(const int *index, int v) { return index ? index[v] : v; }

// path_root returns the row of v in the matrix of size j, -1 where v is not a root of that size.
__device__ __forceinline__ int path_root(const int *root_row, int n, int j, int v)
{
    return root_row ? root_row[(long long)(j - 1) * n + v] : v;
}

// F consecutive filters of a row, of which the first count exist; the others are zero.
template <class T, int F> __device__ __forceinline__ void path_load(T (&x)[F], const T *p, int count, bool whole)
{
    if constexpr (F == 4 && sizeof(T) == 4) {
        if (whole) {
            const float4 y = *reinterpret_cast<const float4 *>(p);
            x[0] = y.x, x[1] = y.y, x[2] = y.z, x[3] = y.w;
            return;
        }
    }
#pragma unroll
    for (int k = 0; k < F; k++) {
        x[k] = k < count ? p[k] : (T)0;
    }
}

template <class T, int F> __device__ __forceinline__ void path_store(T *p, const T (&x)[F], int count, bool whole)
{
    if constexpr (F == 4 && sizeof(T) == 4) {
        if (whole) {
            *reinterpret_cast<float4 *>(p) = make_float4(x[0], x[1], x[2], x[3]);
            return;
        }
    }
#pragma unroll
    for (int k = 0; k < F; k++) {
        if (k < count) {
            p[k] = x[k];
        }
    }
}

template <class T> __device__ T *path_matrix(const long long *out, int j) { return reinterpret_cast<T *>(out[j - 1]); }
