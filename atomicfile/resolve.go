package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Resolve returns the absolute path, without links, to which path leads or at which a file of this name would be made:
// the last parts of it need not be there. Links are followed as the system does it, before "..".
func Resolve(path string) (string, error) {
	if !filepath.IsAbs(path) {
		dir, err := os.Getwd()
		if err != nil {
			return "", err
		}
		path = dir + string(filepath.Separator) + path // not cleaned
	}
	for range 40 {
		there, err := filepath.EvalSymlinks(path)
		if !missing(err) {
			return there, err
		}
		path = strings.TrimRight(path, string(filepath.Separator))
		dir, name := filepath.Split(path)
		switch link, notLink := os.Readlink(path); {
		case name == "" || name == "..":
			return "", err
		case name == ".":
			path = dir
		case notLink != nil:
			parent, err := Resolve(dir)
			return filepath.Join(parent, name), err
		case filepath.IsAbs(link):
			path = link
		default:
			path = dir + link
		}
	}
	return "", errLinks
}

// missing reports whether an error says that there is nothing at a path, be it that a file is above it.
func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}
