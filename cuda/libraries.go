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
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"unsafe"
)

// findLibrary returns the file of the first of some libraries that is there, without links, or "".
func findLibrary(names []string) string {
	const size = 1024
	path := (*C.char)(C.malloc(size))
	defer C.free(unsafe.Pointer(path))
	for _, name := range names {
		openBeside(name)
		text := C.CString(name)
		found := C.find_library(text, path, size)
		C.free(unsafe.Pointer(text))
		if found != 0 {
			return resolve(C.GoString(path))
		}
	}
	return ""
}

// openBeside opens the library that cuBLAS needs, where cuBLAS lies in a folder in which the loader does not look.
func openBeside(blas string) {
	if !filepath.IsAbs(blas) {
		return
	}
	folder, name := filepath.Split(blas)
	needed := C.CString(filepath.Join(folder, strings.Replace(name, "libcublas", "libcublasLt", 1)))
	defer C.free(unsafe.Pointer(needed))
	C.dlopen(needed, C.RTLD_LAZY|C.RTLD_LOCAL)
}

// blasLibraries lists where cuBLAS is looked for. First come the names that the loader knows, from LD_LIBRARY_PATH and
// the system's folders; then the files in the folders of CUDA ($CUDA_HOME and /usr/local/cuda) and in the packages of
// Python's installations: those of $PYTHONPATH, of the virtual environment or Conda's, of the python3 on the PATH, of
// the user, and of the system.
func blasLibraries() []string {
	all := slices.Clone(blasNames[:])
	var folders, packages []string
	for _, cuda := range []string{os.Getenv("CUDA_HOME"), "/usr/local/cuda"} {
		if cuda != "" {
			folders = append(folders, filepath.Join(cuda, "lib64"))
		}
	}
	packages = append(packages, filepath.SplitList(os.Getenv("PYTHONPATH"))...)
	roots := []string{os.Getenv("VIRTUAL_ENV"), os.Getenv("CONDA_PREFIX")}
	if python, err := exec.LookPath("python3"); err == nil {
		roots = append(roots, filepath.Dir(filepath.Dir(python)), filepath.Dir(filepath.Dir(resolve(python))))
	}
	if home, err := os.UserHomeDir(); err == nil {
		roots = append(roots, filepath.Join(home, ".local"))
	}
	for _, root := range append(roots, "/usr/local", "/usr") {
		if root != "" {
			packages = append(packages, filepath.Join(root, "lib/python3*/site-packages"),
				filepath.Join(root, "lib/python3*/dist-packages"))
		}
	}
	for _, folder := range packages {
		folders = append(folders, filepath.Join(folder, "nvidia/cu13/lib"), filepath.Join(folder, "nvidia/cublas/lib"))
	}
	for _, folder := range folders {
		for _, name := range blasNames {
			files, _ := filepath.Glob(filepath.Join(folder, name)) // the pattern is well-formed but for odd folders
			for _, file := range files {
				if file, err := filepath.Abs(file); err == nil && !slices.Contains(all, file) {
					all = append(all, file)
				}
			}
		}
	}
	return all
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
