package dataset

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Open reads the data set at path, whose format it finds out:
//
//   - a folder that holds NAME_A.txt: TU format, see [OpenTU];
//   - a folder that holds edges.csv: a vertex task, see [OpenNode], with its direction detected;
//   - a folder that holds shards.json: a store of shards, see [WriteShards], all of which is read;
//   - a folder that holds train.tree and test.tree, or a file NAME.tree: labelled trees, see [OpenTrees];
//   - a file NAME.txt, or a folder that holds one: the text format of GIN, see [OpenText].
//
// Each file may be compressed (.gz). The error of an unknown folder says what was looked for.
func Open(path string) (*Dataset, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, plainError(err))
	}
	if !info.IsDir() {
		name := strings.TrimSuffix(path, ".gz")
		switch {
		case strings.HasSuffix(name, "_A.txt"):
			return OpenTU(filepath.Dir(path))
		case filepath.Base(name) == "edges.csv":
			return OpenNode(filepath.Dir(path), DetectDirection)
		case strings.HasSuffix(name, treeSuffix):
			return OpenTrees(path)
		case strings.HasSuffix(name, ".txt"):
			return OpenText(path)
		}
		return nil, fmt.Errorf("%s: not a data set: looked for a folder or a file NAME.txt or NAME.tree, plain or .gz", path)
	}
	f := folder{os.DirFS(path), path}
	switch {
	case f.holds(shardIndex):
		return openStore(path)
	case f.holds("*_A.txt") || f.holds("*_graph_indicator.txt"):
		return openTU(f)
	case f.holds("edges.csv") || f.holds("features.coo.csv") || f.holds("labels.csv"):
		return openNode(f, DetectDirection)
	case f.holds("*" + treeSuffix):
		return openTreeFolder(f)
	case f.holds("*.txt"):
		return openTextFolder(f)
	}
	return nil, fmt.Errorf("%s: no data set: looked for NAME_A.txt (TU format), edges.csv (vertex task), "+
		"shards.json (shards), NAME.tree (labelled trees) and NAME.txt (text format of GIN), plain or .gz", path)
}

// holds reports whether a file of the folder matches the pattern, plain or compressed.
func (f folder) holds(pattern string) bool {
	for _, p := range []string{pattern, pattern + ".gz"} {
		if names, err := fs.Glob(f.files, p); err == nil && len(names) > 0 {
			return true
		}
	}
	return false
}
