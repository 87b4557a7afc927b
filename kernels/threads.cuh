// What all sections share: threads, reductions, scalars.
//
// Shapes are row-major. Every kernel loops over its grid, so that any launch covers any size:
//
//     for (long long i = global_thread(); i < n; i += global_threads()) ...
//
// Reductions combine values in one fixed order (a butterfly inside a warp, then the warps in order
// of their index), so that equal inputs give equal bits. Blocks are one-dimensional and their size
// is a multiple of 32 wherever a function below exchanges values between threads.
#pragma once

constexpr int WARP = 32;                       // threads of a warp
constexpr unsigned ALL_LANES = 0xffffffffu;    // mask of a full warp

// DYNAMIC_SHARED(T, name) declares T *name: the shared memory whose size is given at launch, aligned to
// 16 bytes. The simulator brings its own meaning.
#ifndef DYNAMIC_SHARED
#define DYNAMIC_SHARED(T, name)                                      \
    extern __shared__ __align__(16) unsigned char dynamic_shared[];  \
    T *name = reinterpret_cast<T *>(dynamic_shared)
#endif

// RACE_IS_INTENDED(why) stands before a read of what others may write to at the same time. The lens of the simulator
// reports the reason in place of the race.
#ifndef RACE_IS_INTENDED
#define RACE_IS_INTENDED(why)
#endif

// GRID_BARRIER(arrived, barriers) waits for all threads of a cooperative launch: what they wrote to device memory
// before it is there behind it, what is in shared memory is not to be relied on. arrived is a word of device memory
// that was zero at the launch; barriers is zero at first, and counts them. The simulator brings its own meaning.
#ifndef GRID_BARRIER
#define GRID_BARRIER(arrived, barriers) grid_barrier(arrived, barriers)
__device__ inline void grid_barrier(int *arrived, int &barriers) {
    barriers++;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(arrived, 1);
        while (*static_cast<volatile int *>(arrived) < barriers * static_cast<int>(gridDim.x)) {}
        __threadfence();
    }
    __syncthreads();
}
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

// kept returns x, which the compiler then holds in a register in place of computing it anew at every use.
__device__ inline int kept(int x) {
    asm volatile("" : "+r"(x));
    return x;
}

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
