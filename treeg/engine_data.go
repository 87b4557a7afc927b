package treeg

import (
	"math"
	"slices"
	"sync"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"gorgonia.org/tensor"
)

// engineData is what the engine keeps of a batch while fits go on: blocks of features with their walks from all
// vertices, and the adjacency matrices. It is made by the first search that needs it.
type engineData struct {
	mu    sync.Mutex
	users int // fits that go on
	made  bool

	matrices []*engine.Sparse // of each operator, steps by rows
	factors  *tensor.Dense    // diagonals by operator and length, for each vertex; nil without
	blocks   []engineBlock
}

// engineBlock holds some features.
type engineBlock struct {
	features []int         // those that occur, ascending
	vectors  *tensor.Dense // 1+operators*length, vertices, features: the features, then A^d f at 1+index(operator, d)
	shifts   []float64     // that round products with weights; nil without weights
}

// The most bytes of vectors that a block of features has, that walks from subsets have at a time, and that columns of a
// search have at a time.
const engineBytes = 1 << 28

// onEngine reports whether splits are searched by operations of the engine: by a wide one.
func (d *Data) onEngine() bool { return d.engine.Capabilities().Wide || d.throughEngine }

// hold keeps what the engine has of the data until as many calls of letGo.
func (d *Data) hold() {
	d.resident.mu.Lock()
	defer d.resident.mu.Unlock()
	d.resident.users++
}

func (d *Data) letGo() {
	k := &d.resident
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.users--; k.users > 0 {
		return
	}
	k.release(d.engine)
}

func (k *engineData) release(e engine.Engine) {
	for _, b := range k.blocks {
		engine.Release(e, b.vectors)
	}
	engine.Release(e, k.factors)
	k.blocks, k.matrices, k.factors, k.made = nil, nil, nil, false
}

// onDevice returns what the engine holds of the data, which a fit must hold.
func (d *Data) onDevice() (*engineData, error) {
	k := &d.resident
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.made {
		return k, nil
	}
	for _, op := range d.operators {
		k.matrices = append(k.matrices, d.matrix(op))
	}
	var err error
	if k.factors, err = d.factors(); err != nil {
		k.release(d.engine)
		return nil, err
	}
	var features []int
	for f := range d.kept {
		if d.kept[f].from < d.kept[f].to {
			features = append(features, f)
		}
	}
	vectors := 1 + len(d.operators)*d.length
	width := max(engineBytes/(8*vectors*max(d.batch.NumVertices(), 1)), 1)
	for from := 0; from < len(features); from += width {
		b, err := d.engineBlock(features[from:min(from+width, len(features))], vectors, k.matrices)
		if b.vectors != nil {
			k.blocks = append(k.blocks, b)
		}
		if err != nil {
			k.release(d.engine)
			return nil, err
		}
	}
	k.made = true
	return k, nil
}

// factors puts the diagonals on the engine.
func (d *Data) factors() (*tensor.Dense, error) {
	rows := slices.Concat(slices.Concat(d.diagonal...)...)
	if len(rows) == 0 {
		return nil, nil
	}
	return engine.FromHost(d.engine, tensor.New(tensor.WithBacking(rows)))
}

// matrix returns an operator by rows of where steps come from. As the arcs of a batch a device uploads it once.
func (d *Data) matrix(op *operator) *engine.Sparse {
	b := d.batch
	if len(op.in.ptr) == 0 || &op.in.ptr[0] != &b.RowPtr[0] || d.input.MeanSteps {
		b = &graph.Batch{Offsets: b.Offsets, RowPtr: op.in.ptr, Col: op.in.col, ArcWeights: op.in.weight}
	}
	return engine.Adjacency(b)
}

// engineBlock puts features on the engine and makes their walks from all vertices.
func (d *Data) engineBlock(features []int, vectors int, matrices []*engine.Sparse) (engineBlock, error) {
	n, q := d.batch.NumVertices(), len(features)
	b := engineBlock{features: features, vectors: engine.Scratch(d.engine, tensor.Float64, vectors, n, q)}
	values := make([]float64, n*q)
	for k, f := range features {
		for _, st := range d.strands[d.kept[f].from:d.kept[f].to] {
			for i, x := range st.vector(d.values) {
				values[(int(st.first)+i)*q+k] = x
			}
		}
		if !d.weighted() {
			continue
		}
		shift := 0.0
		if g := d.kept[f].grid; g != noGrid {
			shift = engine.Shift(int(g))
		}
		b.shifts = append(b.shifts, shift)
	}
	at := func(vector int) *tensor.Dense { return engine.View(b.vectors, vector*n*q, 1, n, q) }
	host := tensor.New(tensor.WithShape(1, n, q), tensor.WithBacking(values), tensor.WithEngine(engine.Host(d.engine)))
	if err := d.engine.Convert(at(0), host); err != nil {
		return b, err
	}
	for o, matrix := range matrices {
		for l := 1; l <= d.length; l++ {
			from := 0
			if l > 1 {
				from = 1 + d.index(o, l-1)
			}
			err := d.engine.SubsetWalks(at(1+d.index(o, l)), at(from), matrix, &engine.Subsets{Shifts: b.shifts})
			if err != nil {
				return b, err
			}
		}
	}
	return b, nil
}

// positive turns -0 into 0.
func positive(x float64) float64 {
	if x == 0 {
		return math.Abs(x)
	}
	return x
}
