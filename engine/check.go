package engine

import (
	"fmt"
	"slices"

	"gorgonia.org/tensor"
)

// checks collects the first mismatch of an operation's arguments.
type checks struct {
	op  string
	err error
}

func (c *checks) that(ok bool, format string, args ...any) {
	if !ok && c.err == nil {
		c.err = fmt.Errorf("%s: %s", c.op, fmt.Sprintf(format, args...))
	}
}

// shape wants t to have the given shape; nil tensors fail.
func (c *checks) shape(name string, t *tensor.Dense, want ...int) {
	if t == nil {
		c.that(false, "%s is nil", name)
		return
	}
	got := t.Shape()
	same := len(got) == len(want)
	for i := 0; same && i < len(want); i++ {
		same = got[i] == want[i]
	}
	if !same { // the arguments of a message live on the heap
		c.that(false, "%s has shape %v, want %v", name, got, slices.Clone(want))
	}
}

// optional wants t to have the given shape unless it is nil.
func (c *checks) optional(name string, t *tensor.Dense, want ...int) {
	if t != nil {
		c.shape(name, t, want...)
	}
}

// dims wants t to have n dimensions.
func (c *checks) dims(name string, t *tensor.Dense, n int) bool {
	if t == nil || t.Dims() != n {
		c.that(false, "%s must have %d dimensions", name, n)
	}
	return c.err == nil
}

// float wants all tensors to share the dtype Float32 or Float64; nil ones are left out.
func (c *checks) float(tensors ...*tensor.Dense) {
	for _, t := range tensors {
		if t == nil {
			continue
		}
		switch dtype := t.Dtype(); {
		case dtype != tensor.Float32 && dtype != tensor.Float64:
			c.that(false, "dtype %v, want float32 or float64", dtype)
		case dtype != tensors[0].Dtype():
			c.that(false, "dtypes %v and %v in one call", tensors[0].Dtype(), dtype)
		}
	}
}
