#include "launch.h"

#include "block.h"
#include "lens.h"
#include "memory.h"
#include "sanitizer.h"
#include "shared.h"

#include <csignal>
#include <cstdio>
#include <dlfcn.h>
#include <numeric>
#include <pthread.h>
#include <ucontext.h>

namespace sim {

namespace {

// The fault of a kernel that touched what it must not: the signal handler leads the fiber to report_signal.
struct Signal {
    int number = 0;
    uintptr_t address = 0;
};
Signal caught;
pthread_t launching;
bool in_launch;
struct sigaction before[3];
const int signals[3] = {SIGSEGV, SIGBUS, SIGFPE};

UNSANITIZED void report_signal()
{
    Block &b = block();
    UNPOISON(b.fiber()->top() - (64 << 10), 64 << 10);
    if (caught.number == SIGFPE) b.fail(CUDA_ERROR_LAUNCH_FAILED, "division of an integer by zero");
    std::string where = memory().describe(caught.address);
    if (b.fiber()->holds(caught.address)) where = "the stack of the thread is full";
    if (long long beyond = beyond_dynamic_shared(caught.address); beyond >= 0)
        where = "byte " + std::to_string(beyond) + " beyond the dynamic shared memory of the launch";
    b.fail(CUDA_ERROR_ILLEGAL_ADDRESS, "illegal address: " + where);
}

UNSANITIZED void on_signal(int number, siginfo_t *info, void *context)
{
    Fiber *f = in_launch && pthread_equal(launching, pthread_self()) ? block().fiber() : nullptr;
    if (!f) {
        // Another thread of the program: its own handler decides.
        for (int i = 0; i < 3; i++)
            if (signals[i] == number && (before[i].sa_flags & SA_SIGINFO)) {
                before[i].sa_sigaction(number, info, context);
                return;
            }
        signal(number, SIG_DFL);
        return;
    }
    caught = {number, reinterpret_cast<uintptr_t>(info->si_addr)};
    auto *u = static_cast<ucontext_t *>(context);
    const uintptr_t stack = f->top() - 8192; // whatever the thread had there, it does not go on
#if defined(__x86_64__)
    u->uc_mcontext.gregs[REG_RIP] = reinterpret_cast<greg_t>(&report_signal);
    u->uc_mcontext.gregs[REG_RSP] = greg_t(stack - 8);
#else
    u->uc_mcontext.pc = reinterpret_cast<uintptr_t>(&report_signal);
    u->uc_mcontext.sp = stack;
#endif
}

// A SignalGuard takes the signals of faults over. The handler needs a stack of its own, because the fault may be
// that a fiber's stack is full; threads of Go have one.
class SignalGuard {
  public:
    SignalGuard()
    {
        sigaltstack(nullptr, &stack_before);
        if (stack_before.ss_flags & SS_DISABLE) {
            static char room[64 << 10];
            stack_t stack{};
            stack.ss_sp = room;
            stack.ss_size = sizeof room;
            sigaltstack(&stack, nullptr);
        }
        struct sigaction ours {};
        ours.sa_sigaction = on_signal;
        ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
        launching = pthread_self();
        in_launch = true;
        for (int i = 0; i < 3; i++) sigaction(signals[i], &ours, &before[i]);
    }
    ~SignalGuard()
    {
        for (int i = 0; i < 3; i++) sigaction(signals[i], &before[i], nullptr);
        in_launch = false;
        if (stack_before.ss_flags & SS_DISABLE) sigaltstack(&stack_before, nullptr);
    }

  private:
    stack_t stack_before{};
};

#if defined(__SANITIZE_ADDRESS__)
// The sanitizers end the process; this adds where the kernel stood to their report.
void tell_where()
{
    if (!in_launch) return;
    const uint3 b = blockIdx, t = threadIdx;
    fprintf(stderr, "simulated GPU: in kernel %s, block (%u,%u,%u), thread (%u,%u,%u)\n", block().running_kernel(), b.x,
            b.y, b.z, t.x, t.y, t.z);
}
// Each of the two sanitizers has its own copy of the function that takes the callback.
const bool telling = [] {
    __sanitizer_set_death_callback(tell_where);
    if (void *other = dlopen("libubsan.so.1", RTLD_NOW | RTLD_NOLOAD))
        if (void *set = dlsym(other, "__sanitizer_set_death_callback"))
            reinterpret_cast<void (*)(void (*)())>(set)(tell_where);
    return true;
}();
#endif

// check_arguments reports a pointer to what is not allocated.
bool check_arguments(const Launch &l)
{
    for (size_t i = 0; i < l.arguments.size(); i++) {
        const size_t pointee = l.kernel->parameters[i].pointee;
        const uintptr_t address = l.arguments[i];
        if (!pointee || !address) continue;
        if (!memory().find(address) && !memory().is_pinned(reinterpret_cast<void *>(address), 1)) {
            fault(CUDA_ERROR_ILLEGAL_ADDRESS, "kernel %s: parameter %zu: %s", l.kernel->name, i + 1,
                  memory().describe(address).c_str());
            return false;
        }
        if (address % pointee != 0) {
            fault(CUDA_ERROR_MISALIGNED_ADDRESS, "kernel %s: parameter %zu: %#llx is not a multiple of %zu",
                  l.kernel->name, i + 1, (unsigned long long)address, pointee);
            return false;
        }
    }
    return true;
}

} // namespace

CUresult check_launch(const Launch &l, size_t allowed)
{
    const dim3 g = l.grid, b = l.block;
    const char *name = l.kernel->name;
    if (!g.x || !g.y || !g.z || !b.x || !b.y || !b.z)
        return misuse(CUDA_ERROR_INVALID_VALUE,
                      "kernel %s: a size of the launch is zero: grid (%u,%u,%u), block (%u,%u,%u)", name, g.x, g.y, g.z,
                      b.x, b.y, b.z);
    if (g.x > 0x7fffffff || g.y > 65535 || g.z > 65535)
        return misuse(CUDA_ERROR_INVALID_VALUE, "kernel %s: grid (%u,%u,%u) is beyond (2147483647,65535,65535)", name,
                      g.x, g.y, g.z);
    if (b.x > 1024 || b.y > 1024 || b.z > 64 || uint64_t(b.x) * b.y * b.z > 1024)
        return misuse(CUDA_ERROR_INVALID_VALUE, "kernel %s: block (%u,%u,%u) has more than 1024 threads", name, b.x,
                      b.y, b.z);
    if (b.x * b.y * b.z > unsigned(l.kernel->max_threads))
        return misuse(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
                      "kernel %s: block (%u,%u,%u) has more threads than its launch bounds, %d", name, b.x, b.y, b.z,
                      l.kernel->max_threads);
    if (l.shared > allowed)
        return misuse(CUDA_ERROR_INVALID_VALUE,
                      "kernel %s: %zu bytes of dynamic shared memory, but %zu are allowed (cuFuncSetAttribute)", name,
                      l.shared, allowed);
    return CUDA_SUCCESS;
}

std::vector<Kernel> &all_kernels()
{
    static auto *all = new std::vector<Kernel>;
    return *all;
}

const std::vector<Kernel> &kernels() { return all_kernels(); }

bool list(const std::vector<Kernel> &of_file)
{
    all_kernels().insert(all_kernels().end(), of_file.begin(), of_file.end());
    return true;
}

namespace {

// The order in which the blocks of a launch take their turns. A shuffled one visits them in steps that share no factor
// with their number.
class Turns {
  public:
    Turns(const Launch &l, Order order, Random &random)
        : grid(l.grid), blocks(uint64_t(l.grid.x) * l.grid.y * l.grid.z)
    {
        if (order == Order::reverse) position = blocks - 1, step = blocks - 1;
        if (order == Order::shuffled) {
            position = random.below(blocks);
            do step = 1 + random.below(blocks); while (std::gcd(step, blocks) != 1);
        }
    }
    uint64_t count() const { return blocks; }

    // next sets blockIdx and returns the number of the block.
    uint64_t next()
    {
        const uint64_t now = position;
        blockIdx = {unsigned(now % grid.x), unsigned(now / grid.x % grid.y), unsigned(now / grid.x / grid.y)};
        position = (position + step) % blocks;
        return now;
    }

  private:
    const dim3 grid;
    const uint64_t blocks;
    uint64_t step = 1, position = 0;
};

// enter makes the shared memory of a block. One that comes from a grid barrier has none of what it had before: to keep
// it the simulator would have to copy it.
void enter(const Launch &l, uint64_t done)
{
    shared_arrays().before_block(done);
    poison(dynamic_shared, (l.shared + 15) / 16 * 16);
    LENS(begin_block());
}

// run_together runs all blocks of a cooperative launch from one grid barrier to the next.
void run_together(const Launch &l, const Body &body, Turns &turns, Order order, Random &random)
{
    static std::vector<Block> blocks;
    blocks.resize(turns.count());
    for (Block &b : blocks) b.begin(l.kernel->name, l.block, order, random.next(), true);
    uint64_t done = 0, ended = 0;
    for (bool first = true; ended == 0; first = false) {
        for (uint64_t i = 0; i < turns.count(); i++) {
            Block &b = blocks[turns.next()];
            enter(l, done++);
            const Left left = first ? b.run(body) : b.go_on_from_grid_barrier();
            LENS(end_block());
            if (left == Left::failed) return;
            ended += left == Left::ended;
        }
        LENS(grid_barrier());
    }
    if (ended == turns.count()) return;
    fault(CUDA_ERROR_LAUNCH_FAILED,
          "kernel %s: %llu of %llu blocks have ended, the others wait for them at a grid barrier", l.kernel->name,
          (unsigned long long)ended, (unsigned long long)turns.count());
    Block::give_up();
}

} // namespace

void run_launch(const Launch &l)
{
    if (!check_arguments(l)) return;
    Memory::Access access;
    gridDim = l.grid;
    blockDim = l.block;
    dynamic_shared = dynamic_shared_of(l.shared);
    shared_arrays().begin(l.kernel);
    const auto order = Order(settings().order);
    Random random(settings().seed * 1000003ULL + counters().launches);
    Turns turns(l, order, random);
    LENS(begin_launch(l.kernel->name, turns.count(), size_t(l.block.x) * l.block.y * l.block.z, shared_arrays().all(),
                      {dynamic_shared, l.shared}));
    const Body body{l.kernel->call, l.arguments.data()};
    {
        SignalGuard guard;
        static Block one;
        if (l.cooperative) {
            run_together(l, body, turns, order, random);
        } else {
            one.begin(l.kernel->name, l.block, order, random.next(), false);
            for (uint64_t i = 0; i < turns.count(); i++) {
                turns.next();
                enter(l, i);
                const Left left = one.run(body);
                LENS(end_block());
                if (left == Left::failed) break;
            }
        }
    }
    LENS(end_launch());
    shared_arrays().end();
    if (settings().guard_each_launch)
        for (size_t i = 0; i < l.arguments.size(); i++)
            if (l.kernel->parameters[i].pointee)
                memory().check_guards(l.arguments[i], std::string("kernel ") + l.kernel->name);
}

} // namespace sim
