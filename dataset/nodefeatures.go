package dataset

import (
	"cmp"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"
)

// maxAttributes bounds the number of values in an attribute matrix, which is stored with its zeros.
const maxAttributes = 1 << 29

// readFeatures reads the attributes of the vertices.
func (r *nodeReader) readFeatures() error {
	sparse, dense := r.find("features.coo.csv") != "", r.find("features.csv") != ""
	switch {
	case sparse && dense:
		return fmt.Errorf("%s: both features.coo.csv and features.csv: keep one", r.name)
	case sparse:
		return r.readSparseFeatures()
	case dense:
		return r.readDenseFeatures()
	}
	return nil
}

// readSparseFeatures reads the non-zero entries of the attributes; the last column that occurs gives
// their width. A matrix out of proportion to the number of entries is taken for damage.
func (r *nodeReader) readSparseFeatures() error {
	l, _, err := r.openTable("features.coo.csv", "row", "col", "value")
	if err != nil {
		return err
	}
	defer l.close()
	type entry struct {
		row, column int32
		value       float64
		line        int
	}
	var entries []entry
	var widest entry
	for l.next() {
		row := r.vertex(l)
		column := l.integer()
		if column < 0 || column >= math.MaxInt32 {
			l.fail("column %d", column)
			break
		}
		e := entry{row, int32(column), l.real(), l.number}
		l.end()
		if e.column > widest.column {
			widest = e
		}
		entries = append(entries, e)
	}
	if l.err != nil || len(entries) == 0 {
		return l.err
	}
	width := int(widest.column) + 1
	if limit := 1<<20 + 1024*(len(entries)+r.vertices); width > min(limit, maxAttributes)/r.vertices {
		return fmt.Errorf("%s:%d: column %d: a matrix of %d x %d is out of proportion to %d entries",
			l.file, widest.line, widest.column, r.vertices, width, len(entries))
	}
	slices.SortStableFunc(entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.column, b.column))
	})
	values := make([]float64, r.vertices*width)
	for i, e := range entries {
		if i > 0 && entries[i-1].row == e.row && entries[i-1].column == e.column {
			return fmt.Errorf("%s:%d: row %d, column %d is in line %d as well",
				l.file, e.line, e.row, e.column, entries[i-1].line)
		}
		values[int(e.row)*width+int(e.column)] = e.value
	}
	r.set.Batch.Attributes, r.set.Batch.AttributeDim = values, width
	return nil
}

// readDenseFeatures reads all values of the attributes, a line for every vertex.
func (r *nodeReader) readDenseFeatures() error {
	l, header, err := r.openTable("features.csv", "node")
	if err != nil {
		return err
	}
	defer l.close()
	width := len(header) - 1
	if width < 1 || width > maxAttributes/r.vertices {
		return fmt.Errorf("%s:1: %d columns for %d vertices", l.file, width, r.vertices)
	}
	rows := make([][]float64, r.vertices)
	for l.next() {
		v := r.vertex(l)
		values := l.optionalReals(width)
		l.end()
		if rows[v] != nil {
			l.fail("vertex %d is given twice", v)
		}
		rows[v] = values
	}
	if l.err != nil {
		return l.err
	}
	if v := slices.IndexFunc(rows, func(row []float64) bool { return row == nil }); v >= 0 {
		return fmt.Errorf("%s: no line for vertex %d", l.file, v)
	}
	r.set.Batch.Attributes, r.set.Batch.AttributeDim = slices.Concat(rows...), width
	r.set.AttributeNames = attributeNames(header[1:])
	r.set.fillMissing()
	return nil
}

// readSplits reads split_NAME.csv, numbered names first and in the order of their numbers.
func (r *nodeReader) readSplits() error {
	files, err := fs.Glob(r.files, "split_*.csv*")
	if err != nil {
		return fmt.Errorf("%s: %w", r.name, err)
	}
	for _, file := range files {
		name, ok := strings.CutSuffix(strings.TrimSuffix(file, ".gz"), ".csv")
		if !ok {
			continue
		}
		name = strings.TrimPrefix(name, "split_")
		if slices.ContainsFunc(r.set.Splits, func(s Split) bool { return s.Name == name }) {
			continue // stored plain and compressed
		}
		split, err := r.readSplit(name)
		if err != nil {
			return err
		}
		r.set.Splits = append(r.set.Splits, split)
	}
	sortSplits(r.set.Splits)
	return nil
}

// sortSplits puts splits into the order of their numbers or names.
func sortSplits(splits []Split) {
	slices.SortStableFunc(splits, func(a, b Split) int {
		i, errA := strconv.Atoi(a.Name)
		j, errB := strconv.Atoi(b.Name)
		if errA == nil && errB == nil {
			return i - j
		}
		return strings.Compare(a.Name, b.Name)
	})
}

func (r *nodeReader) readSplit(name string) (Split, error) {
	l, _, err := r.openTable("split_"+name+".csv", "node", "set")
	if err != nil {
		return Split{}, err
	}
	defer l.close()
	split := Split{Name: name}
	seen := make(map[int32]int)
	for l.next() {
		v := r.vertex(l)
		set := l.field()
		l.end()
		if line, ok := seen[v]; ok {
			l.fail("vertex %d is in line %d as well", v, line)
		}
		seen[v] = l.number
		switch string(set) {
		case "train":
			split.Train = append(split.Train, int(v))
		case "val":
			split.Validation = append(split.Validation, int(v))
		case "test":
			split.Test = append(split.Test, int(v))
		default:
			l.fail("%s is none of train, val and test", quote(set))
		}
	}
	if l.err == nil && (len(split.Train) == 0 || len(split.Test) == 0) {
		l.err = fmt.Errorf("%s: %d vertices for training, %d for testing", l.file, len(split.Train), len(split.Test))
	}
	return split, l.err
}
