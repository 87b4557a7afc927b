//go:build gpu

package cuda

import (
	"slices"
	"testing"

	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// Operands and results may be transposed or parts of other tensors, as on gorgonia's own engine.
func TestElementsOfViews(t *testing.T) {
	e := opened(t)
	for name, f := range map[string]func(x, y *tensor.Dense) (tensor.Tensor, error){
		"transposed": func(x, y *tensor.Dense) (tensor.Tensor, error) {
			if err := x.T(); err != nil {
				return nil, err
			}
			return tensor.Mul(x, y)
		},
		"columns": func(x, y *tensor.Dense) (tensor.Tensor, error) {
			part, err := x.Slice(nil, tensor.S(1, 3))
			if err != nil {
				return nil, err
			}
			return tensor.Exp(part)
		},
		"columns in place": func(x, y *tensor.Dense) (tensor.Tensor, error) {
			part, err := x.Slice(nil, tensor.S(1, 3))
			if err != nil {
				return nil, err
			}
			_, err = tensor.Add(part, float32(1), tensor.UseUnsafe())
			return x, err
		},
		"rows": func(x, y *tensor.Dense) (tensor.Tensor, error) {
			part, err := x.Slice(tensor.S(1, 3))
			if err != nil {
				return nil, err
			}
			return tensor.Sum(part, 0)
		},
		"concatenation of columns": func(x, y *tensor.Dense) (tensor.Tensor, error) {
			part, err := x.Slice(nil, tensor.S(1, 3))
			if err != nil {
				return nil, err
			}
			return tensor.Concat(1, x, part)
		},
	} {
		t.Run(name, func(t *testing.T) {
			hostX, hostY := onHost(tensor.Float32, 1, 4, 3), onHost(tensor.Float32, 2, 3, 4)
			want, err := f(hostX.Clone().(*tensor.Dense), hostY.Clone().(*tensor.Dense))
			if err != nil {
				t.Fatal(err)
			}
			x, y := e.Mirror(hostX), e.Mirror(hostY)
			if err := e.Convert(x, hostX); err != nil {
				t.Fatal(err)
			}
			if err := e.Convert(y, hostY); err != nil {
				t.Fatal(err)
			}
			got, err := f(x, y)
			if err != nil {
				t.Fatal(err)
			}
			numbers, err := engine.Float64s(got.(*tensor.Dense))
			if err != nil {
				t.Fatal(err)
			}
			at, values := want.Iterator(), want.Data().([]float32) // in the order of the rows, wherever they lie
			for i := range numbers {
				from, err := at.Next()
				if d := numbers[i] - float64(values[from]); err != nil || d > 1e-5 || d < -1e-5 {
					t.Fatalf("element %d is %v, want %v (%v)", i, numbers[i], values[from], err)
				}
			}
		})
	}
}

// What an operation cannot do is an error of one line.
func TestElementsRefuse(t *testing.T) {
	e := opened(t)
	x, y := e.New(tensor.Float32, 4, 3), e.New(tensor.Float32, 3, 4)
	wide, host := e.New(tensor.Float64, 4, 3), onHost(tensor.Float32, 1, 4, 3)
	grown, small := e.Scratch(tensor.Float32, 5), e.New(tensor.Float32, 2)
	e.Release(grown)
	_, err := tensor.Exp(grown)
	oneLine(t, err, "Exp", "released")
	for name, f := range map[string]func() (tensor.Tensor, error){
		"shapes":           func() (tensor.Tensor, error) { return tensor.Add(x, y) },
		"dtypes":           func() (tensor.Tensor, error) { return tensor.Add(x, wide) },
		"a number":         func() (tensor.Tensor, error) { return tensor.Add(x, 1.5) },
		"host memory":      func() (tensor.Tensor, error) { return e.Add(x, host) },
		"a host result":    func() (tensor.Tensor, error) { return tensor.Mul(x, x, tensor.WithReuse(host)) },
		"a small result":   func() (tensor.Tensor, error) { return tensor.Exp(x, tensor.WithReuse(small)) },
		"an axis":          func() (tensor.Tensor, error) { return tensor.Sum(x, 2) },
		"an axis below":    func() (tensor.Tensor, error) { return tensor.SoftMax(x, -3) },
		"no maximum":       func() (tensor.Tensor, error) { return e.Max(e.New(tensor.Float32, 0, 3), 0) },
		"a concatenation":  func() (tensor.Tensor, error) { return tensor.Concat(0, x, y) },
		"a repetition":     func() (tensor.Tensor, error) { return tensor.Repeat(x, 0, 1, 2) },
		"an axis too much": func() (tensor.Tensor, error) { return tensor.Repeat(x, 5, 2) },
		"a function":       func() (tensor.Tensor, error) { return x.Apply(func(s string) string { return s }) },
		"a bound":          func() (tensor.Tensor, error) { return tensor.Clamp(x, 0.5, "one") },
		"a result of a function that adds": func() (tensor.Tensor, error) {
			return x.Apply(func(v float32) float32 { return v }, tensor.WithIncr(e.New(tensor.Float32, 4, 3)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := f()
			oneLine(t, err)
		})
	}
	outside := engine.Layout{First: 1, Strides: []int{3, 1}}
	oneLine(t, e.CopyStrided(x, engine.RowMajor(x.Shape()), x, outside, x.Shape()), "CopyStrided")
	outside = engine.Layout{Strides: []int{-3, 1}}
	oneLine(t, e.CopyStrided(x, engine.RowMajor(x.Shape()), x, outside, x.Shape()), "CopyStrided")
}

// The memory that gorgonia asks for on behalf of a product goes back when nobody has the product any more.
func TestProductsOfGorgoniaGoBack(t *testing.T) {
	e := opened(t)
	x := e.New(tensor.Float32, 64, 64)
	before := e.Stats().InUse
	for range 20 {
		if _, err := tensor.MatMul(x, x); err != nil {
			t.Fatal(err)
		}
		if _, err := tensor.Transpose(x, 1, 0); err != nil {
			t.Fatal(err)
		}
	}
	gone := func() bool { return e.Stats().InUse <= before }
	if collect(gone); !gone() {
		t.Errorf("%d bytes in use, %d before", e.Stats().InUse, before)
	}
	if err := e.Synchronize(); err != nil {
		t.Error(err)
	}
	if _, err := engine.Float64s(x); err != nil {
		t.Error(err)
	}
}

// Reductions have the same bits in every run, and sums of many small numbers lose little.
func TestReductionsOfManyElements(t *testing.T) {
	e := opened(t)
	host := tensor.New(tensor.Of(tensor.Float32), tensor.WithShape(100003))
	for i := range host.Float32s() {
		host.Float32s()[i] = 0.1
	}
	x := e.Mirror(host)
	if err := e.Convert(x, host); err != nil {
		t.Fatal(err)
	}
	var sums []float64
	for range 2 {
		sum, err := e.Sum(x)
		if err != nil {
			t.Fatal(err)
		}
		sums = append(sums, float64(sum.ScalarValue().(float32)))
	}
	if d := sums[0]/(100003*float64(float32(0.1))) - 1; d > 1e-5 || d < -1e-5 || !slices.Equal(sums[:1], sums[1:]) {
		t.Errorf("sums %v", sums)
	}
}
