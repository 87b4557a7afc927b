package main

import (
	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/gckn"
)

// sigma is the bandwidth of the published figures.
const sigma = 0.6

// staged is one benchmark of a model on a data set, stage by stage. Its name is what --model takes.
type staged struct {
	name     string
	about    string
	dataset  string                                // folder below the data folder
	generate func(sizes) (*dataset.Dataset, error) // in place of a folder
	variant  string                                // of gckn.Preset, or ginVariant
	pathSize int

	workers  int  // for a data set that takes long; 0: as many as --workers says
	extra    bool // only run when asked for by name
	noSelect bool // leave out the choice of C
	trained  bool // end to end: its stage is an epoch

	targets map[string]target // by stage, on the CPU
	device  map[string]target // likewise on a GPU
}

// options returns the model's options.
func (m staged) options(s sizes) (gckn.Options, error) {
	if m.variant == ginVariant {
		return gckn.Options{}, nil
	}
	opt, err := gckn.Preset(m.variant, m.pathSize, s.filters, sigma)
	opt.Samples = s.samples
	return opt, err
}

// The stages of a model.
const (
	stageRead   = "read"       // files to a batch with label ids
	stageFit    = "fit"        // sampling of paths, anchors and inverse square roots of all layers
	stageEncode = "encode"     // all graphs
	stageTotal  = "fit+encode" // what the published figures count
	stageSelect = "select"     // 10 folds x 60 values of C
	stageWhole  = "whole"      // read, fit, encode and select

	// Figures that are not the seconds of a stage, for targets.
	figureSpeedup = "encode, two workers"
	figureMemory  = "memory"
)

func models() []staged {
	speedup := target{"encoding, two workers over one", speedupTarget, atLeast}
	within := func(limit float64) target {
		return target{"seconds of sampling, anchors and encoding", limit, atMost}
	}
	return append(trainings(), []staged{
		{name: "mutag-path", about: "GCKN-path on MUTAG, path size 4",
			dataset: "tu/MUTAG", variant: "gckn-path", pathSize: 4},
		{name: "mutag-subtree", about: "GCKN-subtree on MUTAG, path size 4",
			dataset: "tu/MUTAG", variant: "gckn-subtree", pathSize: 4,
			targets: map[string]target{stageWhole: {"seconds to read, fit, encode and select", 2, atMost}}},
		{name: "proteins-path", about: "GCKN-path on PROTEINS, path size 4",
			dataset: "tu/PROTEINS", variant: "gckn-path", pathSize: 4},
		{name: "proteins-subtree", about: "GCKN-subtree on PROTEINS, path size 4",
			dataset: "tu/PROTEINS", variant: "gckn-subtree", pathSize: 4,
			targets: map[string]target{stageTotal: within(1.5)}},
		{name: "nci1-path", about: "GCKN-path on NCI1, path size 4",
			dataset: "tu/NCI1", variant: "gckn-path", pathSize: 4,
			targets: map[string]target{stageTotal: within(0.4), figureSpeedup: speedup,
				stageRead: {"seconds to read NCI1 from text", 0.3, atMost}},
			device: map[string]target{stageEncode: {"seconds to encode NCI1 from host memory", 0.005, atMost}}},
		{name: "nci1-subtree", about: "GCKN-subtree on NCI1, path size 4",
			dataset: "tu/NCI1", variant: "gckn-subtree", pathSize: 4,
			targets: map[string]target{stageTotal: within(2), figureSpeedup: speedup}},
		{name: "imdb-binary-path", about: "GCKN-path on IMDB-BINARY, path size 3, degrees as labels",
			dataset: "tu/IMDB-BINARY", variant: "gckn-path", pathSize: 3,
			targets: map[string]target{stageTotal: within(0.5)}},
		{name: "collab",
			about: "GCKN-path on COLLAB, path size 3, degrees as labels, on two workers; " +
				"takes a minute and runs only when named",
			dataset: "text/COLLAB", variant: "gckn-path", pathSize: 3, workers: 2, extra: true, noSelect: true,
			targets: map[string]target{
				stageEncode:  {"seconds to encode on two workers", 60, atMost},
				figureMemory: {"GB of memory at the peak", 24, atMost},
			}},
		{name: "molecules-path",
			about: "GCKN-path on a million generated molecules, path size 4, on two workers; runs only when named",
			generate: func(s sizes) (*dataset.Dataset, error) {
				return dataset.Synth("molecules", dataset.SynthOptions{Graphs: s.molecules})
			}, variant: "gckn-path", pathSize: 4, workers: 2, extra: true, noSelect: true,
			targets: map[string]target{figureMemory: {"GB of memory at the peak", 24, atMost}}},
		{name: "power-law-path",
			about: "GCKN-path on one power-law graph of 10 million arcs, path size 3, degrees as labels, on two workers; " +
				"runs only when named",
			generate: func(s sizes) (*dataset.Dataset, error) {
				return dataset.Synth("power-law", dataset.SynthOptions{Graphs: 1, Vertices: s.powerLaw, Degree: 10})
			}, variant: "gckn-path", pathSize: 3, workers: 2, extra: true, noSelect: true,
			targets: map[string]target{figureMemory: {"GB of memory at the peak", 24, atMost}}},
	}...)
}
