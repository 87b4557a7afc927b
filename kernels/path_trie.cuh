// path_trie: paths of up to 4 or 8 vertices.
//
// A warp owns a root and 32 F filters, F of them a lane. The paths from a root are the same for every filter, so all
// lanes walk the same tree and never diverge; the loops over its depth are unrolled, so that what the path so far
// comes to, one vector a depth, stays in registers.
//
// The exponential of a sum is a product. Every vertex (or label, or other row of the table) and position i has a
// factor 2^(rate (s_i - 1)), and a node of the tree multiplies the value of its parent by one. Where several lengths
// j share the kernel of their mean score, whose rates are alpha / j, the rate of the factors is alpha / root with root
// a common multiple of the lengths, and a path of j vertices counts with the power root / j of its product; so
// there is one product a node, and one factor a row and position, whatever is pooled. A path of full size
// has no node: the factors of the last position are raised to their power beforehand, and those of the
// neighbours that go on from a path are added up and multiplied by what it comes to.
//
// Rows and filters of unit length have scores of at most 1, thus factors of at most 1, products that fall along the
// path, and powers between 1 and the value of the path: none underflows unless the value does. A block that meets a
// factor above 2^(1 / size) cannot rely on this, and takes the exponential of the sum at every node. So do calls
// whose root is too large for the precision (root = 0), and maxima, which need the exponent alone. Too large are those
// of float32 and all lengths up to 5 or more: a power root / j of a product of j factors has root times the error of a
// factor, some 3e-7, which is 3.6e-6 for the root 12 of lengths up to 4, 1.8e-5 for 60 and 2.5e-4 for 840, where an
// exponential a path has 1e-6.
//
// Small graphs: a block takes a run of whole graphs (packs holds their first and last vertices) and keeps
// their arcs and factors in shared memory, so that the scores of these are read once. Where the table is
// small (rows > 0) all of it is kept, otherwise a row for every vertex. Large graphs: a pack is a piece of
// the vertices of a graph, and arcs and factors, which path_factors has made, come through the caches.
//
// A root with many paths is cut: packs leave it out (cut), and its parts, paths that go on from one prefix by a run of
// arcs, are the work of a warp each, from the caches, in a launch of their own; path_join adds them up in their order.
// Where roots are cut depends on their graph alone.
//
// Shared memory: (32 F size + 1) values or ints a row, 2 ints an arc, 2 ints a vertex.
// Bytes: D size q scores and n q lengths outputs once, 4 (n + arcs), twice size q values a part; exponentials: size q a
// row of a pack or of the table of path_factors, and none a node. A node of a path that is shorter than size takes F
// multiplications for its product, 2 or 3 F for the power (none where one length is pooled), and a path of full size
// one addition.
// Floor: bytes / bandwidth: NCI1 with size 4, all lengths, q = 128 has 0.25 GB of outputs (52 us at 4.8 TB/s).
#pragma once
#include "paths.cuh"

template <class T, int F, int LIMIT, PathRule RULE, bool SHARED> struct PathTrie {
    const T *scores;           // of this lane's first filter; shared: factors, where they are multiplied
    const int *row_ptr, *col;  // shared: pairs of vertex and first score of its row
    const int *index;
    const int *arcs;  // of the prefix of a part from 1, and the end of the last
    int size, q, limit, pooled, filters, root, depth;
    bool whole;
    T rate[LIMIT + 1], offset[LIMIT + 1];
    T acc[LIMIT + 1][F];
    int count[LIMIT + 1], path[LIMIT + 1];

    template <int J> __device__ __forceinline__ void load(T (&x)[F], int row) const
    {
        if constexpr (SHARED) {
            path_load<T, F>(x, scores + row + (J - 1) * 32 * F, F, true);
        } else {
            path_load<T, F>(x, scores + ((long long)row * size + J - 1) * q, filters, whole);
        }
    }

    // next calls visit for every arc to a vertex, with the start of its row, that does not lie on the path of J.
    template <int J, class Visit> __device__ __forceinline__ void next(Visit visit) const
    {
        int e = row_ptr[path[J]], end = row_ptr[path[J] + 1];
        if constexpr (!SHARED) {
            if (J <= depth) {
                e = arcs[J], end = J == depth ? arcs[J + 1] : e + 1;
            }
        }
        for (; e < end; e++) {
            int w, row;
            if constexpr (SHARED) {
                const int2 arc = reinterpret_cast<const int2 *>(col)[e];
                w = arc.x, row = arc.y;
            } else {
                w = col[e], row = path_row(index, w);
            }
            bool fresh = true;
#pragma unroll
            for (int i = 1; i <= J; i++) {
                fresh = fresh && path[i] != w;
            }
            if (fresh) {
                visit(w, row);
            }
        }
    }

    template <int J> __device__ __forceinline__ void step(int v, int row, const T (&prefix)[F])
    {
        T value[F];
        load<J>(value, row);
#pragma unroll
        for (int k = 0; k < F; k++) {
            value[k] = PATH_MULTIPLIES<RULE> ? prefix[k] * value[k] : prefix[k] + value[k];
        }
        if (pooled >> J & 1) {
#pragma unroll
            for (int k = 0; k < F; k++) {
                if constexpr (PATH_MULTIPLIES<RULE>) {
                    acc[J][k] += path_power<J, LIMIT, RULE>(value[k], root);
                } else if constexpr (RULE == PathRule::SUM) {
                    acc[J][k] += path_exp2(rate[J] * value[k] + offset[J]);
                } else {
                    acc[J][k] = max(acc[J][k], rate[J] * value[k] + offset[J]);
                }
            }
        }
        count[J]++;
        if constexpr (J < LIMIT) {
            if (J == limit) {
                return;
            }
            path[J] = v;
            if constexpr (PATH_MULTIPLIES<RULE>) {
                if (J + 1 == size) {
                    ends<J>(value);
                    return;
                }
            }
            next<J>([&](int w, int next_row) { step<J + 1>(w, next_row, value); });
        }
    }

    // ends adds the paths of J + 1 = size vertices that go on from a path, whose product is given.
    template <int J> __device__ __forceinline__ void ends(const T (&product)[F])
    {
        T sum[F];
#pragma unroll
        for (int k = 0; k < F; k++) {
            sum[k] = 0;
        }
        next<J>([&](int, int row) {
            T factor[F];
            load<J + 1>(factor, row);
#pragma unroll
            for (int k = 0; k < F; k++) {
                sum[k] += factor[k];
            }
            count[J + 1]++;
        });
#pragma unroll
        for (int k = 0; k < F; k++) {
            acc[J + 1][k] += path_power<J + 1, LIMIT, RULE>(product[k], root) * sum[k];
        }
    }

    // pool visits all paths from v, whose row starts at row.
    __device__ __forceinline__ void pool(int v, int row)
    {
        T none[F];
#pragma unroll
        for (int k = 0; k < F; k++) {
            none[k] = PATH_MULTIPLIES<RULE> ? 1 : 0;
        }
#pragma unroll
        for (int j = 1; j <= LIMIT; j++) {
            count[j] = 0;
#pragma unroll
            for (int k = 0; k < F; k++) {
                acc[j][k] = RULE == PathRule::MAXIMUM ? PathLowest<T>::value() : (T)0;
            }
        }
        step<1>(v, row, none);
    }
};

// path_sizes returns, as bits, the sizes that vertex v is pooled for.
template <int LIMIT>
__device__ __forceinline__ int path_sizes(const long long *out, const int *root_row, int n, int size, int v)
{
    int sizes = 0;
#pragma unroll
    for (int j = 1; j <= LIMIT; j++) {
        if (j <= size && out[j - 1] && path_root(root_row, n, j, v) >= 0) {
            sizes |= 1 << j;
        }
    }
    return sizes;
}

// path_trie returns false, and has written nothing, where the products of the factors could leave the range of T
// though the values of the paths do not.
template <class T, int F, int LIMIT, PathRule RULE, bool SHARED>
__device__ __forceinline__ bool path_trie(const long long *out, const T *scores, const T *norms, const int *index,
                                          const int *row_ptr, const int *col, const int *root_row, const int *packs,
                                          const unsigned char *cut, const int *parts, T *partial, int *counts, int n,
                                          int rows, int size, int q, int mean, T alpha2, int sum_exponent,
                                          int max_rows, int max_arcs, int root, int part_count)
{
    constexpr bool MAXIMUM = RULE == PathRule::MAXIMUM;
    DYNAMIC_SHARED(unsigned char, memory);
    T *table = reinterpret_cast<T *>(memory);
    int *arcs = reinterpret_cast<int *>(table + (SHARED ? (long long)max_rows * size * 32 * F : 0));
    int *first = arcs + 2 * max_arcs;  // of the arcs of each vertex, then the row of each vertex

    const int lane = threadIdx.x, warp = threadIdx.y, warps = blockDim.y;
    const bool in_parts = !SHARED && part_count > 0;
    const int from = in_parts ? blockIdx.x * warps : packs[2 * blockIdx.x];
    const int to = in_parts ? min(from + warps, part_count) : packs[2 * blockIdx.x + 1], vertices = to - from;
    const int f0 = blockIdx.y * 32 * F + lane * F;
    PathTrie<T, F, LIMIT, RULE, SHARED> trie;
    trie.size = size, trie.q = q, trie.index = index, trie.root = root, trie.depth = 0;
    trie.filters = max(0, min(F, q - f0));
    trie.whole = F == 4 && q % 4 == 0 && trie.filters == F;
#pragma unroll
    for (int j = 1; j <= LIMIT; j++) {
        trie.rate[j] = path_rate(alpha2, sum_exponent, j);
        trie.offset[j] = path_offset(alpha2, sum_exponent, j);
    }
    int *row_of = first + vertices + 1;
    if constexpr (SHARED) {
        const int base = row_ptr[from], line = size * 32 * F;
        const int thread = warp * 32 + lane, threads = warps * 32;
        for (int v = thread; v <= vertices; v += threads) {
            first[v] = row_ptr[from + v] - base;
        }
        for (int v = thread; v < vertices; v += threads) {
            row_of[v] = (rows ? index[from + v] : v) * line;
        }
        const int ends = row_ptr[to] - base;
        for (int e = thread; e < ends; e += threads) {
            const int w = col[base + e];
            arcs[2 * e] = w - from;
            arcs[2 * e + 1] = (rows ? index[w] : w - from) * line;
        }
        const int lines = (rows ? rows : vertices) * size;
        bool large = false;  // is a factor
        for (int i = warp; i < lines; i += warps) {
            const int r = i / size, position = i % size;
            const int row = rows ? r : path_row(index, from + r);
            T x[F];
            path_load<T, F>(x, scores + ((long long)row * size + position) * q + f0, trie.filters, trie.whole);
            if constexpr (PATH_MULTIPLIES<RULE>) {
#pragma unroll
                for (int k = 0; k < F; k++) {
                    const T exponent = path_factor_exponent(x[k], alpha2, sum_exponent, position + 1, size, root);
                    large = large || exponent * (T)size > 1;
                    x[k] = path_exp2(exponent);
                }
            }
            path_store<T, F>(table + i * 32 * F + lane * F, x, F, true);
        }
        if (__syncthreads_or(large)) {
            return false;
        }
        trie.scores = table + lane * F;
        trie.row_ptr = first, trie.col = arcs;
    } else {
        trie.scores = scores + f0;
        trie.row_ptr = row_ptr, trie.col = col;
    }
    for (int i = warp; i < vertices; i += warps) {
        int v = from + i, counted = 0;  // of the vertices of the prefix, by parts before
        if (in_parts) {
            const int *part = parts + PATH_PART * v;
            trie.arcs = part + 2, trie.depth = part[1], counted = part[2], v = part[0];
        } else if (cut && cut[v]) {
            continue;
        }
        const int pooled = path_sizes<LIMIT>(out, root_row, n, size, v);
        if (!pooled) {
            continue;
        }
        trie.pooled = pooled >> (counted + 1) << (counted + 1), trie.limit = 31 - __clz(pooled);
        if constexpr (SHARED) {
            trie.pool(i, row_of[i]);
        } else {
            trie.pool(v, path_row(index, v));
        }
        if (in_parts) {
            const long long first = (long long)(from + i) * size - 1;
#pragma unroll
            for (int j = 1; j <= LIMIT; j++) {
                if (!(pooled >> j & 1)) {
                    continue;
                }
                path_store<T, F>(partial + (first + j) * q + f0, trie.acc[j], trie.filters, trie.whole);
                if (blockIdx.y == 0 && lane == 0) {
                    counts[first + j] = j > counted ? trie.count[j] : 0;
                }
            }
            continue;
        }
        const T norm = norms ? norms[path_row(index, v)] : (T)1;
#pragma unroll
        for (int j = 1; j <= LIMIT; j++) {
            if (!(pooled >> j & 1)) {
                continue;
            }
            T factor = mean && trie.count[j] > 0 ? norm / (T)trie.count[j] : norm;
            if (MAXIMUM && trie.count[j] == 0) {
                factor = 0;
            }
            T x[F];
#pragma unroll
            for (int k = 0; k < F; k++) {
                x[k] = factor * (MAXIMUM ? path_exp2(trie.acc[j][k]) : trie.acc[j][k]);
            }
            T *dst = path_matrix<T>(out, j) + (long long)path_root(root_row, n, j, v) * q + f0;
            path_store<T, F>(dst, x, trie.filters, trie.whole);
        }
    }
    return true;
}

// Packs that fit shared memory have max_rows > 0. factors is null where there are none, large whether one is too large.
template <class T, int F, int LIMIT, bool MAXIMUM, class... Rest>
__device__ __forceinline__ void path_trie_any(int max_rows, int root, const T *factors, const int *large,
                                              const long long *out, const T *scores, Rest... rest)
{
    constexpr PathRule EXPONENTS = MAXIMUM ? PathRule::MAXIMUM : PathRule::SUM;
    if (max_rows == 0) {
        if constexpr (!MAXIMUM) {
            if (factors && !*large) {
                if (root == 1) {
                    path_trie<T, F, LIMIT, PathRule::PRODUCT, false>(out, factors, rest...);
                } else {
                    path_trie<T, F, LIMIT, PathRule::POWER, false>(out, factors, rest...);
                }
                return;
            }
        }
        path_trie<T, F, LIMIT, EXPONENTS, false>(out, scores, rest...);
        return;
    }
    if constexpr (!MAXIMUM) {
        if (root == 1 && path_trie<T, F, LIMIT, PathRule::PRODUCT, true>(out, scores, rest...)) {
            return;
        }
        if (root > 1 && path_trie<T, F, LIMIT, PathRule::POWER, true>(out, scores, rest...)) {
            return;
        }
    }
    path_trie<T, F, LIMIT, EXPONENTS, true>(out, scores, rest...);
}

// Blocks that are to share a multiprocessor: with one more of them the compiler would spill.
constexpr int path_trie_blocks(int filters, int limit) { return 1 + (filters == 1) + (limit == 4); }

#define PATH_TRIE(name, T, F, LIMIT, MAXIMUM)                                                                          \
    extern "C" __global__ void __launch_bounds__(256, path_trie_blocks(F, LIMIT))                                      \
    name(const long long *out, const T *scores, const T *factors, const int *large, const T *norms, const int *index,  \
         const int *row_ptr, const int *col, const int *root_row, const int *packs, const unsigned char *cut,          \
         const int *parts, T *partial, int *counts, int n, int rows, int size, int q, int mean, T alpha2,              \
         int sum_exponent, int max_rows, int max_arcs, int root, int part_count) {                                     \
        path_trie_any<T, F, LIMIT, MAXIMUM>(max_rows, root, factors, large, out, scores, norms, index, row_ptr, col,   \
                                            root_row, packs, cut, parts, partial, counts, n, rows, size, q, mean,      \
                                            alpha2, sum_exponent, max_rows, max_arcs, root, part_count);               \
    }
PATH_TRIE(path_trie_4_f32, float, 1, 4, false)
PATH_TRIE(path_trie_8_f32, float, 1, 8, false)
PATH_TRIE(path_trie_wide_4_f32, float, 4, 4, false)
PATH_TRIE(path_trie_wide_8_f32, float, 4, 8, false)
PATH_TRIE(path_trie_max_4_f32, float, 1, 4, true)
PATH_TRIE(path_trie_max_8_f32, float, 1, 8, true)
PATH_TRIE(path_trie_max_wide_4_f32, float, 4, 4, true)
PATH_TRIE(path_trie_max_wide_8_f32, float, 4, 8, true)
PATH_TRIE(path_trie_4_f64, double, 1, 4, false)
PATH_TRIE(path_trie_8_f64, double, 1, 8, false)
PATH_TRIE(path_trie_max_4_f64, double, 1, 4, true)
PATH_TRIE(path_trie_max_8_f64, double, 1, 8, true)
