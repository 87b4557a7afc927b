// What the simulator tells the lens, which watches every load and store of the kernels. Only a library that was built
// with it (build.sh --lens) has the lens; elsewhere nothing is told.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#if defined(GROVE_LENS)
#define LENS(call) sim::lens::call
#else
#define LENS(call) ((void)0)
#endif

namespace sim::lens {

// Device memory: what is allocated was never written; what is uploaded or filled was; a copy is as its source.
void allocated(uintptr_t address, size_t bytes);
void written(uintptr_t address, size_t bytes);
void copied(uintptr_t to, uintptr_t from, size_t bytes);

// A launch, with the memory that its blocks share, and a block of it.
struct Range {
    const void *start;
    size_t bytes;
};
void begin_launch(const char *kernel, uint64_t blocks, size_t threads, Range arrays, Range dynamic);
void end_launch();
void begin_block();
void end_block();

// The thread that runs from now on, by its number in the block; its end; and where threads wait for each other: all of
// the block, or lanes of the warp that begins with a thread.
void runs(int thread);
void ended(int thread);
void barrier();
void grid_barrier();
void exchange(int first, unsigned mask);

// The reads and writes of the running thread are atomic from now on, or no longer. The race of its next read or write
// is intended for a reason that the report gives.
void atomic(bool begins);
void intended(const char *why);

// report writes what was counted and found since the last report, as JSON.
void report(std::string &to);

} // namespace sim::lens
