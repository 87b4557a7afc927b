package modelfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"gorgonia.org/tensor"
)

func sampleTensors() map[string]*tensor.Dense {
	return map[string]*tensor.Dense{
		"a": tensor.New(tensor.WithShape(2, 3), tensor.WithBacking([]float32{1, 2, 3, 4, 5, 6})),
		"b": tensor.New(tensor.WithShape(2), tensor.WithBacking([]float64{0.5, -0.25})),
		"c": tensor.New(tensor.WithShape(0, 4), tensor.WithBacking([]float64{})),
	}
}

func sample(t testing.TB) []byte {
	raw, err := Encode("test", map[string]int{"answer": 42}, sampleTensors())
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.grove")
	if err := Write(path, "test", map[string]int{"answer": 42}, sampleTensors()); err != nil {
		t.Fatal(err)
	}
	f, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if f.Kind != "test" || string(f.Model) != `{"answer":42}` {
		t.Errorf("kind %q, model %s", f.Kind, f.Model)
	}
	a, err := f.Tensor("a", 2)
	if err != nil {
		t.Fatal(err)
	}
	if a.Float32s()[5] != 6 || f.Tensors["b"].Float64s()[1] != -0.25 {
		t.Error("elements changed on the way")
	}
	if _, err := f.Tensor("a", 3); err == nil {
		t.Error("a tensor of other dimensions was found")
	}
	left, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(left) != 1 {
		t.Errorf("files beside the model: %v, %v", left, err)
	}
}

// Every single-byte change and every cut is refused.
func TestDamageIsRefused(t *testing.T) {
	raw := sample(t)
	for i := range raw {
		broken := bytes.Clone(raw)
		broken[i] ^= 0x10
		if _, err := Decode(broken); err == nil {
			t.Fatalf("byte %d changed and nobody noticed", i)
		}
		if _, err := Decode(raw[:i]); err == nil {
			t.Fatalf("cut after %d bytes and nobody noticed", i)
		}
	}
}

func TestForeignFileIsNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(path, []byte(strings.Repeat("hello\n", 50)), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(path); err == nil || !strings.Contains(err.Error(), "notes.txt: not a Grove model file") {
		t.Errorf("error %v", err)
	}
}

// Nothing that is no regular file is opened: a pipe would block.
func TestOnlyRegularFilesAreRead(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	for path, what := range map[string]string{dir: "a folder", pipe: "a pipe"} {
		if _, err := Read(path); err == nil || !strings.HasPrefix(err.Error(), path+": this is "+what) {
			t.Errorf("error %v", err)
		}
	}
}

// Of a foreign file, however large, only the first bytes are read.
func TestMagicAndVersionComeFirst(t *testing.T) {
	path := filepath.Join(t.TempDir(), "large")
	for want, start := range map[string]string{
		"not a Grove model file": "something else of this length",
		"format version 9":       magic + "\x09\x00\x00\x00........",
	} {
		if err := os.WriteFile(path, []byte(start), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, 1<<40); err != nil {
			t.Skip(err) // no sparse files here
		}
		if _, err := Read(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// A file with a valid checksum is held against its own bounds before anything is made of it.
func TestForgedHeadersAreRefused(t *testing.T) {
	many := make([]entry, 200_000)
	for i := range many {
		many[i] = entry{fmt.Sprint(i), "float32", []int{0}}
	}
	deep := make([]int, 100_000)
	for name, entries := range map[string][]entry{
		"200000 tensors": many,
		"twice":          {{"a", "float32", []int{0}}, {"a", "float64", []int{0}}},
		"shape [0 0":     {{"a", "float32", deep}},
		"shape [1 4":     {{"a", "float32", []int{1, 4}}},
	} {
		head, err := json.Marshal(header{Kind: "test", Model: json.RawMessage("{}"), Tensors: entries})
		if err != nil {
			t.Fatal(err)
		}
		raw := binary.LittleEndian.AppendUint32([]byte(magic), version)
		raw = append(binary.LittleEndian.AppendUint64(raw, uint64(len(head))), head...)
		sum := sha256.Sum256(raw)
		_, err = Decode(append(raw, sum[:]...))
		if err == nil || !strings.Contains(err.Error(), damage) || !strings.Contains(err.Error(), name) ||
			len(err.Error()) > 200 {
			t.Errorf("%s: error %.300v", name, err)
		}
	}
	tensors := map[string]*tensor.Dense{}
	for _, e := range many {
		tensors[e.Name] = sampleTensors()["c"]
	}
	if _, err := Encode("test", nil, tensors); err == nil {
		t.Error("a file is written that cannot be read")
	}
}

func TestTensorsThatNobodyAskedFor(t *testing.T) {
	f, err := Decode(sample(t))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Tensor("a", 2); err != nil || f.Take("b") == nil || f.Take("none") != nil {
		t.Errorf("error %v", err)
	}
	if err := f.Left(); err == nil || !strings.Contains(err.Error(), `"c"`) {
		t.Errorf("error %v", err)
	}
	f.Take("c")
	if err := f.Left(); err != nil {
		t.Error(err)
	}
}

func TestUnmarshalWantsEveryField(t *testing.T) {
	type inner struct {
		Size int `json:"size"`
	}
	type model struct {
		inner
		Names []string           `json:"names"`
		Late  float64            `json:"late,omitempty"`
		Table map[string]float64 `json:"table"`
		List  []*inner           `json:"list"`
	}
	for text, want := range map[string]string{
		`{"size":1,"names":["a"],"table":null,"list":[{"size":2}]}`:             "",
		`{"size":1,"names":null,"late":2,"table":{},"list":[]}`:                 "",
		`{"names":["a"],"table":null,"list":[]}`:                                `the model has no "size"`,
		`{"size":null,"names":["a"],"table":null,"list":[]}`:                    "size is null",
		`{"size":1,"names":["a",null],"table":null,"list":[]}`:                  "names[1] is null",
		`{"size":1,"names":["a"],"table":null,"list":[{"size":2},{"seize":3}]}`: `list[1] has no "size"`,
		`{"size":1,"names":["a"],"table":null,"list":[null]}`:                   "list[0] is null",
		`{"size":1,"names":["a"],"late":null,"table":null,"list":[]}`:           "late is null",
	} {
		var m model
		err := Unmarshal([]byte(text), &m)
		if want == "" && err != nil || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	raw := sample(f)
	f.Add(raw)
	f.Add(raw[:40])
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if file, err := Decode(raw); err == nil && file == nil {
			t.Error("neither file nor error")
		}
	})
}
