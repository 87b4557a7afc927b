package treeg

import "math"

// objective is the arithmetic of a loss of boosting: of one output, y its target and score the current score F.
type objective interface {
	// start returns the best constant score for targets y.
	start(y []float64) float64
	// residual returns the negative gradient of the loss of an example whose scores are given, for output k.
	residual(y float64, scores []float64, k int) float64
	// step returns the value of a leaf: a Newton step from the residuals of its examples.
	step(residuals []float64) float64
	// loss returns the mean loss of examples, targets and scores for all outputs one after another.
	loss(y, scores []float64, outputs int) float64
}

// mean is the leaf value of the reference scheme, and the Newton step of the squared loss.
func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	if len(x) == 0 {
		return 0
	}
	return sum / float64(len(x))
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// squared is (y - F)^2 / 2.
type squared struct{}

func (squared) start(y []float64) float64 { return mean(y) }

func (squared) residual(y float64, scores []float64, k int) float64 { return y - scores[k] }

func (squared) step(residuals []float64) float64 { return mean(residuals) }

func (squared) loss(y, scores []float64, _ int) float64 {
	sum := 0.0
	for i, v := range y {
		sum += float64((v - scores[i]) * (v - scores[i]))
	}
	return sum / float64(len(y))
}

// logistic is the negative log likelihood of y in {0, 1} with log-odds F, of every output by itself.
type logistic struct{}

// start returns the log-odds; a class that is never or always there counts as half an example more.
func (logistic) start(y []float64) float64 {
	ones := 0.0
	for _, v := range y {
		ones += v
	}
	return math.Log(max(ones, 0.5) / max(float64(len(y))-ones, 0.5))
}

func (logistic) residual(y float64, scores []float64, k int) float64 { return y - sigmoid(scores[k]) }

// step is sum r / sum p (1 - p), where |r| is p or 1 - p.
func (logistic) step(residuals []float64) float64 {
	sum, curvature := 0.0, 0.0
	for _, r := range residuals {
		sum += r
		curvature += float64(math.Abs(r) * (1 - math.Abs(r)))
	}
	if curvature < 1e-150 {
		return 0
	}
	return min(max(sum/curvature, -largestStep), largestStep)
}

// largestStep bounds the log-odds in a leaf. Only examples whose probability is wrong by 1 to the last bit give more.
const largestStep = 1 << 53

func (logistic) loss(y, scores []float64, outputs int) float64 {
	sum := 0.0
	for i, v := range y {
		f := scores[i]
		// log(1 + e^F) - y F without overflow
		sum += max(f, 0) + math.Log1p(math.Exp(-math.Abs(f))) - float64(v*f)
	}
	return sum * float64(outputs) / float64(len(y))
}

// softmax is the cross-entropy of classes with a score each.
type softmax struct{ classes int }

func (softmax) start(y []float64) float64 {
	return math.Log(max(mean(y), 0.5/float64(max(len(y), 1))))
}

func (softmax) residual(y float64, scores []float64, k int) float64 {
	return y - math.Exp(scores[k]-logSumExp(scores))
}

// step is (K-1)/K sum r / sum |r| (1 - |r|) (Friedman 2001, Algorithm 6).
func (s softmax) step(residuals []float64) float64 {
	return logistic{}.step(residuals) * float64(s.classes-1) / float64(s.classes)
}

func (softmax) loss(y, scores []float64, outputs int) float64 {
	sum := 0.0
	for i := 0; i < len(y); i += outputs {
		all := logSumExp(scores[i : i+outputs])
		for k := range outputs {
			sum += float64(y[i+k] * (all - scores[i+k]))
		}
	}
	return sum * float64(outputs) / float64(len(y))
}

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

// objective returns the arithmetic of a loss.
func (l Loss) objective(classes int) objective {
	switch l {
	case Squared:
		return squared{}
	case Softmax:
		return softmax{classes}
	}
	return logistic{}
}
