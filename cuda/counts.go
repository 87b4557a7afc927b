//go:build gpu

package cuda

import "slices"

// Counts are what an engine has asked of the driver, and what its kernels had to do at least. They are the same on
// a simulated GPU as on a real one with as many multiprocessors, where neither has cuBLAS.
type Counts struct {
	Submissions int64 // calls that hand kernels to the driver: one kernel, or a graph
	Launches    int64 // kernels; a product by cuBLAS is one, whatever it launches
	Clears      int64 // calls that set memory to zero
	Moves       int64 // calls that copy within the device
	Nodes       int64 // of the graphs: kernels, clears and moves that have no call of their own
	Updates     int64 // of nodes whose addresses or numbers were others before

	Uploads, UploadBytes     int64 // copies from host memory
	Downloads, DownloadBytes int64 // copies to host memory

	Handovers int64 // tasks for the context's thread
	Waits     int64 // for the device to reach a point, on that thread

	OperandBytes int64 // tensors and arrays of the operations, once each, and what they keep between kernels twice
	Kernels      map[string]KernelCounts
}

// KernelCounts are those of one kernel.
type KernelCounts struct {
	Launches, Blocks int64
	Arithmetic
}

// Arithmetic is what the threads of a kernel evaluate, as far as it is counted: exponentials exactly, those of lanes
// beyond the last filter included; of multiply-adds, which count as two operations, those of products; and the values
// of columns that are searched for splits.
type Arithmetic struct {
	Exponentials32, Exponentials64 int64
	Operations32, Operations64     int64
	Values                         int64
}

func (a *Arithmetic) add(b Arithmetic) {
	a.Exponentials32 += b.Exponentials32
	a.Exponentials64 += b.Exponentials64
	a.Operations32 += b.Operations32
	a.Operations64 += b.Operations64
	a.Values += b.Values
}

// counter counts what is enqueued, while the queue is locked.
type counter struct {
	Counts
	exponentials bool           // are counted too
	kernels      []KernelCounts // as those of the engine
	blas         KernelCounts
	next         Arithmetic // of the next launch
}

// performed counts on the context's thread.
type performed struct {
	submissions, clears, moves, nodes, updates, uploads, uploadBytes, waits int64

	joined []int64 // launches of each kernel that went with one of another lane
}

// Counts returns what the engine has asked of the driver since it was opened. Exponentials are counted from the first
// call on, because that costs the host time.
func (e *Engine) Counts() (Counts, error) {
	var c Counts
	var p performed
	err := e.do("counting", func() error {
		p = e.performed
		p.joined = slices.Clone(p.joined)
		p.waits = e.compute.waits + e.copies.waits
		return nil
	})
	if err != nil {
		return c, err
	}
	e.queue.mu.Lock()
	e.counter.Handovers-- // this one
	e.queue.mu.Unlock()
	all := counter{kernels: make([]KernelCounts, len(e.kernels))}
	for _, l := range e.lanes.all() {
		l.queue.mu.Lock()
		all.add(&l.counter)
		l.counter.exponentials = true
		l.queue.mu.Unlock()
	}
	e.lanes.mu.Lock()
	all.add(&e.lanes.ended)
	e.lanes.mu.Unlock()
	c = all.Counts
	c.Submissions, c.Clears, c.Moves, c.Nodes, c.Updates = p.submissions, p.clears, p.moves, p.nodes, p.updates
	c.Uploads, c.UploadBytes, c.Waits = p.uploads, p.uploadBytes, p.waits
	c.Kernels = make(map[string]KernelCounts)
	for i, k := range all.kernels {
		k.Launches -= p.joined[i]
		c.Launches -= p.joined[i]
		if k.Launches > 0 {
			c.Kernels[e.kernels[i].name] = k
		}
	}
	if all.blas.Launches > 0 {
		c.Kernels["cuBLAS"] = all.blas
	}
	return c, nil
}

// add adds what another lane has counted.
func (c *counter) add(o *counter) {
	c.Launches += o.Launches
	c.Downloads += o.Downloads
	c.DownloadBytes += o.DownloadBytes
	c.Handovers += o.Handovers
	c.OperandBytes += o.OperandBytes
	c.blas.add(o.blas)
	if missing := len(o.kernels) - len(c.kernels); missing > 0 {
		c.kernels = append(c.kernels, make([]KernelCounts, missing)...)
	}
	for i, k := range o.kernels {
		c.kernels[i].add(k)
	}
}

func (k *KernelCounts) add(o KernelCounts) {
	k.Launches += o.Launches
	k.Blocks += o.Blocks
	k.Arithmetic.add(o.Arithmetic)
}

// launched counts a kernel.
func (c *counter) launched(k *KernelCounts, g grid) {
	c.Launches++
	k.Launches++
	k.Blocks += int64(g.blocks.x) * int64(max(g.blocks.y, 1)) * int64(max(g.blocks.z, 1))
	k.Arithmetic.add(c.next)
	c.next = Arithmetic{}
}

func (c *counter) downloaded(bytes int) {
	c.Downloads++
	c.DownloadBytes += int64(bytes)
}

// exponentials tells how many exponentials the next launch evaluates in T, if that is counted.
func exponentials[T real](s *stream, number func() int) {
	c := &s.engine.counter
	switch {
	case !c.exponentials:
	case size[T]() == 4:
		c.next.Exponentials32 += int64(number())
	default:
		c.next.Exponentials64 += int64(number())
	}
}

// operations tells how many operations the next launch does in T: a multiply-add is two.
func operations[T real](s *stream, factors ...int) {
	product := int64(1)
	for _, f := range factors {
		product *= int64(f)
	}
	if size[T]() == 4 {
		s.engine.counter.next.Operations32 += product
	} else {
		s.engine.counter.next.Operations64 += product
	}
}
