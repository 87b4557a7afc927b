// Devices, as the driver describes them.
#include "api.h"

#include "context.h"

#include <cstdio>
#include <cstring>

using namespace sim;

namespace {

bool is_device(CUdevice d) { return d >= 0 && d < settings().devices; }

// Most figures are those of an H200; the number of multiprocessors is a setting, small by default so that
// grids are small and kernels have to loop.
bool attribute_of(CUdevice_attribute attribute, int device, int *value)
{
    switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = 1024; break;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X: *value = 1024; break;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y: *value = 1024; break;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z: *value = 64; break;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X: *value = 0x7fffffff; break;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y: *value = 65535; break;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z: *value = 65535; break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK: *value = 48 << 10; break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: *value = 227 << 10; break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR: *value = 228 << 10; break;
    case CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK: *value = 1 << 10; break;
    case CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY: *value = 64 << 10; break;
    case CU_DEVICE_ATTRIBUTE_WARP_SIZE: *value = 32; break;
    case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK: *value = 64 << 10; break;
    case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR: *value = 64 << 10; break;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR: *value = 2048; break;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR: *value = 32; break;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: *value = int(settings().multiprocessors); break;
    case CU_DEVICE_ATTRIBUTE_CLOCK_RATE: *value = 1980000; break;
    case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE: *value = 3201000; break;
    case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH: *value = 6144; break;
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE: *value = 60 << 20; break;
    case CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE: *value = 0; break;
    case CU_DEVICE_ATTRIBUTE_MAX_PITCH: *value = 0x7fffffff; break;
    case CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT: *value = 512; break;
    case CU_DEVICE_ATTRIBUTE_GPU_OVERLAP: *value = 1; break;
    case CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT: *value = 3; break;
    case CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS: *value = 1; break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_MODE:
        *value = settings().busy ? CU_COMPUTEMODE_EXCLUSIVE_PROCESS : CU_COMPUTEMODE_DEFAULT;
        break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: *value = int(settings().capability / 10); break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: *value = int(settings().capability % 10); break;
    case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING: *value = 1; break;
    case CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY: *value = 1; break;
    case CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED: *value = 1; break;
    case CU_DEVICE_ATTRIBUTE_ECC_ENABLED: *value = 1; break;
    case CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID: *value = 0; break;
    case CU_DEVICE_ATTRIBUTE_PCI_BUS_ID: *value = 1 + device; break;
    case CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID: *value = 0; break;
    case CU_DEVICE_ATTRIBUTE_INTEGRATED:
    case CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT:
    case CU_DEVICE_ATTRIBUTE_TCC_DRIVER:
    case CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY:
    case CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH: *value = 0; break;
    default: return false;
    }
    return true;
}

} // namespace

API cuDriverGetVersion(int *version)
{
    std::lock_guard<std::mutex> guard(driver_lock());
    *version = int(settings().driver);
    return CUDA_SUCCESS;
}

API cuDeviceGetCount(int *count)
{
    return driver("cuDeviceGetCount", [&] {
        *count = int(settings().devices);
        return CUDA_SUCCESS;
    });
}

API cuDeviceGet(CUdevice *device, int ordinal)
{
    return driver("cuDeviceGet", [&] {
        if (!is_device(ordinal)) return CUDA_ERROR_INVALID_DEVICE;
        *device = ordinal;
        return CUDA_SUCCESS;
    });
}

API cuDeviceGetName(char *name, int length, CUdevice device)
{
    return driver("cuDeviceGetName", [&] {
        if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
        if (length <= 0) return CUDA_ERROR_INVALID_VALUE;
        snprintf(name, size_t(length), "Grove simulated GPU");
        return CUDA_SUCCESS;
    });
}

API cuDeviceGetUuid(CUuuid *uuid, CUdevice device)
{
    return driver("cuDeviceGetUuid", [&] {
        if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
        memcpy(uuid->bytes, "grove-simulated\0", sizeof uuid->bytes);
        uuid->bytes[15] = char(device);
        return CUDA_SUCCESS;
    });
}
API cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device) { return cuDeviceGetUuid(uuid, device); }

API cuDeviceTotalMem_v2(size_t *bytes, CUdevice device)
{
    return driver("cuDeviceTotalMem", [&] {
        if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
        *bytes = size_t(settings().memory);
        return CUDA_SUCCESS;
    });
}

API cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
    return driver("cuDeviceGetAttribute", [&] {
        if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
        if (!attribute_of(attribute, device, value))
            return misuse(CUDA_ERROR_INVALID_VALUE,
                          "cuDeviceGetAttribute: the simulated driver does not know attribute %d", int(attribute));
        return CUDA_SUCCESS;
    });
}

API cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer)
{
    return driver("cuDeviceCanAccessPeer", [&] {
        if (!is_device(device) || !is_device(peer)) return CUDA_ERROR_INVALID_DEVICE;
        *can = 0;
        return CUDA_SUCCESS;
    });
}
