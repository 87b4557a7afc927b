package svm

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gorgonia.org/tensor"
)

// KernelRegressor is a trained epsilon-SVR.
type KernelRegressor struct {
	C       float64 `json:"c"`
	Epsilon float64 `json:"epsilon"`
	Expansion
}

// FitKernelRegressor solves, for every C of an ascending grid,
//
//	min over w, b of 1/2 |w|^2 + C sum_i max(0, |<w, phi(x_i)> + b - y_i| - epsilon),
//
// where phi is the feature map of the kernel, each from the solution for the C before it: LIBSVM's
// formulation (Chang and Lin, LIBSVM, section 2.4). Its dual objective is 1/2 c'K c - y'c + epsilon sum |c|.
//
// y holds a target for each of the N objects of the kernel; rows selects the objects to train on, nil means
// all. The result has one machine for every C. Errors name a number of targets that is not N, a target
// that is not finite, a row out of range, a grid that is not positive and ascending, a negative epsilon,
// too many steps, and a cancelled context.
func FitKernelRegressor(
	ctx context.Context, k Kernel, rows []int, y, grid []float64, epsilon float64, o KernelOptions,
) ([]*KernelRegressor, error) {
	if len(y) != k.Len() {
		return nil, fmt.Errorf("%d targets for a kernel of %d objects: give each object its target", len(y), k.Len())
	}
	rows, err := checkRows(k.Len(), rows)
	if err != nil {
		return nil, err
	}
	if err := checkGrid(grid); err != nil {
		return nil, err
	}
	if !(epsilon >= 0) || math.IsInf(epsilon, 0) {
		return nil, fmt.Errorf("epsilon is %g: give a number from 0 on", epsilon)
	}
	d := dual{kernel: k}
	for _, r := range rows {
		if !finite(y[r]) {
			return nil, fmt.Errorf("the target of object %d is %g: leave it out", r, y[r])
		}
		d.add(r, epsilon-y[r], 0, 1)
	}
	for _, r := range rows {
		d.add(r, -epsilon-y[r], -1, 0)
	}
	expansions, err := d.path(ctx, grid, o.withDefaults(len(rows)))
	if err != nil {
		return nil, err
	}
	out := make([]*KernelRegressor, len(grid))
	for g, c := range grid {
		out[g] = &KernelRegressor{C: c, Epsilon: epsilon, Expansion: expansions[g]}
	}
	return out, nil
}

// Check returns an error where the parts do not fit each other, as they may in a file.
func (m *KernelRegressor) Check() error {
	if err := checkC(m.C); err != nil {
		return err
	}
	if !(m.Epsilon >= 0) || math.IsInf(m.Epsilon, 0) {
		return fmt.Errorf("epsilon of the model is %g: want a number from 0 on", m.Epsilon)
	}
	if err := m.check(m.C); err != nil {
		return fmt.Errorf("the model: %w", err)
	}
	return nil
}

// Support returns the objects that the machine depends on, ascending.
func (m *KernelRegressor) Support() []int { return slices.Clone(m.Objects) }

// OnSupport returns the machine for kernel values whose column s belongs to object Support()[s], in place
// of a column for every object that it was trained among.
func (m *KernelRegressor) OnSupport() *KernelRegressor {
	out := *m
	renumber([]*Expansion{&out.Expansion})
	return &out
}

// Predict returns the value for each row of kernel values, see [KernelClassifier.Decisions].
func (m *KernelRegressor) Predict(k *tensor.Dense) ([]float64, error) {
	decisions, err := decisionsOf(k, []*Expansion{&m.Expansion})
	if err != nil {
		return nil, err
	}
	return decisions.Float64s(), nil
}

// PredictObjects returns the values for objects of the kernel itself.
func (m *KernelRegressor) PredictObjects(k Kernel, objects []int) ([]float64, error) {
	return objectDecisions(k, objects, []*Expansion{&m.Expansion})
}
