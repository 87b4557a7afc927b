package dataset

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/grove-graph/grove/internal/testfiles"
)

// The pinned sums are those of the files, of which there are no others in a set.
func TestPinnedSums(t *testing.T) {
	for _, name := range []string{"AIDS", "BZR", "COX2", "ENZYMES", "MUTAG", "NCI1", "PROTEINS", "PTC_MR"} {
		dir := testfiles.Data(t, "tu", name)
		if n, err := CheckPinned(dir, name); err != nil || n < 4 {
			t.Errorf("%s: %d files, %v", name, n, err)
		}
	}
	if n, err := CheckPinned(t.TempDir(), "PTC"); n != 0 || err != nil {
		t.Errorf("a set that is not pinned: %d files, %v", n, err)
	}
}

// offer serves the archive of a data set and returns the options to fetch it with.
func offer(t *testing.T, name string, archive []byte) FetchOptions {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/"+name+".zip" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(archive)
	}))
	t.Cleanup(server.Close)
	return FetchOptions{Dir: t.TempDir(), BaseURL: server.URL}
}

// Copies of a set differ in ends of lines and blanks; what is said otherwise, or beside it, is another set.
func TestFetchVerifiesPinnedContents(t *testing.T) {
	dir := testfiles.Data(t, "tu", "MUTAG")
	archive := func(change func(file, content string) string, more ...string) []byte {
		var buffer bytes.Buffer
		w := zip.NewWriter(&buffer)
		add := func(file, content string) {
			f, err := w.Create("MUTAG/" + file)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.WriteString(f, content)
		}
		for _, kind := range []string{"A", "edge_labels", "graph_indicator", "graph_labels", "node_labels"} {
			file := "MUTAG_" + kind + ".txt"
			raw, err := os.ReadFile(filepath.Join(dir, file))
			if err != nil {
				t.Fatal(err)
			}
			if content := change(file, string(raw)); content != "" {
				add(file, content)
			}
		}
		for _, file := range more {
			add(file, "0\n")
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return buffer.Bytes()
	}
	same := func(_, content string) string { return content }
	windows := func(_, content string) string {
		return strings.ReplaceAll(strings.ReplaceAll(content, ", ", " ,   "), "\n", " \r\n") + "\r\n"
	}
	one := func(file, to string) func(string, string) string {
		return func(f, content string) string {
			if f == file {
				return to + content[min(len(content), 2*len(to)):]
			}
			return content
		}
	}
	without := func(left string) func(string, string) string {
		return func(file, content string) string {
			if file == left {
				return ""
			}
			return content
		}
	}
	none := func(string, string) string { return "" }
	for name, c := range map[string]struct {
		archive []byte
		want    string // of the error; "": the set is taken
	}{
		"as they are":        {archive(same, "README.txt", "MUTAG_label_readme.txt"), ""},
		"other line ends":    {archive(windows), ""},
		"a class turned":     {archive(one("MUTAG_graph_labels.txt", "-1\n")), "MUTAG_graph_labels.txt says something else"},
		"an arc moved":       {archive(one("MUTAG_A.txt", "3, 1\n")), "MUTAG_A.txt says something else"},
		"a file left out":    {archive(without("MUTAG_node_labels.txt")), "there is no MUTAG_node_labels.txt"},
		"attributes beside":  {archive(same, "MUTAG_node_attributes.txt"), "it has no MUTAG_node_attributes.txt"},
		"compressed beside":  {archive(same, "MUTAG_graph_attributes.txt.gz"), "it has no MUTAG_graph_attributes.txt.gz"},
		"another set inside": {archive(same, "shards.json"), "it has no shards.json"},
		"nothing but arcs":   {archive(none, "MUTAG_A.txt"), "MUTAG_A.txt says something else"},
	} {
		t.Run(name, func(t *testing.T) {
			opt := offer(t, "MUTAG", c.archive)
			f, err := Fetch(context.Background(), "MUTAG", opt)
			if c.want == "" {
				if err != nil || f.Known != 5 || f.Change != nil || f.Before {
					t.Fatalf("%+v, %v", f, err)
				}
				if f, err = Fetch(context.Background(), "MUTAG", opt); err != nil || f.Known != 5 || !f.Before {
					t.Errorf("once more: %+v, %v", f, err)
				}
				return
			}
			if !errors.Is(err, ErrChanged) {
				t.Errorf("the error is not ErrChanged: %v", err)
			}
			wantError(t, err, c.want)
			wantFiles(t, opt.Dir)
			opt.AcceptChanged = true
			f, err = Fetch(context.Background(), "MUTAG", opt)
			if err != nil || f.Known != 0 || !errors.Is(f.Change, ErrChanged) {
				t.Errorf("accepted: %+v, %v", f, err)
			}
		})
	}
}

// However much a server sends, and whatever it says of the length, the download ends at the limit.
func TestFetchBoundsTheDownload(t *testing.T) {
	const limit = 1 << 20
	block := make([]byte, 1<<15)
	for name, start := range map[string]func(w http.ResponseWriter){
		"endless":         func(w http.ResponseWriter) {},
		"stated too long": func(w http.ResponseWriter) { w.Header().Set("Content-Length", "99999999999") },
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				start(w)
				for r.Context().Err() == nil {
					if _, err := w.Write(block); err != nil {
						return
					}
				}
			}))
			defer server.Close()
			dir, most := t.TempDir(), int64(0)
			_, err := Fetch(context.Background(), "X", FetchOptions{Dir: dir, BaseURL: server.URL, MaxDownload: limit,
				Progress: func(done, _ int64) { most = max(most, done) }})
			wantError(t, err, "the server sends more than the 1048576 bytes that are taken at most")
			if most > limit {
				t.Errorf("%d bytes were taken", most)
			}
			wantFiles(t, dir)
		})
	}
	// What was there of an interrupted download counts.
	s := newArchiveServer(t, smallArchive(t))
	dir := t.TempDir()
	breakOff(t, s, dir)
	_, err := s.fetch(dir, func(opt *FetchOptions) { opt.MaxDownload = int64(len(s.content)) - 1 })
	wantError(t, err, "the server sends more than")
	path, err := s.fetch(dir, func(opt *FetchOptions) { opt.MaxDownload = int64(len(s.content)) })
	wantFetched(t, dir, path, err)
}
