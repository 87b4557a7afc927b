// Names and descriptions of errors, and the answer to calls that the simulator does not have.
#include "api.h"

#include "context.h"

using namespace sim;

namespace {

struct Described {
    CUresult error;
    const char *name, *text;
};
const Described errors[] = {
#define ERROR(name, text) {name, #name, text},
    ERROR(CUDA_SUCCESS, "no error")
    ERROR(CUDA_ERROR_INVALID_VALUE, "invalid argument")
    ERROR(CUDA_ERROR_OUT_OF_MEMORY, "out of memory")
    ERROR(CUDA_ERROR_NOT_INITIALIZED, "initialization error")
    ERROR(CUDA_ERROR_DEINITIALIZED, "driver shutting down")
    ERROR(CUDA_ERROR_DEVICE_UNAVAILABLE, "CUDA-capable device(s) is/are busy or unavailable")
    ERROR(CUDA_ERROR_NO_DEVICE, "no CUDA-capable device is detected")
    ERROR(CUDA_ERROR_INVALID_DEVICE, "invalid device ordinal")
    ERROR(CUDA_ERROR_INVALID_IMAGE, "device kernel image is invalid")
    ERROR(CUDA_ERROR_INVALID_CONTEXT, "invalid device context")
    ERROR(CUDA_ERROR_NO_BINARY_FOR_GPU, "no kernel image is available for execution on the device")
    ERROR(CUDA_ERROR_INVALID_PTX, "a PTX JIT compilation failed")
    ERROR(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, "the provided PTX was compiled with an unsupported toolchain.")
    ERROR(CUDA_ERROR_INVALID_SOURCE, "device kernel image is invalid")
    ERROR(CUDA_ERROR_FILE_NOT_FOUND, "file not found")
    ERROR(CUDA_ERROR_INVALID_HANDLE, "invalid resource handle")
    ERROR(CUDA_ERROR_ILLEGAL_STATE, "the operation cannot be performed in the present state")
    ERROR(CUDA_ERROR_NOT_FOUND, "named symbol not found")
    ERROR(CUDA_ERROR_NOT_READY, "device not ready")
    ERROR(CUDA_ERROR_ILLEGAL_ADDRESS, "an illegal memory access was encountered")
    ERROR(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "too many resources requested for launch")
    ERROR(CUDA_ERROR_LAUNCH_TIMEOUT, "the launch timed out and was terminated")
    ERROR(CUDA_ERROR_CONTEXT_IS_DESTROYED, "context is destroyed")
    ERROR(CUDA_ERROR_ASSERT, "device-side assert triggered")
    ERROR(CUDA_ERROR_HARDWARE_STACK_ERROR, "hardware stack error")
    ERROR(CUDA_ERROR_ILLEGAL_INSTRUCTION, "an illegal instruction was encountered")
    ERROR(CUDA_ERROR_MISALIGNED_ADDRESS, "misaligned address")
    ERROR(CUDA_ERROR_INVALID_ADDRESS_SPACE, "operation not supported on global/shared address space")
    ERROR(CUDA_ERROR_LAUNCH_FAILED, "unspecified launch failure")
    ERROR(CUDA_ERROR_NOT_PERMITTED, "operation not permitted")
    ERROR(CUDA_ERROR_NOT_SUPPORTED, "operation not supported")
    ERROR(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, "system has unsupported display driver / cuda driver combination")
    ERROR(CUDA_ERROR_UNKNOWN, "unknown error")
#undef ERROR
};

const Described *find(CUresult error)
{
    for (const Described &d : errors)
        if (d.error == error) return &d;
    return nullptr;
}

} // namespace

API cuGetErrorName(CUresult error, const char **name)
{
    const Described *d = find(error);
    *name = d ? d->name : nullptr;
    return d ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

API cuGetErrorString(CUresult error, const char **text)
{
    const Described *d = find(error);
    *text = d ? d->text : nullptr;
    return d ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

// sim_missing is what all other functions of the driver lead to; the build script writes them.
extern "C" __attribute__((visibility("hidden"))) CUresult sim_missing(const char *name)
{
    std::lock_guard<std::mutex> guard(driver_lock());
    return misuse(CUDA_ERROR_NOT_SUPPORTED, "%s: the simulated driver does not have this function", name);
}
