// Vectors of 16 bytes, and what is left of them at the end of a row.
#pragma once
#include "threads.cuh"

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
