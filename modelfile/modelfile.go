// Package modelfile stores fitted models: a versioned, checksummed container for a JSON header and
// named tensors.
//
//	err := modelfile.Write("line.grove", "line", description, tensors)
//	f, err := modelfile.Read("line.grove")
//	weights := f.Take("weights")
//
// A file is, in little-endian order: the 8 bytes "GROVEMDL", the format version (4 bytes), the length of
// the header (8 bytes), the header (JSON), the elements of the tensors one after another, and the
// SHA-256 of everything before it. The header names the kind of model, the tensors with dtype and
// shape, and carries the model's own description. The checksum is verified before anything else is
// believed, and nothing is allocated that the file's size does not cover.
package modelfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"slices"
	"sort"
	"strings"

	"github.com/grove-graph/grove/atomicfile"
	"gorgonia.org/tensor"
)

const (
	magic   = "GROVEMDL"
	version = 1
	prefix  = len(magic) + 4 + 8

	maxTensors = 1 << 14 // several for every layer or iteration of the deepest model
	maxDims    = 8
)

// File is the content of a model file.
type File struct {
	Kind    string                   // which family of models wrote it
	Model   json.RawMessage          // the model's description
	Tensors map[string]*tensor.Dense // Float32 or Float64

	taken map[string]bool // names of the tensors that were asked for
}

type header struct {
	Kind    string          `json:"kind"`
	Model   json.RawMessage `json:"model"`
	Tensors []entry         `json:"tensors"`
}

type entry struct {
	Name  string `json:"name"`
	Dtype string `json:"dtype"`
	Shape []int  `json:"shape"`
}

// Write stores a model in path: the file appears complete or not at all. model is marshalled as JSON.
func Write(path, kind string, model any, tensors map[string]*tensor.Dense) error {
	raw, err := Encode(kind, model, tensors)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return atomicfile.Write(path, func(w io.Writer) error {
		_, err := w.Write(raw)
		return err
	})
}

// Encode returns the bytes of a model file.
func Encode(kind string, model any, tensors map[string]*tensor.Dense) ([]byte, error) {
	description, err := json.Marshal(model)
	if err != nil {
		return nil, fmt.Errorf("describing the model: %w", err)
	}
	if len(tensors) > maxTensors {
		return nil, fmt.Errorf("%d tensors, a file holds up to %d", len(tensors), maxTensors)
	}
	h := header{Kind: kind, Model: description, Tensors: []entry{}}
	names := make([]string, 0, len(tensors))
	for name := range tensors {
		names = append(names, name)
	}
	sort.Strings(names)
	var body bytes.Buffer
	for _, name := range names {
		t := tensors[name]
		h.Tensors = append(h.Tensors, entry{name, t.Dtype().String(), t.Shape()})
		var elements any
		switch t.Dtype() {
		case tensor.Float32:
			elements = t.Float32s()
		case tensor.Float64:
			elements = t.Float64s()
		default:
			return nil, fmt.Errorf("tensor %s has dtype %v, want float32 or float64", name, t.Dtype())
		}
		if err := binary.Write(&body, binary.LittleEndian, elements); err != nil {
			return nil, err
		}
	}
	head, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	out := append([]byte(magic), make([]byte, 12)...)
	binary.LittleEndian.PutUint32(out[len(magic):], version)
	binary.LittleEndian.PutUint64(out[len(magic)+4:], uint64(len(head)))
	out = append(out, head...)
	out = append(out, body.Bytes()...)
	sum := sha256.Sum256(out)
	return append(out, sum[:]...), nil
}

// Read loads a model file. A file that is damaged, cut short or of another kind or version is refused
// with an error that names it, and so is what is no regular file, before anything of it is read.
func Read(path string) (*File, error) {
	raw, err := readAll(path)
	if err == nil {
		var f *File
		if f, err = Decode(raw); err == nil {
			return f, nil
		}
	}
	var inner *fs.PathError
	if errors.As(err, &inner) {
		err = inner.Err
	}
	return nil, fmt.Errorf("%s: %w", path, err)
}

// readAll reads a file, of one that is no model file only the beginning.
func readAll(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("this is %s, not a regular file: give the path of a model file, or copy the model into one",
			describe(info.Mode()))
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	start := make([]byte, prefix)
	n, err := io.ReadFull(file, start)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, err
	}
	if err := checkStart(start[:n]); err != nil {
		return nil, err
	}
	raw := bytes.NewBuffer(make([]byte, 0, max(info.Size(), int64(prefix))+bytes.MinRead))
	raw.Write(start[:n])
	_, err = raw.ReadFrom(file)
	return raw.Bytes(), err
}

func describe(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	}
	return "a device"
}

// checkStart checks magic and version.
func checkStart(raw []byte) error {
	if len(raw) < prefix || string(raw[:len(magic)]) != magic {
		return errors.New("not a Grove model file")
	}
	if v := binary.LittleEndian.Uint32(raw[len(magic):]); v != version {
		return fmt.Errorf("model file of format version %d, this program reads version %d", v, version)
	}
	return nil
}

const damage = "damaged model file: "

// Damaged says of an error that a model file is damaged, as those who read the parts of one do. An error that says so
// already is returned as it is.
func Damaged(err error) error {
	if strings.Contains(err.Error(), damage) {
		return err
	}
	return fmt.Errorf(damage+"%w", err)
}

// Decode reads the bytes of a model file.
func Decode(raw []byte) (*File, error) {
	if err := checkStart(raw); err != nil {
		return nil, err
	}
	if len(raw) < prefix+sha256.Size {
		return nil, Damaged(errors.New("it ends too early"))
	}
	content := raw[:len(raw)-sha256.Size]
	if sum := sha256.Sum256(content); !bytes.Equal(sum[:], raw[len(content):]) {
		return nil, Damaged(errors.New("the checksum does not fit"))
	}
	length := binary.LittleEndian.Uint64(raw[len(magic)+4:])
	if length > uint64(len(content)-prefix) {
		return nil, Damaged(errors.New("the header is longer than the file"))
	}
	body := content[prefix+int(length):]
	var h header
	if err := json.Unmarshal(content[prefix:prefix+int(length)], &h); err != nil {
		return nil, Damaged(fmt.Errorf("header: %w", err))
	}
	if len(h.Tensors) > maxTensors {
		return nil, Damaged(fmt.Errorf("%d tensors, a file holds up to %d", len(h.Tensors), maxTensors))
	}
	f := &File{Kind: h.Kind, Model: h.Model, Tensors: make(map[string]*tensor.Dense, len(h.Tensors))}
	for _, e := range h.Tensors {
		if f.Tensors[e.Name] != nil {
			return nil, Damaged(fmt.Errorf("tensor %q is there twice", e.Name))
		}
		t, rest, err := e.decode(body)
		if err != nil {
			return nil, Damaged(fmt.Errorf("tensor %q: %w", e.Name, err))
		}
		f.Tensors[e.Name], body = t, rest
	}
	if len(body) != 0 {
		return nil, Damaged(fmt.Errorf("%d bytes after the last tensor", len(body)))
	}
	return f, nil
}

// decode takes the elements of one tensor from the front of body.
func (e entry) decode(body []byte) (*tensor.Dense, []byte, error) {
	width := map[string]int{"float32": 4, "float64": 8}[e.Dtype]
	if width == 0 {
		return nil, nil, fmt.Errorf("dtype %q", e.Dtype)
	}
	n := 1
	for _, s := range e.Shape {
		if s < 0 || (n > 0 && s > math.MaxInt32/n) {
			return nil, nil, fmt.Errorf("shape %v", e.Shape)
		}
		n *= s
	}
	if len(e.Shape) == 0 || len(e.Shape) > maxDims || n*width > len(body) {
		return nil, nil, fmt.Errorf("shape %v, and %d bytes are left", e.Shape[:min(len(e.Shape), maxDims)], len(body))
	}
	var backing any
	if width == 4 {
		v := make([]float32, n)
		for i := range v {
			v[i] = math.Float32frombits(binary.LittleEndian.Uint32(body[4*i:]))
		}
		backing = v
	} else {
		v := make([]float64, n)
		for i := range v {
			v[i] = math.Float64frombits(binary.LittleEndian.Uint64(body[8*i:]))
		}
		backing = v
	}
	return tensor.New(tensor.WithShape(e.Shape...), tensor.WithBacking(backing)), body[n*width:], nil
}

// Tensor returns a tensor of the file by name, or an error if the file has none of this number of
// dimensions.
func (f *File) Tensor(name string, dims int) (*tensor.Dense, error) {
	t := f.Take(name)
	if t == nil || t.Dims() != dims {
		return nil, fmt.Errorf("the model file has no tensor %q of %d dimensions", name, dims)
	}
	return t, nil
}

// Take returns a tensor of the file by name, or nil if the file has none.
func (f *File) Take(name string) *tensor.Dense {
	if f.taken == nil {
		f.taken = map[string]bool{}
	}
	f.taken[name] = true
	return f.Tensors[name]
}

// TakeAll returns the tensors whose names begin with a prefix, without it: those of a model within the model.
func (f *File) TakeAll(prefix string) map[string]*tensor.Dense {
	all := map[string]*tensor.Dense{}
	for name := range f.Tensors {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			all[rest] = f.Take(name)
		}
	}
	return all
}

// Left returns an error where the file has a tensor that was not asked for by [File.Tensor] or [File.Take]: what the
// model says of itself then does not fit what the file holds.
func (f *File) Left() error {
	for _, name := range slices.Sorted(maps.Keys(f.Tensors)) {
		if !f.taken[name] {
			return fmt.Errorf("tensor %q is none of the model", name)
		}
	}
	return nil
}
