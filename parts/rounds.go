package parts

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Folder returns the folder with the results of the parts, which lies beside the plan: of a plan with rounds that of
// this one.
func (p *Plan) Folder() string {
	if p.Round > 0 {
		return filepath.Join(p.folder(), fmt.Sprintf("round-%d", p.Round))
	}
	return p.folder()
}

// folder returns the folder of all rounds.
func (p *Plan) folder() string { return strings.TrimSuffix(p.path, filepath.Ext(p.path)) + ".parts" }

// Identity returns the SHA-256 of what is planned, the same in all rounds.
func (p *Plan) Identity() (string, error) {
	plan := *p
	plan.Round, plan.Pass = 0, ""
	text, err := json.Marshal(plan)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// Known returns the folder of what the rounds so far gave. It has a name of its own for every plan.
func (p *Plan) Known() (string, error) {
	identity, err := p.Identity()
	if err != nil {
		return "", err
	}
	return filepath.Join(p.folder(), "known-"+identity[:12]), nil
}

// Next writes the plan with its next round.
func (p *Plan) Next(pass string) error {
	p.Round, p.Pass = p.Round+1, pass
	return p.store()
}

// DiscardRounds removes what the rounds gave: what is known last, so that the parts of the last round can be computed
// again where this is killed.
func (p *Plan) DiscardRounds() error {
	for round := *p; round.Round > 0; round.Round-- { // some may be left of merges that were killed
		if err := round.Discard(); err != nil {
			return err
		}
	}
	known, err := p.Known()
	if err != nil {
		return err
	}
	gone := known + "-gone" // what is known goes as a whole
	if err = os.Rename(known, gone); err == nil || errors.Is(err, fs.ErrNotExist) {
		err = os.RemoveAll(gone)
	}
	if err == nil {
		_ = os.Remove(p.folder()) // unless it holds something of another plan
	}
	return err
}

// OpenResult opens what a part that is done has for an output, after it has compared the bytes with the receipt.
func (p *Plan) OpenResult(part, output int) (io.ReadCloser, error) {
	if err := p.Result(part, output, io.Discard); err != nil {
		return nil, err
	}
	return os.Open(p.resultPath(part, output))
}
