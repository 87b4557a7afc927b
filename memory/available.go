// Package memory tells how much memory is free, so that long work can size its batches by it.
//
//	if err := memory.ForMatrices("kernel matrix", 1, n, n); err != nil {
//		return err // how much is needed, and how much is free
//	}
package memory

import (
	"io/fs"
	"math"
	"os"
	"path"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
)

// Available returns the bytes of memory that this process may still take without swapping: the least of
// what the kernel calls available (MemAvailable, which counts caches that it would give up), what the
// limits of the control groups around the process leave (version 2 and version 1), what the limits on the process
// itself leave (ulimit -v and ulimit -d), and what a memory limit of the Go runtime (GOMEMLIMIT) leaves. It
// returns 0 where the system tells none of these, and at least 1 otherwise.
func Available() int64 {
	root := os.DirFS("/")
	free := min(system(root), ceiling(root, vacant()))
	if limit := debug.SetMemoryLimit(-1); limit < math.MaxInt64 {
		free = min(free, max(limit-held(), 0))
	}
	if free == math.MaxInt64 {
		return 0
	}
	return max(free, 1)
}

// Peak returns the largest resident memory that this process has had, or 0 where the system does not tell.
func Peak() int64 {
	kib, _ := field(os.DirFS("/"), "proc/self/status", "VmHWM:")
	return kib << 10
}

// ResetPeak makes [Peak] count from now on, where the system allows it (Linux): elsewhere it remains the peak of the
// whole run, an upper bound. Memory that the Go runtime does not use goes back first.
func ResetPeak() {
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
}

// vacant returns the bytes that the Go runtime has mapped and does not use.
func vacant() int64 {
	samples := []metrics.Sample{{Name: "/memory/classes/heap/free:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return int64(samples[0].Value.Uint64() + samples[1].Value.Uint64())
}

// held returns the bytes that the Go runtime holds, by the count that GOMEMLIMIT limits.
func held() int64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return int64(samples[0].Value.Uint64()) - int64(samples[1].Value.Uint64())
}

// system returns what the files of a Linux system below root say, math.MaxInt64 where they say nothing.
func system(root fs.FS) int64 {
	free := int64(math.MaxInt64)
	if kib, ok := field(root, "proc/meminfo", "MemAvailable:"); ok {
		free = kib << 10
	}
	groups, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return free
	}
	for line := range strings.Lines(string(groups)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		switch controllers := strings.Split(parts[1], ","); {
		case parts[1] == "":
			free = min(free, left(root, "sys/fs/cgroup", parts[2], "memory.max", "memory.current", "inactive_file"))
		case slices.Contains(controllers, "memory"):
			free = min(free, left(root, "sys/fs/cgroup/memory", parts[2], "memory.limit_in_bytes", "memory.usage_in_bytes",
				"total_inactive_file"))
		}
	}
	return free
}

// Limited reports whether there is a limit on the memory that this process maps (ulimit -v or ulimit -d). The Go
// runtime ends a program that meets it.
func Limited() bool {
	root := os.DirFS("/")
	return ceiling(root, 0) < math.MaxInt64
}

// Heed makes the Go runtime collect garbage before it meets a limit on this process, of which it does not know.
func Heed() {
	free := ceiling(os.DirFS("/"), vacant())
	if free == math.MaxInt64 {
		return
	}
	const share = 8 // the part of what is free that is left for stacks, and for what falls to pieces
	if limit := held() + free - free/share; limit < debug.SetMemoryLimit(-1) {
		debug.SetMemoryLimit(limit)
	}
}

// ceiling returns what the limits on the process itself leave, given what of its mappings is vacant, and math.MaxInt64
// where there are none.
func ceiling(root fs.FS, vacant int64) int64 {
	free := int64(math.MaxInt64)
	limits, err := fs.ReadFile(root, "proc/self/limits")
	if err != nil {
		return free
	}
	for line := range strings.Lines(string(limits)) {
		for limit, taken := range map[string]string{"Max address space": "VmSize:", "Max data size": "VmData:"} {
			text, ok := strings.CutPrefix(line, limit)
			if !ok {
				continue
			}
			most, err := strconv.ParseInt(strings.Fields(text)[0], 10, 64) // fails for the word unlimited
			kib, known := field(root, "proc/self/status", taken)
			if err == nil && known {
				free = min(free, max(most-kib<<10+vacant, 0))
			}
		}
	}
	return free
}

// left returns what the limits of a control group and of all groups around it leave. File pages that
// nobody has touched lately count as free: the kernel drops them before it refuses memory.
func left(root fs.FS, mount, group, limitFile, usageFile, inactive string) int64 {
	free := int64(math.MaxInt64)
	for group = path.Clean("/" + group); ; group = path.Dir(group) {
		folder := path.Join(mount, group)
		limit, limited := number(root, path.Join(folder, limitFile))
		usage, known := number(root, path.Join(folder, usageFile))
		if limited && known {
			cached, _ := field(root, path.Join(folder, "memory.stat"), inactive)
			free = min(free, max(limit-usage+cached, 0))
		}
		if group == "/" {
			return free
		}
	}
}

// number reads a file that holds one number. The word max, for no limit, is none.
func number(root fs.FS, name string) (int64, bool) {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil
}

// field reads the number behind a key in a file of lines "key number".
func field(root fs.FS, name, key string) (int64, bool) {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == key {
			n, err := strconv.ParseInt(fields[1], 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}
