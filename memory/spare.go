package memory

import (
	"os"
	"runtime"
	"runtime/debug"
)

// Bytes in use from which [Spare] collects garbage sooner, and how much of it then may gather, in percent of them; and
// how many bytes of it may gather in any case, at most so many percent.
const (
	spareFrom    = 256 << 20
	sparePercent = 25
	spareLeast   = 128 << 20
	mostPercent  = 1600
)

// Spare makes the Go runtime collect garbage sooner where much memory is in use: little gathers beside data that fill
// gigabytes, of which a collection has next to nothing to look through, since they are numbers. Where little is in use
// it collects later: a job on a small data set would spend a fifth of its time on collections of a few megabytes. A
// GOGC in the environment is left as it is.
func Spare() {
	if os.Getenv("GOGC") != "" {
		return
	}
	watch(100)
}

// percentOf returns how much garbage may gather beside so many bytes in use, in percent of them. It has few values, for
// changing it stops all goroutines.
func percentOf(live uint64) int {
	if live > spareFrom {
		return sparePercent
	}
	percent := 100
	for percent < mostPercent && live*uint64(percent) <= spareLeast*100/2 {
		percent *= 2
	}
	return percent
}

// watch adapts the percentage after the next collection, and so on.
func watch(percent int) {
	runtime.AddCleanup(new([16]byte), func(before int) {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		now := percentOf(m.NextGC / uint64(100+before) * 100)
		if now != before {
			debug.SetGCPercent(now)
		}
		watch(now)
	}, percent)
}
