package parts

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/grove-graph/grove/atomicfile"
)

// Receipt says that a part is done, and what its results are.
type Receipt struct {
	Plan    string   `json:"plan"` // digest
	Part    int      `json:"part"`
	From    int      `json:"from"` // items
	To      int      `json:"to"`
	Results []Result `json:"results"` // of each output of the plan
	Seconds float64  `json:"seconds"`
}

// Result describes the file of a part for an output.
type Result struct {
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// Run computes a part by compute, which gets the range of its items and a writer for each output, and leaves its
// results and the receipt beside the plan. Where the part is done it returns the receipt that is there. Several may run
// the same part at once: what they write is the same, and appears as a whole.
//
// An error of compute, or of writing, leaves the part undone and nothing behind.
func (p *Plan) Run(
	ctx context.Context, part int, compute func(ctx context.Context, from, to int, out []io.Writer) error,
) (r *Receipt, done bool, err error) {
	if part < 0 || part >= p.Parts() {
		return nil, false, fmt.Errorf("part %d of a plan of %d: they are numbered from 0", part, p.Parts())
	}
	if r := p.Receipt(part); r != nil {
		return r, true, nil
	}
	if err := os.MkdirAll(p.Folder(), 0o777); err != nil {
		return nil, false, err
	}
	start := time.Now()
	r = &Receipt{Plan: p.digest, Part: part, Results: make([]Result, len(p.Outputs))}
	r.From, r.To = p.Range(part)
	if err := p.writeResults(r, nil, func(out []io.Writer) error { return compute(ctx, r.From, r.To, out) }); err != nil {
		return nil, false, err
	}
	r.Seconds = time.Since(start).Seconds()
	text, err := json.Marshal(r)
	if err != nil {
		return nil, false, err
	}
	return r, false, atomicfile.Write(p.receiptPath(part), func(w io.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return err
	})
}

// writeResults makes the files of the outputs that follow those in out, and calls content with all of them.
func (p *Plan) writeResults(r *Receipt, out []io.Writer, content func(out []io.Writer) error) error {
	if len(out) == len(p.Outputs) {
		return content(out)
	}
	k, failed := len(out), error(nil)
	err := atomicfile.Write(p.resultPath(r.Part, k), func(w io.Writer) error {
		counted := newCounter(w)
		failed = p.writeResults(r, append(out, counted), content)
		r.Results[k] = Result{counted.bytes, counted.sum()}
		return failed
	})
	if failed != nil {
		return failed
	}
	return err
}

// counter counts and digests what is written.
type counter struct {
	w     io.Writer
	hash  hash.Hash
	bytes int64
}

func newCounter(w io.Writer) *counter { return &counter{w: w, hash: sha256.New()} }

// sum returns the SHA-256 of what was written.
func (c *counter) sum() string { return hex.EncodeToString(c.hash.Sum(nil)) }

// Write implements [io.Writer]. A digest takes as long as to write, so it is computed meanwhile.
func (c *counter) Write(b []byte) (n int, err error) {
	done := make(chan struct{})
	go func() { defer close(done); c.hash.Write(b) }()
	n, err = c.w.Write(b)
	<-done
	c.bytes += int64(n)
	return n, err
}

// Receipt returns that of a part that is done under this plan, or nil.
func (p *Plan) Receipt(part int) *Receipt {
	text, err := os.ReadFile(p.receiptPath(part))
	if err != nil {
		return nil
	}
	r := &Receipt{}
	if json.Unmarshal(text, r) != nil || r.Plan != p.digest || r.Part != part || len(r.Results) != len(p.Outputs) {
		return nil
	}
	for k, result := range r.Results {
		if info, err := os.Stat(p.resultPath(part, k)); err != nil || info.Size() != result.Bytes {
			return nil
		}
	}
	return r
}

func (p *Plan) receiptPath(part int) string {
	return filepath.Join(p.Folder(), fmt.Sprintf("%06d.json", part))
}

func (p *Plan) resultPath(part, output int) string {
	return filepath.Join(p.Folder(), fmt.Sprintf("%06d.%s", part, p.Outputs[output].Flag))
}

// Missing lists the parts that are not done.
func (p *Plan) Missing() []int {
	var missing []int
	for part := range p.Parts() {
		if p.Receipt(part) == nil {
			missing = append(missing, part)
		}
	}
	return missing
}

// Files names the files of a part that is done: the results, and behind them the receipt.
func (p *Plan) Files(part int) []string {
	var paths []string
	for k := range p.Outputs {
		paths = append(paths, p.resultPath(part, k))
	}
	return append(paths, p.receiptPath(part))
}

// Discard removes the results of all parts.
func (p *Plan) Discard() error {
	for part := range p.Parts() {
		paths := p.Files(part)
		slices.Reverse(paths) // no receipt is there without its results
		for _, path := range paths {
			if err := atomicfile.Clean(path); err != nil {
				return err
			}
			if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	if err := os.Remove(p.Folder()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
