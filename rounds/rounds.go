package rounds

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/grove-graph/grove/atomicfile"
)

// Rounds says which role a process has. A nil one stands for a process that computes everything.
type Rounds struct {
	dir  string // of what is known
	next int    // number of what is kept or passed over next
	pass string // that parts compute

	results  func(visit func(r io.Reader) error) error // of the parts of a pass, in their order; nil: there are none
	from, to int                                       // items of a part
	out      io.Writer                                 // of a part; nil: this is no part
}

// ErrDone ends a program that has computed a part.
var ErrDone = errors.New("this part is done")

// NextError ends a program that wants the results of all parts of a pass.
type NextError struct{ Pass string }

// Error implements error.
func (e *NextError) Error() string { return "the next round is " + e.Pass }

// Lead returns the role of who puts parts together. What is known is in a folder. results calls visit with the results
// of every part of a pass, in the order of the parts; where there are none both are zero.
func Lead(dir, pass string, results func(visit func(r io.Reader) error) error) *Rounds {
	return &Rounds{dir: dir, pass: pass, results: results}
}

// Take returns the role of who computes a part of a pass: the blocks that begin with items from one to the one before
// another, whose results go to out.
func Take(dir, pass string, from, to int, out io.Writer) *Rounds {
	return &Rounds{dir: dir, pass: pass, from: from, to: to, out: out}
}

// leads reports whether this is a process that computes no block.
func (r *Rounds) leads() bool { return r != nil && r.out == nil }

// Keep returns what compute makes: a value that [encoding/gob] can write, computed by who leads and known to all
// others.
func Keep[T any](r *Rounds, compute func() (T, error)) (value T, err error) {
	if r == nil {
		return compute()
	}
	path := r.path()
	if found, err := read(path, &value); found || err != nil {
		return value, err
	}
	if !r.leads() {
		return value, r.behind()
	}
	if value, err = compute(); err != nil {
		return value, err
	}
	return value, write(path, value)
}

// Whole is [Keep] of what takes passes of its own, which compute goes through in the rounds that it is called with.
// When the value is known, what those passes gave is forgotten.
func Whole[T any](r *Rounds, compute func(inner *Rounds) (T, error)) (value T, err error) {
	if r == nil {
		return compute(nil)
	}
	path := r.path()
	if found, err := read(path, &value); found || err != nil {
		return value, err
	}
	inner := *r
	inner.dir, inner.next = path+"-passes", 0
	value, err = compute(&inner)
	r.results = inner.results // which serve one pass
	if err != nil {
		return value, err
	}
	if !r.leads() {
		return value, r.behind()
	}
	if err := write(path, value); err != nil {
		return value, err
	}
	return value, os.RemoveAll(inner.dir)
}

// behind returns the error of a part whose pass is not the next one.
func (r *Rounds) behind() error {
	return fmt.Errorf("%s: what is known there is not what comes before %s: it is put together, or gone", r.dir, r.pass)
}

// path returns the file of what comes next.
func (r *Rounds) path() string {
	r.next++
	return filepath.Join(r.dir, name(r.next))
}

// name returns that of the file of what comes after so many.
func name(number int) string { return fmt.Sprintf("%04d", number) }

// read reads a value, if its file is there.
func read(path string, value any) (found bool, err error) {
	file, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err == nil {
		err = gob.NewDecoder(bytes.NewReader(file)).Decode(value)
	}
	if err != nil {
		return true, fmt.Errorf("%s: %w", path, err)
	}
	return true, nil
}

// write writes the file of a value.
func write(path string, value any) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return atomicfile.Write(path, func(w io.Writer) error { return gob.NewEncoder(w).Encode(value) })
}
