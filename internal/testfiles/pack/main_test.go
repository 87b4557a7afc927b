package main

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"testing"
	"testing/fstest"
	"time"
)

func TestTheSameFilesMakeTheSameArchive(t *testing.T) {
	files := map[string]string{"wl/b.json": "{}", "wl/a.json": `{"kind": "x"}`, "README.md": "words"}
	var first, second bytes.Buffer
	for i, to := range []*bytes.Buffer{&first, &second} {
		folder := fstest.MapFS{}
		for name, content := range files {
			folder[name] = &fstest.MapFile{Data: []byte(content), ModTime: time.Unix(int64(1e9*i), 0)}
		}
		if err := pack(to, folder); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("the archive depends on the times of its files")
	}
	archive, err := zip.NewReader(bytes.NewReader(first.Bytes()), int64(first.Len()))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		if got, err := fs.ReadFile(archive, name); string(got) != want || err != nil {
			t.Errorf("%s holds %q, %v; want %q", name, got, err, want)
		}
	}
	if len(archive.File) != len(files) {
		t.Errorf("%d files of %d", len(archive.File), len(files))
	}
}
