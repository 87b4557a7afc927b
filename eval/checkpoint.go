package eval

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/grove-graph/grove/atomicfile"
	"github.com/grove-graph/grove/internal/digest"
	"github.com/grove-graph/grove/model"
)

// Checkpoint is a file in which an evaluation keeps what it has measured: a line for each setting in a fold, as soon as
// it is known. An evaluation that finds the file goes on from there, to the same bits. What a line says that is not
// whole, for want of disk or of power, is measured again. The nil Checkpoint keeps nothing; one without a file keeps it
// in memory.
type Checkpoint struct {
	file   *os.File
	before float64

	mu     sync.Mutex
	pieces map[place]*piece
	since  time.Time // when the last line was written
	synced time.Time
}

// place is that of a piece of an evaluation, both counted from 0.
type place struct{ setting, fold int }

// piece is what is kept of a setting in a fold.
type piece struct {
	Setting int     `json:"setting"`
	Fold    int     `json:"fold"`
	Rungs   Numbers `json:"rungs,omitempty"`  // scores by the first inner folds, see [halving]
	Scores  Numbers `json:"scores,omitempty"` // of all values of the grid, on what settings are chosen by
	Voice   *Voice  `json:"voice,omitempty"`
	Seconds float64 `json:"seconds"` // since the line before

	// Said is what was said of the test part, where the setting was the best so far, or is chosen.
	Said *KeptPredictions `json:"said,omitempty"`
	// All is what was said of it with every value of the grid, where the test parts choose and there is one setting.
	All []KeptPredictions `json:"all,omitempty"`
}

// checkpointHead is the first line of the file.
type checkpointHead struct {
	Kind string            `json:"kind"`
	By   string            `json:"by"` // program and device
	Of   map[string]string `json:"of"` // what all else depends on, by name
}

// checkpointHead returns the first line of the checkpoint of a problem.
func (p *Problem) checkpointHead(by string, published bool) checkpointHead {
	return checkpointHead{"grove evaluation 1", by, p.depends(published)}
}

// syncEvery is how long lines may wait for the disk: those of quick settings wait together.
const syncEvery = time.Second

// OpenCheckpoint opens the checkpoint of an evaluation by [Published], or by [Nested], in a file, which it makes if it
// is not there. by names the program and all else that decides about bits beside the problem. Where the file is of
// another evaluation the error says what is different.
func OpenCheckpoint(path, by string, p Problem, published bool) (*Checkpoint, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	head := p.checkpointHead(by, published)
	c := &Checkpoint{pieces: map[place]*piece{}, since: time.Now()}
	raw, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && len(raw) == 0:
		err = atomicfile.Write(path, func(w io.Writer) error { return json.NewEncoder(w).Encode(head) })
	case err == nil:
		err = c.read(raw, head, &p)
	}
	if err != nil {
		return nil, err
	}
	if c.file, err = os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0); err != nil {
		return nil, err
	}
	if len(raw) > 0 && raw[len(raw)-1] != '\n' { // what was cut off stays a line of its own
		if _, err := c.file.WriteString("\n"); err != nil {
			return nil, errors.Join(err, c.file.Close())
		}
	}
	return c, nil
}

// Digest stands for all that decides about the outcome of a problem by [Published], or by [Nested], beside the program.
func (p Problem) Digest(published bool) (string, error) {
	if err := p.check(); err != nil {
		return "", err
	}
	depends := p.depends(published)
	var all []any
	for _, name := range slices.Sorted(maps.Keys(depends)) {
		all = append(all, depends[name])
	}
	return digest.Of(all...), nil
}

// depends lists digests of all that a problem comes to, by what is in them.
func (p *Problem) depends(published bool) map[string]string {
	targets := []any{p.Work.Data.Digest(), p.Targets.Names, p.Targets.Classes, p.Targets.Values}
	var folds, settings []any
	for _, f := range p.Folds {
		folds = append(folds, f.Train, f.Test)
	}
	for _, estimators := range slices.Concat([][]model.Estimator{p.Estimators}, p.Redrawn) {
		e := Entrant{Estimators: estimators, Inner: p.Inner, HoldOut: p.HoldOut, InnerFolds: p.InnerFolds}
		settings = append(settings, e.digest(p.Seed))
	}
	protocol := fmt.Sprint(published, p.Metric, p.Calibration, p.FromTrain, p.Halving, p.Repeats)
	return map[string]string{
		"data": digest.Of(targets...), "folds": digest.Of(folds...), "settings or inner folds": digest.Of(settings...),
		"flags of the protocol": digest.Of(protocol),
	}
}

// read takes over what is kept in a file.
func (c *Checkpoint) read(raw []byte, head checkpointHead, p *Problem) error {
	first, lines, _ := bytes.Cut(raw, []byte("\n"))
	var found checkpointHead
	if err := json.Unmarshal(first, &found); err != nil || found.Kind != head.Kind {
		return errors.New("this is no checkpoint of an evaluation; name another file")
	}
	for _, name := range slices.Sorted(maps.Keys(head.Of)) {
		if found.Of[name] != head.Of[name] {
			return fmt.Errorf("it is of an evaluation with other %s; remove it, or name another file", name)
		}
	}
	if found.By != head.By {
		return fmt.Errorf("it was written by %s, and this is %s: their bits may differ; go on with that one, or name "+
			"another file", found.By, head.By)
	}
	for line := range bytes.Lines(lines) {
		var k piece
		if err := json.Unmarshal(line, &k); err != nil || !k.fits(p) {
			continue
		}
		c.remember(&k)
		c.before += k.Seconds
	}
	return nil
}

// fits reports whether a piece may be one of the problem.
func (k *piece) fits(p *Problem) bool {
	if k.Setting < 0 || k.Setting >= len(p.Estimators) || k.Fold < 0 || k.Fold >= len(p.Folds) {
		return false
	}
	size, n := p.grids[k.Setting].Size(), len(p.Folds[k.Fold].Test)
	return (k.Said == nil || k.Said.fit(n, p.Targets)) && (k.Rungs == nil || p.Halving) &&
		(len(k.Scores) == 0 || len(k.Scores) == size) && (len(k.All) == 0 || len(k.All) == size) &&
		!slices.ContainsFunc(k.All, func(said KeptPredictions) bool { return !said.fit(n, p.Targets) })
}

// fit reports whether predictions may be of n examples with such targets.
func (k *KeptPredictions) fit(n int, t *model.Targets) bool {
	whole := func(rows [][]float64) bool {
		return rows == nil || len(rows) == n &&
			!slices.ContainsFunc(rows, func(row []float64) bool { return len(row) != len(rows[0]) || len(row) == 0 })
	}
	if !whole(k.Decisions) || !whole(k.Probabilities) {
		return false
	}
	if t.Regression() {
		return len(k.Values) == n
	}
	return len(k.Classes) == n &&
		!slices.ContainsFunc(k.Classes, func(c int) bool { return c < 0 || c >= len(t.Names) })
}

// remember adds a piece to what is known of its place.
func (c *Checkpoint) remember(k *piece) {
	at := place{k.Setting, k.Fold}
	old := c.pieces[at]
	if old == nil {
		c.pieces[at] = k
		return
	}
	if k.Scores != nil || k.Rungs != nil {
		old.Rungs, old.Scores, old.Voice, old.All = k.Rungs, k.Scores, k.Voice, k.All
	}
	if k.Said != nil {
		old.Said = k.Said
	}
}

// keep adds a piece, whose seconds it fills in.
func (c *Checkpoint) keep(k piece) error {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	k.Seconds = now.Sub(c.since).Seconds()
	line, err := json.Marshal(k)
	if err != nil && k.All != nil {
		k.All = nil // predictions that are not finite: what is chosen is learned again
		line, err = json.Marshal(k)
	}
	if err != nil {
		return nil // a score that is not finite: it is measured again
	}
	c.since = now
	c.remember(&k)
	if c.file == nil {
		return nil
	}
	_, err = c.file.Write(append(line, '\n'))
	if err == nil && now.Sub(c.synced) > syncEvery {
		c.synced, err = now, c.file.Sync()
	}
	if err != nil {
		return fmt.Errorf("checkpoint %w", err)
	}
	return nil
}

// of returns what is kept of a setting in a fold, nil for nothing.
func (c *Checkpoint) of(setting, fold int) *piece {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.pieces[place{setting, fold}]
}

// measured reports whether it is known how a setting does by what is chosen by in a fold.
func (c *Checkpoint) measured(setting, fold int) bool {
	k := c.of(setting, fold)
	return k != nil && (k.Scores != nil || k.Rungs != nil)
}

// predicted reports whether it is known what a setting says of the test part of a fold.
func (c *Checkpoint) predicted(setting, fold int) bool {
	k := c.of(setting, fold)
	return k != nil && k.Said != nil
}

// left returns the share of so many pieces that is not measured.
func (c *Checkpoint) left(pieces int) float64 {
	if c == nil {
		return 1
	}
	return 1 - float64(len(c.pieces))/float64(max(pieces, len(c.pieces), 1))
}

// Before returns the time of the runs whose measurements the checkpoint held when it was opened.
func (c *Checkpoint) Before() time.Duration {
	if c == nil {
		return 0
	}
	return time.Duration(c.before * float64(time.Second))
}

// Close closes the file, with all lines on the disk. It stays for the next run.
func (c *Checkpoint) Close() error {
	if c == nil {
		return nil
	}
	return errors.Join(c.file.Sync(), c.file.Close())
}
