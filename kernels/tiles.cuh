// Pieces of matrix products.
//
// A block computes a tile of BM x BN elements of a product, BK terms at a time: each stage of terms is
// brought from memory into registers while the stage before it is multiplied out of shared memory, and
// two stages alternate there, so that one barrier for each is enough. A thread owns TM x TN elements in
// groups of V rows and V columns, V elements being 16 bytes. Operands are kept term by term, [term][row],
// in lines that are padded by V against bank conflicts.
#pragma once
#include "vectors.cuh"

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
    __device__ const T *at(int r, int j) const {
        return table + (long long)(list ? list[(long long)r * p + j] : r) * d;
    }
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
    static constexpr int V = 16 / sizeof(T), PER_ROW = BK / V, CHUNKS = ROWS * PER_ROW,
                         PER = (CHUNKS + THREADS - 1) / THREADS;
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
    static constexpr int V = 16 / sizeof(T), PER_TERM = ROWS / V, CHUNKS = PER_TERM * BK / PAIR,
                         PER = (CHUNKS + THREADS - 1) / THREADS;
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
