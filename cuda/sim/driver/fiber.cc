#include "fiber.h"

#include "sanitizer.h"

#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>

// sim_switch(from, to) saves the registers that a call has to preserve on the stack, stores the stack pointer
// in *from, and goes on with the stack at to.
extern "C" void sim_switch(void **from, void *to);
extern "C" void sim_start();

#if defined(__x86_64__)
asm(R"(
    .text
    .globl sim_switch
    .hidden sim_switch
    .type sim_switch, @function
sim_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .size sim_switch, .-sim_switch

    .globl sim_start
    .hidden sim_start
    .type sim_start, @function
sim_start:
    callq *%rbx
    ud2
    .size sim_start, .-sim_start
)");
// What a fresh stack holds: r15 r14 r13 r12 rbx rbp and the address to return to.
constexpr size_t frame_words = 7, body_word = 4, return_word = 6;
#elif defined(__aarch64__)
asm(R"(
    .text
    .globl sim_switch
    .hidden sim_switch
    .type sim_switch, %function
sim_switch:
    sub sp, sp, #160
    stp x19, x20, [sp]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mov x9, sp
    str x9, [x0]
    mov sp, x1
    ldp x19, x20, [sp]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    add sp, sp, #160
    ret
    .size sim_switch, .-sim_switch

    .globl sim_start
    .hidden sim_start
    .type sim_start, %function
sim_start:
    blr x19
    brk #1
    .size sim_start, .-sim_start
)");
// What a fresh stack holds: x19 to x28, x29, the address to return to, d8 to d15.
constexpr size_t frame_words = 20, body_word = 0, return_word = 11;
#else
#error "the simulated GPU switches fibers on x86-64 and aarch64 only"
#endif

namespace sim {
namespace {

constexpr size_t stack_bytes = SANITIZED ? 256 << 10 : 128 << 10, guard_page = 4096;

Fiber *entering; // where the running switch leads

#if defined(__SANITIZE_ADDRESS__)
Fiber *leaving;
#endif

} // namespace

Fiber::Fiber(size_t number, void (*body)()) : bytes(stack_bytes), guard(guard_page), number(number), body(body)
{
    void *p = mmap(nullptr, guard + bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED || mprotect(p, guard, PROT_NONE) != 0) {
        perror("simulated GPU: no memory for the stack of a thread");
        abort();
    }
    bottom = reinterpret_cast<uintptr_t>(p) + guard;
    restart();
}

void Fiber::restart()
{
    UNPOISON(bottom, bytes);
    // Stacks start at different places of their pages, so that they do not all fall on the same cache lines.
    const uintptr_t start = top() - 64 - (number % 31) * 128;
    auto *frame = reinterpret_cast<uintptr_t *>(start) - frame_words;
    for (size_t i = 0; i < frame_words; i++) frame[i] = 0;
    frame[body_word] = reinterpret_cast<uintptr_t>(body);
    frame[return_word] = reinterpret_cast<uintptr_t>(&sim_start);
    stack_pointer = frame;
    fake_stack = nullptr;
}

Fiber &Fiber::outside()
{
    static Fiber f;
    return f;
}

void Fiber::switch_from(Fiber &running)
{
    entering = this;
#if defined(__SANITIZE_ADDRESS__)
    leaving = &running;
    __sanitizer_start_switch_fiber(&running.fake_stack, reinterpret_cast<void *>(bottom), bytes);
#endif
    sim_switch(&running.stack_pointer, stack_pointer);
    fiber_entered();
}

// fiber_entered tells the sanitizer that the switch has arrived and learns the bounds of the caller's stack.
void fiber_entered()
{
#if defined(__SANITIZE_ADDRESS__)
    const void *old_bottom;
    size_t old_bytes;
    __sanitizer_finish_switch_fiber(entering->fake_stack, &old_bottom, &old_bytes);
    if (leaving == &Fiber::outside()) {
        leaving->bottom = reinterpret_cast<uintptr_t>(old_bottom);
        leaving->bytes = old_bytes;
    }
#endif
}

} // namespace sim
