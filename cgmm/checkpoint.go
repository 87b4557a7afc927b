package cgmm

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/modelfile"
)

// checkpointKind is the kind of the files that hold unfinished models.
const checkpointKind = "cgmm-checkpoint"

// checkpoint is the description of a checkpoint.
type checkpoint struct {
	Training string          `json:"training"` // see identity
	Model    json.RawMessage `json:"model"`
}

// store writes the layers so far.
func (g *growth) store() error {
	if g.Checkpoint == "" {
		return nil
	}
	description, err := g.MarshalJSON()
	if err != nil {
		return err
	}
	identity, err := g.identity()
	if err != nil {
		return err
	}
	if err := modelfile.Write(g.Checkpoint, checkpointKind, checkpoint{identity, description}, g.Tensors()); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}

// resume goes on from a checkpoint, where there is one.
func (g *growth) resume(ctx context.Context) error {
	if g.Checkpoint == "" {
		return nil
	}
	if _, err := os.Stat(g.Checkpoint); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	f, err := modelfile.Read(g.Checkpoint)
	if err != nil {
		return fmt.Errorf("checkpoint %w", err)
	}
	var c checkpoint
	if f.Kind != checkpointKind || json.Unmarshal(f.Model, &c) != nil {
		return fmt.Errorf("checkpoint %s: the file holds something else; name another one", g.Checkpoint)
	}
	identity, err := g.identity()
	if err != nil {
		return err
	}
	if c.Training != identity {
		return fmt.Errorf("checkpoint %s: it comes from a training with other graphs, options or classes; "+
			"remove it or name another one", g.Checkpoint)
	}
	m, err := Load(g.engine, c.Model, f)
	if err != nil {
		return fmt.Errorf("checkpoint %s: %w", g.Checkpoint, err)
	}
	g.layers, g.history = m.layers, m.history
	for _, y := range g.layers {
		if g.states == nil {
			break
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := g.states.add(g.engine, y, g.opt.Soft); err != nil {
			return err
		}
	}
	return nil
}

// identity is a digest of all that the result of a training follows from.
func (g *growth) identity() (string, error) {
	if g.digest != "" {
		return g.digest, nil
	}
	criterion := ""
	if g.Criterion != nil {
		criterion = g.Criterion.String()
	}
	settings, err := json.Marshal(struct {
		Options   Options
		Input     Input
		Criterion string
	}{g.opt, g.input, criterion})
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	hash.Write(settings)
	err = g.pieces(func(b *graph.Batch) error {
		for _, part := range batchParts(b) {
			if err := binary.Write(hash, binary.LittleEndian, int64(binary.Size(part))); err != nil {
				return err
			}
			if err := binary.Write(hash, binary.LittleEndian, part); err != nil {
				return err
			}
		}
		return nil
	})
	g.digest = hex.EncodeToString(hash.Sum(nil))
	return g.digest, err
}

// batchParts lists what of a batch a model looks at.
func batchParts(b *graph.Batch) []any {
	return []any{b.Offsets, b.RowPtr, b.Col, b.Labels, b.Attributes, b.ArcLabels}
}
