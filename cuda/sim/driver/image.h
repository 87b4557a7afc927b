// The image of a module: what the driver reads in it before it runs anything.
#pragma once

#include <cuda.h>

namespace sim {

// check_image answers as the driver does: INVALID_IMAGE for what is not an image or is damaged,
// NO_BINARY_FOR_GPU where nothing in it fits the device, UNSUPPORTED_PTX_VERSION where only PTX fits that is
// newer than the driver. The kernels that run are those of the simulator, whatever the image holds.
CUresult check_image(const void *image);

} // namespace sim
