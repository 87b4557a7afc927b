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
func (b *sampledBooster) store() error {
	if b.checkpoint == "" {
		return nil
	}
	identity, err := b.identity()
	if err != nil {
		return err
	}
	if err := modelfile.Write(b.checkpoint, checkpointKind, checkpoint{identity, b.m.trees}, nil); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}

// resume goes on from a checkpoint, where there is one.
func (b *sampledBooster) resume() error {
	if b.checkpoint == "" {
		return nil
	}
	if _, err := os.Stat(b.checkpoint); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	f, err := modelfile.Read(b.checkpoint)
	if err != nil {
		return fmt.Errorf("checkpoint %w", err)
	}
	var c checkpoint
	if f.Kind != checkpointKind || json.Unmarshal(f.Model, &c) != nil {
		return fmt.Errorf("checkpoint %s: the file holds something else; name another one", b.checkpoint)
	}
	identity, err := b.identity()
	if err != nil {
		return err
	}
	if c.Training != identity {
		return fmt.Errorf("checkpoint %s: it comes from a training with other graphs, options or targets; "+
			"remove it or name another one", b.checkpoint)
	}
	b.m.trees = c.Trees
	return nil
}

// identity is a digest of all that the result of a training follows from.
func (b *sampledBooster) identity() (string, error) {
	hash := sha256.New()
	if err := json.NewEncoder(hash).Encode(struct {
		Graphs  string
		Options Options
		Input   Input
		Loss    Loss
		Classes int
	}{b.graphs.Digest(), *b.opt, b.m.input, b.loss, b.classes}); err != nil {
		return "", err
	}
	for _, part := range []any{b.train, b.y} {
		if err := binary.Write(hash, binary.LittleEndian, part); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}
