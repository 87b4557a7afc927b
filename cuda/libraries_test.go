//go:build gpu

package cuda

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// plant writes a copy of a library that every Linux has under the name of another, and returns its file.
func plant(t *testing.T, folder, name string) string {
	t.Helper()
	library := findLibrary([]string{"libm.so.6"})
	content, err := os.ReadFile(library)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(folder, name)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, content, 0o777); err != nil {
		t.Fatal(err)
	}
	return file
}

// The folders of a CUDA toolkit come before those of Python's packages, a virtual environment before the python3 on the
// PATH, and what the loader finds by itself before all of them.
func TestCuBLASIsFoundBesidePython(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(parts ...string) string { return filepath.Join(append([]string{root}, parts...)...) }
	for _, name := range []string{"CUDA_HOME", "CONDA_PREFIX"} {
		t.Setenv(name, "")
	}
	t.Setenv("PYTHONPATH", at("path"))
	t.Setenv("VIRTUAL_ENV", at("environment"))
	t.Setenv("PATH", at("prefix", "bin"))
	t.Setenv("HOME", at("home"))
	var want []string
	for _, folder := range []string{"path/nvidia/cu13/lib", "environment/lib/python3.12/site-packages/nvidia/cublas/lib",
		"prefix/lib/python3/dist-packages/nvidia/cublas/lib", "home/.local/lib/python3.9/site-packages/nvidia/cublas/lib"} {
		name := "libcublas.so.12"
		if strings.Contains(folder, "cu13") {
			name = "libcublas.so.13"
		}
		want = append(want, plant(t, at(folder), name))
	}
	plant(t, at("prefix", "bin"), "python3")
	places := blasLibraries()
	if !slices.Equal(places[:len(blasNames)], blasNames[:]) {
		t.Errorf("the loader is not asked first: %v", places)
	}
	planted := slices.DeleteFunc(slices.Clone(places), func(p string) bool { return !strings.HasPrefix(p, root) })
	if !slices.Equal(planted, want) {
		t.Errorf("found %v, want %v", planted, want)
	}

	t.Setenv("CUDA_HOME", at("toolkit"))
	toolkit := plant(t, at("toolkit", "lib64"), "libcublas.so.11")
	if places := blasLibraries(); places[len(blasNames)] != toolkit {
		t.Errorf("the folder of the toolkit is not looked at first: %v", places)
	}
}

// A library that lies outside of the loader's folders is opened after the one beside it that it needs.
func TestWhatCuBLASNeedsIsOpenedBesideIt(t *testing.T) {
	folder, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	needed, file := plant(t, folder, "libcublasLt.so.12"), plant(t, folder, "libcublas.so.12")
	if found := findLibrary([]string{file}); found != file {
		t.Errorf("found %q, want %q", found, file)
	}
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(maps), needed) {
		t.Errorf("%s was not opened", needed)
	}
}
