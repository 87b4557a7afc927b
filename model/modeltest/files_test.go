package modeltest_test

import (
	"context"
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/model"
)

// Files that were written before are read, and predict what the program that wrote them did.
func TestFilesWrittenBefore(t *testing.T) {
	folder := filepath.Join("..", "testdata", "files")
	files, err := filepath.Glob(filepath.Join(folder, "*.grove"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatal("no files")
	}
	d, err := dataset.Open(filepath.Join(folder, "molecules"))
	if err != nil {
		t.Fatal(err)
	}
	type written struct {
		family *model.Family
		task   model.Task
	}
	kinds := map[written]bool{}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".grove"), func(t *testing.T) {
			m, err := model.Load(path, nil)
			if err != nil {
				t.Fatal(err)
			}
			kinds[written{model.FamilyOf(m.About().Model), m.About().Task}] = true
			said, err := m.Predict(context.Background(), d, nil)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, said, m.About(), strings.TrimSuffix(path, ".grove")+".csv")
		})
	}
	for _, f := range model.Families() {
		for _, task := range f.Tasks {
			if task != model.EdgeTask && !kinds[written{f, task}] {
				t.Errorf("no file of kind %s for the task %s", f.Kind, task)
			}
		}
	}
}

// compare holds predictions against a file with a line for each example: its number, what is predicted, and from the
// columns "decision" and "probability" on the numbers behind it. Processors with other instructions differ by rounding.
func compare(t *testing.T, said *model.Predictions, h *model.Head, path string) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	names := lines[0]
	if lines = lines[1:]; len(lines) != said.Len() {
		t.Fatalf("%d predictions for %d lines", said.Len(), len(lines))
	}
	compared := 0
	for i, line := range lines {
		if said.Classes != nil && h.Classes[said.Classes[i]] != line[1] {
			t.Errorf("example %d: class %s, before %s", i, h.Classes[said.Classes[i]], line[1])
		}
		decisions, probabilities := 0, 0
		for k, name := range names {
			var got float64
			switch {
			case strings.HasPrefix(name, "decision"):
				got = said.Decisions.Float64s()[i*said.Decisions.Shape()[1]+decisions]
				decisions++
			case strings.HasPrefix(name, "probability"):
				got = said.Probabilities.Float64s()[i*said.Probabilities.Shape()[1]+probabilities]
				probabilities++
			case k == 1 && said.Values != nil:
				got = said.Values.Float64s()[i]
			default:
				continue
			}
			want, err := strconv.ParseFloat(line[k], 64)
			if err != nil {
				t.Fatal(err)
			}
			if compared++; !(math.Abs(got-want) <= 1e-5*max(1, math.Abs(want))) {
				t.Errorf("example %d: %s is %v, before %v", i, name, got, want)
			}
		}
	}
	if compared == 0 {
		t.Errorf("nothing to compare in %q", names)
	}
}
