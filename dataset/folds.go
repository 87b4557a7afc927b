package dataset

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
)

// Fold is one division of a data set: indices of graphs (or of vertices, in a node task), from 0.
// Validation is empty where a protocol has none.
type Fold struct {
	Train      []int
	Validation []int
	Test       []int
}

// ReadFolds reads the cross-validation folds train_idx-K.txt and test_idx-K.txt for K = 1, 2, ... of
// the DGCNN, GIN and GCKN experiments: one 0-based graph index on every line.
//
// Every index must be below numGraphs, no file may be empty or repeat an index, no graph may be in
// both parts of a fold or in two test folds. The error names the file and the line. Graphs that no
// test fold holds are allowed, as in the published folds.
func ReadFolds(dir string, numGraphs int) ([]Fold, error) {
	return readFolds(folder{os.DirFS(dir), dir}, "", "test", numGraphs)
}

// ReadInnerFolds reads inner/train_idx-K.txt and inner/val_idx-K.txt, the division of the training set
// of fold K by which GCKN chooses hyperparameters, as Train and Validation. outer are the folds that
// [ReadFolds] returns: a graph of an inner fold must be in the training set of its outer fold.
func ReadInnerFolds(dir string, numGraphs int, outer []Fold) ([]Fold, error) {
	return readInnerFolds(folder{os.DirFS(dir), dir}, numGraphs, outer)
}

func readInnerFolds(f folder, numGraphs int, outer []Fold) ([]Fold, error) {
	folds, err := readFolds(f, "inner", "val", numGraphs)
	if err != nil {
		return nil, err
	}
	if len(folds) != len(outer) {
		return nil, fmt.Errorf("%s: %d inner folds for %d folds", f.path("inner"), len(folds), len(outer))
	}
	inTraining := make([]bool, numGraphs)
	for k := range folds {
		clear(inTraining)
		for _, g := range outer[k].Train {
			inTraining[g] = true
		}
		for _, part := range []struct {
			name   string
			graphs []int
		}{{"train", folds[k].Train}, {"val", folds[k].Validation}} {
			for i, g := range part.graphs {
				if !inTraining[g] {
					file := f.path(path.Join("inner", foldFile(part.name, k+1)))
					return nil, fmt.Errorf("%s:%d: graph %d is not in the training set of fold %d", file, i+1, g, k+1)
				}
			}
		}
	}
	return folds, nil
}

func foldFile(part string, k int) string { return part + "_idx-" + strconv.Itoa(k) + ".txt" }

// readFolds reads the training part and the held-out part, "test" or "val", of all folds in a subfolder.
func readFolds(f folder, sub, heldOut string, numGraphs int) ([]Fold, error) {
	var folds []Fold
	firstTest := make([]place, numGraphs) // where a graph was first held out for testing
	for k := 1; ; k++ {
		trainName := path.Join(sub, foldFile("train", k))
		testName := path.Join(sub, foldFile(heldOut, k))
		if f.find(trainName) == "" && f.find(testName) == "" {
			break
		}
		where := make([]place, numGraphs)
		train, err := readIndices(f, trainName, where)
		if err != nil {
			return nil, err
		}
		test, err := readIndices(f, testName, where)
		if err != nil {
			return nil, err
		}
		if heldOut == "val" {
			folds = append(folds, Fold{Train: train, Validation: test})
			continue
		}
		folds = append(folds, Fold{Train: train, Test: test})
		for i, g := range test {
			if p := firstTest[g]; p.line > 0 {
				return nil, fmt.Errorf("%s:%d: graph %d is in %s as well: test folds do not overlap", f.path(testName), i+1, g, p)
			}
			firstTest[g] = place{testName, i + 1}
		}
	}
	if len(folds) == 0 {
		return nil, fmt.Errorf("%s: no folds: looked for %s and %s", f.path(path.Join(sub, ".")), foldFile("train", 1),
			foldFile(heldOut, 1))
	}
	return folds, checkContiguous(f, sub, heldOut, len(folds))
}

// place is a line of a file.
type place struct {
	file string
	line int
}

func (p place) String() string { return path.Base(p.file) + ":" + strconv.Itoa(p.line) }

// readIndices reads one graph index of every line. where remembers the line of every index over the
// files of one fold.
func readIndices(f folder, name string, where []place) ([]int, error) {
	l, err := f.open(name)
	if err != nil {
		return nil, err
	}
	defer l.close()
	var indices []int
	for l.next() {
		g := l.integer()
		l.end()
		switch {
		case l.err != nil:
		case g < 0 || g >= int64(len(where)):
			l.fail("graph %d: the data set has %d graphs, counted from 0", g, len(where))
		case where[g].line > 0:
			l.fail("graph %d is in %s as well", g, where[g])
		default:
			where[g] = place{name, l.number}
			indices = append(indices, int(g))
		}
	}
	if l.err == nil && len(indices) == 0 {
		return nil, fmt.Errorf("%s: empty fold", l.file)
	}
	return indices, l.err
}

// checkContiguous refuses folds beyond a gap in the numbers.
func checkContiguous(f folder, sub, heldOut string, count int) error {
	entries, err := fs.ReadDir(f.files, path.Join(sub, "."))
	if err != nil {
		return fmt.Errorf("%s: %w", f.path(sub), plainError(err))
	}
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), ".gz")
		for _, part := range [2]string{"train", heldOut} {
			number, ok := strings.CutPrefix(name, part+"_idx-")
			k, err := strconv.Atoi(strings.TrimSuffix(number, ".txt"))
			if ok && err == nil && k > count {
				return fmt.Errorf("%s: fold %d, but there is no fold %d", f.path(path.Join(sub, name)), k, count+1)
			}
		}
	}
	return nil
}
