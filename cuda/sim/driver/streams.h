// Streams and events: queues of operations with the order that the driver promises and, in lazy mode, no more
// order than that.
#pragma once

#include "context.h"

#include <deque>
#include <functional>
#include <memory>
#include <vector>

namespace sim {

// A Timeline counts what a stream was given and what it has done. It outlives the stream, because events and
// other streams may still refer to it.
struct Timeline {
    uint64_t queued = 0, done = 0;
};

// A Point is reached when its stream has done that many operations.
struct Point {
    std::shared_ptr<Timeline> timeline;
    uint64_t after = 0;
    bool reached() const { return !timeline || timeline->done >= after; }
};

struct Operation {
    std::function<void()> run;
    std::vector<Point> waits_for;
};

struct Stream {
    Context *owner;
    unsigned flags;
    int priority;
    std::shared_ptr<Timeline> timeline = std::make_shared<Timeline>();
    std::deque<Operation> operations;
    std::vector<Point> waits; // of the next operation
    Point end() const { return {timeline, timeline->queued}; }
};

struct Event {
    const Context *owner;
    unsigned flags;
    Point point;             // where it was recorded last
    std::shared_ptr<double> time; // when that point was reached
};

// stream_of returns the stream behind a handle, the default stream of the context for null, or null for a
// handle that is not a stream.
Stream *stream_of(CUstream handle, Context &c);

// enqueue adds an operation to a stream. In eager mode it has run when enqueue returns.
void enqueue(Stream &s, std::function<void()> run);

// finish runs whatever has to run until the stream, or every stream of a context, is empty.
void finish(Stream &s);
void finish(Context &c);

// synchronised is what a synchronising call does last: guards are checked, the error of a fault is returned.
CUresult synchronised(Context &c, const char *call);

long long queued_operations();
void reseed_streams();

} // namespace sim
