package treeg

// First returns the model of the first rounds of boosting, or of the first trees of a forest: all of them where it
// has fewer. Without early stopping, and with the [Newton] scheme, it is the model that a fit of so many estimators
// gives, so that one fit serves a search for their number. It panics unless rounds is positive.
func (m *Model) First(rounds int) *Model {
	if rounds < 1 {
		panic("treeg: a model of no rounds")
	}
	opt := m.opt
	opt.Estimators = min(rounds, opt.Estimators)
	return &Model{
		engine: m.engine, opt: opt, input: m.input, loss: m.loss, number: m.number, absent: m.absent,
		start: m.start, first: m.first, trees: m.trees[:min(rounds, len(m.trees))],
	}
}
