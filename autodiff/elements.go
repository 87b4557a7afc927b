package autodiff

import (
	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// elements are those of a tensor of either dtype in host memory.
type elements struct {
	single []float32
	double []float64
}

// hostElements returns the elements of a tensor, downloaded from a device.
func hostElements(t *tensor.Dense) (elements, error) {
	t, err := engine.ToHost(t)
	if err != nil {
		return elements{}, err
	}
	if t.Dtype() == tensor.Float32 {
		return elements{single: t.Float32s()}, nil
	}
	return elements{double: t.Float64s()}, nil
}

func (x elements) at(i int) float64 {
	if x.single != nil {
		return float64(x.single[i])
	}
	return x.double[i]
}

// class returns the class that the outputs from number first on speak for: the first largest one; for a
// single output 1 where it is positive, unless one class is all there is.
func (l Loss) class(x elements, first, outputs int) int32 {
	if outputs == 1 && l != CrossEntropy && x.at(first) > 0 {
		return 1
	}
	best := 0
	for j := 1; j < outputs; j++ {
		if x.at(first+j) > x.at(first+best) {
			best = j
		}
	}
	return int32(best)
}
