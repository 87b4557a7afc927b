package engine

import (
	"gorgonia.org/tensor"
)

// NormalizeRowsGrad implements [Engine].
func (Reference) NormalizeRowsGrad(xGrad, unitGrad, normGrad, unit, norms *tensor.Dense, eps float64) error {
	if err := CheckNormalizeRowsGrad(xGrad, unitGrad, normGrad, unit, norms, eps); err != nil {
		return err
	}
	n, d := unit.Shape()[0], unit.Shape()[1]
	u, norm, g, h := values(unit), values(norms), values(unitGrad), make([]float64, n)
	if normGrad != nil {
		h = values(normGrad)
	}
	out := make([]float64, n*d)
	for r := range n {
		inner := 0.0
		for i := r * d; i < (r+1)*d; i++ {
			inner += u[i] * g[i]
		}
		for i := r * d; i < (r+1)*d; i++ {
			switch {
			case norm[r] >= eps:
				out[i] = (g[i]-u[i]*inner)/norm[r] + h[r]*u[i]
			case norm[r] > 0:
				out[i] = g[i]/eps + h[r]*u[i]*eps/norm[r]
			default:
				out[i] = g[i] / eps
			}
		}
	}
	store(xGrad, out)
	return nil
}

// SegmentReduceGrad implements [Engine].
func (Reference) SegmentReduceGrad(xGrad, outGrad, x *tensor.Dense, s Segments, pool Pooling) error {
	if err := CheckSegmentReduceGrad(xGrad, outGrad, x, s, pool); err != nil {
		return err
	}
	q := x.Shape()[1]
	xv, g := values(x), values(outGrad)
	out, shares := make([]float64, len(xv)), s.Shares(pool)
	for seg := range len(s.Offsets) - 1 {
		from, to := s.Offsets[seg], s.Offsets[seg+1]
		for f := range q {
			gradient := g[seg*q+f]
			if pool == Max {
				best := -1
				for i := from; i < to; i++ {
					if r := s.row(i); best < 0 || xv[r*q+f] > xv[best*q+f] {
						best = r
					}
				}
				if best >= 0 {
					out[best*q+f] += gradient
				}
				continue
			}
			for i := from; i < to; i++ {
				share := 1.0
				if shares != nil {
					share = shares[i]
				}
				out[s.row(i)*q+f] += share * gradient
			}
		}
	}
	store(xGrad, out)
	return nil
}

// OutputLoss implements [Engine].
func (Reference) OutputLoss(loss, grad, x, y *tensor.Dense, kind Loss, weights []float64) error {
	if err := CheckOutputLoss(loss, grad, x, y, kind, weights); err != nil {
		return err
	}
	n, c := x.Shape()[0], x.Shape()[1]
	xv, yv := values(x), values(y)
	losses, slopes := make([]float64, n), make([]float64, n*c)
	for i := range xv {
		l, slope := kind.of(xv[i], yv[i])
		losses[i/c] += l
		slopes[i] = slope
	}
	storeLosses(loss, grad, losses, slopes, weights)
	return nil
}

// Linear implements [Engine].
func (Reference) Linear(y, x, weight, bias *tensor.Dense) error {
	if err := CheckLinear(y, x, weight, bias); err != nil {
		return err
	}
	n, outputs, d := x.Shape()[0], weight.Shape()[0], x.Shape()[1]
	xv, w, b, out := values(x), values(weight), make([]float64, outputs), make([]float64, 0, n*outputs)
	if bias != nil {
		b = values(bias)
	}
	for i := range n {
		for o := range outputs {
			sum := b[o]
			for k := range d {
				sum += xv[i*d+k] * w[o*d+k]
			}
			out = append(out, sum)
		}
	}
	store(y, out)
	return nil
}
