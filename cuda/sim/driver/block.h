// One thread block: a fiber for every thread that waits, a scheduler, and the checks on barriers and warps.
#pragma once

#include "control.h"
#include "fiber.h"
#include "lanes.h"

#include <vector>

namespace sim {

enum class Order { forward, reverse, shuffled };

// A GPU thread. It has a fiber from its first instruction to its last.
struct Thread {
    enum State { fresh, able, at_barrier, in_exchange, ended };
    uint3 index;
    int number;
    State state;
    Fiber *fiber;
    Place place;  // where it waits
    Exchange kind;
    unsigned mask;
    uint64_t value, result;
    int source;
};

// A Body runs the kernel in one thread.
struct Body {
    void (*call)(const uint64_t *arguments);
    const uint64_t *arguments;
};

// Left says how a block was left: its threads have ended, it failed, which was reported, or they wait for the other
// blocks of a cooperative launch.
enum class Left { ended, failed, waiting };

class Block {
  public:
    // begin prepares for the blocks of a launch.
    void begin(const char *kernel, dim3 size, Order order, uint64_t seed, bool cooperative);

    // run runs the block at blockIdx, which becomes the current one; go_on_from_grid_barrier goes on with one that
    // waits.
    Left run(const Body &body);
    Left go_on_from_grid_barrier();

    // give_up frees the fibers of all blocks, which go no further.
    static void give_up();

    int barrier(bool brings, Place place);
    void grid_barrier(Place place);
    uint64_t exchange(Exchange kind, unsigned mask, uint64_t value, int source, Place place);
    int lane() const { return running->number % 32; }

    // fail reports what the running thread did and gives the block up.
    [[noreturn]] void fail(CUresult error, const std::string &what);

    const char *running_kernel() const { return kernel; }
    Fiber *fiber() const { return running ? running->fiber : nullptr; }

  private:
    friend void work();
    Thread *next();
    void let_run(Thread *t);
    void go_on(Thread *t);
    Left left();
    void come_to_barrier(bool brings, Place place);
    void wait_at(Thread::State state, Place place);
    void make_able(Thread &t);
    void arrange();
    bool exchange_complete(const Thread &me);
    [[noreturn]] void diverged();
    std::string explain(const Thread &t) const;

    const char *kernel = "";
    Body body{};
    Order order = Order::forward;
    Random random{0};
    std::vector<Thread> threads;
    std::vector<int> starts;     // thread numbers in the order of their start
    size_t started = 0, ended = 0, waiting = 0;
    std::vector<Thread *> ring;  // threads that can go on: count of them from first
    size_t first = 0, count = 0;
    std::vector<int> awaited;    // by warp: a lane that was missing from its last exchange
    int lane_step = 1, lane_start = 0; // order of the lanes of a warp
    Place meeting;               // the barrier that the first thread waits at
    bool mixed = false;          // another thread waits at another one
    int bring = 0, brought = 0;  // to that barrier, and to the last one
    Thread *running = nullptr;
    bool failed = false, cooperative = false, suspended = false;
};

// block returns the current block.
Block &block();

} // namespace sim
