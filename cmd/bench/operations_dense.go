package main

import (
	"fmt"

	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

func denseOperations() []operation {
	return []operation{
		{"matmul", "dense product: the features of all NCI1 vertices with a 128 x 128 projection",
			matMul(engine.Full, tensor.Float32), everywhere},
		{"matmul-double", "the same in float64, in which models encode", matMul(engine.Full, tensor.Float64), everywhere},
		{"matmul-tf32", "the same with factors of 10 bits", matMul(engine.TF32, tensor.Float32), deviceAlone},
		{"matmul-bfloat16", "the same with factors of 7 bits", matMul(engine.BFloat16, tensor.Float32), deviceAlone},
		{"matmul-thin", "scores of attributes: 40 000 vertices of 18 numbers with 512 anchors", matMulThin, everywhere},
		{"normalize-rows", "rows of 128 features of all NCI1 vertices divided by their norms", normalizeRows, everywhere},
		{"convert", "features of all NCI1 vertices from float64 to float32", convert, everywhere},
		{"upload", "features of all NCI1 vertices from host memory to the device", upload, deviceAlone},
		{"download", "and back", download, deviceAlone},
		{"place", "rows of 128 features gathered by an index, one for each NCI1 vertex", placeRows, everywhere},
		{"place-columns", "4 channels of 128 features interleaved, a row for each NCI1 graph", placeColumns, everywhere},
	}
}

func matMul(precision engine.Precision, dtype tensor.Dtype) func(t *table) (*task, error) {
	return func(t *table) (*task, error) {
		s, err := t.inputs.molecules()
		if err != nil {
			return nil, err
		}
		n, q, r := s.batch.NumVertices(), t.sizes.filters, newRandom("matmul")
		a, err := r.matrix(t.engine, dtype, n, q)
		if err != nil {
			return nil, err
		}
		b, err := r.matrix(t.engine, dtype, q, q)
		if err != nil {
			return nil, err
		}
		c := t.engine.New(dtype, n, q)
		flops := 2 * float64(n) * float64(q) * float64(q)
		f := floor{bytes: float64(dtype.Size()) * float64(2*n*q+q*q)}
		switch {
		case precision == engine.TF32:
			f.flopsTF32 = flops
		case precision == engine.BFloat16:
			f.flopsBF16 = flops
		case dtype == tensor.Float64:
			f.flops64 = flops
		default:
			f.flops32 = flops
		}
		return &task{
			shape: fmt.Sprintf("%s: %d x %d by %d x %d", s.from, n, q, q, q),
			run: func(e engine.Engine) error {
				return e.Gemm(c, a, b, engine.Gemm{Alpha: 1, Precision: precision})
			},
			units: flops, unit: "FLOP/s",
			floor: f,
		}, nil
	}
}

func matMulThin(t *table) (*task, error) {
	n, d, r := t.sizes.vertices, 18, newRandom("matmul-thin")
	columns := 4 * t.sizes.filters
	a, err := r.matrix(t.engine, tensor.Float32, n, d)
	if err != nil {
		return nil, err
	}
	z, err := r.matrix(t.engine, tensor.Float32, columns, d)
	if err != nil {
		return nil, err
	}
	c := t.engine.New(tensor.Float32, n, columns)
	flops := 2 * float64(n) * float64(d) * float64(columns)
	return &task{
		shape: fmt.Sprintf("%d x %d by the transpose of %d x %d", n, d, columns, d),
		run:   func(e engine.Engine) error { return e.Gemm(c, a, z, engine.Gemm{TransB: true, Alpha: 1}) },
		units: flops, unit: "FLOP/s",
		floor: floor{flops32: flops, bytes: 4 * float64(n*d+columns*d+n*columns)},
	}, nil
}

// features returns the random features of all NCI1 vertices.
func (t *table) features(name string, dtype tensor.Dtype) (source, *tensor.Dense, error) {
	s, err := t.inputs.molecules()
	if err != nil {
		return s, nil, err
	}
	x, err := newRandom(name).matrix(t.engine, dtype, s.batch.NumVertices(), t.sizes.filters)
	return s, x, err
}

func normalizeRows(t *table) (*task, error) {
	s, x, err := t.features("normalize-rows", tensor.Float32)
	if err != nil {
		return nil, err
	}
	n, q := x.Shape()[0], x.Shape()[1]
	out, norms := t.engine.New(tensor.Float32, n, q), t.engine.New(tensor.Float32, n)
	bytes := 4 * float64(2*n*q+n)
	return &task{
		shape: fmt.Sprintf("%s: %d x %d", s.from, n, q),
		run:   func(e engine.Engine) error { return e.NormalizeRows(out, norms, x, 1e-4) },
		units: bytes, unit: "B/s",
		floor: floor{flops32: 3 * float64(n*q), bytes: bytes},
	}, nil
}

func convert(t *table) (*task, error) {
	s, x, err := t.features("convert", tensor.Float64)
	if err != nil {
		return nil, err
	}
	out := t.engine.New(tensor.Float32, x.Shape()...)
	return copied(s, out, x, floor{bytes: 12 * float64(x.Size())}), nil
}

func upload(t *table) (*task, error) {
	s, x, err := t.features("upload", tensor.Float32)
	if err != nil {
		return nil, err
	}
	host, err := engine.ToHost(x)
	if err != nil {
		return nil, err
	}
	return copied(s, x, host, floor{upload: 4 * float64(x.Size())}), nil
}

func download(t *table) (*task, error) {
	s, x, err := t.features("download", tensor.Float32)
	if err != nil {
		return nil, err
	}
	host := tensor.New(tensor.Of(tensor.Float32), tensor.WithShape(x.Shape()...))
	return copied(s, host, x, floor{download: 4 * float64(x.Size())}), nil
}

func copied(s source, dst, src *tensor.Dense, f floor) *task {
	return &task{
		shape: fmt.Sprintf("%s: %d x %d", s.from, src.Shape()[0], src.Shape()[1]),
		run:   func(e engine.Engine) error { return e.Convert(dst, src) },
		units: f.bytes + f.upload + f.download, unit: "B/s",
		floor: f,
	}
}

func placeRows(t *table) (*task, error) {
	s, x, err := t.features("place", tensor.Float32)
	if err != nil {
		return nil, err
	}
	n, q := x.Shape()[0], x.Shape()[1]
	index, out := newRandom("place").indices(n, n), t.engine.New(tensor.Float32, n, q)
	bytes := 4 * float64(2*n*q+n)
	return &task{
		shape: fmt.Sprintf("%s: %d x %d", s.from, n, q),
		run:   func(e engine.Engine) error { return e.Place(out, x, index, engine.Placement{Stride: 1}) },
		units: bytes, unit: "B/s",
		floor: floor{bytes: bytes},
	}, nil
}

func placeColumns(t *table) (*task, error) {
	const channels = 4
	s, err := t.inputs.molecules()
	if err != nil {
		return nil, err
	}
	n, q := s.batch.NumGraphs(), t.sizes.filters
	x, err := newRandom("place-columns").matrix(t.engine, tensor.Float32, n, q)
	if err != nil {
		return nil, err
	}
	out := t.engine.New(tensor.Float32, n, channels*q)
	bytes := 8 * float64(channels*n*q)
	return &task{
		shape: fmt.Sprintf("%s: %d channels of %d x %d", s.from, channels, n, q),
		run: func(e engine.Engine) error {
			for c := range channels {
				if err := e.Place(out, x, nil, engine.Placement{Column: c, Stride: channels}); err != nil {
					return err
				}
			}
			return nil
		},
		units: bytes, unit: "B/s",
		floor: floor{bytes: bytes},
	}, nil
}
