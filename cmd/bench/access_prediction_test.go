//go:build gpu

package main

import "github.com/grove-graph/grove/cuda/sim"

// The rates of an H200, from its data sheet; what a multiprocessor does in a cycle, from the CUDA programming guide.
const (
	multiprocessors = 132
	clock64         = 1.98e9 // cycles per second
	deviceBytes     = 4.8e12 // of device memory per second
	flops32         = 67e12
	flops64         = 33.5e12
	cacheBytes      = 128.0 // a cycle of a multiprocessor, from its cache
	fetchedBytes    = 64.0  // a cycle of a multiprocessor, from beyond it
	specials        = 16.0  // special functions a cycle of a multiprocessor
	launchSeconds   = 2.5e-6
)

// Operations of float64 that nvcc makes of an exponential (counted in the machine code for sm_90), and about as many as
// of a division or a square root on their usual way.
const (
	flopsOfExponential64 = 32
	flopsOfDivision64    = 18
)

// prediction is how long the launches of a kernel take at the rates of an H200, and which of its parts that is.
type prediction struct {
	Seconds float64            `json:"seconds"`
	Bound   string             `json:"bound"`
	Parts   map[string]float64 `json:"parts"` // seconds, without the launches
}

// predict takes the largest of the parts that a GPU does at the same time, and the launches. A grid of few blocks has
// as many multiprocessors.
func predict(k sim.Kernel) prediction {
	n := float64(k.Launches)
	used := min(multiprocessors, float64(k.Blocks)/n)
	cycle := clock64 * used
	distinct := 32 * float64(k.ReadSectors+k.WrittenSectors)
	float64s := float64(k.Flops64 + flopsOfExponential64*k.Exponentials64 + flopsOfDivision64*k.Divisions64)
	parts := map[string]float64{
		"bytes":        distinct / min(deviceBytes, fetchedBytes*cycle),
		"sectors":      32 * float64(k.Device.Took) / (cacheBytes * cycle),
		"shared":       float64(k.Shared.Took) / cycle,
		"exponentials": float64(k.Exponentials32+k.Divisions32) / (specials * cycle),
		"float32":      float64(k.Flops32) / (flops32 * used / multiprocessors),
		"float64":      float64s / (flops64 * used / multiprocessors),
		"chain":        float64(k.Chain) / clock64,
	}
	p := prediction{Parts: parts}
	for name, seconds := range parts {
		if seconds > p.Seconds || seconds == p.Seconds && name < p.Bound {
			p.Seconds, p.Bound = seconds, name
		}
	}
	p.Seconds += n * launchSeconds
	return p
}
