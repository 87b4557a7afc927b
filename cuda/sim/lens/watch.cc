// The lens at work: what the simulator tells it, and the callbacks that the compiler puts before every load and store
// and at the begin of every basic block of the kernels.
#include "../driver/lens.h"

#include "../driver/memory.h"
#include "warps.h"

#include <algorithm>
#include <dlfcn.h>

namespace sim::lens {
namespace {

// Everything about the launch that runs. Nothing is watched while there is no lane.
struct Watch {
    Order order;
    Warps warps;
    Shadow device{Space::device, "device"}, arrays{Space::shared, "shared"}, dynamic{Space::shared, "dynamic shared"};
    Lane *lane = nullptr;
    int thread = 0;
    bool atomic = false;
    const char *intended = nullptr;
    uint32_t launch = 0;

    Watch() { device.over(memory().first(), memory().beyond() - memory().first()); }
    Shadow *shadow_of(uintptr_t address)
    {
        if (device.holds(address)) return &device;
        if (arrays.holds(address)) return &arrays;
        return dynamic.holds(address) ? &dynamic : nullptr; // the thread's own memory is not watched
    }
};

Watch &watch()
{
    static auto *w = new Watch;
    return *w;
}
Watch *now; // once a launch has begun

// Where this library was loaded: places are relative to it, as debuggers have them.
uintptr_t code_begins()
{
    Dl_info library;
    dladdr(reinterpret_cast<void *>(&code_begins), &library);
    return reinterpret_cast<uintptr_t>(library.dli_fbase);
}
uintptr_t code = code_begins();

uintptr_t address_of(const void *p) { return reinterpret_cast<uintptr_t>(p); }

// access takes what is larger than 16 bytes in parts, as a GPU does. The reading half of an atomic access stands for
// all of it.
void access(const void *p, size_t bytes, Kind kind, const void *returns)
{
    if (!now || !now->lane) return;
    Shadow *shadow = now->shadow_of(address_of(p));
    if (!shadow) return;
    if (now->atomic) {
        if (kind == Kind::write) return;
        kind = Kind::atomic;
    }
    const Place place = Place(address_of(returns) - code);
    for (uintptr_t at = address_of(p), end = at + bytes; at < end; at += 16) {
        const unsigned part = std::min<size_t>(16, end - at);
        shadow->check(now->order, {now->thread, kind, place, now->intended, at, part});
        now->lane->steps.push_back({place, now->lane->depth, kind, shadow->space, uint8_t(part), shadow->offset(at)});
    }
    now->intended = nullptr;
}

} // namespace

Running &running()
{
    static Running r;
    return r;
}

void allocated(uintptr_t address, size_t bytes) { watch().device.set_written(address, bytes, false); }
void written(uintptr_t address, size_t bytes) { watch().device.set_written(address, bytes, true); }
void copied(uintptr_t to, uintptr_t from, size_t bytes) { watch().device.copy_written(to, from, bytes); }

void begin_launch(const char *kernel, uint64_t blocks, size_t threads, Range arrays, Range dynamic)
{
    now = &watch();
    now->arrays.over(address_of(arrays.start), arrays.bytes);
    now->dynamic.over(address_of(dynamic.start), dynamic.bytes);
    now->order.begin_launch(threads);
    now->warps.begin_launch(threads, ++now->launch, now->device);
    running() = {kernel, &seen().kernels[kernel]};
    running().totals->launches++;
    running().totals->blocks += blocks;
    running().totals->threads += blocks * threads;
}

void end_launch()
{
    now->warps.end_launch();
    running() = {};
}

void begin_block()
{
    now->order.begin_block();
    now->warps.begin_block();
    now->arrays.forget_all();
    now->dynamic.forget_all();
}

void end_block()
{
    now->warps.meet_all();
    now->lane = nullptr;
}

void runs(int thread)
{
    now->thread = thread;
    now->lane = &now->warps.lane(thread);
}

void ended(int thread) { now->warps.ended(thread); }

void barrier()
{
    now->order.barrier();
    now->warps.meet_all();
}

void grid_barrier()
{
    now->order.grid_barrier();
    now->warps.grid_barrier();
}

void exchange(int first, unsigned mask)
{
    now->order.exchange(first, mask);
    now->warps.meet(first, mask);
}

void atomic(bool begins) { now->atomic = begins; }
void intended(const char *why) { now->intended = why; }

} // namespace sim::lens

using namespace sim::lens;

#define HOOK extern "C" __attribute__((visibility("hidden"))) void
#define RETURNS __builtin_return_address(0)
#define ACCESSES(n)                                                                                        \
    HOOK __tsan_read##n(void *p) { access(p, n, Kind::read, RETURNS); }                                    \
    HOOK __tsan_write##n(void *p) { access(p, n, Kind::write, RETURNS); }                                  \
    HOOK __tsan_unaligned_read##n(void *p) { access(p, n, Kind::read, RETURNS); }                          \
    HOOK __tsan_unaligned_write##n(void *p) { access(p, n, Kind::write, RETURNS); }
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)
HOOK __tsan_read_range(void *p, size_t bytes) { access(p, bytes, Kind::read, RETURNS); }
HOOK __tsan_write_range(void *p, size_t bytes) { access(p, bytes, Kind::write, RETURNS); }
HOOK __tsan_init() {}
HOOK __tsan_func_entry(void *)
{
    if (now && now->lane) now->lane->depth++;
}
HOOK __tsan_func_exit()
{
    if (now && now->lane) now->lane->depth--;
}
HOOK __sanitizer_cov_trace_pc()
{
    if (!now || !now->lane) return;
    const Place place = Place(address_of(RETURNS) - code);
    now->lane->steps.push_back({place, now->lane->depth, Kind::block, Space::device, 0, 0});
}

// The exponentials of the kernels; the linker leads their calls here.
#define EXPONENTIAL(name, T, counter)                                                                      \
    extern "C" T __real_##name(T);                                                                         \
    extern "C" __attribute__((visibility("hidden"))) T __wrap_##name(T x)                                  \
    {                                                                                                      \
        if (running().totals) running().totals->counter++;                                                 \
        return __real_##name(x);                                                                           \
    }
EXPONENTIAL(expf, float, exponentials32)
EXPONENTIAL(exp2f, float, exponentials32)
EXPONENTIAL(exp, double, exponentials64)
EXPONENTIAL(exp2, double, exponentials64)
