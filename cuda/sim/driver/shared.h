// The shared memory of a block: static arrays and the dynamic part, poisoned before each block.
#pragma once

#include "lens.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sim {

// Static arrays are the thread-local variables of this library, those of all kernels together. To poison all
// of them before each block would cost more than most blocks, so the simulator learns which parts a kernel
// writes to: everything is poison when a launch begins, and what is not when it ends belongs to the kernel. To look
// at everything costs more than most launches, so it does that in the first launches of a kernel, and then in ever
// fewer of them.
class SharedArrays {
  public:
    void begin(const void *kernel);
    void before_block(uint64_t blocks_done);
    void end();
    lens::Range all() const { return {start, bytes}; }

  private:
    static constexpr size_t part = 256; // bytes that are learned together
    void locate();
    void learn();
    void poison_known() const;

    unsigned char *start = nullptr;
    size_t bytes = 0;
    struct Kernel {
        const void *which;
        unsigned launches = 0;
        std::vector<bool> known;    // parts that it writes to
        std::vector<size_t> first, last; // the same as ranges of parts
    };
    std::vector<Kernel> kernels;
    Kernel *now = nullptr;
    bool watching = false; // this launch
};

SharedArrays &shared_arrays();

// dynamic_shared_of returns room for the dynamic shared memory of a launch. It ends at a page that cannot be
// touched, so that what reaches beyond it is caught.
unsigned char *dynamic_shared_of(size_t bytes);

// beyond_dynamic_shared returns how far beyond the end an address lies, or -1 where it is something else.
long long beyond_dynamic_shared(uintptr_t address);

// poison fills shared memory with what is not a number.
void poison(unsigned char *start, size_t bytes);

} // namespace sim
