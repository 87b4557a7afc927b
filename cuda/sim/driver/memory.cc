#include "memory.h"

#include "lens.h"
#include "sanitizer.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

namespace sim {
namespace {

constexpr size_t page = 4096, guard_bytes = 512, alignment = 256;
constexpr size_t arena_bytes = size_t(256) << 30; // address space, not memory
constexpr size_t quarantine_bytes = size_t(16) << 20;
constexpr size_t kept_bytes = size_t(128) << 20; // free at the end of the arena, which keep their memory
// The arena grows by large pages, which makes it quick to protect.
constexpr size_t large_page = size_t(2) << 20;
// Of an allocation that is larger than this, only so much is poisoned at either end; the rest is zero.
constexpr size_t poisoned_bytes = size_t(32) << 20;
// An address that is easy to recognise in a crash report; any other will do where it is taken.
void *const wanted_base = reinterpret_cast<void *>(0x300000000000);

uintptr_t round_up(uintptr_t x, uintptr_t to) { return (x + to - 1) / to * to; }

// The pattern's byte at an address.
unsigned char pattern_byte(uint32_t pattern, uintptr_t address)
{
    return (unsigned char)(pattern >> 8 * (address % 4));
}

UNSANITIZED void fill(uintptr_t from, uintptr_t to, uint32_t pattern)
{
    for (; from < to && from % 4; from++) *(volatile unsigned char *)from = pattern_byte(pattern, from);
    auto *words = reinterpret_cast<uint32_t *>(from);
    const size_t n = (to - from) / 4;
    for (size_t i = 0; i < n; i++) words[i] = pattern;
    for (from += 4 * n; from < to; from++) *(volatile unsigned char *)from = pattern_byte(pattern, from);
}

// first_changed returns the first address in [from, to) that does not hold the pattern, or to.
UNSANITIZED uintptr_t first_changed(uintptr_t from, uintptr_t to, uint32_t pattern)
{
    constexpr uintptr_t step = 256; // compared word by word, without a branch, which makes vectors of it
    for (; from < to && from % 4; from++)
        if (*(volatile unsigned char *)from != pattern_byte(pattern, from)) return from;
    for (; from + step <= to; from += step) {
        uint32_t changed = 0;
        for (uintptr_t i = 0; i < step; i += 4) changed |= *reinterpret_cast<const uint32_t *>(from + i) ^ pattern;
        if (changed) break;
    }
    for (; from < to; from++)
        if (*(volatile unsigned char *)from != pattern_byte(pattern, from)) return from;
    return to;
}

// fill_ends fills what is small whole, and of what is large only both ends; the middle gives its memory back.
void fill_ends(uintptr_t from, uintptr_t to, uint32_t pattern)
{
    if (to - from <= 2 * poisoned_bytes) return fill(from, to, pattern);
    const uintptr_t first = round_up(from + poisoned_bytes, large_page),
                    last = round_up(to - poisoned_bytes, large_page) - large_page;
    fill(from, first, pattern);
    fill(last, to, pattern);
    if (first < last) madvise(reinterpret_cast<void *>(first), last - first, MADV_DONTNEED);
}

uintptr_t first_changed_at_ends(uintptr_t from, uintptr_t to, uint32_t pattern)
{
    if (to - from <= 2 * poisoned_bytes) return first_changed(from, to, pattern);
    const uintptr_t first = from + poisoned_bytes, changed = first_changed(from, first, pattern);
    return changed < first ? changed : first_changed(to - poisoned_bytes, to, pattern);
}

std::string name(const Allocation &a)
{
    char text[128];
    snprintf(text, sizeof text, "allocation #%llu (%zu bytes at %#llx)", (unsigned long long)a.serial, a.bytes,
             (unsigned long long)a.address);
    return text;
}

} // namespace

Memory &memory()
{
    static Memory *m = new Memory; // never destroyed: Go may still call while the process ends
    return *m;
}

Memory::Memory()
{
    void *p = mmap(wanted_base, arena_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) {
        perror("simulated GPU: no address space for device memory");
        abort();
    }
    base = used = round_up(reinterpret_cast<uintptr_t>(p), large_page);
    limit = reinterpret_cast<uintptr_t>(p) + arena_bytes;
    madvise(p, arena_bytes, MADV_HUGEPAGE);
}

void Memory::protect(bool reachable)
{
    if (used == base) return;
    mprotect(reinterpret_cast<void *>(base), used - base, reachable ? PROT_READ | PROT_WRITE : PROT_NONE);
}

Memory::Access::Access()
{
    if (memory().accesses++ == 0) memory().protect(true);
}

Memory::Access::~Access()
{
    if (--memory().accesses == 0 && settings().protect) memory().protect(false);
}

size_t Memory::free_bytes(int device) const
{
    size_t taken = 0;
    for (auto &[address, a] : allocations)
        if (a.owner->device == device) taken += a.bytes;
    const size_t total = (size_t)settings().memory;
    return taken < total ? total - taken : 0;
}

// take finds room: the first hole that is large enough, or the end of what is used.
uintptr_t Memory::take(size_t bytes)
{
    for (auto hole = holes.begin(); hole != holes.end(); ++hole) {
        if (hole->second < bytes) continue;
        const uintptr_t start = hole->first;
        const size_t left = hole->second - bytes;
        holes.erase(hole);
        if (left) holes[start + bytes] = left;
        return start;
    }
    if (bytes > limit - used - large_page) return 0;
    const uintptr_t start = used;
    const uintptr_t grown = round_up(used + bytes, large_page);
    mprotect(reinterpret_cast<void *>(used), grown - used, PROT_READ | PROT_WRITE);
    if (grown > start + bytes) holes[start + bytes] = grown - (start + bytes);
    used = grown;
    return start;
}

uintptr_t Memory::allocate(size_t bytes, const Context *owner)
{
    if (bytes > free_bytes(owner->device)) return 0;
    const size_t whole = round_up(bytes + 2 * guard_bytes, alignment);
    leave_quarantine(bytes > (size_t(16) << 20) ? 0 : quarantine_bytes);
    Access access;
    const uintptr_t start = take(whole);
    if (!start) return 0;
    Allocation a{++serial, start + guard_bytes, bytes, start, start + whole, owner};
    UNPOISON(a.start, whole);
    fill(a.start, a.address, guard_pattern);
    fill_ends(a.address, a.address + bytes, fresh_pattern);
    fill(a.address + bytes, a.end, guard_pattern);
    LENS(allocated(a.start, whole));
    POISON(a.start, guard_bytes);
    POISON(a.address + bytes, a.end - a.address - bytes);
    allocations[a.address] = a;
    return a.address;
}

CUresult Memory::release(uintptr_t address, const char *call)
{
    auto found = allocations.find(address);
    if (found == allocations.end())
        return misuse(CUDA_ERROR_INVALID_VALUE, "%s: %s", call, describe(address).c_str());
    Access access;
    guards_intact(found->second, call);
    const Allocation a = found->second;
    allocations.erase(found);
    fill_ends(a.start, a.end, freed_pattern);
    POISON(a.start, a.end - a.start);
    quarantined += a.end - a.start;
    quarantine.push_back(a);
    return CUDA_SUCCESS;
}

void Memory::release_all(const Context *owner)
{
    for (auto a = allocations.begin(); a != allocations.end();) {
        const uintptr_t address = a->first;
        const bool gone = a->second.owner == owner;
        ++a;
        if (gone) release(address, "cuCtxDestroy");
    }
}

// leave_quarantine gives the oldest freed allocations back to the arena until at most limit bytes wait.
void Memory::leave_quarantine(size_t limit)
{
    if (quarantined <= limit) return;
    Access access;
    while (quarantined > limit) {
        const Allocation a = quarantine.front();
        quarantine.pop_front();
        check_freed(a);
        quarantined -= a.end - a.start;
        auto next = holes.lower_bound(a.start);
        uintptr_t start = a.start, end = a.end;
        if (next != holes.end() && next->first == end) {
            end += next->second;
            next = holes.erase(next);
        }
        if (next != holes.begin()) {
            auto before = std::prev(next);
            if (before->first + before->second == start) {
                start = before->first;
                holes.erase(before);
            }
        }
        // What lies free at the end of the arena leaves it where it is much.
        const uintptr_t cut = round_up(start, large_page);
        if (end == used && cut + kept_bytes < used) {
            madvise(reinterpret_cast<void *>(cut), used - cut, MADV_DONTNEED);
            mprotect(reinterpret_cast<void *>(cut), used - cut, PROT_NONE);
            end = used = cut;
        }
        if (start < end) holes[start] = end - start;
    }
}

bool Memory::check_freed(const Allocation &a)
{
    if (SANITIZED) return true;
    const uintptr_t changed = first_changed_at_ends(a.start, a.end, freed_pattern);
    if (changed == a.end) return true;
    fault(CUDA_ERROR_ILLEGAL_ADDRESS, "freed memory was written to: %s, byte %lld", name(a).c_str(),
          (long long)(changed - a.address));
    return false;
}

bool Memory::guards_intact(Allocation &a, const std::string &who)
{
    if (SANITIZED || a.broken) return true;
    uintptr_t changed = first_changed(a.start, a.address, guard_pattern);
    if (changed == a.address) {
        changed = first_changed(a.address + a.bytes, a.end, guard_pattern);
        if (changed == a.end) return true;
    }
    a.broken = true;
    fault(CUDA_ERROR_ILLEGAL_ADDRESS, "%s: memory beside %s was written to, at byte %lld", who.c_str(), name(a).c_str(),
          (long long)(changed - a.address));
    return false;
}

bool Memory::check_guards(uintptr_t address, const std::string &who)
{
    const Allocation *a = find(address);
    return !a || guards_intact(allocations[a->address], who);
}

void Memory::check_all(const std::string &who)
{
    check_some(who, quarantined);
}

void Memory::check_some(const std::string &who, size_t freed_bytes)
{
    if (allocations.empty() && quarantine.empty()) return;
    Access access;
    for (auto &[address, a] : allocations) guards_intact(a, who);
    size_t seen = 0;
    for (size_t n = quarantine.size(); n > 0 && seen < freed_bytes; n--) {
        const Allocation &a = quarantine[next_freed++ % quarantine.size()];
        seen += a.end - a.start;
        if (!check_freed(a)) fill_ends(a.start, a.end, freed_pattern);
    }
}

const Allocation *Memory::find(uintptr_t address) const
{
    auto after = allocations.upper_bound(address);
    if (after == allocations.begin()) return nullptr;
    const Allocation &a = std::prev(after)->second;
    return address <= a.address + a.bytes ? &a : nullptr;
}

bool Memory::check_range(uintptr_t address, size_t bytes, const char *what)
{
    const Allocation *a = find(address);
    if (a && bytes <= a->address + a->bytes - address) return true;
    if (a)
        finding("%s: %zu bytes from byte %llu of %s reach beyond it", what, bytes,
                (unsigned long long)(address - a->address), name(*a).c_str());
    else finding("%s: %s", what, describe(address).c_str());
    return false;
}

std::string Memory::describe(uintptr_t address) const
{
    char text[256];
    if (const Allocation *a = find(address)) {
        snprintf(text, sizeof text, "%#llx is byte %llu of %s", (unsigned long long)address,
                 (unsigned long long)(address - a->address), name(*a).c_str());
        return text;
    }
    for (const Allocation &a : quarantine)
        if (address >= a.start && address < a.end) {
            snprintf(text, sizeof text, "%#llx is in freed memory: %s", (unsigned long long)address, name(a).c_str());
            return text;
        }
    for (auto &[start, a] : allocations)
        if (address >= a.start && address < a.end) {
            snprintf(text, sizeof text, "%#llx lies %lld bytes beside %s", (unsigned long long)address,
                     address < a.address ? (long long)(address - a.address)
                                         : (long long)(address - a.address - a.bytes),
                     name(a).c_str());
            return text;
        }
    const bool device = address >= base && address < limit;
    snprintf(text, sizeof text, "%#llx is %s", (unsigned long long)address,
             address == 0 ? "the null pointer"
             : device     ? "device memory that is not allocated"
                          : "not an address of device memory");
    return text;
}

void *Memory::allocate_host(size_t bytes)
{
    void *p = nullptr;
    if (posix_memalign(&p, page, round_up(bytes + guard_bytes, page)) != 0) return nullptr;
    const uintptr_t address = reinterpret_cast<uintptr_t>(p);
    fill(address, address + bytes, fresh_pattern);
    fill(address + bytes, address + bytes + guard_bytes, guard_pattern);
    pinned[address] = {bytes, ++serial};
    return p;
}

CUresult Memory::release_host(void *p, const char *call)
{
    auto found = pinned.find(reinterpret_cast<uintptr_t>(p));
    if (found == pinned.end())
        return misuse(CUDA_ERROR_INVALID_VALUE, "%s: %p was not allocated as pinned memory", call, p);
    const uintptr_t end = found->first + found->second.bytes;
    if (first_changed(end, end + guard_bytes, guard_pattern) != end + guard_bytes)
        finding("%s: memory after the pinned allocation #%llu (%zu bytes) was written to", call,
                (unsigned long long)found->second.serial, found->second.bytes);
    pinned.erase(found);
    free(p);
    return CUDA_SUCCESS;
}

bool Memory::is_pinned(const void *p, size_t bytes) const
{
    const uintptr_t address = reinterpret_cast<uintptr_t>(p);
    auto after = pinned.upper_bound(address);
    if (after == pinned.begin()) return false;
    auto &[start, block] = *std::prev(after);
    return address + bytes <= start + block.bytes;
}

long long Memory::live_bytes() const
{
    long long sum = 0;
    for (auto &[address, a] : allocations) sum += (long long)a.bytes;
    return sum;
}

std::string Memory::describe_live() const
{
    std::string text;
    for (auto &[address, a] : allocations) text += name(a) + "\n";
    for (auto &[address, p] : pinned)
        text += "pinned allocation #" + std::to_string(p.serial) + " (" + std::to_string(p.bytes) + " bytes)\n";
    return text;
}

} // namespace sim
