package treeg

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/grove-graph/grove/modelfile"
)

// checkpointKind is the kind of the files that hold unfinished boostings.
const checkpointKind = "treeg-checkpoint"

// checkpoint is the description of a checkpoint: a round depends on the trees before it alone.
type checkpoint struct {
	Training string    `json:"training"` // see identity
	Trees    [][]*Tree `json:"trees"`
}

// store writes the trees so far.
func (f *storedFit) store() error {
	if f.checkpoint == "" {
		return nil
	}
	identity, err := f.identity()
	if err != nil {
		return err
	}
	if err := modelfile.Write(f.checkpoint, checkpointKind, checkpoint{identity, f.m.trees}, nil); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}

// resume goes on from a checkpoint, where there is one.
func (f *storedFit) resume() error {
	if f.checkpoint == "" {
		return nil
	}
	if _, err := os.Stat(f.checkpoint); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	file, err := modelfile.Read(f.checkpoint)
	if err != nil {
		return fmt.Errorf("checkpoint %w", err)
	}
	var c checkpoint
	if file.Kind != checkpointKind || json.Unmarshal(file.Model, &c) != nil {
		return fmt.Errorf("checkpoint %s: the file holds something else; name another one", f.checkpoint)
	}
	identity, err := f.identity()
	if err != nil {
		return err
	}
	if c.Training != identity {
		return fmt.Errorf("checkpoint %s: it comes from a training with other graphs, options or targets; "+
			"remove it or name another one", f.checkpoint)
	}
	f.m.trees = c.Trees
	return nil
}

// identity is a digest of all that the result of a training follows from.
func (f *storedFit) identity() (string, error) {
	hash := sha256.New()
	if err := json.NewEncoder(hash).Encode(struct {
		Graphs  string
		Options Options
		Input   Input
		Loss    Loss
		Classes int
	}{f.graphs.Digest(), *f.opt, f.m.input, f.loss, f.classes}); err != nil {
		return "", err
	}
	for _, part := range []any{f.train, f.y} {
		if err := binary.Write(hash, binary.LittleEndian, part); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}
