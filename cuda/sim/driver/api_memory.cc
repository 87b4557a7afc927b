// Allocation, copies and fills.
#include "api.h"

#include "commands.h"
#include "lens.h"
#include "memory.h"
#include "streams.h"

#include <cstring>
#include <functional>

using namespace sim;

namespace {

enum class Direction { to_device, to_host, inside };

long long &bytes_copied(Direction d)
{
    Counters &c = counters();
    return d == Direction::to_device ? c.host_to_device
           : d == Direction::to_host ? c.device_to_host
                                     : c.device_to_device;
}

// A Copy moves bytes; the device's side was checked when it was queued and is checked again when it runs.
struct Copy {
    const char *call;
    Direction direction;
    uintptr_t to, from;
    size_t bytes;

    bool valid() const
    {
        const std::string destination = std::string(call) + ": destination", source = std::string(call) + ": source";
        if (direction != Direction::to_host && !memory().check_range(to, bytes, destination.c_str())) return false;
        if (direction != Direction::to_device && !memory().check_range(from, bytes, source.c_str())) return false;
        const uintptr_t host = direction == Direction::to_host ? to : from;
        if (direction == Direction::inside || (host && !memory().find(host))) return true;
        finding("%s: the host's side %s", call, memory().describe(host).c_str());
        return false;
    }

    void run() const
    {
        if (!valid()) {
            break_context(CUDA_ERROR_ILLEGAL_ADDRESS);
            return;
        }
        Memory::Access access;
        memmove(reinterpret_cast<void *>(to), reinterpret_cast<const void *>(from), bytes);
        if (direction == Direction::to_device) LENS(written(to, bytes));
        if (direction == Direction::inside) LENS(copied(to, from, bytes));
    }
};

// copy queues a copy. A synchronous one is finished when it returns, and so is an asynchronous one to
// ordinary memory; one from ordinary memory has read it.
CUresult copy(Context &c, Copy copy, CUstream handle, bool asynchronous)
{
    Stream *s = stream_of(handle, c);
    if (!s) return misuse(CUDA_ERROR_INVALID_HANDLE, "%s: not a stream, or destroyed before", copy.call);
    if (copy.bytes == 0) return CUDA_SUCCESS;
    if (!copy.valid()) return CUDA_ERROR_INVALID_VALUE;
    counters().copies++;
    if (injected(settings().fail_copy)) return CUDA_ERROR_UNKNOWN;
    bytes_copied(copy.direction) += (long long)copy.bytes;
    const uintptr_t host = copy.direction == Direction::to_device ? copy.from : copy.to;
    const bool pinned =
        copy.direction == Direction::inside || memory().is_pinned(reinterpret_cast<void *>(host), copy.bytes);
    if (asynchronous && !pinned && copy.direction == Direction::to_device) {
        const auto *bytes = reinterpret_cast<const char *>(copy.from);
        enqueue(*s, [copy, staged = std::vector<char>(bytes, bytes + copy.bytes)]() mutable {
            copy.from = reinterpret_cast<uintptr_t>(staged.data());
            copy.run();
        });
        return c.error;
    }
    enqueue(*s, [copy] { copy.run(); });
    if (!asynchronous || !pinned) {
        finish(*s);
        if (!asynchronous) counters().synchronisations++;
    }
    return c.error;
}

uintptr_t address_of(const void *p) { return reinterpret_cast<uintptr_t>(p); }

// direction_of tells the direction of a copy by what its addresses are.
Direction direction_of(CUdeviceptr to, CUdeviceptr from)
{
    if (!memory().find(to)) return Direction::to_host;
    return memory().find(from) ? Direction::inside : Direction::to_device;
}

template <class T>
CUresult fill(const char *call, CUdeviceptr to, T value, size_t n, CUstream handle, bool asynchronous)
{
    return in_context(call, [&](Context &c) {
        Stream *s = stream_of(handle, c);
        if (!s) return misuse(CUDA_ERROR_INVALID_HANDLE, "%s: not a stream, or destroyed before", call);
        if (n == 0) return CUDA_SUCCESS;
        Command fill;
        if (CUresult e = fill_command(call, to, value, sizeof(T), n, fill); e != CUDA_SUCCESS) return e;
        if (CUresult e = fill.begin(); e != CUDA_SUCCESS) return e;
        enqueue(*s, fill.run);
        if (!asynchronous) finish(*s);
        return c.error;
    });
}

template <class T> void fill_now(const char *call, CUdeviceptr to, T value, size_t n)
{
    Memory::Access access;
    if (!memory().check_range(to, n * sizeof(T), call)) {
        break_context(CUDA_ERROR_ILLEGAL_ADDRESS);
        return;
    }
    std::fill_n(reinterpret_cast<T *>(to), n, value);
    LENS(written(to, n * sizeof(T)));
}

} // namespace

CUresult sim::fill_command(const char *call, CUdeviceptr to, unsigned value, unsigned element, size_t n, Command &made)
{
    if (element != 1 && element != 2 && element != 4)
        return misuse(CUDA_ERROR_INVALID_VALUE, "%s: elements of %u bytes", call, element);
    if (to % element)
        return misuse(CUDA_ERROR_INVALID_VALUE, "%s: %#llx is not a multiple of %u", call, (unsigned long long)to,
                      element);
    if (!memory().check_range(to, n * element, call)) return CUDA_ERROR_INVALID_VALUE;
    made.begin = [] {
        counters().memsets++;
        return injected(settings().fail_copy) ? CUDA_ERROR_UNKNOWN : CUDA_SUCCESS;
    };
    made.run = [=] {
        if (element == 1) fill_now(call, to, (unsigned char)value, n);
        if (element == 2) fill_now(call, to, (unsigned short)value, n);
        if (element == 4) fill_now(call, to, value, n);
    };
    return CUDA_SUCCESS;
}

CUresult sim::copy_command(const char *call, CUdeviceptr to, CUdeviceptr from, size_t n, Command &made)
{
    const Copy copy{call, Direction::inside, to, from, n};
    if (!copy.valid()) return CUDA_ERROR_INVALID_VALUE;
    made.begin = [n] {
        counters().copies++;
        if (injected(settings().fail_copy)) return CUDA_ERROR_UNKNOWN;
        counters().device_to_device += (long long)n;
        return CUDA_SUCCESS;
    };
    made.run = [copy] { copy.run(); };
    return CUDA_SUCCESS;
}

API cuMemGetInfo_v2(size_t *free, size_t *total)
{
    return in_context("cuMemGetInfo", [&](Context &c) {
        *free = memory().free_bytes(c.device);
        *total = size_t(settings().memory);
        return CUDA_SUCCESS;
    });
}

API cuMemAlloc_v2(CUdeviceptr *address, size_t bytes)
{
    return in_context("cuMemAlloc", [&](Context &c) {
        if (bytes == 0) return misuse(CUDA_ERROR_INVALID_VALUE, "cuMemAlloc: zero bytes");
        if (injected(settings().fail_alloc)) return CUDA_ERROR_OUT_OF_MEMORY;
        const uintptr_t made = memory().allocate(bytes, &c);
        if (!made) return CUDA_ERROR_OUT_OF_MEMORY;
        counters().allocations++;
        *address = made;
        return CUDA_SUCCESS;
    });
}

// The driver lets the device finish before memory is given back, and so does the simulator.
API cuMemFree_v2(CUdeviceptr address)
{
    return release_in_context("cuMemFree", [&](Context &c) {
        if (address == 0) return CUDA_SUCCESS;
        finish(c);
        return memory().release(address, "cuMemFree");
    });
}

API cuMemGetAddressRange_v2(CUdeviceptr *start, size_t *bytes, CUdeviceptr address)
{
    return in_context("cuMemGetAddressRange", [&](Context &) {
        const Allocation *a = memory().find(address);
        if (!a) return CUDA_ERROR_NOT_FOUND;
        if (start) *start = a->address;
        if (bytes) *bytes = a->bytes;
        return CUDA_SUCCESS;
    });
}

API cuMemHostAlloc(void **address, size_t bytes, unsigned)
{
    return in_context("cuMemHostAlloc", [&](Context &) {
        if (bytes == 0) return misuse(CUDA_ERROR_INVALID_VALUE, "cuMemHostAlloc: zero bytes");
        if (injected(settings().fail_host_alloc)) return CUDA_ERROR_OUT_OF_MEMORY;
        *address = memory().allocate_host(bytes);
        counters().host_allocations++;
        return *address ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
    });
}
API cuMemAllocHost_v2(void **address, size_t bytes) { return cuMemHostAlloc(address, bytes, 0); }

API cuMemFreeHost(void *address)
{
    return release_in_context("cuMemFreeHost", [&](Context &c) {
        finish(c);
        return memory().release_host(address, "cuMemFreeHost");
    });
}

API cuMemHostGetDevicePointer_v2(CUdeviceptr *address, void *host, unsigned)
{
    return in_context("cuMemHostGetDevicePointer", [&](Context &) {
        if (!memory().is_pinned(host, 1))
            return misuse(CUDA_ERROR_INVALID_VALUE, "cuMemHostGetDevicePointer: %p is not pinned memory", host);
        *address = address_of(host);
        return CUDA_SUCCESS;
    });
}

API cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t n)
{
    return in_context("cuMemcpyHtoD", [&](Context &c) {
        return copy(c, {"cuMemcpyHtoD", Direction::to_device, to, address_of(from), n}, nullptr, false);
    });
}
API cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t n)
{
    return in_context("cuMemcpyDtoH", [&](Context &c) {
        return copy(c, {"cuMemcpyDtoH", Direction::to_host, address_of(to), from, n}, nullptr, false);
    });
}
API cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t n)
{
    return in_context("cuMemcpyDtoD", [&](Context &c) {
        return copy(c, {"cuMemcpyDtoD", Direction::inside, to, from, n}, nullptr, false);
    });
}
API cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t n)
{
    return in_context("cuMemcpy", [&](Context &c) {
        return copy(c, {"cuMemcpy", direction_of(to, from), to, from, n}, nullptr, false);
    });
}
API cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t n, CUstream s)
{
    return in_context("cuMemcpyHtoDAsync", [&](Context &c) {
        return copy(c, {"cuMemcpyHtoDAsync", Direction::to_device, to, address_of(from), n}, s, true);
    });
}
API cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t n, CUstream s)
{
    return in_context("cuMemcpyDtoHAsync", [&](Context &c) {
        return copy(c, {"cuMemcpyDtoHAsync", Direction::to_host, address_of(to), from, n}, s, true);
    });
}
API cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t n, CUstream s)
{
    return in_context("cuMemcpyDtoDAsync", [&](Context &c) {
        return copy(c, {"cuMemcpyDtoDAsync", Direction::inside, to, from, n}, s, true);
    });
}
API cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t n, CUstream s)
{
    return in_context("cuMemcpyAsync", [&](Context &c) {
        return copy(c, {"cuMemcpyAsync", direction_of(to, from), to, from, n}, s, true);
    });
}

API cuMemsetD8_v2(CUdeviceptr to, unsigned char v, size_t n) { return fill("cuMemsetD8", to, v, n, nullptr, false); }
API cuMemsetD16_v2(CUdeviceptr to, unsigned short v, size_t n) { return fill("cuMemsetD16", to, v, n, nullptr, false); }
API cuMemsetD32_v2(CUdeviceptr to, unsigned v, size_t n) { return fill("cuMemsetD32", to, v, n, nullptr, false); }
API cuMemsetD8Async(CUdeviceptr to, unsigned char v, size_t n, CUstream s)
{
    return fill("cuMemsetD8Async", to, v, n, s, true);
}
API cuMemsetD16Async(CUdeviceptr to, unsigned short v, size_t n, CUstream s)
{
    return fill("cuMemsetD16Async", to, v, n, s, true);
}
API cuMemsetD32Async(CUdeviceptr to, unsigned v, size_t n, CUstream s)
{
    return fill("cuMemsetD32Async", to, v, n, s, true);
}
