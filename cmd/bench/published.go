package main

// publishedMachine says where the published figures come from; the ratio to them includes the difference of
// the machines.
const publishedMachine = "measured figures of the published code, one thread, " +
	"CPU seconds on one core of an Intel Xeon with AVX-512, 2.0 GHz nominal"

// published holds measured figures of the published code, one thread: the CPU seconds of the GCKN
// authors' own implementation (C++ loops and Cython under PyTorch 1.13.1 with OpenBLAS 0.3.21) on one core of
// an Intel Xeon with AVX-512 (2.0 GHz nominal), a quiet machine, all graphs of the data set, 128 filters
// in every layer, sigma 0.6, sums, paths of 1 to 4 vertices (IMDB-BINARY: 3), 300 000 sampled paths. Of the
// figures that vary from run to run this is the fastest.
type published struct {
	sample  float64 // enumeration of all paths
	anchors float64 // sampling and k-means of all layers
	encode  float64
}

// total returns sampling, anchors and encoding together.
func (p published) total() float64 { return p.sample + p.anchors + p.encode }

func publishedFigures() map[string]published {
	return map[string]published{
		"mutag-path":       {0.01, 0.13, 0.06},
		"mutag-subtree":    {0.01, 0.56, 0.07},
		"proteins-path":    {0.36, 2.13, 1.91},
		"proteins-subtree": {0.26, 14.7, 1.99},
		"nci1-path":        {0.35, 8.2, 1.10},
		"nci1-subtree":     {0.37, 19.9, 1.82},
		"imdb-binary-path": {0.14, 20.6, 2.79},
	}
}
