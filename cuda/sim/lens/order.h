// Which accesses of the threads of a launch come one after another, whatever the order in which they take their turns.
//
// A clock counts launches, blocks, barriers and exchanges. An access carries its time. One of an earlier launch, or of
// the same block before a barrier, is over; one of another block of the launch is not. Between barriers a thread knows
// of each lane of its warp up to which time its accesses are over: an exchange tells the lanes of its mask what each of
// them knows, and that they all have come to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sim::lens {

class Order {
  public:
    void begin_launch(size_t threads);
    void begin_block() { began_block = between_barriers = ++now; }
    void barrier() { between_barriers = ++now; }
    void grid_barrier() { began_launch = ++now; } // what was before it might as well be another launch
    void exchange(int first, unsigned mask);

    uint32_t time() const { return now; }
    bool in_launch(uint32_t time) const { return time >= began_launch; }
    bool in_block(uint32_t time) const { return time >= began_block; }
    bool open(uint32_t time) const { return time >= between_barriers; }

    // over says whether what a thread of this block did at a time since the last barrier is over for another one.
    bool over(int thread, uint32_t time, int other) const
    {
        return thread == other || (thread / 32 == other / 32 && time < known[other][thread % 32]);
    }

  private:
    uint32_t now = 0, began_launch = 0, began_block = 0, between_barriers = 0;
    struct Lanes {
        uint32_t time[32] = {};
        uint32_t operator[](int lane) const { return time[lane]; }
    };
    std::vector<Lanes> known;
};

} // namespace sim::lens
