// Device memory: an arena that the host cannot touch, allocations between guard words, freed memory that is
// poisoned and kept for a while. Pinned host memory is registered here as well.
#pragma once

#include "context.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>

namespace sim {

// Patterns, repeated every four bytes. Each is not a number as float and, twice, as double.
constexpr uint32_t fresh_pattern = 0x7ff7f7f7, freed_pattern = 0x7ff3f3f3, guard_pattern = 0x7ff1d1d1,
                   shared_pattern = 0x7ff5f5f5;

struct Allocation {
    uint64_t serial;      // the how-many-th allocation of the process
    uintptr_t address;
    size_t bytes;
    uintptr_t start, end; // with guards
    const Context *owner;
    bool broken = false;  // its guards were reported already
};

class Memory {
  public:
    // allocate returns 0 where the device has not enough left.
    uintptr_t allocate(size_t bytes, const Context *owner);
    CUresult release(uintptr_t address, const char *call);
    void release_all(const Context *owner);
    size_t free_bytes(int device) const;

    void *allocate_host(size_t bytes);
    CUresult release_host(void *address, const char *call);
    bool is_pinned(const void *address, size_t bytes) const;

    // Where device memory may lie.
    uintptr_t first() const { return base; }
    uintptr_t beyond() const { return limit; }

    // find returns the allocation that holds the address (or ends there), or null.
    const Allocation *find(uintptr_t address) const;

    // check_range says whether [address, address+bytes) lies in one allocation; if not it is reported.
    bool check_range(uintptr_t address, size_t bytes, const char *what);

    // describe says what an address is: part of an allocation, freed, outside the device.
    std::string describe(uintptr_t address) const;

    // check_guards reports what was written beside an allocation; who names the kernel or call.
    bool check_guards(uintptr_t address, const std::string &who);
    void check_all(const std::string &who);
    // check_some is check_all for so many bytes of freed memory alone, others each time: all are checked once more when
    // they are used again.
    void check_some(const std::string &who, size_t freed_bytes);

    long long live() const { return (long long)allocations.size(); }
    long long live_bytes() const;
    long long live_host() const { return (long long)pinned.size(); }
    std::string describe_live() const;

    // While an Access lives, kernels and copies can reach device memory.
    class Access {
      public:
        Access();
        ~Access();
        Access(const Access &) = delete;
    };

  private:
    friend Memory &memory();
    Memory();
    void protect(bool reachable);
    bool guards_intact(Allocation &a, const std::string &who);
    bool check_freed(const Allocation &a);
    void leave_quarantine(size_t limit);
    uintptr_t take(size_t bytes);

    uintptr_t base = 0, used = 0, limit = 0; // the arena; nothing lies at or above used
    int accesses = 0;
    uint64_t serial = 0;
    std::map<uintptr_t, Allocation> allocations; // by address
    std::map<uintptr_t, size_t> holes;           // free ranges below used
    std::deque<Allocation> quarantine;           // freed, not to be used again yet
    size_t quarantined = 0, next_freed = 0;
    struct Pinned { size_t bytes; uint64_t serial; };
    std::map<uintptr_t, Pinned> pinned;
};

Memory &memory();

} // namespace sim
