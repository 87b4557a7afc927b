package eval

import "time"

// Outcome is the outcome of a protocol. Accuracies are fractions.
type Outcome struct {
	Protocol string // in one line; it says where the figure is optimistic

	// Mean is the mean accuracy over the folds. Std is the population standard deviation over the
	// folds, or, with several repeats, over the means of the repeats.
	Mean, Std float64
	Folds     []float64 // accuracy on the test part of every fold

	Chosen []Choice // published: one for all folds; nested: one for every fold
	Curves []Curve  // published: one for every setting

	// Time spent in Setting.Represent and on standardising, training and testing classifiers, added
	// over goroutines.
	Represent, Select time.Duration
}

// Choice is a chosen setting with its C.
type Choice struct {
	Setting  int    // index in Problem.Settings
	Name     string // of the setting
	C        float64
	Accuracy float64 // that it was chosen for: the mean over the (inner) folds
}

// Curve holds mean and standard deviation of the test accuracy over the folds, for every C.
type Curve struct {
	Name string // of the setting
	C    []float64
	Mean []float64
	Std  []float64
}

// outcome fills in what follows from the accuracies of the folds.
func (p *Problem) outcome(protocol string, folds []float64, chosen []Choice, r *run) *Outcome {
	o := &Outcome{Protocol: protocol, Folds: folds, Chosen: chosen, Represent: r.represent, Select: r.classify}
	parts := folds
	if p.Repeats > 1 {
		size := len(folds) / p.Repeats
		parts = make([]float64, p.Repeats)
		for i := range parts {
			parts[i], _ = MeanStd(folds[i*size : (i+1)*size])
		}
	}
	o.Mean, o.Std = MeanStd(parts)
	return o
}

// tie is the difference of mean accuracies that counts as none: the same accuracies added in another
// order may differ by rounding.
const tie = 1e-12

// firstBest returns the position of the largest value; of equal ones the first.
func firstBest(values []float64) int {
	best := 0
	for i, v := range values {
		if v > values[best]+tie {
			best = i
		}
	}
	return best
}
