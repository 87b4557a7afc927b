package main

import (
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/grove-graph/grove/internal/cputime"
)

// procBytes reads a line "key 123 kB" of a file of the proc file system; 0 where there is none.
func procBytes(file, key string) int64 {
	fields := procLine(file, key)
	if len(fields) == 0 {
		return 0
	}
	kib, err := strconv.ParseInt(fields[0], 10, 64)
	if err != nil {
		return 0
	}
	return kib << 10
}

// procLine returns what follows the key in the first line of a file that begins with it.
func procLine(file, key string) []string {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 0 && fields[0] == key {
			return fields[1:]
		}
	}
	return nil
}

// watch measures how many processors other processes keep busy.
type watch struct {
	start time.Time
	busy  float64
	known bool
}

func startWatch() watch {
	busy, known := othersBusy()
	return watch{time.Now(), busy, known}
}

// others returns the mean number of processors that other processes have kept busy since the start, and
// false where the system does not tell.
func (w watch) others() (float64, bool) {
	busy, known := othersBusy()
	elapsed := time.Since(w.start).Seconds()
	return max(busy-w.busy, 0) / max(elapsed, 0.01), known && w.known
}

// othersBusy returns the seconds that the processors have worked for other processes than this one and
// those it started (Linux).
func othersBusy() (seconds float64, known bool) {
	const tick = 0.01                       // seconds; fixed for user programs on Linux
	counts := procLine("/proc/stat", "cpu") // user, nice, system, idle, iowait, irq, softirq, steal, ...
	if len(counts) < 8 {
		return 0, false
	}
	for i, c := range counts[:8] {
		n, err := strconv.ParseFloat(c, 64)
		if err != nil {
			return 0, false
		}
		if i != 3 && i != 4 {
			seconds += n * tick
		}
	}
	return seconds - cputime.Seconds() - cputime.OfChildren(), true
}
