//go:build gpu

package cuda

// The few calls of the driver that gorgonia.org/cu does not have, and what the forwarding layer knows.

/*
#cgo LDFLAGS: -ldl
#include <cuda.h>
#include "forward/forward.h"

// The binding frees page-locked memory but cannot allocate it.
static CUresult host_alloc(void **p, size_t bytes) { return cuMemHostAlloc(p, bytes, CU_MEMHOSTALLOC_PORTABLE); }

// The binding cannot set attributes of functions: more than 48 KiB of dynamic shared memory need one.
static CUresult allow_shared(CUfunction f, int bytes) {
	return cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes);
}

// The binding names error codes up to those of CUDA 10 and has no descriptions.
static const char *error_name(int code) {
	const char *s = 0;
	return cuGetErrorName(code, &s) == CUDA_SUCCESS ? s : 0;
}
static const char *error_text(int code) {
	const char *s = 0;
	return cuGetErrorString(code, &s) == CUDA_SUCCESS ? s : 0;
}
*/
import "C"

import (
	"fmt"
	"reflect"
	"unsafe"

	"gorgonia.org/cu"
)

// Results of driver calls that this package tells apart. The binding names most of them; its type of errors is
// not exported, so codes are compared as numbers.
const (
	codeInvalidValue       = C.CUDA_ERROR_INVALID_VALUE
	codeOutOfMemory        = C.CUDA_ERROR_OUT_OF_MEMORY
	codeNoDevice           = C.CUDA_ERROR_NO_DEVICE
	codeInvalidDevice      = C.CUDA_ERROR_INVALID_DEVICE
	codeDeviceUnavailable  = C.CUDA_ERROR_DEVICE_UNAVAILABLE
	codeInvalidImage       = C.CUDA_ERROR_INVALID_IMAGE
	codeNoBinary           = C.CUDA_ERROR_NO_BINARY_FOR_GPU
	codeInvalidPTX         = C.CUDA_ERROR_INVALID_PTX
	codeNoJIT              = C.CUDA_ERROR_JIT_COMPILER_NOT_FOUND
	codeUnsupportedPTX     = C.CUDA_ERROR_UNSUPPORTED_PTX_VERSION
	codeInvalidSource      = C.CUDA_ERROR_INVALID_SOURCE
	codeNotFound           = C.CUDA_ERROR_NOT_FOUND
	codeNotReady           = C.CUDA_ERROR_NOT_READY
	codeIllegalAddress     = C.CUDA_ERROR_ILLEGAL_ADDRESS
	codeDriverMismatch     = C.CUDA_ERROR_SYSTEM_DRIVER_MISMATCH
	codeCompatNotSupported = C.CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE
)

// attributeSharedPerBlockOptin is the dynamic shared memory that a block may have after asking for it; the binding
// lacks this attribute.
const attributeSharedPerBlockOptin cu.DeviceAttribute = C.CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN

// code returns the number of an error of the binding, 0 for no error and -1 for another error.
func code(err error) int {
	if err == nil {
		return 0
	}
	if v := reflect.ValueOf(err); v.Kind() == reflect.Int {
		return int(v.Int())
	}
	return -1
}

// describe says what an error of the driver means, in its own words.
func describe(err error) string {
	c := code(err)
	if c < 0 {
		return err.Error()
	}
	name, text := C.error_name(C.int(c)), C.error_text(C.int(c))
	if name == nil || text == nil {
		return fmt.Sprintf("error %d of the driver (%v)", c, err)
	}
	return C.GoString(text) + " (" + C.GoString(name) + ")"
}

// result turns the result of one of the calls above into an error of the binding's kind.
func result(r C.CUresult) error {
	if r == C.CUDA_SUCCESS {
		return nil
	}
	return driverError(r)
}

// driverError is an error code that did not come through the binding.
type driverError int

func (e driverError) Error() string { return fmt.Sprintf("CUDA error %d", int(e)) }

// pinnedAlloc allocates page-locked memory, which the device copies to and from by itself.
func pinnedAlloc(bytes int) (unsafe.Pointer, error) {
	var p unsafe.Pointer
	err := result(C.host_alloc(&p, C.size_t(bytes)))
	return p, err
}

// allowShared lets a function be launched with the given bytes of dynamic shared memory.
func allowShared(f cu.Function, bytes int) error {
	return result(C.allow_shared(handle(f), C.int(bytes)))
}

// driverState is what the forwarding layer found when the driver library was first needed.
type driverState struct {
	result  int    // what cuInit answered, -1 without a library
	path    string // of the library
	message string // why there is no library
}

func driver() driverState {
	s := driverState{result: int(C.grove_driver_result())}
	if p := C.grove_driver_path(); p != nil {
		s.path = C.GoString(p)
	}
	if p := C.grove_driver_message(); p != nil {
		s.message = C.GoString(p)
	}
	return s
}
