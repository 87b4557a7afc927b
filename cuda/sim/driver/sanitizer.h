// What the address sanitizer has to be told where it is compiled in, and nothing elsewhere.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
constexpr bool SANITIZED = true;
#define UNSANITIZED __attribute__((no_sanitize_address, noinline))
#define POISON(address, bytes) __asan_poison_memory_region(reinterpret_cast<void *>(address), bytes)
#define UNPOISON(address, bytes) __asan_unpoison_memory_region(reinterpret_cast<void *>(address), bytes)
#else
constexpr bool SANITIZED = false;
#define UNSANITIZED
#define POISON(address, bytes) ((void)0)
#define UNPOISON(address, bytes) ((void)0)
#endif
