package dataset

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"maps"
	"strings"
	"testing"
	"testing/fstest"
)

// files is a folder in memory: the text of every file by its name.
type files map[string]string

// folder returns the files as a folder called "data".
func (f files) folder() folder {
	memory := fstest.MapFS{}
	for name, text := range f {
		memory[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return folder{memory, "data"}
}

// with returns the files with some replaced, or removed where the text is "-".
func (f files) with(changes ...string) files {
	changed := files{}
	maps.Copy(changed, f)
	for i := 0; i < len(changes); i += 2 {
		if changes[i+1] == "-" {
			delete(changed, changes[i])
		} else {
			changed[changes[i]] = changes[i+1]
		}
	}
	return changed
}

// wantError checks that the error is one line with the given text.
func wantError(t *testing.T, err error, want string) {
	t.Helper()
	switch {
	case err == nil:
		t.Errorf("no error, want %q", want)
	case strings.Contains(err.Error(), "\n"):
		t.Errorf("error of several lines: %q", err)
	case !strings.Contains(err.Error(), want):
		t.Errorf("error %q, want %q", err, want)
	}
}

// arcsOf lists the arcs of a data set as "u-v" or "u-v:label".
func arcsOf(d *Dataset) string {
	var all []string
	b := d.Batch
	for u := range int32(b.NumVertices()) {
		for a := b.RowPtr[u]; a < b.RowPtr[u+1]; a++ {
			text := fmt.Sprintf("%d-%d", u, b.Col[a])
			if b.ArcLabels != nil {
				text += ":" + d.ArcLabelNames[b.ArcLabels[a]]
			}
			all = append(all, text)
		}
	}
	return strings.Join(all, " ")
}

// compress returns the text as a gzip file.
func compress(text string) string {
	var buffer bytes.Buffer
	w := gzip.NewWriter(&buffer)
	if _, err := fmt.Fprint(w, text); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return buffer.String()
}
