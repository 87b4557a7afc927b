package engine

import (
	"fmt"

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
	c.that(same, "%s has shape %v, want %v", name, got, want)
}

// dims wants t to have n dimensions.
func (c *checks) dims(name string, t *tensor.Dense, n int) bool {
	c.that(t != nil && t.Dims() == n, "%s must have %d dimensions", name, n)
	return c.err == nil
}

// float wants all tensors to share the dtype Float32 or Float64; nil ones are left out.
func (c *checks) float(tensors ...*tensor.Dense) {
	for _, t := range tensors {
		if t == nil {
			continue
		}
		c.that(t.Dtype() == tensor.Float32 || t.Dtype() == tensor.Float64, "dtype %v, want float32 or float64", t.Dtype())
		c.that(t.Dtype() == tensors[0].Dtype(), "dtypes %v and %v in one call", tensors[0].Dtype(), t.Dtype())
	}
}
