package eval

// Targets are what is to be predicted of a list of graphs, or what was predicted: a class of each, from
// 0 on, or a number of each. One of the two is nil.
type Targets struct {
	Classes []int
	Values  []float64
}

// Len returns the number of graphs.
func (t Targets) Len() int { return max(len(t.Classes), len(t.Values)) }

// Of returns the targets of the given graphs, in their order.
func (t Targets) Of(graphs []int) Targets {
	if t.Classes != nil {
		return Targets{Classes: pick(t.Classes, graphs)}
	}
	return Targets{Values: pick(t.Values, graphs)}
}

func pick[T any](from []T, items []int) []T {
	out := make([]T, len(items))
	for i, item := range items {
		out[i] = from[item]
	}
	return out
}
