// Arrays of several models that came up in one copy, brought to their places.
//
//   to_p[i] = from_p[i]      for 0 <= i < words of 16 bytes of piece p
//
// table has three numbers for a piece: its address, where it begins behind the table in words of 16 bytes, and how many
// it has. Block y takes piece y. It runs on the stream of copies, beside the kernels of the step before.
//
// Bytes: 32 a word; floor: copy bandwidth, of which the pieces are some hundred kB.
#pragma once
#include "threads.cuh"

extern "C" __global__ void __launch_bounds__(256) spread_uploads(const long long *table) {
    const long long *piece = table + 3 * blockIdx.y;
    int4 *to = reinterpret_cast<int4 *>(piece[0]);
    const int4 *from = reinterpret_cast<const int4 *>(table) + piece[1];
    for (long long i = global_thread(); i < piece[2]; i += global_threads()) to[i] = from[i];
}
