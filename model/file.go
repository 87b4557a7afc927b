package model

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/modelfile"
	"gorgonia.org/tensor"
)

// stored is the description of a model in its file.
type stored struct {
	Head  Head            `json:"head"`
	Parts json.RawMessage `json:"parts"`
}

// Save writes a model to a file. It is there as a whole or not at all.
func Save(path string, m Model) error {
	kind, description, tensors, err := Content(m)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return modelfile.Write(path, kind, description, tensors)
}

// Content returns what the file of a model holds, see [modelfile.File]. [Decode] makes the model of it again.
func Content(m Model) (kind string, description json.RawMessage, tensors map[string]*tensor.Dense, err error) {
	f := FamilyOf(m.About().Model)
	if f == nil {
		return "", nil, nil, fmt.Errorf("a model of the name %q, which is not registered", m.About().Model)
	}
	parts, tensors, err := m.Parts()
	if err != nil {
		return "", nil, nil, err
	}
	raw, err := json.Marshal(parts)
	if err != nil {
		return "", nil, nil, err
	}
	description, err = json.Marshal(stored{*m.About(), raw})
	return f.Kind, description, tensors, err
}

// Load reads the model in a file, of any family that is registered, for an engine; nil stands for the CPU with one
// worker. The model predicts the same bits as the one that was saved. A damaged file is an error.
func Load(path string, e engine.Engine) (Model, error) {
	if e == nil {
		e = engine.NewCPU(1)
	}
	file, err := modelfile.Read(path)
	if err != nil {
		return nil, err
	}
	m, err := Decode(file, e)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// Decode makes a model of the content of a file, as [Load] does.
func Decode(file *modelfile.File, e engine.Engine) (Model, error) {
	var kinds []string
	for _, f := range Families() {
		if f.Kind == file.Kind {
			m, err := f.read(file, e)
			if err != nil {
				return nil, modelfile.Damaged(err)
			}
			return m, nil
		}
		kinds = append(kinds, f.Kind)
	}
	return nil, fmt.Errorf("a model of kind %q, which this program does not know; it knows %s",
		file.Kind, strings.Join(kinds, ", "))
}

// read makes a model of the family from the content of a file.
func (f *Family) read(from *modelfile.File, e engine.Engine) (Model, error) {
	var s stored
	if err := modelfile.Unmarshal(from.Model, &s); err != nil {
		return nil, err
	}
	if err := s.Head.check(f); err != nil {
		return nil, err
	}
	m, err := f.Load(e, &s.Head, s.Parts, from)
	if err != nil {
		return nil, err
	}
	return m, from.Left()
}
