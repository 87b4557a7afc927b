package dataset

import (
	"fmt"
	"os"
)

// ReadNestedFolds reads nested_outer.csv and nested_inner.csv, the stratified splits of Errica et al.
// 2020 that CGMM uses. Both have the header graph,fold1,...,foldK and a line for every graph. In an
// outer fold a graph is T (training), V (validation of the final model) or E (test); in an inner fold,
// which serves to choose hyperparameters, T, V or - (the graph is in the outer test fold).
//
// Every graph must have one line, be tested in exactly one outer fold and be - in the inner fold just
// where the outer fold tests it; no part of a fold may be empty. The error names the file and the line.
func ReadNestedFolds(dir string, numGraphs int) (outer, inner []Fold, err error) {
	return readNestedFolds(folder{os.DirFS(dir), dir}, numGraphs)
}

func readNestedFolds(f folder, numGraphs int) (outer, inner []Fold, err error) {
	outerTable, err := readFoldTable(f, "nested_outer.csv", "TVE", numGraphs)
	if err != nil {
		return nil, nil, err
	}
	innerTable, err := readFoldTable(f, "nested_inner.csv", "TV-", numGraphs)
	if err != nil {
		return nil, nil, err
	}
	if a, b := outerTable.folds, innerTable.folds; a != b {
		return nil, nil, fmt.Errorf("%s:1: %d folds, nested_outer.csv has %d", innerTable.file, b, a)
	}
	for g := range numGraphs {
		tests := 0
		for k := range outerTable.folds {
			tested := outerTable.part(g, k) == 'E'
			if tested {
				tests++
			}
			if tested != (innerTable.part(g, k) == '-') {
				return nil, nil, fmt.Errorf("%s:%d: graph %d, fold %d: - must stand where nested_outer.csv has E",
					innerTable.file, innerTable.line[g], g, k+1)
			}
		}
		if tests != 1 {
			return nil, nil, fmt.Errorf("%s:%d: graph %d is tested in %d folds", outerTable.file, outerTable.line[g], g, tests)
		}
	}
	if outer, err = outerTable.split(true); err != nil {
		return nil, nil, err
	}
	inner, err = innerTable.split(false)
	return outer, inner, err
}

// foldTable is a table of letters with a row for every graph and a column for every fold.
type foldTable struct {
	file  string
	folds int
	parts []byte
	line  []int // of each graph, 0 before it was met
}

func (t *foldTable) part(g, k int) byte { return t.parts[g*t.folds+k] }

func readFoldTable(f folder, name, letters string, numGraphs int) (*foldTable, error) {
	l, err := f.open(name)
	if err != nil {
		return nil, err
	}
	defer l.close()
	t := &foldTable{file: l.file, line: make([]int, numGraphs)}
	if l.next() {
		if header := string(l.field()); header != "graph" {
			l.fail("%s is not the header graph,fold1,...", quote([]byte(header)))
		}
		for ; l.err == nil && l.more(); t.folds++ {
			l.field()
		}
	}
	if l.err == nil && t.folds == 0 {
		return nil, fmt.Errorf("%s:1: no folds in the header", l.file)
	}
	t.parts = make([]byte, numGraphs*t.folds)
	for l.next() {
		g := l.integer()
		switch {
		case l.err != nil:
			continue
		case g < 0 || g >= int64(numGraphs):
			l.fail("graph %d: the data set has %d graphs, counted from 0", g, numGraphs)
			continue
		case t.line[g] > 0:
			l.fail("graph %d is in line %d as well", g, t.line[g])
			continue
		}
		t.line[g] = l.number
		for k := range t.folds {
			letter := l.field()
			if len(letter) != 1 || (letter[0] != letters[0] && letter[0] != letters[1] && letter[0] != letters[2]) {
				l.fail("fold %d: %s is none of %c, %c and %c", k+1, quote(letter), letters[0], letters[1], letters[2])
				break
			}
			t.parts[int(g)*t.folds+k] = letter[0]
		}
		l.end()
	}
	if l.err != nil {
		return nil, l.err
	}
	for g, line := range t.line {
		if line == 0 {
			return nil, fmt.Errorf("%s: no line for graph %d", l.file, g)
		}
	}
	return t, nil
}

// split turns the columns into folds, and refuses an empty part.
func (t *foldTable) split(tests bool) ([]Fold, error) {
	folds := make([]Fold, t.folds)
	for k := range folds {
		f := &folds[k]
		for g := range t.line {
			switch t.part(g, k) {
			case 'T':
				f.Train = append(f.Train, g)
			case 'V':
				f.Validation = append(f.Validation, g)
			case 'E':
				f.Test = append(f.Test, g)
			}
		}
		if len(f.Train) == 0 || len(f.Validation) == 0 || (tests && len(f.Test) == 0) {
			return nil, fmt.Errorf("%s: fold %d: %d graphs for training, %d for validation, %d for testing",
				t.file, k+1, len(f.Train), len(f.Validation), len(f.Test))
		}
	}
	return folds, nil
}
