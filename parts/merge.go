package parts

import (
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/grove-graph/grove/atomicfile"
)

// Merged describes an output.
type Merged struct {
	Path   string `json:"path"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// Merge writes the outputs of a plan all of whose parts are done, each the results of the parts one behind the other,
// and checks every byte of them against the receipts. Where parts are missing it says which, and writes nothing; or it
// waits for them, and puts together what is there in the meantime.
func (p *Plan) Merge(ctx context.Context, wait bool, progress func(done, parts int)) ([]Merged, error) {
	content := func(w io.Writer, output int) error {
		for part := range p.Parts() {
			progress(output*p.Parts()+part, len(p.Outputs)*p.Parts())
			err := ctx.Err()
			if wait {
				err = p.Wait(ctx, part)
			}
			if err != nil {
				return err
			}
			if err := p.Result(part, output, w); err != nil {
				return err
			}
		}
		return nil
	}
	if wait {
		return p.write(content)
	}
	return p.MergeBy(content)
}

// MergeBy is [Plan.Merge] where an output is not the results one behind the other: content writes it, from what
// [Plan.Result] gives.
func (p *Plan) MergeBy(content func(w io.Writer, output int) error) ([]Merged, error) {
	if missing := p.Missing(); missing != nil {
		return nil, &MissingError{missing, p.Parts()}
	}
	return p.write(content)
}

// write writes the outputs.
func (p *Plan) write(content func(w io.Writer, output int) error) ([]Merged, error) {
	var merged []Merged
	for k, output := range p.Outputs {
		path, failed := p.Path(output.Path), error(nil)
		var whole *counter
		err := atomicfile.Write(path, func(w io.Writer) error {
			whole = newCounter(w)
			failed = content(whole, k)
			return failed
		})
		if failed != nil {
			return nil, failed
		}
		if err != nil {
			return nil, fmt.Errorf("--%s %s: %w", output.Flag, path, err)
		}
		merged = append(merged, Merged{path, whole.bytes, whole.sum()})
	}
	return merged, nil
}

// How often somebody who waits for a part looks for its receipt, and whether the plan is still the same.
const (
	lookEvery  = 20 * time.Millisecond
	checkEvery = time.Second
)

// Wait waits until a part is done. It ends with the context, and where the plan is changed or removed.
func (p *Plan) Wait(ctx context.Context, part int) error {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for checked := time.Now(); p.Receipt(part) == nil; {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-look.C:
		}
		if time.Since(checked) < checkEvery {
			continue
		}
		checked = time.Now()
		now, err := Open(p.path)
		if err != nil {
			return err
		}
		if now.digest != p.digest {
			return fmt.Errorf("%s: it has changed while its parts were waited for", p.path)
		}
	}
	return nil
}

// Result copies what a part that is done has for an output. Where the bytes are not those of its receipt the part is
// not done any more: it returns an error that is a [MissingError], too.
func (p *Plan) Result(part, output int, to io.Writer) error {
	r := p.Receipt(part)
	if r == nil {
		return &MissingError{[]int{part}, p.Parts()}
	}
	path := p.resultPath(part, output)
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	copied := newCounter(to)
	if _, err := io.CopyBuffer(copied, struct{ io.Reader }{file}, make([]byte, 1<<20)); err != nil {
		return err
	}
	if copied.sum() == r.Results[output].SHA256 {
		return nil
	}
	if err := os.Remove(p.receiptPath(part)); err != nil {
		return err
	}
	return fmt.Errorf("%s: the bytes are not those of its receipt, which is removed: %w",
		path, &MissingError{[]int{part}, p.Parts()})
}

// MissingError says which parts of a plan are not done.
type MissingError struct {
	Parts []int // ascending
	Of    int
}

// Error implements error.
func (e *MissingError) Error() string {
	return fmt.Sprintf("%d of %d parts are not done: %s", len(e.Parts), e.Of, e.Ranges())
}

// Ranges lists the parts as schedulers take them: 3,7-9. Of many it names the first.
func (e *MissingError) Ranges() string {
	var text []string
	for i := 0; i < len(e.Parts); {
		j := i + 1
		for j < len(e.Parts) && e.Parts[j] == e.Parts[j-1]+1 {
			j++
		}
		if len(text) == maxNamed {
			return strings.Join(text, ",") + fmt.Sprintf(" and %d more", len(e.Parts)-i)
		}
		one := strconv.Itoa(e.Parts[i])
		if j > i+1 {
			one += "-" + strconv.Itoa(e.Parts[j-1])
		}
		text, i = append(text, one), j
	}
	return strings.Join(text, ",")
}

// maxNamed is how many ranges of parts an error names.
const maxNamed = 20
