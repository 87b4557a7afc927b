// The threads of a block as warps: what they did is kept until the lanes of a warp meet, and is then gone through as a
// GPU would, lanes at the same place together.
#pragma once

#include "access.h"
#include "requests.h"
#include "shadow.h"

namespace sim::lens {

// A Lane is a thread and what it did since its warp met.
struct Lane {
    std::vector<Step> steps;
    uint8_t depth = 0;
    bool ended = false;
};

class Warps {
  public:
    void begin_launch(size_t threads, uint32_t launch, Shadow &device);
    void end_launch();
    void begin_block();
    void grid_barrier(); // blocks wait for the longest of them

    // meet goes through the steps of a warp, or of all warps, that all of its lanes that have not ended have done.
    void meet(int first, unsigned mask);
    void meet_all();
    void ended(int thread);

    Lane &lane(int thread) { return lanes[thread]; }

  private:
    void go_through(int first);
    void request(const Step &step);

    std::vector<Lane> lanes;
    std::vector<uint64_t> cycles; // of the warps of the block
    uint64_t longest = 0;         // of the warps of the launch since the last grid barrier
    uint32_t launch = 0;
    Shadow *device = nullptr;
    std::vector<Part> parts;
    std::vector<int> who; // the lanes of the parts
};

} // namespace sim::lens
