//go:build gpu

package cuda

// Counts are what an engine has asked of the driver, and what its kernels had to do at least. They are the same on
// a simulated GPU as on a real one with as many multiprocessors, where neither has cuBLAS.
type Counts struct {
	Submissions int64 // calls that hand kernels to the driver
	Launches    int64 // kernels; a product by cuBLAS is one, whatever it launches
	Clears      int64 // runs of memory set to zero
	Moves       int64 // copies within the device

	Uploads, UploadBytes     int64 // copies from host memory
	Downloads, DownloadBytes int64 // copies to host memory

	Handovers int64 // tasks for the context's thread, for each of which a caller waits
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

// counter counts on the context's thread.
type counter struct {
	Counts
	exponentials bool           // are counted too
	kernels      []KernelCounts // as those of the engine
	blas         KernelCounts
	next         Arithmetic // of the next launch
}

// Counts returns what the engine has asked of the driver since it was opened. Exponentials are counted from the first
// call on, because that costs the host time.
func (e *Engine) Counts() (Counts, error) {
	c := Counts{}
	err := e.do("counting", func() error {
		e.thread.handovers-- // this one
		c, e.counter.exponentials = e.counter.Counts, true
		c.Handovers, c.Waits = e.thread.handovers, e.compute.waits+e.copies.waits
		c.Kernels = make(map[string]KernelCounts)
		for i, k := range e.counter.kernels {
			if k.Launches > 0 {
				c.Kernels[e.kernels[i].name] = k
			}
		}
		if e.counter.blas.Launches > 0 {
			c.Kernels["cuBLAS"] = e.counter.blas
		}
		return nil
	})
	return c, err
}

// launched counts a kernel.
func (c *counter) launched(k *KernelCounts, g grid) {
	c.Submissions++
	c.Launches++
	k.Launches++
	k.Blocks += int64(g.blocks.x) * int64(max(g.blocks.y, 1)) * int64(max(g.blocks.z, 1))
	k.Arithmetic.add(c.next)
	c.next = Arithmetic{}
}

func (c *counter) uploaded(bytes int) {
	c.Uploads++
	c.UploadBytes += int64(bytes)
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
