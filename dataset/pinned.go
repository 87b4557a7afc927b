package dataset

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
)

// pinnedSums lists the SHA-256 of what the files of some sets of the TU collection say, see [contentSum].
//
//go:embed pinned.sha256
var pinnedSums string

// ErrChanged says that a data set does not have the contents that are pinned for its name.
var ErrChanged = errors.New("it is not the data set that Grove knows by this name")

// pinned returns the checksums of the files of a data set by their names, nil if they are not pinned.
func pinned(name string) map[string]string {
	var sums map[string]string
	for line := range strings.Lines(pinnedSums) {
		sum, path, _ := strings.Cut(strings.TrimSpace(line), "  ")
		if set, file, _ := strings.Cut(path, "/"); set == name && file != "" {
			if sums == nil {
				sums = map[string]string{}
			}
			sums[file] = sum
		}
	}
	return sums
}

// CheckPinned compares the files in dir with the contents that are pinned for the data set NAME and returns the number
// of those that are as they should be: 0, without an error, where nothing is pinned. The error names the first file
// that is missing or different, or that is not one of the data set but would be read with it; it wraps [ErrChanged].
//
// Contents are compared as numbers are read: ends of lines, blanks beside numbers and compression do not count, which
// differ between copies of the collection.
func CheckPinned(dir, name string) (files int, err error) {
	sums := pinned(name)
	if sums == nil {
		return 0, nil
	}
	f := folder{os.DirFS(dir), dir}
	for _, file := range slices.Sorted(maps.Keys(sums)) {
		switch sum, err := contentSum(f, file); {
		case f.find(file) == "":
			return 0, fmt.Errorf("%w: there is no %s", ErrChanged, file)
		case err != nil:
			return 0, fmt.Errorf("%w: %w", ErrChanged, err)
		case sum != sums[file]:
			return 0, fmt.Errorf("%w: %s says something else", ErrChanged, file)
		}
	}
	more, err := fs.Glob(f.files, name+"_*.txt*")
	if err != nil {
		return 0, err
	}
	if f.find(shardIndex) != "" {
		more = append(more, shardIndex)
	}
	for _, file := range more {
		if sums[strings.TrimSuffix(file, ".gz")] == "" && !strings.Contains(strings.ToLower(file), "readme") {
			return 0, fmt.Errorf("%w: it has no %s", ErrChanged, file)
		}
	}
	return len(sums), nil
}

// contentSum returns the SHA-256 of the lines of a file, plain or compressed, without the blanks around the fields
// that commas separate, each with a newline at its end.
func contentSum(f folder, file string) (string, error) {
	l, err := f.open(file)
	if err != nil {
		return "", err
	}
	defer l.close()
	sum := sha256.New()
	var line []byte
	for l.next() {
		line = line[:0]
		for field := range bytes.SplitSeq(l.line, []byte(",")) {
			line = append(append(line, bytes.TrimSpace(field)...), ',')
		}
		line[len(line)-1] = '\n'
		sum.Write(line)
	}
	return hex.EncodeToString(sum.Sum(nil)), l.err
}
