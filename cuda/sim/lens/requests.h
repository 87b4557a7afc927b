// What a request of a warp takes.
#pragma once

#include "access.h"

namespace sim::lens {

// A Lane's part of a request: bytes from an address.
struct Part {
    uint64_t address;
    unsigned bytes;
};

// sectors_of returns the numbers of the 32-byte sectors that parts touch, ascending, each once.
const std::vector<uint64_t> &sectors_of(const std::vector<Part> &parts);

// least_sectors returns the fewest sectors that hold as many bytes as parts want together, each byte counted once.
uint64_t least_sectors(const std::vector<Part> &parts);

// turns_of returns how many turns shared memory needs: it has 32 banks of 4 bytes, and serves in a turn one word of
// each, to as many lanes as want it. Accesses of 8 bytes go by halves of a warp, those of 16 by quarters; lanes are
// those of the parts. Atomic accesses to one word take one turn each.
uint64_t turns_of(const std::vector<Part> &parts, const std::vector<int> &lanes, bool atomic);

// least_turns returns the turns without any conflict.
uint64_t least_turns(const std::vector<Part> &parts, const std::vector<int> &lanes);

} // namespace sim::lens
