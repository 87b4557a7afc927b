package main

import (
	"bytes"
	"os"
	"strings"
)

// The Go runtime ends a program that meets a limit on its memory (ulimit -v), and writes pages of traces. Under such a
// limit the command line runs in a child process: its parent reads what the runtime writes, and says it in one line.
const (
	guarded   = "GROVE_GUARDED" // is set for the child
	guardedFD = 3               // where the messages of the child itself go
)

// firstBytes keeps the beginning of what is written.
type firstBytes struct{ bytes.Buffer }

func (b *firstBytes) Write(p []byte) (int, error) {
	const most = 1 << 16
	b.Buffer.Write(p[:min(len(p), most-b.Len())])
	return len(p), nil
}

// epitaph says in one line why the runtime ended a program, or "" where what it wrote is no dump of the runtime.
func epitaph(dump string) string {
	for _, words := range []string{
		"out of memory", "cannot allocate memory", "failed to create new OS thread", "pthread_create failed",
		"failed to reserve", "failed to allocate",
	} {
		if strings.Contains(dump, words) {
			return "out of memory: the limit on the memory of a process (ulimit -v, ulimit -d) is too low for this; " +
				"raise it, or take less data or a smaller model"
		}
	}
	for line := range strings.Lines(dump) {
		for _, start := range []string{"panic: ", "fatal error: ", "SIG"} {
			if strings.HasPrefix(line, start) {
				return "a mistake in grove, please report it: " + strings.TrimSpace(line) + " (GOTRACEBACK=all tells where)"
			}
		}
	}
	return ""
}

// standardError returns where messages go.
func standardError() *os.File {
	if os.Getenv(guarded) == "" {
		return os.Stderr
	}
	return guardedError()
}
