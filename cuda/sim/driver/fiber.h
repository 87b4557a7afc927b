// Fibers: stacks that one OS thread switches between.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sim {

class Fiber {
  public:
    // A fiber runs body() when it is switched to for the first time; body must not return.
    Fiber(size_t number, void (*body)());
    Fiber(const Fiber &) = delete;

    // restart forgets what the fiber was doing; the next switch to it runs body again.
    void restart();

    // holds says whether an address lies in the stack or in the guard page below it.
    bool holds(uintptr_t address) const { return address - (bottom - guard) < bytes + guard; }
    uintptr_t top() const { return bottom + bytes; }

    // switch_from saves the fiber that runs and goes on with this one.
    void switch_from(Fiber &running);

    // The fiber of the code that was not started as one: the caller of a launch.
    static Fiber &outside();

  private:
    Fiber() = default;
    friend void fiber_entered();

    void *stack_pointer = nullptr;
    uintptr_t bottom = 0;
    size_t bytes = 0, guard = 0, number = 0;
    void (*body)() = nullptr;
    void *fake_stack = nullptr; // of the address sanitizer
};

// The first thing that body calls.
void fiber_entered();

} // namespace sim
