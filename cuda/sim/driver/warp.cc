// What the lanes of a warp do together, and the explanation of threads that wait for each other in vain.
#include "block.h"

#include "lens.h"

#include <cstdio>

namespace sim {
namespace {

const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

std::string at(Place p) { return std::string(base_name(p.file)) + ":" + std::to_string(p.line); }

std::string name(const Thread &t)
{
    char text[64];
    snprintf(text, sizeof text, "thread (%u,%u,%u)", t.index.x, t.index.y, t.index.z);
    return text;
}

const char *const kinds[] = {"warp barrier", "shuffle", "vote", "match"};

std::string doing(const Thread &t)
{
    char text[64];
    switch (t.state) {
    case Thread::at_barrier: return "waits at the barrier " + at(t.place);
    case Thread::in_exchange:
        snprintf(text, sizeof text, "waits in the %s (mask %08x) ", kinds[int(t.kind)], t.mask);
        return text + at(t.place);
    case Thread::ended: return "has ended";
    default: return "runs";
    }
}

} // namespace

// exchange_complete says whether every lane of the mask is in the same exchange. The lane that was missing the last
// time is asked first.
bool Block::exchange_complete(const Thread &me)
{
    const Thread *warp = &threads[me.number / 32 * 32];
    int &missing = awaited[me.number / 32];
    const auto here = [&](int lane) {
        const Thread &t = warp[lane];
        return t.state == Thread::in_exchange && t.mask == me.mask && t.kind == me.kind &&
               t.place.line == me.place.line;
    };
    if (me.mask >> missing & 1 && !here(missing)) return false;
    for (unsigned left = me.mask; left; left &= left - 1)
        if (const int lane = __builtin_ctz(left); !here(lane)) {
            missing = lane;
            return false;
        }
    return true;
}

uint64_t Block::exchange(Exchange kind, unsigned mask, uint64_t value, int source, Place place)
{
    Thread &me = *running;
    const size_t base = me.number / 32 * 32, lanes = std::min<size_t>(32, threads.size() - base);
    const int lane = me.number % 32;
    // The full mask of a warp that the block does not fill means the lanes that there are.
    if (lanes < 32 && mask == ~0u) mask = (1u << lanes) - 1;
    me.kind = kind;
    me.mask = mask;
    me.value = value;
    me.source = source;
    wait_at(Thread::in_exchange, place);
    const auto what = [&] { return "the " + std::string(kinds[int(kind)]) + " "; };
    if (!(mask >> lane & 1)) fail(CUDA_ERROR_LAUNCH_FAILED, what() + at(place) + " has a mask without the lane itself");
    if (lanes < 32 && mask >> lanes)
        fail(CUDA_ERROR_LAUNCH_FAILED, what() + at(place) + " has lanes in its mask that the block does not have");
    if (kind == Exchange::shuffle && !(mask >> source & 1))
        fail(CUDA_ERROR_LAUNCH_FAILED,
             "the shuffle " + at(place) + " reads lane " + std::to_string(source) + ", which is not in its mask");
    if (exchange_complete(me)) {
        LENS(exchange(int(base), mask));
        uint64_t votes = 0;
        Thread *warp = &threads[base];
        for (unsigned left = kind == Exchange::vote ? mask : 0; left; left &= left - 1)
            if (warp[__builtin_ctz(left)].value) votes |= uint64_t(1) << __builtin_ctz(left);
        for (int i = 0, l = lane_start; i < 32; i++, l = (l + lane_step) & 31) {
            if (!(mask >> l & 1)) continue;
            Thread &t = warp[l];
            t.result = votes;
            if (kind == Exchange::shuffle) t.result = warp[t.source].value;
            if (kind == Exchange::match) {
                t.result = 0;
                for (unsigned left = mask; left; left &= left - 1)
                    if (warp[__builtin_ctz(left)].value == t.value) t.result |= uint64_t(1) << __builtin_ctz(left);
            }
            make_able(t);
        }
    }
    go_on(next());
    return me.result;
}

// explain says why a thread that waits cannot go on, or nothing if it is not to blame.
std::string Block::explain(const Thread &t) const
{
    if (t.state == Thread::in_exchange) {
        const size_t base = t.number / 32 * 32;
        for (unsigned left = t.mask; left; left &= left - 1) {
            const Thread &o = threads[base + __builtin_ctz(left)];
            if (o.state == Thread::in_exchange && o.mask == t.mask && o.kind == t.kind && o.place.line == t.place.line)
                continue;
            return doing(t) + " for lane " + std::to_string(__builtin_ctz(left)) + ": " + name(o) + " " + doing(o);
        }
    }
    if (t.state == Thread::at_barrier)
        for (const Thread &o : threads)
            if (o.state == Thread::ended || (o.state == Thread::at_barrier &&
                                             (o.place.line != t.place.line || strcmp(o.place.file, t.place.file) != 0)))
                return "divergent barrier: " + doing(t) + ", but " + name(o) + " " + doing(o);
    return "";
}

// diverged finds a thread that waits in vain. Warps come first: a barrier that waits for a warp is not at fault.
void Block::diverged()
{
    Fiber *mine = running->fiber;
    for (Thread::State state : {Thread::in_exchange, Thread::at_barrier})
        for (Thread &t : threads)
            if (t.state == state)
                if (std::string why = explain(t); !why.empty()) {
                    t.fiber = mine; // the fiber that the failure leaves
                    running = &t;
                    fail(CUDA_ERROR_LAUNCH_FAILED, why);
                }
    fail(CUDA_ERROR_LAUNCH_FAILED, "the threads of the block wait for each other");
}

} // namespace sim
