// Package modelfile stores fitted models: a versioned, checksummed container for a JSON header and
// named tensors.
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
	"math"
	"os"
	"path/filepath"
	"sort"

	"gorgonia.org/tensor"
)

const (
	magic   = "GROVEMDL"
	version = 1
	prefix  = len(magic) + 4 + 8
)

// File is the content of a model file.
type File struct {
	Kind    string                   // which family of models wrote it
	Model   json.RawMessage          // the model's description
	Tensors map[string]*tensor.Dense // Float32 or Float64
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
	return WriteAtomic(path, raw)
}

// Encode returns the bytes of a model file.
func Encode(kind string, model any, tensors map[string]*tensor.Dense) ([]byte, error) {
	description, err := json.Marshal(model)
	if err != nil {
		return nil, fmt.Errorf("describing the model: %w", err)
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

// WriteAtomic replaces path by data: it writes a temporary file beside it, syncs it and renames it.
func WriteAtomic(path string, data []byte) (err error) {
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(tmp.Name())
		}
	}()
	if _, err = tmp.Write(data); err == nil {
		err = tmp.Sync()
	}
	if closeErr := tmp.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Chmod(tmp.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	return err
}

// Read loads a model file. A file that is damaged, cut short or of another kind or version is refused
// with an error that names it.
func Read(path string) (*File, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f, err := Decode(raw)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// Decode reads the bytes of a model file.
func Decode(raw []byte) (*File, error) {
	if len(raw) < prefix+sha256.Size || string(raw[:len(magic)]) != magic {
		return nil, errors.New("not a Grove model file")
	}
	if v := binary.LittleEndian.Uint32(raw[len(magic):]); v != version {
		return nil, fmt.Errorf("model file of format version %d, this program reads version %d", v, version)
	}
	content := raw[:len(raw)-sha256.Size]
	if sum := sha256.Sum256(content); !bytes.Equal(sum[:], raw[len(content):]) {
		return nil, errors.New("damaged model file: the checksum does not fit")
	}
	length := binary.LittleEndian.Uint64(raw[len(magic)+4:])
	if length > uint64(len(content)-prefix) {
		return nil, errors.New("damaged model file: the header is longer than the file")
	}
	body := content[prefix+int(length):]
	var h header
	if err := json.Unmarshal(content[prefix:prefix+int(length)], &h); err != nil {
		return nil, fmt.Errorf("damaged model file: header: %w", err)
	}
	f := &File{Kind: h.Kind, Model: h.Model, Tensors: make(map[string]*tensor.Dense, len(h.Tensors))}
	for _, e := range h.Tensors {
		t, rest, err := e.decode(body)
		if err != nil {
			return nil, fmt.Errorf("damaged model file: tensor %q: %w", e.Name, err)
		}
		f.Tensors[e.Name], body = t, rest
	}
	if len(body) != 0 {
		return nil, fmt.Errorf("damaged model file: %d bytes after the last tensor", len(body))
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
	if len(e.Shape) == 0 || n*width > len(body) {
		return nil, nil, fmt.Errorf("shape %v needs more than the %d bytes left", e.Shape, len(body))
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
	t := f.Tensors[name]
	if t == nil || t.Dims() != dims {
		return nil, fmt.Errorf("the model file has no tensor %q of %d dimensions", name, dims)
	}
	return t, nil
}
