#include "streams.h"

#include "memory.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>

namespace sim {
namespace {

// All streams that hold or may hold operations, default streams included.
std::vector<Stream *> &streams()
{
    static auto *all = new std::vector<Stream *>;
    return *all;
}

std::map<const Context *, Stream *> &defaults()
{
    static auto *d = new std::map<const Context *, Stream *>;
    return *d;
}

std::unique_ptr<Random> choice;

double now()
{
    using namespace std::chrono;
    return duration<double>(steady_clock::now().time_since_epoch()).count();
}

bool is_default(const Stream &s)
{
    auto found = defaults().find(s.owner);
    return found != defaults().end() && found->second == &s;
}

bool ready(const Stream &s)
{
    if (s.operations.empty()) return false;
    for (const Point &p : s.operations.front().waits_for)
        if (!p.reached()) return false;
    return true;
}

void run_first(Stream &s)
{
    Operation o = std::move(s.operations.front());
    s.operations.pop_front();
    if (o.run) {
        Blame blame(s.owner);
        if (s.owner->error == CUDA_SUCCESS) o.run(); // a broken context runs nothing any more
    }
    s.timeline->done++;
}

// step runs one operation of a stream that is picked at random among those that can go on.
bool step()
{
    std::vector<Stream *> able;
    for (Stream *s : streams())
        if (ready(*s)) able.push_back(s);
    if (able.empty()) return false;
    if (!choice) choice = std::make_unique<Random>(settings().seed);
    run_first(*able[choice->below(able.size())]);
    return true;
}

void run_until(const std::function<bool()> &reached)
{
    if (reached()) return;
    Memory::Access access; // once for all that runs
    while (!reached())
        if (!step()) {
            finding("streams wait for each other: nothing can run");
            abort();
        }
}

Stream *make_stream(Context &c, unsigned flags, int priority)
{
    auto *s = new Stream{&c, flags, priority};
    streams().push_back(s);
    return s;
}

void drop(Stream *s)
{
    finish(*s);
    streams().erase(std::find(streams().begin(), streams().end(), s));
    delete s;
}

Event *event_of(CUevent handle) { return alive(Handle::event, handle) ? reinterpret_cast<Event *>(handle) : nullptr; }

// poll lets time pass for a program that asks again and again.
void poll() { step(); }

constexpr const char *no_stream = "%s: not a stream, or destroyed before";
constexpr const char *no_event = "%s: not an event, or destroyed before";

} // namespace

Stream *stream_of(CUstream handle, Context &c)
{
    if (handle == nullptr || handle == CU_STREAM_LEGACY) {
        Stream *&s = defaults()[&c];
        if (!s) s = make_stream(c, CU_STREAM_DEFAULT, 0);
        return s;
    }
    if (!alive(Handle::stream, handle)) return nullptr;
    auto *s = reinterpret_cast<Stream *>(handle);
    return s->owner == &c ? s : nullptr;
}

void enqueue(Stream &s, std::function<void()> run)
{
    Operation o{std::move(run), std::move(s.waits)};
    s.waits.clear();
    // The default stream waits for all blocking streams of its context, and they for it.
    if (is_default(s)) {
        for (Stream *other : streams())
            if (other != &s && other->owner == s.owner && !(other->flags & CU_STREAM_NON_BLOCKING))
                o.waits_for.push_back(other->end());
    } else if (!(s.flags & CU_STREAM_NON_BLOCKING)) {
        if (auto found = defaults().find(s.owner); found != defaults().end())
            o.waits_for.push_back(found->second->end());
    }
    s.operations.push_back(std::move(o));
    s.timeline->queued++;
    if (!settings().lazy) finish(s);
}

void finish(Stream &s)
{
    run_until([&] { return s.operations.empty(); });
}

void finish(Context &c)
{
    run_until([&] {
        return std::all_of(streams().begin(), streams().end(),
                           [&](Stream *s) { return s->owner != &c || s->operations.empty(); });
    });
}

CUresult synchronised(Context &c, const char *call)
{
    counters().synchronisations++;
    if (injected(settings().fail_synchronise)) return CUDA_ERROR_UNKNOWN;
    memory().check_some(call, size_t(1) << 20);
    return c.error;
}

void destroy_streams(const Context *owner)
{
    const std::vector<Stream *> all = streams();
    for (Stream *s : all)
        if (s->owner == owner) drop(s);
    defaults().erase(owner);
}

long long queued_operations()
{
    long long n = 0;
    for (Stream *s : streams()) n += (long long)s->operations.size();
    return n;
}

void reseed_streams() { choice.reset(); }

} // namespace sim

#include "api.h"
using namespace sim;

API cuStreamCreateWithPriority(CUstream *made, unsigned flags, int priority)
{
    return in_context("cuStreamCreate", [&](Context &c) {
        if (flags & ~unsigned(CU_STREAM_NON_BLOCKING))
            return misuse(CUDA_ERROR_INVALID_VALUE, "cuStreamCreate: unknown flags %#x", flags);
        Stream *s = make_stream(c, flags, priority);
        remember(Handle::stream, s, &c);
        *made = reinterpret_cast<CUstream>(s);
        return CUDA_SUCCESS;
    });
}

API cuStreamCreate(CUstream *made, unsigned flags) { return cuStreamCreateWithPriority(made, flags, 0); }

API cuStreamDestroy_v2(CUstream handle)
{
    return release_in_context("cuStreamDestroy", [&](Context &) {
        if (!alive(Handle::stream, handle)) return misuse(CUDA_ERROR_INVALID_HANDLE, no_stream, "cuStreamDestroy");
        forget(Handle::stream, handle);
        drop(reinterpret_cast<Stream *>(handle));
        return CUDA_SUCCESS;
    });
}

API cuStreamSynchronize(CUstream handle)
{
    return in_context("cuStreamSynchronize", [&](Context &c) {
        Stream *s = stream_of(handle, c);
        if (!s) return misuse(CUDA_ERROR_INVALID_HANDLE, no_stream, "cuStreamSynchronize");
        finish(*s);
        return synchronised(c, "cuStreamSynchronize");
    });
}

API cuStreamQuery(CUstream handle)
{
    return in_context("cuStreamQuery", [&](Context &c) {
        Stream *s = stream_of(handle, c);
        if (!s) return misuse(CUDA_ERROR_INVALID_HANDLE, no_stream, "cuStreamQuery");
        poll();
        if (!s->operations.empty()) return CUDA_ERROR_NOT_READY;
        return c.error;
    });
}

API cuStreamWaitEvent(CUstream handle, CUevent event, unsigned)
{
    return in_context("cuStreamWaitEvent", [&](Context &c) {
        Stream *s = stream_of(handle, c);
        Event *e = event_of(event);
        if (!s) return misuse(CUDA_ERROR_INVALID_HANDLE, no_stream, "cuStreamWaitEvent");
        if (!e) return misuse(CUDA_ERROR_INVALID_HANDLE, no_event, "cuStreamWaitEvent");
        s->waits.push_back(e->point);
        enqueue(*s, nullptr);
        return c.error;
    });
}

API cuStreamGetFlags(CUstream handle, unsigned *flags)
{
    return in_context("cuStreamGetFlags", [&](Context &c) {
        Stream *s = stream_of(handle, c);
        if (!s) return misuse(CUDA_ERROR_INVALID_HANDLE, no_stream, "cuStreamGetFlags");
        *flags = s->flags;
        return CUDA_SUCCESS;
    });
}

API cuStreamGetPriority(CUstream handle, int *priority)
{
    return in_context("cuStreamGetPriority", [&](Context &c) {
        Stream *s = stream_of(handle, c);
        if (!s) return misuse(CUDA_ERROR_INVALID_HANDLE, no_stream, "cuStreamGetPriority");
        *priority = s->priority;
        return CUDA_SUCCESS;
    });
}

API cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    return in_context("cuCtxGetStreamPriorityRange", [&](Context &) {
        if (least) *least = 0;
        if (greatest) *greatest = -5;
        return CUDA_SUCCESS;
    });
}

API cuCtxSynchronize(void)
{
    return in_context("cuCtxSynchronize", [&](Context &c) {
        finish(c);
        return synchronised(c, "cuCtxSynchronize");
    });
}

API cuEventCreate(CUevent *made, unsigned flags)
{
    return in_context("cuEventCreate", [&](Context &c) {
        auto *e = new Event{&c, flags, {}, nullptr};
        remember(Handle::event, e, &c);
        *made = reinterpret_cast<CUevent>(e);
        return CUDA_SUCCESS;
    });
}

API cuEventDestroy_v2(CUevent event)
{
    return release_in_context("cuEventDestroy", [&](Context &) {
        Event *e = event_of(event);
        if (!e) return misuse(CUDA_ERROR_INVALID_HANDLE, no_event, "cuEventDestroy");
        forget(Handle::event, event);
        delete e;
        return CUDA_SUCCESS;
    });
}

API cuEventRecord(CUevent event, CUstream handle)
{
    return in_context("cuEventRecord", [&](Context &c) {
        Event *e = event_of(event);
        Stream *s = stream_of(handle, c);
        if (!e) return misuse(CUDA_ERROR_INVALID_HANDLE, no_event, "cuEventRecord");
        if (!s) return misuse(CUDA_ERROR_INVALID_HANDLE, no_stream, "cuEventRecord");
        e->time = std::make_shared<double>(0);
        enqueue(*s, [time = e->time] { *time = now(); });
        e->point = s->end();
        return c.error;
    });
}

API cuEventQuery(CUevent event)
{
    return in_context("cuEventQuery", [&](Context &c) {
        Event *e = event_of(event);
        if (!e) return misuse(CUDA_ERROR_INVALID_HANDLE, no_event, "cuEventQuery");
        poll();
        if (!e->point.reached()) return CUDA_ERROR_NOT_READY;
        return c.error;
    });
}

API cuEventSynchronize(CUevent event)
{
    return in_context("cuEventSynchronize", [&](Context &c) {
        Event *e = event_of(event);
        if (!e) return misuse(CUDA_ERROR_INVALID_HANDLE, no_event, "cuEventSynchronize");
        run_until([&] { return e->point.reached(); });
        return synchronised(c, "cuEventSynchronize");
    });
}

API cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end)
{
    return in_context("cuEventElapsedTime", [&](Context &c) {
        Event *a = event_of(start), *b = event_of(end);
        if (!a || !b) return misuse(CUDA_ERROR_INVALID_HANDLE, no_event, "cuEventElapsedTime");
        if (!a->time || !b->time || ((a->flags | b->flags) & CU_EVENT_DISABLE_TIMING))
            return misuse(CUDA_ERROR_INVALID_HANDLE, "cuEventElapsedTime: an event was not recorded or has no timing");
        if (!a->point.reached() || !b->point.reached()) return CUDA_ERROR_NOT_READY;
        *milliseconds = float(1e3 * (*b->time - *a->time));
        return c.error;
    });
}
