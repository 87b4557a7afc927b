// Rounding of the factors of tensor cores: to 10 bits of mantissa, ties away from zero (cvt.rna.tf32), and
// to 7 bits, ties to even (cvt.rn.bf16x2).
#pragma once
#include "threads.cuh"

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
