package dataset

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/grove-graph/grove/columnar"
	_ "github.com/grove-graph/grove/columnar/parquet"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/internal/testfiles"
)

// throughColumns returns what a data set is after it was written in a columnar format and read again.
func throughColumns(t *testing.T, format Format, d *Dataset) *Dataset {
	t.Helper()
	dir := t.TempDir()
	if err := writeAs(dir, format, d); err != nil {
		t.Fatal(err)
	}
	got, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// noted returns a data set without its notes, which say what a reader of files did.
func noted(d *Dataset) *Dataset {
	plain := *d
	plain.Notes, plain.LabelNames = nil, append([]string{}, d.LabelNames...)
	return &plain
}

func TestColumnsWrittenAndReadAreTheSame(t *testing.T) {
	rich := richSet(t, 30)
	for u := range int32(rich.Batch.NumVertices()) {
		for a := rich.Batch.RowPtr[u]; a < rich.Batch.RowPtr[u+1]; a++ {
			rich.Batch.ArcTypes[a] = (u + rich.Batch.Col[a]) % 3 // the reverse of an arc has its type
		}
	}
	worded := *rich
	worded.LabelCodes = []string{"carbon", "an", "b b", "é", "", "z"}[:len(rich.LabelCodes)]
	worded.LabelNames, worded.ClassNames, worded.Target = worded.LabelCodes, []string{"yes", "no"}, "approved"
	several := *rich
	several.Classes, several.ClassNames = nil, nil
	several.TargetNames, several.TargetClasses = []string{"a", "b c"}, [][]string{nil, {"low", "high", "never"}}
	for g := range several.NumGraphs() {
		several.Targets = append(several.Targets, rand.New(rand.NewPCG(uint64(g), 1)).NormFloat64(), float64(g%2))
	}
	several.Targets[2], several.Targets[5] = math.NaN(), math.NaN()
	some := *rich
	some.Classes = slices.Clone(rich.Classes)
	some.Classes[3] = -1
	namedSet := *rich
	for g := range namedSet.NumGraphs() {
		namedSet.GraphIDs = append(namedSet.GraphIDs, fmt.Sprintf("graph %d", 7*g))
	}
	for v := range namedSet.Batch.NumVertices() {
		namedSet.VertexIDs = append(namedSet.VertexIDs, fmt.Sprint("v", v*v))
	}
	trees, err := openTreesIn(files{"train.tree": "1:10(31($) 4($))\n2:4($)\n", "test.tree": "2:10(4($))\n"}.folder(), "")
	if err != nil {
		t.Fatal(err)
	}
	trees.Name = "trees"
	cases := map[string]*Dataset{"all that stores hold": rich, "words": &worded, "names": &namedSet,
		"targets": &several, "some classes": &some, "splits of graphs": trees}
	for name, changes := range map[string][]string{
		"vertex classes": {},
		"vertex targets, some attributes missing": {"features.coo.csv", "-", "labels.csv",
			"node,x,y\n0,1,2\n1,,3\n2,4,\n3,,\n4,5,6\n", "features.csv", "node,a\n0,1\n1,\n2,3\n3,\n4,2\n"},
	} {
		if cases[name], err = openNode(nodeTask.with(changes...).folder(), Directed); err != nil {
			t.Fatal(err)
		}
		slices.Sort(cases[name].Splits[0].Test) // columns keep no order within a part
	}
	for i := range 40 {
		cases[fmt.Sprintf("random %d", i)] = randomDataset(t, rand.New(rand.NewPCG(uint64(i), 9)))
	}
	for name, want := range cases {
		for _, format := range []Format{ParquetFormat, ArrowFormat} {
			got := throughColumns(t, format, want)
			if got.Targets != nil && len(got.Targets) == len(want.Targets) {
				for i, v := range want.Targets {
					if math.IsNaN(v) && math.IsNaN(got.Targets[i]) {
						got.Targets[i], want.Targets[i] = 0, 0
					}
				}
			}
			if len(want.Batch.ArcWeights) == 0 && got.Batch.ArcWeights != nil {
				want.Batch.ArcWeights = []float64{}
			}
			wantSameFields(t, name+" as "+string(format), noted(got), noted(want))
		}
	}
}

// wantSameFields fails for each field of a data set, or of its batch, that is another one.
func wantSameFields(t *testing.T, name string, got, want *Dataset) {
	t.Helper()
	for _, pair := range [][2]any{{*got.Batch, *want.Batch}, {*got, *want}} {
		a, b := reflect.ValueOf(pair[0]), reflect.ValueOf(pair[1])
		for i := range a.NumField() {
			if x, y := a.Field(i).Interface(), b.Field(i).Interface(); !reflect.DeepEqual(x, y) {
				t.Errorf("%s: %s is %.200s, want %.200s", name, a.Type().Field(i).Name, fmt.Sprintf("%+v", x),
					fmt.Sprintf("%+v", y))
			}
		}
	}
}

// What is in a folder in TU format is there byte for byte after a way through columns, what is known of vertices too.
func TestPublishedDataComeBackFromColumns(t *testing.T) {
	for _, name := range []string{
		"tu/MUTAG", "tu/PTC_MR", "tu/ENZYMES", "tu/BZR", "node/Cora", "node/Cornell", "node/County",
	} {
		kind, set, _ := strings.Cut(name, "/")
		want, err := Open(testfiles.Data(t, kind, set))
		if err != nil {
			t.Fatal(err)
		}
		before := t.TempDir()
		if err := Write(before, want); err != nil {
			t.Fatal(err)
		}
		for _, format := range []Format{ParquetFormat, ArrowFormat} {
			after := t.TempDir()
			if err := Write(after, throughColumns(t, format, want)); err != nil {
				t.Fatal(err)
			}
			wantSameFiles(t, before, after)
		}
	}
}

// wantSameFiles fails unless two folders have the same files.
func wantSameFiles(t *testing.T, before, after string) {
	t.Helper()
	entries, err := os.ReadDir(before)
	if err != nil || len(entries) == 0 {
		t.Fatalf("%d files, %v", len(entries), err)
	}
	there, err := os.ReadDir(after)
	if err != nil || len(there) != len(entries) {
		t.Errorf("%d files, want %d, %v", len(there), len(entries), err)
	}
	for _, e := range entries {
		want, errA := os.ReadFile(filepath.Join(before, e.Name()))
		got, errB := os.ReadFile(filepath.Join(after, e.Name()))
		if errA != nil || errB != nil || !bytes.Equal(got, want) {
			t.Errorf("%s has changed: %v %v", e.Name(), errA, errB)
		}
	}
}

// A store is the same after a way through columns, of which a piece at a time was in memory.
func TestStoresComeBackFromColumns(t *testing.T) {
	dir := t.TempDir()
	stream, err := SynthStream("molecules", SynthOptions{Graphs: 30000, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	convert := func(from Stream, to string, format Format) {
		out, err := NewOutput(to, false)
		if err != nil {
			t.Fatal(err)
		}
		defer out.Discard()
		if _, err := out.WriteStream("", format, from); err != nil {
			t.Fatal(err)
		}
		if err := out.Commit(); err != nil {
			t.Fatal(err)
		}
	}
	store := filepath.Join(dir, "store")
	convert(withoutMotif{stream}, store, StoreFormat)
	for _, format := range []Format{ParquetFormat, ArrowFormat} {
		columns, again := filepath.Join(dir, string(format)), filepath.Join(dir, "back from "+string(format))
		shards := openShards(t, store)
		convert(shards, columns, format)
		rows, closing, err := OpenStream(columns)
		if err != nil || rows == nil {
			t.Fatalf("%s is no stream: %v", format, err)
		}
		defer func() { _ = closing() }()
		pieces, most := 0, 0
		if err := rows.Each(func(d *Dataset) error {
			pieces, most = pieces+1, max(most, d.NumGraphs())
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if pieces < 3 || most > 20000 || rows.NumGraphs() != 30000 {
			t.Errorf("%s: %d pieces of at most %d of %d graphs", format, pieces, most, rows.NumGraphs())
		}
		convert(Named(rows, "molecules"), again, StoreFormat)
		wantSameFiles(t, store, again)
	}
}

// rowsAs returns rows in JSON as a stream of Arrow IPC.
func rowsAs(t testing.TB, head, rows string, fields ...arrow.Field) []byte {
	t.Helper()
	var meta *arrow.Metadata
	if head != "" {
		m := arrow.NewMetadata([]string{"pandas", headKey}, []string{"{}", head})
		meta = &m
	}
	schema := arrow.NewSchema(fields, meta)
	batch, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(rows))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := ipc.NewWriter(&out, ipc.WithSchema(schema))
	if err := w.Write(batch); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func field(name string, t arrow.DataType) arrow.Field {
	return arrow.Field{Name: name, Type: t, Nullable: true}
}

// ends are the columns that every table of graphs has.
func ends(further ...arrow.Field) []arrow.Field {
	return append([]arrow.Field{field("from", arrow.ListOf(arrow.PrimitiveTypes.Int64)),
		field("to", arrow.ListOf(arrow.PrimitiveTypes.Int64))}, further...)
}

// Tables of other programs have other types of numbers, words and lists, and no word of Grove in their schema.
func TestColumnsOfOtherPrograms(t *testing.T) {
	words := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	raw := rowsAs(t, "", `[
		{"from": [0, 1], "to": [1, 2], "labels": ["C", "N", "C"], "attributes": [[1, 2], [3, null], [5, 6]], "class": 1.0},
		{"from": [], "to": null, "labels": ["O"], "attributes": [[7, 8]], "class": null},
		{"from": [0], "to": [1], "labels": ["N", "C"], "attributes": [[0, 0], [0, 1]], "class": -3}]`,
		field("from", arrow.LargeListOf(arrow.PrimitiveTypes.Uint8)), field("to", arrow.ListOf(arrow.PrimitiveTypes.Int16)),
		field("labels", arrow.ListOf(words)),
		field("attributes", arrow.ListOf(arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Float32))),
		field("class", arrow.PrimitiveTypes.Float64))
	d, err := Molecules{}.ReadArrow(bytes.NewReader(raw), "pipe")
	if err != nil {
		t.Fatal(err)
	}
	checkSound(t, d)
	if arcs := arcsOf(d); arcs != "0-1 1-0 1-2 2-1 4-5 5-4" {
		t.Errorf("arcs %s", arcs)
	}
	if !slices.Equal(d.LabelCodes, []string{"C", "N", "O"}) || !slices.Equal(d.Batch.Labels, []int32{0, 1, 0, 2, 1, 0}) {
		t.Errorf("labels %v %v", d.LabelCodes, d.Batch.Labels)
	}
	if !slices.Equal(d.ClassNames, []string{"-3", "1"}) || !slices.Equal(d.Classes, []int{1, -1, 0}) {
		t.Errorf("classes %v %v", d.ClassNames, d.Classes)
	}
	if !slices.Equal(d.Missing, []int{3}) || d.Batch.Attributes[3] != 17./5 || d.Batch.AttributeDim != 2 {
		t.Errorf("missing %v of %v", d.Missing, d.Batch.Attributes)
	}
}

// Without a class or target by name the other columns are targets, as those of a table of molecules.
func TestOtherColumnsAreTargets(t *testing.T) {
	numbered := field("vertices", arrow.PrimitiveTypes.Int8)
	raw := rowsAs(t, "", `[{"from":[0],"to":[1],"vertices":2,"name":"a","logP":1.5,"toxic":true},
		{"from":[],"to":[],"vertices":1,"name":"b","logP":null,"toxic":false}]`, ends(numbered,
		field("name", arrow.BinaryTypes.String), field("logP", arrow.PrimitiveTypes.Float32),
		field("toxic", arrow.FixedWidthTypes.Boolean))...)
	d, err := Molecules{}.ReadArrow(bytes.NewReader(raw), "pipe")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(d.TargetNames, []string{"logP", "toxic"}) || d.Targets[0] != 1.5 || !math.IsNaN(d.Targets[2]) {
		t.Errorf("targets %v %v", d.TargetNames, d.Targets)
	}
	raw = rowsAs(t, "", `[{"smiles":"CCO","target y":2},{"smiles":"C","target y":3},{"smiles":"C(","target y":4}]`,
		field("smiles", arrow.BinaryTypes.String), field("target y", arrow.PrimitiveTypes.Int64))
	d, err = Molecules{SkipInvalid: true, Hydrogens: true}.ReadArrow(bytes.NewReader(raw), "pipe")
	if err != nil {
		t.Fatal(err)
	}
	if d.Task != GraphRegression || !slices.Equal(d.Targets, []float64{2, 3}) || d.Batch.NumVertices() != 9+5 ||
		len(d.Skipped) != 1 {
		t.Errorf("%s: %v, %d vertices, left out %v", d.Task, d.Targets, d.Batch.NumVertices(), d.Skipped)
	}
	_, err = Molecules{}.ReadArrow(bytes.NewReader(raw), "pipe")
	wantError(t, err, `pipe:3: SMILES "C("`)
}

// The head of a schema says what columns do not: direction, the order of classes and labels that do not occur.
func TestHeadOfAColumnarFile(t *testing.T) {
	raw := rowsAs(t, `{"directed":true,"classes":["yes","no"],"labels":["7","2","9"],"label_names":["N","H","F"]}`,
		`[{"from":[0,0],"to":[1,1],"labels":[2,11],"class":"no"},{"from":[],"to":[],"labels":[10],"class":"maybe"}]`,
		ends(field("labels", arrow.ListOf(arrow.PrimitiveTypes.Int64)), field("class", arrow.BinaryTypes.String))...)
	d, err := Molecules{}.ReadArrow(bytes.NewReader(raw), "pipe")
	if err != nil {
		t.Fatal(err)
	}
	if arcs := arcsOf(d); arcs != "0-1" || !d.Batch.Directed {
		t.Errorf("arcs %s", arcs)
	}
	if !slices.Equal(d.ClassNames, []string{"yes", "no", "maybe"}) || !slices.Equal(d.Classes, []int{1, 2}) {
		t.Errorf("classes %v %v", d.ClassNames, d.Classes)
	}
	if !slices.Equal(d.LabelCodes, []string{"7", "2", "9", "10", "11"}) ||
		!slices.Equal(d.LabelNames, []string{"N", "H", "F", "10", "11"}) || !slices.Equal(d.Batch.Labels, []int32{1, 4, 3}) {
		t.Errorf("labels %v %v %v", d.LabelCodes, d.LabelNames, d.Batch.Labels)
	}
}

func TestWrongColumnsAreNamed(t *testing.T) {
	whole, real, word := arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Float64, arrow.BinaryTypes.String
	n := field("vertices", whole)
	graph := func(further string) string {
		return `[{"from":[0],"to":[1],"vertices":2},{"from":[0,1],"to":[1,2],"vertices":3` + further + `}]`
	}
	for _, c := range []struct {
		want, head, rows string
		fields           []arrow.Field
	}{
		{"pipe: no column from and to", "", `[{"a":1}]`, []arrow.Field{field("a", whole)}},
		{"pipe: no column vertices", "", `[{"from":[],"to":[]}]`, ends()},
		{"pipe: column labels: want lists of whole numbers or words, it holds list<item: float64, nullable>", "", graph(""),
			ends(n, field("labels", arrow.ListOf(real)))},
		{"pipe: column attributes: want lists of lists of numbers", "", graph(""),
			ends(n, field("attributes", arrow.ListOf(real)))},
		{"pipe: columns 3 and 4 are both called \"vertices\"", "", `[]`, ends(n, n)},
		{"pipe: no rows", "", `[]`, ends(n)},
		{"pipe: row 2, column vertices: no number of vertices", "",
			`[{"from":[],"to":[],"vertices":1},{"from":[],"to":[]}]`, ends(n)},
		{"pipe: row 1, column to: 1 values for 2 arcs", "", `[{"from":[0,0],"to":[1],"vertices":2}]`, ends(n)},
		{"pipe: row 1, column to: 2 is none of the 2 from 0 to 1", "", `[{"from":[0,0],"to":[1,2],"vertices":2}]`, ends(n)},
		{"pipe: row 1, column from: value 2 is missing", "", `[{"from":[0,null],"to":[1,1],"vertices":2}]`, ends(n)},
		{"pipe: row 2, column labels: 2 values for 3 vertices", "",
			`[{"from":[],"to":[],"vertices":1,"labels":[4]},{"from":[0,1],"to":[1,2],"vertices":3,"labels":[1,2]}]`,
			ends(n, field("labels", arrow.ListOf(whole)))},
		{"pipe: row 1, column attributes: 1 attributes of vertex 1, 2 of those before", "",
			`[{"from":[],"to":[],"attributes":[[1,2],[3]]}]`, ends(field("attributes", arrow.ListOf(arrow.ListOf(real))))},
		{"pipe: row 1, column arc_weights: a weight is missing", "",
			`[{"from":[0],"to":[0],"vertices":1,"arc_weights":[null]}]`, ends(n, field("arc_weights", arrow.ListOf(real)))},
		{"pipe: row 1, column class: want a whole number or a word", "", `[{"from":[],"to":[],"vertices":1,"class":0.5}]`,
			ends(n, field("class", real))},
		{`pipe: row 1, column split 1: "tests" is none of train, val and test`, "",
			`[{"from":[],"to":[],"vertices":1,"split 1":"tests"}]`, ends(n, field("split 1", word))},
		{"pipe: column split 1: 1 for training, 0 for testing", "",
			`[{"from":[],"to":[],"vertices":1,"split 1":"train"}]`, ends(n, field("split 1", word))},
		{"pipe: columns class and vertex_class: want one of the two", "", graph(""),
			ends(n, field("class", whole), field("vertex_class", arrow.ListOf(whole)))},
		{`pipe: the schema says "{" under grove`, "{", graph(""), ends(n)},
		{`pipe: the schema names the task "guess"`, `{"task":"guess"}`, graph(""), ends(n)},
		{"pipe: no molecules", "", `[]`, []arrow.Field{field("smiles", word)}},
	} {
		_, err := Molecules{}.ReadArrow(bytes.NewReader(rowsAs(t, c.head, c.rows, c.fields...)), "pipe")
		wantError(t, err, c.want)
	}
	_, err := Molecules{Hydrogens: true}.ReadArrow(bytes.NewReader(rowsAs(t, "", graph(""), ends(n)...)), "pipe")
	wantError(t, err, "pipe: its rows are no molecules")
	_, err = Molecules{}.ReadArrow(strings.NewReader("1, 2\n"), "pipe")
	wantError(t, err, "pipe: no stream of Arrow IPC")
}

// A columnar file is read under each of its names, compressed as a whole too, and a damaged one is refused.
func TestColumnarFilesByName(t *testing.T) {
	want := richSet(t, 5)
	for _, c := range []struct {
		name   string
		format Format
	}{{"x.parquet", ParquetFormat}, {"x.arrow", ArrowFormat}, {"x.feather", ArrowFormat}, {"x.arrow.gz", ArrowFormat}} {
		raw := columnarFile(t, want, c.format)
		if strings.HasSuffix(c.name, ".gz") {
			raw = []byte(compress(string(raw)))
		}
		dir := t.TempDir()
		path := filepath.Join(dir, c.name)
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{path, dir} {
			d, err := Open(path)
			if err != nil {
				t.Fatal(err)
			}
			if d.Name != "x" || d.NumGraphs() != 5 || FormatOf(path) != c.format ||
				!slices.Equal(Files(path), []string{filepath.Join(dir, c.name)}) {
				t.Errorf("%s: %s, %d graphs, %s of %v", path, d.Name, d.NumGraphs(), FormatOf(path), Files(path))
			}
		}
		for _, length := range []int{0, 3, 100, len(raw) / 2} {
			if err := os.WriteFile(path, raw[:length], 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := Open(path)
			wantError(t, err, c.name+": ")
		}
	}
}

// columnarFile returns a data set as the bytes of a columnar file.
func columnarFile(t testing.TB, d *Dataset, format Format) []byte {
	t.Helper()
	dir := t.TempDir()
	if err := writeAs(dir, format, d); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(Files(dir)[0])
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// smallSet returns two graphs with everything that columns hold.
func smallSet(t testing.TB) *Dataset {
	b, err := graph.FromArcs([]int32{0, 2, 3}, graph.ArcList{From: []int32{0, 2}, To: []int32{1, 2}, Labels: []int32{0, 1},
		Types: []int32{0, 1}, Weights: []float64{1, 2}}, graph.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	b.Labels, b.NumLabels, b.Attributes, b.AttributeDim = []int32{0, 1, 0}, 2, []float64{1, 2, 3, 4, 5, 6}, 2
	return &Dataset{Name: "small", Batch: b, LabelCodes: []string{"6", "8"}, LabelNames: []string{"C", "O"},
		ArcLabelNames: []string{"1", "2"}, Classes: []int{0, 1}, ClassNames: []string{"a", "b"}, TargetNames: []string{"y"},
		Targets: []float64{1, 2}, Motif: &Motif{[]bool{true, false, false}, make([]bool, b.NumArcs())}}
}

func FuzzColumns(f *testing.F) {
	for _, format := range []Format{ParquetFormat, ArrowFormat} {
		f.Add(columnarFile(f, smallSet(f), format), false)
	}
	words := arrow.ListOf(arrow.BinaryTypes.String)
	f.Add(rowsAs(f, `{"task":"node classification"}`,
		`[{"from":[0],"to":[1],"vertex_class":["a",null],"vertex_split 1":["train","test"]}]`,
		ends(field("vertex_class", words), field("vertex_split 1", words))...), false)
	f.Add(rowsAs(f, "", `[{"smiles":"CCO","y":1.5},{"smiles":"C(","y":2}]`, field("smiles", arrow.BinaryTypes.String),
		field("y", arrow.PrimitiveTypes.Float64)), true)
	f.Fuzz(func(t *testing.T, raw []byte, molecules bool) {
		how := Molecules{SkipInvalid: molecules, Hydrogens: molecules}
		rows, err := columnar.NewReader(bytes.NewReader(raw))
		if err != nil {
			return
		}
		defer rows.Close()
		d, err := readColumnar(rows, "x", "x", how)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Fatalf("error of several lines: %q", err)
			}
			return
		}
		checkSound(t, d)
		checkStored(t, raw, how, d)
		if d.TargetClasses != nil || len(d.TargetNames) > 20 {
			return
		}
		again := columnarFile(t, d, ParquetFormat)
		rows, err = columnar.NewReader(bytes.NewReader(again))
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		back, err := readColumnar(rows, "x", "x", Molecules{})
		if err != nil || !reflect.DeepEqual(back.Batch.Col, d.Batch.Col) {
			t.Fatalf("written and read again: %v", err)
		}
	})
}

// checkStored fails where a file that stays on disk gives other graphs than d, which was read as a whole.
func checkStored(t *testing.T, raw []byte, how Molecules, d *Dataset) {
	t.Helper()
	in := io.NewSectionReader(bytes.NewReader(raw), 0, int64(len(raw)))
	s := &columnarStore{in: in, path: "x", name: "x", how: how}
	if err := s.layOut(); err != nil {
		t.Fatal(err)
	}
	if s.layout.perVertex() {
		return
	}
	if err := s.scan(); err != nil {
		t.Fatal(err)
	}
	got := s.Head().empty()
	if err := s.Each(got.extend); err != nil {
		t.Fatal(err)
	}
	got.Splits, got.Notes, got.Skipped = s.Head().Splits, s.Head().Notes, s.Head().Skipped
	wantSameFields(t, "in pieces", numbers(got), numbers(d))
}
