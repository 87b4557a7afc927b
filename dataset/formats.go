package dataset

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/grove-graph/grove/columnar"
)

// Format is how a data set is stored.
type Format string

// The formats of [Open].
const (
	NoFormat      Format = "" // there is no data set
	TUFormat      Format = "TU"
	NodeFormat    Format = "vertex task"
	TextFormat    Format = "text"
	TreeFormat    Format = "tree"
	StoreFormat   Format = "shards"
	TableFormat   Format = "table of molecules"
	SmilesFormat  Format = "SMILES"
	SDFormat      Format = "SDF"
	ParquetFormat Format = "Parquet"
	ArrowFormat   Format = "Arrow"
	EdgeFormat    Format = "edge list"
	LinkFormat    Format = "node-link JSON"
)

// FormatInfo says what a format is.
type FormatInfo struct {
	Format    Format
	Short     string // its name on a command line
	File      string // the file by which a data set of the format is known, with NAME for any name
	Title     string
	About     string // a paragraph or more for help, "" where the title says enough
	Written   bool   // whether [Output.Write] knows it; every format is read
	Streamed  bool   // whether [Output.WriteStream] knows it
	Molecules bool   // whether it holds molecules, which [Reading] says how to read
}

// String says what makes a folder a data set of the format.
func (f FormatInfo) String() string { return fmt.Sprintf("%s (%s)", f.File, f.Title) }

// format is all that is known of a format. Whatever depends on formats goes by the list of them.
type format struct {
	FormatInfo
	alone  bool                                 // whether the file is a data set by itself, or part of a folder
	also   []string                             // patterns of other names of such a file
	beside func(f folder, file string) []string // what is read beside such a file; nil where it is nothing
	// whether a file of such a name is one of the format; nil where the name says it all
	knows func(f folder, file string, how Reading) bool

	in    func(f folder) bool     // whether a folder holds a data set of the format
	files func(f folder) []string // the files of the data set in a folder
	// the data set in a folder, or that of one of its files
	open  func(f folder, file string, how Reading) (*Dataset, error)
	write func(w *folderWriter, d *Dataset) error // nil where the format is only read
	from  func(w *folderWriter, s Stream) error   // nil where only a whole data set is written
}

// formats lists the formats. A folder that several recognise has the first of them.
var formats = []format{
	{
		FormatInfo: FormatInfo{Format: TUFormat, Short: "tu", File: "NAME_A.txt", Title: "TU format", About: aboutTU},
		in:         func(f folder) bool { return f.holds("*_A.txt") || f.holds("*_graph_indicator.txt") },
		files:      tuFiles,
		open:       func(f folder, _ string, _ Reading) (*Dataset, error) { return openTU(f) },
		write:      func(w *folderWriter, d *Dataset) error { return writeTU(w, d) },
		from:       writeTU,
	},
	{
		FormatInfo: FormatInfo{Format: StoreFormat, Short: "shards", File: shardIndex, Title: "shards", About: aboutShards},
		in:         func(f folder) bool { return f.holds(shardIndex) },
		files:      func(f folder) []string { return f.stored(shardIndex, shardFiles) },
		open:       func(f folder, _ string, _ Reading) (*Dataset, error) { return openStore(f.name) },
		write:      func(w *folderWriter, d *Dataset) error { return writeStore(w, d) },
		from:       writeStore,
	},
	{
		FormatInfo: FormatInfo{Format: NodeFormat, Short: "node", File: "edges.csv", Title: "vertex task", About: aboutNode},
		knows:      func(f folder, _ string, _ Reading) bool { return holdsNode(f) },
		in:         holdsNode,
		files:      func(f folder) []string { return f.stored(nodeFiles()...) },
		open:       func(f folder, _ string, _ Reading) (*Dataset, error) { return openNode(f, DetectDirection) },
		write:      writeNode,
	},
	{
		FormatInfo: FormatInfo{Format: TreeFormat, Short: "tree", File: "NAME" + treeSuffix, Title: "labelled trees"},
		alone:      true,
		in:         func(f folder) bool { return f.holds("*" + treeSuffix) },
		files:      func(f folder) []string { return f.stored("*" + treeSuffix) },
		open:       func(f folder, file string, _ Reading) (*Dataset, error) { return openTreesIn(f, file) },
	},
	{
		FormatInfo: FormatInfo{Format: TextFormat, Short: "text", File: "NAME.txt", Title: "text format of GIN"},
		alone:      true,
		knows:      func(f folder, file string, how Reading) bool { return !listsEdges(f, file, how) },
		in:         func(f folder) bool { return len(textFiles(f)) > 0 },
		files:      textFiles,
		open:       func(f folder, file string, _ Reading) (*Dataset, error) { return openTextIn(f, file) },
	},
	{
		FormatInfo: FormatInfo{Format: TableFormat, Short: "smiles", File: "NAME.csv", Title: "table with a column of SMILES",
			About: aboutTable, Molecules: true},
		alone: true,
		knows: holdsMolecules,
		in:    func(f folder) bool { return len(tableFiles(f)) > 0 },
		files: tableFiles,
		open:  openTable,
		write: writeTable,
	},
	{
		FormatInfo: FormatInfo{Format: SmilesFormat, Short: "smi", File: "NAME" + smilesSuffix, Title: "SMILES, one a line",
			Molecules: true},
		alone: true,
		in:    func(f folder) bool { return f.holds("*" + smilesSuffix) },
		files: func(f folder) []string { return f.stored("*" + smilesSuffix) },
		open:  openSmiles,
	},
	{
		FormatInfo: FormatInfo{Format: SDFormat, Short: "sdf", File: "NAME" + sdfSuffix, Title: "SDF, molecules with values",
			Molecules: true},
		alone: true,
		in:    func(f folder) bool { return f.holds("*" + sdfSuffix) },
		files: func(f folder) []string { return f.stored("*" + sdfSuffix) },
		open:  openSDF,
	},
	{
		FormatInfo: FormatInfo{Format: ParquetFormat, Short: "parquet", File: "NAME" + columnar.Parquet,
			Title: "Parquet, one row a graph", About: aboutParquet, Molecules: true},
		alone: true,
		in:    func(f folder) bool { return f.holds("*" + columnar.Parquet) },
		files: parquetFiles,
		open: func(f folder, file string, how Reading) (*Dataset, error) {
			return openColumnar(f, file, parquetFiles(f), how.Molecules)
		},
		write: func(w *folderWriter, d *Dataset) error { return writeParquet(w, d) },
		from:  writeParquet,
	},
	{
		FormatInfo: FormatInfo{Format: ArrowFormat, Short: "arrow", File: "NAME" + columnar.Arrow,
			Title: "Arrow IPC, or Feather, one row a graph", About: aboutArrow, Molecules: true},
		alone: true,
		also:  []string{"*" + columnar.Feather},
		in:    func(f folder) bool { return len(arrowFiles(f)) > 0 },
		files: arrowFiles,
		open: func(f folder, file string, how Reading) (*Dataset, error) {
			return openColumnar(f, file, arrowFiles(f), how.Molecules)
		},
		write: func(w *folderWriter, d *Dataset) error { return writeArrow(w, d) },
		from:  writeArrow,
	},
	{
		FormatInfo: FormatInfo{Format: LinkFormat, Short: "json", File: "NAME.json",
			Title: "node-link form of NetworkX, also .jsonl", About: aboutLinks},
		alone: true,
		also:  []string{"*.jsonl", "*.ndjson"},
		in:    func(f folder) bool { return len(linkFiles(f)) > 0 },
		files: linkFiles,
		open:  openLinks,
		write: writeLinks,
	},
	{
		FormatInfo: FormatInfo{Format: EdgeFormat, Short: "edges", File: "NAME.csv",
			Title: "list of edges, also .tsv, .edges, .edgelist", About: aboutEdges},
		alone:  true,
		also:   []string{"*.tsv", "*.edges", "*.edgelist", "*.txt"},
		in:     holdsEdges,
		beside: tablesBeside,
		files:  tablesIn,
		open:   openEdges,
		write:  writeEdgeTables,
	},
}

func parquetFiles(f folder) []string { return f.stored("*" + columnar.Parquet) }

func arrowFiles(f folder) []string { return f.stored("*"+columnar.Arrow, "*"+columnar.Feather) }

const aboutTU = `The TU format is the easiest to write for your own graphs. In a folder NAME, with all vertices
numbered from 1 through the whole data set:

  NAME_A.txt                 "i, j" for every edge between vertices i and j
  NAME_graph_indicator.txt   for every vertex the number of its graph
  NAME_graph_labels.txt      for every graph its class, a whole number
  NAME_node_labels.txt       for every vertex its label, a whole number (if there are labels)
  NAME_node_attributes.txt   for every vertex its real values (if there are any)

Add the names of labels to NAME_node_label_names.txt, lines like "0 C", to see them in drawings.
docs/formats.md has this format with all its optional files, and every other one, with examples.`

const aboutShards = `Shards are binary files from which single graphs are read in any order. Every command reads them.
grove predict and embed, and grove train of the models of gckn and of those that are trained end to
end (gckn-path-sup, gcn and their like), leave the graphs on disk and read some at a time, so that the
data need not fit in memory. The result is the same bit for bit; that of a network that is trained end
to end on more than 10000 graphs, for the same --start-graphs.`

const aboutNode = `A vertex task is one graph: edges.csv lists its edges, labels.csv the classes or numbers of vertices,
features.csv or features.coo.csv their attributes, and split_*.csv the folds of its authors.`

const aboutTable = `A table of molecules is NAME.csv with a header: a column smiles holds them, the others what is to be
predicted, classes or numbers, an empty value where nothing is known. Vertices need elements as the
names of their labels, and edges the codes of bonds as labels: 1 single, 2 double, 3 triple, 4 (or 0)
aromatic.`

const aboutParquet = `Parquet has a row for each graph: lists from and to of the ends of its arcs, labels and
attributes of its vertices, class, and so on (docs/formats.md), or molecules as a column smiles.
Nothing is lost on the way there and back.`

const aboutArrow = `Arrow IPC has the same columns as Parquet, in files (.arrow, .feather) or on a pipe: --data - reads
a stream from standard input.`

const aboutEdges = `A list of edges is a table with two columns of vertices, called source,target for instance, and
as far as there are any weight, label, type and graph. vertices.csv and graphs.csv beside edges.csv
say what is known of vertices and graphs: labels, attributes, classes and targets.`

const aboutLinks = `Graphs in the form that networkx.node_link_data gives, as JSON: one in NAME.json, or one a line in
NAME.jsonl. What "graph" says of a graph is to be predicted, but for its name.`

// Formats says what the formats are that [Open] reads.
func Formats() []FormatInfo {
	list := make([]FormatInfo, len(formats))
	for i, f := range formats {
		list[i] = f.FormatInfo
		list[i].Written, list[i].Streamed = f.write != nil, f.from != nil
	}
	return list
}

// opens reports whether a file, plain or compressed, is one by which the format is known.
func (f format) opens(in folder, file string, how Reading) bool {
	named := slices.ContainsFunc(append(f.also, strings.Replace(f.File, "NAME", "*", 1)), func(pattern string) bool {
		match, _ := path.Match(pattern, strings.TrimSuffix(file, ".gz"))
		return match
	})
	return named && (f.knows == nil || f.knows(in, file, how))
}

// formatNamed returns a format that can be written.
func formatNamed(name Format) (format, error) {
	i := slices.IndexFunc(formats, func(f format) bool { return f.Format == name && f.write != nil })
	if i < 0 {
		return format{}, fmt.Errorf("format %q is not written", name)
	}
	return formats[i], nil
}

// DefaultFormat returns the format of [Write]: that of vertex tasks for a task per vertex, or else the TU format.
func DefaultFormat(d *Dataset) Format {
	if d.Task.PerVertex() {
		return NodeFormat
	}
	return TUFormat
}
