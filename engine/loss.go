package engine

import (
	"fmt"
	"math"
)

// Loss is a loss that is a sum over the outputs of an item.
type Loss int

// The losses of one output x with the target y.
const (
	SquaredLoss  Loss = iota // 1/2 (x - y)^2
	LogisticLoss             // log(1 + exp(x)) - y x, 0 <= y <= 1: cross-entropy of the logit x
	SquaredHinge             // 1/2 max(0, 1 - y x)^2, y = +1 or -1
)

var lossNames = [...]string{"squared", "logistic", "squared hinge"}

func (l Loss) String() string {
	if l < 0 || int(l) >= len(lossNames) {
		return fmt.Sprintf("unknown loss %d", int(l))
	}
	return lossNames[l]
}

// of returns the loss and its derivative with respect to x.
func (l Loss) of(x, y float64) (loss, slope float64) {
	switch l {
	case SquaredLoss:
		return (x - y) * (x - y) / 2, x - y
	case LogisticLoss:
		// log(1 + exp(x)) = max(x, 0) + log(1 + exp(-|x|)) cannot overflow.
		small := math.Exp(-math.Abs(x))
		sigmoid := 1 / (1 + small)
		if x < 0 {
			sigmoid = small / (1 + small)
		}
		return max(x, 0) + math.Log1p(small) - y*x, sigmoid - y
	}
	margin := max(0, 1-y*x)
	return margin * margin / 2, -y * margin
}
