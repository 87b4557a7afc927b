// Where a thread stands, barriers, and what the lanes of a warp do together. Each call names its place in the source by
// default arguments, for the reports and to tell one barrier from another.
#pragma once

#include "vectors.h"

#include <stdint.h>
#include <string.h>

#define SIM_PLACE const char *sim_file = __builtin_FILE(), int sim_line = __builtin_LINE()
#define SIM_HERE sim::Place{sim_file, sim_line}

// Where the running thread stands. The scheduler sets it at each switch.
extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;

namespace sim {

extern unsigned char *dynamic_shared;

// A place in the source of a kernel.
struct Place {
    const char *file;
    int line;
};

inline bool same(Place a, Place b) { return a.line == b.line && (a.file == b.file || strcmp(a.file, b.file) == 0); }

// What the lanes of a mask do together. All of them have to do the same.
enum class Exchange { synchronise, shuffle, vote, match };

// barrier waits for all threads of the block and returns how many of them brought true.
int barrier(bool brings, Place);

// grid_barrier waits for all threads of a cooperative launch. What is in shared memory is lost.
void grid_barrier(Place);

// exchange waits for all lanes of the mask. A shuffle returns the value of the lane source, a vote the mask of
// the lanes whose value is not 0, a match the mask of the lanes with the same value.
uint64_t exchange(Exchange, unsigned mask, uint64_t value, int source, Place);

// lane returns the position of the running thread in its warp.
int lane();

// trap ends the launch with an error.
[[noreturn]] void trap(Place);

template <class T> T shuffle(unsigned mask, T value, int source, Place place)
{
    static_assert(sizeof(T) <= 8, "a shuffle moves at most eight bytes");
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof value);
    bits = exchange(Exchange::shuffle, mask, bits, source, place);
    memcpy(&value, &bits, sizeof value);
    return value;
}

} // namespace sim

inline void __syncthreads(SIM_PLACE) { sim::barrier(false, SIM_HERE); }
inline int __syncthreads_count(int p, SIM_PLACE) { return sim::barrier(p != 0, SIM_HERE); }
inline int __syncthreads_or(int p, SIM_PLACE) { return sim::barrier(p != 0, SIM_HERE) > 0; }
inline int __syncthreads_and(int p, SIM_PLACE) { return sim::barrier(p == 0, SIM_HERE) == 0; }
inline void __syncwarp(unsigned mask = ~0u, SIM_PLACE)
{
    sim::exchange(sim::Exchange::synchronise, mask, 0, 0, SIM_HERE);
}
inline void __trap(SIM_PLACE) { sim::trap(SIM_HERE); }

inline unsigned __ballot_sync(unsigned mask, int p, SIM_PLACE)
{
    return unsigned(sim::exchange(sim::Exchange::vote, mask, p != 0, 0, SIM_HERE));
}
inline int __any_sync(unsigned mask, int p, SIM_PLACE)
{
    return sim::exchange(sim::Exchange::vote, mask, p != 0, 0, SIM_HERE) != 0;
}
inline int __all_sync(unsigned mask, int p, SIM_PLACE)
{
    return sim::exchange(sim::Exchange::vote, mask, p == 0, 0, SIM_HERE) == 0;
}
template <class T> unsigned __match_any_sync(unsigned mask, T value, SIM_PLACE)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof value);
    return unsigned(sim::exchange(sim::Exchange::match, mask, bits, 0, SIM_HERE));
}

// Where width is less than 32 each part of that many lanes is a warp of its own. A lane that would read beyond
// its part reads itself.
template <class T> T __shfl_sync(unsigned mask, T value, int source, int width = 32, SIM_PLACE)
{
    return sim::shuffle(mask, value, (sim::lane() & -width) | (source & (width - 1)), SIM_HERE);
}
template <class T> T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32, SIM_PLACE)
{
    const int me = sim::lane(), source = me ^ bits;
    return sim::shuffle(mask, value, (source & -width) > (me & -width) ? me : source, SIM_HERE);
}
template <class T> T __shfl_up_sync(unsigned mask, T value, unsigned apart, int width = 32, SIM_PLACE)
{
    const int me = sim::lane(), source = me - int(apart);
    return sim::shuffle(mask, value, source < (me & -width) ? me : source, SIM_HERE);
}
template <class T> T __shfl_down_sync(unsigned mask, T value, unsigned apart, int width = 32, SIM_PLACE)
{
    const int me = sim::lane(), source = me + int(apart);
    return sim::shuffle(mask, value, source > (me | (width - 1)) ? me : source, SIM_HERE);
}
