#include "shared.h"

#include "lanes.h"
#include "memory.h"
#include "sanitizer.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <link.h>
#include <sys/mman.h>

namespace sim {

unsigned char *dynamic_shared;

namespace {

// One more shared array, so that there always is one. It is zero only in a thread that has not launched yet.
thread_local volatile char any_array;

// Where the arrays of the calling OS thread lie.
struct Segment {
    unsigned char *start = nullptr;
    size_t bytes = 0;
};

int find_segment(dl_phdr_info *library, size_t, void *result)
{
    const auto here = reinterpret_cast<uintptr_t>(&find_segment);
    bool ours = false;
    for (int i = 0; i < library->dlpi_phnum; i++) {
        const auto &h = library->dlpi_phdr[i];
        ours |= h.p_type == PT_LOAD && here - (library->dlpi_addr + h.p_vaddr) < h.p_memsz;
    }
    for (int i = 0; ours && i < library->dlpi_phnum; i++)
        if (library->dlpi_phdr[i].p_type == PT_TLS && library->dlpi_tls_data)
            *static_cast<Segment *>(result) = {static_cast<unsigned char *>(library->dlpi_tls_data),
                                               library->dlpi_phdr[i].p_memsz};
    return ours;
}

constexpr size_t dynamic_bytes = 256 << 10, page = 4096;

unsigned char *end_of_dynamic()
{
    static unsigned char *end = [] {
        void *p = mmap(nullptr, dynamic_bytes + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (p == MAP_FAILED || mprotect(static_cast<char *>(p) + dynamic_bytes, page, PROT_NONE) != 0) {
            perror("simulated GPU: no memory for shared memory");
            abort();
        }
        return static_cast<unsigned char *>(p) + dynamic_bytes;
    }();
    return end;
}

// is_poison says whether a stretch, aligned to eight bytes, is as poison left it.
UNSANITIZED bool is_poison(const unsigned char *p, size_t bytes)
{
    const uint64_t twice = uint64_t(shared_pattern) << 32 | shared_pattern;
    uint64_t changed = 0;
    size_t i = 0;
    for (; i + 8 <= bytes; i += 8) changed |= *reinterpret_cast<const uint64_t *>(p + i) ^ twice;
    for (; i < bytes; i++) changed |= p[i] ^ (unsigned char)(shared_pattern >> 8 * (i % 4));
    return changed == 0;
}

} // namespace

UNSANITIZED void poison(unsigned char *p, size_t bytes)
{
    size_t i = 0;
    for (; i + 4 <= bytes; i += 4) *reinterpret_cast<uint32_t *>(p + i) = shared_pattern;
    for (; i < bytes; i++) *(volatile unsigned char *)(p + i) = (unsigned char)(shared_pattern >> 8 * (i % 4));
}

SharedArrays &shared_arrays()
{
    static auto *s = new SharedArrays;
    return *s;
}

// locate finds the arrays of the calling OS thread; they are all poison afterwards.
void SharedArrays::locate()
{
    const bool seen = any_array != 0; // now this thread has them, if it had not
    Segment found;
    dl_iterate_phdr(find_segment, &found);
    if (seen && found.start == start) return;
    start = found.start;
    bytes = found.bytes;
    poison(start, bytes);
}

void SharedArrays::begin(const void *kernel)
{
    locate();
    now = nullptr;
    for (Kernel &k : kernels)
        if (k.which == kernel) now = &k;
    if (!now) {
        kernels.push_back({kernel, 0, std::vector<bool>((bytes + part - 1) / part), {}, {}});
        now = &kernels.back();
    }
    const unsigned n = now->launches++;
    watching = n < 8 || (n & (n - 1)) == 0 || n % 64 == 0;
}

void SharedArrays::learn()
{
    if (!watching) return;
    for (size_t i = 0; i < now->known.size(); i++)
        if (!now->known[i] && !is_poison(start + i * part, std::min(part, bytes - i * part))) now->known[i] = true;
    now->first.clear();
    now->last.clear();
    for (size_t i = 0; i < now->known.size(); i++) {
        if (!now->known[i]) continue;
        if (now->last.empty() || now->last.back() + 1 != i) {
            now->first.push_back(i);
            now->last.push_back(i);
        }
        now->last.back() = i;
    }
}

void SharedArrays::poison_known() const
{
    for (size_t r = 0; r < now->first.size(); r++)
        poison(start + now->first[r] * part, std::min((now->last[r] + 1) * part, bytes) - now->first[r] * part);
}

// A kernel may write to some arrays in some blocks only: it is watched again after 1, 2, 4, 8... blocks.
void SharedArrays::before_block(uint64_t done)
{
    if (done && (done & (done - 1)) == 0) learn();
    poison_known();
}

void SharedArrays::end()
{
    learn();
    poison_known();
}

unsigned char *dynamic_shared_of(size_t bytes) { return end_of_dynamic() - (bytes + 15) / 16 * 16; }

long long beyond_dynamic_shared(uintptr_t address)
{
    const uintptr_t beyond = address - reinterpret_cast<uintptr_t>(end_of_dynamic());
    return beyond < page ? (long long)beyond : -1;
}

} // namespace sim
