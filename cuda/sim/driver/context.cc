#include "context.h"

#include "memory.h"

#include <map>
#include <pthread.h>
#include <vector>

namespace sim {
namespace {

struct Entry {
    Handle kind;
    const Context *owner;
};
std::map<const void *, Entry> &handles()
{
    static auto *h = new std::map<const void *, Entry>;
    return *h;
}

// The contexts that are current, innermost last, one list for each thread.
std::vector<Context *> &stack()
{
    static pthread_key_t key = [] {
        pthread_key_t k;
        pthread_key_create(&k, [](void *s) { delete static_cast<std::vector<Context *> *>(s); });
        return k;
    }();
    void *s = pthread_getspecific(key);
    if (!s) pthread_setspecific(key, s = new std::vector<Context *>);
    return *static_cast<std::vector<Context *> *>(s);
}

std::map<int, Context> &primaries()
{
    static auto *p = new std::map<int, Context>;
    return *p;
}

bool initialised;
Context *blamed;

const char *const kind_names[] = {"context", "module", "function",   "stream",
                                  "event",   "graph",  "graph node", "instantiated graph"};

bool valid(const Context *c) { return c && alive(Handle::context, c); }

// close gives back everything that belongs to a context.
void close(Context *c)
{
    destroy_streams(c);
    memory().release_all(c);
    for (auto h = handles().begin(); h != handles().end();)
        if (h->second.owner == c) h = handles().erase(h);
        else ++h;
    forget(Handle::context, c);
}

CUresult cannot_create(int device)
{
    if (device < 0 || device >= settings().devices) return CUDA_ERROR_INVALID_DEVICE;
    return settings().busy ? CUDA_ERROR_DEVICE_UNAVAILABLE : CUDA_SUCCESS;
}

} // namespace

std::mutex &driver_lock()
{
    static auto *lock = new std::mutex;
    return *lock;
}

void remember(Handle kind, const void *handle, const Context *owner) { handles()[handle] = {kind, owner}; }
void forget(Handle, const void *handle) { handles().erase(handle); }

bool alive(Handle kind, const void *handle)
{
    auto found = handles().find(handle);
    return found != handles().end() && found->second.kind == kind;
}

long long live(Handle kind)
{
    long long n = 0;
    for (auto &[handle, entry] : handles()) n += entry.kind == kind;
    return n;
}

std::string describe_handles()
{
    std::string text;
    for (auto &[handle, entry] : handles())
        if (entry.kind != Handle::function && entry.kind != Handle::graph_node)
            text += std::string(kind_names[int(entry.kind)]) + "\n";
    return text;
}

Context *current()
{
    if (stack().empty()) return nullptr;
    Context *c = stack().back();
    return valid(c) ? c : nullptr;
}

Blame::Blame(Context *c) : before(blamed) { blamed = c; }
Blame::~Blame() { blamed = before; }

void break_context(CUresult error)
{
    Context *c = blamed ? blamed : current();
    if (c && c->error == CUDA_SUCCESS) c->error = error;
}

void mend_contexts()
{
    for (auto &[handle, entry] : handles())
        if (entry.kind == Handle::context)
            const_cast<Context *>(static_cast<const Context *>(handle))->error = CUDA_SUCCESS;
}

CUresult begin_call(const char *name, bool needs_context)
{
    if (!initialised) return misuse(CUDA_ERROR_NOT_INITIALIZED, "%s: called before cuInit", name);
    if (needs_context && !current())
        return misuse(CUDA_ERROR_INVALID_CONTEXT, "%s: this thread has no current context", name);
    return CUDA_SUCCESS;
}

} // namespace sim

#include "api.h"
using namespace sim;

API cuInit(unsigned flags)
{
    std::lock_guard<std::mutex> guard(driver_lock());
    if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
    if (settings().init_error) return CUresult(settings().init_error);
    if (settings().devices == 0) return CUDA_ERROR_NO_DEVICE;
    initialised = true;
    return CUDA_SUCCESS;
}

API cuCtxCreate_v2(CUcontext *made, unsigned flags, CUdevice device)
{
    return driver("cuCtxCreate", [&] {
        if (CUresult e = cannot_create(device); e != CUDA_SUCCESS) return e;
        auto *c = new Context;
        c->device = device;
        c->flags = flags;
        remember(Handle::context, c, nullptr);
        stack().push_back(c);
        *made = reinterpret_cast<CUcontext>(c);
        return CUDA_SUCCESS;
    });
}

API cuCtxDestroy_v2(CUcontext context)
{
    return driver("cuCtxDestroy", [&] {
        auto *c = reinterpret_cast<Context *>(context);
        if (!valid(c)) return misuse(CUDA_ERROR_INVALID_CONTEXT, "cuCtxDestroy: not a context, or destroyed before");
        if (c->primary)
            return misuse(CUDA_ERROR_INVALID_CONTEXT, "cuCtxDestroy: a primary context is released, not destroyed");
        close(c);
        if (!stack().empty() && stack().back() == c) stack().pop_back();
        delete c;
        return CUDA_SUCCESS;
    });
}

API cuCtxPushCurrent_v2(CUcontext context)
{
    return driver("cuCtxPushCurrent", [&] {
        auto *c = reinterpret_cast<Context *>(context);
        if (!valid(c))
            return misuse(CUDA_ERROR_INVALID_CONTEXT, "cuCtxPushCurrent: not a context, or destroyed before");
        stack().push_back(c);
        return CUDA_SUCCESS;
    });
}

API cuCtxPopCurrent_v2(CUcontext *popped)
{
    return driver("cuCtxPopCurrent", [&] {
        if (stack().empty())
            return misuse(CUDA_ERROR_INVALID_CONTEXT, "cuCtxPopCurrent: this thread has no current context");
        if (popped) *popped = reinterpret_cast<CUcontext>(stack().back());
        stack().pop_back();
        return CUDA_SUCCESS;
    });
}

API cuCtxSetCurrent(CUcontext context)
{
    return driver("cuCtxSetCurrent", [&] {
        auto *c = reinterpret_cast<Context *>(context);
        if (c && !valid(c))
            return misuse(CUDA_ERROR_INVALID_CONTEXT, "cuCtxSetCurrent: not a context, or destroyed before");
        if (!stack().empty()) stack().pop_back();
        if (c) stack().push_back(c);
        return CUDA_SUCCESS;
    });
}

API cuCtxGetCurrent(CUcontext *context)
{
    return driver("cuCtxGetCurrent", [&] {
        *context = reinterpret_cast<CUcontext>(current());
        return CUDA_SUCCESS;
    });
}

API cuCtxGetDevice(CUdevice *device)
{
    return in_context("cuCtxGetDevice", [&](Context &c) {
        *device = c.device;
        return CUDA_SUCCESS;
    });
}

API cuCtxGetFlags(unsigned *flags)
{
    return in_context("cuCtxGetFlags", [&](Context &c) {
        *flags = c.flags;
        return CUDA_SUCCESS;
    });
}

API cuCtxGetApiVersion(CUcontext context, unsigned *version)
{
    return driver("cuCtxGetApiVersion", [&] {
        auto *c = reinterpret_cast<Context *>(context);
        if (c && !valid(c)) return CUDA_ERROR_INVALID_CONTEXT;
        *version = 3020;
        return CUDA_SUCCESS;
    });
}

API cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    return driver("cuDevicePrimaryCtxRetain", [&] {
        if (CUresult e = cannot_create(device); e != CUDA_SUCCESS) return e;
        Context &c = primaries()[device];
        if (c.retained++ == 0) {
            c.device = device;
            c.primary = true;
            c.error = CUDA_SUCCESS;
            remember(Handle::context, &c, nullptr);
        }
        *context = reinterpret_cast<CUcontext>(&c);
        return CUDA_SUCCESS;
    });
}

API cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
    return driver("cuDevicePrimaryCtxRelease", [&] {
        auto found = primaries().find(device);
        if (found == primaries().end() || found->second.retained == 0)
            return misuse(CUDA_ERROR_INVALID_CONTEXT, "cuDevicePrimaryCtxRelease: the primary context is not retained");
        if (--found->second.retained == 0) close(&found->second);
        return CUDA_SUCCESS;
    });
}

API cuDevicePrimaryCtxReset_v2(CUdevice device)
{
    return driver("cuDevicePrimaryCtxReset", [&] {
        auto found = primaries().find(device);
        if (found == primaries().end() || found->second.retained == 0) return CUDA_SUCCESS;
        close(&found->second);
        found->second.retained = 0;
        return CUDA_SUCCESS;
    });
}

API cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active)
{
    return driver("cuDevicePrimaryCtxGetState", [&] {
        if (device < 0 || device >= settings().devices) return CUDA_ERROR_INVALID_DEVICE;
        auto found = primaries().find(device);
        *active = found != primaries().end() && found->second.retained > 0;
        *flags = *active ? found->second.flags : 0;
        return CUDA_SUCCESS;
    });
}

API cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags)
{
    return driver("cuDevicePrimaryCtxSetFlags", [&] {
        if (device < 0 || device >= settings().devices) return CUDA_ERROR_INVALID_DEVICE;
        primaries()[device].flags = flags;
        return CUDA_SUCCESS;
    });
}
