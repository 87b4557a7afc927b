package modeltest

// Promise says how far a family keeps a law. The zero Promise is that it holds to the last bit.
type Promise struct {
	Tolerance float64 // of decision values, probabilities and values, as a share of the largest
	Fails     bool    // it does not hold
	Reason    string  // of either
}

// law is a check of a kind of models.
type law struct{ kind, check string }

// Reasons that several families share.
const (
	sumsReordered = "floating point sums are taken in another order"
	drawnByPlace  = "what is drawn at random is drawn by the place of a vertex or graph in the data"
	stepsReorder  = "the graphs of a step of the training are drawn by their place in the data"
)

// promises are what families keep of the laws where it is not the last bit.
func promises() map[law]Promise {
	return map[law]Promise{}
}

// PromiseOf returns what the families of a kind promise of a check.
func PromiseOf(kind, check string) Promise { return promises()[law{kind, check}] }
