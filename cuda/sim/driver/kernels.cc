// kernels.cu in the simulator's words, and the list of its entry points, which the build script writes.
#include "registry.h" // before the words: the standard library uses some of them

#include "words.h"

#include GROVE_KERNELS

namespace sim {

const std::vector<Kernel> &kernels()
{
    static auto *all = new std::vector<Kernel>{
#define SIM_KERNEL(name, ...) {#name, first(__VA_ARGS__), Caller<&name>::parameters(), &Caller<&name>::call},
#include "kernels.inc"
    };
    return *all;
}

} // namespace sim
