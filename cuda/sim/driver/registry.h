// Makes a Kernel of a function: its parameters are taken from its type.
#pragma once

#include "launch.h"

#include <type_traits>
#include <utility>

namespace sim {

template <class T> Parameter parameter()
{
    static_assert(sizeof(T) <= 8 && (std::is_arithmetic_v<T> || std::is_pointer_v<T>),
                  "kernels take pointers and numbers");
    if constexpr (std::is_pointer_v<T> && !std::is_void_v<std::remove_pointer_t<T>>)
        return {sizeof(T), sizeof(std::remove_pointer_t<T>)};
    return {sizeof(T), size_t(std::is_pointer_v<T>)};
}

template <class T> T argument(uint64_t stored)
{
    T value;
    __builtin_memcpy(&value, &stored, sizeof value);
    return value;
}

// first returns the first of the launch bounds, the number of threads.
inline int first(int threads, ...) { return threads; }

template <auto function> struct Caller;
template <class... T, void (*function)(T...)> struct Caller<function> {
    static std::vector<Parameter> parameters() { return {parameter<T>()...}; }
    static void call(const uint64_t *stored) { apply(stored, std::index_sequence_for<T...>()); }
    template <size_t... i> static void apply(const uint64_t *stored, std::index_sequence<i...>)
    {
        function(argument<T>(stored[i])...);
    }
};

} // namespace sim
