// Grove's CUDA kernels: everything that runs on a GPU.
//
// One section for each operation of the engine, which opens with its formula, shapes, bytes and operations
// for an element, and its floor: the time that the hardware needs at least. Beside each tuned kernel stands
// its plain ancestor, name_plain, which the same tests hold. Entry points are extern "C" and end in _f32 or
// _f64; their launch functions are generated (cuda/gen).
//
// Every result has the same bits in every run: sums have a fixed order, nothing is added atomically. The
// file is also compiled by a C++ compiler for the simulated GPU (cuda/sim), which lacks tensor cores:
// what uses them stands behind __CUDA_ARCH__ with a plain twin.
//
// Sections, in this order:
//   What all sections share
//   Pieces of matrix products
//   Matrix product
//   Matrix product on tensor cores
//   Rows of unit length and their gradient
//   Kernel matrices of anchors
//   Nearest anchor
//   Pooling of segments and its gradient
//   Softmax and cross-entropy
//   Losses of single outputs
//   Adam
//   Placement of rows
//   Conversion
//   Pooling over paths, walks and non-backtracking walks
//   Sparse matrices: products, diagonals of powers, histogram intersection, Bayes' rule
//   Splits of trees that look along walks (TREE-G)
//   Functions of symmetric matrices: the inverse square root and its gradient

// ===== What all sections share =======================================================================
//
// Shapes are row-major. Every kernel loops over its grid, so that any launch covers any size:
//
//     for (long long i = global_thread(); i < n; i += global_threads()) ...
//
// Reductions combine values in one fixed order (a butterfly inside a warp, then the warps in order
// of their index), so that equal inputs give equal bits. Blocks are one-dimensional and their size
// is a multiple of 32 wherever a function below exchanges values between threads.

constexpr int WARP = 32;                       // threads of a warp
constexpr unsigned ALL_LANES = 0xffffffffu;    // mask of a full warp

// DYNAMIC_SHARED(T, name) declares T *name: the shared memory whose size is given at launch, aligned to
// 16 bytes. The simulator brings its own meaning.
#ifndef DYNAMIC_SHARED
#define DYNAMIC_SHARED(T, name)                                      \
    extern __shared__ __align__(16) unsigned char dynamic_shared[];  \
    T *name = reinterpret_cast<T *>(dynamic_shared)
#endif

// Position of this thread in the whole launch, and the number of threads of the launch.
__device__ inline long long global_thread() {
    return static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ inline long long global_threads() {
    return static_cast<long long>(gridDim.x) * blockDim.x;
}

// Position of this thread in its warp, of its warp in the block, and the number of warps of the block.
__device__ inline int lane_index() { return threadIdx.x % WARP; }
__device__ inline int warp_index() { return threadIdx.x / WARP; }
__device__ inline int block_warps() { return blockDim.x / WARP; }

// Mathematics by overload, for bodies that are templates over float and double.
__device__ inline float  exponential(float x)  { return expf(x); }
__device__ inline double exponential(double x) { return exp(x); }
__device__ inline float  logarithm(float x)  { return logf(x); }
__device__ inline double logarithm(double x) { return log(x); }
__device__ inline float  square_root(float x)  { return sqrtf(x); }
__device__ inline double square_root(double x) { return sqrt(x); }
__device__ inline float  absolute(float x)  { return fabsf(x); }
__device__ inline double absolute(double x) { return fabs(x); }
__device__ inline float  multiply_add(float a, float b, float c)    { return fmaf(a, b, c); }
__device__ inline double multiply_add(double a, double b, double c) { return fma(a, b, c); }

// infinity<T>() is the largest value of T, for the start of a minimum; -infinity<T>() starts a maximum.
template <class T> __device__ inline T infinity();
template <> __device__ inline float  infinity<float>()  { return __int_as_float(0x7f800000); }
template <> __device__ inline double infinity<double>() { return __longlong_as_double(0x7ff0000000000000LL); }
template <> __device__ inline int    infinity<int>()    { return 0x7fffffff; }

// The three ways to combine two values in a reduction. A NaN stays a NaN in a maximum and a minimum.
struct Sum {
    template <class T> __device__ static T combine(T a, T b) { return a + b; }
    template <class T> __device__ static T start() { return T(0); }
};
struct Maximum {
    template <class T> __device__ static T combine(T a, T b) { return a >= b || a != a ? a : b; }
    template <class T> __device__ static T start() { return -infinity<T>(); }
};
struct Minimum {
    template <class T> __device__ static T combine(T a, T b) { return a <= b || a != a ? a : b; }
    template <class T> __device__ static T start() { return infinity<T>(); }
};

// warp_reduce combines x over the 32 lanes of a warp and returns the result to every lane.
template <class How, class T> __device__ inline T warp_reduce(T x) {
    for (int apart = WARP / 2; apart > 0; apart /= 2)
        x = How::combine(x, __shfl_xor_sync(ALL_LANES, x, apart));
    return x;
}
template <class T> __device__ inline T warp_sum(T x) { return warp_reduce<Sum>(x); }
template <class T> __device__ inline T warp_max(T x) { return warp_reduce<Maximum>(x); }
template <class T> __device__ inline T warp_min(T x) { return warp_reduce<Minimum>(x); }

// warp_scan returns to lane l the sum of x over the lanes 0..l.
template <class T> __device__ inline T warp_scan(T x) {
    for (int apart = 1; apart < WARP; apart *= 2) {
        T before = __shfl_up_sync(ALL_LANES, x, apart);
        if (lane_index() >= apart) x += before;
    }
    return x;
}

// block_reduce combines x over all threads of a block and returns the result to every thread. All threads
// of the block call it; it may be called again at once.
template <class How, class T> __device__ inline T block_reduce(T x) {
    __shared__ T of_warp[WARP];
    x = warp_reduce<How>(x);
    if (lane_index() == 0) of_warp[warp_index()] = x;
    __syncthreads();
    x = lane_index() < block_warps() ? of_warp[lane_index()] : How::template start<T>();
    x = warp_reduce<How>(x);
    __syncthreads();
    return x;
}
template <class T> __device__ inline T block_sum(T x) { return block_reduce<Sum>(x); }
template <class T> __device__ inline T block_max(T x) { return block_reduce<Maximum>(x); }
template <class T> __device__ inline T block_min(T x) { return block_reduce<Minimum>(x); }

// Best is a candidate for an argmax: of equal values the lower index wins; the index -1 is "none".
template <class T> struct Best {
    T value;
    int index;
};
template <class T> __device__ inline Best<T> no_best() { return {-infinity<T>(), -1}; }
template <class T> __device__ inline Best<T> better(Best<T> a, Best<T> b) {
    if (b.index < 0) return a;
    if (a.index < 0 || b.value > a.value || (b.value == a.value && b.index < a.index)) return b;
    return a;
}

// warp_best returns to every lane the best candidate of the warp.
template <class T> __device__ inline Best<T> warp_best(Best<T> x) {
    for (int apart = WARP / 2; apart > 0; apart /= 2) {
        Best<T> other = {__shfl_xor_sync(ALL_LANES, x.value, apart), __shfl_xor_sync(ALL_LANES, x.index, apart)};
        x = better(x, other);
    }
    return x;
}

// block_best returns to every thread the best candidate of the block. All threads of the block call it.
template <class T> __device__ inline Best<T> block_best(Best<T> x) {
    __shared__ T value_of_warp[WARP];
    __shared__ int index_of_warp[WARP];
    x = warp_best(x);
    if (lane_index() == 0) {
        value_of_warp[warp_index()] = x.value;
        index_of_warp[warp_index()] = x.index;
    }
    __syncthreads();
    x = lane_index() < block_warps() ? Best<T>{value_of_warp[lane_index()], index_of_warp[lane_index()]} : no_best<T>();
    x = warp_best(x);
    __syncthreads();
    return x;
}

// ===== Pieces of matrix products =====================================================================
//
// A block computes a tile of BM x BN elements of a product, BK terms at a time: each stage of terms is
// brought from memory into registers while the stage before it is multiplied out of shared memory, and
// two stages alternate there, so that one barrier for each is enough. A thread owns TM x TN elements in
// groups of V rows and V columns, V elements being 16 bytes. Operands are kept term by term, [term][row],
// in lines that are padded by V against bank conflicts.

template <class T, int ROWS, int COLUMNS, int TERMS, int THREAD_ROWS, int THREAD_COLUMNS> struct Tile {
    typedef T Element;
    static constexpr int V = 16 / sizeof(T);
    static constexpr int BM = ROWS, BN = COLUMNS, BK = TERMS, TM = THREAD_ROWS, TN = THREAD_COLUMNS;
    static constexpr int DOWN = BM / TM, ACROSS = BN / TN, THREADS = DOWN * ACROSS;
    static constexpr int LDA = BM + V, LDB = BN + V;
    static constexpr int STAGE = BK * (LDA + LDB), SPACE = 2 * STAGE; // elements of shared memory
    static constexpr int OWN_ROWS = THREADS * TM;
    static_assert(ACROSS % 8 == 0 && DOWN % 4 == 0, "a warp covers 4 x 8 threads of the tile");

    // Place of a thread in the grid of DOWN x ACROSS threads: warps are blocks of 4 x 8 in it.
    __device__ static int down(int thread) { return thread / WARP / (ACROSS / 8) * 4 + thread % WARP / 8; }
    __device__ static int across(int thread) { return thread / WARP % (ACROSS / 8) * 8 + thread % 8; }
    __device__ static int thread_at(int down, int across) {
        return (down / 4 * (ACROSS / 8) + across / 8) * WARP + down % 4 * 8 + across % 8;
    }

    // Row and column in the tile of element (i, j) of this thread: those of its first, and what comes to that.
    __device__ static int row() { return down(threadIdx.x) * V; }
    __device__ static int column() { return across(threadIdx.x) * V; }
    __device__ static constexpr int below(int i) { return i / V * (DOWN * V) + i % V; }
    __device__ static constexpr int beside(int j) { return j / V * (ACROSS * V) + j % V; }
};

__device__ inline bool aligned16(const void *p) { return reinterpret_cast<unsigned long long>(p) % 16 == 0; }

// V elements that are aligned to 16 bytes.
__device__ inline void load16(float *to, const float *from) {
    const float4 x = *reinterpret_cast<const float4 *>(from);
    to[0] = x.x, to[1] = x.y, to[2] = x.z, to[3] = x.w;
}
__device__ inline void load16(double *to, const double *from) {
    const double2 x = *reinterpret_cast<const double2 *>(from);
    to[0] = x.x, to[1] = x.y;
}
__device__ inline void store16(float *to, const float *from) {
    *reinterpret_cast<float4 *>(to) = make_float4(from[0], from[1], from[2], from[3]);
}
__device__ inline void store16(double *to, const double *from) {
    *reinterpret_cast<double2 *>(to) = make_double2(from[0], from[1]);
}

// load_some reads the first count of V elements, the others are zero; wide says that they are aligned.
template <class T, int V> __device__ inline void load_some(T (&to)[V], const T *from, int count, bool wide) {
    if (wide && count >= V) {
        load16(to, from);
        return;
    }
#pragma unroll
    for (int v = 0; v < V; v++) to[v] = v < count ? from[v] : T(0);
}

// load_chunk is load_some where either all of the V elements are there and aligned, or none (WIDE), or where
// nothing is known.
template <bool WIDE, class T, int V> __device__ inline void load_chunk(T (&to)[V], const T *from, int count) {
    if constexpr (WIDE) {
#pragma unroll
        for (int v = 0; v < V; v++) to[v] = T(0);
        if (count > 0) load16(to, from);
    } else {
        load_some(to, from, count, false);
    }
}

template <class T, int V> __device__ inline void store_some(T *to, const T (&from)[V], int count, bool wide) {
    if (wide && count >= V) {
#pragma unroll
        for (int v = 0; v < V; v += 16 / sizeof(T)) store16(to + v, from + v);
        return;
    }
#pragma unroll
    for (int v = 0; v < V; v++)
        if (v < count) to[v] = from[v];
}

// Where row r of an operand begins, at position j of sequences, for rows that the operand has.
template <class T> struct MatrixRows {
    static constexpr bool SEQUENCE = false;
    const T *base;
    int rows, stride;
    __device__ bool has(int r) const { return r < rows; }
    __device__ const T *at(int r, int) const { return base + (long long)r * stride; }
};
template <class T> struct PointRows { // point r is the rows list[r p .. r p + p] of a table
    static constexpr bool SEQUENCE = true;
    const T *table;
    const int *list; // null: point r is row r
    int points, p, d;
    __device__ bool has(int r) const { return r < points; }
    __device__ const T *at(int r, int j) const { return table + (long long)(list ? list[(long long)r * p + j] : r) * d; }
};
template <class T> struct AnchorRows { // anchors are p x q x d
    static constexpr bool SEQUENCE = true;
    const T *z;
    int q, d;
    __device__ bool has(int r) const { return r < q; }
    __device__ const T *at(int r, int j) const { return z + ((long long)j * q + r) * d; }
};

// AlongTerms brings the terms first..end of ROWS rows, BK at a time, of an operand with its terms along
// memory. After the last of them it goes on with the next position of a
// source of sequences.
template <bool WIDE, class T, int ROWS, int BK, int LD, int THREADS, class Source> struct AlongTerms {
    static constexpr int V = 16 / sizeof(T), PER_ROW = BK / V, CHUNKS = ROWS * PER_ROW, PER = (CHUNKS + THREADS - 1) / THREADS;
    Source source;
    int row0, position, term, first, end;
    const T *row[PER];
    T value[PER][V];

    __device__ AlongTerms(Source from, int row, int first_term, int last_term)
        : source(from), row0(row), position(0), term(first_term), first(first_term), end(last_term) {
        bind();
    }
    __device__ static int row_of(int i) { return (threadIdx.x + i * THREADS) / PER_ROW; }
    __device__ static int term_of(int i) { return (threadIdx.x + i * THREADS) % PER_ROW * V; }
    __device__ bool has(int i) const { return row_of(i) < ROWS && source.has(row0 + row_of(i)); }
    __device__ void bind() {
#pragma unroll
        for (int i = 0; i < PER; i++) row[i] = source.at(has(i) ? row0 + row_of(i) : row0, position);
    }
    __device__ void fetch() {
        if (Source::SEQUENCE && term >= end) {
            position++;
            term = first;
            bind();
        }
#pragma unroll
        for (int i = 0; i < PER; i++) {
            const int k = term + term_of(i);
            load_chunk<WIDE>(value[i], row[i] + k, has(i) ? end - k : 0);
        }
        term += BK;
    }
    __device__ void put(T *shared) const {
#pragma unroll
        for (int i = 0; i < PER; i++)
            if (CHUNKS % THREADS == 0 || row_of(i) < ROWS)
#pragma unroll
                for (int v = 0; v < V; v++) shared[(term_of(i) + v) * LD + row_of(i)] = value[i][v];
    }
};

// AlongRows does the same for a matrix with its rows along memory: element (row, term) is
// base[term * stride + row]. PAIR terms in a row go to one thread.
template <bool WIDE, class T, int ROWS, int BK, int LD, int THREADS, int PAIR = 1> struct AlongRows {
    static constexpr int V = 16 / sizeof(T), PER_TERM = ROWS / V, CHUNKS = PER_TERM * BK / PAIR, PER = (CHUNKS + THREADS - 1) / THREADS;
    const T *base;
    int rows, stride, term, end;
    T value[PER][PAIR][V];

    __device__ AlongRows(const T *matrix, int matrix_rows, int row0, int first_term, int last_term)
        : base(matrix + row0), rows(matrix_rows - row0), stride(matrix_rows), term(first_term), end(last_term) {}
    __device__ static int row_of(int i) { return (threadIdx.x + i * THREADS) % PER_TERM * V; }
    __device__ static int term_of(int i) { return (threadIdx.x + i * THREADS) / PER_TERM * PAIR; }
    __device__ void fetch() {
#pragma unroll
        for (int i = 0; i < PER; i++)
#pragma unroll
            for (int h = 0; h < PAIR; h++) {
                const int k = term + term_of(i) + h;
                const bool inside = k < end && (CHUNKS % THREADS == 0 || term_of(i) < BK);
                load_chunk<WIDE>(value[i][h], base + (long long)k * stride + row_of(i), inside ? rows - row_of(i) : 0);
            }
        term += BK;
    }
    __device__ void put(T *shared) const {
#pragma unroll
        for (int i = 0; i < PER; i++)
            if (CHUNKS % THREADS == 0 || term_of(i) < BK) store16(shared + term_of(i) * LD + row_of(i), value[i][0]);
    }
};

// multiply_stage adds the products of one stage to the elements of this thread.
template <class P, class T> __device__ inline void multiply_stage(T (&sum)[P::TM][P::TN], const T *a, const T *b) {
    constexpr int V = P::V;
    const T *from_a = a + P::down(threadIdx.x) * V, *from_b = b + P::across(threadIdx.x) * V;
#pragma unroll
    for (int k = 0; k < P::BK; k++) {
        T x[P::TM], y[P::TN];
#pragma unroll
        for (int i = 0; i < P::TM; i += V) load16(x + i, from_a + k * P::LDA + i * P::DOWN);
#pragma unroll
        for (int j = 0; j < P::TN; j += V) load16(y + j, from_b + k * P::LDB + j * P::ACROSS);
#pragma unroll
        for (int i = 0; i < P::TM; i++)
#pragma unroll
            for (int j = 0; j < P::TN; j++) sum[i][j] = multiply_add(x[i], y[j], sum[i][j]);
    }
}

// multiply_tile adds the sums over all stages to the elements of this thread. The stages alternate between
// the halves of the space, across calls too, which is why the half is the caller's.
template <class P, class T, class A, class B>
__device__ inline void multiply_tile(T (&sum)[P::TM][P::TN], A &a, B &b, int stages, T *space, int &half) {
    if (stages == 0) return;
    a.fetch();
    b.fetch();
    for (int s = 0; s < stages; s++) {
        T *of_a = space + half * P::STAGE, *of_b = of_a + P::BK * P::LDA;
        a.put(of_a);
        b.put(of_b);
        __syncthreads();
        if (s + 1 < stages) {
            a.fetch();
            b.fetch();
        }
        multiply_stage<P>(sum, of_a, of_b);
        half ^= 1;
    }
}

// ===== Matrix product ================================================================================
//
//   C = alpha op(A) op(B) + beta C        C m x n, op(A) m x k, op(B) k x n; op is a transposition or none
//
// Bytes      s (m k + k n + m n) with s bytes for an element, and 3 s m n more where beta is not 0
// Operations 2 m n k
// Floor      the larger of bytes / copy bandwidth and operations / peak of the fp32 (fp64) units.
// A tile of 128 x 128 in fp32 takes 8 bytes from the second-level cache for 256 multiply-adds, so that the
// multiply-adds bound large products; 64 of them for 4 wide reads of shared memory keep both units busy.
// Prediction, not a measurement: 70 to 85% of the fp32 peak from m = n = 2048 on.
//
// The ladder: the plain kernel (an element a thread, everything from the cache), then tiles through shared
// memory in four shapes: 128 x 128 for large products, 64 x 64 where those would leave multiprocessors
// idle, 128 x 32 and 32 x 128 for thin ones; the plain kernel again where there are 8 terms or fewer. Where even small tiles are few and k is large, the terms are
// split over gridDim.y blocks, whose sums matmul_combine adds in the order of the terms. It also adds beta C to a
// product: with registers for old elements the tile kernels would spill.

// Layout is how the operands of a product lie in memory; WIDE says that both consist of whole aligned pieces
// of 16 bytes. Each layout has its own code, which by_layout chooses.
template <bool A, bool B, bool W> struct Layout {
    static constexpr bool TRANS_A = A, TRANS_B = B, WIDE = W;
};
template <bool WIDE, class Body> __device__ inline void by_transposition(int trans_a, int trans_b, Body body) {
    if (trans_a && trans_b) body(Layout<true, true, WIDE>());
    else if (trans_a) body(Layout<true, false, WIDE>());
    else if (trans_b) body(Layout<false, true, WIDE>());
    else body(Layout<false, false, WIDE>());
}
template <class T, class Body> __device__ inline void by_layout(const T *a, const T *b, int m, int n, int k, int trans_a, int trans_b, Body body) {
    constexpr int V = 16 / sizeof(T);
    if (aligned16(a) && aligned16(b) && (trans_a ? m : k) % V == 0 && (trans_b ? k : n) % V == 0) by_transposition<true>(trans_a, trans_b, body);
    else by_transposition<false>(trans_a, trans_b, body);
}

// What brings the terms first..end of rows row0.. of an operand, whose rows lie along memory where ALONG.
template <bool ALONG, bool WIDE, int ROWS, int BK, int LD, int THREADS, int PAIR, class T>
__device__ inline auto bring(const T *operand, int rows, int terms, int row0, int first, int end) {
    if constexpr (ALONG) return AlongRows<WIDE, T, ROWS, BK, LD, THREADS, PAIR>(operand, rows, row0, first, end);
    else return AlongTerms<WIDE, T, ROWS, BK, LD, THREADS, MatrixRows<T>>({operand, rows, terms}, row0, first, end);
}

// matmul_tiles computes alpha op(A) op(B), or the sums of the splits of split_terms terms (a multiple of BK) into
// gridDim.y matrices of m x n one after the other.
template <class P, class L, class T>
__device__ inline void matmul_tiles(T *c, const T *a, const T *b, int m, int n, int k, T alpha, int split_terms, T *space) {
    constexpr int V = P::V;
    const int first = blockIdx.y * split_terms, end = min(k, first + split_terms);
    const int stages = end > first ? (end - first + P::BK - 1) / P::BK : 0;
    T *to = c + (long long)blockIdx.y * m * n;
    const bool wide_c = aligned16(to) && n % V == 0;
    const int tiles_across = (n + P::BN - 1) / P::BN;
    const int tiles = (m + P::BM - 1) / P::BM * tiles_across; // memory ends long before an int does
    int half = 0;
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const int row0 = tile / tiles_across * P::BM, column0 = tile % tiles_across * P::BN;
        T sum[P::TM][P::TN] = {};
        auto of_a = bring<L::TRANS_A, L::WIDE, P::BM, P::BK, P::LDA, P::THREADS, 1>(a, m, k, row0, first, end);
        auto of_b = bring<!L::TRANS_B, L::WIDE, P::BN, P::BK, P::LDB, P::THREADS, 1>(b, n, k, column0, first, end);
        multiply_tile<P>(sum, of_a, of_b, stages, space, half);
#pragma unroll
        for (int i = 0; i < P::TM; i++)
#pragma unroll
            for (int j = 0; j < P::TN; j += V) {
                const int row = row0 + P::row() + P::below(i), column = column0 + P::column() + P::beside(j);
                T result[V];
#pragma unroll
                for (int v = 0; v < V; v++) result[v] = alpha * sum[i][j + v];
                store_some(to + (long long)row * n + column, result, row < m ? n - column : 0, wide_c);
            }
    }
}

#define MATMUL_TILES(NAME, T, BM, BN, BK, TM, TN, BLOCKS)                                                                     \
    extern "C" __global__ void __launch_bounds__(Tile<T, BM, BN, BK, TM, TN>::THREADS, BLOCKS)                                \
    NAME(T *__restrict__ c, const T *__restrict__ a, const T *__restrict__ b, int m, int n, int k, int trans_a, int trans_b,  \
         T alpha, int split_terms) {                                                                                          \
        typedef Tile<T, BM, BN, BK, TM, TN> P;                                                                                \
        __shared__ __align__(16) T space[P::SPACE];                                                                           \
        by_layout(a, b, m, n, k, trans_a, trans_b, [&](auto layout) {                                                         \
            matmul_tiles<P, decltype(layout)>(c, a, b, m, n, k, alpha, split_terms, space);                                   \
        });                                                                                                                   \
    }

MATMUL_TILES(matmul_f32, float, 128, 128, 8, 8, 8, 2)
MATMUL_TILES(matmul_f64, double, 64, 64, 8, 4, 4, 2)
MATMUL_TILES(matmul_medium_f32, float, 64, 64, 16, 4, 4, 3)
MATMUL_TILES(matmul_medium_f64, double, 32, 32, 8, 2, 2, 3)
MATMUL_TILES(matmul_tall_f32, float, 128, 32, 16, 4, 4, 2)
MATMUL_TILES(matmul_tall_f64, double, 64, 16, 8, 2, 2, 2)
MATMUL_TILES(matmul_wide_f32, float, 32, 128, 16, 4, 4, 2)
MATMUL_TILES(matmul_wide_f64, double, 16, 64, 8, 2, 2, 2)

// matmul_combine adds the partial sums of the splits in their order: C = alpha (sum of the splits) + beta C.
template <class T> __device__ inline void matmul_combine(T *c, const T *partial, long long elements, int splits, T alpha, T beta) {
    for (long long i = global_thread(); i < elements; i += global_threads()) {
        T sum = partial[i];
        for (int s = 1; s < splits; s++) sum += partial[s * elements + i];
        sum *= alpha;
        if (beta != T(0)) sum += beta * c[i];
        c[i] = sum;
    }
}
extern "C" __global__ void matmul_combine_f32(float *__restrict__ c, const float *__restrict__ partial, long long elements, int splits, float alpha, float beta) {
    matmul_combine(c, partial, elements, splits, alpha, beta);
}
extern "C" __global__ void matmul_combine_f64(double *__restrict__ c, const double *__restrict__ partial, long long elements, int splits, double alpha, double beta) {
    matmul_combine(c, partial, elements, splits, alpha, beta);
}

// Rounding of the factors of tensor cores: to 10 bits of mantissa, ties away from zero (cvt.rna.tf32), and
// to 7 bits, ties to even (cvt.rn.bf16x2).
constexpr int EXACT = 0, TO_TF32 = 1, TO_BFLOAT16 = 2;

__device__ inline unsigned tf32_bits(float x) {
    unsigned bits;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
#else
    bits = (unsigned)__float_as_int(x);
    if ((bits & 0x7f800000u) != 0x7f800000u) bits = (bits + 0x1000u) & 0xffffe000u;
#endif
    return bits;
}

__device__ inline unsigned bfloat16_bits(float x) { // in the lower half
    const unsigned bits = (unsigned)__float_as_int(x);
    if ((bits & 0x7f800000u) == 0x7f800000u) return bits >> 16 | ((bits & 0xffffu) != 0);
    return (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
}

__device__ inline unsigned bfloat16_pair(float low, float high) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    unsigned bits;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(high), "f"(low));
    return bits;
#else
    return bfloat16_bits(high) << 16 | bfloat16_bits(low);
#endif
}

template <int ROUND, class T> __device__ inline T rounded(T x) {
    if (ROUND == TO_TF32) return (T)__int_as_float((int)tf32_bits((float)x));
    if (ROUND == TO_BFLOAT16) return (T)__int_as_float((int)(bfloat16_bits((float)x) << 16));
    return x;
}

// The plain product: a thread computes an element.
template <class T, int ROUND>
__device__ inline void matmul_by_elements(T *c, const T *a, const T *b, int m, int n, int k, int trans_a, int trans_b, T alpha, T beta) {
    for (long long e = global_thread(); e < (long long)m * n; e += global_threads()) {
        const long long i = e / n, j = e % n;
        T sum = 0;
        for (long long l = 0; l < k; l++) {
            const T x = rounded<ROUND>(trans_a ? a[l * m + i] : a[i * k + l]), y = rounded<ROUND>(trans_b ? b[j * k + l] : b[l * n + j]);
            sum = multiply_add(x, y, sum);
        }
        sum *= alpha;
        if (beta != T(0)) sum += beta * c[e];
        c[e] = sum;
    }
}

#define MATMUL_PLAIN(NAME, T, ROUND)                                                                                               \
    extern "C" __global__ void NAME(T *__restrict__ c, const T *__restrict__ a, const T *__restrict__ b, int m, int n, int k,      \
                                    int trans_a, int trans_b, T alpha, T beta) {                                                   \
        matmul_by_elements<T, ROUND>(c, a, b, m, n, k, trans_a, trans_b, alpha, beta);                                             \
    }
MATMUL_PLAIN(matmul_plain_f32, float, EXACT)
MATMUL_PLAIN(matmul_plain_f64, double, EXACT)
MATMUL_PLAIN(matmul_tf32_plain_f32, float, TO_TF32)
MATMUL_PLAIN(matmul_bfloat16_plain_f32, float, TO_BFLOAT16)

// ===== Matrix product on tensor cores ================================================================
//
// The same product of float32 matrices with the factors rounded to TF32 or bfloat16; sums in float32.
//
// Floor: the larger of bytes / copy bandwidth and 2 m n k / peak of the tensor cores. Tiles of 128 x 128
// with 16 terms a stage; a warp computes 64 x 32 of them by mma.sync, m16n8k8 in TF32 and m16n8k16 in
// bfloat16. Factors are rounded once, on their way to shared memory, where a word holds one TF32 factor or
// two bfloat16 factors of consecutive terms. Word (w, row) lies in line w at row ^ 8 (w / 4 mod 4); lines are 136
// words, so that the reads of fragments (4 lines x 8 rows) and both ways of writing meet no bank twice.
// Prediction, not a measurement: mma.sync reaches about half of what wgmma could on compute capability 9.0.

constexpr int TENSOR_LINE = 136;

__device__ inline int tensor_word(int word, int row) { return word * TENSOR_LINE + (row ^ (word / 4 % 4 * 8)); }

template <int ROUND, bool WIDE, int ROWS, int BK, int LD, int THREADS, class Source>
__device__ inline void put_words(unsigned *shared, const AlongTerms<WIDE, float, ROWS, BK, LD, THREADS, Source> &a) {
    typedef AlongTerms<WIDE, float, ROWS, BK, LD, THREADS, Source> A;
#pragma unroll
    for (int i = 0; i < A::PER; i++)
#pragma unroll
        for (int v = 0; v < 4; v += ROUND == TO_TF32 ? 1 : 2) {
            if (ROUND == TO_TF32) shared[tensor_word(A::term_of(i) + v, A::row_of(i))] = tf32_bits(a.value[i][v]);
            else shared[tensor_word((A::term_of(i) + v) / 2, A::row_of(i))] = bfloat16_pair(a.value[i][v], a.value[i][v + 1]);
        }
}

template <int ROUND, bool WIDE, int ROWS, int BK, int LD, int THREADS, int PAIR>
__device__ inline void put_words(unsigned *shared, const AlongRows<WIDE, float, ROWS, BK, LD, THREADS, PAIR> &a) {
    typedef AlongRows<WIDE, float, ROWS, BK, LD, THREADS, PAIR> A;
#pragma unroll
    for (int i = 0; i < A::PER; i++) {
        unsigned word[4];
#pragma unroll
        for (int v = 0; v < 4; v++) {
            if constexpr (ROUND == TO_TF32) word[v] = tf32_bits(a.value[i][0][v]);
            else word[v] = bfloat16_pair(a.value[i][0][v], a.value[i][1][v]);
        }
        uint4 *to = reinterpret_cast<uint4 *>(shared + tensor_word(ROUND == TO_TF32 ? A::term_of(i) : A::term_of(i) / 2, A::row_of(i)));
        *to = make_uint4(word[0], word[1], word[2], word[3]);
    }
}

// tensor_stage adds the products of the words of one stage to the 64 x 32 elements of a warp, of which a lane
// owns (16 i + g + 8 h, 8 j + 2 t + l) as sum[i][j][2 h + l], where g = lane / 4 and t = lane mod 4. g and t
// leave the bits alone in which lines are permuted, so that each read is a constant away from one address.
template <int ROUND> __device__ inline void tensor_stage(float (&sum)[4][4][4], const unsigned *a, const unsigned *b, int row0, int column0) {
    constexpr int WORDS = ROUND == TO_TF32 ? 16 : 8;
    const int g = lane_index() / 4, t = lane_index() % 4;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    const unsigned *from_a = a + t * TENSOR_LINE + row0 + g, *from_b = b + t * TENSOR_LINE + column0 + g;
#pragma unroll
    for (int w = 0; w < WORDS; w += 8) {
        unsigned y[4][2];
#pragma unroll
        for (int j = 0; j < 4; j++)
#pragma unroll
            for (int h = 0; h < 2; h++) y[j][h] = from_b[tensor_word(w + h * 4, 8 * j)];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            unsigned x[4];
#pragma unroll
            for (int h = 0; h < 4; h++) x[h] = from_a[tensor_word(w + h / 2 * 4, 16 * i + h % 2 * 8)];
#pragma unroll
            for (int j = 0; j < 4; j++) {
                if constexpr (ROUND == TO_TF32)
                    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                        : "+f"(sum[i][j][0]), "+f"(sum[i][j][1]), "+f"(sum[i][j][2]), "+f"(sum[i][j][3])
                        : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[j][0]), "r"(y[j][1]));
                else
                    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                        : "+f"(sum[i][j][0]), "+f"(sum[i][j][1]), "+f"(sum[i][j][2]), "+f"(sum[i][j][3])
                        : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[j][0]), "r"(y[j][1]));
            }
        }
    }
#else
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            for (int e = 0; e < 4; e++)
                for (int w = 0; w < WORDS; w++) {
                    const unsigned x = a[tensor_word(w, row0 + 16 * i + g + e / 2 * 8)], y = b[tensor_word(w, column0 + 8 * j + 2 * t + e % 2)];
                    if (ROUND == TO_TF32) {
                        sum[i][j][e] += __int_as_float((int)x) * __int_as_float((int)y);
                    } else {
                        sum[i][j][e] += __int_as_float((int)(x << 16)) * __int_as_float((int)(y << 16));
                        sum[i][j][e] += __int_as_float((int)(x & 0xffff0000u)) * __int_as_float((int)(y & 0xffff0000u));
                    }
                }
#endif
}

constexpr int TENSOR_THREADS = 256, TENSOR_TILE = 128, TENSOR_TERMS = 16;

template <int ROUND, class L>
__device__ inline void matmul_tensor(float *c, const float *a, const float *b, int m, int n, int k, float alpha, float beta, unsigned *space) {
    constexpr int PAIR = ROUND == TO_TF32 ? 1 : 2, OPERAND = TENSOR_TERMS / PAIR * TENSOR_LINE;
    const int tiles_across = (n + TENSOR_TILE - 1) / TENSOR_TILE, stages = (k + TENSOR_TERMS - 1) / TENSOR_TERMS;
    const int tiles = (m + TENSOR_TILE - 1) / TENSOR_TILE * tiles_across;
    const int warp_row = warp_index() / 4 * 64, warp_column = warp_index() % 4 * 32;
    int half = 0;
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const int row0 = tile / tiles_across * TENSOR_TILE, column0 = tile % tiles_across * TENSOR_TILE;
        float sum[4][4][4] = {};
        auto of_a = bring<L::TRANS_A, L::WIDE, TENSOR_TILE, TENSOR_TERMS, TENSOR_LINE, TENSOR_THREADS, PAIR>(a, m, k, row0, 0, k);
        auto of_b = bring<!L::TRANS_B, L::WIDE, TENSOR_TILE, TENSOR_TERMS, TENSOR_LINE, TENSOR_THREADS, PAIR>(b, n, k, column0, 0, k);
        if (stages > 0) {
            of_a.fetch();
            of_b.fetch();
        }
        for (int s = 0; s < stages; s++) {
            unsigned *at_a = space + half * 2 * OPERAND, *at_b = at_a + OPERAND;
            put_words<ROUND>(at_a, of_a);
            put_words<ROUND>(at_b, of_b);
            __syncthreads();
            if (s + 1 < stages) {
                of_a.fetch();
                of_b.fetch();
            }
            tensor_stage<ROUND>(sum, at_a, at_b, warp_row, warp_column);
            half ^= 1;
        }
        const int g = lane_index() / 4, t = lane_index() % 4;
#pragma unroll
        for (int i = 0; i < 4; i++)
#pragma unroll
            for (int j = 0; j < 4; j++)
#pragma unroll
                for (int e = 0; e < 4; e++) {
                    const int row = tile / tiles_across * TENSOR_TILE + warp_row + 16 * i + g + e / 2 * 8;
                    const int column = column0 + warp_column + 8 * j + 2 * t + e % 2;
                    if (row < m && column < n) {
                        float *at = c + (long long)row * n + column;
                        *at = alpha * sum[i][j][e] + (beta != 0 ? beta * *at : 0.0f);
                    }
                }
    }
}

#define MATMUL_TENSOR(NAME, ROUND)                                                                                                  \
    extern "C" __global__ void __launch_bounds__(TENSOR_THREADS, 2)                                                                 \
    NAME(float *__restrict__ c, const float *__restrict__ a, const float *__restrict__ b, int m, int n, int k, int trans_a,         \
         int trans_b, float alpha, float beta) {                                                                                    \
        __shared__ __align__(16) unsigned space[4 * TENSOR_TERMS / (ROUND == TO_TF32 ? 1 : 2) * TENSOR_LINE];                       \
        by_layout(a, b, m, n, k, trans_a, trans_b, [&](auto layout) {                                                               \
            matmul_tensor<ROUND, decltype(layout)>(c, a, b, m, n, k, alpha, beta, space);                                           \
        });                                                                                                                         \
    }
MATMUL_TENSOR(matmul_tf32_f32, TO_TF32)
MATMUL_TENSOR(matmul_bfloat16_f32, TO_BFLOAT16)

// ===== Rows of unit length and their gradient ========================================================
//
//   dst_r = x_r / max(|x_r|, eps),  norms_r = |x_r|        x, dst n x d, norms n or null
//
// Bytes 2 s n d, floor bytes / copy bandwidth. A group of lanes (a power of two up to a warp) shares a row
// and keeps its first elements in registers; what is longer is read again, from the cache.
// Prediction, not a measurement: 80% of the floor from d = 16 on.

// group_sum adds x over groups of lanes; all lanes of the warp call it.
template <class T> __device__ inline T group_sum(T x, int group) {
    for (int apart = group / 2; apart > 0; apart /= 2) x += __shfl_xor_sync(ALL_LANES, x, apart);
    return x;
}
template <class T> __device__ inline T group_max(T x, int group) {
    for (int apart = group / 2; apart > 0; apart /= 2) x = Maximum::combine(x, __shfl_xor_sync(ALL_LANES, x, apart));
    return x;
}

template <class T> __device__ inline void normalize_rows(T *dst, T *norms, const T *x, int n, int d, T eps, int group) {
    constexpr int KEPT = 4;
    const int rows = blockDim.x / group, lane = threadIdx.x % group;
    for (long long first = (long long)blockIdx.x * rows; first < n; first += (long long)gridDim.x * rows) {
        const long long r = first + threadIdx.x / group;
        const int columns = r < n ? d : 0;
        const T *from = x + r * d;
        T kept[KEPT], sum = 0;
#pragma unroll
        for (int k = 0; k < KEPT; k++) {
            const int c = lane + k * group;
            kept[k] = c < columns ? from[c] : T(0);
            sum = multiply_add(kept[k], kept[k], sum);
        }
        for (int c = lane + KEPT * group; c < columns; c += group) sum = multiply_add(from[c], from[c], sum);
        const T norm = square_root(group_sum(sum, group));
        const T scale = T(1) / (norm > eps ? norm : eps);
        if (norms && lane == 0 && r < n) norms[r] = norm;
#pragma unroll
        for (int k = 0; k < KEPT; k++) {
            const int c = lane + k * group;
            if (c < columns) dst[r * d + c] = kept[k] * scale;
        }
        for (int c = lane + KEPT * group; c < columns; c += group) dst[r * d + c] = from[c] * scale;
    }
}
extern "C" __global__ void normalize_rows_f32(float *dst, float *__restrict__ norms, const float *x, int n, int d, float eps, int group) {
    normalize_rows(dst, norms, x, n, d, eps, group);
}
extern "C" __global__ void normalize_rows_f64(double *dst, double *__restrict__ norms, const double *x, int n, int d, double eps, int group) {
    normalize_rows(dst, norms, x, n, d, eps, group);
}

// The plain kernel: a thread for each row.
template <class T> __device__ inline void normalize_rows_plain(T *dst, T *norms, const T *x, int n, int d, T eps) {
    for (long long r = global_thread(); r < n; r += global_threads()) {
        T sum = 0;
        for (int c = 0; c < d; c++) sum += x[r * d + c] * x[r * d + c];
        const T norm = square_root(sum), length = norm > eps ? norm : eps;
        if (norms) norms[r] = norm;
        for (int c = 0; c < d; c++) dst[r * d + c] = x[r * d + c] / length;
    }
}
extern "C" __global__ void normalize_rows_plain_f32(float *dst, float *__restrict__ norms, const float *x, int n, int d, float eps) {
    normalize_rows_plain(dst, norms, x, n, d, eps);
}
extern "C" __global__ void normalize_rows_plain_f64(double *dst, double *__restrict__ norms, const double *x, int n, int d, double eps) {
    normalize_rows_plain(dst, norms, x, n, d, eps);
}

// ----- normalize_rows_grad: from the gradients of unit rows and norms to that of the rows ------------
//
//   x_grad_r = g_r / max(|x_r|, eps) + a_r u_r        g = unit_grad, u = unit, h = norm_grad or zeros where it is null
//   a_r = h_r - <u_r, g_r> / |x_r|  where |x_r| >= eps;  h_r eps / |x_r|  below;  0  where x_r = 0
//
// unit, unit_grad and x_grad n x d, norms and norm_grad n; x_grad may be unit_grad itself.
//
// Bytes 3 s n d, operations 2 multiply-adds for an element; floor bytes / copy bandwidth. As normalize_rows: a group of lanes
// shares a row and keeps its first elements in registers.
// Prediction, not a measurement: 75% of the floor from d = 16 on.

// gradient_along is a_r for inner = <u_r, g_r>. A norm that is not a number makes no case of its own.
template <class T> __device__ inline T gradient_along(T norm, T norm_grad, T inner, T eps) {
    if (norm >= eps) return norm_grad - inner / norm;
    return norm > T(0) ? norm_grad * eps / norm : T(0);
}

template <class T>
__device__ inline void normalize_rows_grad(T *x_grad, const T *unit_grad, const T *norm_grad, const T *unit, const T *norms, int n, int d, T eps, int group) {
    constexpr int KEPT = 4;
    const int rows = blockDim.x / group, lane = threadIdx.x % group;
    for (long long first = (long long)blockIdx.x * rows; first < n; first += (long long)gridDim.x * rows) {
        const long long r = first + threadIdx.x / group;
        const int columns = r < n ? d : 0;
        const T *u = unit + r * d, *g = unit_grad + r * d;
        T kept_u[KEPT], kept_g[KEPT], sum = 0;
#pragma unroll
        for (int k = 0; k < KEPT; k++) {
            const int c = lane + k * group;
            kept_u[k] = c < columns ? u[c] : T(0);
            kept_g[k] = c < columns ? g[c] : T(0);
            sum = multiply_add(kept_u[k], kept_g[k], sum);
        }
        for (int c = lane + KEPT * group; c < columns; c += group) sum = multiply_add(u[c], g[c], sum);
        const T inner = group_sum(sum, group);
        if (r >= n) continue;
        const T norm = norms[r], scale = T(1) / Maximum::combine(norm, eps);
        const T along = gradient_along(norm, norm_grad ? norm_grad[r] : T(0), inner, eps);
#pragma unroll
        for (int k = 0; k < KEPT; k++) {
            const int c = lane + k * group;
            if (c < columns) x_grad[r * d + c] = multiply_add(along, kept_u[k], scale * kept_g[k]);
        }
        for (int c = lane + KEPT * group; c < columns; c += group) x_grad[r * d + c] = multiply_add(along, u[c], scale * g[c]);
    }
}

// The plain kernel: a thread for each row.
template <class T>
__device__ inline void normalize_rows_grad_plain(T *x_grad, const T *unit_grad, const T *norm_grad, const T *unit, const T *norms, int n, int d, T eps) {
    for (long long r = global_thread(); r < n; r += global_threads()) {
        T inner = 0;
        for (int c = 0; c < d; c++) inner += unit[r * d + c] * unit_grad[r * d + c];
        const T along = gradient_along(norms[r], norm_grad ? norm_grad[r] : T(0), inner, eps);
        for (int c = 0; c < d; c++) x_grad[r * d + c] = unit_grad[r * d + c] / Maximum::combine(norms[r], eps) + along * unit[r * d + c];
    }
}

#define NORMALIZE_ROWS_GRAD(suffix, T)                                                                                                   \
    extern "C" __global__ void normalize_rows_grad_##suffix(T *x_grad, const T *unit_grad, const T *__restrict__ norm_grad,              \
                                                            const T *__restrict__ unit, const T *__restrict__ norms, int n, int d,       \
                                                            T eps, int group) {                                                          \
        normalize_rows_grad(x_grad, unit_grad, norm_grad, unit, norms, n, d, eps, group);                                                \
    }                                                                                                                                    \
    extern "C" __global__ void normalize_rows_grad_plain_##suffix(T *x_grad, const T *unit_grad, const T *__restrict__ norm_grad,        \
                                                                  const T *__restrict__ unit, const T *__restrict__ norms, int n, int d, \
                                                                  T eps) {                                                               \
        normalize_rows_grad_plain(x_grad, unit_grad, norm_grad, unit, norms, n, d, eps);                                                 \
    }
NORMALIZE_ROWS_GRAD(f32, float)
NORMALIZE_ROWS_GRAD(f64, double)

// ===== Kernel matrices of anchors ====================================================================
//
//   out_j[f, g] = exp(scale_j sum_{i <= j} <z_i[f], z_i[g]> + shift_j)        z p x q x d, out J x q x q
//
// out and all arithmetic are in float64 whatever the type of z. scale_j = alpha / j and shift_j = -alpha, or
// alpha and -alpha j with sum_exponent; J is p with all_lengths, else 1 for j = p.
//
// Bytes      s p q d + 8 J q q
// Operations p q (q + 1) d in fp64 and J q (q + 1) / 2 exponentials: the matrices are symmetric
// Floor      operations / fp64 peak for all but the smallest d.
// A block computes a tile of 16 R x 16 R elements on or below the diagonal, R x R a thread, and writes it to
// its place and, transposed, to its mirror image; R consecutive rows of a thread make whole sectors there.
// Prediction, not a measurement: half of the fp64 peak without tensor cores at q = 1024.

template <int R, class T>
__device__ inline void gram(double *out, const T *z, int p, int q, int d, double alpha, int sum_exponent, int all_lengths, double *space) {
    constexpr int SIDE = 16 * R, BK = 16, LINE = SIDE + 2;
    double *of_f = space, *of_g = space + BK * LINE;
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    const int side = (q + SIDE - 1) / SIDE;
    for (long long tile = blockIdx.x; tile < (long long)side * (side + 1) / 2; tile += gridDim.x) {
        int across = (int)tile, down = 0;
        while (across > down) across -= ++down;
        const int f0 = down * SIDE, g0 = across * SIDE;
        double sum[R][R] = {};
        for (int i = 0; i < p; i++) {
            const T *zi = z + (long long)i * q * d;
            for (int k0 = 0; k0 < d; k0 += BK) {
                __syncthreads();
#pragma unroll
                for (int e = 0; e < R; e++) {
                    const int row = ty + 16 * e, k = k0 + tx;
                    of_f[tx * LINE + row] = f0 + row < q && k < d ? (double)zi[(long long)(f0 + row) * d + k] : 0.0;
                    of_g[tx * LINE + row] = g0 + row < q && k < d ? (double)zi[(long long)(g0 + row) * d + k] : 0.0;
                }
                __syncthreads();
#pragma unroll
                for (int k = 0; k < BK; k++) {
                    double x[R], y[R];
#pragma unroll
                    for (int e = 0; e < R; e++) x[e] = of_f[k * LINE + ty * R + e], y[e] = of_g[k * LINE + tx + 16 * e];
#pragma unroll
                    for (int u = 0; u < R; u++)
#pragma unroll
                        for (int v = 0; v < R; v++) sum[u][v] = fma(x[u], y[v], sum[u][v]);
                }
            }
            if (!all_lengths && i < p - 1) continue;
            const double scale = sum_exponent ? alpha : alpha / (i + 1), shift = sum_exponent ? -alpha * (i + 1) : -alpha;
            double *to = out + (all_lengths ? (long long)i * q * q : 0);
#pragma unroll
            for (int v = 0; v < R; v++) {
                const int g = g0 + tx + 16 * v;
                double value[R];
#pragma unroll
                for (int u = 0; u < R; u++) {
                    const int f = f0 + ty * R + u;
                    value[u] = exp(fma(scale, sum[u][v], shift));
                    if (f < q && g < q) to[(long long)f * q + g] = value[u];
                }
                if (down == across) continue;
#pragma unroll
                for (int u = 0; u < R; u++)
                    if (f0 + ty * R + u < q) to[(long long)g * q + f0 + ty * R + u] = value[u];
            }
        }
    }
}

#define GRAM(NAME, T, R)                                                                                                              \
    extern "C" __global__ void __launch_bounds__(256)                                                                                 \
    NAME(double *__restrict__ out, const T *__restrict__ z, int p, int q, int d, double alpha, int sum_exponent, int all_lengths) {    \
        __shared__ __align__(16) double space[2 * 16 * (16 * R + 2)];                                                                 \
        gram<R>(out, z, p, q, d, alpha, sum_exponent, all_lengths, space);                                                            \
    }
GRAM(gram_f32, float, 4)
GRAM(gram_f64, double, 4)
GRAM(gram_small_f32, float, 2)
GRAM(gram_small_f64, double, 2)

// The plain kernel: a thread for each element of a matrix.
template <class T> __device__ inline void gram_plain(double *out, const T *z, int p, int q, int d, double alpha, int sum_exponent, int all_lengths) {
    for (long long e = global_thread(); e < (long long)q * q; e += global_threads()) {
        const long long f = e / q, g = e % q;
        double sum = 0;
        for (int i = 0; i < p; i++) {
            for (int k = 0; k < d; k++) sum += (double)z[((long long)i * q + f) * d + k] * (double)z[((long long)i * q + g) * d + k];
            if (!all_lengths && i < p - 1) continue;
            const double scale = sum_exponent ? alpha : alpha / (i + 1), shift = sum_exponent ? -alpha * (i + 1) : -alpha;
            out[(all_lengths ? (long long)i * q * q : 0) + e] = exp(scale * sum + shift);
        }
    }
}
extern "C" __global__ void gram_plain_f32(double *__restrict__ out, const float *__restrict__ z, int p, int q, int d, double alpha, int sum_exponent, int all_lengths) {
    gram_plain(out, z, p, q, d, alpha, sum_exponent, all_lengths);
}
extern "C" __global__ void gram_plain_f64(double *__restrict__ out, const double *__restrict__ z, int p, int q, int d, double alpha, int sum_exponent, int all_lengths) {
    gram_plain(out, z, p, q, d, alpha, sum_exponent, all_lengths);
}

// ===== Nearest anchor ================================================================================
//
//   index_i = argmax_f sum_j <x_ij, z_jf>, best_i = the maximum; the first of equal maxima wins
//
// Point i consists of the rows list[i p .. i p + p] of the table (rows x d), or of row i where list is null
// and p = 1. Anchors z are p x q x d. best may be null. The n x q similarities are never stored.
//
// Bytes      s (n p d + p q d) + 4 n p + (4 + s) n
// Operations 2 n q p d
// Floor      operations / fp32 peak (300 000 points of p d = 96 and 1024 anchors: 59 GFLOP).
// A block keeps a tile of points and walks over all anchors, tile by tile, as a matrix product does; the
// stages of terms run through the positions j without a break. After each tile of anchors a thread folds its
// elements into the best of each of its rows, which lie in shared memory, each seen by one thread alone: a comparison
// for each p d multiply-adds. At the end the candidates of a row are compared.
// Prediction, not a measurement: 65 to 80% of the fp32 peak where p d >= 64 and q is a multiple of 128; half
// of that at p d = 16.

template <class P, bool WIDE, class T>
__device__ inline void assign(int *index, T *best, const T *table, const int *list, const T *z, int n, int p, int q, int d, T *space, T *value, int *anchor) {
    const int stages = p * ((d + P::BK - 1) / P::BK);
    int half = 0;
    for (long long first = (long long)blockIdx.x * P::BM; first < n; first += (long long)gridDim.x * P::BM) {
        const int point0 = (int)first;
#pragma unroll
        for (int i = 0; i < P::TM; i++) {
            value[i * P::THREADS + threadIdx.x] = -infinity<T>();
            anchor[i * P::THREADS + threadIdx.x] = infinity<int>();
        }
        for (int anchor0 = 0; anchor0 < q; anchor0 += P::BN) {
            AlongTerms<WIDE, T, P::BM, P::BK, P::LDA, P::THREADS, PointRows<T>> x({table, list, n, p, d}, point0, 0, d);
            AlongTerms<WIDE, T, P::BN, P::BK, P::LDB, P::THREADS, AnchorRows<T>> y({z, q, d}, anchor0, 0, d);
            T sum[P::TM][P::TN] = {};
            multiply_tile<P>(sum, x, y, stages, space, half);
#pragma unroll
            for (int i = 0; i < P::TM; i++) {
                const int slot = i * P::THREADS + threadIdx.x;
                T v = value[slot];
                int f = anchor[slot];
#pragma unroll
                for (int j = 0; j < P::TN; j++) {
                    const int column = anchor0 + P::column() + P::beside(j);
                    if (sum[i][j] > v && column < q) v = sum[i][j], f = column;
                }
                value[slot] = v;
                anchor[slot] = f;
            }
        }
        __syncthreads();
        for (int r = threadIdx.x; r < P::BM && point0 + r < n; r += P::THREADS) {
            const int down = r % (P::DOWN * P::V) / P::V, i = r / (P::DOWN * P::V) * P::V + r % P::V;
            T v = -infinity<T>();
            int f = infinity<int>();
            for (int across = 0; across < P::ACROSS; across++) {
                const int slot = i * P::THREADS + P::thread_at(down, across);
                if (value[slot] > v || (value[slot] == v && anchor[slot] < f)) v = value[slot], f = anchor[slot];
            }
            index[point0 + r] = f < q ? f : 0; // nothing is larger than minus infinity or NaN
            if (best) best[point0 + r] = v;
        }
        __syncthreads();
    }
}

#define ASSIGN(NAME, T, BM, BN, BK, TM, TN)                                                                                          \
    extern "C" __global__ void __launch_bounds__(Tile<T, BM, BN, BK, TM, TN>::THREADS, 2)                                            \
    NAME(int *__restrict__ index, T *__restrict__ best, const T *__restrict__ table, const int *__restrict__ list,                   \
         const T *__restrict__ z, int n, int p, int q, int d) {                                                                      \
        typedef Tile<T, BM, BN, BK, TM, TN> P;                                                                                       \
        __shared__ __align__(16) T space[P::SPACE];                                                                                  \
        __shared__ T value[P::OWN_ROWS];                                                                                             \
        __shared__ int anchor[P::OWN_ROWS];                                                                                          \
        if (aligned16(table) && aligned16(z) && d % P::V == 0)                                                                          \
            assign<P, true>(index, best, table, list, z, n, p, q, d, space, value, anchor);                                             \
        else                                                                                                                            \
            assign<P, false>(index, best, table, list, z, n, p, q, d, space, value, anchor);                                            \
    }
ASSIGN(assign_f32, float, 128, 128, 8, 8, 8)
ASSIGN(assign_f64, double, 64, 64, 8, 4, 4)

// The plain kernel: a thread for each point.
template <class T>
__device__ inline void assign_plain(int *index, T *best, const T *table, const int *list, const T *z, int n, int p, int q, int d) {
    for (long long i = global_thread(); i < n; i += global_threads()) {
        T largest = 0;
        int at = 0;
        for (int f = 0; f < q; f++) {
            T sum = 0;
            for (int j = 0; j < p; j++) {
                const T *x = table + (list ? list[i * p + j] : i) * d, *y = z + ((long long)j * q + f) * d;
                for (int k = 0; k < d; k++) sum = multiply_add(x[k], y[k], sum);
            }
            if (f == 0 || sum > largest) largest = sum, at = f;
        }
        index[i] = at;
        if (best) best[i] = largest;
    }
}
extern "C" __global__ void assign_plain_f32(int *__restrict__ index, float *__restrict__ best, const float *__restrict__ table, const int *__restrict__ list, const float *__restrict__ z, int n, int p, int q, int d) {
    assign_plain(index, best, table, list, z, n, p, q, d);
}
extern "C" __global__ void assign_plain_f64(int *__restrict__ index, double *__restrict__ best, const double *__restrict__ table, const int *__restrict__ list, const double *__restrict__ z, int n, int p, int q, int d) {
    assign_plain(index, best, table, list, z, n, p, q, d);
}

// ===== Pooling of segments and its gradient ==========================================================
//
//   out_g = sum, mean or maximum over offsets[g] <= i < offsets[g+1] of weights_i x_{index_i}
//
// x rows x q, out segments x q, offsets segments + 1; index null: item i is row i; weights null: ones. An empty
// segment gives zeros. A mean is divided by divisor_g, or by span[g+1] - span[g] where divisor is null, and is
// zero where that is zero. pool is 0 for a sum, 1 for a mean, 2 for a maximum. Rows in float have a result in
// float or, where the sums shall lose nothing, in double.
//
// Bytes s q (items + segments) + 4 items, floor bytes / copy bandwidth (of scattered rows of at least a
// sector each where there is an index).
// A group of lanes owns V columns each of a segment and reads its rows one after the other, four of them at
// a time. Segments longer than a fixed length are cut into pieces of that length by the host, which launches
// the kernel on the pieces first and then on the results of the pieces: the order of additions depends on
// the segments alone. The update of anchors is this operation over the points sorted by anchor.
// Prediction, not a measurement: 70 to 85% of the floor for rows of 128 bytes or more.

template <int V, class S, class T>
__device__ inline void segment_reduce(S *out, const T *x, const int *offsets, const int *index, const S *weights, const S *divisor, const int *span,
                                      int segments, int q, int pool, int group) {
    constexpr int AHEAD = 4;
    const int blocks = (q + group * V - 1) / (group * V), lane = threadIdx.x % group;
    for (long long unit = global_thread() / group; unit < (long long)segments * blocks; unit += global_threads() / group) {
        const int g = (int)(unit / blocks), column = ((int)(unit % blocks) * group + lane) * V;
        if (column >= q) continue;
        const int from = offsets[g], to = offsets[g + 1];
        S sum[V];
#pragma unroll
        for (int v = 0; v < V; v++) sum[v] = pool == 2 && from < to ? -infinity<S>() : S(0);
        for (int i = from; i < to; i += AHEAD) {
            T value[AHEAD][V];
#pragma unroll
            for (int a = 0; a < AHEAD; a++) {
                const int item = min(i + a, to - 1);
                load_some(value[a], x + (long long)(index ? index[item] : item) * q + column, V, V > 1);
            }
#pragma unroll
            for (int a = 0; a < AHEAD; a++) {
                if (i + a >= to) break;
                const S weight = weights ? weights[i + a] : S(1);
#pragma unroll
                for (int v = 0; v < V; v++) {
                    if (pool == 2) sum[v] = value[a][v] > sum[v] ? S(value[a][v]) : sum[v];
                    else sum[v] = multiply_add(weight, S(value[a][v]), sum[v]);
                }
            }
        }
        if (pool == 1) {
            const S by = divisor ? divisor[g] : S(span[g + 1] - span[g]);
#pragma unroll
            for (int v = 0; v < V; v++) sum[v] = by != S(0) ? sum[v] / by : S(0);
        }
        store_some(out + (long long)g * q + column, sum, V, V > 1);
    }
}

// The plain kernel: a thread for each column of a segment, however long.
template <class S, class T>
__device__ inline void segment_reduce_plain(S *out, const T *x, const int *offsets, const int *index, const S *weights, const S *divisor, int segments, int q, int pool) {
    for (long long e = global_thread(); e < (long long)segments * q; e += global_threads()) {
        const int g = (int)(e / q), column = (int)(e % q);
        S sum = 0;
        for (int i = offsets[g]; i < offsets[g + 1]; i++) {
            const S value = x[(long long)(index ? index[i] : i) * q + column];
            if (pool != 2) sum += (weights ? weights[i] : S(1)) * value;
            else if (i == offsets[g] || value > sum) sum = value;
        }
        if (pool == 1) {
            const S by = divisor ? divisor[g] : S(offsets[g + 1] - offsets[g]);
            sum = by != S(0) ? sum / by : S(0);
        }
        out[e] = sum;
    }
}

#define SEGMENT_REDUCE(NAME, S, T, V)                                                                                                   \
    extern "C" __global__ void __launch_bounds__(256)                                                                                   \
    NAME(S *__restrict__ out, const T *__restrict__ x, const int *__restrict__ offsets, const int *__restrict__ index,                  \
         const S *__restrict__ weights, const S *__restrict__ divisor, const int *__restrict__ span, int segments, int q, int pool,     \
         int group) {                                                                                                                   \
        segment_reduce<V>(out, x, offsets, index, weights, divisor, span, segments, q, pool, group);                                    \
    }
SEGMENT_REDUCE(segment_reduce_f32, float, float, 1)
SEGMENT_REDUCE(segment_reduce_f64, double, double, 1)
SEGMENT_REDUCE(segment_reduce_f32_f64, double, float, 1)
SEGMENT_REDUCE(segment_reduce_wide_f32, float, float, 4)
SEGMENT_REDUCE(segment_reduce_wide_f64, double, double, 2)
SEGMENT_REDUCE(segment_reduce_wide_f32_f64, double, float, 4)

#define SEGMENT_REDUCE_PLAIN(NAME, S, T)                                                                                                \
    extern "C" __global__ void NAME(S *__restrict__ out, const T *__restrict__ x, const int *__restrict__ offsets,                      \
                                    const int *__restrict__ index, const S *__restrict__ weights, const S *__restrict__ divisor,        \
                                    int segments, int q, int pool) {                                                                    \
        segment_reduce_plain(out, x, offsets, index, weights, divisor, segments, q, pool);                                              \
    }
SEGMENT_REDUCE_PLAIN(segment_reduce_plain_f32, float, float)
SEGMENT_REDUCE_PLAIN(segment_reduce_plain_f64, double, double)
SEGMENT_REDUCE_PLAIN(segment_reduce_plain_f32_f64, double, float)

// ----- segment_winners, segment_max_grad: gradient of maxima -----------------------------------------
//
//   winner_gf = the first item of segment g that attains the maximum of column f, -1 where there is none
//   x_grad_rf = sum of out_grad_{s_i,f} over the items i of row r with winner_{s_i,f} = i        s_i: segment of item i
//
// The items of row r are items[row_offsets[r] .. row_offsets[r+1]], ascending, and item_segment is s_i: the
// host sorts them, and cuts rows of many items as it cuts long segments. Sums and means go back by segment_reduce
// itself: x_grad_r is the sum of out_grad_{s_i}, times the share of item i, over the items of the row.
//
// segment_winners: candidates null: the items themselves; else candidates[i] has the winners of piece i of a cut
// segment. Bytes s q items + 4 items + 4 q segments. segment_max_grad: bytes (s + 4) q items + 8 items + s q rows, of
// which the winners and gradients come from the cache where segments are short. Floor bytes / copy bandwidth.
// A group of lanes owns a column each of a segment or of a row.
// Prediction, not a measurement: 60% of the floor for rows of 128 bytes or more.

template <class T>
__device__ inline void segment_winners(int *winners, const T *x, const int *offsets, const int *index, const int *candidates, int segments, int q, int group) {
    const int blocks = (q + group - 1) / group, lane = threadIdx.x % group;
    for (long long unit = global_thread() / group; unit < (long long)segments * blocks; unit += global_threads() / group) {
        const int g = (int)(unit / blocks), column = (int)(unit % blocks) * group + lane;
        if (column >= q) continue;
        int winner = -1;
        T best = 0;
        for (int i = offsets[g]; i < offsets[g + 1]; i++) {
            const int item = candidates ? candidates[(long long)i * q + column] : i;
            const T value = x[(long long)(index ? index[item] : item) * q + column];
            if (winner < 0 || value > best) {
                winner = item;
                best = value;
            }
        }
        winners[(long long)g * q + column] = winner;
    }
}

template <class T>
__device__ inline void segment_max_grad(T *x_grad, const T *out_grad, const int *winners, const int *row_offsets, const int *items, const int *item_segment,
                                        int rows, int q, int group) {
    const int blocks = (q + group - 1) / group, lane = threadIdx.x % group;
    for (long long unit = global_thread() / group; unit < (long long)rows * blocks; unit += global_threads() / group) {
        const int r = (int)(unit / blocks), column = (int)(unit % blocks) * group + lane;
        if (column >= q) continue;
        T sum = 0;
        for (int k = row_offsets[r]; k < row_offsets[r + 1]; k++) {
            const int item = items[k];
            const long long from = (long long)item_segment[item] * q + column;
            if (winners[from] == item) sum += out_grad[from];
        }
        x_grad[(long long)r * q + column] = sum;
    }
}

#define SEGMENT_MAX_GRAD(suffix, T)                                                                                                     \
    extern "C" __global__ void __launch_bounds__(256)                                                                                   \
    segment_winners_##suffix(int *__restrict__ winners, const T *__restrict__ x, const int *__restrict__ offsets,                       \
                             const int *__restrict__ index, const int *__restrict__ candidates, int segments, int q, int group) {       \
        segment_winners(winners, x, offsets, index, candidates, segments, q, group);                                                    \
    }                                                                                                                                   \
    extern "C" __global__ void __launch_bounds__(256)                                                                                   \
    segment_max_grad_##suffix(T *__restrict__ x_grad, const T *__restrict__ out_grad, const int *__restrict__ winners,                  \
                              const int *__restrict__ row_offsets, const int *__restrict__ items,                                       \
                              const int *__restrict__ item_segment, int rows, int q, int group) {                                       \
        segment_max_grad(x_grad, out_grad, winners, row_offsets, items, item_segment, rows, q, group);                                  \
    }
SEGMENT_MAX_GRAD(f32, float)
SEGMENT_MAX_GRAD(f64, double)

// The plain ancestor of both, for every pooling: a thread for each element of x_grad goes through the items of its row,
// for a maximum each time through the whole segment. share null: ones.
template <class T>
__device__ inline void segment_reduce_grad_plain(T *x_grad, const T *out_grad, const T *x, const int *offsets, const int *index, const T *share,
                                                 const int *row_offsets, const int *items, const int *item_segment, int rows, int q, int pool) {
    for (long long e = global_thread(); e < (long long)rows * q; e += global_threads()) {
        const int r = (int)(e / q), column = (int)(e % q);
        T sum = 0;
        for (int k = row_offsets[r]; k < row_offsets[r + 1]; k++) {
            const int item = items[k], g = item_segment[item];
            const T gradient = out_grad[(long long)g * q + column];
            if (pool != 2) {
                sum += (share ? share[item] : T(1)) * gradient;
                continue;
            }
            bool wins = true;
            for (int i = offsets[g]; i < offsets[g + 1] && wins; i++) {
                const T other = x[(long long)(index ? index[i] : i) * q + column], own = x[e];
                wins = i < item ? !(other >= own) : !(other > own);
            }
            if (wins) sum += gradient;
        }
        x_grad[e] = sum;
    }
}

#define SEGMENT_REDUCE_GRAD_PLAIN(suffix, T)                                                                                            \
    extern "C" __global__ void segment_reduce_grad_plain_##suffix(                                                                      \
        T *__restrict__ x_grad, const T *__restrict__ out_grad, const T *__restrict__ x, const int *__restrict__ offsets,               \
        const int *__restrict__ index, const T *__restrict__ share, const int *__restrict__ row_offsets, const int *__restrict__ items, \
        const int *__restrict__ item_segment, int rows, int q, int pool) {                                                              \
        segment_reduce_grad_plain(x_grad, out_grad, x, offsets, index, share, row_offsets, items, item_segment, rows, q, pool);         \
    }
SEGMENT_REDUCE_GRAD_PLAIN(f32, float)
SEGMENT_REDUCE_GRAD_PLAIN(f64, double)

// ===== Softmax and cross-entropy =====================================================================
//
//   loss_i = log sum_j exp(x_ij - m_i) + m_i - x_{i,target_i},  grad_i = softmax(x_i) - e_{target_i},  m_i = max_j x_ij
//
// logits x and grad n x c (grad null: none; it may be x itself), loss and target n.
//
// Bytes s n (c (1 + [grad]) + 1) + 4 n, floor bytes / copy bandwidth; 2 n c exponentials are less.
// A group of lanes (a power of two up to a warp) has a row of up to 1024 classes, a block has a longer one.
// Both read the row three times, of which two come from the cache.
// Prediction, not a measurement: 70% of the floor from 32 classes on.

template <class T> __device__ inline void softmax_cross_entropy(T *loss, T *grad, const T *logits, const int *target, int n, int c, int group) {
    const int rows = blockDim.x / group, lane = threadIdx.x % group;
    for (long long first = (long long)blockIdx.x * rows; first < n; first += (long long)gridDim.x * rows) {
        const long long r = first + threadIdx.x / group;
        const int classes = r < n ? c : 0, aim = r < n ? target[r] : 0;
        const T *x = logits + r * c;
        T largest = -infinity<T>(), sum = 0, of_target = 0;
        for (int j = lane; j < classes; j += group) largest = Maximum::combine(largest, x[j]);
        largest = group_max(largest, group);
        for (int j = lane; j < classes; j += group) {
            const T above = x[j] - largest;
            sum += exponential(above);
            if (j == aim) of_target = above;
        }
        sum = group_sum(sum, group);
        if (r < n && lane == aim % group) loss[r] = logarithm(sum) - of_target;
        if (!grad) continue;
        __syncwarp();
        for (int j = lane; j < classes; j += group) grad[r * c + j] = exponential(x[j] - largest) / sum - T(j == aim);
    }
}
extern "C" __global__ void softmax_cross_entropy_f32(float *__restrict__ loss, float *grad, const float *logits, const int *__restrict__ target, int n, int c, int group) {
    softmax_cross_entropy(loss, grad, logits, target, n, c, group);
}
extern "C" __global__ void softmax_cross_entropy_f64(double *__restrict__ loss, double *grad, const double *logits, const int *__restrict__ target, int n, int c, int group) {
    softmax_cross_entropy(loss, grad, logits, target, n, c, group);
}

template <class T> __device__ inline void softmax_cross_entropy_long(T *loss, T *grad, const T *logits, const int *target, int n, int c) {
    for (int r = blockIdx.x; r < n; r += gridDim.x) {
        const int aim = target[r];
        const T *x = logits + (long long)r * c;
        T largest = -infinity<T>(), sum = 0;
        for (int j = threadIdx.x; j < c; j += blockDim.x) largest = Maximum::combine(largest, x[j]);
        largest = block_max(largest);
        for (int j = threadIdx.x; j < c; j += blockDim.x) sum += exponential(x[j] - largest);
        const T of_target = x[aim] - largest;
        sum = block_sum(sum);
        if (threadIdx.x == 0) loss[r] = logarithm(sum) - of_target;
        if (!grad) continue;
        for (int j = threadIdx.x; j < c; j += blockDim.x) grad[(long long)r * c + j] = exponential(x[j] - largest) / sum - T(j == aim);
    }
}
extern "C" __global__ void softmax_cross_entropy_long_f32(float *__restrict__ loss, float *grad, const float *logits, const int *__restrict__ target, int n, int c) {
    softmax_cross_entropy_long(loss, grad, logits, target, n, c);
}
extern "C" __global__ void softmax_cross_entropy_long_f64(double *__restrict__ loss, double *grad, const double *logits, const int *__restrict__ target, int n, int c) {
    softmax_cross_entropy_long(loss, grad, logits, target, n, c);
}

// The plain kernel: a thread for each row.
template <class T> __device__ inline void softmax_cross_entropy_plain(T *loss, T *grad, const T *logits, const int *target, int n, int c) {
    for (long long r = global_thread(); r < n; r += global_threads()) {
        const T *x = logits + r * c;
        T largest = x[0], sum = 0;
        for (int j = 1; j < c; j++) largest = x[j] > largest ? x[j] : largest;
        for (int j = 0; j < c; j++) sum += exponential(x[j] - largest);
        loss[r] = logarithm(sum) + (largest - x[target[r]]);
        if (!grad) continue;
        for (int j = 0; j < c; j++) grad[r * c + j] = exponential(x[j] - largest) / sum - T(j == target[r]);
    }
}
extern "C" __global__ void softmax_cross_entropy_plain_f32(float *__restrict__ loss, float *grad, const float *logits, const int *__restrict__ target, int n, int c) {
    softmax_cross_entropy_plain(loss, grad, logits, target, n, c);
}
extern "C" __global__ void softmax_cross_entropy_plain_f64(double *__restrict__ loss, double *grad, const double *logits, const int *__restrict__ target, int n, int c) {
    softmax_cross_entropy_plain(loss, grad, logits, target, n, c);
}

// ===== Losses of single outputs ======================================================================
//
//   loss_i = sum_j l(x_ij, y_ij),  grad_ij = dl/dx_ij
//
//   kind 0, squared:        l = 1/2 (x - y)^2               dl/dx = x - y
//   kind 1, logistic:       l = log(1 + exp(x)) - y x       dl/dx = 1 / (1 + exp(-x)) - y
//   kind 2, squared hinge:  l = 1/2 max(0, 1 - y x)^2       dl/dx = -y max(0, 1 - y x)
//
// x, y and grad n x c (grad null: none; it may be x itself), loss n. The logistic loss is computed as
// max(x, 0) + log(1 + exp(-|x|)) - y x, whose exponential cannot overflow.
//
// Bytes s n (c (2 + [grad]) + 1), floor bytes / copy bandwidth; an exponential and a logarithm for each logistic
// element are less. A group of lanes (a power of two up to a warp) has a row.
// Prediction, not a measurement: 70% of the floor from 32 outputs on.

__device__ inline float  logarithm_of_one_plus(float x)  { return log1pf(x); }
__device__ inline double logarithm_of_one_plus(double x) { return log1p(x); }

// single_loss returns l(x, y) and leaves dl/dx in slope.
template <class T> __device__ inline T single_loss(T x, T y, int kind, T &slope) {
    if (kind == 0) {
        slope = x - y;
        return slope * slope / 2;
    }
    if (kind == 1) {
        const T small = exponential(-absolute(x));
        slope = (x < 0 ? small : T(1)) / (1 + small) - y;
        return Maximum::combine(x, T(0)) + logarithm_of_one_plus(small) - y * x;
    }
    const T margin = Maximum::combine(1 - y * x, T(0));
    slope = -y * margin;
    return margin * margin / 2;
}

template <class T> __device__ inline void output_loss(T *loss, T *grad, const T *x, const T *y, int n, int c, int kind, int group) {
    const int rows = blockDim.x / group, lane = threadIdx.x % group;
    for (long long first = (long long)blockIdx.x * rows; first < n; first += (long long)gridDim.x * rows) {
        const long long r = first + threadIdx.x / group;
        const int columns = r < n ? c : 0;
        T sum = 0, slope;
        for (int j = lane; j < columns; j += group) {
            sum += single_loss(x[r * c + j], y[r * c + j], kind, slope);
            if (grad) grad[r * c + j] = slope;
        }
        sum = group_sum(sum, group);
        if (r < n && lane == 0) loss[r] = sum;
    }
}

// The plain kernel: a thread for each row.
template <class T> __device__ inline void output_loss_plain(T *loss, T *grad, const T *x, const T *y, int n, int c, int kind) {
    for (long long r = global_thread(); r < n; r += global_threads()) {
        T sum = 0, slope;
        for (long long e = r * c; e < (r + 1) * c; e++) {
            sum += single_loss(x[e], y[e], kind, slope);
            if (grad) grad[e] = slope;
        }
        loss[r] = sum;
    }
}

#define OUTPUT_LOSS(suffix, T)                                                                                                            \
    extern "C" __global__ void output_loss_##suffix(T *__restrict__ loss, T *grad, const T *x, const T *__restrict__ y, int n, int c,     \
                                                    int kind, int group) {                                                                \
        output_loss(loss, grad, x, y, n, c, kind, group);                                                                                 \
    }                                                                                                                                     \
    extern "C" __global__ void output_loss_plain_##suffix(T *__restrict__ loss, T *grad, const T *x, const T *__restrict__ y, int n,      \
                                                          int c, int kind) {                                                              \
        output_loss_plain(loss, grad, x, y, n, c, kind);                                                                                  \
    }
OUTPUT_LOSS(f32, float)
OUTPUT_LOSS(f64, double)

// ===== Adam ==========================================================================================
//
//   m1 = beta1 m1 + rest1 g,  m2 = beta2 m2 + rest2 g^2,  g = gradient + decay parameter,  rest = 1 - beta
//   parameter -= rate m1 / (root sqrt(m2) + epsilon)
//
// rate and root hold the corrections of the moments for their start at zero. All have n elements.
//
// Bytes 7 s n (four arrays read, three written), floor bytes / copy bandwidth.
// A thread takes 16 bytes of each array at a time where they are aligned.
// Prediction, not a measurement: 85% of the floor from a million elements on.

template <class T> __device__ inline void adam_element(T &parameter, T &m1, T &m2, T gradient, T rate, T root, T beta1, T beta2, T rest1, T rest2, T epsilon, T decay) {
    const T g = multiply_add(decay, parameter, gradient);
    m1 = multiply_add(beta1, m1, rest1 * g);
    m2 = multiply_add(beta2, m2, rest2 * g * g);
    parameter -= rate * m1 / multiply_add(root, square_root(m2), epsilon);
}

template <class T>
__device__ inline void adam(T *parameter, T *moment1, T *moment2, const T *gradient, long long n, T rate, T root, T beta1, T beta2, T rest1, T rest2, T epsilon, T decay) {
    constexpr int V = 16 / sizeof(T);
    const bool wide = aligned16(parameter) && aligned16(moment1) && aligned16(moment2) && aligned16(gradient);
    for (long long i = global_thread() * V; i < n; i += global_threads() * V) {
        const int count = n - i < V ? (int)(n - i) : V;
        T p[V], m1[V], m2[V], g[V];
        load_some(p, parameter + i, count, wide);
        load_some(m1, moment1 + i, count, wide);
        load_some(m2, moment2 + i, count, wide);
        load_some(g, gradient + i, count, wide);
#pragma unroll
        for (int v = 0; v < V; v++) adam_element(p[v], m1[v], m2[v], g[v], rate, root, beta1, beta2, rest1, rest2, epsilon, decay);
        store_some(parameter + i, p, count, wide);
        store_some(moment1 + i, m1, count, wide);
        store_some(moment2 + i, m2, count, wide);
    }
}

// The plain kernel: a thread for each element.
template <class T>
__device__ inline void adam_plain(T *parameter, T *moment1, T *moment2, const T *gradient, long long n, T rate, T root, T beta1, T beta2, T rest1, T rest2, T epsilon, T decay) {
    for (long long i = global_thread(); i < n; i += global_threads())
        adam_element(parameter[i], moment1[i], moment2[i], gradient[i], rate, root, beta1, beta2, rest1, rest2, epsilon, decay);
}

#define ADAM(NAME, BODY, T)                                                                                                              \
    extern "C" __global__ void NAME(T *__restrict__ parameter, T *__restrict__ moment1, T *__restrict__ moment2,                         \
                                    const T *__restrict__ gradient, long long n, T rate, T root, T beta1, T beta2, T rest1, T rest2,     \
                                    T epsilon, T decay) {                                                                                \
        BODY(parameter, moment1, moment2, gradient, n, rate, root, beta1, beta2, rest1, rest2, epsilon, decay);                          \
    }
ADAM(adam_f32, adam, float)
ADAM(adam_f64, adam, double)
ADAM(adam_plain_f32, adam_plain, float)
ADAM(adam_plain_f64, adam_plain, double)

// ===== Placement of rows =============================================================================
//
//   dst_{i, f stride} = src_{index_i, f}        src . x q, rows of dst are ld apart, index null: row i
//
// dst points at the first element of the block to be written.
//
// Bytes 2 s rows q + 4 rows, floor bytes / copy bandwidth; with a stride whole sectors are written for
// single elements, up to 32 / s times as much.
// A group of lanes copies a row, 16 bytes each at a time where stride is 1 and everything is aligned.
// Prediction, not a measurement: 80% of the floor for rows of 128 bytes or more.

template <class T> __device__ inline void place(T *dst, const T *src, const int *index, int rows, int q, int ld, int stride, int group) {
    constexpr int V = 16 / sizeof(T);
    const bool wide = stride == 1 && aligned16(dst) && aligned16(src) && q % V == 0 && ld % V == 0;
    const int lane = threadIdx.x % group;
    for (long long i = global_thread() / group; i < rows; i += global_threads() / group) {
        const T *from = src + (index ? index[i] : i) * (long long)q;
        T *to = dst + i * ld;
        if (wide) {
            for (int f = lane * V; f < q; f += group * V) {
                T value[V];
                load16(value, from + f);
                store16(to + f, value);
            }
        } else {
            for (int f = lane; f < q; f += group) to[(long long)f * stride] = from[f];
        }
    }
}
extern "C" __global__ void place_f32(float *__restrict__ dst, const float *__restrict__ src, const int *__restrict__ index, int rows, int q, int ld, int stride, int group) {
    place(dst, src, index, rows, q, ld, stride, group);
}
extern "C" __global__ void place_f64(double *__restrict__ dst, const double *__restrict__ src, const int *__restrict__ index, int rows, int q, int ld, int stride, int group) {
    place(dst, src, index, rows, q, ld, stride, group);
}

// The plain kernel: a thread for each element.
template <class T> __device__ inline void place_plain(T *dst, const T *src, const int *index, int rows, int q, int ld, int stride) {
    for (long long e = global_thread(); e < (long long)rows * q; e += global_threads()) {
        const long long i = e / q, f = e % q;
        dst[i * ld + f * stride] = src[(index ? index[i] : i) * q + f];
    }
}
extern "C" __global__ void place_plain_f32(float *__restrict__ dst, const float *__restrict__ src, const int *__restrict__ index, int rows, int q, int ld, int stride) {
    place_plain(dst, src, index, rows, q, ld, stride);
}
extern "C" __global__ void place_plain_f64(double *__restrict__ dst, const double *__restrict__ src, const int *__restrict__ index, int rows, int q, int ld, int stride) {
    place_plain(dst, src, index, rows, q, ld, stride);
}

// ===== Conversion ====================================================================================
//
//   dst_i = src_i in the other type        n elements
//
// Bytes 12 n, floor bytes / copy bandwidth. Neighbouring threads read neighbouring elements, whole sectors at
// a time, so that the plain loop is near the floor already.

extern "C" __global__ void convert_f32_f64(double *__restrict__ dst, const float *__restrict__ src, long long n) {
    for (long long i = global_thread(); i < n; i += global_threads()) dst[i] = (double)src[i];
}
extern "C" __global__ void convert_f64_f32(float *__restrict__ dst, const double *__restrict__ src, long long n) {
    for (long long i = global_thread(); i < n; i += global_threads()) dst[i] = (float)src[i];
}

// ===== Pooling over paths, walks and non-backtracking walks ==========================================
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

constexpr int POOLED_MEAN = 1, POOLED_MAX = 2;  // of the values of engine.Pooling

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

// ----- path_pool_plain: any route, any size ----------------------------------------------------------
//
// One thread for each vertex and filter visits every route depth first with its stack in global memory.
// Bytes: a row of scores, an arc and a stack entry for every route; operations: one exponential and one
// addition for every route and filter; floor: the exponentials, n q routes / rate, which it is far from,
// because every step waits for memory. route is how many of the last vertices a route must not meet again:
// all of them (size) for paths, 2 for non-backtracking walks, 0 for walks.
// Routes that share all but their last vertex are added up first, which keeps long sums short. ints: 3 size, values:
// 2 size + 1 for every thread of the grid.

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
    template <class Enter, class Leave>
    __device__ void visit(int root, int limit, int route, const T *scores, const int *index, const int *row_ptr,
                          const int *col, int size, int q, int f, Enter enter, Leave leave) const
    {
        int j = 1, v = root;
        sum[0] = 0;
        while (j > 0) {
            if (v >= 0) {
                at(vertex, j) = v;
                at(edge, j) = j < limit ? row_ptr[v] : 0;
                sum[j * stride] = sum[(j - 1) * stride] + scores[((long long)path_row(index, v) * size + j - 1) * q + f];
                enter(j);
            }
            const int e = at(edge, j), u = at(vertex, j);
            v = -1;
            if (j == limit || e == row_ptr[u + 1]) {
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

template <class T> __device__ T *path_matrix(const long long *out, int j) { return reinterpret_cast<T *>(out[j - 1]); }

template <class T> __device__ int path_limit(const long long *out, const int *root_row, int n, int size, int v)
{
    int limit = size;
    while (limit > 0 && (!out[limit - 1] || path_root(root_row, n, limit, v) < 0)) {
        limit--;
    }
    return limit;
}

template <class T>
__device__ void path_pool_plain(const long long *out, const T *scores, const T *norms, const int *index,
                                const int *row_ptr, const int *col, const int *root_row, int n, int size, int q,
                                int route, int pool, T alpha2, int sum_exponent, int *ints, T *values)
{
    const RouteStack<T> stack(ints, values, size);
    T *siblings = stack.sum + size * stack.stride;  // kernel values of routes that differ in the last vertex, from 1
    for (long long item = global_thread(); item < (long long)n * q; item += stack.stride) {
        const int v = (int)(item / q), f = (int)(item % q);
        const int limit = path_limit<T>(out, root_row, n, size, v);
        for (int j = 1; j <= limit; j++) {
            stack.at(stack.count, j) = 0;
            siblings[j * stack.stride] = 0;
            if (out[j - 1] && path_root(root_row, n, j, v) >= 0) {
                path_matrix<T>(out, j)[(long long)path_root(root_row, n, j, v) * q + f] = 0;
            }
        }
        if (limit == 0) {
            continue;
        }
        stack.visit(v, limit, route, scores, index, row_ptr, col, size, q, f, [&](int j) {
            const int row = out[j - 1] ? path_root(root_row, n, j, v) : -1;
            if (row < 0) {
                return;
            }
            const T x = path_exp2(path_rate(alpha2, sum_exponent, j) * stack.sum[j * stack.stride] + path_offset(alpha2, sum_exponent, j));
            T *pooled = path_matrix<T>(out, j) + (long long)row * q + f;
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
            const int row = j <= limit && out[j - 1] ? path_root(root_row, n, j, v) : -1;
            if (row >= 0 && pool != POOLED_MAX) {
                path_matrix<T>(out, j)[(long long)row * q + f] += siblings[j * stack.stride];
                siblings[j * stack.stride] = 0;
            }
        });
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

#define PATH_POOL_PLAIN(T, suffix)                                                                                     \
    extern "C" __global__ void path_pool_plain_##suffix(                                                               \
        const long long *out, const T *scores, const T *norms, const int *index, const int *row_ptr, const int *col,   \
        const int *root_row, int n, int size, int q, int route, int pool, T alpha2, int sum_exponent, int *ints,       \
        T *values)                                                                                                     \
    {                                                                                                                  \
        path_pool_plain<T>(out, scores, norms, index, row_ptr, col, root_row, n, size, q, route, pool, alpha2,         \
                           sum_exponent, ints, values);                                                                \
    }
PATH_POOL_PLAIN(float, f32)
PATH_POOL_PLAIN(double, f64)

// ----- path_trie: paths of up to 4 or 8 vertices -----------------------------------------------------
//
// A warp owns a root and 32 F filters, F of them a lane. The paths from a root are the same for every filter, so all
// lanes walk the same tree and never diverge; the loops over its depth are unrolled, so that the running
// sums of the scores, one vector a depth, stay in registers. A tree node costs F additions, F multiply-adds and F
// exponentials a lane, and about 15 instructions of the walk, which F lanes' filters share.
//
// Small graphs: a block takes a run of whole graphs (packs holds their first and last vertices) and keeps
// their arcs and score rows in shared memory, so that the scores of these are read once. Where the table is
// small (rows > 0) all of it is kept, otherwise a row for every vertex. Large graphs: a pack is a piece of
// the vertices of a graph, and arcs and scores come through the caches.
//
// Shared memory: (32 F size + 1) values or ints a row, 2 ints an arc, 2 ints a vertex.
// Bytes: D size q scores and n q lengths outputs once, 4 (n + arcs); exponentials: q a path.
// Floor: max(bytes / bandwidth, exponentials / (16 a clock and multiprocessor)). NCI1 with size 4, all
// lengths, q = 128 has 1.3 million paths: 0.16 G exponentials (about 40 us on 132 multiprocessors at 1.9 GHz) and 0.25 GB
// of outputs (52 us at 4.8 TB/s), with as much again for scores that are not shared.

template <class T, int F, int LIMIT, bool MAXIMUM, bool SHARED> struct PathTrie {
    const T *scores;           // of this lane's first filter
    const int *row_ptr, *col;  // shared: pairs of vertex and first score of its row
    const int *index;
    int size, q, limit, pooled, filters;
    bool whole;
    T rate[LIMIT + 1], offset[LIMIT + 1];
    T acc[LIMIT + 1][F];
    int count[LIMIT + 1], path[LIMIT + 1];

    template <int J> __device__ __forceinline__ void step(int v, int row, const T (&prefix)[F])
    {
        T sum[F];
        if constexpr (SHARED) {
            path_load<T, F>(sum, scores + row + (J - 1) * 32 * F, F, true);
        } else {
            path_load<T, F>(sum, scores + ((long long)row * size + J - 1) * q, filters, whole);
        }
#pragma unroll
        for (int k = 0; k < F; k++) {
            sum[k] += prefix[k];
        }
        if (pooled >> J & 1) {
#pragma unroll
            for (int k = 0; k < F; k++) {
                const T x = rate[J] * sum[k] + offset[J];
                if constexpr (MAXIMUM) {
                    acc[J][k] = max(acc[J][k], x);
                } else {
                    acc[J][k] += path_exp2(x);
                }
            }
        }
        count[J]++;
        if constexpr (J < LIMIT) {
            if (J == limit) {
                return;
            }
            path[J] = v;
            const int end = row_ptr[v + 1];
            for (int e = row_ptr[v]; e < end; e++) {
                int w, next;
                if constexpr (SHARED) {
                    const int2 arc = reinterpret_cast<const int2 *>(col)[e];
                    w = arc.x, next = arc.y;
                } else {
                    w = col[e], next = path_row(index, w);
                }
                bool fresh = true;
#pragma unroll
                for (int i = 1; i <= J; i++) {
                    fresh = fresh && path[i] != w;
                }
                if (fresh) {
                    step<J + 1>(w, next, sum);
                }
            }
        }
    }

    // pool visits all paths from v, whose row starts at row.
    __device__ __forceinline__ void pool(int v, int row)
    {
        T zero[F];
#pragma unroll
        for (int k = 0; k < F; k++) {
            zero[k] = 0;
        }
#pragma unroll
        for (int j = 1; j <= LIMIT; j++) {
            count[j] = 0;
#pragma unroll
            for (int k = 0; k < F; k++) {
                acc[j][k] = MAXIMUM ? PathLowest<T>::value() : (T)0;
            }
        }
        step<1>(v, row, zero);
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

template <class T, int F, int LIMIT, bool MAXIMUM, bool SHARED>
__device__ __forceinline__ void path_trie(const long long *out, const T *scores, const T *norms, const int *index,
                                          const int *row_ptr, const int *col, const int *root_row, const int *packs,
                                          int n, int rows, int size, int q, int mean, T alpha2, int sum_exponent,
                                          int max_rows, int max_arcs)
{
    DYNAMIC_SHARED(unsigned char, memory);
    T *table = reinterpret_cast<T *>(memory);
    int *arcs = reinterpret_cast<int *>(table + (SHARED ? (long long)max_rows * size * 32 * F : 0));
    int *first = arcs + 2 * max_arcs;  // of the arcs of each vertex, then the row of each vertex

    const int from = packs[2 * blockIdx.x], to = packs[2 * blockIdx.x + 1], vertices = to - from;
    const int lane = threadIdx.x, warp = threadIdx.y, warps = blockDim.y;
    const int f0 = blockIdx.y * 32 * F + lane * F;
    PathTrie<T, F, LIMIT, MAXIMUM, SHARED> trie;
    trie.size = size, trie.q = q, trie.index = index;
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
        for (int i = warp; i < lines; i += warps) {
            const int r = i / size, position = i % size;
            const int row = rows ? r : path_row(index, from + r);
            T x[F];
            path_load<T, F>(x, scores + ((long long)row * size + position) * q + f0, trie.filters, trie.whole);
            path_store<T, F>(table + i * 32 * F + lane * F, x, F, true);
        }
        __syncthreads();
        trie.scores = table + lane * F;
        trie.row_ptr = first, trie.col = arcs;
    } else {
        trie.scores = scores + f0;
        trie.row_ptr = row_ptr, trie.col = col;
    }
    for (int i = warp; i < vertices; i += warps) {
        const int v = from + i;
        trie.pooled = path_sizes<LIMIT>(out, root_row, n, size, v);
        if (!trie.pooled) {
            continue;
        }
        trie.limit = 31 - __clz(trie.pooled);
        if constexpr (SHARED) {
            trie.pool(i, row_of[i]);
        } else {
            trie.pool(v, path_row(index, v));
        }
        const T norm = norms ? norms[path_row(index, v)] : (T)1;
#pragma unroll
        for (int j = 1; j <= LIMIT; j++) {
            if (!(trie.pooled >> j & 1)) {
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
}

// Packs that fit shared memory have max_rows > 0.
#define PATH_TRIE(name, T, F, LIMIT, MAXIMUM)                                                                          \
    extern "C" __global__ void __launch_bounds__(256, 1)                                                                \
        name(const long long *out, const T *scores, const T *norms, const int *index, const int *row_ptr,              \
             const int *col, const int *root_row, const int *packs, int n, int rows, int size, int q, int mean,        \
             T alpha2, int sum_exponent, int max_rows, int max_arcs)                                                   \
    {                                                                                                                  \
        if (max_rows > 0) {                                                                                            \
            path_trie<T, F, LIMIT, MAXIMUM, true>(out, scores, norms, index, row_ptr, col, root_row, packs, n, rows,   \
                                                  size, q, mean, alpha2, sum_exponent, max_rows, max_arcs);            \
        } else {                                                                                                       \
            path_trie<T, F, LIMIT, MAXIMUM, false>(out, scores, norms, index, row_ptr, col, root_row, packs, n, rows,  \
                                                   size, q, mean, alpha2, sum_exponent, max_rows, max_arcs);           \
        }                                                                                                              \
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

// ----- path_counts: number of paths of up to 8 vertices ----------------------------------------------
//
// counts[j][v] = number of paths of j vertices from v, size x n. One thread a vertex. Bytes: 4 (n + arcs) once,
// 4 n size out; a step of the walk a path: 1 / q of what pooling costs.

template <int LIMIT> struct PathCounter {
    const int *row_ptr, *col;
    int limit, count[LIMIT + 1], path[LIMIT + 1];

    template <int J> __device__ __forceinline__ void step(int v)
    {
        count[J]++;
        if constexpr (J < LIMIT) {
            if (J == limit) {
                return;
            }
            path[J] = v;
            const int end = row_ptr[v + 1];
            for (int e = row_ptr[v]; e < end; e++) {
                const int w = col[e];
                bool fresh = true;
#pragma unroll
                for (int i = 1; i <= J; i++) {
                    fresh = fresh && path[i] != w;
                }
                if (fresh) {
                    step<J + 1>(w);
                }
            }
        }
    }
};

extern "C" __global__ void __launch_bounds__(128, 1) path_counts(int *counts, const int *row_ptr, const int *col, int n, int size)
{
    for (int v = global_thread(); v < n; v += global_threads()) {
        PathCounter<8> counter;
        counter.row_ptr = row_ptr, counter.col = col, counter.limit = size;
#pragma unroll
        for (int j = 1; j <= 8; j++) {
            counter.count[j] = 0;
        }
        counter.step<1>(v);
#pragma unroll
        for (int j = 1; j <= 8; j++) {
            if (j <= size) {
                counts[(long long)(j - 1) * n + v] = counter.count[j];
            }
        }
    }
}

// ----- path_weights: what norm, mean and scale make of the gradients of the outputs of a root --------
//
// weights[j][v] = scale_j norm(v) / count_j(v), size x n, and zero where v is not pooled for size j; counts is
// null but for a mean. 12 bytes an element; floor: bandwidth.

template <class T>
__device__ void path_weights(T *weights, const long long *out, const int *counts, const T *norms, const int *index,
                             const int *root_row, int n, int size, T alpha, int sum_exponent)
{
    const long long all = (long long)n * size;
    for (long long i = global_thread(); i < all; i += global_threads()) {
        const int j = (int)(i / n) + 1, v = (int)(i % n);
        T weight = 0;
        if (out[j - 1] && path_root(root_row, n, j, v) >= 0) {
            weight = path_rate(alpha, sum_exponent, j) * (norms ? norms[path_row(index, v)] : (T)1);
            if (counts) {
                weight = counts[i] > 0 ? weight / (T)counts[i] : (T)0;
            }
        }
        weights[i] = weight;
    }
}

#define PATH_WEIGHTS(T, suffix)                                                                                        \
    extern "C" __global__ void path_weights_##suffix(T *weights, const long long *out, const int *counts,              \
                                                     const T *norms, const int *index, const int *root_row, int n,     \
                                                     int size, T alpha, int sum_exponent)                              \
    {                                                                                                                  \
        path_weights<T>(weights, out, counts, norms, index, root_row, n, size, alpha, sum_exponent);                   \
    }
PATH_WEIGHTS(float, f32)
PATH_WEIGHTS(double, f64)

// ----- path_grad_plain: gradient of any route, any size, any pooling ---------------------------------
//
//   grad[v, i] += G_j[u] norm(u) w(p) scale_j f(p) for every route p of j vertices from u with p_i = v,
//
// w(p) is 1 (sum), 1 / number of routes (mean), or 1 for the first route that attains the maximum and else 0.
// grad is n x (size q), zero on entry: by vertex, not by row of the table. One thread for each graph and
// filter visits all routes of the graph, so that no other thread adds to its elements and the order is
// that of the routes. Bytes: the rows of a route for every route; floor: that of path_grad, far away.
// offsets are those of the graphs; null: every vertex is one. ints: 5 size, values: 2 size + 1 a thread.

template <class T>
__device__ void path_grad_plain(T *grad, const long long *out, const T *scores, const T *norms, const int *index,
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
                    weight *= path_exp2(path_rate(alpha2, sum_exponent, j) * stack.sum[j * stack.stride] + path_offset(alpha2, sum_exponent, j));
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

#define PATH_GRAD_PLAIN(T, suffix)                                                                                     \
    extern "C" __global__ void path_grad_plain_##suffix(                                                               \
        T *grad, const long long *out, const T *scores, const T *norms, const int *index, const int *row_ptr,          \
        const int *col, const int *root_row, const int *offsets, int graphs, int n, int size, int q, int route,        \
        int pool, T alpha2, T alpha, int sum_exponent, int *ints, T *values)                                           \
    {                                                                                                                  \
        path_grad_plain<T>(grad, out, scores, norms, index, row_ptr, col, root_row, offsets, graphs, n, size, q,       \
                           route, pool, alpha2, alpha, sum_exponent, ints, values);                                    \
    }
PATH_GRAD_PLAIN(float, f32)
PATH_GRAD_PLAIN(double, f64)

// ----- path_grad: gradient of sums and means over paths of up to 4 or 8 vertices ---------------------
//
//   grad[v, i] = sum over paths p with p_i = v of weights[j][p_1] G_j[p_1] 2^(rate_j sum of scores + offset_j)
//
// turned from a scatter over paths into a gather: a warp owns a vertex v and 32 F filters, and finds for each
// position i the paths that have v there, first back from v along reversed arcs to the root, then on from v.
// Both halves are one search of depth size; what is found is added up in registers and written once, in a
// fixed order, without atomics or partial sums, for graphs of any size. in_ptr and in_col are the reversed arcs.
//
// Each path is met once for every position, so a path of j vertices costs j exponentials: for sizes up to 4 with
// all lengths about three times the forward pass. Bytes: scores and output gradients through the caches, grad
// (n size q) once. Floor: max of bytes (scores, outputs, grad once each) and sum over j of j paths_j q exponentials.

template <class T, int F, int LIMIT> struct PathGather {
    const T *scores, *weights;  // scores and grad of this lane's first filter
    const long long *out;
    const int *row_ptr, *col, *in_ptr, *in_col, *index, *root_row;
    int n, size, q, f0, filters, pooled, position;
    bool whole;
    T rate[LIMIT + 1], offset[LIMIT + 1];
    T given[LIMIT + 1][F];  // of the root: weight times output gradient by size
    T acc[F];
    int path[LIMIT + 1];

    template <int K> __device__ __forceinline__ void step(int v, const T (&prefix)[F])
    {
        const int i = K <= position ? position - K + 1 : K;
        T sum[F];
        path_load<T, F>(sum, scores + ((long long)path_row(index, v) * size + i - 1) * q, filters, whole);
#pragma unroll
        for (int k = 0; k < F; k++) {
            sum[k] += prefix[k];
        }
        if (K == position) {
            bool any = false;
#pragma unroll
            for (int j = K; j <= LIMIT; j++) {
                if (!(pooled >> j & 1)) {
                    continue;
                }
                const T weight = weights[(long long)(j - 1) * n + v];
                if (weight != (T)0) {
                    any = true;
                    path_load<T, F>(given[j], path_matrix<T>(out, j) + (long long)path_root(root_row, n, j, v) * q + f0, filters, whole);
                }
#pragma unroll
                for (int k = 0; k < F; k++) {
                    given[j][k] = weight != (T)0 ? given[j][k] * weight : (T)0;
                }
            }
            if (!any) {
                return;
            }
        }
        if (K >= position && (pooled >> K & 1)) {
#pragma unroll
            for (int k = 0; k < F; k++) {
                acc[k] += given[K][k] * path_exp2(rate[K] * sum[k] + offset[K]);
            }
        }
        if constexpr (K < LIMIT) {
            if (K == size) {
                return;
            }
            path[K] = v;
            const bool back = K < position;
            const int from = K == position ? path[1] : v;
            const int *ptr = back ? in_ptr : row_ptr, *end_of = back ? in_col : col;
            const int end = ptr[from + 1];
            for (int e = ptr[from]; e < end; e++) {
                const int w = end_of[e];
                bool fresh = true;
#pragma unroll
                for (int p = 1; p <= K; p++) {
                    fresh = fresh && path[p] != w;
                }
                if (fresh) {
                    step<K + 1>(w, sum);
                }
            }
        }
    }
};

template <class T, int F, int LIMIT>
__device__ __forceinline__ void path_grad(T *grad, const long long *out, const T *scores, const T *weights,
                                          const int *index, const int *row_ptr, const int *col, const int *in_ptr,
                                          const int *in_col, const int *root_row, int n, int size, int q, T alpha2,
                                          int sum_exponent)
{
    PathGather<T, F, LIMIT> gather;
    gather.f0 = blockIdx.y * 32 * F + threadIdx.x * F;
    gather.scores = scores + gather.f0, gather.weights = weights, gather.out = out;
    gather.row_ptr = row_ptr, gather.col = col, gather.in_ptr = in_ptr, gather.in_col = in_col;
    gather.index = index, gather.root_row = root_row;
    gather.n = n, gather.size = size, gather.q = q;
    gather.filters = max(0, min(F, q - gather.f0));
    gather.whole = F == 4 && q % 4 == 0 && gather.filters == F;
    gather.pooled = 0;
    T zero[F];
#pragma unroll
    for (int k = 0; k < F; k++) {
        zero[k] = 0;
    }
#pragma unroll
    for (int j = 1; j <= LIMIT; j++) {
        gather.rate[j] = path_rate(alpha2, sum_exponent, j);
        gather.offset[j] = path_offset(alpha2, sum_exponent, j);
        gather.pooled |= j <= size && out[j - 1] ? 1 << j : 0;
#pragma unroll
        for (int k = 0; k < F; k++) {
            gather.given[j][k] = 0;
        }
    }
    for (int v = blockIdx.x * blockDim.y + threadIdx.y; v < n; v += gridDim.x * blockDim.y) {
        for (int i = 1; i <= size; i++) {
            gather.position = i;
#pragma unroll
            for (int k = 0; k < F; k++) {
                gather.acc[k] = 0;
            }
            gather.template step<1>(v, zero);
            path_store<T, F>(grad + ((long long)v * size + i - 1) * q + gather.f0, gather.acc, gather.filters, gather.whole);
        }
    }
}

#define PATH_GRAD(name, T, F, LIMIT)                                                                                   \
    extern "C" __global__ void __launch_bounds__(256, 1)                                                               \
        name(T *grad, const long long *out, const T *scores, const T *weights, const int *index, const int *row_ptr,   \
             const int *col, const int *in_ptr, const int *in_col, const int *root_row, int n, int size, int q,        \
             T alpha2, int sum_exponent)                                                                               \
    {                                                                                                                  \
        path_grad<T, F, LIMIT>(grad, out, scores, weights, index, row_ptr, col, in_ptr, in_col, root_row, n, size, q,  \
                               alpha2, sum_exponent);                                                                  \
    }
PATH_GRAD(path_grad_4_f32, float, 1, 4)
PATH_GRAD(path_grad_8_f32, float, 1, 8)
PATH_GRAD(path_grad_wide_4_f32, float, 4, 4)
PATH_GRAD(path_grad_4_f64, double, 1, 4)
PATH_GRAD(path_grad_8_f64, double, 1, 8)

// ----- path_winners, path_max_grad: gradient of maxima over paths of up to 8 vertices ----------------
//
// path_winners searches as path_trie does and keeps, for every root, size and filter, the first path with the
// largest exponent: its vertices in winners (n x size (size+1) / 2 x width, size j from j (j-1) / 2 on), and in
// shares (n x size x width) weight times output gradient times kernel value, for the filters [f0, f0+width).
// path_max_grad gathers: a warp owns a vertex v and 32 filters, finds for each position i the roots that
// reach v in i steps, and adds the shares of those winners that run along the way found. Parallel arcs
// would find one twice and are passed over. Plain ancestor of both: path_grad_plain.
//
// Bytes: winners and shares are written once, (size (size+1) / 2 + size) 4 q n, and read at every way back.
// Floor: bytes / bandwidth; the exponentials are q n a size.

template <class T, int LIMIT> struct PathWinners {
    const T *scores;
    const int *row_ptr, *col, *index;
    int size, q, limit;
    bool active;
    T rate[LIMIT + 1], best[LIMIT + 1];
    int path[LIMIT + 1], winner[LIMIT * (LIMIT + 1) / 2 + 1];

    template <int J> __device__ __forceinline__ void step(int v, T prefix)
    {
        const T sum = prefix + (active ? scores[((long long)path_row(index, v) * size + J - 1) * q] : (T)0);
        path[J] = v;
        const T x = rate[J] * sum;
        if (x > best[J]) {
            best[J] = x;
#pragma unroll
            for (int i = 1; i <= J; i++) {
                winner[J * (J - 1) / 2 + i - 1] = path[i];
            }
        }
        if constexpr (J < LIMIT) {
            if (J == limit) {
                return;
            }
            const int end = row_ptr[v + 1];
            for (int e = row_ptr[v]; e < end; e++) {
                const int w = col[e];
                bool fresh = true;
#pragma unroll
                for (int i = 1; i <= J; i++) {
                    fresh = fresh && path[i] != w;
                }
                if (fresh) {
                    step<J + 1>(w, sum);
                }
            }
        }
    }
};

template <class T, int LIMIT>
__device__ __forceinline__ void path_winners(int *winners, T *shares, const long long *out, const T *scores,
                                             const T *weights, const int *index, const int *row_ptr, const int *col,
                                             const int *root_row, int n, int size, int q, int f0, int width, T alpha2,
                                             int sum_exponent)
{
    PathWinners<T, LIMIT> search;
    const int f = blockIdx.y * 32 + threadIdx.x;
    search.active = f < width;
    search.scores = scores + f0 + f;
    search.row_ptr = row_ptr, search.col = col, search.index = index, search.size = size, search.q = q;
#pragma unroll
    for (int j = 1; j <= LIMIT; j++) {
        search.rate[j] = path_rate(alpha2, sum_exponent, j);
    }
    for (int v = blockIdx.x * blockDim.y + threadIdx.y; v < n; v += gridDim.x * blockDim.y) {
        search.limit = path_limit<T>(out, root_row, n, size, v);
#pragma unroll
        for (int j = 1; j <= LIMIT; j++) {
            search.best[j] = PathLowest<T>::value();
#pragma unroll
            for (int i = 1; i <= j; i++) {
                search.winner[j * (j - 1) / 2 + i - 1] = -1;
            }
        }
        if (search.limit > 0) {
            search.template step<1>(v, 0);
        }
        if (!search.active) {
            continue;
        }
#pragma unroll
        for (int j = 1; j <= LIMIT; j++) {
            if (j > size) {
                continue;
            }
            T share = 0;
            if (search.winner[j * (j - 1) / 2] >= 0) {
                const T weight = weights[(long long)(j - 1) * n + v];
                if (weight != (T)0) {
                    share = weight * path_matrix<T>(out, j)[(long long)path_root(root_row, n, j, v) * q + f0 + f] *
                            path_exp2(search.best[j] + path_offset(alpha2, sum_exponent, j));
                }
            }
            shares[((long long)v * size + j - 1) * width + f] = share;
#pragma unroll
            for (int i = 1; i <= j; i++) {
                const int at = j * (j - 1) / 2 + i - 1;
                winners[((long long)v * (size * (size + 1) / 2) + at) * width + f] = search.winner[at];
            }
        }
    }
}

template <class T, int LIMIT> struct PathMaxGather {
    const int *winners, *in_ptr, *in_col;
    const T *shares;
    int size, width, position;
    bool active;
    T acc;
    int path[LIMIT + 1];

    template <int K> __device__ __forceinline__ void step(int v)
    {
        path[K] = v;
        if (K == position) {
            for (int j = K; j <= size && active; j++) {
                const int *winner = winners + ((long long)v * (size * (size + 1) / 2) + j * (j - 1) / 2) * width;
                bool same = true;
#pragma unroll
                for (int i = K; i >= 1; i--) {
                    same = same && winner[(long long)(i - 1) * width] == path[K - i + 1];
                }
                if (same) {
                    acc += shares[((long long)v * size + j - 1) * width];
                }
            }
            return;
        }
        if constexpr (K < LIMIT) {
            const int begin = in_ptr[v], end = in_ptr[v + 1];
            for (int e = begin; e < end; e++) {
                const int w = in_col[e];
                bool fresh = e == begin || in_col[e - 1] != w;
#pragma unroll
                for (int p = 1; p <= K; p++) {
                    fresh = fresh && path[p] != w;
                }
                if (fresh) {
                    step<K + 1>(w);
                }
            }
        }
    }
};

template <class T, int LIMIT>
__device__ __forceinline__ void path_max_grad(T *grad, const int *winners, const T *shares, const int *in_ptr,
                                              const int *in_col, int n, int size, int q, int f0, int width)
{
    PathMaxGather<T, LIMIT> gather;
    const int f = blockIdx.y * 32 + threadIdx.x;
    gather.active = f < width;
    gather.winners = winners + f, gather.shares = shares + f;
    gather.in_ptr = in_ptr, gather.in_col = in_col;
    gather.size = size, gather.width = width;
    for (int v = blockIdx.x * blockDim.y + threadIdx.y; v < n; v += gridDim.x * blockDim.y) {
        for (int i = 1; i <= size; i++) {
            gather.position = i;
            gather.acc = 0;
            gather.template step<1>(v);
            if (gather.active) {
                grad[((long long)v * size + i - 1) * q + f0 + f] = gather.acc;
            }
        }
    }
}

#define PATH_MAX_GRAD(T, LIMIT, suffix)                                                                                \
    extern "C" __global__ void __launch_bounds__(256, 1) path_winners_##suffix(                                        \
        int *winners, T *shares, const long long *out, const T *scores, const T *weights, const int *index,            \
        const int *row_ptr, const int *col, const int *root_row, int n, int size, int q, int f0, int width, T alpha2,  \
        int sum_exponent)                                                                                              \
    {                                                                                                                  \
        path_winners<T, LIMIT>(winners, shares, out, scores, weights, index, row_ptr, col, root_row, n, size, q, f0,   \
                               width, alpha2, sum_exponent);                                                           \
    }                                                                                                                  \
    extern "C" __global__ void __launch_bounds__(256, 1)                                                               \
        path_max_grad_##suffix(T *grad, const int *winners, const T *shares, const int *in_ptr, const int *in_col,     \
                               int n, int size, int q, int f0, int width)                                              \
    {                                                                                                                  \
        path_max_grad<T, LIMIT>(grad, winners, shares, in_ptr, in_col, n, size, q, f0, width);                         \
    }
PATH_MAX_GRAD(float, 4, 4_f32)
PATH_MAX_GRAD(float, 8, 8_f32)
PATH_MAX_GRAD(double, 4, 4_f64)
PATH_MAX_GRAD(double, 8, 8_f64)

// ----- path_norm_grad: gradient of the norms ---------------------------------------------------------
//
//   by_vertex[v] = sum over sizes j and filters of G_j[v] pooled_j[v], pooled_j without the norm
//
// A warp a vertex, added in a fixed tree. Bytes: both matrices of every size once; floor: bandwidth.

template <class T>
__device__ void path_norm_grad(T *by_vertex, const long long *out, const long long *pooled, const int *root_row, int n,
                               int size, int q)
{
    for (int v = blockIdx.x * blockDim.y + threadIdx.y; v < n; v += gridDim.x * blockDim.y) {
        T sum = 0;
        for (int j = 1; j <= size; j++) {
            const int row = out[j - 1] ? path_root(root_row, n, j, v) : -1;
            if (row < 0) {
                continue;
            }
            const T *g = path_matrix<T>(out, j) + (long long)row * q, *x = path_matrix<T>(pooled, j) + (long long)row * q;
            for (int f = threadIdx.x; f < q; f += 32) {
                sum += g[f] * x[f];
            }
        }
        sum = warp_sum(sum);
        if (threadIdx.x == 0) {
            by_vertex[v] = sum;
        }
    }
}

#define PATH_NORM_GRAD(T, suffix)                                                                                      \
    extern "C" __global__ void path_norm_grad_##suffix(T *by_vertex, const long long *out, const long long *pooled,    \
                                                       const int *root_row, int n, int size, int q)                    \
    {                                                                                                                  \
        path_norm_grad<T>(by_vertex, out, pooled, root_row, n, size, q);                                               \
    }
PATH_NORM_GRAD(float, f32)
PATH_NORM_GRAD(double, f64)

// ----- walk_step: one position of the recursion over walks -------------------------------------------
//
//   c_i(u) = b_i(u) * sum over neighbours v of c_{i+1}(v),   c_j(u) = b_j(u),   b_i(u) = 2^(rate s_i(u) + offset / j)
//
// and for a maximum the same with exponents: x_i(u) = rate s_i(u) + max x_{i+1}(v), picked = the first neighbour
// that attains it, -1: there is none. value, pooled and source are n x width, for the filters [f0, f0+width);
// source is null for i = j, pooled and picked where the gradient needs them. scores null: b is 1, which counts.
//
// Bytes: (2 + arcs/n) n width values; operations: an addition an arc, an exponential a vertex; floor: bandwidth.
// This is the plain ancestor of walk_small, and what large graphs use: neighbouring threads read neighbouring filters.

template <class T>
__device__ void walk_step(T *value, T *pooled, int *picked, const T *source, const T *scores, const int *index,
                          const int *row_ptr, const int *col, int n, int size, int q, int f0, int width, int position,
                          int maximum, T rate, T offset)
{
    const long long all = (long long)n * width;
    for (long long at = global_thread(); at < all; at += global_threads()) {
        const int u = (int)(at / width), f = (int)(at % width);
        T x = scores ? rate * scores[((long long)path_row(index, u) * size + position - 1) * q + f0 + f] : (T)0;
        if (!maximum) {
            x = path_exp2(x + offset);
        }
        if (source) {
            T sum = maximum ? PathLowest<T>::value() : (T)0;
            int best = -1;
            for (int e = row_ptr[u]; e < row_ptr[u + 1]; e++) {
                const int v = col[e];
                const T y = source[(long long)v * width + f];
                if (!maximum) {
                    sum += y;
                } else if (y > sum) {
                    sum = y, best = v;
                }
            }
            if (pooled) {
                pooled[at] = sum;
            }
            if (picked) {
                picked[at] = best;
            }
            x = maximum ? x + sum : x * sum;
        }
        value[at] = x;
    }
}

#define WALK_STEP(T, suffix)                                                                                           \
    extern "C" __global__ void walk_step_##suffix(T *value, T *pooled, int *picked, const T *source, const T *scores,  \
                                                  const int *index, const int *row_ptr, const int *col, int n,         \
                                                  int size, int q, int f0, int width, int position, int maximum,       \
                                                  T rate, T offset)                                                    \
    {                                                                                                                  \
        walk_step<T>(value, pooled, picked, source, scores, index, row_ptr, col, n, size, q, f0, width, position,      \
                     maximum, rate, offset);                                                                           \
    }
WALK_STEP(float, f32)
WALK_STEP(double, f64)

// ----- walk_finish: norm and mean of what a recursion left for every vertex --------------------------
//
//   out[row(v)] = norm(v) / count(v) * value(v), or norm(v) 2^(value(v) + offset) for a maximum
//
// root_row and counts are those of one size and may be null. Bytes: 2 n width values; floor: bandwidth.

template <class T>
__device__ __forceinline__ T walk_factor(const T *norms, const int *index, const double *counts, int v)
{
    const T norm = norms ? norms[path_row(index, v)] : (T)1;
    return counts && counts[v] > 0 ? (T)(norm / counts[v]) : norm;
}

template <class T>
__device__ void walk_finish(T *out, const T *value, const T *norms, const int *index, const double *counts,
                            const int *root_row, int n, int q, int f0, int width, int maximum, T offset)
{
    const long long all = (long long)n * width;
    for (long long at = global_thread(); at < all; at += global_threads()) {
        const int v = (int)(at / width), f = (int)(at % width), row = path_row(root_row, v);
        if (row >= 0) {
            const T x = maximum ? path_exp2(value[at] + offset) : value[at];
            out[(long long)row * q + f0 + f] = walk_factor(norms, index, counts, v) * x;
        }
    }
}

#define WALK_FINISH(T, suffix)                                                                                         \
    extern "C" __global__ void walk_finish_##suffix(T *out, const T *value, const T *norms, const int *index,          \
                                                    const double *counts, const int *root_row, int n, int q, int f0,   \
                                                    int width, int maximum, T offset)                                  \
    {                                                                                                                  \
        walk_finish<T>(out, value, norms, index, counts, root_row, n, q, f0, width, maximum, offset);                  \
    }
WALK_FINISH(float, f32)
WALK_FINISH(double, f64)

// ----- walk_small: all positions and sizes of small graphs in shared memory --------------------------
//
// A block takes a run of whole graphs (packs, as for path_trie) and 32 filters; two vectors of values and the
// arcs live in shared memory, so that of every size the table is read, mostly through the caches, and the
// outputs are written once. counts is size x n doubles, null but for a mean.
// Shared memory: 64 values and 2 ints a vertex, an int an arc.
// Floor: max of bytes (scores and outputs once) and n q size (size+1) / 2 exponentials for all lengths.

template <class T>
__device__ void walk_small(const long long *out, const T *scores, const T *norms, const int *index, const int *row_ptr,
                           const int *col, const double *counts, const int *root_row, const int *packs, int n,
                           int size, int q, int maximum, T alpha2, int sum_exponent, int max_vertices)
{
    DYNAMIC_SHARED(unsigned char, memory);
    T *next = reinterpret_cast<T *>(memory), *current = next + 32 * (long long)max_vertices;
    int *first = reinterpret_cast<int *>(current + 32 * (long long)max_vertices), *heads = first + max_vertices + 1;
    const int from = packs[2 * blockIdx.x], vertices = packs[2 * blockIdx.x + 1] - from;
    const int lane = threadIdx.x, warp = threadIdx.y, warps = blockDim.y;
    const int f = blockIdx.y * 32 + lane, base = row_ptr[from];
    for (int v = warp * 32 + lane; v <= vertices; v += warps * 32) {
        first[v] = row_ptr[from + v] - base;
    }
    for (int e = warp * 32 + lane; e < row_ptr[from + vertices] - base; e += warps * 32) {
        heads[e] = col[base + e] - from;
    }
    for (int j = 1; j <= size; j++) {
        if (!out[j - 1]) {
            continue;
        }
        const T rate = path_rate(alpha2, sum_exponent, j), offset = path_offset(alpha2, sum_exponent, j);
        for (int i = j; i >= 1; i--) {
            __syncthreads();
            for (int v = warp; v < vertices; v += warps) {
                T x = f < q ? rate * scores[((long long)path_row(index, from + v) * size + i - 1) * q + f] : (T)0;
                if (!maximum) {
                    x = path_exp2(x + offset / (T)j);
                }
                if (i < j) {
                    T sum = maximum ? PathLowest<T>::value() : (T)0;
                    for (int e = first[v]; e < first[v + 1]; e++) {
                        const T y = next[heads[e] * 32 + lane];
                        sum = maximum ? max(sum, y) : sum + y;
                    }
                    x = maximum ? x + sum : x * sum;
                }
                current[v * 32 + lane] = x;
            }
            T *other = next;
            next = current, current = other;
        }
        for (int v = warp; v < vertices; v += warps) {  // the values that this warp wrote itself
            const int row = path_root(root_row, n, j, from + v);
            if (row >= 0 && f < q) {
                const T x = next[v * 32 + lane];
                path_matrix<T>(out, j)[(long long)row * q + f] =
                    walk_factor(norms, index, counts ? counts + (long long)(j - 1) * n : counts, from + v) * (maximum ? path_exp2(x + offset) : x);
            }
        }
    }
}

#define WALK_SMALL(T, suffix)                                                                                          \
    extern "C" __global__ void __launch_bounds__(256, 1)                                                               \
        walk_small_##suffix(const long long *out, const T *scores, const T *norms, const int *index,                   \
                            const int *row_ptr, const int *col, const double *counts, const int *root_row,             \
                            const int *packs, int n, int size, int q, int maximum, T alpha2, int sum_exponent,         \
                            int max_vertices)                                                                          \
    {                                                                                                                  \
        walk_small<T>(out, scores, norms, index, row_ptr, col, counts, root_row, packs, n, size, q, maximum, alpha2,   \
                      sum_exponent, max_vertices);                                                                     \
    }
WALK_SMALL(float, f32)
WALK_SMALL(double, f64)

// ----- walk_grad: one position of the way back through walks of one size -----------------------------
//
// With H_i(u) the gradient of the exponent of b_i(u):
//
//   H_1(u) = G(u) norm(u) / count(u) c_1(u),   H_{i+1}(v) = c_{i+1}(v) * sum over u with v next to it of H_i(u) / sum_i(u),
//
// sum_i(u) being what walk_step pooled. For a maximum H_{i+1}(v) is the sum of H_i(u) over the u that picked v.
// share holds H_i / sum_i (H_i for a maximum) for the next position, previous that of the last; previous is null
// for i = 1. grad[v, i] += scale H_i(v) by vertex. in_ptr and in_col are the reversed arcs; parallel ones
// share a pick, so only the first counts for a maximum. Bytes: (5 + arcs/n) n width values; floor: bandwidth.

template <class T>
__device__ void walk_grad(T *grad, T *share, const T *previous, const T *value, const T *pooled, const int *picked,
                          const T *given, const T *norms, const int *index, const double *counts, const int *root_row,
                          const int *in_ptr, const int *in_col, int n, int size, int q, int f0, int width,
                          int position, int maximum, T scale, T offset)
{
    const long long all = (long long)n * width;
    for (long long at = global_thread(); at < all; at += global_threads()) {
        const int v = (int)(at / width), f = (int)(at % width);
        T h = 0;
        if (!previous) {
            const int row = path_row(root_row, v);
            if (row >= 0) {
                h = given[(long long)row * q + f0 + f] * walk_factor(norms, index, counts, v) *
                    (maximum ? path_exp2(value[at] + offset) : value[at]);
            }
        } else {
            const int begin = in_ptr[v], end = in_ptr[v + 1];
            for (int e = begin; e < end; e++) {
                const int u = in_col[e];
                const long long from = (long long)u * width + f;
                if (!maximum) {
                    h += previous[from];
                } else if (picked[from] == v && (e == begin || in_col[e - 1] != u)) {
                    h += previous[from];
                }
            }
            if (!maximum) {
                h *= value[at];
            }
        }
        grad[((long long)v * size + position - 1) * q + f0 + f] += scale * h;
        if (share) {
            share[at] = maximum ? h : pooled[at] > 0 ? h / pooled[at] : (T)0;
        }
    }
}

#define WALK_GRAD(T, suffix)                                                                                           \
    extern "C" __global__ void walk_grad_##suffix(                                                                     \
        T *grad, T *share, const T *previous, const T *value, const T *pooled, const int *picked, const T *given,      \
        const T *norms, const int *index, const double *counts, const int *root_row, const int *in_ptr,                \
        const int *in_col, int n, int size, int q, int f0, int width, int position, int maximum, T scale, T offset)    \
    {                                                                                                                  \
        walk_grad<T>(grad, share, previous, value, pooled, picked, given, norms, index, counts, root_row, in_ptr,      \
                     in_col, n, size, q, f0, width, position, maximum, scale, offset);                                 \
    }
WALK_GRAD(float, f32)
WALK_GRAD(double, f64)

// ----- message_step: one position of the recursion over non-backtracking walks -----------------------
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
// floor: bandwidth for 2 arcs width values. Plain ancestor of message_small, and what large graphs use.

template <class T> struct MessageMaximum {
    T first, second;
    int arc, other, end;

    __device__ __forceinline__ MessageMaximum() : first(PathLowest<T>::value()), second(PathLowest<T>::value()), arc(-1), other(-1), end(-1) {}

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
                const T factor = f < q ? message_factor(scores, index, from + v, size, q, f, i, maximum, rate, offset / (T)j) : (T)0;
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
                            walk_factor(norms, index, counts ? counts + (long long)(j - 1) * n : counts, from + v) * (maximum ? path_exp2(x + offset) : x);
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
        message_small_##suffix(const long long *out, const T *scores, const T *norms, const int *index,                \
                               const int *row_ptr, const int *col, const int *in_ptr, const int *in_arc,               \
                               const int *tail, const double *counts, const int *root_row, const int *packs, int n,    \
                               int size, int q, int maximum, T alpha2, int sum_exponent, int max_vertices,             \
                               int max_arcs)                                                                           \
    {                                                                                                                  \
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

// ----- message_root_grad: from the outputs of one size to the messages of position 2 -----------------
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

// ===== Sparse matrices: products, diagonals of powers, histogram intersection, Bayes' rule ============
//
// A matrix in compressed sparse rows has the entries row_ptr[r] .. row_ptr[r+1] of row r in the columns
// col[e], with values[e] (null: ones). keep_rows and keep_cols are masks of bytes (null: everything).

// ----- sparse_matmul: Y = diag(keep_rows) A diag(keep_cols) X -----------------------------------------
//
// A is rows x cols with m entries, X cols x q, Y rows x q, T is float or double.
// Bytes: 4 rows + 4 m (+ sizeof(T) m with values) for A, q sizeof(T) for every entry of A as the kernel
// asks for them, q sizeof(T) rows for Y. Operations: m q multiply-adds, a quarter of one for each byte.
// Floor: memory. Every row of X is read from memory once and then found in a cache at best, which is
// ((cols + rows) q sizeof(T) + 4 rows + 4 m) / bandwidth; without any cache it is the bytes above. In a
// batch of small graphs the rows of X that a graph reads lie together and its rows are computed at the
// same time, so the caches give the first: staging a graph in shared memory would move the same bytes and
// add a barrier, and it does not pay.
//
// sparse_matmul_plain: one thread for each element of Y walks along the row of A. Its loads depend on each
// other in pairs (column, then X), so that a thread waits for memory twice for every entry.
//
// sparse_matmul changes three things. (1) G lanes load G * 4 columns (float4, double2) of a row of X at
// once. (2) Four entries are in flight for every lane, and where rows are long S/G lanes side by side take
// different entries, added by shuffles. (3) A row of more than LONG_ROW entries is the work of a whole
// block, cut into equal parts that are added in order; one of more than HUGE_ROW entries is listed, cut
// into parts of fixed length for all blocks of sparse_matmul_parts, and added up in their order by
// sparse_matmul_finish. The place of a part in the list depends on timing, the sums do not.
// sparse_matmul_narrow is the same with single columns, for q or addresses that no vector fits.

constexpr int SPARSE_THREADS = 256;   // of a block
constexpr int LONG_ROW = 256;         // entries from which on a row is the work of a block
constexpr int HUGE_ROW = 4096;        // and from which on that of many
constexpr int ROW_PART = 1024;        // entries of a part of such a row

template <class T> struct SparseMatrix {
    const int *row_ptr, *col;
    const T *values;
    const unsigned char *keep_rows, *keep_cols;
};

// VEC consecutive elements in one load or store; the address is a multiple of their size.
template <class T, int VEC> struct Columns;
template <class T> struct Columns<T, 1> {
    static __device__ inline void load(T (&to)[1], const T *from) { to[0] = __ldg(from); }
    static __device__ inline void store(T *to, const T (&from)[1]) { to[0] = from[0]; }
};
template <> struct Columns<float, 4> {
    static __device__ inline void load(float (&to)[4], const float *from) {
        const float4 v = __ldg(reinterpret_cast<const float4 *>(from));
        to[0] = v.x; to[1] = v.y; to[2] = v.z; to[3] = v.w;
    }
    static __device__ inline void store(float *to, const float (&from)[4]) {
        *reinterpret_cast<float4 *>(to) = make_float4(from[0], from[1], from[2], from[3]);
    }
};
template <> struct Columns<double, 2> {
    static __device__ inline void load(double (&to)[2], const double *from) {
        const double2 v = __ldg(reinterpret_cast<const double2 *>(from));
        to[0] = v.x; to[1] = v.y;
    }
    static __device__ inline void store(double *to, const double (&from)[2]) {
        *reinterpret_cast<double2 *>(to) = make_double2(from[0], from[1]);
    }
};
template <class T> constexpr int WIDE = 16 / sizeof(T);   // elements of a vector load

// gather_rows adds the rows of X that the entries e, e + step, ... < end stand for to sum, from column c on.
template <class T, int VEC>
__device__ inline void gather_rows(T (&sum)[VEC], const SparseMatrix<T> &a, const T *x, int q, int c, int e, int end, int step) {
    constexpr int FLIGHT = 4;
    for (; e < end; e += FLIGHT * step) {
        T v[FLIGHT][VEC];
#pragma unroll
        for (int i = 0; i < FLIGHT; i++) {
            const bool inside = e + i * step < end;
            const int u = inside ? __ldg(a.col + e + i * step) : 0;
#pragma unroll
            for (int k = 0; k < VEC; k++) v[i][k] = T(0);
            if (inside && (!a.keep_cols || a.keep_cols[u])) Columns<T, VEC>::load(v[i], x + static_cast<long long>(u) * q + c);
        }
        if (a.values) {
#pragma unroll
            for (int i = 0; i < FLIGHT; i++) {
                const T w = e + i * step < end ? __ldg(a.values + e + i * step) : T(0);
#pragma unroll
                for (int k = 0; k < VEC; k++) sum[k] = multiply_add(w, v[i][k], sum[k]);
            }
        } else {
#pragma unroll
            for (int i = 0; i < FLIGHT; i++)
#pragma unroll
                for (int k = 0; k < VEC; k++) sum[k] += v[i][k];
        }
    }
}

// add_lanes adds the sums of lanes that lie from, 2 from, ... < to lanes apart.
template <class T, int VEC> __device__ inline void add_lanes(T (&sum)[VEC], int from, int to) {
    for (int apart = from; apart < to; apart *= 2)
#pragma unroll
        for (int k = 0; k < VEC; k++) sum[k] += __shfl_xor_sync(ALL_LANES, sum[k], apart);
}

// list_row puts the parts of a huge row into the list: part_row and part_number of every part, and in
// huge_row and huge_first the row with its first part. counts are the lengths of both lists.
__device__ inline void list_row(int row, int entries, int *counts, int *part_row, int *part_number, int *huge_row, int *huge_first) {
    const int parts = (entries + ROW_PART - 1) / ROW_PART;
    const int first = atomicAdd(&counts[0], parts), at = atomicAdd(&counts[1], 1);
    huge_row[at] = row;
    huge_first[at] = first;
    for (int i = 0; i < parts; i++) {
        part_row[first + i] = row;
        part_number[first + i] = i;
    }
}

// A row takes row_lanes (S) lanes, of which column_lanes (G) stand for columns; both are powers of two with
// G <= S <= 32. Without counts there are no lists and every long row is the work of its block.
template <class T, int VEC>
__device__ inline void sparse_matmul(T *y, SparseMatrix<T> a, const T *x, int rows, int q, int row_lanes, int column_lanes,
                                     int *counts, int *part_row, int *part_number, int *huge_row, int *huge_first) {
    __shared__ T shared_sums[SPARSE_THREADS * VEC];
    const int block_rows = SPARSE_THREADS / row_lanes;
    const int in_row = threadIdx.x % row_lanes, in_columns = in_row % column_lanes;
    const int tiles = (rows + block_rows - 1) / block_rows;
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const int first = tile * block_rows;
        const int r = first + threadIdx.x / row_lanes;
        int begin = 0, end = 0;
        if (r < rows && (!a.keep_rows || a.keep_rows[r])) {
            begin = a.row_ptr[r];
            end = a.row_ptr[r + 1];
        }
        const bool is_long = end - begin > LONG_ROW;
        for (int c0 = 0; c0 < q; c0 += column_lanes * VEC) {
            const int c = c0 + in_columns * VEC;
            T sum[VEC] = {};
            if (!is_long && c < q) gather_rows<T, VEC>(sum, a, x, q, c, begin + in_row / column_lanes, end, row_lanes / column_lanes);
            add_lanes<T, VEC>(sum, column_lanes, row_lanes);
            if (!is_long && r < rows && c < q && in_row < column_lanes) Columns<T, VEC>::store(y + static_cast<long long>(r) * q + c, sum);
        }
        if (!__syncthreads_or(is_long)) continue;
        for (int i = 0; i < block_rows && first + i < rows; i++) {
            const int row = first + i;
            if (a.keep_rows && !a.keep_rows[row]) continue;
            const int from = a.row_ptr[row], entries = a.row_ptr[row + 1] - from;
            if (entries <= LONG_ROW) continue;
            if (counts && entries > HUGE_ROW) {
                if (threadIdx.x == 0) list_row(row, entries, counts, part_row, part_number, huge_row, huge_first);
                continue;
            }
            const int groups = SPARSE_THREADS / column_lanes, group = threadIdx.x / column_lanes;
            const int length = (entries + groups - 1) / groups, column = threadIdx.x % column_lanes;
            const int begin = min(group * length, entries), end = min(begin + length, entries);
            for (int c0 = 0; c0 < q; c0 += column_lanes * VEC) {
                const int c = c0 + column * VEC;
                T sum[VEC] = {};
                if (c < q) gather_rows<T, VEC>(sum, a, x, q, c, from + begin, from + end, 1);
#pragma unroll
                for (int k = 0; k < VEC; k++) shared_sums[threadIdx.x * VEC + k] = sum[k];
                __syncthreads();
                if (group == 0 && c < q) {
                    for (int other = 1; other < groups; other++)
#pragma unroll
                        for (int k = 0; k < VEC; k++) sum[k] += shared_sums[(other * column_lanes + column) * VEC + k];
                    Columns<T, VEC>::store(y + static_cast<long long>(row) * q + c, sum);
                }
                __syncthreads();
            }
        }
    }
}

// One warp sums one part of a huge row at a time, into row number of the part of sums.
template <class T, int VEC>
__device__ inline void sparse_matmul_parts(T *sums, SparseMatrix<T> a, const T *x, int q, int column_lanes, const int *counts,
                                           const int *part_row, const int *part_number) {
    const int lane = lane_index(), column = lane % column_lanes;
    const int warps = static_cast<int>(global_threads() / WARP);
    for (int part = static_cast<int>(global_thread() / WARP); part < counts[0]; part += warps) {
        const int row = part_row[part], begin = a.row_ptr[row] + part_number[part] * ROW_PART;
        const int end = min(begin + ROW_PART, a.row_ptr[row + 1]);
        for (int c0 = 0; c0 < q; c0 += column_lanes * VEC) {
            const int c = c0 + column * VEC;
            T sum[VEC] = {};
            if (c < q) gather_rows<T, VEC>(sum, a, x, q, c, begin + lane / column_lanes, end, WARP / column_lanes);
            add_lanes<T, VEC>(sum, column_lanes, WARP);
            if (c < q && lane < column_lanes) Columns<T, VEC>::store(sums + static_cast<long long>(part) * q + c, sum);
        }
    }
}

// One thread for each column of each huge row adds its parts.
template <class T>
__device__ inline void sparse_matmul_finish(T *y, const T *sums, const int *row_ptr, int q, const int *counts, const int *huge_row, const int *huge_first) {
    const long long columns = static_cast<long long>(counts[1]) * q;
    for (long long i = global_thread(); i < columns; i += global_threads()) {
        const int at = static_cast<int>(i / q), c = static_cast<int>(i % q), row = huge_row[at];
        const int parts = (row_ptr[row + 1] - row_ptr[row] + ROW_PART - 1) / ROW_PART;
        const T *part = sums + static_cast<long long>(huge_first[at]) * q + c;
        T sum = T(0);
#pragma unroll 4
        for (int p = 0; p < parts; p++) sum += part[static_cast<long long>(p) * q];
        y[static_cast<long long>(row) * q + c] = sum;
    }
}

template <class T>
__device__ inline void sparse_matmul_plain(T *y, SparseMatrix<T> a, const T *x, int rows, int q) {
    const long long elements = static_cast<long long>(rows) * q;
    for (long long i = global_thread(); i < elements; i += global_threads()) {
        const int r = static_cast<int>(i / q), c = static_cast<int>(i % q);
        T sum = T(0);
        if (!a.keep_rows || a.keep_rows[r])
            for (int e = a.row_ptr[r]; e < a.row_ptr[r + 1]; e++)
                if (!a.keep_cols || a.keep_cols[a.col[e]])
                    sum += (a.values ? a.values[e] : T(1)) * x[static_cast<long long>(a.col[e]) * q + c];
        y[i] = sum;
    }
}

#define SPARSE_MATMUL(NAME, T, VEC)                                                                                       \
    extern "C" __global__ void __launch_bounds__(SPARSE_THREADS, 4) NAME(                                                 \
        T *y, const int *row_ptr, const int *col, const T *values, const unsigned char *keep_rows,                        \
        const unsigned char *keep_cols, const T *x, int rows, int q, int row_lanes, int column_lanes, int *counts,        \
        int *part_row, int *part_number, int *huge_row, int *huge_first) {                                                \
        sparse_matmul<T, VEC>(y, {row_ptr, col, values, keep_rows, keep_cols}, x, rows, q, row_lanes, column_lanes,       \
                              counts, part_row, part_number, huge_row, huge_first);                                       \
    }
SPARSE_MATMUL(sparse_matmul_f32, float, WIDE<float>)
SPARSE_MATMUL(sparse_matmul_f64, double, WIDE<double>)
SPARSE_MATMUL(sparse_matmul_narrow_f32, float, 1)
SPARSE_MATMUL(sparse_matmul_narrow_f64, double, 1)

#define SPARSE_MATMUL_PARTS(NAME, T, VEC)                                                                                 \
    extern "C" __global__ void __launch_bounds__(SPARSE_THREADS) NAME(                                                    \
        T *sums, const int *row_ptr, const int *col, const T *values, const unsigned char *keep_cols, const T *x, int q,  \
        int column_lanes, const int *counts, const int *part_row, const int *part_number) {                               \
        sparse_matmul_parts<T, VEC>(sums, {row_ptr, col, values, nullptr, keep_cols}, x, q, column_lanes, counts,         \
                                    part_row, part_number);                                                               \
    }
SPARSE_MATMUL_PARTS(sparse_matmul_parts_f32, float, WIDE<float>)
SPARSE_MATMUL_PARTS(sparse_matmul_parts_f64, double, WIDE<double>)
SPARSE_MATMUL_PARTS(sparse_matmul_parts_narrow_f32, float, 1)
SPARSE_MATMUL_PARTS(sparse_matmul_parts_narrow_f64, double, 1)

#define SPARSE_MATMUL_FINISH(NAME, T)                                                                                     \
    extern "C" __global__ void __launch_bounds__(SPARSE_THREADS) NAME(                                                    \
        T *y, const T *sums, const int *row_ptr, int q, const int *counts, const int *huge_row, const int *huge_first) {  \
        sparse_matmul_finish<T>(y, sums, row_ptr, q, counts, huge_row, huge_first);                                       \
    }
SPARSE_MATMUL_FINISH(sparse_matmul_finish_f32, float)
SPARSE_MATMUL_FINISH(sparse_matmul_finish_f64, double)

#define SPARSE_MATMUL_PLAIN(NAME, T)                                                                                      \
    extern "C" __global__ void __launch_bounds__(SPARSE_THREADS) NAME(                                                    \
        T *y, const int *row_ptr, const int *col, const T *values, const unsigned char *keep_rows,                        \
        const unsigned char *keep_cols, const T *x, int rows, int q) {                                                    \
        sparse_matmul_plain<T>(y, {row_ptr, col, values, keep_rows, keep_cols}, x, rows, q);                              \
    }
SPARSE_MATMUL_PLAIN(sparse_matmul_plain_f32, float)
SPARSE_MATMUL_PLAIN(sparse_matmul_plain_f64, double)

// ----- histogram_intersection: out_ij = sum_k min(a_ik, b_jk) -----------------------------------------
//
// a is rows x bins, b others x bins, both with non-negative entries; out is rows x others.
// Bytes: 12 (float) or 16 (double) for every entry of a and b, sizeof(T) rows others for out. Operations:
// a minimum and an addition for every pair of entries of one bin, sum_k |a_k| |b_k| of them.
// Floor: the larger of the bytes / bandwidth and of the pairs / rate of 4-byte updates in shared memory
// (one a bank and cycle, two accesses each).
//
// histogram_intersection_plain: one thread for each element of out merges two rows.
//
// histogram_intersection visits the pairs alone: b comes as an inverted index (for every bin the rows that
// have an entry there, ascending), and a block adds the lists of the bins of one row of a up in shared
// memory, for up to HISTOGRAM_TILE rows of b. The bins follow one another, so that a sum has the order of
// the bins whatever thread adds; the list of the next bin is loaded before the barrier. With same only
// j >= i is computed, and mirror_upper copies it.

constexpr int HISTOGRAM_THREADS = 128;
constexpr int HISTOGRAM_TILE = 4096;

// first_at_least returns the first position in list[from..to) whose row is at least row.
__device__ inline int first_at_least(const int *list, int from, int to, int row) {
    while (from < to) {
        const int middle = from + (to - from) / 2;
        if (list[middle] < row) from = middle + 1;
        else to = middle;
    }
    return from;
}

template <class T>
__device__ inline void histogram_intersection(T *out, const int *row_ptr, const int *col, const T *values, const int *bin_ptr,
                                              const int *bin_row, const T *bin_values, int rows, int others, int same) {
    __shared__ T sums[HISTOGRAM_TILE];
    __shared__ int begins[HISTOGRAM_THREADS], ends[HISTOGRAM_THREADS];
    __shared__ T weights[HISTOGRAM_THREADS];
    const int tiles = (others + HISTOGRAM_TILE - 1) / HISTOGRAM_TILE;
    const long long items = static_cast<long long>(rows) * tiles;
    for (long long item = blockIdx.x; item < items; item += gridDim.x) {
        const int i = static_cast<int>(item / tiles), tile = static_cast<int>(item % tiles) * HISTOGRAM_TILE;
        const int first = same ? max(tile, i) : tile, last = min(tile + HISTOGRAM_TILE, others);
        if (first >= last) continue;
        for (int j = tile + threadIdx.x; j < last; j += HISTOGRAM_THREADS) sums[j - tile] = T(0);
        for (int e0 = row_ptr[i]; e0 < row_ptr[i + 1]; e0 += HISTOGRAM_THREADS) {
            const int bins = min(HISTOGRAM_THREADS, row_ptr[i + 1] - e0);
            if (threadIdx.x < bins) {
                const int bin = col[e0 + threadIdx.x];
                int from = bin_ptr[bin], to = bin_ptr[bin + 1];
                if (first > 0) from = first_at_least(bin_row, from, to, first);
                if (last < others) to = first_at_least(bin_row, from, to, last);
                begins[threadIdx.x] = from;
                ends[threadIdx.x] = to;
                weights[threadIdx.x] = values ? values[e0 + threadIdx.x] : T(1);
            }
            __syncthreads();
            int at = begins[0] + threadIdx.x;
            int row = at < ends[0] ? bin_row[at] : -1;
            T entry = row >= 0 && bin_values ? bin_values[at] : T(1);
            for (int bin = 0; bin < bins; bin++) {
                int next_at = 0, next_row = -1;
                T next_entry = T(1);
                if (bin + 1 < bins) {
                    next_at = begins[bin + 1] + threadIdx.x;
                    if (next_at < ends[bin + 1]) {
                        next_row = bin_row[next_at];
                        if (bin_values) next_entry = bin_values[next_at];
                    }
                }
                const T weight = weights[bin];
                if (row >= 0) sums[row - tile] += min(weight, entry);
                for (at += HISTOGRAM_THREADS; at < ends[bin]; at += HISTOGRAM_THREADS)
                    sums[bin_row[at] - tile] += min(weight, bin_values ? bin_values[at] : T(1));
                at = next_at;
                row = next_row;
                entry = next_entry;
                __syncthreads();
            }
        }
        __syncthreads();
        for (int j = first + threadIdx.x; j < last; j += HISTOGRAM_THREADS) out[static_cast<long long>(i) * others + j] = sums[j - tile];
        __syncthreads();
    }
}

template <class T>
__device__ inline void histogram_intersection_plain(T *out, const int *row_ptr, const int *col, const T *values, const int *other_row_ptr,
                                                    const int *other_col, const T *other_values, int rows, int others) {
    const long long elements = static_cast<long long>(rows) * others;
    for (long long item = global_thread(); item < elements; item += global_threads()) {
        const int i = static_cast<int>(item / others), j = static_cast<int>(item % others);
        int e = row_ptr[i], f = other_row_ptr[j];
        T sum = T(0);
        while (e < row_ptr[i + 1] && f < other_row_ptr[j + 1]) {
            const int difference = col[e] - other_col[f];
            if (difference == 0) sum += min(values ? values[e] : T(1), other_values ? other_values[f] : T(1));
            e += difference <= 0;
            f += difference >= 0;
        }
        out[item] = sum;
    }
}

// mirror_upper copies the upper triangle of an n x n matrix to the lower one, 32 x 32 elements at a time
// through shared memory so that both are read and written by rows. Floor: n^2 sizeof(T) / bandwidth.
constexpr int MIRROR_ROWS = 8;   // warps of a block
template <class T> __device__ inline void mirror_upper(T *x, int n) {
    __shared__ T part[WARP][WARP + 1];
    const long long tiles = (n + WARP - 1) / WARP;
    for (long long tile = blockIdx.x; tile < tiles * tiles; tile += gridDim.x) {
        const int i0 = static_cast<int>(tile / tiles) * WARP, j0 = static_cast<int>(tile % tiles) * WARP;
        if (j0 < i0) continue;
        for (int i = warp_index(); i < WARP; i += MIRROR_ROWS)
            if (i0 + i <= j0 + lane_index() && j0 + lane_index() < n) part[i][lane_index()] = x[static_cast<long long>(i0 + i) * n + j0 + lane_index()];
        __syncthreads();
        for (int j = warp_index(); j < WARP; j += MIRROR_ROWS) {
            const int row = j0 + j, column = i0 + lane_index();
            if (row < n && column < row) x[static_cast<long long>(row) * n + column] = part[lane_index()][j];
        }
        __syncthreads();
    }
}

#define HISTOGRAM_INTERSECTION(NAME, T)                                                                                   \
    extern "C" __global__ void __launch_bounds__(HISTOGRAM_THREADS) NAME(                                                 \
        T *out, const int *row_ptr, const int *col, const T *values, const int *bin_ptr, const int *bin_row,              \
        const T *bin_values, int rows, int others, int same) {                                                            \
        histogram_intersection<T>(out, row_ptr, col, values, bin_ptr, bin_row, bin_values, rows, others, same);           \
    }
HISTOGRAM_INTERSECTION(histogram_intersection_f32, float)
HISTOGRAM_INTERSECTION(histogram_intersection_f64, double)

#define HISTOGRAM_INTERSECTION_PLAIN(NAME, T)                                                                             \
    extern "C" __global__ void NAME(T *out, const int *row_ptr, const int *col, const T *values,                          \
                                    const int *other_row_ptr, const int *other_col, const T *other_values, int rows,      \
                                    int others) {                                                                         \
        histogram_intersection_plain<T>(out, row_ptr, col, values, other_row_ptr, other_col, other_values, rows, others); \
    }
HISTOGRAM_INTERSECTION_PLAIN(histogram_intersection_plain_f32, float)
HISTOGRAM_INTERSECTION_PLAIN(histogram_intersection_plain_f64, double)

extern "C" __global__ void __launch_bounds__(MIRROR_ROWS * 32) mirror_upper_f32(float *x, int n) { mirror_upper<float>(x, n); }
extern "C" __global__ void __launch_bounds__(MIRROR_ROWS * 32) mirror_upper_f64(double *x, int n) { mirror_upper<double>(x, n); }

// ----- posterior: posterior_ui = prior_ui likelihood_{index_u,i} / evidence_u, evidence_u = their sum ----
//
// prior and posterior are n x c and may be the same, likelihood is m x c, evidence and index have n entries;
// a row without evidence gets zeros. This is the gather and the normalisation of an EM step of CGMM; the
// scatter is a segment sum.
// Bytes: 2 n c sizeof(T) + n (4 + sizeof(T)) + m c sizeof(T); operations: 3 n c. Floor: memory.
//
// posterior_plain: one thread for each row, whose neighbours read far apart.
// posterior: row_lanes (a power of two <= 32) lanes for each row, added by shuffles.

template <class T>
__device__ inline void posterior(T *to, T *evidence, const T *prior, const T *likelihood, const int *index, int n, int c, int row_lanes) {
    const long long groups = global_threads() / row_lanes, group = global_thread() / row_lanes;
    const int lane = threadIdx.x % row_lanes;
    for (long long u0 = 0; u0 < n; u0 += groups) {   // the lanes of a warp stay together
        const long long u = u0 + group;
        const T *of_prior = prior + u * c, *of_label = likelihood + (u < n ? static_cast<long long>(index[u]) * c : 0);
        T sum = T(0);
        if (u < n)
            for (int i = lane; i < c; i += row_lanes) sum = multiply_add(of_prior[i], of_label[i], sum);
        for (int apart = row_lanes / 2; apart > 0; apart /= 2) sum += __shfl_xor_sync(ALL_LANES, sum, apart);
        if (u >= n) continue;
        for (int i = lane; i < c; i += row_lanes) to[u * c + i] = sum == T(0) ? T(0) : of_prior[i] * of_label[i] / sum;
        if (lane == 0) evidence[u] = sum;
    }
}

template <class T>
__device__ inline void posterior_plain(T *to, T *evidence, const T *prior, const T *likelihood, const int *index, int n, int c) {
    for (long long u = global_thread(); u < n; u += global_threads()) {
        const T *of_label = likelihood + static_cast<long long>(index[u]) * c;
        T sum = T(0);
        for (int i = 0; i < c; i++) sum += prior[u * c + i] * of_label[i];
        for (int i = 0; i < c; i++) to[u * c + i] = sum == T(0) ? T(0) : prior[u * c + i] * of_label[i] / sum;
        evidence[u] = sum;
    }
}

#define POSTERIOR(NAME, T)                                                                                                \
    extern "C" __global__ void __launch_bounds__(256) NAME(T *to, T *evidence, const T *prior, const T *likelihood,       \
                                                           const int *index, int n, int c, int row_lanes) {               \
        posterior<T>(to, evidence, prior, likelihood, index, n, c, row_lanes);                                            \
    }
POSTERIOR(posterior_f32, float)
POSTERIOR(posterior_f64, double)

#define POSTERIOR_PLAIN(NAME, T)                                                                                          \
    extern "C" __global__ void NAME(T *to, T *evidence, const T *prior, const T *likelihood, const int *index, int n,     \
                                    int c) {                                                                              \
        posterior_plain<T>(to, evidence, prior, likelihood, index, n, c);                                                 \
    }
POSTERIOR_PLAIN(posterior_plain_f32, float)
POSTERIOR_PLAIN(posterior_plain_f64, double)

// ===== Splits of trees that look along walks (TREE-G) ===================================================
//
// Everything here is in double. Numbers lie on grids of powers of two on which sums are exact, so that the bits
// are those of any other order and of any other engine; where there is no such grid, sums have the order of the
// arcs and of the vertices, as on the CPU. Therefore no product is fused with a sum.
//
// A subset t is bit t % 2 of row t / 2 of sides, a byte for each of n vertices; t < 0 is everything. A search is
// SEARCH_FIELDS integers, see SearchFields.

// on_grid rounds x to multiples of the grid that a shift stands for; 0 leaves it as it is.
__device__ inline double on_grid(double x, double shift) { return shift == 0 ? x : (x + shift) - shift; }

__device__ inline bool in_subset(const unsigned char *sides, int subset, int v, int n) {
    return subset < 0 || sides[static_cast<long long>(subset / 2) * n + v] >> subset % 2 & 1;
}

// ----- subset_walks: y_vik = sum over j of row i, j in subset v, of round_k(a_ij x_vjk) -----------------
//
// A is n x n with m entries, y is V x wanted x q, x the same or 1 x n x q. Missing values (NaN) of x count as 0.
// Bytes, with one x for all: 8 n q + 4 (n + m) (+ 8 m with values) + V/2 n for the sides, 8 V wanted q for y.
// Operations: V m q additions at most, half of them where the subsets of a row part the vertices. Floor: memory.
//
// subset_walks_plain: one thread for each element of y.
// subset_walks: one thread for both vectors of a row of sides, so that arcs, sides and, where it serves all, x are read
// once for two sums. The columns of a row lie side by side, so neighbouring threads read neighbouring addresses. The
// entries of a row are added one after another whatever its length, for the order.

extern "C" __global__ void __launch_bounds__(256)
subset_walks_plain_f64(double *y, const double *x, const int *row_ptr, const int *col, const double *values,
                       const unsigned char *sides, const int *rows, const double *shifts, int n, int q, int vectors,
                       int wanted, int own) {
    const long long items = static_cast<long long>(vectors) * wanted * q;
    for (long long item = global_thread(); item < items; item += global_threads()) {
        const int k = static_cast<int>(item % q), at = static_cast<int>(item / q % wanted), v = static_cast<int>(item / q / wanted);
        const int i = rows ? rows[at] : at;
        const double *from = x + (own ? static_cast<long long>(v) * n * q : 0);
        const double shift = shifts ? shifts[k] : 0;
        double sum = 0;
        for (int e = row_ptr[i]; e < row_ptr[i + 1]; e++) {
            const int j = col[e];
            const double value = from[static_cast<long long>(j) * q + k];
            if (value == value && in_subset(sides, sides ? v : -1, j, n))
                sum += on_grid(__dmul_rn(values ? values[e] : 1.0, value), shift);
        }
        y[(static_cast<long long>(v) * n + i) * q + k] = sum;
    }
}

extern "C" __global__ void __launch_bounds__(256)
subset_walks_f64(double *y, const double *x, const int *row_ptr, const int *col, const double *values,
                 const unsigned char *sides, const int *rows, const double *shifts, int n, int q, int vectors,
                 int wanted, int own) {
    const int together = sides ? 2 : 1, groups = vectors / together;
    const long long vector = static_cast<long long>(n) * q, items = static_cast<long long>(groups) * wanted * q;
    for (long long item = global_thread(); item < items; item += global_threads()) {
        const int k = static_cast<int>(item % q), at = static_cast<int>(item / q % wanted), m = static_cast<int>(item / q / wanted);
        const int i = rows ? rows[at] : at;
        const double *from = x + (own ? static_cast<long long>(m) * together * vector : 0) + k;
        const unsigned char *side = sides ? sides + static_cast<long long>(m) * n : nullptr;
        const double shift = shifts ? shifts[k] : 0;
        double sum[2] = {0, 0};
        const int end = row_ptr[i + 1];
#pragma unroll 4
        for (int e = row_ptr[i]; e < end; e++) {
            const int j = __ldg(col + e), bits = side ? side[j] : 1;
            const double weight = values ? __ldg(values + e) : 1.0;
            double value = 0;
            if (bits & (own ? 1 : 3)) value = from[static_cast<long long>(j) * q];
            if (bits & 1 && value == value) sum[0] += on_grid(__dmul_rn(weight, value), shift);
            if (own && bits & 2) value = from[vector + static_cast<long long>(j) * q];
            if (bits & 2 && value == value) sum[1] += on_grid(__dmul_rn(weight, value), shift);
        }
        double *to = y + static_cast<long long>(m) * together * vector + static_cast<long long>(i) * q + k;
        to[0] = sum[0];
        if (together == 2) to[vector] = sum[1];
    }
}

// ----- dynamic_features: columns of what vectors along walks come to at examples ------------------------
//
// Search s reads vector x_v (n x q) and writes kinds q m values from places[s] on, m the examples of its node: for a
// graph sum, mean, minimum or maximum of the entries of its vertices, for a vertex (offsets null, one kind) its entry.
// Bytes: 8 q for every vertex of an example, 1 for its side, 8 kinds q for an example. Operations: 4 for each
// entry. Floor: memory.
//
// dynamic_features_plain: one thread for each example and feature, which writes its values far from its neighbours'.
// dynamic_features: a block takes TILE_EXAMPLES examples and TILE_FEATURES features and turns them in shared
// memory, so that 64 bytes are read together and 256 are written.

constexpr int SEARCH_FIELDS = 5;
struct SearchFields {
    int node, vector, subset, factor, over; // over: 0 within the subset, 1 zeros beyond it, 2 everywhere
    double empty;
};
__device__ inline SearchFields search_fields(const int *searches, const double *empties, int s) {
    const int *at = searches + static_cast<long long>(s) * SEARCH_FIELDS;
    return {at[0], at[1], at[2], at[3], at[4], empties[s]};
}

struct DynamicFeatures {
    const double *x;
    const int *offsets;
    const unsigned char *sides;
    const double *factors, *shifts;
    int n, q;

    __device__ double entry(const SearchFields &t, int v, int k) const {
        if (t.over != 2 && !in_subset(sides, t.subset, v, n)) return 0;
        const double value = x[(static_cast<long long>(t.vector) * n + v) * q + k];
        if (t.factor < 0) return value;
        return on_grid(__dmul_rn(factors[static_cast<long long>(t.factor) * n + v], value), shifts ? shifts[k] : 0);
    }
};

struct Entries {
    double sum, low, high;
    int count, size; // entries that are not missing, vertices in the subset

    __device__ double value(int aggregation, double empty) const {
        if (size == 0) return empty;
        if (count == 0) return __longlong_as_double(0x7ff8000000000000LL);
        return aggregation == 0 ? sum : aggregation == 1 ? sum / count : aggregation == 2 ? low : high;
    }
};

__device__ inline Entries entries_of(const DynamicFeatures &f, const SearchFields &t, int graph, int k) {
    Entries e = {0, 0, 0, 0, 0};
    const int end = f.offsets[graph + 1];
    for (int v = f.offsets[graph]; v < end; v++) {
        const bool in = in_subset(f.sides, t.subset, v, f.n);
        e.size += in;
        if (!in && t.over == 0) continue;
        const double value = f.entry(t, v, k);
        if (value != value) continue;
        e.low = e.count == 0 || value < e.low ? value : e.low;
        e.high = e.count == 0 || value > e.high ? value : e.high;
        e.sum += value;
        e.count++;
    }
    return e;
}

extern "C" __global__ void __launch_bounds__(256)
dynamic_features_plain_f64(double *columns, const double *x, const int *searches, const double *empties, const long long *places,
                           const int *examples, const int *nodes, const int *offsets, const unsigned char *sides,
                           const double *factors, const double *shifts, const int *aggregations, int kinds, int n, int q, int count) {
    const DynamicFeatures f = {x, offsets, sides, factors, shifts, n, q};
    for (int s = blockIdx.y; s < count; s += gridDim.y) {
        const SearchFields t = search_fields(searches, empties, s);
        const int first = nodes[t.node], m = nodes[t.node + 1] - first;
        for (long long item = global_thread(); item < static_cast<long long>(m) * q; item += global_threads()) {
            const int k = static_cast<int>(item % q), at = static_cast<int>(item / q), example = examples[first + at];
            double *to = columns + places[s] + static_cast<long long>(k) * m + at;
            if (!offsets) {
                *to = f.entry(t, example, k);
                continue;
            }
            const Entries e = entries_of(f, t, example, k);
            for (int a = 0; a < kinds; a++) to[static_cast<long long>(a) * q * m] = e.value(aggregations[a], t.empty);
        }
    }
}

constexpr int TILE_EXAMPLES = 32, TILE_FEATURES = 8, MOST_KINDS = 4;

extern "C" __global__ void __launch_bounds__(TILE_EXAMPLES * TILE_FEATURES)
dynamic_features_f64(double *columns, const double *x, const int *searches, const double *empties, const long long *places,
                     const int *examples, const int *nodes, const int *offsets, const unsigned char *sides,
                     const double *factors, const double *shifts, const int *aggregations, int kinds, int n, int q, int count) {
    __shared__ double tile[MOST_KINDS][TILE_FEATURES][TILE_EXAMPLES + 1];
    const DynamicFeatures f = {x, offsets, sides, factors, shifts, n, q};
    const int feature = threadIdx.x % TILE_FEATURES, example = threadIdx.x / TILE_FEATURES;
    for (int s = blockIdx.y; s < count; s += gridDim.y) {
        const SearchFields t = search_fields(searches, empties, s);
        const int first = nodes[t.node], m = nodes[t.node + 1] - first, across = (q + TILE_FEATURES - 1) / TILE_FEATURES;
        const long long tiles = static_cast<long long>((m + TILE_EXAMPLES - 1) / TILE_EXAMPLES) * across;
        for (long long at = blockIdx.x; at < tiles; at += gridDim.x) {
            const int from = static_cast<int>(at / across) * TILE_EXAMPLES, k0 = static_cast<int>(at % across) * TILE_FEATURES;
            if (from + example < m && k0 + feature < q) {
                const int i = examples[first + from + example];
                if (offsets) {
                    const Entries e = entries_of(f, t, i, k0 + feature);
                    for (int a = 0; a < kinds; a++) tile[a][feature][example] = e.value(aggregations[a], t.empty);
                } else {
                    tile[0][feature][example] = f.entry(t, i, k0 + feature);
                }
            }
            __syncthreads();
            const int k = k0 + warp_index(), to = from + lane_index();
            if (k < q && to < m)
                for (int a = 0; a < kinds; a++)
                    columns[places[s] + (static_cast<long long>(a) * q + k) * m + to] = tile[a][warp_index()][lane_index()];
            __syncthreads();
        }
    }
}

// ----- best_splits: the best threshold of every column, and the best column of every node ----------------
//
// A column has m values; left of a threshold between two that follow each other lie examples of weight n and sums t
// (of the targets, or the weight of each of `width` classes), and the threshold gains score(left) + score(right) -
// score(all), see split_gain. found has gain, threshold and 1 for missing values above, for each column; column c is
// number c % (kinds q) of search c / (kinds q). Bytes: 8 m for a column, 12 or 16 m for weights and targets, which a
// cache keeps. Operations: m log^2 m comparisons in shared memory. Floor: the comparisons.
//
// best_splits_plain: one thread for each column, heapsort in device memory. It has no use for a tile.
// best_splits: one block for each column. Values are sorted with their places by a bitonic network in shared memory, a
// tile of them at a time; sorted tiles are merged by rank, each value by a binary search. Missing values sort to
// the end. Every thread then takes as many sorted values as the others: it adds up their sums, a scan gives what lies
// left of them, and it walks along them. Sums are exact, so their order does not matter.
// best_splits_finish: one block for each node, which takes the first column of the largest gain.
//
// Columns of nodes of more than SORT_BELOW examples for each of `bins` (0: of none) are left to best_splits_histogram,
// but for those where it wants exact thresholds.

constexpr int VARIANCE = 0, ENTROPY = 2; // the Gini impurity is 1

struct SplitExamples {
    const double *weights, *targets;
    const int *classes;
    const double *information; // x log2 x of whole numbers
    int impurity, width;
    double min_leaf;

    // take adds example i to sums that lie stride apart, the weight after them.
    __device__ void take(double *sums, int stride, int i) const {
        const double w = weights[i];
        if (impurity == VARIANCE) sums[0] += targets[i];
        else sums[static_cast<long long>(classes[i]) * stride] += w;
        sums[static_cast<long long>(width) * stride] += w;
    }
    __device__ double term(double x) const { return impurity == ENTROPY ? information[static_cast<int>(x)] : __dmul_rn(x, x); }
    __device__ double score(double n, double terms) const { return impurity == ENTROPY ? terms - term(n) : terms / n; }

    // gain returns what is gained by examples whose sums, stride apart, are left + lost; all are those of the node.
    __device__ double gain(const double *left, int stride, const double *lost, const double *all, bool with_lost) const {
        double below = 0, above = 0, both = 0;
        for (int c = 0; c < width; c++) {
            const double x = left[static_cast<long long>(c) * stride] + (with_lost ? lost[c] : 0.0);
            below += term(x);
            above += term(all[c] - x);
            both += term(all[c]);
        }
        const double n = left[static_cast<long long>(width) * stride] + (with_lost ? lost[width] : 0.0), total = all[width];
        if (n < min_leaf || total - n < min_leaf) return 0;
        return score(n, below) + score(total - n, above) - score(total, both);
    }
};

// between returns a number t with a <= t < b.
__device__ inline double between(double a, double b) {
    double t = (a + b) / 2;
    if (fabs(t) == infinity<double>()) t = a / 2 + b / 2;
    return t >= b || t < a ? a : t;
}

// Sorted is a value with the number of its example, from m on for the m examples whose value is missing; their value is
// infinite, so that they come last.
struct Sorted {
    double value;
    int index;
};
__device__ inline bool comes_before(Sorted a, Sorted b) { return a.value < b.value || (a.value == b.value && a.index < b.index); }
__device__ inline Sorted sorted_entry(const double *column, int i, int m) {
    const double v = column[i];
    if (v != v) return {infinity<double>(), i + m};
    return {v, i};
}

// Split is the best threshold so far of those that one thread tries with the missing values on one side.
struct Split {
    double gain, n; // n: weight below it
    int at;         // the sorted value below it, -1: none
    __device__ void offer(double other, double weight, int p) {
        if (other > gain) gain = other, n = weight, at = p;
    }
};

// try_value offers the thresholds above sorted value p; left are the sums of the values up to p.
__device__ inline void try_value(Split &below, Split &above, const SplitExamples &x, const double *value, int p, int present, int m,
                                 const double *left, int stride, const double *lost, const double *all) {
    const bool last = p == present - 1;
    const double n = left[static_cast<long long>(x.width) * stride];
    if (!last && value[p + 1] == value[p]) return;
    if (!last) below.offer(x.gain(left, stride, lost, all, present < m), n + (present < m ? lost[x.width] : 0.0), p);
    if (present < m) above.offer(x.gain(left, stride, lost, all, false), n, p);
}

// write_split writes the outcome of a column whose threshold has examples of weight n of the total below it.
__device__ inline void write_split(double *found, double gain, double threshold, bool missing, bool missing_above, double n, double total) {
    found[0] = gain;
    found[1] = threshold;
    found[2] = missing_above || (!missing && total - n > n) ? 1 : 0;
}
__device__ inline double threshold_above(const double *value, int p, int present) {
    return p == present - 1 ? value[p] : between(value[p], value[p + 1]);
}
__device__ inline void write_no_split(double *found) { found[0] = found[1] = found[2] = 0; }

// WANTS_EXACT is the gain of a column whose thresholds are to be exact although its node is large.
constexpr double WANTS_EXACT = -1;
constexpr int SORT_BELOW = 4;
__device__ inline bool histogrammed(int m, int bins) { return bins > 0 && m / SORT_BELOW >= bins && m > SORT_BELOW * bins; }

extern "C" __global__ void __launch_bounds__(64)
best_splits_plain_f64(double *found, const double *columns, const int *searches, const long long *places, const int *nodes,
                      const unsigned char *features, const double *weights, const double *targets, const int *classes,
                      const double *information, int impurity, int width, double min_leaf, int per_search, int q, long long count,
                      double *value_space, int *index_space, double *sum_space, int longest, int tile, int bins) {
    const SplitExamples x = {weights, targets, classes, information, impurity, width, min_leaf};
    double *value = value_space + global_thread() * longest, *sums = sum_space + global_thread() * 3 * (width + 1);
    int *index = index_space + global_thread() * longest;
    double *left = sums, *lost = sums + width + 1, *all = lost + width + 1;
    for (long long c = global_thread(); c < count; c += global_threads()) {
        const int s = static_cast<int>(c / per_search), node = searches[static_cast<long long>(s) * SEARCH_FIELDS];
        const int first = nodes[node], m = nodes[node + 1] - first;
        if (histogrammed(m, bins)) {
            if (found[3 * c] != WANTS_EXACT) continue;
        } else {
            write_no_split(found + 3 * c);
        }
        if (features && !features[static_cast<long long>(node) * q + c % q]) continue;
        for (int w = 0; w < 3 * (width + 1); w++) sums[w] = 0;
        const double *column = columns + places[s] + c % per_search * m;
        int present = 0;
        for (int i = 0; i < m; i++) {
            const Sorted e = sorted_entry(column, i, m);
            x.take(all, 1, first + i);
            if (e.index < m) {
                value[present] = e.value;
                index[present++] = i;
            } else {
                x.take(lost, 1, first + i);
            }
        }
        // Heapsort: a node of the heap sinks below its larger child.
        for (int start = present / 2, end = present; end > 1;) {
            if (start > 0) {
                start--;
            } else {
                end--;
                const double v = value[0];
                const int i = index[0];
                value[0] = value[end], index[0] = index[end];
                value[end] = v, index[end] = i;
            }
            const Sorted e = {value[start], index[start]};
            int at = start;
            for (int child = 2 * at + 1; child < end; child = 2 * at + 1) {
                if (child + 1 < end && comes_before({value[child], index[child]}, {value[child + 1], index[child + 1]})) child++;
                if (!comes_before(e, {value[child], index[child]})) break;
                value[at] = value[child], index[at] = index[child];
                at = child;
            }
            value[at] = e.value, index[at] = e.index;
        }
        Split below = {0, 0, -1}, above = {0, 0, -1};
        for (int p = 0; p < present; p++) {
            x.take(left, 1, first + index[p]);
            try_value(below, above, x, value, p, present, m, left, 1, lost, all);
        }
        const bool up = above.gain > below.gain;
        if (up) below = above;
        if (below.at >= 0)
            write_split(found + 3 * c, below.gain, threshold_above(value, below.at, present), present < m, up, below.n, all[width]);
    }
}

// sort_tile sorts a power of two of values in shared memory.
__device__ inline void sort_tile(double *value, int *index, int size) {
    for (int run = 2; run <= size; run *= 2)
        for (int apart = run / 2; apart > 0; apart /= 2) {
            __syncthreads();
            for (int pair = threadIdx.x; pair < size / 2; pair += blockDim.x) {
                const int a = pair / apart * 2 * apart + pair % apart, b = a + apart;
                const bool up = (a & run) == 0;
                const Sorted low = {value[a], index[a]}, high = {value[b], index[b]};
                if (comes_before(high, low) == up) {
                    value[a] = high.value, index[a] = high.index;
                    value[b] = low.value, index[b] = low.index;
                }
            }
        }
    __syncthreads();
}

// merge_runs merges pairs of sorted runs of m values: each goes where its rank in its own run and in the other one says.
__device__ inline void merge_runs(double *to_value, int *to_index, const double *value, const int *index, int run, int m) {
    for (int p = threadIdx.x; p < m; p += blockDim.x) {
        const int own = p / run * run, pair = own / (2 * run) * (2 * run);
        const int other = own == pair ? min(pair + run, m) : pair, end = own == pair ? min(pair + 2 * run, m) : pair + run;
        const Sorted e = {value[p], index[p]};
        int low = other, high = end;
        while (low < high) {
            const int middle = low + (high - low) / 2;
            if (comes_before({value[middle], index[middle]}, e)) low = middle + 1;
            else high = middle;
        }
        const int to = pair + (p - own) + (low - other);
        to_value[to] = e.value;
        to_index[to] = e.index;
    }
    __syncthreads();
}

// scan_sums turns the sums of every thread of the block into those of all threads before it, and all into the total.
__device__ inline void scan_sums(double *sums, double *all, int rows) {
    const int threads = blockDim.x;
    for (int w = warp_index(); w < rows; w += block_warps()) {
        double carry = 0;
        for (int t = lane_index(); t < threads; t += WARP) {
            const double x = sums[static_cast<long long>(w) * threads + t], up_to = warp_scan(x);
            sums[static_cast<long long>(w) * threads + t] = carry + up_to - x;
            carry += __shfl_sync(ALL_LANES, up_to, WARP - 1);
        }
        if (lane_index() == 0) all[w] = carry;
    }
    __syncthreads();
}

extern "C" __global__ void __launch_bounds__(256)
best_splits_f64(double *found, const double *columns, const int *searches, const long long *places, const int *nodes,
                const unsigned char *features, const double *weights, const double *targets, const int *classes,
                const double *information, int impurity, int width, double min_leaf, int per_search, int q, long long count,
                double *value_space, int *index_space, double *sum_space, int longest, int tile, int bins) {
    DYNAMIC_SHARED(double, tile_value);
    int *tile_index = reinterpret_cast<int *>(tile_value + tile);
    const SplitExamples x = {weights, targets, classes, information, impurity, width, min_leaf};
    const int threads = blockDim.x, rows = width + 1;
    double *sums = sum_space + static_cast<long long>(blockIdx.x) * rows * (threads + 2), *own = sums + threadIdx.x;
    double *all = sums + static_cast<long long>(rows) * threads, *lost = all + rows;
    for (long long c = blockIdx.x; c < count; c += gridDim.x) {
        const int s = static_cast<int>(c / per_search), node = searches[static_cast<long long>(s) * SEARCH_FIELDS];
        const int first = nodes[node], m = nodes[node + 1] - first;
        if (histogrammed(m, bins)) {
            if (found[3 * c] != WANTS_EXACT) continue;
        } else if (threadIdx.x == 0) {
            write_no_split(found + 3 * c);
        }
        if (m < 2 || (features && !features[static_cast<long long>(node) * q + c % q])) continue;
        const double *column = columns + places[s] + c % per_search * m;
        double *value = value_space + static_cast<long long>(blockIdx.x) * 2 * longest, *other_value = value + longest;
        int *index = index_space + static_cast<long long>(blockIdx.x) * 2 * longest, *other_index = index + longest;

        int missing = 0;
        for (int from = 0; from < m; from += tile) {
            const int length = min(tile, m - from);
            int size = 1;
            while (size < length) size *= 2;
            for (int i = threadIdx.x; i < size; i += threads) {
                const Sorted e = i < length ? sorted_entry(column, from + i, m) : Sorted{infinity<double>(), 2 * m};
                missing += i < length && e.index >= m;
                tile_value[i] = e.value, tile_index[i] = e.index;
            }
            sort_tile(tile_value, tile_index, size);
            for (int i = threadIdx.x; i < length; i += threads) value[from + i] = tile_value[i], index[from + i] = tile_index[i];
            __syncthreads();
        }
        for (int run = tile; run < m; run *= 2) {
            merge_runs(other_value, other_index, value, index, run, m);
            double *v = value;
            value = other_value, other_value = v;
            int *i = index;
            index = other_index, other_index = i;
        }
        const int present = m - block_sum(missing);

        const int share = (m + threads - 1) / threads, from = min(static_cast<int>(threadIdx.x) * share, m), to = min(from + share, m);
        for (int w = 0; w < rows; w++) own[static_cast<long long>(w) * threads] = 0;
        for (int p = from; p < to; p++) x.take(own, threads, first + index[p] % m);
        __syncthreads();
        scan_sums(sums, all, rows);
        if (present < m && from <= present && present < to) { // what is missing: everything less what is there
            for (int w = 0; w < rows; w++) lost[w] = own[static_cast<long long>(w) * threads];
            for (int p = from; p < present; p++) x.take(lost, 1, first + index[p]);
            for (int w = 0; w < rows; w++) lost[w] = all[w] - lost[w];
        }
        __syncthreads();
        Split below = {0, 0, -1}, above = {0, 0, -1};
        for (int p = from; p < min(to, present); p++) {
            x.take(own, threads, first + index[p]);
            try_value(below, above, x, value, p, present, m, own, threads, lost, all);
        }
        const Best<double> best_below = block_best(Best<double>{below.gain, below.at}), best_above = block_best(Best<double>{above.gain, above.at});
        const bool up = best_above.index >= 0 && (best_below.index < 0 || best_above.value > best_below.value);
        const int at = up ? best_above.index : best_below.index;
        if (from <= at && at < to) {
            const Split &mine = up ? above : below;
            write_split(found + 3 * c, mine.gain, threshold_above(value, at, present), present < m, up, mine.n, all[width]);
        }
        __syncthreads(); // the space serves the next column
    }
}

// ----- best_splits_histogram: the best threshold of every column of a large node -------------------------
//
// Value v of a column is in cell max(0, floor((min(v, to) - from) scale)), from and to two quantiles of a sample, and the
// cell in group floor(bins (weight of the cells below) / (weight of all)); thresholds lie between groups. What is apart
// and what is exact, histogram.go of the engine defines. Arguments are those of best_splits; a column whose thresholds
// are to be exact gets the gain WANTS_EXACT. Sums of targets are taken in integers, in units of the grid that the
// targets lie on, so their order does not matter. Bytes: 8 m for a column, twice where a sample of it has whole
// numbers alone, 16 m for weights and targets (12 m with classes), which a cache keeps. Operations for an example: some 20
// for its cell and 2 atomic ones, up to 4 until the cell knows its extremes. Floor: memory.
//
// best_splits_histogram_plain: one thread for each column, cells in device memory.
// best_splits_histogram: one block for each column, cells in shared memory, but the sums of several classes. Zeros, of
// which there may be most, are counted by each thread for itself. A scan gives what lies left of the cells of a thread.

constexpr int EVEN_CELLS = 1024, NUM_CELLS = EVEN_CELLS + 4, MISSING = NUM_CELLS, ALL_CELLS = NUM_CELLS + 1;
constexpr int SAMPLE_EXAMPLES = 128, SAMPLE_MOST = 2 * SAMPLE_EXAMPLES, SAMPLE_LEAST = 16, SAMPLE_BEYOND = 64, CROWDED = 32;

__device__ inline int steps(double v, double bound) { return v < bound ? 0 : v == bound ? 1 : 2; }

// Cells are even parts of a range, with cells of their own for zero and for the value of empty subsets.
struct Cells {
    double from, to, scale, empty;
    __device__ int at(double v) const {
        return static_cast<int>(fmax((fmin(v, to) - from) * scale, 0.0)) + steps(v, 0) + steps(v, empty);
    }
    // fits chooses the range by a sorted sample of proper values and reports whether it says enough.
    __device__ bool fits(const double *sample, int count) {
        if (count < SAMPLE_LEAST) return false;
        from = sample[count / SAMPLE_BEYOND], to = sample[count - 1 - count / SAMPLE_BEYOND];
        scale = (EVEN_CELLS - 1) / (to - from);
        return scale > 0 && scale < infinity<double>();
    }
    // counts makes a cell of each whole number from low to high.
    __device__ bool counts(bool whole, double low, double high) {
        from = low, to = high, scale = 1;
        return whole && high - low < EVEN_CELLS;
    }
};
__device__ inline bool proper(double v, double empty) { return v == v && v != 0 && v != empty; }
__device__ inline bool is_whole(double v) { return v == trunc(v); }

// ordered maps the bits of doubles to integers in the same order, and back.
__device__ inline long long ordered(long long bits) { return bits ^ (bits >> 63 & 0x7fffffffffffffffLL); }

// Histogram is the examples by cell: their weight, least and largest value, and sums in whole units.
struct Histogram {
    long long *low, *high, *sums;
    int *weight;
    double unit, per_unit;
    int width;

    __device__ void clear(int first, int step) {
        for (int i = first; i < ALL_CELLS; i += step) low[i] = infinity_bits(), high[i] = -infinity_bits(), weight[i] = 0;
        for (int i = first; i < ALL_CELLS * width; i += step) sums[i] = 0;
    }
    __device__ static long long infinity_bits() { return 0x7fffffffffffffffLL; }
    __device__ double least(int i) const { return __longlong_as_double(ordered(low[i])); }
    __device__ double most(int i) const { return __longlong_as_double(ordered(high[i])); }
    __device__ double sum(int i, int w) const { return sums[static_cast<long long>(i) * width + w] * unit; }

    __device__ void add(int i, int w, long long sum) {
        atomicAdd(reinterpret_cast<unsigned long long *>(sums) + static_cast<long long>(i) * width + w, static_cast<unsigned long long>(sum));
    }
    __device__ void take(const SplitExamples &x, int cell, double v, int example) {
        const double w = x.weights[example];
        atomicAdd(weight + cell, static_cast<int>(w));
        if (x.impurity == VARIANCE) add(cell, 0, static_cast<long long>(x.targets[example] * per_unit));
        else add(cell, x.classes[example], static_cast<long long>(w));
        const long long place = ordered(__double_as_longlong(v));
        if (place < low[cell]) atomicMin(low + cell, place);
        if (place > high[cell]) atomicMax(high + cell, place);
    }
    // put gives a cell examples of one value by their sums, the weight after them.
    __device__ void put(int cell, double v, const double *all) {
        if (all[width] == 0) return;
        for (int w = 0; w < width; w++) sums[static_cast<long long>(cell) * width + w] = static_cast<long long>(all[w] * per_unit);
        weight[cell] = static_cast<int>(all[width]);
        low[cell] = high[cell] = ordered(__double_as_longlong(v));
    }
};

// Groups says which cells are joined. Its sums are of the proper cells that add takes.
struct Groups {
    int zero, empty, bins;
    int occupied;
    double weight, most;
    bool several; // values in a cell

    __device__ Groups(const Cells &c, int bins)
        : zero(c.at(0)), empty(c.at(c.empty)), bins(bins), occupied(0), weight(0), most(0), several(false) {}
    __device__ bool is_proper(int i) const { return i != zero && i != empty; }
    __device__ void add(const Histogram &h, int i) {
        if (h.weight[i] == 0 || !is_proper(i)) return;
        occupied++;
        weight += h.weight[i];
        if (h.low[i] == h.high[i]) return;
        several = true;
        most = fmax(most, static_cast<double>(h.weight[i]));
    }
    __device__ bool apart() const { return !several || (occupied > bins && most * bins <= CROWDED * weight); }
    // number returns the group of a cell with the given weight of proper examples below it.
    __device__ int number(int i, double below) const {
        return several ? static_cast<int>(below * bins / weight) + steps(i, zero) + steps(i, empty) : i;
    }
};

// try_cells offers the thresholds above the cells from..to; left are the sums of the cells before them, stride apart.
__device__ inline void try_cells(Split &below, Split &above, const SplitExamples &x, const Histogram &h, const Groups &g, int from, int to,
                                 double *left, int stride, const double *lost, const double *all) {
    double &n = left[static_cast<long long>(x.width) * stride];
    const bool missing = h.weight[MISSING] > 0;
    double before = n; // proper examples
    if (from > g.zero) before -= h.weight[g.zero];
    if (from > g.empty && g.empty != g.zero) before -= h.weight[g.empty];
    for (int i = from; i < to; i++) {
        if (h.weight[i] == 0) continue;
        for (int w = 0; w < x.width; w++) left[static_cast<long long>(w) * stride] += h.sum(i, w);
        n += h.weight[i];
        const int group = g.number(i, before);
        if (g.is_proper(i)) before += h.weight[i];
        int next = i + 1;
        while (next < NUM_CELLS && h.weight[next] == 0) next++;
        if (next < NUM_CELLS && g.number(next, before) == group) continue;
        if (next < NUM_CELLS) below.offer(x.gain(left, stride, lost, all, missing), n + (missing ? lost[x.width] : 0.0), i);
        if (missing) above.offer(x.gain(left, stride, lost, all, false), n, i);
    }
}

// threshold_above_cell returns the threshold between a cell and the next one that has examples.
__device__ inline double threshold_above_cell(const Histogram &h, int i) {
    int next = i + 1;
    while (next < NUM_CELLS && h.weight[next] == 0) next++;
    return next == NUM_CELLS ? h.most(i) : between(h.most(i), h.least(next));
}

extern "C" __global__ void __launch_bounds__(64)
best_splits_histogram_plain_f64(double *found, const double *columns, const int *searches, const double *empties, const long long *places,
                                const int *nodes, const unsigned char *features, const double *weights, const double *targets,
                                const int *classes, const double *information, int impurity, int width, double min_leaf, int per_search,
                                int q, long long count, long long *cell_space, int *weight_space, double *sum_space, int bins,
                                double unit) {
    const SplitExamples x = {weights, targets, classes, information, impurity, width, min_leaf};
    long long *low = cell_space + global_thread() * (width + 2) * ALL_CELLS;
    Histogram h = {low, low + ALL_CELLS, low + 2 * ALL_CELLS, weight_space + global_thread() * ALL_CELLS, unit, 1 / unit, width};
    double *left = sum_space + global_thread() * (3 * (width + 1) + SAMPLE_MOST), *lost = left + width + 1, *all = lost + width + 1;
    double *sample = all + width + 1;
    for (long long c = global_thread(); c < count; c += global_threads()) {
        const int s = static_cast<int>(c / per_search), node = searches[static_cast<long long>(s) * SEARCH_FIELDS];
        const int first = nodes[node], m = nodes[node + 1] - first;
        if (!histogrammed(m, bins)) continue;
        write_no_split(found + 3 * c);
        if (features && !features[static_cast<long long>(node) * q + c % q]) continue;
        const double *column = columns + places[s] + c % per_search * m;
        Cells cells = {0, 0, 0, empties ? empties[s] : 0};
        int sampled = 0; // inserted in order
        for (int i = 0; i < m; i += max(m / SAMPLE_EXAMPLES, 1)) {
            if (!proper(column[i], cells.empty)) continue;
            int at = sampled++;
            for (; at > 0 && sample[at - 1] > column[i]; at--) sample[at] = sample[at - 1];
            sample[at] = column[i];
        }
        bool whole = true;
        double least = 0, most = 0;
        for (int i = 0; i < m; i++) {
            if (column[i] != column[i] || column[i] == cells.empty) continue;
            whole = whole && is_whole(column[i]);
            least = fmin(least, column[i]), most = fmax(most, column[i]);
        }
        if (!cells.counts(whole, least, most) && !cells.fits(sample, sampled)) {
            found[3 * c] = WANTS_EXACT;
            continue;
        }
        h.clear(0, 1);
        for (int i = 0; i < m; i++) h.take(x, column[i] == column[i] ? cells.at(column[i]) : MISSING, column[i] + 0.0, first + i);
        Groups g(cells, bins);
        for (int i = 0; i < NUM_CELLS; i++) g.add(h, i);
        if (!g.apart()) {
            found[3 * c] = WANTS_EXACT;
            continue;
        }
        for (int w = 0; w <= width; w++) {
            left[w] = all[w] = 0;
            for (int i = 0; i < ALL_CELLS; i++) all[w] += w < width ? h.sum(i, w) : h.weight[i];
            lost[w] = w < width ? h.sum(MISSING, w) : h.weight[MISSING];
        }
        Split below = {0, 0, -1}, above = {0, 0, -1};
        try_cells(below, above, x, h, g, 0, NUM_CELLS, left, 1, lost, all);
        const bool up = above.gain > below.gain;
        if (up) below = above;
        if (below.at >= 0)
            write_split(found + 3 * c, below.gain, threshold_above_cell(h, below.at), h.weight[MISSING] > 0, up, below.n, all[width]);
    }
}

extern "C" __global__ void __launch_bounds__(256)
best_splits_histogram_f64(double *found, const double *columns, const int *searches, const double *empties, const long long *places,
                          const int *nodes, const unsigned char *features, const double *weights, const double *targets,
                          const int *classes, const double *information, int impurity, int width, double min_leaf, int per_search,
                          int q, long long count, long long *cell_space, int *weight_space, double *sum_space, int bins,
                          double unit) {
    __shared__ long long low[ALL_CELLS], high[ALL_CELLS], sum_of_cell[ALL_CELLS];
    __shared__ int weight_of_cell[ALL_CELLS];
    __shared__ double sample[SAMPLE_MOST];
    __shared__ int sample_index[SAMPLE_MOST];
    const SplitExamples x = {weights, targets, classes, information, impurity, width, min_leaf};
    const int threads = blockDim.x, rows = width + 1;
    double *sums = sum_space + static_cast<long long>(blockIdx.x) * rows * (threads + 2), *own = sums + threadIdx.x;
    double *all = sums + static_cast<long long>(rows) * threads, *lost = all + rows;
    long long *sums_of_cell = width == 1 ? sum_of_cell : cell_space + static_cast<long long>(blockIdx.x) * ALL_CELLS * width;
    Histogram h = {low, high, sums_of_cell, weight_of_cell, unit, 1 / unit, width};
    for (long long c = blockIdx.x; c < count; c += gridDim.x) {
        const int s = static_cast<int>(c / per_search), node = searches[static_cast<long long>(s) * SEARCH_FIELDS];
        const int first = nodes[node], m = nodes[node + 1] - first;
        if (!histogrammed(m, bins)) continue;
        if (threadIdx.x == 0) write_no_split(found + 3 * c);
        if (features && !features[static_cast<long long>(node) * q + c % q]) continue;
        const double *column = columns + places[s] + c % per_search * m;
        Cells cells = {0, 0, 0, empties ? empties[s] : 0};

        const int stride = max(m / SAMPLE_EXAMPLES, 1);
        int sampled = 0, broken = 0;
        for (int i = threadIdx.x; i < SAMPLE_MOST; i += threads) {
            const double v = i <= (m - 1) / stride ? column[i * stride] : 0;
            const bool good = proper(v, cells.empty);
            sampled += good;
            broken += good && !is_whole(v);
            sample[i] = good ? v : infinity<double>(), sample_index[i] = good ? i : i + SAMPLE_MOST;
        }
        sampled = block_sum(sampled), broken = block_sum(broken);
        bool counted = false;
        if (broken == 0) {
            double least = 0, most = 0;
            for (int i = threadIdx.x; i < m; i += threads) {
                const double v = column[i];
                if (v != v || v == cells.empty) continue;
                broken += !is_whole(v);
                least = fmin(least, v), most = fmax(most, v);
            }
            broken = block_sum(broken), least = block_min(least), most = block_max(most);
            counted = cells.counts(broken == 0, least, most);
        }
        if (!counted) {
            sort_tile(sample, sample_index, SAMPLE_MOST);
            if (!cells.fits(sample, sampled)) {
                if (threadIdx.x == 0) found[3 * c] = WANTS_EXACT;
                __syncthreads();
                continue;
            }
        }

        h.clear(threadIdx.x, threads);
        for (int w = 0; w < rows; w++) own[static_cast<long long>(w) * threads] = 0;
        __syncthreads();
        for (int i = threadIdx.x; i < m; i += threads) {
            const double v = column[i];
            if (v == 0) x.take(own, threads, first + i);
            else h.take(x, v == v ? cells.at(v) : MISSING, v, first + i);
        }
        __syncthreads();
        scan_sums(sums, all, rows);
        Groups g(cells, bins);
        if (threadIdx.x == 0) h.put(g.zero, 0, all);
        __syncthreads();

        const int share = (NUM_CELLS + threads - 1) / threads, from = min(static_cast<int>(threadIdx.x) * share, NUM_CELLS), to = min(from + share, NUM_CELLS);
        for (int i = from; i < to; i++) g.add(h, i);
        g.occupied = block_sum(g.occupied), g.weight = block_sum(g.weight), g.most = block_max(g.most);
        g.several = block_max(static_cast<double>(g.several)) > 0;
        if (!g.apart()) {
            if (threadIdx.x == 0) found[3 * c] = WANTS_EXACT;
            __syncthreads();
            continue;
        }
        for (int w = 0; w < rows; w++) {
            double sum = 0;
            for (int i = from; i < to; i++) sum += w < width ? h.sum(i, w) : h.weight[i];
            own[static_cast<long long>(w) * threads] = sum;
        }
        __syncthreads();
        scan_sums(sums, all, rows);
        for (int w = threadIdx.x; w < rows; w += threads) {
            lost[w] = w < width ? h.sum(MISSING, w) : h.weight[MISSING];
            all[w] += lost[w];
        }
        __syncthreads();
        Split below = {0, 0, -1}, above = {0, 0, -1};
        try_cells(below, above, x, h, g, from, to, own, threads, lost, all);
        const Best<double> best_below = block_best(Best<double>{below.gain, below.at}), best_above = block_best(Best<double>{above.gain, above.at});
        const bool up = best_above.index >= 0 && (best_below.index < 0 || best_above.value > best_below.value);
        const int at = up ? best_above.index : best_below.index;
        if (from <= at && at < to) {
            const Split &mine = up ? above : below;
            write_split(found + 3 * c, mine.gain, threshold_above_cell(h, at), h.weight[MISSING] > 0, up, mine.n, all[width]);
        }
        __syncthreads(); // the space serves the next column
    }
}

extern "C" __global__ void __launch_bounds__(256)
best_splits_finish_f64(double *best, const double *found, const int *first_search, int per_search, int nodes) {
    for (int node = blockIdx.x; node < nodes; node += gridDim.x) {
        const int from = first_search[node] * per_search, to = first_search[node + 1] * per_search;
        Best<double> mine = no_best<double>();
        for (int c = from + static_cast<int>(threadIdx.x); c < to; c += blockDim.x)
            if (found[3LL * c] > 0) mine = better(mine, Best<double>{found[3LL * c], c});
        mine = block_best(mine);
        if (threadIdx.x == 0) {
            double *to_best = best + 4LL * node;
            to_best[0] = to_best[1] = to_best[2] = to_best[3] = 0;
            if (mine.index >= 0) {
                to_best[0] = mine.value;
                to_best[1] = found[3LL * mine.index + 1];
                to_best[2] = mine.index;
                to_best[3] = found[3LL * mine.index + 2];
            }
        }
    }
}

// ===== Functions of symmetric matrices: the inverse square root and its gradient ========================
//
//   R = V diag(f(e)) V'            for K = V diag(e) V' and f(e) = 1/(sqrt(max(e, 0)) + eps)  (rules 0 and 2)
//   S = V (F o (V' G V)) V'                          or f(e) = 1/sqrt(max(e, 0) + eps)        (rule 1)
//   F_ij = (f(e_i) - f(e_j)) / (e_i - e_j) = -f_i f_j / (r_i + r_j)    r the root in f, without eps in rule 0
//
// for a number of matrices K and G of order n, row-major, in double. Rule 2 has r = 1/f, with eps: the gradient of
// the published code. Only the lower triangle of K counts. The eigenvectors are the ROWS of a matrix `vectors`.
// The gradient takes V and e as the way forward left them.
//
// Why Jacobi. Everything here is as accurate as the eigenvalues, whose error counts relative to |K| and is
// magnified at the small ones; rotations keep it at some n 2^-53 |K|, need nothing but products of small
// blocks, and the order of all sums is fixed. Iterations for the root itself (Newton and its kin) lose the
// small eigenvalues of nearly singular kernel matrices, which rule 0 depends on.
//
// Every matrix is scaled by a power of two, exactly, to a largest absolute row sum |K| in [1/2, 1).
//
// Order 32 and less: spectral_small, one block for each matrix, two-sided Jacobi in shared memory.
// Larger: one-sided Jacobi (Hestenes, 1958) on W = K + 3/2 I, whose eigenvalues lie in (1/2, 5/2): rotations
// from the right, W := W J, until the columns of W are orthogonal. Then W = V diag(e + 3/2), so that its
// columns are the eigenvectors times their values and no rotation is accumulated. W' is stored: a column of
// W is a row, contiguous.
//
// Errors are words in status, one for each matrix: 0 none, 1 not finite, 2 no inverse square root (a zero
// eigenvalue and eps 0), 3 no convergence. A kernel leaves a matrix with a status alone, but for its values and factors,
// which are made NaN: where nobody asks for the status, a product that is told none has NaN in every element.

constexpr int SPECTRAL_THREADS = 256;
constexpr int PAIR = 32;               // columns of two blocks
constexpr int HALF = PAIR / 2;         // columns of a block
constexpr int PAIR_STRIDE = PAIR + 2;  // of rows in shared memory: double2 loads stay aligned
constexpr int SWEEPS = 24;             // the most sweeps over all pairs
constexpr double SHIFT = 1.5;

// The largest |cos| of the angle between two columns that counts as orthogonal: the rounding of a product of
// order n, and no less than that of a few dozen rotations.
__device__ inline double orthogonal_enough(int n) { return 0x1p-52 * fmax(8.0, sqrt(static_cast<double>(n))); }

// ----- spectral_norms and spectral_start: scaling ------------------------------------------------------
//
// norms has the absolute sum of every row. Bytes: 8 n^2 for each matrix, half of them down columns;
// operations: n^2. Floor: memory, below the time of a launch up to n = 1024.
// spectral_start writes the scaled and shifted matrix and the scale (a power of two) of each.

extern "C" __global__ void __launch_bounds__(SPECTRAL_THREADS) spectral_norms_f64(double *norms, const double *k, int n, int matrices) {
    const long long rows = static_cast<long long>(matrices) * n;
    for (long long row = global_thread() / WARP; row < rows; row += global_threads() / WARP) {
        const double *matrix = k + row / n * n * n;
        const int i = static_cast<int>(row % n);
        double sum = 0;
        for (int j = lane_index(); j < n; j += WARP)
            sum += fabs(j <= i ? matrix[static_cast<long long>(i) * n + j] : matrix[static_cast<long long>(j) * n + i]);
        sum = warp_sum(sum);
        if (lane_index() == 0) norms[row] = sum;
    }
}

extern "C" __global__ void __launch_bounds__(SPECTRAL_THREADS)
spectral_start_f64(double *w, double *scales, int *status, const double *k, const double *norms, int n, int matrices, double shift) {
    for (int m = blockIdx.y; m < matrices; m += gridDim.y) {
        double norm = 0;
        for (int i = threadIdx.x; i < n; i += blockDim.x) norm = Maximum::combine(norm, norms[static_cast<long long>(m) * n + i]);
        norm = block_max(norm);
        const bool finite = norm <= 1.7976931348623157e308;
        const double scale = finite && norm >= 0x1p-1000 ? scalbn(1.0, -ilogb(norm) - 1) : 1.0;
        if (blockIdx.x == 0 && threadIdx.x == 0) {
            scales[m] = scale;
            status[m] = finite ? 0 : 1;
        }
        const double *matrix = k + static_cast<long long>(m) * n * n;
        double *to = w + static_cast<long long>(m) * n * n;
        for (long long at = global_thread(); at < static_cast<long long>(n) * n; at += global_threads()) {
            const int i = static_cast<int>(at / n), j = static_cast<int>(at % n);
            to[at] = scale * (j <= i ? matrix[at] : matrix[static_cast<long long>(j) * n + i]) + (i == j ? shift : 0.0);
        }
    }
}

// ----- Rotations in shared memory ----------------------------------------------------------------------

// In round r of m - 1, member t of m/2 plays the pair (p, q); every two of m meet once. m is even.
struct Meeting {
    int p, q;
};
__device__ inline Meeting meeting(int t, int r, int m) {
    if (t == 0) return {r, m - 1};
    int p = r + t, q = r - t;
    if (p >= m - 1) p -= m - 1;
    if (q < 0) q += m - 1;
    return {min(p, q), max(p, q)};
}

// rotation returns the cosine and sine of the smaller angle that takes [[a, b], [b, d]] to diagonal form:
// J = [[c, s], [-s, c]], J' M J diagonal.
__device__ inline void rotation(double a, double b, double d, double &c, double &s) {
    const double tau = (d - a) / (2 * b);
    const double t = copysign(1.0, tau) / (fabs(tau) + sqrt(1 + tau * tau));
    c = 1 / sqrt(1 + t * t);
    s = t * c;
}

// diagonalize turns a symmetric matrix g of even order m <= PAIR (rows PAIR_STRIDE apart) to diagonal form
// by cyclic two-sided rotations, which it applies to the rows of q as well: with q the unit matrix at the
// start its rows are the eigenvectors. All 256 threads of the block call it. Each round has m/2 rotations,
// of which a pair (i, j) turns the 2 x 2 block where they cross; so that g stays symmetric to the bit, one
// thread does both blocks. Entries below 2^-80, of matrices of norm about one, are zero. At the end the rows
// of q are made unit vectors again, so that the rounding of many rotations does not add up, and rank[i] is
// the position of g_ii among the diagonal, the largest first.
__device__ inline void diagonalize(double *g, double *q, int *rank, int m, int sweeps) {
    __shared__ double cosines[HALF], sines[HALF];
    __shared__ int turned;
    const int i = threadIdx.x / HALF, j = threadIdx.x % HALF, half = m / 2;
    for (int sweep = 0; sweep < sweeps; sweep++) {
        if (threadIdx.x == 0) turned = 0;
        __syncthreads();
        for (int round = 0; round < m - 1; round++) {
            if (threadIdx.x < half) {
                const Meeting of = meeting(threadIdx.x, round, m);
                const double a = g[of.p * PAIR_STRIDE + of.p], b = g[of.p * PAIR_STRIDE + of.q], d = g[of.q * PAIR_STRIDE + of.q];
                double c = 1, s = 0;
                if (fabs(b) > 0x1p-80 && fabs(b) > 0x1p-54 * sqrt(fabs(a)) * sqrt(fabs(d))) {
                    rotation(a, b, d, c, s);
                    atomicOr(&turned, 1);
                }
                cosines[threadIdx.x] = c;
                sines[threadIdx.x] = s;
            }
            __syncthreads();
            if (j <= i && i < half) {
                const Meeting rows = meeting(i, round, m), cols = meeting(j, round, m);
                const double ci = cosines[i], si = sines[i], cj = cosines[j], sj = sines[j];
                double *pp = g + rows.p * PAIR_STRIDE + cols.p, *pq = g + rows.p * PAIR_STRIDE + cols.q;
                double *qp = g + rows.q * PAIR_STRIDE + cols.p, *qq = g + rows.q * PAIR_STRIDE + cols.q;
                const double up = ci * *pp - si * *qp, uq = ci * *pq - si * *qq;
                const double lp = si * *pp + ci * *qp, lq = si * *pq + ci * *qq;
                *pp = cj * up - sj * uq;
                *qq = sj * lp + cj * lq;
                if (i == j) {
                    if (si != 0) *pq = *qp = 0;
                } else {
                    *pq = sj * up + cj * uq;
                    *qp = cj * lp - sj * lq;
                    g[cols.p * PAIR_STRIDE + rows.p] = *pp;
                    g[cols.q * PAIR_STRIDE + rows.p] = *pq;
                    g[cols.p * PAIR_STRIDE + rows.q] = *qp;
                    g[cols.q * PAIR_STRIDE + rows.q] = *qq;
                }
            }
            for (int at = threadIdx.x; at < half * m; at += SPECTRAL_THREADS) {
                const int t = at / m, column = at % m;
                const Meeting of = meeting(t, round, m);
                const double p = q[of.p * PAIR_STRIDE + column], l = q[of.q * PAIR_STRIDE + column];
                q[of.p * PAIR_STRIDE + column] = cosines[t] * p - sines[t] * l;
                q[of.q * PAIR_STRIDE + column] = sines[t] * p + cosines[t] * l;
            }
            __syncthreads();
        }
        const int again = turned;
        __syncthreads();
        if (!again) break;
    }
    for (int row = warp_index(); row < m; row += SPECTRAL_THREADS / WARP) {
        const double x = lane_index() < m ? q[row * PAIR_STRIDE + lane_index()] : 0.0;
        const double length = sqrt(warp_sum(x * x));
        if (lane_index() < m) q[row * PAIR_STRIDE + lane_index()] = x / length;
    }
    if (threadIdx.x < m) {
        const double own = g[threadIdx.x * (PAIR_STRIDE + 1)];
        int before = 0;
        for (int other = 0; other < m; other++) {
            const double x = g[other * (PAIR_STRIDE + 1)];
            before += x > own || (x == own && other < threadIdx.x);
        }
        rank[threadIdx.x] = before;
    }
    __syncthreads();
}

// ----- spectral_small: eigendecomposition for n <= 32 ---------------------------------------------------
//
// w holds the scaled matrices (shift 0) and becomes the eigenvectors, values the eigenvalues.
// Bytes: 16 n^2 + 8 n for each matrix; operations: 6 n^3 multiply-adds a sweep, 5 to 8 sweeps. Floor: the
// latency of 31 rounds a sweep, each the two barriers, a division and two roots, together some 500 cycles:
// about 0.1 ms for any number of matrices up to that of blocks on the device. The tuned kernel for larger
// matrices spends its time here as well. Its plain ancestor is spectral_plain.

extern "C" __global__ void __launch_bounds__(SPECTRAL_THREADS)
spectral_small_f64(double *w, double *values, int *status, const double *scales, int n, int matrices) {
    __shared__ __align__(16) double g[PAIR * PAIR_STRIDE], q[PAIR * PAIR_STRIDE];
    __shared__ int rank[PAIR];
    const int even = n + n % 2;
    for (int m = blockIdx.x; m < matrices; m += gridDim.x) {
        if (status[m]) continue;
        double *matrix = w + static_cast<long long>(m) * n * n;
        for (int at = threadIdx.x; at < even * even; at += SPECTRAL_THREADS) {
            const int i = at / even, j = at % even;
            g[i * PAIR_STRIDE + j] = i < n && j < n ? matrix[i * n + j] : 0.0;
            q[i * PAIR_STRIDE + j] = i == j;
        }
        __syncthreads();
        diagonalize(g, q, rank, even, SWEEPS);
        for (int at = threadIdx.x; at < n * n; at += SPECTRAL_THREADS) matrix[at] = q[at / n * PAIR_STRIDE + at % n];
        for (int i = threadIdx.x; i < n; i += SPECTRAL_THREADS) values[static_cast<long long>(m) * n + i] = g[i * PAIR_STRIDE + i] / scales[m];
        __syncthreads();
    }
}

// ----- spectral_round: one round of the block Jacobi method ---------------------------------------------
//
// The columns of W form `blocks` (even, the last may be empty) blocks of 16; in each of blocks - 1 rounds of
// a sweep every block meets another, one thread block for each pair of each matrix. It computes the
// 32 x 32 matrix of inner products of its columns, turns that to diagonal form in shared memory, and
// applies the rotations to the columns at once, the longest first: with the eigenvalues sorted the method
// needs 8 sweeps for a Gaussian kernel matrix of order 128, without 15 (counted on the simulated GPU).
// angles has SWEEPS words for each matrix: the largest |cos| between two columns that a sweep met, as the
// bits of a float, which for non-negative numbers order like integers. A sweep after one that met only
// orthogonal columns does nothing, so that the host launches SWEEPS of them without asking.
// Bytes: 2 * 32 * 8 n for each pair, 16 n^2 a round, from the cache of the device (W is 8 MB at n = 1024);
// operations: 2 * 1024 n multiply-adds for each pair. Floor: 2 n^3 / 16 * 16 multiply-adds a sweep at the
// rate of double precision, and for each round the latency of diagonalize on top; the second is the larger
// for n < 1024. Prediction, not measured: 50 us a round, 63 rounds and 8 to 10 sweeps, some 30 ms for n =
// 1024, 3 ms for n = 128.

extern "C" __global__ void __launch_bounds__(SPECTRAL_THREADS, 1)
spectral_round_f64(double *w, int *angles, const int *status, int n, int blocks, int round, int sweep, int matrices) {
    constexpr int CHUNK = 64;   // elements of every column at a time
    constexpr int WARPS = SPECTRAL_THREADS / WARP;
    __shared__ __align__(16) double part[CHUNK * PAIR_STRIDE];
    __shared__ __align__(16) double g[PAIR * PAIR_STRIDE];
    __shared__ int rank[PAIR];
    double *q = part;   // which the inner products no longer need
    const double enough = orthogonal_enough(n);
    const int items = blocks / 2 * matrices;
    for (int item = blockIdx.x; item < items; item += gridDim.x) {
        const int m = item / (blocks / 2);
        if (status[m]) continue;
        int *angle = angles + m * SWEEPS + sweep;
        if (sweep > 0 && __int_as_float(angle[-1]) <= static_cast<float>(enough)) continue;
        const Meeting of = meeting(item % (blocks / 2), round, blocks);
        if (of.q * HALF >= n) continue;   // the empty block
        double *matrix = w + static_cast<long long>(m) * n * n;
        // Column s of the pair, counted from 0 to 31, is row column(s) of the stored matrix if it is below n.
        const auto column = [&](int s) { return s < HALF ? of.p * HALF + s : of.q * HALF + s - HALF; };

        double sum[PAIR];
#pragma unroll
        for (int s = 0; s < PAIR; s++) sum[s] = 0;
        for (int r0 = 0; r0 < n; r0 += CHUNK) {
            __syncthreads();
#pragma unroll
            for (int at = threadIdx.x; at < PAIR * CHUNK; at += SPECTRAL_THREADS) {
                const int s = at / CHUNK, r = at % CHUNK;
                part[r * PAIR_STRIDE + s] = column(s) < n && r0 + r < n ? matrix[static_cast<long long>(column(s)) * n + r0 + r] : 0.0;
            }
            __syncthreads();
            for (int r = warp_index(); r < CHUNK; r += WARPS) {
                const double own = part[r * PAIR_STRIDE + lane_index()];
                const double2 *all = reinterpret_cast<const double2 *>(part + r * PAIR_STRIDE);
#pragma unroll
                for (int s = 0; s < PAIR / 2; s++) {
                    const double2 two = all[s];
                    sum[2 * s] = fma(own, two.x, sum[2 * s]);
                    sum[2 * s + 1] = fma(own, two.y, sum[2 * s + 1]);
                }
            }
        }
        for (int turn = 0; turn < WARPS; turn++) {   // the warps add their sums in order
            __syncthreads();
            if (warp_index() == turn)
#pragma unroll
                for (int s = 0; s < PAIR; s++) {
                    double *to = g + s * PAIR_STRIDE + lane_index();
                    *to = turn == 0 ? sum[s] : *to + sum[s];
                }
        }
        __syncthreads();

        double largest = 0;
        for (int at = threadIdx.x; at < PAIR * PAIR; at += SPECTRAL_THREADS) {
            const int i = at / PAIR, j = at % PAIR;
            const double lengths = sqrt(g[i * PAIR_STRIDE + i]) * sqrt(g[j * PAIR_STRIDE + j]);
            if (j < i && lengths > 0) largest = fmax(largest, fabs(g[i * PAIR_STRIDE + j]) / lengths);
        }
        largest = block_max(largest);
        if (threadIdx.x == 0) atomicMax(angle, __float_as_int(static_cast<float>(largest)));
        if (largest <= enough) continue;

        for (int at = threadIdx.x; at < PAIR * PAIR; at += SPECTRAL_THREADS) q[at / PAIR * PAIR_STRIDE + at % PAIR] = at / PAIR == at % PAIR;
        __syncthreads();
        diagonalize(g, q, rank, PAIR, 3);
        for (int r = threadIdx.x; r < n; r += SPECTRAL_THREADS) {
            double x[PAIR];
#pragma unroll
            for (int s = 0; s < PAIR; s++) x[s] = column(s) < n ? matrix[static_cast<long long>(column(s)) * n + r] : 0.0;
            for (int i = 0; i < PAIR; i++) {
                const int to = rank[i];
                const double2 *row = reinterpret_cast<const double2 *>(q + i * PAIR_STRIDE);
                double even = 0, odd = 0;
#pragma unroll
                for (int s = 0; s < PAIR / 2; s++) {
                    even = fma(row[s].x, x[2 * s], even);
                    odd = fma(row[s].y, x[2 * s + 1], odd);
                }
                if (column(to) < n) matrix[static_cast<long long>(column(to)) * n + r] = even + odd;
            }
        }
        __syncthreads();
    }
}

// spectral_values makes the rows of w unit vectors and their lengths eigenvalues; a matrix whose last sweep
// met columns that were not orthogonal has not converged. Bytes: 16 n^2, operations 3 n^2. Floor: memory.
extern "C" __global__ void __launch_bounds__(SPECTRAL_THREADS)
spectral_values_f64(double *w, double *values, int *status, const int *angles, const double *scales, int n, int matrices) {
    const long long rows = static_cast<long long>(matrices) * n;
    for (long long row = global_thread() / WARP; row < rows; row += global_threads() / WARP) {
        const int m = static_cast<int>(row / n);
        double *vector = w + row * n, sum = 0;
        for (int i = lane_index(); i < n; i += WARP) sum = fma(vector[i], vector[i], sum);
        const double length = sqrt(warp_sum(sum));
        for (int i = lane_index(); i < n; i += WARP) vector[i] /= length;
        if (lane_index() == 0) {
            values[row] = (length - SHIFT) / scales[m];
            if (row % n == 0 && status[m] == 0 && __int_as_float(angles[m * SWEEPS + SWEEPS - 1]) > static_cast<float>(orthogonal_enough(n))) status[m] = 3;
        }
    }
}

// ----- spectral_plain: the plain ancestor of spectral_small and spectral_round ----------------------------
//
// One block for each matrix of any order, one warp for each pair of columns, one-sided Jacobi on w in global
// memory with one rotation after the other: 6 n multiply-adds and 6 * 8 n bytes for each of n^2/2 pairs of a
// sweep, through one multiprocessor.

extern "C" __global__ void __launch_bounds__(SPECTRAL_THREADS) spectral_plain_f64(double *w, int *angles, const int *status, int n, int matrices) {
    __shared__ int largest;
    const double enough = orthogonal_enough(n);
    const int even = n + n % 2;
    for (int m = blockIdx.x; m < matrices; m += gridDim.x) {
        if (status[m]) continue;
        double *matrix = w + static_cast<long long>(m) * n * n;
        for (int sweep = 0; sweep < SWEEPS; sweep++) {
            __syncthreads();
            if (threadIdx.x == 0) largest = 0;
            __syncthreads();
            for (int round = 0; round < even - 1; round++) {
                for (int t = warp_index(); t < even / 2; t += block_warps()) {
                    const Meeting of = meeting(t, round, even);
                    if (of.q >= n) continue;
                    double *p = matrix + static_cast<long long>(of.p) * n, *q = matrix + static_cast<long long>(of.q) * n;
                    double pp = 0, pq = 0, qq = 0;
                    for (int i = lane_index(); i < n; i += WARP) {
                        pp = fma(p[i], p[i], pp);
                        pq = fma(p[i], q[i], pq);
                        qq = fma(q[i], q[i], qq);
                    }
                    pp = warp_sum(pp);
                    pq = warp_sum(pq);
                    qq = warp_sum(qq);
                    const double cosine = fabs(pq) / (sqrt(pp) * sqrt(qq));
                    if (lane_index() == 0) atomicMax(&largest, __float_as_int(static_cast<float>(cosine)));
                    if (cosine <= enough) continue;
                    double c, s;
                    rotation(pp, pq, qq, c, s);
                    for (int i = lane_index(); i < n; i += WARP) {
                        const double x = p[i], y = q[i];
                        p[i] = c * x - s * y;
                        q[i] = s * x + c * y;
                    }
                }
                __syncthreads();
            }
            if (__int_as_float(largest) <= static_cast<float>(enough)) break;
        }
        if (threadIdx.x == 0) angles[m * SWEEPS + SWEEPS - 1] = largest;
        __syncthreads();
    }
}

// ----- spectral_rule: f, the roots and the eigenvalues that divided differences are made of --------------
//
// delta = (30 + 2n) 2^-53 max|e| is what an eigenvalue is known up to; one within delta of zero counts as
// delta in a slope of rules 0 and 1. roots and clamped may be null, and status, for eigenvalues of an earlier call.
// Bytes: at most 32 n. Floor: the latency of a launch.

extern "C" __global__ void __launch_bounds__(SPECTRAL_THREADS)
spectral_rule_f64(double *f, double *roots, double *clamped, int *status, double *values, int n, int matrices, double eps, int rule) {
    const double nan = infinity<double>() - infinity<double>();
    for (int m = blockIdx.x; m < matrices; m += gridDim.x) {
        const long long first = static_cast<long long>(m) * n;
        if (status && status[m]) {
            for (int i = threadIdx.x; i < n; i += blockDim.x) f[first + i] = values[first + i] = nan;
            continue;
        }
        double largest = 0;
        for (int i = threadIdx.x; i < n; i += blockDim.x) largest = fmax(largest, fabs(values[first + i]));
        largest = block_max(largest);
        const double delta = fmax((30 + 2 * n) * 0x1p-53 * largest, 0x1p-1022);
        bool singular = false;
        for (int i = threadIdx.x; i < n; i += blockDim.x) {
            double e = values[first + i];
            const double positive = Maximum::combine(e, 0.0), root = rule == 1 ? sqrt(positive + eps) : sqrt(positive) + eps;
            f[first + i] = root > 0 ? 1 / root : nan;
            singular = singular || root == 0;
            if (!roots) continue;
            if (rule == 2) {
                clamped[first + i] = 0;
                roots[first + i] = root;
                continue;
            }
            if (e >= -delta) e = fmax(e, delta);
            clamped[first + i] = e;
            roots[first + i] = rule == 1 ? sqrt(Maximum::combine(e, 0.0) + eps) : sqrt(Maximum::combine(e, 0.0));
        }
        singular = __syncthreads_or(singular);
        if (status && singular && threadIdx.x == 0) status[m] = 2;
    }
}

// spectral_symmetrize computes (G + G')/2. Bytes: 16 n^2 (and G' by columns). Floor: memory.
extern "C" __global__ void __launch_bounds__(SPECTRAL_THREADS) spectral_symmetrize_f64(double *to, const double *g, int n, int matrices) {
    const long long elements = static_cast<long long>(n) * n;
    for (long long at = global_thread(); at < elements * matrices; at += global_threads()) {
        const long long first = at / elements * elements, i = (at - first) / n, j = (at - first) % n;
        to[at] = (g[at] + g[first + j * n + i]) / 2;
    }
}

// ----- spectral_product: C = op(A) diag(s) op(B) [o F], for each of a number of matrices of order n --------
//
// scale (s) null: ones; roots null: no F, else F from f = factors, roots and clamped; with mirror only the
// lower triangle is computed and copied to the upper one. Matrices with a status keep their C; status null: none has one.
// Bytes: 24 n^2; operations: n^3 multiply-adds (half of them with mirror). Floor: operations at the rate of
// double precision.
//
// spectral_product_plain: one thread for each element of C.
// spectral_product: a block computes 64 x 64 elements, a thread 4 x 4 of them, from strips of A and B of
// depth 16 in shared memory: 16 multiply-adds for four double2 loads, where the ancestor has 1 for two loads
// from the cache. Prediction: half of the floor for n >= 512, not measured.

constexpr int TILE = 64;
constexpr int DEPTH = 16;

struct Slopes {
    const double *factors, *roots, *clamped;
};

// divided_difference returns F_ij for eigenvalues i and j of all matrices.
__device__ inline double divided_difference(const Slopes &of, long long i, long long j) {
    const double e = of.clamped[i], d = of.clamped[j];
    if (e < 0 && d < 0) return 0;
    double slope = -of.factors[i] * of.factors[j] / (of.roots[i] + of.roots[j]);
    if (e < 0 || d < 0) slope *= fmax(e, d) / fabs(e - d);
    return slope;
}

// product_element finishes element (i, j) of matrix m and writes it.
__device__ inline void product_element(double *c, double x, int i, int j, int n, int m, const Slopes &slopes, int mirror) {
    if (i >= n || j >= n || (mirror && j > i)) return;
    const long long first = static_cast<long long>(m) * n * n;
    if (slopes.roots) x *= divided_difference(slopes, static_cast<long long>(m) * n + i, static_cast<long long>(m) * n + j);
    c[first + static_cast<long long>(i) * n + j] = x;
    if (mirror) c[first + static_cast<long long>(j) * n + i] = x;
}

// load_strip loads rows row0 .. row0 + 64 and columns k0 .. k0 + 16 of op(X) as strip[k][row].
__device__ inline void load_strip(double (*strip)[TILE + 2], const double *x, int transposed, int n, int row0, int k0, const double *scale) {
#pragma unroll
    for (int i = 0; i < TILE * DEPTH / SPECTRAL_THREADS; i++) {
        const int at = threadIdx.x + i * SPECTRAL_THREADS;
        const int row = transposed ? at % TILE : at / DEPTH, k = transposed ? at / TILE : at % DEPTH;
        double value = 0;
        if (row0 + row < n && k0 + k < n) {
            value = transposed ? x[static_cast<long long>(k0 + k) * n + row0 + row] : x[static_cast<long long>(row0 + row) * n + k0 + k];
            if (scale) value *= scale[k0 + k];
        }
        strip[k][row] = value;
    }
}

extern "C" __global__ void __launch_bounds__(SPECTRAL_THREADS)
spectral_product_f64(double *c, const double *a, const double *b, const int *status, int trans_a, int trans_b, int n, int matrices,
                     const double *scale, const double *factors, const double *roots, const double *clamped, int mirror) {
    __shared__ __align__(16) double left[DEPTH][TILE + 2], right[DEPTH][TILE + 2];
    const Slopes slopes = {factors, roots, clamped};
    const int tiles = (n + TILE - 1) / TILE, y = threadIdx.x / 16, x = threadIdx.x % 16;
    const long long items = static_cast<long long>(tiles) * tiles * matrices;
    for (long long item = blockIdx.x; item < items; item += gridDim.x) {
        const int m = static_cast<int>(item / (tiles * tiles)), tile = static_cast<int>(item % (tiles * tiles));
        const int i0 = tile / tiles * TILE, j0 = tile % tiles * TILE;
        if ((status && status[m]) || (mirror && j0 > i0)) continue;
        const long long first = static_cast<long long>(m) * n * n;
        double sum[4][4] = {};
        for (int k0 = 0; k0 < n; k0 += DEPTH) {
            __syncthreads();
            load_strip(left, a + first, trans_a, n, i0, k0, scale ? scale + static_cast<long long>(m) * n : nullptr);
            load_strip(right, b + first, !trans_b, n, j0, k0, nullptr);
            __syncthreads();
#pragma unroll
            for (int k = 0; k < DEPTH; k++) {
                const double2 *l = reinterpret_cast<const double2 *>(left[k]), *r = reinterpret_cast<const double2 *>(right[k]);
                const double2 l0 = l[y], l1 = l[16 + y], r0 = r[x], r1 = r[16 + x];
                const double ls[4] = {l0.x, l0.y, l1.x, l1.y}, rs[4] = {r0.x, r0.y, r1.x, r1.y};
#pragma unroll
                for (int i = 0; i < 4; i++)
#pragma unroll
                    for (int j = 0; j < 4; j++) sum[i][j] = fma(ls[i], rs[j], sum[i][j]);
            }
        }
#pragma unroll
        for (int i = 0; i < 4; i++)
#pragma unroll
            for (int j = 0; j < 4; j++)
                product_element(c, sum[i][j], i0 + 2 * y + i % 2 + i / 2 * 32, j0 + 2 * x + j % 2 + j / 2 * 32, n, m, slopes, mirror);
    }
}

extern "C" __global__ void __launch_bounds__(SPECTRAL_THREADS)
spectral_product_plain_f64(double *c, const double *a, const double *b, const int *status, int trans_a, int trans_b, int n, int matrices,
                           const double *scale, const double *factors, const double *roots, const double *clamped, int mirror) {
    const Slopes slopes = {factors, roots, clamped};
    const long long elements = static_cast<long long>(n) * n;
    for (long long at = global_thread(); at < elements * matrices; at += global_threads()) {
        const int m = static_cast<int>(at / elements), i = static_cast<int>(at % elements / n), j = static_cast<int>(at % n);
        if (status && status[m]) continue;
        const double *left = a + m * elements, *right = b + m * elements;
        double sum = 0;
        for (long long k = 0; k < n; k++) {
            const double l = trans_a ? left[k * n + i] : left[i * static_cast<long long>(n) + k];
            const double r = trans_b ? right[j * static_cast<long long>(n) + k] : right[k * n + j];
            sum = fma(scale ? l * scale[static_cast<long long>(m) * n + k] : l, r, sum);
        }
        product_element(c, sum, i, j, n, m, slopes, mirror);
    }
}
