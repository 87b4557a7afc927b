package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/grove-graph/grove/atomicfile"
	"github.com/grove-graph/grove/dataset"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// writeFile makes a file by calling content. The flag is the one that named the file, for errors.
func writeFile(flag, path string, content func(w io.Writer) error) error {
	if err := atomicfile.Write(path, content); err != nil {
		return fmt.Errorf("%s %s: %w", flag, path, plain(err))
	}
	return nil
}

// plain drops the operation and the path that file errors repeat.
func plain(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}

// writable checks before long work that a file can be made.
func writable(flag, path string) error {
	dir := filepath.Dir(path)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return usagef("%s %s: there is no folder %s", flag, path, dir)
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return usagef("%s %s: this is a folder; name a file", flag, path)
	}
	if err := atomicfile.Check(path); err != nil {
		return fmt.Errorf("%s %s: %w", flag, path, plain(err))
	}
	return nil
}

// newOutput begins to write a data set, or one in each of some parts, to the folder that --out names.
func newOutput(dir string, overwrite bool, parts ...string) (*dataset.Output, error) {
	out, err := dataset.NewOutput(dir, overwrite, parts...)
	var occupied *dataset.OccupiedError
	var unfit *atomicfile.UnfitError
	switch {
	case errors.As(err, &occupied):
		return nil, usagef("--out %s: the folder holds a data set already (%s format); "+
			"name another one, or replace it with --overwrite", occupied.Dir, occupied.Format)
	case errors.As(err, &unfit):
		return nil, usagef("--out %s: %v", dir, unfit)
	case err != nil:
		return nil, fmt.Errorf("--out %w", err)
	}
	return out, nil
}

// Flags that name a file or a folder, by whether it is read or written.
const (
	isRead    = "read"
	isWritten = "written"
)

// fileFlags says of every flag that takes a file or a folder what becomes of it.
func fileFlags() map[string]string {
	return map[string]string{
		"data": isRead, "model": isRead, "folds": isRead, "models": isRead, "ranks": isRead, "from": isRead,
		"vertex-table": isRead, "graph-table": isRead,
		"out": isWritten, "plot": isWritten, "predictions": isWritten, "html": isWritten, "ids": isWritten,
		"class-map": isWritten, "checkpoint": isWritten, "plan": isWritten,
		"dir": "", // folders are made in it, or left alone
	}
}

// valueOf returns the value of a flag as a command line gives it.
func valueOf(f *pflag.Flag) string {
	if list, ok := f.Value.(pflag.SliceValue); ok {
		return strings.Join(list.GetSlice(), ",")
	}
	return f.Value.String()
}

// readsArguments marks a command whose arguments are data sets, or other files, to read.
const readsArguments = "reads arguments"

// mention is a file or folder and what names it on the command line.
type mention struct{ by, path string }

// keepApart refuses a command line on which an output is one of the inputs, or another output: it would be destroyed.
func keepApart(c *cobra.Command, args []string) error {
	var inputs, outputs []mention
	roles := fileFlags()
	c.Flags().VisitAll(func(f *pflag.Flag) {
		paths := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			paths = list.GetSlice()
		}
		for _, path := range paths {
			switch {
			case path == "" || path == "-":
			case roles[f.Name] == isRead:
				inputs = append(inputs, mention{"--" + f.Name + " " + path, path})
			case roles[f.Name] == isWritten:
				outputs = append(outputs, mention{"--" + f.Name, path})
			}
		}
	})
	if c.Annotations[readsArguments] != "" {
		for _, path := range args {
			inputs = append(inputs, mention{path, path})
		}
	}
	for i, out := range outputs {
		for _, other := range outputs[:i] {
			if samePlace(out.path, other.path) {
				return usagef("%s and %s are the same file, %s: name two", other.by, out.by, out.path)
			}
		}
		there, err := os.Stat(out.path)
		if err != nil || !there.IsDir() && !there.Mode().IsRegular() {
			continue // nothing to lose
		}
		for _, in := range inputs {
			if reads(in.path, there) {
				return usagef("%s %s: this is read from (%s) and would be lost; name another one", out.by, out.path, in.by)
			}
		}
	}
	return nil
}

// reads reports whether what is there is among the files of an input, or a folder around one of them.
func reads(input string, there fs.FileInfo) bool {
	files := append(dataset.Files(input), input)
	if entries, err := os.ReadDir(input); err == nil && len(files) == 1 { // no data set: folds
		for _, e := range entries {
			files = append(files, filepath.Join(input, e.Name()))
		}
	}
	for _, file := range files {
		file, err := atomicfile.Resolve(file)
		for err == nil {
			if info, err := os.Stat(file); err == nil && os.SameFile(info, there) {
				return true
			}
			if !there.IsDir() || file == filepath.Dir(file) {
				break
			}
			file = filepath.Dir(file)
		}
	}
	return false
}

// samePlace reports whether two paths lead to the same file, which need not be there yet.
func samePlace(a, b string) bool {
	placeA, errA := atomicfile.Resolve(a)
	placeB, errB := atomicfile.Resolve(b)
	if errors.Join(errA, errB) != nil {
		return false
	}
	x, errX := os.Stat(placeA)
	y, errY := os.Stat(placeB)
	return placeA == placeB || errX == nil && errY == nil && os.SameFile(x, y)
}
