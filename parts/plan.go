package parts

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/grove-graph/grove/atomicfile"
)

// Plan is a job cut into parts.
type Plan struct {
	Format int `json:"format"`
	// Program, Device and Instructions are what computed bits follow from beside the inputs: a worker of another kind
	// refuses the plan.
	Program      string `json:"program"`
	Device       string `json:"device"`
	Instructions string `json:"instructions"`

	Job       string   `json:"job"`                 // the command that does the whole on one machine
	Arguments []string `json:"arguments,omitempty"` // of that command, beside its inputs and outputs
	Inputs    []Input  `json:"inputs"`
	Outputs   []Output `json:"outputs"`

	Unit  string `json:"unit"`  // what the job is cut between, in the plural: graphs
	Items int    `json:"items"` // how many there are
	Size  int    `json:"size"`  // of every part but the last

	// Round counts the rounds of a plan with several, from 1, and Pass says what all parts compute in it; 0: the parts
	// are all there is.
	Round int    `json:"round,omitempty"`
	Pass  string `json:"pass,omitempty"`

	path   string // of the file
	digest string // of its bytes
}

// Input is something that a job reads.
type Input struct {
	Flag   string `json:"flag"` // that names it on the command line
	Path   string `json:"path"` // absolute, or relative to the folder of the plan
	Digest string `json:"digest"`
}

// Output is a file that merging writes.
type Output struct {
	Flag string `json:"flag"`
	Path string `json:"path"`
}

// format is the version of the files that are read and written here.
const format = 1

// Create checks the plan and writes it to a file. Paths in it, which are absolute or relative to the current folder,
// are made relative to that of the file where they lie below it: a folder that is shared may be mounted anywhere.
func (p *Plan) Create(path string) error {
	if err := p.Place(path); err != nil {
		return err
	}
	return p.store()
}

// Place is Create without the file, for a plan with rounds: [Plan.Next] writes it.
func (p *Plan) Place(path string) error {
	p.Format = format
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	for i := range p.Inputs {
		if p.Inputs[i].Path, err = near(path, p.Inputs[i].Path); err != nil {
			return err
		}
	}
	for i := range p.Outputs {
		if p.Outputs[i].Path, err = near(path, p.Outputs[i].Path); err != nil {
			return err
		}
	}
	if err := p.check(); err != nil {
		return err
	}
	p.path = path
	return nil
}

// store writes the file of the plan.
func (p *Plan) store() error {
	text, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	p.opened(p.path, append(text, '\n'))
	return atomicfile.Write(p.path, func(w io.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return err
	})
}

// near returns the path of a file relative to the folder of a plan, or absolute where it lies elsewhere.
func near(plan, path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if relative, err := filepath.Rel(filepath.Dir(plan), path); err == nil && filepath.IsLocal(relative) {
		return filepath.ToSlash(relative), nil
	}
	return path, nil
}

// Open reads a plan.
func Open(path string) (*Plan, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	p := &Plan{}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(p); err != nil {
		return nil, fmt.Errorf("%s: no plan of grove: %w", path, err)
	}
	if p.Format != format {
		return nil, fmt.Errorf("%s: a plan of format %d, this program reads format %d", path, p.Format, format)
	}
	if err := p.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if path, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	p.opened(path, text)
	return p, nil
}

func (p *Plan) opened(path string, text []byte) {
	sum := sha256.Sum256(text)
	p.path, p.digest = path, hex.EncodeToString(sum[:])
}

// check reports what cannot be a plan.
func (p *Plan) check() error {
	switch {
	case p.Items < 1 || p.Size < 1:
		return fmt.Errorf("a plan of %d %s in parts of %d: there is nothing to do", p.Items, p.Unit, p.Size)
	case p.Parts() > maxParts:
		return fmt.Errorf("a plan of %d parts, at most %d: take larger ones", p.Parts(), maxParts)
	case len(p.Outputs) == 0:
		return fmt.Errorf("a plan without outputs")
	}
	return nil
}

// maxParts is as many as a folder holds with ease.
const maxParts = 1_000_000

// Parts returns the number of parts.
func (p *Plan) Parts() int { return (p.Items-1)/p.Size + 1 }

// Range returns the items of a part, from the first to the one after the last.
func (p *Plan) Range(part int) (from, to int) {
	return part * p.Size, min((part+1)*p.Size, p.Items)
}

// Path returns where a path of the plan is.
func (p *Plan) Path(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(p.path), filepath.FromSlash(path))
}

// Input returns where the input of a flag is, "" where there is none.
func (p *Plan) Input(flag string) string {
	for _, i := range p.Inputs {
		if i.Flag == flag {
			return p.Path(i.Path)
		}
	}
	return ""
}

// FileDigest returns the SHA-256 of a file, for the digest of an input.
func FileDigest(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	content := newCounter(io.Discard)
	if _, err := io.Copy(content, file); err != nil {
		return "", err
	}
	return content.sum(), nil
}
