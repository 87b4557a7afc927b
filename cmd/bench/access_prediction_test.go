//go:build gpu

package main

import "github.com/grove-graph/grove/cuda/sim"

// What a multiprocessor of an H200 moves in a cycle, from the CUDA programming guide. The other rates are those of
// theH200.
const (
	cacheBytes   = 128.0 // from its cache
	fetchedBytes = 64.0  // from beyond it
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
	n, peaks := float64(k.Launches), theH200.peaks()
	hertz := float64(theH200.ClockMHz) * 1e6
	used := min(float64(theH200.Multiprocessors), float64(k.Blocks)/n)
	share, clocks := used/float64(theH200.Multiprocessors), hertz*used
	distinct := 32 * float64(k.ReadSectors+k.WrittenSectors)
	float64s := float64(k.Flops64 + flopsOfExponential64*k.Exponentials64 + flopsOfDivision64*k.Divisions64)
	parts := map[string]float64{
		"bytes":        distinct / min(peaks.Copy, fetchedBytes*clocks),
		"sectors":      32 * float64(k.Device.Took) / (cacheBytes * clocks),
		"shared":       float64(k.Shared.Took) / clocks,
		"exponentials": float64(k.Exponentials32+k.Divisions32) / (peaks.Exp32 * share),
		"float32":      float64(k.Flops32) / (peaks.Peak32 * share),
		"float64":      float64s / (peaks.Peak64 * share),
		"chain":        float64(k.Chain) / hertz,
	}
	p := prediction{Parts: parts}
	for name, seconds := range parts {
		if seconds > p.Seconds || seconds == p.Seconds && name < p.Bound {
			p.Seconds, p.Bound = seconds, name
		}
	}
	p.Seconds += n * assumed.Launch
	return p
}
