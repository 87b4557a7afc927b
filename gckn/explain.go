package gckn

import (
	"fmt"

	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// Contributions splits the linear function <weight, representation> of one graph over its vertices:
// the sum of the result is the value of the function. features are the [Model.VertexFeatures] of the
// graph (n x Dim). With global mean pooling a vertex carries 1/n of its own value, with max pooling a
// vertex carries the columns in which it holds the maximum, the first one where several do. Generalised
// max pooling does not split and is refused.
func Contributions(features *tensor.Dense, weight []float64, pool Pooling) ([]float64, error) {
	n, dim := features.Shape()[0], features.Shape()[1]
	if len(weight) != dim {
		return nil, fmt.Errorf("%d weights for a representation of length %d", len(weight), dim)
	}
	values, err := engine.Float64s(features)
	if err != nil {
		return nil, err
	}
	at := func(v, c int) float64 { return values[v*dim+c] }
	out := make([]float64, n)
	switch pool {
	case Sum, Mean:
		for v := range out {
			for c, w := range weight {
				out[v] += w * at(v, c)
			}
			if pool == Mean {
				out[v] /= float64(n)
			}
		}
	case Max:
		for c, w := range weight {
			best := 0
			for v := 1; v < n; v++ {
				if at(v, c) > at(best, c) {
					best = v
				}
			}
			if n > 0 {
				out[best] += w * at(best, c)
			}
		}
	default:
		return nil, fmt.Errorf("%s pooling over vertices cannot be split into contributions", pool)
	}
	return out, nil
}
