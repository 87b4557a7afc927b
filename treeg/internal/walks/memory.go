package walks

// Memory is where the numbers of a batch lie while it is predicted. Predictions of a model use it one after another, so
// that they leave little to collect.
type Memory struct {
	numbers []float64
	used    int
	wanted  int // more than there are, if numbers were too few
}

// zeros returns n zeros. A nil memory makes them anew.
func (m *Memory) zeros(n int) []float64 {
	if m == nil {
		return make([]float64, n)
	}
	m.wanted += n
	if len(m.numbers)-m.used < n {
		return make([]float64, n)
	}
	x := m.numbers[m.used : m.used+n : m.used+n]
	m.used += n
	clear(x)
	return x
}

// Reset takes all numbers back. Nobody may use them any more.
func (m *Memory) Reset() {
	if m.wanted > len(m.numbers) {
		m.numbers = make([]float64, m.wanted)
	}
	m.used, m.wanted = 0, 0
}
