package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/grove-graph/grove/internal/testfiles"
)

func itoa(n int) string { return strconv.Itoa(n) }

func TestDataListNamesWhatCanBeHad(t *testing.T) {
	text := must(t, "data", "list")
	for _, want := range []string{"MUTAG", "188", "NCI1", "molecules", "power-law"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in the list", want)
		}
	}
	list := mustJSON(t, "data", "list")
	if len(list["download"].([]any)) < 10 || len(list["generate"].([]any)) < 3 {
		t.Error("--json lists less")
	}
}

func TestDataSynthThenInfo(t *testing.T) {
	dir := molecules(t, "made")
	info := mustJSON(t, "data", "info", dir)
	if info["name"] != "made" || info["graphs"] != 60.0 || len(info["class_names"].([]any)) != 2 {
		t.Errorf("info of a generated data set: %v", info)
	}
	for _, want := range []string{"graphs", "60", "classes", "vertex labels"} {
		if text := must(t, "data", "info", dir); !strings.Contains(text, want) {
			t.Errorf("no %q in %q", want, text)
		}
	}
}

func TestDataSynthFollowsTheSeed(t *testing.T) {
	read := func(seed string) string {
		dir := molecules(t, "d", "--seed", seed)
		raw, err := os.ReadFile(filepath.Join(dir, "d_A.txt"))
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	first, again := read("5"), read("5")
	if first != again {
		t.Error("the same seed gives other graphs")
	}
	if first == read("6") {
		t.Error("another seed gives the same graphs")
	}
}

func TestDataConvertTextToTU(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "pair.txt"), "2\n2 0\n0 1 1\n1 1 0\n3 1\n0 2 1 2\n1 1 0\n1 1 0\n")
	out := filepath.Join(dir, "converted")
	must(t, "data", "convert", filepath.Join(dir, "pair.txt"), "--to", "tu", "--out", out)
	info := mustJSON(t, "data", "info", out)
	if info["graphs"] != 2.0 || info["vertices"] != 5.0 || info["arcs"] != 6.0 {
		t.Errorf("the converted data set: %v", info)
	}
}

func TestDataConvertVertexTask(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "blocks"), filepath.Join(dir, "copy")
	must(t, "data", "synth", "block-model", "--vertices", "40", "--out", from)
	must(t, "data", "convert", from, "--to", "node", "--out", to)
	if a, b := mustJSON(t, "data", "info", from), mustJSON(t, "data", "info", to); a["arcs"] != b["arcs"] ||
		a["attributes"] != b["attributes"] {
		t.Errorf("%v became %v", a, b)
	}
	fails(t, exitFailure, nil, "data", "convert", from, "--to", "tu", "--out", filepath.Join(dir, "no"))
}

func TestDataFetchFromServer(t *testing.T) {
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	for name, content := range map[string]string{
		"TINY/TINY_A.txt": "1, 2\n2, 1\n", "TINY/TINY_graph_indicator.txt": "1\n1\n2\n",
		"TINY/TINY_graph_labels.txt": "0\n1\n",
	} {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = w.Write([]byte(content))
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/tu/TINY.zip" && r.URL.Path != "/tu/MUTAG.zip" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(archive.Bytes())
	}))
	defer server.Close()
	dir := t.TempDir()
	if info := mustJSON(t, "data", "fetch", "TINY", "--dir", dir, "--url", server.URL+"/tu"); info["graphs"] != 2.0 ||
		info["folder"] != filepath.Join(dir, "TINY") ||
		info["verified"] != "this set is not pinned: only the archive's own checksums were verified" {
		t.Errorf("fetched: %v", info)
	}
	fails(t, exitFailure, []string{"OTHER", "404"}, "data", "fetch", "OTHER", "--dir", dir, "--url", server.URL+"/tu")
}

// What is offered by a known name is held against what Grove knows of it, its size and its contents.
func TestFetchKnowsItsSets(t *testing.T) {
	content := "1, 2\n2, 1\n"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		z := zip.NewWriter(w)
		for name, text := range map[string]string{
			"MUTAG/MUTAG_A.txt": content, "MUTAG/MUTAG_graph_indicator.txt": "1\n1\n2\n",
			"MUTAG/MUTAG_graph_labels.txt": "0\n1\n",
		} {
			f, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
			if err == nil {
				_, err = f.Write([]byte(text))
			}
			if err != nil {
				return
			}
		}
		_ = z.Close()
	}))
	defer server.Close()
	fetch := []string{"data", "fetch", "MUTAG", "--dir", t.TempDir(), "--url", server.URL}
	fails(t, exitFailure, []string{"MUTAG", "not the data set that Grove knows", "--accept-changed"}, fetch...)
	text := must(t, append(fetch, "--accept-changed")...)
	if !strings.Contains(text, "MUTAG_A.txt says something else; only the archive's own checksums were verified") {
		t.Errorf("a changed set is accepted without a word: %s", text)
	}
	if r := mustJSON(t, fetch...); !strings.Contains(r["changed"].(string), "MUTAG_A.txt") || r["known_files"] != 0.0 {
		t.Errorf("a changed set that was there: %v", r)
	}
	content = strings.Repeat("1, 2\n", 1<<20)
	fails(t, exitFailure, []string{"MUTAG", "the server sends more than"}, "data", "fetch", "MUTAG", "--dir", t.TempDir(),
		"--url", server.URL, "--accept-changed")
}

// The limits of the known sets leave room for their files.
func TestKnownSetsFitTheirLimits(t *testing.T) {
	for _, d := range tuCollection() {
		t.Run(d.Name, func(t *testing.T) {
			files, err := filepath.Glob(filepath.Join(testfiles.Data(t, "tu", d.Name), "*.txt*"))
			if err != nil {
				t.Fatal(err)
			}
			total := int64(0)
			for _, file := range files {
				raw, err := os.Open(file)
				if err != nil {
					t.Fatal(err)
				}
				var in io.Reader = raw
				if filepath.Ext(file) == ".gz" {
					if in, err = gzip.NewReader(raw); err != nil {
						t.Fatal(err)
					}
				}
				n, err := io.Copy(io.Discard, in)
				if err != nil {
					t.Fatal(err)
				}
				total += n
				raw.Close()
			}
			if d.largest() < total*5/4 {
				t.Errorf("%d bytes of files, the limit is %d", total, d.largest())
			}
		})
	}
}

func TestConvertLeavesVerticesOut(t *testing.T) {
	data, out := molecules(t, "molecules"), filepath.Join(t.TempDir(), "heavy")
	before := mustJSON(t, "data", "info", data)
	after := mustJSON(t, "data", "convert", data, "--out", out, "--without-labels", "0")
	if after["vertices"].(float64) >= before["vertices"].(float64) || after["graphs"] != before["graphs"] {
		t.Errorf("%v vertices of %v graphs, before %v of %v", after["vertices"], after["graphs"], before["vertices"],
			before["graphs"])
	}
	fails(t, exitUsage, []string{"--without-labels", "no vertex label 99"}, "data", "convert", data, "--out", out+"2",
		"--without-labels", "99")
}
