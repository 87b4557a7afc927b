package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/grove-graph/grove/atomicfile"
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

// writableFolder checks before long work that a folder can be made, or written to where it is there.
func writableFolder(flag, path string) error {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return usagef("%s %s: this is a file; give a folder", flag, path)
	}
	there, err := filepath.Abs(path)
	if err != nil {
		return fmt.Errorf("%s %s: %w", flag, path, plain(err))
	}
	for {
		info, err := os.Stat(there)
		if err == nil && !info.IsDir() {
			return usagef("%s %s: %s is a file, not a folder", flag, path, there)
		}
		if err == nil || there == filepath.Dir(there) {
			break
		}
		there = filepath.Dir(there)
	}
	if err := atomicfile.Check(filepath.Join(there, "new")); err != nil {
		return fmt.Errorf("%s %s: %w", flag, path, plain(err))
	}
	return nil
}
