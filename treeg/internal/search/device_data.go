package search

import (
	"sync"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/treeg/internal/walks"
	"gorgonia.org/tensor"
)

// Resident is what a device keeps of a batch while fits go on: blocks of features with their walks from all
// vertices, and the adjacency matrices. It is made by the first search that needs it.
type Resident struct {
	mu    sync.Mutex
	users int // fits that go on
	made  bool

	matrices []*engine.Sparse // of each operator, steps by rows
	factors  *tensor.Dense    // diagonals by operator and length, for each vertex; nil without

	features *tensor.Dense // those that occur, features x vertices, for predictions while a fit goes on; nil: not yet

	// Features that occur, with vectors of them and then of A^d f at 1+index(operator, d), and shifts where steps weigh.
	blocks []engine.FeatureBlock

	trees []engine.Growth // of the fits
}

// engineBytes is the most bytes of vectors that a block of features has.
const engineBytes = 1 << 28

// OnDevice reports whether splits are searched by operations of the engine: by a wide one.
func OnDevice(d *walks.Data, m Method) bool {
	return d.Engine.Capabilities().Wide || m == OnEngine
}

// Hold keeps what the engine has of the data until as many calls of release.
func (k *Resident) Hold() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.users++
}

// Release ends the use of one fit; the last one empties the device.
func (k *Resident) Release(e engine.Engine) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.users--; k.users == 0 {
		k.empty(e)
	}
}

// Holds reports whether something is on the device.
func (k *Resident) Holds() bool { return k.made }

func (k *Resident) empty(e engine.Engine) {
	for _, t := range k.trees {
		t.Release()
	}
	for _, b := range k.blocks {
		e.Release(b.Vectors)
	}
	k.trees = nil
	e.Release(k.factors)
	e.Release(k.features)
	k.blocks, k.matrices, k.factors, k.features, k.made = nil, nil, nil, nil, false
}

// grow returns what grows trees of a fit, which must hold the data, until the data are released. f says what the trees
// have in common beside the data.
func (k *Resident) grow(d *walks.Data, f *engine.TreeFeatures) (engine.Growth, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.fill(d); err != nil {
		return nil, err
	}
	f.Blocks, f.Matrices, f.Factors = k.blocks, k.matrices, k.factors
	tree, err := d.Engine.Grow(f)
	if err == nil {
		k.trees = append(k.trees, tree)
	}
	return tree, err
}

// Predicted returns what an engine needs to send the examples of the data through trees: the features, in the order of
// [walks.Data.Occurring], and the diagonals.
func (k *Resident) Predicted(d *walks.Data) (features, factors *tensor.Dense, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.fill(d); err != nil || k.features != nil {
		return k.features, k.factors, err
	}
	if k.features, err = d.Upload(d.Occurring()); err != nil {
		d.Engine.Release(k.features)
		k.features = nil
	}
	return k.features, k.factors, err
}

// fill makes what the engine holds of the data unless it is there. The caller holds mu.
func (k *Resident) fill(d *walks.Data) error {
	if k.Holds() {
		return nil
	}
	k.matrices = d.Matrices()
	if diagonals := d.Diagonals(); len(diagonals) > 0 {
		var err error
		if k.factors, err = engine.FromHost(d.Engine, tensor.New(tensor.WithBacking(diagonals))); err != nil {
			k.empty(d.Engine)
			return err
		}
	}
	features := d.Occurring()
	vectors := 1 + len(k.matrices)*d.Length
	width := max(engineBytes/(8*vectors*max(d.Batch.NumVertices(), 1)), 1)
	for from := 0; from < len(features); from += width {
		b, err := blockOnEngine(d, features[from:min(from+width, len(features))], vectors, k.matrices)
		if b.Vectors != nil {
			k.blocks = append(k.blocks, b)
		}
		if err != nil {
			k.empty(d.Engine)
			return err
		}
	}
	k.made = true
	return nil
}

// blockOnEngine puts features on the engine and makes their walks from all vertices.
func blockOnEngine(d *walks.Data, features []int, vectors int, matrices []*engine.Sparse) (engine.FeatureBlock, error) {
	n, q := d.Batch.NumVertices(), len(features)
	b := engine.FeatureBlock{Vectors: d.Engine.Scratch(tensor.Float64, vectors, n, q)}
	values := make([]float64, n*q)
	for k, f := range features {
		b.Features = append(b.Features, int32(f))
		d.Put(values[k:], q, f)
		if !d.Weighted() {
			continue
		}
		shift := 0.0
		if g := d.GridOf(f); g != walks.NoGrid {
			shift = engine.Shift(int(g))
		}
		b.Shifts = append(b.Shifts, shift)
	}
	at := func(vector int) *tensor.Dense { return engine.View(b.Vectors, vector*n*q, 1, n, q) }
	host := tensor.New(tensor.WithShape(1, n, q), tensor.WithBacking(values), tensor.WithEngine(d.Engine.Host()))
	if err := d.Engine.Convert(at(0), host); err != nil {
		return b, err
	}
	for o, matrix := range matrices {
		for l := 1; l <= d.Length; l++ {
			from := 0
			if l > 1 {
				from = 1 + d.Index(o, l-1)
			}
			err := d.Engine.SubsetWalks(at(1+d.Index(o, l)), at(from), matrix, &engine.Subsets{Shifts: b.Shifts})
			if err != nil {
				return b, err
			}
		}
	}
	return b, nil
}
