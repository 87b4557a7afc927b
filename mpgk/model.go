package mpgk

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
	"gorgonia.org/tensor"
)

// Model is a fitted kernel: its hierarchies and landmarks, and the graphs that they came from, which it compares
// others with. It is bound to an engine, and safe for concurrent use but for Keep.
type Model struct {
	opt      Options
	input    Input
	engine   engine.Engine
	batch    *graph.Batch // that it was fitted on
	fitted   []iteration  // of k^0, ..., k^T
	train    *Graphs      // the graphs that others are compared with
	selected []int        // their numbers in batch; nil for all
	nystrom  *graphMap    // nil without graph landmarks
}

// iteration is what was learned from k^t.
type iteration struct {
	class     []int32          // the point of every vertex of the batch
	points    *points          // under k^t, as far as hierarchies want them
	hierarchy *fittedHierarchy // nil where none is needed
	omega     []float64
	marks     []int32    // the landmarks' points before the approximation; nil for the exact kernel
	vertices  *vertexMap // nil for the exact kernel
}

// Fit learns the hierarchies and the landmarks of a kernel from the graphs of b, without targets, and represents the
// graphs for every number of iterations up to opt.Iterations. Hierarchies do not depend on the order of graphs or
// vertices. The model keeps b: it compares other graphs with those.
//
// Errors are those of Options.Check, a batch without vertices, attributes that are not finite, and a context that
// is done.
func Fit(ctx context.Context, e engine.Engine, b *graph.Batch, opt Options, progress model.Progress) (*Model, error) {
	if err := opt.Check(); err != nil {
		return nil, err
	}
	if b.NumVertices() == 0 {
		return nil, fmt.Errorf("the %d graphs have no vertices to learn a kernel from", b.NumGraphs())
	}
	m := &Model{opt: opt, input: InputOf(b), engine: e, batch: b, fitted: make([]iteration, opt.Iterations+1)}
	var err error
	if m.train, err = m.represent(ctx, b, learner{m}, progress); err != nil {
		return nil, err
	}
	return m, m.drawGraphs()
}

// assigner says where the points of a batch are in the hierarchies of a model, and which landmarks they are compared
// with.
type assigner interface {
	leaves(ctx context.Context, t int, s *state) ([]int32, error)
	landmarks(t int, s *state) (*vertexMap, error)
}

// represent runs all iterations over a batch.
func (m *Model) represent(ctx context.Context, b *graph.Batch, by assigner, progress model.Progress) (*Graphs, error) {
	if err := m.input.check(b); err != nil {
		return nil, err
	}
	o, host := &m.opt, m.engine.Host()
	g := &Graphs{engine: m.engine, opt: o, n: o.objects(b), levels: make([]level, o.Iterations+1)}
	err := m.propagate(ctx, b, by, progress, func(t int, s *state, leaf []int32) (err error) {
		if o.Vertices {
			s = s.ofVertices()
		}
		switch {
		case !o.compares(t):
		case o.Variant.assignsGraphs():
			g.levels[t] = newHistogramLevel(s, m.fitted[t].hierarchy.hierarchy, m.fitted[t].omega, leaf)
		default:
			g.levels[t], err = newSumLevel(host, s)
		}
		return err
	})
	return g, err
}

// propagate updates the vertices of a batch (Eq. 2) and calls visit for t = 0, ..., T with their state under k^t and,
// where there is a hierarchy on k^t, the leaves of their points.
func (m *Model) propagate(
	ctx context.Context, b *graph.Batch, by assigner, progress model.Progress,
	visit func(t int, s *state, leaf []int32) error,
) error {
	o, host := &m.opt, m.engine.Host()
	s := newState(b, m.input, o.Variant.assignsNeighbours())
	for t := 0; ; t++ {
		progress.Report("iterations", t, o.Iterations+1)
		if err := ctx.Err(); err != nil {
			return err
		}
		var leaf []int32
		if o.grows(t) {
			var err error
			if leaf, err = by.leaves(ctx, t, s); err != nil {
				return fmt.Errorf("iteration %d: %w", t, err)
			}
		}
		if err := visit(t, s, leaf); err != nil {
			return err
		}
		if t == o.Iterations {
			progress.Report("iterations", t+1, o.Iterations+1)
			return nil
		}
		var err error
		if s, err = m.update(host, t, s, leaf, by); err != nil {
			return fmt.Errorf("iteration %d: %w", t+1, err)
		}
	}
}

// update returns the vertices under k^{t+1}.
func (m *Model) update(host engine.Engine, t int, s *state, leaf []int32, by assigner) (next *state, err error) {
	if m.opt.Variant.assignsNeighbours() {
		f := &m.fitted[t]
		next = s.assign(host.Workers(), f.hierarchy.hierarchy, f.omega, leaf, m.opt.Alpha, m.opt.Beta)
	} else if next, err = s.convolve(host, m.opt.Alpha, m.opt.Beta); err != nil {
		return nil, err
	}
	if m.opt.Landmarks == 0 {
		return next, nil
	}
	z, err := by.landmarks(t+1, next)
	if err != nil {
		return nil, err
	}
	return next, z.compress(host, next)
}

// Purposes that random numbers are drawn for.
const (
	drawHierarchy uint64 = iota + 1
	drawLandmarks
	drawGraphLandmarks
)

// seed returns the seed for a purpose in iteration t.
func (o *Options) seed(purpose uint64, t int) uint64 {
	return mix(mix(mix(0, o.Seed), purpose), uint64(t))
}

// learner grows hierarchies on the points that it is shown and draws landmarks from them.
type learner struct{ *Model }

func (l learner) leaves(ctx context.Context, t int, s *state) ([]int32, error) {
	h, err := grow(ctx, l.engine, &s.points, &l.opt, l.opt.seed(drawHierarchy, t))
	if err != nil {
		return nil, err
	}
	l.setHierarchy(t, s, h)
	return h.leaf, nil
}

func (l learner) landmarks(t int, s *state) (*vertexMap, error) {
	rng := rand.New(rand.NewPCG(l.opt.seed(drawLandmarks, t), 0))
	return l.setLandmarks(t, s, drawPoints(&s.points, l.opt.Landmarks, rng))
}

// setHierarchy makes h the hierarchy of iteration t.
func (m *Model) setHierarchy(t int, s *state, h *fittedHierarchy) {
	f := &m.fitted[t]
	f.class, f.points, f.hierarchy, f.omega = s.class, &s.points, h, h.omega(m.opt.Weights)
}

// setLandmarks makes the given points the landmarks of iteration t.
func (m *Model) setLandmarks(t int, s *state, marks []int32) (*vertexMap, error) {
	f := &m.fitted[t]
	z, err := newVertexMap(m.engine.Host(), s.selectRows(marks))
	if err != nil {
		return nil, err
	}
	f.class, f.marks, f.vertices = s.class, marks, z
	return z, nil
}

// follower sends points down the hierarchies of a model.
type follower struct{ *Model }

func (f follower) leaves(ctx context.Context, t int, s *state) ([]int32, error) {
	i := &f.fitted[t]
	return i.hierarchy.descend(ctx, f.engine, i.points, &s.points)
}

func (f follower) landmarks(t int, _ *state) (*vertexMap, error) { return f.fitted[t].vertices, nil }

// NumGraphs returns the number of graphs, or of vertices, that others are compared with: those of Fit, or of Keep.
func (m *Model) NumGraphs() int { return m.train.Len() }

// Reach implements [machine.Reacher].
func (m *Model) Reach() int { return m.opt.Iterations }

// objects returns the number of graphs, or of vertices, that a batch has to compare.
func (o *Options) objects(b *graph.Batch) int {
	if o.Vertices {
		return b.NumVertices()
	}
	return b.NumGraphs()
}

// ofVertices returns the state with every vertex as a graph of its own.
func (s *state) ofVertices() *state {
	one, b := *s, *s.batch
	b.Offsets = ascending(b.NumVertices() + 1)
	one.batch = &b
	return &one
}

// Size returns how many different vertices the hierarchies were grown on, added up over k^0, ..., k^T, and the
// number of entries of their features.
func (m *Model) Size() (points, entries int) {
	for _, f := range m.fitted {
		if f.hierarchy != nil {
			points, entries = points+f.points.len(), entries+len(f.points.dense)+len(f.points.counts.column)
		}
	}
	return points, entries
}

// Keep limits the graphs that others are compared with to the given ones of those that there are now, in the given
// order; a support vector machine needs its support vectors alone. The hierarchies stay as they are.
func (m *Model) Keep(graphs []int) error {
	if len(graphs) == 0 {
		return fmt.Errorf("no graphs to be kept: a kernel needs some to compare others with")
	}
	for _, g := range graphs {
		if g < 0 || g >= m.train.Len() {
			return fmt.Errorf("graph %d to be kept: the model has 0 to %d", g, m.train.Len()-1)
		}
	}
	selected := slices.Clone(graphs)
	for i, g := range graphs {
		if m.selected != nil {
			selected[i] = m.selected[g]
		}
	}
	m.selected, m.train = selected, m.train.Select(graphs)
	return nil
}

// after returns the model of the first t iterations. It may forget graphs: m stays as it is.
func (m *Model) after(t int) *Model {
	own := &Model{opt: m.opt, input: m.input, engine: m.engine, batch: m.batch, selected: m.selected}
	own.opt.Iterations = t
	own.fitted = slices.Clone(m.fitted[:t+1])
	if last := &own.fitted[t]; !own.opt.grows(t) {
		last.points, last.hierarchy, last.omega = nil, nil, nil
	}
	own.train = m.train.under(&own.opt)
	if n := m.nystrom; n != nil {
		own.nystrom = &graphMap{n.numbers, n.landmarks.under(&own.opt), n.roots[:t]}
	}
	return own
}

// Transform returns the features of the graphs of b, whose vertices go down the fitted hierarchies; the graphs of
// Fit get those that they have. Errors are a batch that lacks the model's input, attributes that are not
// finite, and a context that is done.
func (m *Model) Transform(ctx context.Context, b *graph.Batch, progress model.Progress) (*Graphs, error) {
	return m.represent(ctx, b, follower{m}, progress)
}

// Gram returns the kernel matrix of the graphs of Fit (or Keep) after all iterations: NumGraphs x NumGraphs,
// Float64, in host memory.
func (m *Model) Gram(ctx context.Context, progress model.Progress) (*tensor.Dense, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	k, err := m.train.Gram(m.opt.Iterations)
	progress.Report("gram", 1, 1)
	return k, err
}

// EachGram calls visit with the kernel matrices after t = 1, ..., Options.Iterations updates. The matrix is good until
// visit returns.
func (m *Model) EachGram(ctx context.Context, progress model.Progress, visit func(t int, k *tensor.Dense) error) error {
	return m.train.EachGram(func(t int, k *tensor.Dense) error {
		progress.Report("gram", t, m.opt.Iterations)
		if err := ctx.Err(); err != nil {
			return err
		}
		return visit(t, k)
	})
}

// Cross returns the kernel of every graph of b (rows) with every graph of Fit or Keep (columns) after all
// iterations. Errors are those of Transform.
func (m *Model) Cross(ctx context.Context, b *graph.Batch, progress model.Progress) (*tensor.Dense, error) {
	g, err := m.Transform(ctx, b, progress)
	if err != nil {
		return nil, err
	}
	return g.Cross(m.train, m.opt.Iterations)
}
