// Modules, functions and launches.
#include "api.h"

#include "commands.h"
#include "image.h"
#include "launch.h"
#include "memory.h"
#include "streams.h"

#include <algorithm>
#include <cstring>
#include <memory>

using namespace sim;

namespace {

struct Module;

struct Function {
    const Kernel *kernel;
    const Context *owner;
    size_t allowed = default_shared; // most dynamic shared memory
};

struct Module {
    std::map<std::string, std::unique_ptr<Function>> functions;
};

Function *function_of(CUfunction handle, const Context *c)
{
    auto *f = reinterpret_cast<Function *>(handle);
    return alive(Handle::function, handle) && (!c || f->owner == c) ? f : nullptr;
}

CUresult load(const char *call, CUmodule *made, const void *image)
{
    return in_context(call, [&](Context &c) {
        if (CUresult e = check_image(image); e != CUDA_SUCCESS) return e;
        auto *m = new Module;
        remember(Handle::module, m, &c);
        *made = reinterpret_cast<CUmodule>(m);
        return CUDA_SUCCESS;
    });
}

constexpr const char *no_function = "%s: not a function of the current context";

// How many blocks fit on a multiprocessor: threads, shared memory with 1 KiB of the system's, and 32 at most.
int resident_blocks(int threads, size_t shared)
{
    const int by_threads = 2048 / ((threads + 31) / 32 * 32);
    const int by_shared = int((228 << 10) / (shared + 1024));
    return std::min({by_threads, by_shared, 32});
}

} // namespace

API cuModuleLoadData(CUmodule *made, const void *image) { return load("cuModuleLoadData", made, image); }
API cuModuleLoadFatBinary(CUmodule *made, const void *image) { return load("cuModuleLoadFatBinary", made, image); }
API cuModuleLoadDataEx(CUmodule *made, const void *image, unsigned, CUjit_option *, void **)
{
    return load("cuModuleLoadDataEx", made, image);
}

API cuModuleUnload(CUmodule handle)
{
    return release_in_context("cuModuleUnload", [&](Context &c) {
        if (!alive(Handle::module, handle))
            return misuse(CUDA_ERROR_INVALID_HANDLE, "cuModuleUnload: not a module, or unloaded before");
        finish(c);
        auto *m = reinterpret_cast<Module *>(handle);
        for (auto &[name, f] : m->functions) forget(Handle::function, f.get());
        forget(Handle::module, m);
        delete m;
        return CUDA_SUCCESS;
    });
}

API cuModuleGetFunction(CUfunction *made, CUmodule handle, const char *name)
{
    return in_context("cuModuleGetFunction", [&](Context &c) {
        if (!alive(Handle::module, handle))
            return misuse(CUDA_ERROR_INVALID_HANDLE, "cuModuleGetFunction: not a module, or unloaded before");
        const auto &all = kernels();
        auto kernel = std::find_if(all.begin(), all.end(), [&](const Kernel &k) { return !strcmp(k.name, name); });
        if (kernel == all.end()) return CUDA_ERROR_NOT_FOUND;
        auto &f = reinterpret_cast<Module *>(handle)->functions[name];
        if (!f) {
            f = std::make_unique<Function>(Function{&*kernel, &c});
            remember(Handle::function, f.get(), &c);
        }
        *made = reinterpret_cast<CUfunction>(f.get());
        return CUDA_SUCCESS;
    });
}

API cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction handle)
{
    return driver("cuFuncGetAttribute", [&] {
        Function *f = function_of(handle, nullptr);
        if (!f) return misuse(CUDA_ERROR_INVALID_HANDLE, no_function, "cuFuncGetAttribute");
        switch (attribute) {
        case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = f->kernel->max_threads; break;
        case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: *value = int(f->allowed); break;
        case CU_FUNC_ATTRIBUTE_NUM_REGS: *value = 32; break;
        case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *value = int(settings().capability); break;
        case CU_FUNC_ATTRIBUTE_PTX_VERSION: *value = 70; break;
        case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: // the simulator does not know which arrays a kernel uses
        case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
        case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
        case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA: *value = 0; break;
        case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: *value = -1; break;
        default:
            return misuse(CUDA_ERROR_INVALID_VALUE,
                          "cuFuncGetAttribute: the simulated driver does not know attribute %d", int(attribute));
        }
        return CUDA_SUCCESS;
    });
}

API cuFuncSetAttribute(CUfunction handle, CUfunction_attribute attribute, int value)
{
    return driver("cuFuncSetAttribute", [&] {
        Function *f = function_of(handle, nullptr);
        if (!f) return misuse(CUDA_ERROR_INVALID_HANDLE, no_function, "cuFuncSetAttribute");
        switch (attribute) {
        case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
            if (value < 0 || size_t(value) > most_shared)
                return misuse(CUDA_ERROR_INVALID_VALUE,
                              "cuFuncSetAttribute: kernel %s: %d bytes of shared memory, but a block has at most %zu",
                              f->kernel->name, value, most_shared);
            f->allowed = size_t(value);
            break;
        case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: break; // a hint
        default:
            return misuse(CUDA_ERROR_INVALID_VALUE,
                          "cuFuncSetAttribute: the simulated driver does not know attribute %d", int(attribute));
        }
        return CUDA_SUCCESS;
    });
}

API cuFuncSetCacheConfig(CUfunction handle, CUfunc_cache)
{
    return driver("cuFuncSetCacheConfig", [&] {
        return function_of(handle, nullptr) ? CUDA_SUCCESS
                                            : misuse(CUDA_ERROR_INVALID_HANDLE, no_function, "cuFuncSetCacheConfig");
    });
}

API cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction handle, int threads, size_t shared)
{
    return in_context("cuOccupancyMaxActiveBlocksPerMultiprocessor", [&](Context &c) {
        Function *f = function_of(handle, &c);
        if (!f) return misuse(CUDA_ERROR_INVALID_HANDLE, no_function, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
        if (threads <= 0)
            return misuse(CUDA_ERROR_INVALID_VALUE, "cuOccupancyMaxActiveBlocksPerMultiprocessor: %d threads", threads);
        *blocks = threads > f->kernel->max_threads || shared > f->allowed ? 0 : resident_blocks(threads, shared);
        return CUDA_SUCCESS;
    });
}

API cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction f, int threads, size_t shared,
                                                         unsigned)
{
    return cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, f, threads, shared);
}

CUresult sim::launch_command(const char *call, Context &c, const CUDA_KERNEL_NODE_PARAMS &p, bool cooperative,
                             Command &made)
{
    Function *f = function_of(p.func, &c);
    if (!f) return misuse(CUDA_ERROR_INVALID_HANDLE, no_function, call);
    const Kernel &kernel = *f->kernel;
    if (p.extra)
        return misuse(CUDA_ERROR_NOT_SUPPORTED,
                      "%s: kernel %s: the simulated driver takes arguments as an array of pointers only", call,
                      kernel.name);
    auto launch = std::make_shared<Launch>(Launch{&kernel,
                                                  {p.gridDimX, p.gridDimY, p.gridDimZ},
                                                  {p.blockDimX, p.blockDimY, p.blockDimZ},
                                                  p.sharedMemBytes,
                                                  {},
                                                  false});
    if (CUresult e = check_launch(*launch, f->allowed); e != CUDA_SUCCESS) return e;
    for (size_t i = 0; i < kernel.parameters.size(); i++) {
        uint64_t value = 0;
        memcpy(&value, p.kernelParams[i], kernel.parameters[i].bytes);
        launch->arguments.push_back(value);
    }
    made.gather = [launch](const char *caller) {
        const dim3 grid = launch->grid, block = launch->block;
        const uint64_t blocks = uint64_t(grid.x) * grid.y * grid.z;
        const int resident = resident_blocks(int(block.x * block.y * block.z), launch->shared);
        if (blocks > uint64_t(settings().multiprocessors) * resident)
            return misuse(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
                          "%s: kernel %s: %llu blocks wait for each other, but only %lld are there at a time", caller,
                          launch->kernel->name, (unsigned long long)blocks, settings().multiprocessors * resident);
        launch->cooperative = true;
        return CUDA_SUCCESS;
    };
    if (cooperative)
        if (CUresult e = made.gather(call); e != CUDA_SUCCESS) return e;
    made.begin = [&kernel] {
        counters().launches++;
        counters().launches_of[kernel.name]++;
        return injected(settings().fail_launch) ? CUresult(settings().launch_error) : CUDA_SUCCESS;
    };
    made.run = [launch] { run_launch(*launch); };
    return CUDA_SUCCESS;
}

namespace {

// launch checks a launch and enqueues it.
CUresult launch(const char *call, CUfunction handle, dim3 grid, dim3 block, unsigned shared, CUstream stream,
                void **arguments, void **extra, bool cooperative)
{
    return in_context(call, [&](Context &c) {
        Stream *s = stream_of(stream, c);
        if (!s) return misuse(CUDA_ERROR_INVALID_HANDLE, "%s: not a stream, or destroyed before", call);
        CUDA_KERNEL_NODE_PARAMS p{};
        p.func = handle;
        p.gridDimX = grid.x, p.gridDimY = grid.y, p.gridDimZ = grid.z;
        p.blockDimX = block.x, p.blockDimY = block.y, p.blockDimZ = block.z;
        p.sharedMemBytes = shared;
        p.kernelParams = arguments, p.extra = extra;
        Command command;
        if (CUresult e = launch_command(call, c, p, cooperative, command); e != CUDA_SUCCESS) return e;
        if (CUresult e = command.begin(); e != CUDA_SUCCESS) return e;
        enqueue(*s, std::move(command.run));
        return CUDA_SUCCESS; // what went wrong in the kernel is returned by the next call
    });
}

} // namespace

API cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, CUstream stream, void **arguments, void **extra)
{
    return launch("cuLaunchKernel", f, {gx, gy, gz}, {bx, by, bz}, shared, stream, arguments, extra, false);
}

API cuLaunchCooperativeKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                              unsigned bz, unsigned shared, CUstream stream, void **arguments)
{
    return launch("cuLaunchCooperativeKernel", f, {gx, gy, gz}, {bx, by, bz}, shared, stream, arguments, nullptr, true);
}
