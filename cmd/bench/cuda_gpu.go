//go:build gpu

package main

import (
	"fmt"

	"github.com/grove-graph/grove/cuda"
	"github.com/grove-graph/grove/engine"
)

func init() {
	instrumentsOf = func(e engine.Engine) instruments {
		if gpu, ok := e.(*cuda.Engine); ok {
			return gpuInstruments{gpu}
		}
		return nil
	}
}

// gpuInstruments are those of the CUDA engine.
type gpuInstruments struct{ *cuda.Engine }

func (g gpuInstruments) Counts() (counts, error) {
	c, err := g.Engine.Counts()
	out := counts{
		Submissions: float64(c.Submissions), Launches: float64(c.Launches),
		Uploads: float64(c.Uploads), UploadBytes: float64(c.UploadBytes),
		Downloads: float64(c.Downloads), DownloadBytes: float64(c.DownloadBytes),
		Clears: float64(c.Clears), Moves: float64(c.Moves), Nodes: float64(c.Nodes), Updates: float64(c.Updates),
		Handovers: float64(c.Handovers), Waits: float64(c.Waits), OperandBytes: float64(c.OperandBytes),
		Kernels: map[string]float64{}, Work: map[string]kernelWork{},
	}
	for name, k := range c.Kernels {
		out.Kernels[name] = float64(k.Launches)
		out.Exponentials += float64(k.Exponentials32 + k.Exponentials64)
		out.Work[name] = kernelWork{
			Blocks:         float64(k.Blocks),
			Exponentials32: float64(k.Exponentials32), Exponentials64: float64(k.Exponentials64),
			Operations32: float64(k.Operations32), Operations64: float64(k.Operations64), Values: float64(k.Values),
		}
	}
	return out, err
}

func (g gpuInstruments) Hardware() hardware {
	d := g.Properties()
	return hardware{
		Name: d.Name, Capability: fmt.Sprintf("%d.%d", d.Major, d.Minor), Multiprocessors: d.Multiprocessors,
		ClockMHz: d.ClockMHz, MemoryClockMHz: d.MemoryClockMHz, MemoryBusBits: d.MemoryBusBits, CacheBytes: d.L2Bytes,
		Simulated: cuda.Simulated(),
	}
}

func (g gpuInstruments) MeasureRates() (rates, error) {
	r, err := g.Engine.MeasureRates()
	return rates{Peak32: r.Operations32, Peak64: r.Operations64, Exp32: r.Exponentials32, Exp64: r.Exponentials64}, err
}
