// Small kernels for the tests of the simulator: correct ones, and one for each mistake that it must find.

// ---- correct ----

// out[block] = sum of the block's part of x, with shared memory and barriers. Block of 128.
extern "C" __global__ void __launch_bounds__(128) block_sum(float *out, const float *x, int n)
{
    __shared__ float part[128];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? x[i] : 0;
    __syncthreads();
    for (int apart = blockDim.x / 2; apart > 0; apart /= 2) {
        if (threadIdx.x < apart) part[threadIdx.x] += part[threadIdx.x + apart];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}

// out[i] = x[0] + ... + x[i] within each warp.
template <class T> __device__ T scan(T x)
{
    const int lane = threadIdx.x % 32;
    for (int apart = 1; apart < 32; apart *= 2) {
        const T before = __shfl_up_sync(0xffffffffu, x, apart);
        if (lane >= apart) x += before;
    }
    return x;
}
extern "C" __global__ void warp_scan(double *out, const double *x)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = scan(x[i]);
}

// counts[x[i] % 16]++ by atomics, first in a shared array of a template.
template <class T> __device__ void count(int *counts, const T *x, int n)
{
    __shared__ int mine[16];
    if (threadIdx.x < 16) mine[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[int(x[i]) % 16], 1);
    __syncthreads();
    if (threadIdx.x < 16) atomicAdd(&counts[threadIdx.x], mine[threadIdx.x]);
}
extern "C" __global__ void histogram(int *counts, const float *x, int n) { count(counts, x, n); }

// out[i] = x[size - 1 - i] through dynamic shared memory, in two dimensions of threads.
extern "C" __global__ void turn(float *out, const float *x, int size)
{
    DYNAMIC_SHARED(float, tile);
    const int i = threadIdx.y * blockDim.x + threadIdx.x;
    if (i < size) tile[i] = x[i];
    __syncthreads();
    if (i < size) out[i] = tile[size - 1 - i];
}

// Votes, matches and shuffles of parts of a warp; out has one int for each of 32 threads.
extern "C" __global__ void lanes(int *out)
{
    const int lane = threadIdx.x;
    int r = 0;
    if (__ballot_sync(~0u, lane % 2) == 0xaaaaaaaau) r |= 1;
    if (lane < 8) {
        if (__shfl_sync(0xffu, lane, 3) == 3) r |= 2;
        __syncwarp(0xffu);
    } else {
        if (__shfl_xor_sync(0xffffff00u, lane, 1) == (lane ^ 1)) r |= 2;
    }
    if (__shfl_down_sync(~0u, lane, 5, 16) == (lane % 16 + 5 < 16 ? lane + 5 : lane)) r |= 4;
    if (__match_any_sync(~0u, lane % 4) == 0x11111111u << lane % 4) r |= 8;
    if (__syncthreads_count(lane < 10) == 10) r |= 16;
    if (__any_sync(~0u, lane == 7) && !__all_sync(~0u, lane == 7)) r |= 32;
    out[lane] = r;
}

// Every thread hands its number on to the thread of the same place in the next block, a number of times. x has room for
// the numbers twice.
extern "C" __global__ void hand_on(int *x, int *arrived, int times)
{
    int barriers = 0;
    const int n = gridDim.x * blockDim.x, here = blockIdx.x * blockDim.x + threadIdx.x, next = (here + blockDim.x) % n;
    int mine = here;
    for (int i = 0; i < times; i++) {
        x[i % 2 * n + next] = mine;
        GRID_BARRIER(arrived, barriers);
        mine = x[i % 2 * n + here];
    }
    GRID_BARRIER(arrived, barriers);
    x[here] = mine;
}

// out[i] = value: no thread waits.
extern "C" __global__ void set(float *out, float value, long long n)
{
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n; i += gridDim.x * (long long)blockDim.x)
        out[i] = value;
}

// out[i] += 1.
extern "C" __global__ void increment(float *out, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] += 1;
}

// ---- mistaken ----

extern "C" __global__ void divergent_barrier(float *x)
{
    if (threadIdx.x < 40) {
        x[threadIdx.x] = 1;
        __syncthreads();
    } else {
        x[threadIdx.x] = 2;
        __syncthreads();
    }
}

extern "C" __global__ void barrier_after_return(float *x, int n)
{
    if (threadIdx.x >= n) return;
    x[threadIdx.x] = 1;
    __syncthreads();
}

extern "C" __global__ void barrier_against_warp(float *x)
{
    if (threadIdx.x < 7) __syncthreads();
    x[threadIdx.x] = __shfl_down_sync(~0u, x[threadIdx.x], 1);
    __syncthreads();
}

extern "C" __global__ void shuffle_with_ended_lane(float *x)
{
    if (threadIdx.x == 9) return;
    x[threadIdx.x] = __shfl_xor_sync(~0u, x[threadIdx.x], 1);
}

extern "C" __global__ void shuffle_outside_mask(float *x)
{
    if (threadIdx.x < 16) x[threadIdx.x] = __shfl_sync(0xffffu, x[threadIdx.x], 20);
}

extern "C" __global__ void lane_not_in_mask(float *x)
{
    x[threadIdx.x] = __shfl_xor_sync(0xffffu, x[threadIdx.x], 1);
}

// The first block does not wait for the others.
extern "C" __global__ void grid_barrier_without_a_block(int *arrived)
{
    int barriers = 0;
    if (blockIdx.x > 0) GRID_BARRIER(arrived, barriers);
}

// The result depends on the order in which the warps run.
extern "C" __global__ void missing_barrier(float *out)
{
    __shared__ float part[256];
    part[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = part[blockDim.x - 1 - threadIdx.x];
}

// The result is what is found in shared memory.
extern "C" __global__ void uninitialised_shared(float *out)
{
    __shared__ float part[64];
    DYNAMIC_SHARED(float, more);
    out[threadIdx.x] = part[threadIdx.x];
    out[threadIdx.x + 32] = more[threadIdx.x];
    __syncthreads();
    part[threadIdx.x] = more[threadIdx.x] = 1;
}

extern "C" __global__ void write_at(float *x, long long i) { x[i] = 1; }
extern "C" __global__ void read_at(float *out, const float *x, long long i) { out[threadIdx.x] = x[i]; }
extern "C" __global__ void shared_at(float *out, int i)
{
    DYNAMIC_SHARED(float, part);
    part[i] = 1;
    out[0] = part[0];
}
extern "C" __global__ void static_at(float *out, int i)
{
    __shared__ float part[8];
    part[i] = 1;
    out[0] = part[i];
}
extern "C" __global__ void divide(int *out, int by) { out[0] = 100 / by; }
extern "C" __global__ void overflow(int *out, int a) { out[0] = 2147483000 + a; }
__device__ int deep(int n, volatile int *p)
{
    volatile int room[1024];
    room[n % 1024] = *p;
    return n == 0 ? room[0] : deep(n - 1, room + n % 1024) + room[1];
}
extern "C" __global__ void full_stack(int *out) { out[0] = deep(100000, out); }
