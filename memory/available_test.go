package memory

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"testing"
	"testing/fstest"
)

func files(content map[string]string) fstest.MapFS {
	root := fstest.MapFS{}
	for name, text := range content {
		root[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return root
}

func TestTheTightestLimitCounts(t *testing.T) {
	const meminfo = "MemTotal:  24000 kB\nMemFree:  100 kB\nMemAvailable:  20000 kB\n"
	for _, c := range []struct {
		name    string
		content map[string]string
		want    int64
	}{
		{"nothing is known", nil, math.MaxInt64},
		{"the machine alone", map[string]string{"proc/meminfo": meminfo}, 20000 << 10},
		{"a group without a limit", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a\n",
			"sys/fs/cgroup/a/memory.max": "max\n", "sys/fs/cgroup/a/memory.current": "5000\n",
		}, 20000 << 10},
		{"a limit, and pages that can be dropped", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a\n",
			"sys/fs/cgroup/a/memory.max": "9000\n", "sys/fs/cgroup/a/memory.current": "8000\n",
			"sys/fs/cgroup/a/memory.stat": "anon 5000\ninactive_file 300\n",
		}, 1300},
		{"a limit on a group around", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a/b\n",
			"sys/fs/cgroup/a/memory.max": "9000\n", "sys/fs/cgroup/a/memory.current": "8000\n",
			"sys/fs/cgroup/a/b/memory.max": "max\n", "sys/fs/cgroup/a/b/memory.current": "8000\n",
		}, 1000},
		{"a container that sees its own group as the root", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/host/only\n",
			"sys/fs/cgroup/memory.max": "9000\n", "sys/fs/cgroup/memory.current": "1000\n",
		}, 8000},
		{"version 1", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "3:cpu:/x\n2:hugetlb,memory:/a\n",
			"sys/fs/cgroup/memory/a/memory.limit_in_bytes": "7000\n", "sys/fs/cgroup/memory/a/memory.usage_in_bytes": "6500\n",
		}, 500},
		{"more is used than the limit allows", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n",
			"sys/fs/cgroup/memory.max": "10\n", "sys/fs/cgroup/memory.current": "20\n",
		}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := system(files(c.content)); got != c.want {
				t.Errorf("%d bytes, want %d", got, c.want)
			}
		})
	}
}

func TestLimitsOnTheProcess(t *testing.T) {
	const status = "Name:\tgrove\nVmSize:\t  700 kB\nVmData:\t  100 kB\n"
	for _, c := range []struct {
		limits string
		want   int64
	}{
		{"Max address space         unlimited            unlimited            bytes     \n", math.MaxInt64},
		{"Max address space         1024000              unlimited            bytes     \n", 1024000 - 700<<10 + 50},
		{"Max data size             112400               unlimited            bytes     \n" +
			"Max address space         1024000              unlimited            bytes     \n", 10050},
		{"Max address space         1000                 1000                 bytes     \n", 0},
	} {
		root := files(map[string]string{"proc/self/status": status, "proc/self/limits": c.limits})
		if got := ceiling(root, 50); got != c.want {
			t.Errorf("%d bytes, want %d under %q", got, c.want, c.limits)
		}
	}
	if got := ceiling(files(nil), 0); got != math.MaxInt64 {
		t.Errorf("%d bytes where nothing is known", got)
	}
}

func TestThisMachineHasMemoryAndTheLimitOfTheRuntimeHolds(t *testing.T) {
	if _, err := os.Stat("/proc/meminfo"); err != nil {
		t.Skipf("%s does not tell how much memory is free", runtime.GOOS)
	}
	if free := Available(); free <= 0 {
		t.Errorf("%d bytes are free", free)
	}
	if peak := Peak(); peak <= 0 {
		t.Errorf("a peak of %d bytes", peak)
	}
	const limit = 64 << 20
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(limit))
	if free := Available(); free > limit {
		t.Errorf("%d bytes are free under a limit of %d", free, limit)
	}
}
