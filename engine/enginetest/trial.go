package enginetest

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// Trial is a case in one dtype.
type Trial struct {
	Case
	Dtype tensor.Dtype
}

// String is unique among [Trials], as in "Gemm/1x5x7 {...} float32".
func (t Trial) String() string { return fmt.Sprintf("%s/%s %v", t.Operation, t.Name, t.Dtype) }

// Trials returns all cases in all their dtypes: operations in the order of the suite, the cases of one by name.
func Trials() []Trial {
	var all []Trial
	place := map[string]int{}
	for _, c := range Cases() {
		if _, known := place[c.Operation]; !known {
			place[c.Operation] = len(place)
		}
		for _, dtype := range c.Dtypes() {
			all = append(all, Trial{c, dtype})
		}
	}
	slices.SortStableFunc(all, func(a, b Trial) int {
		return cmp.Or(place[a.Operation]-place[b.Operation], cmp.Compare(a.Name, b.Name))
	})
	return all
}

// Outcome is how a trial went on an engine.
type Outcome struct {
	Trial     string  `json:"case"` // as [Trial] names itself
	Operation string  `json:"operation"`
	Worst     float64 `json:"worst"`           // largest difference as a share of the admissible one
	Bits      string  `json:"bits,omitempty"`  // hash of the bit patterns of the outputs, see [Case.Bits]
	Error     string  `json:"error,omitempty"` // empty for a pass
	Seconds   float64 `json:"seconds"`         // of the trial and of the reference
}

// On runs a trial on an engine.
func (t Trial) On(e engine.Engine) Outcome {
	start := time.Now()
	c := &call{e: e, dtype: t.Dtype}
	worst, err := check(t.Case, c)
	o := Outcome{Trial: t.String(), Operation: t.Operation, Worst: worst}
	if err != nil {
		o.Error = err.Error()
	} else {
		sum := sha256.Sum256([]byte(c.bits()))
		o.Bits = fmt.Sprintf("%x", sum[:8])
	}
	o.Seconds = time.Since(start).Seconds()
	return o
}
