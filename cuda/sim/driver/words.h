// CUDA's words for a C++ compiler. This header is included before the kernels and says what a kernel may use when one
// fiber runs for each thread of a block, and blocks run one after another or, in a cooperative launch, in turns.
#pragma once

#include "lens.h"
#include "vectors.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define __global__
#define __device__
#define __host__
#define __constant__ static const
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))

// The build script's list of kernels carries the bounds.
#define __launch_bounds__(...)

// Shared arrays are the only thread-local variables of the library, so that all of them lie in one stretch of
// memory, templates included; it is poisoned before each block.
#define __shared__ static thread_local
#define DYNAMIC_SHARED(T, name) T *name = reinterpret_cast<T *>(sim::dynamic_shared)

// A kernel's own barrier over the grid would wait for blocks that do not run.
#define GRID_BARRIER(arrived, barriers) (++barriers, sim::grid_barrier({__FILE__, __LINE__}))

constexpr int warpSize = 32;

#include "lanes.h"

// Fences order nothing that is not in order already: threads switch only where they wait.
inline void __threadfence() {}
inline void __threadfence_block() {}
inline void __threadfence_system() {}

// RACE_IS_INTENDED(why) stands before an expression whose first read or write may race with others: the lens notes the
// reason in place of the race.
#define RACE_IS_INTENDED(why) LENS(intended(why)),

namespace sim {
struct Atomic {
    Atomic() { LENS(atomic(true)); }
    ~Atomic() { LENS(atomic(false)); }
};
} // namespace sim

// For the same reason a plain read and write is atomic. Only the types that CUDA has, and no floating point:
// sums of it would depend on the order of threads.
#define SIM_ATOMICS(T)                                                                       \
    inline T atomicAdd(T *p, T x) { sim::Atomic a; T old = *p; *p = old + x; return old; }                   \
    inline T atomicMax(T *p, T x) { sim::Atomic a; T old = *p; *p = old > x ? old : x; return old; }         \
    inline T atomicMin(T *p, T x) { sim::Atomic a; T old = *p; *p = old < x ? old : x; return old; }         \
    inline T atomicOr(T *p, T x) { sim::Atomic a; T old = *p; *p = old | x; return old; }                    \
    inline T atomicAnd(T *p, T x) { sim::Atomic a; T old = *p; *p = old & x; return old; }                   \
    inline T atomicXor(T *p, T x) { sim::Atomic a; T old = *p; *p = old ^ x; return old; }                   \
    inline T atomicExch(T *p, T x) { sim::Atomic a; T old = *p; *p = x; return old; }                        \
    inline T atomicCAS(T *p, T want, T x) { sim::Atomic a; T old = *p; if (old == want) *p = x; return old; }
SIM_ATOMICS(unsigned)
SIM_ATOMICS(unsigned long long)
SIM_ATOMICS(int)
#undef SIM_ATOMICS
inline int atomicSub(int *p, int x) { sim::Atomic a; int old = *p; *p = old - x; return old; }
inline unsigned atomicSub(unsigned *p, unsigned x) { sim::Atomic a; unsigned old = *p; *p = old - x; return old; }
inline long long atomicMax(long long *p, long long x)
{
    sim::Atomic a;
    const long long old = *p;
    *p = old > x ? old : x;
    return old;
}
inline long long atomicMin(long long *p, long long x)
{
    sim::Atomic a;
    const long long old = *p;
    *p = old < x ? old : x;
    return old;
}

// Loads and stores with a hint for the cache.
template <class T> T __ldg(const T *p) { return *p; }
template <class T> T __ldca(const T *p) { return *p; }
template <class T> T __ldcg(const T *p) { return *p; }
template <class T> T __ldcs(const T *p) { return *p; }
template <class T> T __ldlu(const T *p) { return *p; }
template <class T> T __ldcv(const T *p) { return *p; }
template <class T> void __stwb(T *p, T x) { *p = x; }
template <class T> void __stcg(T *p, T x) { *p = x; }
template <class T> void __stcs(T *p, T x) { *p = x; }
template <class T> void __stwt(T *p, T x) { *p = x; }

// min and max by the overloads of CUDA.
#define SIM_MIN_MAX(T)                                     \
    constexpr T min(T a, T b) { return b < a ? b : a; }    \
    constexpr T max(T a, T b) { return a < b ? b : a; }
SIM_MIN_MAX(int)
SIM_MIN_MAX(unsigned)
SIM_MIN_MAX(long)
SIM_MIN_MAX(unsigned long)
SIM_MIN_MAX(long long)
SIM_MIN_MAX(unsigned long long)
#undef SIM_MIN_MAX
constexpr unsigned min(int a, unsigned b) { return min(unsigned(a), b); }
constexpr unsigned min(unsigned a, int b) { return min(a, unsigned(b)); }
constexpr unsigned max(int a, unsigned b) { return max(unsigned(a), b); }
constexpr unsigned max(unsigned a, int b) { return max(a, unsigned(b)); }
constexpr long long min(int a, long long b) { return min((long long)a, b); }
constexpr long long min(long long a, int b) { return min(a, (long long)b); }
constexpr long long max(int a, long long b) { return max((long long)a, b); }
constexpr long long max(long long a, int b) { return max(a, (long long)b); }
inline float min(float a, float b) { return fminf(a, b); }
inline float max(float a, float b) { return fmaxf(a, b); }
inline double min(double a, double b) { return fmin(a, b); }
inline double max(double a, double b) { return fmax(a, b); }
inline double min(float a, double b) { return fmin(a, b); }
inline double min(double a, float b) { return fmin(a, b); }
inline double max(float a, double b) { return fmax(a, b); }
inline double max(double a, float b) { return fmax(a, b); }

// Bits.
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(unsigned(x)); }
inline int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll((unsigned long long)x); }
inline unsigned __brev(unsigned x)
{
    unsigned r = 0;
    for (int i = 0; i < 32; i++) r |= (x >> i & 1u) << (31 - i);
    return r;
}
inline unsigned __umulhi(unsigned a, unsigned b) { return unsigned((unsigned long long)a * b >> 32); }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned n)
{
    return n % 32 ? high << n % 32 | low >> (32 - n % 32) : high;
}

namespace sim {
template <class To, class From> To bits_as(From x)
{
    static_assert(sizeof(To) == sizeof(From), "the sizes differ");
    To y;
    memcpy(&y, &x, sizeof y);
    return y;
}
} // namespace sim
inline int __float_as_int(float x) { return sim::bits_as<int>(x); }
inline unsigned __float_as_uint(float x) { return sim::bits_as<unsigned>(x); }
inline float __int_as_float(int x) { return sim::bits_as<float>(x); }
inline float __uint_as_float(unsigned x) { return sim::bits_as<float>(x); }
inline long long __double_as_longlong(double x) { return sim::bits_as<long long>(x); }
inline double __longlong_as_double(long long x) { return sim::bits_as<double>(x); }

// Exponentials are counted as they are evaluated.
namespace sim {
extern long long single_exponentials, double_exponentials;
}
#define expf(x) (sim::single_exponentials++, expf(x))
#define exp2f(x) (sim::single_exponentials++, exp2f(x))
#define exp(x) (sim::double_exponentials++, exp(x))
#define exp2(x) (sim::double_exponentials++, exp2(x))

// Mathematics that C++ lacks or names otherwise. The fast variants are the exact ones here.
inline float rsqrtf(float x) { return 1 / sqrtf(x); }
inline double rsqrt(double x) { return 1 / sqrt(x); }
inline float rsqrt(float x) { return 1 / sqrtf(x); }
inline float __expf(float x) { return expf(x); }
inline float __exp10f(float x) { return powf(10, x); }
inline float __logf(float x) { return logf(x); }
inline float __log2f(float x) { return log2f(x); }
inline float __powf(float x, float y) { return powf(x, y); }
inline float __sinf(float x) { return sinf(x); }
inline float __cosf(float x) { return cosf(x); }
inline float __fdividef(float a, float b) { return a / b; }
inline float __saturatef(float x) { return x > 0 ? (x < 1 ? x : 1) : 0; }
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __frcp_rn(float x) { return 1 / x; }
inline float __fsqrt_rn(float x) { return sqrtf(x); }
inline float __frsqrt_rn(float x) { return 1 / sqrtf(x); }
inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dsub_rn(double a, double b) { return a - b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline double __drcp_rn(double x) { return 1 / x; }
inline double __dsqrt_rn(double x) { return sqrt(x); }
inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }
inline int __float2int_rn(float x) { return int(rintf(x)); }
inline int __float2int_rd(float x) { return int(floorf(x)); }
inline int __float2int_ru(float x) { return int(ceilf(x)); }
inline int __float2int_rz(float x) { return int(x); }
inline int __double2int_rn(double x) { return int(rint(x)); }
inline long long __float2ll_rn(float x) { return llrintf(x); }
inline long long __double2ll_rn(double x) { return llrint(x); }
inline float __int2float_rn(int x) { return float(x); }
inline float __ll2float_rn(long long x) { return float(x); }
inline double __ll2double_rn(long long x) { return double(x); }
inline float __double2float_rn(double x) { return float(x); }
