package autodiff

import (
	"fmt"

	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// training is what an engine computes for training beside the interface of all engines.
type training interface {
	NormalizeRowsGrad(xGrad, unitGrad, normGrad, unit, norms *tensor.Dense, eps float64) error
	SegmentReduceGrad(xGrad, outGrad, x *tensor.Dense, s engine.Segments, pool engine.Pooling) error
	OutputLoss(loss, grad, x, y *tensor.Dense, kind engine.Loss) error
}

// trainingOf returns the operations of training: the engine's own, or the host's where it has none.
func trainingOf(e engine.Engine) training {
	if t, ok := e.(training); ok {
		return t
	}
	return onHost{e}
}

// onHost computes for a device on the host.
type onHost struct{ engine.Engine }

// call downloads in (nil tensors stay nil), makes outputs on the host, runs body and uploads the outputs.
func (h onHost) call(out, in []*tensor.Dense, body func(e training, out, in []*tensor.Dense) error) error {
	host := engine.Host(h.Engine)
	e, ok := host.(training)
	if !ok {
		return fmt.Errorf("engine %s cannot train", host)
	}
	outputs, inputs := make([]*tensor.Dense, len(out)), make([]*tensor.Dense, len(in))
	for i, t := range in {
		if t == nil {
			continue
		}
		var err error
		if inputs[i], err = engine.ToHost(t); err != nil {
			return err
		}
	}
	for i, t := range out {
		if t != nil {
			outputs[i] = engine.New(host, t.Dtype(), t.Shape()...)
		}
	}
	if err := body(e, outputs, inputs); err != nil {
		return err
	}
	for i, t := range out {
		if t == nil {
			continue
		}
		if err := h.Convert(t, outputs[i]); err != nil {
			return err
		}
	}
	return nil
}

func (h onHost) NormalizeRowsGrad(xGrad, unitGrad, normGrad, unit, norms *tensor.Dense, eps float64) error {
	return h.call([]*tensor.Dense{xGrad}, []*tensor.Dense{unitGrad, normGrad, unit, norms}, func(e training, out, in []*tensor.Dense) error {
		return e.NormalizeRowsGrad(out[0], in[0], in[1], in[2], in[3], eps)
	})
}

func (h onHost) SegmentReduceGrad(xGrad, outGrad, x *tensor.Dense, s engine.Segments, pool engine.Pooling) error {
	return h.call([]*tensor.Dense{xGrad}, []*tensor.Dense{outGrad, x}, func(e training, out, in []*tensor.Dense) error {
		return e.SegmentReduceGrad(out[0], in[0], in[1], s, pool)
	})
}

func (h onHost) OutputLoss(loss, grad, x, y *tensor.Dense, kind engine.Loss) error {
	return h.call([]*tensor.Dense{loss, grad}, []*tensor.Dense{x, y}, func(e training, out, in []*tensor.Dense) error {
		return e.OutputLoss(out[0], out[1], in[0], in[1], kind)
	})
}
