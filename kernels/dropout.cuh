// Elements dropped at random (Srivastava et al. 2014).
//
//   y_i = factor x_i where word_i >= least, else 0          y may be x itself
//
// word_i is word i mod 4 of Philox4x32-10 (Salmon et al. 2011) of the counter (i / 4, stream, step) and the key seed:
// the same bits on every device.
//
// Bytes 2 s for an element, operations 10 multiplications of 32 by 32 bits; floor bytes / copy bandwidth.
// Prediction, not a measurement: 70% of the floor in fp32.
#pragma once
#include "vectors.cuh"

__device__ inline void philox(unsigned (&counter)[4], unsigned left, unsigned right) {
#pragma unroll
    for (int round = 0; round < 10; round++) {
        const unsigned long long first = 0xD2511F53ULL * counter[0], second = 0xCD9E8D57ULL * counter[2];
        counter[0] = static_cast<unsigned>(second >> 32) ^ counter[1] ^ left;
        counter[1] = static_cast<unsigned>(second);
        counter[2] = static_cast<unsigned>(first >> 32) ^ counter[3] ^ right;
        counter[3] = static_cast<unsigned>(first);
        left += 0x9E3779B9u;
        right += 0xBB67AE85u;
    }
}

template <class T>
__device__ inline void dropout(T *y, const T *x, long long elements, long long seed, long long step, int stream,
                               int least, T factor) {
    const unsigned long long key = seed, when = step;
    const bool wide = aligned16(x) && aligned16(y);
    for (long long block = global_thread(); block * 4 < elements; block += global_threads()) {
        unsigned words[4] = {static_cast<unsigned>(block), static_cast<unsigned>(stream), static_cast<unsigned>(when),
                             static_cast<unsigned>(when >> 32)};
        philox(words, static_cast<unsigned>(key), static_cast<unsigned>(key >> 32));
        constexpr int V = 16 / sizeof(T);
#pragma unroll
        for (int k = 0; k < 4; k += V) {
            const long long left = elements - block * 4 - k;
            const int count = static_cast<int>(left < V ? left : V);
            T v[V];
            load_some(v, x + block * 4 + k, count, wide);
#pragma unroll
            for (int i = 0; i < V; i++) v[i] = words[k + i] >= static_cast<unsigned>(least) ? v[i] * factor : T(0);
            store_some(y + block * 4 + k, v, count, wide);
        }
    }
}

#define DROPOUT(NAME, T)                                                                                               \
    extern "C" __global__ void __launch_bounds__(256)                                                                  \
    NAME(T *y, const T *x, long long elements, long long seed, long long step, int stream, int least, T factor) {      \
        dropout(y, x, elements, seed, step, stream, least, factor);                                                    \
    }
DROPOUT(dropout_f32, float)
DROPOUT(dropout_f64, double)
