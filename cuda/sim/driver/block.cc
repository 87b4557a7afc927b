#include "block.h"

#include "lens.h"
#include "sanitizer.h"

#include <algorithm>
#include <memory>
#include <numeric>

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

namespace sim {

void work();

namespace {

Block *current = new Block;

// The fibers of all blocks, and those that have nothing to do.
std::vector<std::unique_ptr<Fiber>> fibers;
std::vector<Fiber *> idle;

// take_fiber returns a fiber that has nothing to do, the one that was used last if there is one.
Fiber *take_fiber()
{
    if (idle.empty()) {
        fibers.push_back(std::make_unique<Fiber>(fibers.size(), work));
        return fibers.back().get();
    }
    Fiber *f = idle.back();
    idle.pop_back();
    return f;
}

} // namespace

Block &block() { return *current; }

// work is the life of a fiber: it runs threads that have not started, one after another, and hands over to a
// thread that waits on its own fiber when that one is next. So threads that never wait need one fiber for all.
void work()
{
    fiber_entered();
    for (;;) {
        Block &b = block();
        b.body.call(b.body.arguments);
        Fiber *mine = b.running->fiber;
        b.running->state = Thread::ended;
        b.running->fiber = nullptr;
        b.ended++;
        LENS(ended(b.running->number));
        Thread *t = b.next();
        if (t && !t->fiber) {
            t->fiber = mine;
            b.let_run(t);
            continue;
        }
        idle.push_back(mine);
        if (t) {
            b.let_run(t);
            t->fiber->switch_from(*mine);
        } else if (b.ended == b.threads.size()) {
            Fiber::outside().switch_from(*mine);
        } else {
            b.running->fiber = mine;
            b.diverged();
        }
    }
}

void Block::begin(const char *name, dim3 size, Order how, uint64_t seed, bool together)
{
    kernel = name;
    cooperative = together;
    order = how;
    random = Random(seed);
    threads.assign(size_t(size.x) * size.y * size.z, Thread{});
    ring.assign(threads.size(), nullptr);
    starts.resize(threads.size());
    awaited.assign((threads.size() + 31) / 32, 0);
    int number = 0;
    for (unsigned z = 0; z < size.z; z++)
        for (unsigned y = 0; y < size.y; y++)
            for (unsigned x = 0; x < size.x; x++, number++) {
                threads[number].index = {x, y, z};
                threads[number].number = number;
            }
    std::iota(starts.begin(), starts.end(), 0);
    lane_start = 0;
    lane_step = 1;
    if (order == Order::reverse) {
        std::reverse(starts.begin(), starts.end());
        lane_start = 31;
        lane_step = -1;
    }
}

// arrange draws a new order for a block.
void Block::arrange()
{
    if (order != Order::shuffled) return;
    for (size_t i = starts.size(); i > 1; i--) std::swap(starts[i - 1], starts[random.below(i)]);
    lane_start = int(random.below(32));
    lane_step = 1 + 2 * int(random.below(16));
}

void Block::give_up()
{
    idle.clear();
    for (auto &f : fibers) {
        f->restart();
        idle.push_back(f.get());
    }
}

Left Block::run(const Body &b)
{
    current = this;
    body = b;
    arrange();
    for (Thread &t : threads) {
        t.state = Thread::fresh;
        t.fiber = nullptr;
    }
    started = ended = waiting = first = count = 0;
    failed = mixed = suspended = false;
    let_run(next());
    running->fiber = take_fiber();
    running->fiber->switch_from(Fiber::outside());
    return left();
}

// left says how the block came back to the launch.
Left Block::left()
{
    running = nullptr;
    if (!failed) return suspended ? Left::waiting : Left::ended;
    give_up();
    return Left::failed;
}

// next takes the thread to go on with: one that was released if there is one, so that a warp runs far ahead of
// the others and reads what they have not written yet where a barrier is missing; or one that has not started.
Thread *Block::next()
{
    const bool more = started < starts.size();
    if (count > 0 && !(order == Order::shuffled && more && random.below(2))) {
        if (order == Order::shuffled) std::swap(ring[first], ring[(first + random.below(count)) % ring.size()]);
        Thread *t = ring[first];
        first = (first + 1) % ring.size();
        count--;
        return t;
    }
    return more ? &threads[starts[started++]] : nullptr;
}

void Block::make_able(Thread &t)
{
    t.state = Thread::able;
    ring[(first + count) % ring.size()] = &t;
    count++;
}

void Block::let_run(Thread *t)
{
    running = t;
    threadIdx = t->index;
    LENS(runs(t->number));
}

// go_on leaves the running thread, which waits, for another one.
void Block::go_on(Thread *t)
{
    Fiber *mine = running->fiber;
    if (t == running) return;
    if (!t) diverged();
    if (!t->fiber) t->fiber = take_fiber();
    let_run(t);
    t->fiber->switch_from(*mine);
}

// wait_at notes where and for what the running thread waits.
void Block::wait_at(Thread::State state, Place place)
{
    running->state = state;
    running->place = place;
}

// come_to_barrier notes that the running thread waits at a barrier, and checks that all do when it is the last one.
void Block::come_to_barrier(bool brings, Place place)
{
    wait_at(Thread::at_barrier, place);
    if (waiting++ == 0) {
        meeting = place;
        bring = 0;
    }
    if (!same(place, meeting)) mixed = true;
    bring += brings;
    if (waiting == threads.size() && mixed) diverged();
}

int Block::barrier(bool brings, Place place)
{
    come_to_barrier(brings, place);
    if (waiting == threads.size()) {
        brought = bring;
        waiting = 0;
        LENS(barrier());
        for (int number : starts) make_able(threads[number]);
    }
    go_on(next());
    return brought;
}

// grid_barrier waits for all threads of the block, and leaves it to the launch to have the other blocks come as far.
void Block::grid_barrier(Place place)
{
    if (!cooperative)
        fail(CUDA_ERROR_LAUNCH_FAILED, "the grid barrier at line " + std::to_string(place.line) +
                                           " in a launch that is not cooperative: its blocks may not all be there");
    come_to_barrier(false, place);
    if (waiting < threads.size()) return go_on(next());
    suspended = true;
    Fiber::outside().switch_from(*running->fiber);
}

Left Block::go_on_from_grid_barrier()
{
    current = this;
    suspended = false;
    waiting = 0;
    for (int number : starts) make_able(threads[number]);
    let_run(next());
    running->fiber->switch_from(Fiber::outside());
    return left();
}

void Block::fail(CUresult error, const std::string &what)
{
    const uint3 t = running->index, b = blockIdx;
    fault(error, "kernel %s, block (%u,%u,%u), thread (%u,%u,%u): %s", kernel, b.x, b.y, b.z, t.x, t.y, t.z,
          what.c_str());
    failed = true;
    Fiber::outside().switch_from(*running->fiber);
    __builtin_unreachable();
}

int barrier(bool brings, Place place) { return block().barrier(brings, place); }
void grid_barrier(Place place) { block().grid_barrier(place); }
uint64_t exchange(Exchange kind, unsigned mask, uint64_t value, int source, Place place)
{
    return block().exchange(kind, mask, value, source, place);
}
int lane() { return block().lane(); }
void trap(Place place) { block().fail(CUDA_ERROR_LAUNCH_FAILED, "trap at line " + std::to_string(place.line)); }

} // namespace sim
