package eval

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// inParts writes the checkpoint of a search in parts of so many settings, the last one first.
func inParts(t *testing.T, name string, size int) []byte {
	t.Helper()
	var trainings atomic.Int64
	n := len(searches[name].problem(t).Estimators)
	parts := make([][]byte, (n+size-1)/size)
	for i := len(parts) - 1; i >= 0; i-- {
		var part bytes.Buffer
		p := watchedSearch(t, name, &trainings)
		err := p.WritePart(context.Background(), &part, "this test", searches[name].published, i*size, min((i+1)*size, n))
		if err != nil {
			t.Fatal(name, err)
		}
		parts[i] = part.Bytes()
	}
	return bytes.Join(parts, nil)
}

// Parts of a search are its checkpoint: it measures nothing any more but the repeats of what the test parts chose, to
// the same outcome, however it was cut.
func TestSearchInParts(t *testing.T) {
	for name := range searches {
		if name == "halving" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			want, _ := searched(t, name, "")
			p := searches[name].problem(t)
			for size := 1; size <= len(p.Estimators); size++ {
				path := filepath.Join(t.TempDir(), "checkpoint")
				parts := inParts(t, name, size)
				if again := inParts(t, name, size); !bytes.Equal(again, parts) {
					t.Errorf("parts of %d have other bytes once more", size)
				}
				if err := os.WriteFile(path, parts, 0o666); err != nil {
					t.Fatal(err)
				}
				left := int64(0)
				if searches[name].published {
					left = int64(len(p.Folds) - len(p.Folds)/max(p.Repeats, 1))
				}
				if got, trained := searched(t, name, path); got != want || trained != left {
					t.Errorf("of parts of %d: %s in %d trainings, want %s in %d", size, got, trained, want, left)
				}
			}
		})
	}
}

// Parts are those of one problem, and of settings that it has.
func TestSearchInPartsIsRefused(t *testing.T) {
	p := searches["halving"].problem(t)
	if err := p.WritePart(context.Background(), &bytes.Buffer{}, "", false, 0, 1); err == nil ||
		!strings.Contains(err.Error(), "dropped") {
		t.Errorf("halving is cut: %v", err)
	}
	p = searches["nested"].problem(t)
	for _, of := range [][2]int{{-1, 1}, {1, 1}, {2, 5}} {
		if err := p.WritePart(context.Background(), &bytes.Buffer{}, "", false, of[0], of[1]); err == nil {
			t.Errorf("settings %v of %d are measured", of, len(p.Estimators))
		}
	}
	path := filepath.Join(t.TempDir(), "checkpoint")
	if err := os.WriteFile(path, inParts(t, "nested", 2), 0o666); err != nil {
		t.Fatal(err)
	}
	other := searches["nested"].problem(t)
	other.Seed++
	if _, err := OpenCheckpoint(path, "this test", other, false); err == nil || !strings.Contains(err.Error(), "other") {
		t.Errorf("parts of another seed: %v", err)
	}
}
