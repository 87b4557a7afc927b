// What is known of a place in the code: the line of the source, and the arithmetic of its basic block.
#pragma once

#include "access.h"

#include <set>

namespace sim::lens {

// Arithmetic of a basic block, for a lane: additions, multiplications, comparisons, minima and maxima, a multiply-add
// as two; and divisions and square roots, which take longer.
struct Arithmetic {
    unsigned flops32 = 0, flops64 = 0, divisions32 = 0, divisions64 = 0;
};

// arithmetic_of returns what the build script counted in the instructions from a place to the next block.
Arithmetic arithmetic_of(Place block);

// line_of returns FILE:LINE of a place. learn_lines looks many of them up at once, which takes a second.
std::string line_of(Place place);
void learn_lines(const std::set<Place> &places);

} // namespace sim::lens
