//go:build gpu

package cuda

/*
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include "forward/forward.h"

// find_library writes the file that a library is loaded from, if there is such a library.
static int find_library(const char *name, char *path, size_t size) {
	void *library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
	if (library == NULL)
		return 0;
	struct link_map *map;
	int found = dlinfo(library, RTLD_DI_LINKMAP, &map) == 0;
	if (found) {
		strncpy(path, map->l_name, size - 1);
		path[size-1] = 0;
	}
	dlclose(library);
	return found;
}

static int simulated(void) { return grove_driver_symbol("grove_sim_set") != NULL; }
*/
import "C"

import (
	"path/filepath"
	"unsafe"
)

// findLibrary returns the file of the first of some libraries that is there, without links, or "".
func findLibrary(names []string) string {
	const size = 1024
	path := (*C.char)(C.malloc(size))
	defer C.free(unsafe.Pointer(path))
	for _, name := range names {
		text := C.CString(name)
		found := C.find_library(text, path, size)
		C.free(unsafe.Pointer(text))
		if found != 0 {
			return resolve(C.GoString(path))
		}
	}
	return ""
}

// resolve follows the links of a file name.
func resolve(path string) string {
	if path == "" {
		return ""
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// simulated reports whether the driver is the simulated one (cuda/sim), on which cuBLAS, with its own kernels, cannot
// run.
func simulated() bool { return C.simulated() != 0 }
