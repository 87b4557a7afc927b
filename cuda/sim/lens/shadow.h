// What is remembered of a stretch of memory: for each word who wrote to it and who read it last, and for each byte
// whether it was ever written.
#pragma once

#include "access.h"
#include "order.h"

namespace sim::lens {

// The last write to a word of four bytes and the reads since the last barrier. Several readers are summed up: lanes of
// one warp as a mask, more than a warp and other blocks as such. Where two threads write to different bytes of a word
// between two barriers, only the later one is remembered.
struct Word {
    uint32_t wrote_at, read_at; // times
    Place wrote, read;
    uint32_t readers;           // lanes
    uint16_t writer, read_warp; // thread, warp
    uint8_t wrote_bytes : 4, read_bytes : 4;
    bool wrote_atomically : 1, several_wrote : 1, other_blocks_wrote : 1, several_warps_read : 1, other_blocks_read : 1;
};

// An Access is one of a thread to some bytes; intended is the reason of a race, where it is.
struct Access {
    int thread;
    Kind kind;
    Place place;
    const char *intended;
    uintptr_t address;
    unsigned bytes;
};

class Shadow {
  public:
    Shadow(Space space, const char *name) : space(space), name(name) {}

    // over makes place for a stretch. Its words are as new.
    void over(uintptr_t start, size_t bytes);
    bool holds(uintptr_t address) const { return address - start < bytes; }
    uint64_t offset(uintptr_t address) const { return address - start; }

    void set_written(uintptr_t address, size_t bytes, bool written);
    void copy_written(uintptr_t to, uintptr_t from, size_t bytes);
    void forget_all() { set_written(start, bytes, false); }

    // check notes an access and reports what is wrong with it.
    void check(const Order &order, const Access &access);

    // first_touch says whether a sector of 32 bytes is read, or written, for the first time in a launch.
    bool first_touch(uint64_t sector, Kind kind, uint32_t launch)
    {
        uint32_t &last = touched[2 * sector + (kind != Kind::read)];
        const bool first = last != launch;
        last = launch;
        return first;
    }

    const Space space;

  private:
    // current says whether what happened at a time may matter: shared memory is that of one block.
    bool current(const Order &order, uint32_t time) const
    {
        return space == Space::device ? order.in_launch(time) : order.in_block(time);
    }
    std::string example(const Access &access) const;
    void check_read(Word &w, const Order &order, const Access &access, uint8_t mask);
    void check_write(Word &w, const Order &order, const Access &access, uint8_t mask);
    void race(bool between_blocks, const char *what, const Access &access, Place other) const;

    const char *name;
    uintptr_t start = 0;
    size_t bytes = 0, capacity = 0;
    Word *words = nullptr;
    uint8_t *written = nullptr;  // four bits a word
    uint32_t *touched = nullptr; // two launches a sector
};

} // namespace sim::lens
