package rounds_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/rounds"
)

const items = 23

// program goes over numbers five times: it collects them, looks for the largest, adds up what depends on what was kept
// of it in float64, twice, and squares them. It counts how often it keeps something.
func program(r *rounds.Rounds, size int, keeps *int) (list []int, sum float64, squares []float32, err error) {
	ctx, first := context.Background(), rounds.Even(items, size)
	end := func(block int) int { return min(first[block]+size, items) }
	list, err = rounds.Collect(ctx, r, rounds.Pass[[]int]{
		Name: "list", First: first, Compute: func(_ context.Context, block int) (some []int, err error) {
			for i := first[block]; i < end(block); i++ {
				some = append(some, i*i)
			}
			return some, nil
		},
	}, nil, func(all *[]int, some []int) error {
		*all = append(*all, some...)
		return nil
	})
	if err != nil {
		return nil, 0, nil, err
	}
	most := 0
	largest, err := rounds.Digest(ctx, r, rounds.Pass[int]{
		Name: "largest", First: first, Compute: func(_ context.Context, block int) (int, error) {
			return slices.Max(list[first[block]:end(block)]), nil
		},
	}, func(of int) error {
		most = max(most, of)
		return nil
	}, func() (float64, error) {
		*keeps++
		return float64(most), nil
	})
	if err != nil {
		return nil, 0, nil, err
	}
	scale, err := rounds.Keep(r, func() (float64, error) {
		*keeps++
		return 1 / largest, nil
	})
	if err != nil {
		return nil, 0, nil, err
	}
	add := func(a, b float64) float64 { return a + b }
	scaled := rounds.Pass[float64]{
		Name: "sum", First: first, Workers: 3, Compute: func(_ context.Context, block int) (some float64, err error) {
			for _, x := range list[first[block]:end(block)] {
				some += float64(x) * scale
			}
			return some, nil
		},
	}
	sum, err = rounds.Whole(r, func(inner *rounds.Rounds) (float64, error) {
		mean, err := rounds.Conclude(ctx, inner, scaled, add, func(sum float64) (float64, error) { return sum / items, nil })
		if err != nil {
			return 0, err
		}
		scale = mean
		again := scaled
		again.Name = "sum by the mean"
		return rounds.Reduce(ctx, inner, again, add)
	})
	if err != nil {
		return nil, 0, nil, err
	}
	numbers, release, err := rounds.Matrix(ctx, r, rounds.Pass[[]float32]{
		Name: "squares", First: first, Compute: func(_ context.Context, block int) (some []float32, err error) {
			for _, x := range list[first[block]:end(block)] {
				some = append(some, float32(x)*float32(sum))
			}
			return some, nil
		},
	}, items)
	if err != nil {
		return nil, 0, nil, err
	}
	return list, sum, slices.Clone(numbers), release()
}

// A program has the same results, to the bit, in one process and in parts of any size; each of its values is kept once,
// however often it starts.
func TestRoundsAreTheWhole(t *testing.T) {
	for _, size := range []int{1, 2, 5, 40} {
		once := 0
		list, sum, squares, err := program(nil, size, &once)
		if err != nil || len(list) != items || len(squares) != items {
			t.Fatalf("%v: %v, %v", err, list, squares)
		}
		for _, part := range []int{1, 3, 7, items} {
			dir, keeps, pass := filepath.Join(t.TempDir(), "known"), 0, ""
			var results [][]byte
			for range 10 {
				gotList, gotSum, gotSquares, err := program(rounds.Lead(dir, pass, func(visit func(r io.Reader) error) error {
					for _, one := range results {
						if err := visit(bytes.NewReader(one)); err != nil {
							return err
						}
					}
					return nil
				}), size, &keeps)
				var next *rounds.NextError
				if err == nil {
					if !slices.Equal(gotList, list) || gotSum != sum || !slices.Equal(gotSquares, squares) {
						t.Errorf("blocks of %d in parts of %d: %v %v %v, want %v %v %v", size, part, gotList, gotSum, gotSquares,
							list, sum, squares)
					}
					pass = "end"
					break
				}
				if !errors.As(err, &next) {
					t.Fatal(err)
				}
				pass, results = next.Pass, nil
				for from := 0; from < items; from += part {
					var out bytes.Buffer
					_, _, _, err := program(rounds.Take(dir, pass, from, min(from+part, items), &out), size, &keeps)
					if !errors.Is(err, rounds.ErrDone) {
						t.Fatal(err)
					}
					results = append(results, out.Bytes())
				}
			}
			if pass != "end" || keeps != 2 {
				t.Errorf("blocks of %d in parts of %d: at %s, kept %d times", size, part, pass, keeps)
			}
		}
	}
}

// Results of another pass, of too few blocks or in another order are refused, and so is a part whose pass is not the
// next one.
func TestWrongResultsAreRefused(t *testing.T) {
	dir, keeps := t.TempDir(), 0
	part := func(pass string, from, to int) ([]byte, error) {
		var out bytes.Buffer
		_, _, _, err := program(rounds.Take(dir, pass, from, to, &out), 5, &keeps)
		return out.Bytes(), err
	}
	first, err := part("list", 0, 10)
	last, again := part("list", 10, items)
	if !errors.Is(err, rounds.ErrDone) || !errors.Is(again, rounds.ErrDone) {
		t.Fatal(err, again)
	}
	if _, err := part("sum", 0, 10); err == nil || !strings.Contains(err.Error(), "not what comes before sum") {
		t.Errorf("a pass that is not the next: %v", err)
	}
	for want, results := range map[string][][]byte{
		"of 2 blocks of 5": {first}, "results of block 2, want those of block 0": {last, first}, `results of ""`: {nil},
	} {
		_, _, _, err := program(rounds.Lead(dir, "list", func(visit func(r io.Reader) error) error {
			for _, one := range results {
				if err := visit(bytes.NewReader(one)); err != nil {
					return err
				}
			}
			return nil
		}), 5, &keeps)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "0001"), []byte("no value"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := part("list", 0, 10); err == nil || !strings.Contains(err.Error(), "0001") {
		t.Errorf("a file that holds no value: %v", err)
	}
}
