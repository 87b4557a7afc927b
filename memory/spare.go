package memory

import (
	"os"
	"runtime"
	"runtime/debug"
)

// Bytes in use from which [Spare] collects garbage sooner, and how much of it then may gather, in percent of them.
const (
	spareFrom    = 256 << 20
	sparePercent = 25
)

// Spare makes the Go runtime collect garbage sooner where much memory is in use: little gathers beside data that fill
// gigabytes, of which a collection has next to nothing to look through, since they are numbers. A GOGC in the
// environment is left as it is.
func Spare() {
	if os.Getenv("GOGC") != "" {
		return
	}
	watch(100)
}

// watch adapts the percentage after the next collection, and so on.
func watch(percent int) {
	runtime.AddCleanup(new([16]byte), func(before int) {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		now := 100
		if live := m.NextGC / uint64(100+before) * 100; live > spareFrom {
			now = sparePercent
		}
		if now != before {
			debug.SetGCPercent(now)
		}
		watch(now)
	}, percent)
}
