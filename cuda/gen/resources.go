package main

import (
	"fmt"
	"regexp"
	"sort"
	"strconv"
	"strings"
)

var (
	compiling = regexp.MustCompile(`Compiling entry function '(\w+)' for '(\w+)'`)
	spills    = regexp.MustCompile(`(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads`)
	used      = regexp.MustCompile(`Used (\d+) registers`)
	shared    = regexp.MustCompile(`(\d+) bytes smem`)
)

// usage is what ptxas reports for one kernel on one architecture.
type usage struct {
	kernel, architecture           string
	registers, stack, store, load  int
	sharedMemory                   int
	registersSeen, stackFrameKnown bool
}

// resources turns the output of ptxas -v into a table, sorted by kernel and architecture.
func resources(text string) (string, error) {
	var all []*usage
	var u *usage
	for _, line := range strings.Split(text, "\n") {
		if m := compiling.FindStringSubmatch(line); m != nil {
			u = &usage{kernel: m[1], architecture: m[2]}
			all = append(all, u)
			continue
		}
		if u == nil {
			continue
		}
		if m := spills.FindStringSubmatch(line); m != nil && !u.stackFrameKnown {
			u.stack, u.store, u.load = atoi(m[1]), atoi(m[2]), atoi(m[3])
			u.stackFrameKnown = true
		}
		if m := used.FindStringSubmatch(line); m != nil {
			u.registers, u.registersSeen = atoi(m[1]), true
			if s := shared.FindStringSubmatch(line); s != nil {
				u.sharedMemory = atoi(s[1])
			}
		}
	}
	if len(all) == 0 {
		return "", fmt.Errorf("no kernel in the output of ptxas: was nvcc called with -Xptxas -v?")
	}
	sort.Slice(all, func(i, j int) bool {
		if all[i].kernel != all[j].kernel {
			return all[i].kernel < all[j].kernel
		}
		return all[i].architecture < all[j].architecture
	})
	width := len("kernel")
	for _, u := range all {
		width = max(width, len(u.kernel))
	}
	var b strings.Builder
	b.WriteString("Resources of every kernel, from the compiler; written by cuda/fatbin.sh. Bytes, but for registers " +
		"per " +
		"thread.\n\n")
	fmt.Fprintf(&b, "%-*s  arch   registers  stack  spill stores  spill loads  static shared\n", width, "kernel")
	for _, u := range all {
		if !u.registersSeen {
			return "", fmt.Errorf("kernel %s for %s: the output of ptxas has no number of registers", u.kernel, u.architecture)
		}
		fmt.Fprintf(&b, "%-*s  %-5s  %9d  %5d  %12d  %11d  %13d\n", width, u.kernel, u.architecture, u.registers, u.stack,
			u.store, u.load, u.sharedMemory)
	}
	return b.String(), nil
}

func atoi(s string) int {
	n, _ := strconv.Atoi(s) // of digits alone
	return n
}
