package mpgk

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/eigen"
	"github.com/grove-graph/grove/nystrom"
	"gorgonia.org/tensor"
)

// rankTolerance is the share of the largest eigenvalue of a kernel matrix of landmarks below which eigenvalues are
// rounding and are left out.
const rankTolerance = 1e-10

// inverseRoot returns R = V diag(e^(-1/2)) for the eigenvalues e of the n x n kernel matrix w that count, and their
// eigenvectors V, both n x rank on the host engine e: W^+ = R R', and R V' is the symmetric root. A zero matrix has
// the rank 1 and R = 0.
func inverseRoot(e engine.Engine, n int, w []float64) (root, vectors *tensor.Dense, err error) {
	values, rows, err := eigen.Symmetric(e.Workers(), n, w, n)
	if err != nil {
		return nil, nil, fmt.Errorf("kernel matrix of the landmarks: %w", err)
	}
	least := rankTolerance * values[n-1]
	from := n - 1
	for from > 0 && values[from-1] > least {
		from--
	}
	rank := n - from
	v, r := make([]float64, n*rank), make([]float64, n*rank)
	for j := range rank {
		factor := 0.0
		if e := values[from+j]; e > 0 {
			factor = 1 / math.Sqrt(e)
		}
		for i := range n {
			v[i*rank+j] = rows[(from+j)*n+i]
			r[i*rank+j] = v[i*rank+j] * factor
		}
	}
	return matrix(e, r, n, rank), matrix(e, v, n, rank), nil
}

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
	root, _, err := inverseRoot(e, landmarks.len(), w)
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
	x, err := product(e, k, s.len(), m.root.Float64s(), m.landmarks.len(), rank)
	if err != nil {
		return err
	}
	s.dense, s.scale, s.front = x, ones(rank), rank
	s.counts = histograms{start: make([]int32, s.len()+1)}
	return nil
}
