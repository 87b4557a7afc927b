// Kernels with one defect each, and their mended twins: what the lens must find, and where it must be silent. With
// mended the defect is not there.

// Threads of a block read what others wrote.
extern "C" __global__ void race_in_block(float *out, int mended)
{
    __shared__ float part[64];
    part[threadIdx.x] = threadIdx.x;
    if (mended) __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = part[63 - threadIdx.x];
}

// Threads write over what others read.
extern "C" __global__ void race_after_read(float *x, int mended)
{
    const float v = x[threadIdx.x ^ 32];
    if (mended) __syncthreads();
    x[threadIdx.x] = v;
}

// Every block writes to the same word.
extern "C" __global__ void race_between_blocks(int *out, int mended)
{
    if (threadIdx.x == 0) out[mended ? blockIdx.x : 0] = blockIdx.x;
}

// Every block reads what the next one wrote.
extern "C" __global__ void race_between_blocks_together(int *x, int *arrived, int mended)
{
    int barriers = 0;
    if (threadIdx.x == 0) x[blockIdx.x] = blockIdx.x;
    if (mended) GRID_BARRIER(arrived, barriers);
    if (threadIdx.x == 0) x[8 + blockIdx.x] = x[(blockIdx.x + 1) % gridDim.x];
}

// Lanes of a warp read what others wrote in a step before.
extern "C" __global__ void race_in_warp(float *out, int mended)
{
    __shared__ float part[32];
    part[threadIdx.x] = threadIdx.x;
    if (mended) __syncwarp();
    out[blockIdx.x * 32 + threadIdx.x] = part[threadIdx.x ^ 1];
}

// The halves of a warp wait for themselves, and mended the whole warp does, by a shuffle.
extern "C" __global__ void race_of_halves(float *out, int mended)
{
    __shared__ float part[32];
    part[threadIdx.x] = threadIdx.x;
    if (mended) __shfl_xor_sync(~0u, threadIdx.x, 1);
    else __syncwarp(threadIdx.x < 16 ? 0xffffu : 0xffff0000u);
    out[threadIdx.x] = part[threadIdx.x ^ 16];
}

// All threads count, one of them without an atomic operation.
extern "C" __global__ void race_with_atomics(int *count, int mended)
{
    if (threadIdx.x == 7 && !mended) *count = *count + 1;
    else atomicAdd(count, 1);
}

// A glance at what others change is intended.
extern "C" __global__ void intended_race(int *most, int mended)
{
    const int i = threadIdx.x;
    if (mended ? i > (RACE_IS_INTENDED("it only saves work") *most) : i > *most) atomicMax(most, i);
}

// out = x, of which the host may have written nothing.
extern "C" __global__ void reads_device(float *out, const float *x) { out[threadIdx.x] = x[threadIdx.x]; }

// Half of the array is never written.
extern "C" __global__ void reads_shared(float *out, int mended)
{
    __shared__ float part[64];
    if (threadIdx.x < 32 || mended) part[threadIdx.x] = 1;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = part[threadIdx.x];
}

// Neighbours read floats that lie stride apart.
extern "C" __global__ void strided(float *out, const float *x, int stride)
{
    out[threadIdx.x] = x[threadIdx.x * stride];
}

// The lanes of a warp read a column of a matrix in shared memory.
extern "C" __global__ void column(float *out, int width)
{
    DYNAMIC_SHARED(float, tile);
    for (int i = threadIdx.x; i < 32 * width; i += 32) tile[i] = i;
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x * width];
}

// Vectors of 16 bytes through shared memory.
extern "C" __global__ void vectors(float4 *out, const float4 *x)
{
    __shared__ float4 tile[32];
    tile[threadIdx.x] = x[threadIdx.x];
    __syncwarp();
    const float4 v = tile[threadIdx.x ^ 1];
    out[threadIdx.x] = make_float4(v.w, v.z, v.y, v.x);
}

// Every lane goes its own way.
extern "C" __global__ void divergent(float *out, int mended)
{
    float v = 0;
    for (int i = 0; i < 32; i++)
        if (mended || i == threadIdx.x) v += out[i * 32 + threadIdx.x];
    out[threadIdx.x] = v;
}

// Lanes go around the inner loop for different times, and meet behind it each time.
extern "C" __global__ void meets_again(float *out, const float *x, int n)
{
    float v = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < threadIdx.x % 4; j++) v += x[j * 32 + threadIdx.x];
        v += x[128 + i * 32 + threadIdx.x];
    }
    out[threadIdx.x] = v;
}

// Three exponentials a thread, and two additions of float64.
extern "C" __global__ void arithmetic(double *out, double x)
{
    out[threadIdx.x] = exp2(x) + exp(x * threadIdx.x) + exp2f(threadIdx.x);
}
