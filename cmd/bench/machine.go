package main

import (
	"os"
	"runtime"
	"strings"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/simd"
)

// machine describes where the figures come from, with the rates of the engine that the floors are
// computed from.
type host struct {
	System    string   `json:"system"`
	Go        string   `json:"go"`
	Processor string   `json:"processor,omitempty"`
	CPUs      int      `json:"cpus"`
	Memory    int64    `json:"memory_bytes,omitempty"`
	Others    *float64 `json:"others,omitempty"` // mean number of CPUs that other processes kept busy during the run
	SIMD      string   `json:"simd"`
	Device    string   `json:"device,omitempty"` // where it is not the CPU

	Hardware *hardware `json:"hardware,omitempty"` // of the device
	Cold     *cold     `json:"cold_start,omitempty"`
	Rates    rates     `json:"rates"`
}

// cold is how long a device takes to be ready.
type cold struct {
	Open   float64 `json:"open_seconds"`        // context and kernels
	First  float64 `json:"first_call_seconds"`  // of an operation on little
	Second float64 `json:"second_call_seconds"` // of the same
}

// describe returns the machine without its rates.
func describe(e engine.Engine) host {
	m := host{
		System: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version(),
		CPUs: runtime.NumCPU(), SIMD: simd.Level(),
		Memory: procBytes("/proc/meminfo", "MemTotal:"),
	}
	if elsewhere(e) {
		m.Device = e.Describe()
		if tools := instrumentsOf(e); tools != nil {
			h := tools.Hardware()
			m.Hardware = &h
		}
	}
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(text)) {
			key, value, _ := strings.Cut(line, ":")
			if strings.TrimSpace(key) == "model name" {
				m.Processor = strings.TrimSpace(value)
				break
			}
		}
	}
	return m
}
