#include "shadow.h"

#include "../driver/lanes.h"
#include "../driver/memory.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

namespace sim::lens {
namespace {

// reserve returns zeros that take memory where they are touched.
template <class T> T *reserve(size_t n)
{
    void *p = mmap(nullptr, n * sizeof(T), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) {
        perror("simulated GPU: no address space for the lens");
        abort();
    }
    return static_cast<T *>(p);
}

Finding &found(const std::string &what, Place place, Place other)
{
    Finding &f = seen().findings[{running().kernel, what, place, other}];
    f.times++;
    return f;
}


} // namespace

std::string Shadow::example(const Access &a) const
{
    char text[128];
    snprintf(text, sizeof text, "block (%u,%u,%u), thread %d: ", blockIdx.x, blockIdx.y, blockIdx.z, a.thread);
    if (space == Space::device) return text + memory().describe(a.address);
    return text + ("byte " + std::to_string(offset(a.address))) + " of " + name + " memory";
}

void Shadow::over(uintptr_t from, size_t size)
{
    start = from;
    bytes = size;
    if (size <= capacity) return;
    capacity = size; // what was smaller is left where it is: this happens a few times
    words = reserve<Word>(size / 4 + 1);
    written = reserve<uint8_t>(size / 4 + 1);
    if (space == Space::device) touched = reserve<uint32_t>(2 * (size / 32 + 1));
}

void Shadow::set_written(uintptr_t address, size_t size, bool is)
{
    if (!size || !holds(address)) return;
    const auto set = [&](uint64_t word, uint8_t mask) {
        if (is) written[word] |= mask;
        else written[word] &= ~mask;
    };
    uint64_t from = offset(address), to = from + size;
    for (; from < to && from % 4; from++) set(from / 4, 1 << from % 4);
    for (; from < to && to % 4; to--) set((to - 1) / 4, 1 << (to - 1) % 4);
    if (from < to) memset(written + from / 4, is ? 0xf : 0, (to - from) / 4);
}

void Shadow::copy_written(uintptr_t to, uintptr_t from, size_t size)
{
    if (to % 4 == 0 && from % 4 == 0 && size % 4 == 0) {
        memmove(written + offset(to) / 4, written + offset(from) / 4, size / 4);
        return;
    }
    for (size_t i = 0; i < size; i++) {
        const uint64_t at = offset(from + i);
        set_written(to + i, 1, written[at / 4] >> at % 4 & 1);
    }
}

void Shadow::check(const Order &order, const Access &a)
{
    const uint64_t from = offset(a.address), to = from + a.bytes;
    for (uint64_t word = from / 4; word * 4 < to; word++) {
        const unsigned low = word * 4 < from ? from % 4 : 0, high = std::min<uint64_t>(4, to - word * 4);
        const uint8_t mask = (0xf << low) & ((1u << high) - 1);
        uint8_t &is = written[word];
        if (a.kind != Kind::write && (mask & ~is)) {
            const bool device = space == Space::device;
            Finding &f = found(device ? "device memory never written" : "shared memory never written", a.place, 0);
            if (f.times == 1) f.example = example(a);
        }
        is |= mask; // what was reported is not reported again
        if (a.kind == Kind::read) check_read(words[word], order, a, mask);
        else check_write(words[word], order, a, mask);
    }
}

void Shadow::race(bool between_blocks, const char *what, const Access &a, Place other) const
{
    const std::string where = between_blocks ? "race between blocks: " : "race in a block: ";
    Finding &f = found(where + what, a.place, other);
    if (a.intended) f.why = a.intended;
    if (f.times == 1) f.example = example(a);
}

void Shadow::check_read(Word &w, const Order &order, const Access &a, uint8_t mask)
{
    if (current(order, w.wrote_at) && (w.wrote_bytes & mask)) {
        if (w.other_blocks_wrote || !order.in_block(w.wrote_at)) race(true, "write, read", a, w.wrote);
        else if (order.open(w.wrote_at) && (w.several_wrote || !order.over(w.writer, w.wrote_at, a.thread)))
            race(false, "write, read", a, w.wrote);
    }
    if (a.intended) return;
    const uint32_t lane = 1u << a.thread % 32;
    const uint16_t warp = uint16_t(a.thread / 32);
    if (current(order, w.read_at) && !order.in_block(w.read_at)) w.other_blocks_read = true;
    else if (!current(order, w.read_at)) w.other_blocks_read = false;
    const bool first = !order.open(w.read_at);
    if (first) w.several_warps_read = false, w.read_bytes = 0;
    else if (w.read_warp != warp) w.several_warps_read = true;
    bool newer = first; // or all that was read is over for this thread
    if (!first && w.read_warp == warp) {
        newer = true;
        for (unsigned left = w.readers; left && newer; left &= left - 1)
            newer = order.over(warp * 32 + __builtin_ctz(left), w.read_at, a.thread);
    }
    if (newer || w.read_warp != warp) w.readers = 0;
    w.readers |= lane;
    w.read_warp = warp;
    w.read_at = order.time();
    w.read = a.place;
    w.read_bytes |= mask;
}

void Shadow::check_write(Word &w, const Order &order, const Access &a, uint8_t mask)
{
    const bool atomic = a.kind == Kind::atomic;
    bool beside = false, elsewhere = false; // another atomic access that is not over, in this block or another one
    if (current(order, w.wrote_at) && (w.wrote_bytes & mask)) {
        const bool other_block = w.other_blocks_wrote || !order.in_block(w.wrote_at);
        const bool over = !order.open(w.wrote_at) || (!w.several_wrote && order.over(w.writer, w.wrote_at, a.thread));
        if ((other_block || !over) && atomic && w.wrote_atomically) beside = true, elsewhere = other_block;
        else if (other_block || !over) race(other_block, "write, write", a, w.wrote);
    }
    if (current(order, w.read_at) && (w.read_bytes & mask)) {
        if (w.other_blocks_read || !order.in_block(w.read_at)) race(true, "read, write", a, w.read);
        else if (order.open(w.read_at)) {
            bool over = !w.several_warps_read && w.read_warp == a.thread / 32;
            for (unsigned left = w.readers; left && over; left &= left - 1)
                over = order.over(w.read_warp * 32 + __builtin_ctz(left), w.read_at, a.thread);
            if (!over) race(false, "read, write", a, w.read);
        }
    }
    if (a.intended) return;
    w.several_wrote = beside;
    w.other_blocks_wrote = elsewhere;
    w.wrote_at = order.time();
    w.wrote = a.place;
    w.writer = uint16_t(a.thread);
    w.wrote_bytes = mask;
    w.wrote_atomically = atomic;
}

} // namespace sim::lens
