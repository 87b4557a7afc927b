package dataset

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// zipOf returns an archive with the given names and texts in turn, stored without compression.
func zipOf(t *testing.T, entries ...string) []byte {
	t.Helper()
	var buffer bytes.Buffer
	w := zip.NewWriter(&buffer)
	for i := 0; i < len(entries); i += 2 {
		f, err := w.CreateHeader(&zip.FileHeader{Name: entries[i], Method: zip.Store})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, entries[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buffer.Bytes()
}

func smallArchive(t *testing.T) []byte {
	return zipOf(t, "X/X_A.txt", "1, 2\n2, 1\n", "X/X_graph_indicator.txt", "1\n1\n", "X/X_graph_labels.txt", "1\n",
		"X/README.txt", strings.Repeat("words ", 2000))
}

// archiveServer offers X.zip, with Range and If-Range as a file server does, and keeps the last request.
type archiveServer struct {
	*httptest.Server
	content  []byte
	etag     string
	cutAfter int // breaks the connection after so many bytes of a body; 0 does not
	noRange  bool
	requests atomic.Int32
	last     atomic.Pointer[http.Request]
}

func newArchiveServer(t *testing.T, content []byte) *archiveServer {
	t.Helper()
	s := &archiveServer{content: content, etag: `"v1"`}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests.Add(1)
		s.last.Store(r)
		if r.URL.Path != "/sets/X.zip" {
			http.NotFound(w, r)
			return
		}
		if s.etag != "" {
			w.Header().Set("ETag", s.etag)
		}
		if s.cutAfter > 0 {
			w.Header().Set("Content-Length", fmt.Sprint(len(s.content)))
			_, _ = w.Write(s.content[:s.cutAfter])
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}
		if s.noRange {
			w.Header().Set("Content-Length", fmt.Sprint(len(s.content)))
			_, _ = w.Write(s.content)
			return
		}
		http.ServeContent(w, r, "X.zip", time.Time{}, bytes.NewReader(s.content))
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *archiveServer) fetch(dir string, change func(*FetchOptions)) (string, error) {
	opt := FetchOptions{Dir: dir, BaseURL: s.URL + "/sets/"}
	if change != nil {
		change(&opt)
	}
	fetched, err := Fetch(context.Background(), "X", opt)
	if err != nil {
		return "", err
	}
	return fetched.Folder, nil
}

// wantFetched checks that the data set is there and nothing else is.
func wantFetched(t *testing.T, dir, path string, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	d, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if d.Name != "X" || d.Batch.NumArcs() != 2 {
		t.Errorf("fetched %s with %d arcs", d.Name, d.Batch.NumArcs())
	}
	wantFiles(t, dir, "X")
}

func wantFiles(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if strings.Join(names, " ") != strings.Join(want, " ") {
		t.Errorf("the folder holds %q, want %q", names, want)
	}
}

func TestFetchDownloadsAndUnpacks(t *testing.T) {
	archive := smallArchive(t)
	s := newArchiveServer(t, archive)
	sum := sha256.Sum256(archive)
	dir := filepath.Join(t.TempDir(), "new", "folder")
	var last [2]int64
	path, err := s.fetch(dir, func(opt *FetchOptions) {
		opt.SHA256 = strings.ToUpper(hex.EncodeToString(sum[:]))
		opt.Progress = func(done, total int64) { last = [2]int64{done, total} }
	})
	wantFetched(t, dir, path, err)
	if n := int64(len(archive)); last != [2]int64{n, n} {
		t.Errorf("the last progress is %v of %d bytes", last, n)
	}
	path, err = s.fetch(dir, nil)
	wantFetched(t, dir, path, err)
	if s.requests.Load() != 1 {
		t.Error("a data set that is there is downloaded again")
	}
}

func TestFetchAcceptsFilesWithoutAFolder(t *testing.T) {
	s := newArchiveServer(t, zipOf(t, "X_A.txt", "1, 2\n", "X_graph_indicator.txt", "1\n1\n"))
	dir := t.TempDir()
	path, err := s.fetch(dir, nil)
	wantFetched(t, dir, path, err)
}

// breakOff leaves a partial download of 100 bytes in the folder.
func breakOff(t *testing.T, s *archiveServer, dir string) {
	t.Helper()
	s.cutAfter = 100
	_, err := s.fetch(dir, nil)
	s.cutAfter = 0
	wantError(t, err, fmt.Sprintf("stopped after 100 of %d bytes", len(s.content)))
	wantFiles(t, dir, ".X.zip.part", ".X.zip.part.validator")
}

func TestFetchContinuesAnInterruptedDownload(t *testing.T) {
	s := newArchiveServer(t, smallArchive(t))
	dir := t.TempDir()
	breakOff(t, s, dir)
	first := int64(0)
	path, err := s.fetch(dir, func(opt *FetchOptions) {
		opt.Progress = func(done, total int64) {
			if first == 0 {
				first = done
			}
			if total != int64(len(s.content)) {
				t.Errorf("total %d", total)
			}
		}
	})
	wantFetched(t, dir, path, err)
	if r := s.last.Load(); r.Header.Get("Range") != "bytes=100-" || r.Header.Get("If-Range") != `"v1"` {
		t.Errorf("asked for %q if %q", r.Header.Get("Range"), r.Header.Get("If-Range"))
	}
	if first <= 100 {
		t.Errorf("progress starts at %d bytes", first)
	}
}

func TestFetchStartsAgainWhereItCannotContinue(t *testing.T) {
	tests := map[string]func(t *testing.T, s *archiveServer, dir string){
		"the file changed":        func(t *testing.T, s *archiveServer, _ string) { s.etag = `"v2"` },
		"the server has no range": func(t *testing.T, s *archiveServer, _ string) { s.noRange = true },
		"the partial file is too long": func(t *testing.T, s *archiveServer, dir string) {
			if err := os.WriteFile(filepath.Join(dir, ".X.zip.part"), make([]byte, len(s.content)+7), 0o666); err != nil {
				t.Fatal(err)
			}
		},
		"the validator is lost": func(t *testing.T, _ *archiveServer, dir string) {
			if err := os.Remove(filepath.Join(dir, ".X.zip.part.validator")); err != nil {
				t.Fatal(err)
			}
		},
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			s := newArchiveServer(t, smallArchive(t))
			dir := t.TempDir()
			breakOff(t, s, dir)
			change(t, s, dir)
			path, err := s.fetch(dir, nil)
			wantFetched(t, dir, path, err)
		})
	}
}

func TestFetchWithoutValidatorStartsAgain(t *testing.T) {
	for _, etag := range []string{"", `W/"weak"`} {
		s := newArchiveServer(t, smallArchive(t))
		s.etag = etag
		dir := t.TempDir()
		breakOff(t, s, dir)
		path, err := s.fetch(dir, nil)
		wantFetched(t, dir, path, err)
		if s.last.Load().Header.Get("Range") != "" {
			t.Errorf("a file of ETag %q is continued", etag)
		}
	}
}

func TestFetchUnpacksACompletePartialFile(t *testing.T) {
	s := newArchiveServer(t, smallArchive(t))
	dir := t.TempDir()
	breakOff(t, s, dir)
	if err := os.WriteFile(filepath.Join(dir, ".X.zip.part"), s.content, 0o666); err != nil {
		t.Fatal(err)
	}
	path, err := s.fetch(dir, nil)
	wantFetched(t, dir, path, err)
}

// A run that is killed once the folder has its name leaves its archive, which the next run removes.
func TestFetchRemovesTheArchiveOfAKilledRun(t *testing.T) {
	s := newArchiveServer(t, smallArchive(t))
	dir := t.TempDir()
	path, err := s.fetch(dir, nil)
	wantFetched(t, dir, path, err)
	for _, name := range []string{".X.zip.part", ".X.zip.part.validator"} {
		if err := os.WriteFile(filepath.Join(dir, name), s.content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	path, err = s.fetch(dir, nil)
	wantFetched(t, dir, path, err)
}

func TestFetchRefusesWhatIsNoGoodArchive(t *testing.T) {
	good := smallArchive(t)
	damaged := bytes.Clone(good)
	damaged[bytes.Index(damaged, []byte("2, 1\n"))]++
	symlink := func() []byte {
		var buffer bytes.Buffer
		w := zip.NewWriter(&buffer)
		h := &zip.FileHeader{Name: "X/X_A.txt"}
		h.SetMode(os.ModeSymlink | 0o777)
		f, err := w.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(f, "/etc/passwd")
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return buffer.Bytes()
	}()
	var many []string
	for i := range maxArchiveFiles + 1 {
		many = append(many, fmt.Sprintf("X/%d", i), "")
	}
	tests := []struct {
		name    string
		content []byte
		change  func(*FetchOptions)
		want    string
	}{
		{"no archive", []byte("<html>sorry</html>"), nil, "the archive is damaged"},
		{"empty", nil, nil, "the archive is damaged"},
		{"truncated", good[:len(good)-30], nil, "the archive is damaged"},
		{"wrong checksum of an entry", damaged, nil, `the archive is damaged at "X/X_A.txt": zip: checksum error`},
		{"wrong SHA-256", good, func(opt *FetchOptions) { opt.SHA256 = strings.Repeat("0", 64) }, "the SHA-256 is"},
		{"another data set", zipOf(t, "Y/Y_A.txt", ""), nil, "the archive holds no X_A.txt"},
		{"a name that leaves the folder", zipOf(t, "X/X_A.txt", "", "../evil.txt", ""), nil, `unsafe name "../evil.txt"`},
		{"an absolute name", zipOf(t, "/tmp/evil.txt", ""), nil, `unsafe name "/tmp/evil.txt"`},
		{"a symbolic link", symlink, nil, "which is no plain file"},
		{"a name twice", zipOf(t, "X/X_A.txt", "", "X/./X_A.txt", ""), nil, "twice"},
		{"more bytes than allowed", good, func(opt *FetchOptions) { opt.MaxBytes = 1000 },
			`unpacks to more than the limit at "X/README.txt"`},
		{"more than it states", lyingArchive(t), nil, "the archive is damaged"},
		{"many files", zipOf(t, many...), nil, "the archive holds 1001 files"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := newArchiveServer(t, test.content)
			dir := t.TempDir()
			_, err := s.fetch(dir, test.change)
			wantError(t, err, "fetch X: ")
			wantError(t, err, test.want)
			wantFiles(t, dir) // neither the archive nor part of the data set
		})
	}
}

// lyingArchive has an entry of a million bytes that states three.
func lyingArchive(t *testing.T) []byte {
	t.Helper()
	var buffer bytes.Buffer
	w := zip.NewWriter(&buffer)
	text := strings.Repeat("0", 1_000_000)
	f, err := w.CreateRaw(&zip.FileHeader{Name: "X/X_A.txt", Method: zip.Store, CRC32: crc32.ChecksumIEEE([]byte(text)),
		CompressedSize64: 1_000_000, UncompressedSize64: 3})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(f, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buffer.Bytes()
}

func TestFetchExplainsWhyItFails(t *testing.T) {
	s := newArchiveServer(t, nil)
	_, err := Fetch(context.Background(), "Y", FetchOptions{Dir: t.TempDir(), BaseURL: s.URL + "/sets"})
	wantError(t, err, "/sets/Y.zip: the server has no such data set (404)")

	refusing := httptest.NewServer(
		http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }))
	defer refusing.Close()
	_, err = Fetch(context.Background(), "X", FetchOptions{Dir: t.TempDir(), BaseURL: refusing.URL})
	wantError(t, err, "the server answers 502 Bad Gateway")

	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := closed.Addr().String()
	closed.Close()
	_, err = Fetch(context.Background(), "X", FetchOptions{Dir: t.TempDir(), BaseURL: "http://" + address})
	wantError(t, err, "fetch X: no network, or "+address+" is not reachable")
	wantError(t, err, "unpack a copy of http://"+address+"/X.zip by hand")

	for _, name := range []string{"", "..", "../X", "a/b", ".hidden", "x y"} {
		_, err = Fetch(context.Background(), name, FetchOptions{Dir: t.TempDir()})
		wantError(t, err, "a name has only letters")
	}

	s = newArchiveServer(t, smallArchive(t))
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "X", "mine"), 0o777); err != nil {
		t.Fatal(err)
	}
	_, err = s.fetch(dir, nil)
	wantError(t, err, filepath.Join(dir, "X")+" is in the way")
}

func TestFetchStopsWhenCancelled(t *testing.T) {
	s := newArchiveServer(t, bytes.Repeat(smallArchive(t), 200))
	ctx, cancel := context.WithCancel(context.Background())
	dir := t.TempDir()
	_, err := Fetch(ctx, "X", FetchOptions{Dir: dir, BaseURL: s.URL + "/sets",
		Progress: func(done, total int64) { cancel() }})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	wantFiles(t, dir, ".X.zip.part", ".X.zip.part.validator")
	_, err = Fetch(ctx, "X", FetchOptions{Dir: dir, BaseURL: s.URL + "/sets"})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// Of two processes that fetch a data set at once, one does; and what lies where its partial file goes is not followed.
func TestFetchIsForOneAtATime(t *testing.T) {
	s := newArchiveServer(t, smallArchive(t))
	dir := t.TempDir()
	victim := filepath.Join(t.TempDir(), "victim")
	if err := os.WriteFile(victim, []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(victim, filepath.Join(dir, ".X.zip.part")); err != nil {
		t.Fatal(err)
	}
	var second error
	path, err := s.fetch(dir, func(opt *FetchOptions) {
		opt.Progress = func(int64, int64) { _, second = s.fetch(dir, nil) }
	})
	wantFetched(t, dir, path, err)
	wantError(t, second, "another process is writing it")
	if raw, _ := os.ReadFile(victim); string(raw) != "mine" {
		t.Errorf("the file behind a link holds %q", raw)
	}
}
