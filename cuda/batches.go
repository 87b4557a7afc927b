//go:build gpu

package cuda

import (
	"runtime"
	"sync"
	"weak"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
)

// batches keeps on the device what was made from a graph.Batch, as long as the batch lives and memory lasts.
type batches struct {
	mu    sync.Mutex
	known map[weak.Pointer[graph.Batch]]*resident

	late func() // called by derived when another goroutine had made its array first; for tests
}

// resident is what lies on the device for one batch.
type resident struct {
	mu    sync.Mutex
	parts map[string]part
	plans map[string]any // on the host
	gone  bool           // forgotten: it takes nothing any more
}

// part is one array of a batch; its block is nil for a nil slice.
type part struct {
	block   *block
	address uint64
	bytes   int
}

// of returns the entry of a batch.
func (r *batches) of(b *graph.Batch) *resident {
	key := weak.Make(b)
	r.mu.Lock()
	defer r.mu.Unlock()
	if found := r.known[key]; found != nil {
		return found
	}
	if r.known == nil {
		r.known = make(map[weak.Pointer[graph.Batch]]*resident)
	}
	entry := &resident{parts: make(map[string]part), plans: make(map[string]any)}
	r.known[key] = entry
	runtime.AddCleanup(b, func(key weak.Pointer[graph.Batch]) { r.forget(key) }, key)
	return entry
}

// Forget implements [engine.Forgetter].
func (e *Engine) Forget(b *graph.Batch) { e.batches.forget(weak.Make(b)) }

// forget drops the entry of a batch.
func (r *batches) forget(key weak.Pointer[graph.Batch]) {
	r.mu.Lock()
	entry := r.known[key]
	delete(r.known, key)
	r.mu.Unlock()
	if entry != nil {
		entry.drop(true)
	}
}

// drop takes everything off the device; it is uploaded anew when it is needed.
func (r *batches) drop() {
	r.mu.Lock()
	var all []*resident
	for _, entry := range r.known {
		all = append(all, entry)
	}
	r.mu.Unlock()
	for _, entry := range all {
		entry.drop(false)
	}
}

func (d *resident) drop(gone bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.gone = d.gone || gone
	for _, p := range d.parts {
		if p.block != nil {
			p.block.release()
		}
	}
	clear(d.parts)
}

// derived returns an array made from a batch alone. It is uploaded once and kept with the batch under its name,
// which must tell apart whatever build depends on; build runs when it is not there.
func derived[T element](k *op, b *graph.Batch, name string, build func() []T) pointer[T] {
	if k.err != nil {
		return pointer[T]{}
	}
	entry := k.e.batches.of(b)
	kept, there := entry.hold(name)
	if there {
		return adopt[T](k, kept)
	}
	// Without the lock, because a lack of memory makes take drop what batches hold.
	made, err := settle(k, build())
	if err != nil {
		k.fail(err)
		return pointer[T]{}
	}
	kept, there = entry.keep(name, made)
	if there {
		if made.block != nil {
			made.block.release()
		}
		if k.e.batches.late != nil {
			k.e.batches.late()
		}
	}
	return adopt[T](k, kept)
}

// planned returns what build makes of a batch alone, on the host. It is kept with the batch under its name, and must
// not refer to the batch, which it would keep alive.
func planned[T any](e *Engine, b *graph.Batch, name string, build func() T) T {
	entry := e.batches.of(b)
	entry.mu.Lock()
	kept, there := entry.plans[name]
	entry.mu.Unlock()
	if there {
		return kept.(T)
	}
	made := build()
	entry.mu.Lock()
	defer entry.mu.Unlock()
	entry.plans[name] = made
	return made
}

// hold returns an array with one more holder of its block, if the array is there.
func (d *resident) hold(name string) (kept part, there bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	kept, there = d.parts[name]
	return kept.retained(), there
}

// keep adds an array, unless one is there already, and returns the one that stays, with one more holder of its block.
// That is added under the lock: after it the batches may drop theirs, and the block would go back to the pool.
func (d *resident) keep(name string, made part) (kept part, there bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if kept, there = d.parts[name]; there {
		return kept.retained(), true
	}
	if d.gone {
		return made, false
	}
	d.parts[name] = made
	return made.retained(), false
}

// retained adds a holder of the block, if there is one.
func (p part) retained() part {
	if p.block != nil {
		p.block.retain()
	}
	return p
}

// adopt holds an array for an operation, which takes over one holder.
func adopt[T element](k *op, p part) pointer[T] {
	if p.block == nil {
		return pointer[T]{}
	}
	k.touch(p.block)
	k.bytes += int64(p.bytes)
	return pointer[T]{p.address}
}

// settle uploads a slice to stay, with one holder.
func settle[T element](k *op, s []T) (made part, err error) {
	if s == nil {
		return made, nil
	}
	data := bytesOf(s)
	made.bytes = len(data)
	made.block, made.address, err = k.e.upload(len(data), func(dst []byte, from int) { copy(dst, data[from:]) })
	return made, err
}

// deviceBatch is a batch on the device.
type deviceBatch struct {
	vertices, arcs, graphs int
	offsets                pointer[int32] // graphs+1
	rowPtr                 pointer[int32] // vertices+1
	col                    pointer[int32] // arcs
	graphOf                pointer[int32] // graph of each vertex
	labels                 pointer[int32] // of each vertex; null where there are none
}

// batch returns a batch on the device.
func (k *op) batch(b *graph.Batch) deviceBatch {
	return deviceBatch{
		vertices: b.NumVertices(), arcs: b.NumArcs(), graphs: b.NumGraphs(),
		offsets: derived(k, b, "offsets", func() []int32 { return b.Offsets }),
		rowPtr:  derived(k, b, "row pointers", func() []int32 { return b.RowPtr }),
		col:     derived(k, b, "columns", func() []int32 { return b.Col }),
		graphOf: derived(k, b, "graph of each vertex", func() []int32 { return graphOf(b) }),
		labels:  derived(k, b, "labels", func() []int32 { return b.Labels }),
	}
}

func graphOf(b *graph.Batch) []int32 {
	of := make([]int32, b.NumVertices())
	for g := range b.NumGraphs() {
		from, to := b.Vertices(g)
		for v := from; v < to; v++ {
			of[v] = int32(g)
		}
	}
	return of
}

// arcWeights returns the weights of the arcs of a batch, null where they are all one.
func arcWeights[T real](k *op, b *graph.Batch) pointer[T] {
	name := "arc weights in single precision"
	if size[T]() == 8 {
		name = "arc weights"
	}
	return derived(k, b, name, func() []T { return rounded[T](b.ArcWeights) })
}

func rounded[T real](s []float64) []T {
	if s == nil {
		return nil
	}
	out := make([]T, len(s))
	for i, x := range s {
		out[i] = T(x)
	}
	return out
}

// deviceSparse is a sparse matrix on the device.
type deviceSparse[T real] struct {
	rows, cols, entries int
	rowPtr, col         pointer[int32]
	values              pointer[T]     // null: ones
	keepRows, keepCols  pointer[uint8] // null: all
}

// sparse returns a sparse matrix on the device. The arcs of a batch and their weights are uploaded once.
func sparse[T real](k *op, a *engine.Sparse) deviceSparse[T] {
	d := deviceSparse[T]{rows: max(len(a.RowPtr)-1, 0), cols: a.Cols, entries: len(a.Col)}
	if b := a.Batch; b != nil {
		on := k.batch(b)
		d.rowPtr, d.col = on.rowPtr, on.col
		if len(a.Values) > 0 && len(b.ArcWeights) > 0 && &a.Values[0] == &b.ArcWeights[0] {
			d.values = arcWeights[T](k, b)
		} else {
			d.values = uploadAs[T](k, a.Values)
		}
	} else {
		d.rowPtr, d.col, d.values = upload(k, a.RowPtr), upload(k, a.Col), uploadAs[T](k, a.Values)
	}
	d.keepRows, d.keepCols = uploadBools(k, a.KeepRows), uploadBools(k, a.KeepCols)
	return d
}
