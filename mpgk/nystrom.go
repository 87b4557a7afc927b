package mpgk

import (
	"math/rand/v2"
	"slices"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/nystrom"
	"gorgonia.org/tensor"
)

// vertexMap is the Nyström feature map of a vertex kernel, phi(x) = (k(x, z_1), ..., k(x, z_m)) R with R R' the
// pseudo-inverse of the kernel matrix of the landmarks z (section 3.2).
type vertexMap struct {
	landmarks *points
	root      *tensor.Dense // m x rank
}

func newVertexMap(e engine.Engine, landmarks *points) (*vertexMap, error) {
	w, err := kernel(e, landmarks, landmarks)
	if err != nil {
		return nil, err
	}
	root, _, err := nystrom.InverseRoot(e, landmarks.len(), w)
	if err != nil {
		return nil, err
	}
	return &vertexMap{landmarks, root}, nil
}

// drawPoints draws want of the vertices that the points stand for, without replacement, and returns their
// points in ascending order, each once: equal landmarks add nothing.
func drawPoints(p *points, want int, rng *rand.Rand) []int32 {
	vertices := 0.0
	for _, c := range p.copies {
		vertices += c
	}
	var drawn []int32
	point, passed := 0, p.copies[0]
	for _, position := range nystrom.SampleSorted(int64(vertices), want, rng) {
		for passed <= float64(position) {
			point++
			passed += p.copies[point]
		}
		drawn = append(drawn, int32(point))
	}
	return slices.Compact(drawn)
}

// compress replaces the features of the points by those of the map.
func (m *vertexMap) compress(e engine.Engine, s *state) error {
	k, err := kernel(e, &s.points, m.landmarks)
	if err != nil {
		return err
	}
	rank := m.root.Shape()[1]
	x, err := nystrom.Product(e, k, s.len(), m.root.Float64s(), m.landmarks.len(), rank)
	if err != nil {
		return err
	}
	s.dense, s.scale, s.front = x, ones(rank), rank
	s.counts = histograms{start: make([]int32, s.len()+1)}
	return nil
}
