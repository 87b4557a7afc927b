package dataset

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// located is a data set that was found.
type located struct {
	format format // without a name if there is none
	folder folder
	file   string // the file that was named, "" for the folder
}

// find returns the data set at path, a folder or a file.
func (how Reading) find(path string) (located, error) {
	if _, err := os.Stat(path); err != nil {
		if _, compressed := os.Stat(path + ".gz"); compressed != nil {
			return located{}, fmt.Errorf("%s: %w", path, plainError(err))
		}
		path += ".gz"
	}
	var p located
	p.folder, p.file = locate(path)
	for _, known := range formats {
		if p.file == "" && known.in(p.folder) || p.file != "" && known.opens(p.folder, p.file, how) {
			p.format = known
			return p, nil
		}
	}
	return p, nil
}

// Open reads the data set at path, whose format it finds out:
//
//   - a folder that holds NAME_A.txt: TU format, see [OpenTU];
//   - a folder that holds shards.json: a store of shards, see [WriteShards], all of which is read;
//   - a folder that holds labels.csv: a vertex task, see [OpenNode], with its direction detected;
//   - a folder that holds train.tree and test.tree, or a file NAME.tree: labelled trees, see [OpenTrees];
//   - a file NAME.txt, or a folder that holds one: the text format of GIN, see [OpenText];
//   - a file NAME.csv with a column smiles, NAME.smi or NAME.sdf, or a folder that holds one: molecules, see
//     [Molecules];
//   - a file NAME.parquet, NAME.arrow or NAME.feather, or a folder that holds one: a row a graph (docs/formats.md);
//   - a file NAME.json or NAME.jsonl, or a folder that holds one: node-link JSON, see [Tables];
//   - another file NAME.csv, NAME.tsv, NAME.edges, NAME.edgelist or NAME.txt, or a folder with edges.csv, with one such
//     file or with one a graph: a list of edges, with tables of vertices and graphs beside it, see [Tables].
//
// Each file may be compressed (.gz). The error of an unknown folder says what was looked for. A data set that is
// replaced by another one while it is read is read again.
func Open(path string) (*Dataset, error) { return Reading{}.Open(path) }

// asOne reads a folder by several files, again where it was meanwhile replaced by another one: the files of two data
// sets are none.
func asOne(path string, read func() error) error {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		path = filepath.Dir(path)
	}
	for range 5 {
		held, err := os.Open(path) // so that no other folder gets its identity
		if err != nil {
			return read()
		}
		before, errBefore := held.Stat()
		err = read()
		after, errAfter := os.Stat(path)
		_ = held.Close()
		if errors.Join(errBefore, errAfter) != nil || os.SameFile(before, after) {
			return err
		}
	}
	return fmt.Errorf("%s: the data set was replaced again and again while it was read", path)
}

func (how Reading) open(path string) (*Dataset, error) {
	p, err := how.find(path)
	switch {
	case err != nil:
		return nil, err
	case p.format.Format != NoFormat:
		return p.format.open(p.folder, p.file, how)
	}
	var files, looks []string
	for _, known := range formats {
		looks = append(looks, known.String())
		if known.alone && !slices.Contains(files, known.File) {
			files = append(files, known.File)
		}
	}
	if p.file != "" {
		return nil, fmt.Errorf("%s: not a data set: looked for a folder or a file %s, plain or .gz", path,
			strings.Join(files, " or "))
	}
	last := len(looks) - 1
	return nil, fmt.Errorf("%s: no data set: looked for %s and %s, plain or .gz", path, strings.Join(looks[:last], ", "),
		looks[last])
}

// FormatOf returns the format of the data set that [Open] would read at path, a folder or a file.
func FormatOf(path string) Format { return Reading{}.FormatOf(path) }

// FormatOf is the function [FormatOf] for a data set that is read in another way than by default.
func (how Reading) FormatOf(path string) Format {
	p, err := how.find(path)
	if err != nil {
		return NoFormat
	}
	return p.format.Format
}

// Files returns the paths of the files that make up the data set at path, a folder or a file. There are none where
// [Open] would find no data set.
func Files(path string) []string {
	p, err := Reading{}.find(path)
	if err != nil || p.format.Format == NoFormat {
		return nil
	}
	if p.file != "" && p.format.alone {
		paths := []string{path}
		if p.format.beside != nil {
			for _, name := range p.format.beside(p.folder, p.file) {
				paths = append(paths, p.folder.path(name))
			}
		}
		return paths
	}
	names := p.format.files(p.folder)
	paths := make([]string, len(names))
	for i, name := range names {
		paths[i] = p.folder.path(name)
	}
	return paths
}

// holds reports whether a file of the folder matches the pattern, plain or compressed.
func (f folder) holds(pattern string) bool { return len(f.stored(pattern)) > 0 }

// stored returns the files of the folder that match one of the patterns, plain or compressed.
func (f folder) stored(patterns ...string) []string {
	var found []string
	for _, pattern := range patterns {
		for _, p := range []string{pattern, pattern + ".gz"} {
			if names, err := fs.Glob(f.files, p); err == nil {
				found = append(found, names...)
			}
		}
	}
	return found
}
