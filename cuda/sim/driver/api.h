// The frame of the driver's exported functions.
#pragma once

#include <cuda.h>

// The header may call a function by another version of its name; the library exports the names below.
#undef cuCtxCreate
#undef cuDeviceGetUuid
#undef cuEventElapsedTime

// Functions are exported under exactly the name that is written, whatever version the header prefers.
#define API extern "C" __attribute__((visibility("default"))) CUresult CUDAAPI
