package trees

import "math"

// Loss is what boosting reduces.
type Loss string

// The losses.
const (
	Squared  Loss = "squared"  // of values: sum over the outputs of 1/2 (F - y)^2
	Logistic Loss = "logistic" // of two classes: log(1 + exp(F)) - y F, y 1 for the second
	Softmax  Loss = "softmax"  // of classes: -log softmax(F)_class
)

// never is the score of a class that no example of the training has.
const never = -math.MaxFloat64

// lossOf returns the loss for targets, and the scores from which no constant is better.
func (t *Targets) lossOf(train []int) (Loss, []float64) {
	n := float64(len(train))
	if t.Classes == nil {
		start := make([]float64, t.Outputs)
		for _, i := range train {
			for k := range start {
				start[k] += t.Values[i*t.Outputs+k] / n
			}
		}
		return Squared, start
	}
	count := make([]float64, t.NumClasses)
	for _, i := range train {
		count[t.Classes[i]]++
	}
	if t.NumClasses == 2 && count[0] > 0 && count[1] > 0 {
		return Logistic, []float64{math.Log(count[1] / count[0])}
	}
	for c, m := range count {
		if count[c] = never; m > 0 {
			count[c] = math.Log(m / n)
		}
	}
	return Softmax, count
}

// derivatives writes the first and second derivative of the loss of an example by its scores.
func (l Loss) derivatives(scores, g, h []float64, class int, values []float64) {
	switch l {
	case Squared:
		for k, f := range scores {
			g[k], h[k] = f-values[k], 1
		}
	case Logistic:
		p := sigmoid(scores[0])
		g[0], h[0] = p-float64(class), p*(1-p)
	case Softmax:
		copy(g, scores)
		softmax(g)
		for k, p := range g {
			h[k] = p * (1 - p)
		}
		g[class]--
	}
}

// Probabilities returns what scores of one example say of so many classes.
func (l Loss) Probabilities(scores []float64, classes int) []float64 {
	if l == Logistic {
		p := sigmoid(scores[0])
		return []float64{1 - p, p}
	}
	out := make([]float64, classes)
	copy(out, scores)
	softmax(out)
	return out
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

func softmax(x []float64) {
	largest, sum := x[0], 0.0
	for _, v := range x {
		largest = max(largest, v)
	}
	for k, v := range x {
		x[k] = math.Exp(v - largest)
		sum += x[k]
	}
	for k := range x {
		x[k] /= sum
	}
}
