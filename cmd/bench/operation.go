package main

import (
	"math"
	"slices"

	"github.com/grove-graph/grove/engine"
)

// operation is one benchmark of the engine. Its name is what --op takes.
type operation struct {
	name    string
	about   string
	prepare func(t *table) (*task, error)
	kind    operationKind
}

// operationKind says where an operation is measured.
type operationKind int

const (
	everywhere  operationKind = iota
	onHost                    // work beside the engine, on the host whatever the device
	deviceAlone               // says nothing about the CPU engine
	large                     // takes long on a CPU: not compared with portable code
)

// table is what operations are prepared with.
type table struct {
	sizes    sizes
	inputs   *inputs
	engine   engine.Engine // that the tensors live on
	portable bool          // the instruction set is lowered: very long operations shrink
}

// task is an operation with its inputs.
type task struct {
	shape string
	run   func(e engine.Engine) error

	// What one run achieves, for the rate.
	units float64
	unit  string

	floor floor
	moved float64 // bytes of all accesses, where they are more than the floor's

	// Targets, where the limit is not zero.
	rate    target       // for a second and a core, with AVX-512
	speedup target       // of two workers over one
	device  deviceTarget // on a GPU

	// against returns the seconds that another program takes for the same, where it was asked for.
	against func(r *runner) (*rival, error)
}

// deviceTarget is a share that an operation should reach on a GPU.
type deviceTarget struct {
	share  float64
	ofCopy bool // of the copy bandwidth, by the bytes of all accesses; otherwise of the floor
}

// floor is the work that no implementation can do without. Its time on a machine is the longer one of
// its arithmetic and its transfers.
type floor struct {
	flops32, flops64     float64 // a multiply-add counts as two
	flopsTF32, flopsBF16 float64 // of products with rounded factors
	exps32, exps64       float64
	bytes                float64 // inputs read once and outputs written once
	upload, download     float64 // bytes between the host and a device
}

// arithmetic returns the seconds of multiply-adds and of exponentials at the given rates.
func (f floor) arithmetic(r rates) (flops, exps float64) {
	for _, part := range []struct{ work, rate float64 }{
		{f.flops32, r.Peak32}, {f.flops64, r.Peak64}, {f.flopsTF32, r.PeakTF32}, {f.flopsBF16, r.PeakBF16},
	} {
		flops += over(part.work, part.rate)
	}
	return flops, over(f.exps32, r.Exp32) + over(f.exps64, r.Exp64)
}

// over returns work / rate, 0 for no work and infinity for work at a rate that is not known.
func over(work, rate float64) float64 {
	if work == 0 {
		return 0
	}
	return work / rate
}

// seconds returns the time of the floor at the given rates and what bounds it; 0 where a rate is not known.
func (f floor) seconds(r rates) (seconds float64, bound string) {
	if r.Copy == 0 {
		return 0, ""
	}
	flops, exps := f.arithmetic(r)
	bytes := f.bytes/r.Copy + over(f.upload, r.Upload) + over(f.download, r.Download)
	switch {
	case math.IsInf(flops+exps+bytes, 0):
		return 0, ""
	case bytes > flops+exps:
		return bytes, "bytes"
	case exps > flops:
		return flops + exps, "exponentials"
	}
	return flops + exps, "multiply-adds"
}

// operations returns the arithmetic of the floor as float32 operations of the machine: what takes its time
// counts for as many, so that all operations fit under one roof.
func (f floor) operations(r rates) float64 {
	flops, exps := f.arithmetic(r)
	return (flops + exps) * r.Peak32
}

// operations lists all of them in the order of the report.
func operations() []operation {
	return slices.Concat(denseOperations(), sparseOperations(), pathOperations(), matrixOperations(),
		anchorOperations(), vertexOperations(), learningOperations(), stepOperations(), layerOperations(), kernelOperations(),
		contextualOperations(), messageOperations(), colourOperations(), splitOperations(), treeOperations())
}
