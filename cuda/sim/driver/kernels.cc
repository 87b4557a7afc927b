// A file of kernels in the simulator's words, and the list of its entry points, which the build script writes.
#include "registry.h" // before the words: the standard library uses some of them

#include "words.h"

#include GROVE_KERNELS

namespace {

const bool listed = sim::list({
#define SIM_KERNEL(name, ...)                                                                                          \
    {#name, sim::first(__VA_ARGS__), sim::Caller<&name>::parameters(), &sim::Caller<&name>::call},
#include GROVE_LIST
});

} // namespace
