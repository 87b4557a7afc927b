// What an access of a kernel is, and what is counted of a kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace sim::lens {

enum class Space : uint8_t { device, shared };
enum class Kind : uint8_t { block, read, write, atomic }; // block: the begin of a basic block, no access

// A Place is where in the code of this library a callback returns to.
using Place = uint32_t;

// A Step is one thing that a thread did. Depth counts the functions that it was in.
struct Step {
    Place place;
    uint8_t depth;
    Kind kind;
    Space space;
    uint8_t bytes;
    uint64_t address;
};

// Requests are accesses of the lanes of a warp at one place at once. Of device memory they take 32-byte sectors, of
// shared memory turns; least is the fewest for the bytes that they want.
struct Requests {
    uint64_t number = 0, lanes = 0, took = 0, least = 0;
    void add(const Requests &r) { number += r.number, lanes += r.lanes, took += r.took, least += r.least; }
};

// Runs of a basic block by warps, and by lanes.
struct Runs {
    uint64_t warps = 0, lanes = 0;
};

// What all launches of a kernel did.
struct Totals {
    uint64_t launches = 0, blocks = 0, threads = 0;
    uint64_t read_sectors = 0, written_sectors = 0; // of device memory, each counted once a launch
    uint64_t exponentials32 = 0, exponentials64 = 0;
    uint64_t chain = 0; // cycles of the longest warp of a launch, see Warps::go_through, the sum over launches
    std::unordered_map<Place, Requests> requests[2]; // by space
    std::unordered_map<Place, Runs> runs;
};

// A Finding is a race between two places or a read of what was never written. Its example is the first of its kind at
// its places.
struct Finding {
    std::string what, example;
    uint64_t times = 0;
    std::string why; // of a race that is intended
};
struct FindingKey {
    std::string kernel, what;
    Place place, other;
    bool operator<(const FindingKey &k) const
    {
        return std::tie(kernel, what, place, other) < std::tie(k.kernel, k.what, k.place, k.other);
    }
};

// What was seen since the last report.
struct Seen {
    std::map<std::string, Totals> kernels;
    std::map<FindingKey, Finding> findings;
};
Seen &seen();

// The kernel of the running launch.
struct Running {
    std::string kernel;
    Totals *totals = nullptr;
};
Running &running();

} // namespace sim::lens
