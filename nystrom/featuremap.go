package nystrom

import (
	"fmt"
	"math"

	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// FeatureMap is the low-rank feature map of a kernel with m landmarks z: the features of x are
// phi(x) = (k(x, z_1), ..., k(x, z_m)) K_mm^(-1/2), so that <phi(x), phi(y)> approximates k(x, y), exactly
// where x or y is a landmark and the regularisation is zero (Williams and Seeger, NIPS 2001).
type FeatureMap struct {
	Projection *tensor.Dense // m x m, Float64: the regularised K_mm^(-1/2)
}

// FitFeatureMap builds the feature map from the kernel matrix of the landmarks, m x m, Float32 or Float64.
// eps > 0 and the rule regularise the inverse square root, see [engine.InvSqrtRule]: repeated landmarks
// are harmless. It returns an error for a matrix that is not square, symmetric and finite.
func FitFeatureMap(
	eng engine.Engine, landmarks *tensor.Dense, eps float64, rule engine.InvSqrtRule,
) (*FeatureMap, error) {
	shape := landmarks.Shape()
	if len(shape) != 2 || shape[0] != shape[1] {
		return nil, fmt.Errorf("kernel matrix of the landmarks has shape %v: it must be square", shape)
	}
	if !(eps > 0) {
		return nil, fmt.Errorf("regularisation %g of the landmarks' kernel matrix: must be positive", eps)
	}
	eng = engine.Host(eng)
	m := shape[0]
	projection := engine.New(eng, tensor.Float64, 1, m, m)
	if m > 0 {
		if err := eng.Convert(projection, landmarks); err != nil {
			return nil, err
		}
	}
	if err := checkSymmetric(projection.Float64s(), m); err != nil {
		return nil, err
	}
	if err := eng.InvSqrt(projection, nil, projection, eps, rule); err != nil {
		return nil, err
	}
	if err := projection.Reshape(m, m); err != nil {
		return nil, err
	}
	return &FeatureMap{Projection: projection}, nil
}

func checkSymmetric(k []float64, m int) error {
	scale := 0.0
	for i, v := range k {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("kernel matrix of the landmarks: entry (%d, %d) is %g", i/m, i%m, v)
		}
		scale = max(scale, math.Abs(v))
	}
	for i := range m {
		for j := range i {
			if math.Abs(k[i*m+j]-k[j*m+i]) > 1e-5*scale {
				return fmt.Errorf("kernel matrix of the landmarks is not symmetric: entries (%d, %d) and (%d, %d) are %g and %g",
					i, j, j, i, k[i*m+j], k[j*m+i])
			}
		}
	}
	return nil
}

// Landmarks returns the number of landmarks, which is the number of features.
func (f *FeatureMap) Landmarks() int { return f.Projection.Shape()[0] }

// Transform returns the features K_nm K_mm^(-1/2) of n points, n x m, from their kernel values with
// the landmarks, n x m, in the dtype of the latter.
func (f *FeatureMap) Transform(eng engine.Engine, kernel *tensor.Dense) (*tensor.Dense, error) {
	m := f.Landmarks()
	if kernel.Dims() != 2 || kernel.Shape()[1] != m {
		return nil, fmt.Errorf("kernel values of shape %v: want a row for each point and %d columns, one for each landmark",
			kernel.Shape(), m)
	}
	kernel, err := engine.FromHost(eng, kernel)
	if err != nil {
		return nil, err
	}
	projection := engine.New(eng, kernel.Dtype(), m, m)
	if err := eng.Convert(projection, f.Projection); err != nil {
		return nil, err
	}
	features := engine.New(eng, kernel.Dtype(), kernel.Shape()[0], m)
	if err := eng.MatMul(features, kernel, projection, engine.MatMul{Alpha: 1}); err != nil {
		return nil, err
	}
	return features, nil
}
