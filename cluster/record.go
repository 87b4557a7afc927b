package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/grove-graph/grove/parts"
)

// In a bucket lie, below the prefix,
//
//	objects/SHA256                     the files of inputs, which plans share
//	plans/ID/record.json               what a [record] says
//	plans/ID/plan.parts/...            results, receipts and what rounds gave, as beside a plan
//	plans/ID/outputs/FLAG/NAME         what was merged
//
// A part is done when its receipt is there, which comes last; a round, or all, when the record says so.
const (
	recordName = "record.json"
	objects    = "objects/"
	plans      = "plans/"
)

// record is what a bucket says of a plan: one object, which changes as a whole.
type record struct {
	Plan    string `json:"plan"` // the text of its file, whose inputs and outputs lie below its folder
	Files   []file `json:"files"`
	Outputs []file `json:"outputs,omitempty"` // in the order of the plan, when it is merged
}

// file is one of a plan in a bucket.
type file struct {
	Path   string `json:"path"` // relative to the folder of the plan, with slashes
	Object string `json:"object"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`

	// From and To are the items, from one to the one before another, that want the file; To 0: all, and the merge.
	From int `json:"from,omitempty"`
	To   int `json:"to,omitempty"`
}

// wanted reports whether a part with these items reads the file.
func (f *file) wanted(from, to int) bool { return f.To == 0 || f.From < to && from < f.To }

// described returns a file of this machine as one of a plan.
func described(at, path, object string) (file, error) {
	info, err := os.Stat(at)
	if err != nil {
		return file{}, err
	}
	sum, err := parts.FileDigest(at)
	return file{Path: path, Object: object, Bytes: info.Size(), SHA256: sum}, err
}

// verified reads an object whose digest is known.
func (b *bucket) verified(ctx context.Context, f file, to string) (err error) {
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	sum, err := b.get(ctx, f.Object, out)
	if closing := out.Close(); err == nil {
		err = closing
	}
	if err == nil && sum != f.SHA256 {
		err = &changedError{b.path(f.Object), sum, f.SHA256}
	}
	if err != nil {
		_ = os.Remove(to)
	}
	return err
}

// changedError is an object with other bytes than those that were put there.
type changedError struct{ path, got, want string }

// Error implements error.
func (e *changedError) Error() string {
	return fmt.Sprintf("%s: it has changed since it was put there (SHA-256 %.12s, then %.12s)", e.path, e.got, e.want)
}

// digestOf returns the SHA-256 of a text.
func digestOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// folderOf returns where a plan is in a bucket, by its identity.
func folderOf(identity string) string { return plans + identity[:16] + "/" }

// portable returns a plan as it is in a bucket: inputs and outputs lie below its folder, wherever that is.
func portable(p *parts.Plan) (*parts.Plan, error) {
	q := *p
	q.Inputs, q.Outputs = nil, nil
	folder := string(filepath.Separator)
	for _, i := range p.Inputs {
		i.Path = filepath.Join(folder, "inputs", i.Flag, filepath.Base(p.Path(i.Path)))
		q.Inputs = append(q.Inputs, i)
	}
	for _, o := range p.Outputs {
		o.Path = filepath.Join(folder, "outputs", o.Flag, filepath.Base(p.Path(o.Path)))
		q.Outputs = append(q.Outputs, o)
	}
	return &q, q.Place(filepath.Join(folder, planName))
}

// The file of a plan on the machine of a worker, and the folder that parts makes beside it.
const (
	planName    = "plan.json"
	partsFolder = "plan.parts"
)

// text returns the content of the file of a plan.
func text(p *parts.Plan) (string, error) {
	var to bytes.Buffer
	e := json.NewEncoder(&to)
	e.SetIndent("", "  ")
	err := e.Encode(p)
	return to.String(), err
}

// known lists what the rounds of a plan gave so far, and where it is on this machine, but for what is listed already.
func known(p, as *parts.Plan, listed []file) (found []file, at []string, err error) {
	here, err := p.Known()
	if err != nil {
		return nil, nil, err
	}
	there, err := as.Known()
	if err != nil {
		return nil, nil, err
	}
	identity, err := as.Identity()
	if err != nil {
		return nil, nil, err
	}
	entries, err := os.ReadDir(here)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	for _, entry := range entries {
		name := path.Join(partsFolder, filepath.Base(there), entry.Name())
		if slices.ContainsFunc(listed, func(f file) bool { return f.Path == name }) || entry.Name()[0] == '.' {
			continue
		}
		f, err := described(filepath.Join(here, entry.Name()), name, folderOf(identity)+name)
		if err != nil {
			return nil, nil, err
		}
		found, at = append(found, f), append(at, filepath.Join(here, entry.Name()))
	}
	return found, at, err
}
