package mpgk

import (
	"context"
	"errors"
	"math/rand/v2"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/nystrom"
	"gorgonia.org/tensor"
)

// graphMap is the Nyström feature map of the graph kernels after 1, ..., T iterations (section 4.3).
type graphMap struct {
	numbers   []int // of the landmarks in the batch of Fit
	landmarks *Graphs
	roots     []*tensor.Dense // landmarks x rank, of every t
}

// drawGraphs draws the graph landmarks that the options ask for.
func (m *Model) drawGraphs() error {
	if m.opt.GraphLandmarks == 0 {
		return nil
	}
	rng := rand.New(rand.NewPCG(m.opt.seed(drawGraphLandmarks, 0), 0))
	var numbers []int
	for _, g := range nystrom.SampleSorted(int64(m.train.Len()), m.opt.GraphLandmarks, rng) {
		numbers = append(numbers, int(g))
	}
	return m.markGraphs(m.train, numbers)
}

// markGraphs makes the given graphs of all the landmarks.
func (m *Model) markGraphs(all *Graphs, numbers []int) error {
	g := &graphMap{numbers: numbers, landmarks: all.Select(numbers)}
	host := m.engine.Host()
	err := g.landmarks.EachGram(func(_ int, k *tensor.Dense) error {
		root, _, err := nystrom.InverseRoot(host, len(numbers), k.Float64s())
		if err != nil {
			return err
		}
		g.roots = append(g.roots, root)
		return nil
	})
	m.nystrom = g
	return err
}

// Features returns the Nyström features of the graphs of b with Options.GraphLandmarks landmarks: for each
// t = 1, ..., T a block phi_t(G) = (k_t(G, z_1), ..., k_t(G, z_m)) K_t^(-1/2) up to a rotation, one after another
// (section 4.3). The inner product of two blocks approximates the kernel. The result is Float64, NumGraphs x at
// most T times Options.GraphLandmarks, less where the landmarks depend on each other. Errors are those of
// Transform, and options without graph landmarks.
func (m *Model) Features(ctx context.Context, b *graph.Batch, progress model.Progress) (*tensor.Dense, error) {
	if m.nystrom == nil {
		return nil, errWithoutLandmarks
	}
	g, err := m.Transform(ctx, b, progress)
	if err != nil {
		return nil, err
	}
	return m.nystrom.features(m.engine.Host(), g)
}

var errWithoutLandmarks = errors.New(
	"the model has no graph landmarks to make features with: fit it with some, 200 in the paper")

// NumFeatures returns the number of columns of [Model.Features], 0 without graph landmarks.
func (m *Model) NumFeatures() int {
	if m.nystrom == nil {
		return 0
	}
	return m.nystrom.width()
}

func (n *graphMap) width() int {
	width := 0
	for _, r := range n.roots {
		width += r.Shape()[1]
	}
	return width
}

func (n *graphMap) features(host engine.Engine, g *Graphs) (*tensor.Dense, error) {
	out := host.New(tensor.Float64, g.Len(), n.width())
	column := 0
	for t, root := range n.roots {
		rank := root.Shape()[1]
		if g.Len() == 0 {
			break
		}
		k, err := g.Cross(n.landmarks, t+1)
		if err != nil {
			return nil, err
		}
		phi := host.New(tensor.Float64, g.Len(), rank)
		if err := host.Gemm(phi, k, root, engine.Gemm{Alpha: 1}); err != nil {
			return nil, err
		}
		if err := host.Place(out, phi, nil, engine.Placement{Column: column, Stride: 1}); err != nil {
			return nil, err
		}
		column += rank
	}
	return out, nil
}
