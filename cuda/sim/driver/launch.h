// Kernels, and the run of one launch.
#pragma once

#include "control.h"
#include "vectors.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sim {

struct Parameter {
    size_t bytes;
    size_t pointee; // bytes of what a pointer points to; 0 for a scalar
};

struct Kernel {
    const char *name;
    int max_threads; // of its launch bounds; 1024 where it has none
    std::vector<Parameter> parameters;
    void (*call)(const uint64_t *arguments); // each argument in eight bytes of its own
};

// kernels returns all kernels. list adds those of a file, when the library is loaded.
const std::vector<Kernel> &kernels();
bool list(const std::vector<Kernel> &of_file);

struct Launch {
    const Kernel *kernel;
    dim3 grid, block;
    size_t shared; // dynamic, in bytes
    std::vector<uint64_t> arguments;
    bool cooperative; // all blocks are there at the same time and may wait for each other
};

constexpr size_t default_shared = 48 << 10, most_shared = 227 << 10;

// check_launch reports what is wrong with the sizes of a launch; allowed is the most dynamic shared memory.
CUresult check_launch(const Launch &launch, size_t allowed);

// run_launch runs all blocks. What goes wrong is reported as a fault of the context.
void run_launch(const Launch &launch);

} // namespace sim
