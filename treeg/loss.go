package treeg

import (
	"math"

	"github.com/grove-graph/grove/engine"
)

// objective is the arithmetic of a loss of boosting.
type objective struct {
	engine.Objective
	classes int
}

// objective returns the arithmetic of a loss.
func (l Loss) objective(classes int) objective {
	switch l {
	case Squared:
		return objective{engine.SquaredObjective, classes}
	case Softmax:
		return objective{engine.SoftmaxObjective, classes}
	}
	return objective{engine.LogisticObjective, classes}
}

// start returns the best constant score for targets y: their mean, or log-odds of it. A class that is never or always
// there counts as half an example more.
func (o objective) start(y []float64) float64 {
	n := float64(len(y))
	sum := engine.Total(len(y), func(i int) float64 { return y[i] })
	switch o.Objective {
	case engine.LogisticObjective:
		return math.Log(max(sum, 0.5) / max(n-sum, 0.5))
	case engine.SoftmaxObjective:
		return math.Log(max(sum/max(n, 1), 0.5/max(n, 1)))
	}
	return sum / n
}

// mean is the leaf value of the reference scheme, and the Newton step of the squared loss, from residuals.
func mean(s *engine.NodeSums) float64 { return s.Sum / s.Weight }

// step returns the value of a leaf: a Newton step from the residuals r of its examples. It is sum r / sum p (1 - p)
// where |r| is p or 1 - p, and (K-1)/K times as much where K scores compete (Friedman 2001, Algorithm 6).
func (o objective) step(s *engine.NodeSums) float64 {
	if o.Objective == engine.SquaredObjective {
		return mean(s)
	}
	if s.Curvature < 1e-150 {
		return 0
	}
	step := min(max(s.Sum/s.Curvature, -largestStep), largestStep)
	if o.Objective == engine.SoftmaxObjective {
		step = step * float64(o.classes-1) / float64(o.classes)
	}
	return step
}

// largestStep bounds the log-odds in a leaf. Only examples whose probability is wrong by 1 to the last bit give more.
const largestStep = 1 << 53

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

func logSumExp(x []float64) float64 {
	most := math.Inf(-1)
	for _, v := range x {
		most = max(most, v)
	}
	sum := 0.0
	for _, v := range x {
		sum += math.Exp(v - most)
	}
	return most + math.Log(sum)
}
