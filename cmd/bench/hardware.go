package main

import "fmt"

// hardware is what a GPU tells of itself.
type hardware struct {
	Name            string `json:"name"`
	Capability      string `json:"compute_capability"` // such as "9.0"
	Multiprocessors int    `json:"multiprocessors"`
	ClockMHz        int    `json:"clock_mhz"`
	MemoryClockMHz  int    `json:"memory_clock_mhz"`
	MemoryBusBits   int    `json:"memory_bus_bits"`
	CacheBytes      int    `json:"l2_bytes"`
	Simulated       bool   `json:"simulated,omitempty"` // times say nothing
}

// theH200 is the GPU that predictions are made for.
var theH200 = hardware{Name: "NVIDIA H200", Capability: "9.0", Multiprocessors: 132, ClockMHz: 1980,
	MemoryClockMHz: 3125, MemoryBusBits: 6144, CacheBytes: 50 << 20}

// units are what a multiprocessor does in a clock: multiply-adds of each kind, which count as two operations, and
// results of the special functions.
type units struct{ float32s, float64s, tf32, bfloat16, special float64 }

// unitsOf holds the throughput of arithmetic by compute capability, from NVIDIA's CUDA C++ Programming Guide
// ("Throughput of Native Arithmetic Instructions") and, for dense products on tensor cores, from its data sheets.
// Float64 is that without tensor cores.
var unitsOf = map[string]units{
	"7.0": {64, 32, 0, 0, 16}, "7.5": {64, 2, 0, 0, 16},
	"8.0": {64, 32, 512, 1024, 16}, "8.6": {128, 2, 128, 256, 16}, "8.9": {128, 2, 128, 256, 16},
	"9.0":  {128, 64, 1024, 2048, 16},
	"10.0": {128, 64, 2048, 4096, 16}, "12.0": {128, 2, 128, 256, 16},
}

// doubleExponential is the number of float64 instructions of an exponential in the code that CUDA 11.8 makes of exp2: 5
// to reduce the range and 11 of a polynomial.
const doubleExponential = 16

// peaks returns the rates that follow from the properties; those that are not known are 0.
func (h *hardware) peaks() rates {
	u, clocks := unitsOf[h.Capability], float64(h.Multiprocessors)*float64(h.ClockMHz)*1e6
	return rates{
		Copy:   2 * float64(h.MemoryClockMHz) * 1e6 * float64(h.MemoryBusBits) / 8, // two transfers a clock
		Peak32: 2 * u.float32s * clocks, Peak64: 2 * u.float64s * clocks,
		PeakTF32: 2 * u.tf32 * clocks, PeakBF16: 2 * u.bfloat16 * clocks,
		Exp32: u.special * clocks, Exp64: u.float64s / doubleExponential * clocks,
	}
}

func (h *hardware) String() string {
	return fmt.Sprintf("%d multiprocessors at %d MHz, memory of %d bits at %d MHz, compute capability %s",
		h.Multiprocessors, h.ClockMHz, h.MemoryBusBits, h.MemoryClockMHz, h.Capability)
}
