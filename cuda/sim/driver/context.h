// Devices, contexts and the frame that every call of the driver runs in.
#pragma once

#include "control.h"

#include <mutex>
#include <string>

namespace sim {

// Every object behind a handle of the API starts with its kind, so that a handle can be told from rubbish.
enum class Handle { context, module, function, stream, event, graph, graph_node, graph_exec };

struct Context {
    int device = 0;
    unsigned flags = 0;
    bool primary = false;
    int retained = 0;                // of a primary context
    CUresult error = CUDA_SUCCESS;   // set by a fault, returned from then on
};

// One lock for the whole driver: calls run one after another.
std::mutex &driver_lock();

// Handles that are alive. A handle is registered when it is created and forgotten when it is destroyed.
void remember(Handle kind, const void *handle, const Context *owner);
void forget(Handle kind, const void *handle);
bool alive(Handle kind, const void *handle);
long long live(Handle kind);
std::string describe_handles();

// current returns the context of this thread or null.
Context *current();

// While a Blame lives, faults break the given context; otherwise they break the current one.
class Blame {
  public:
    explicit Blame(Context *);
    ~Blame();
    Blame(const Blame &) = delete;

  private:
    Context *before;
};
void break_context(CUresult error);
void mend_contexts();

// begin_call checks that the driver was initialised and, where it is needed, that there is a current context.
CUresult begin_call(const char *name, bool needs_context);

// destroy_streams gives back the streams and events of a context that is destroyed, after running what they hold.
void destroy_streams(const Context *owner);

// driver runs the body of a call that needs no context; in_context one that does: it gets the context,
// and its result is replaced by the error that an earlier fault left.
template <class Body> CUresult driver(const char *name, Body body)
{
    std::lock_guard<std::mutex> guard(driver_lock());
    if (CUresult e = begin_call(name, false); e != CUDA_SUCCESS) return e;
    return body();
}
template <class Body> CUresult in_context(const char *name, Body body)
{
    std::lock_guard<std::mutex> guard(driver_lock());
    if (CUresult e = begin_call(name, true); e != CUDA_SUCCESS) return e;
    Context &c = *current();
    if (c.error != CUDA_SUCCESS) return c.error;
    return body(c);
}

// release_in_context is in_context for calls that give something back: the body runs after a fault too.
template <class Body> CUresult release_in_context(const char *name, Body body)
{
    std::lock_guard<std::mutex> guard(driver_lock());
    if (CUresult e = begin_call(name, true); e != CUDA_SUCCESS) return e;
    Context &c = *current();
    CUresult e = body(c);
    return c.error != CUDA_SUCCESS ? c.error : e;
}

} // namespace sim
