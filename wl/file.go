package wl

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/modelfile"
	"gorgonia.org/tensor"
)

// stored is the description of a model in a model file. The tensors hold whole numbers, round after round: the
// lengths and items of the signatures in the order of their colours, and the colours of each graph with their
// counts.
type stored struct {
	Options  Options `json:"options"`
	Labelled bool    `json:"labelled"`
	Graphs   int     `json:"graphs"`
	Colours  []int   `json:"colours"` // of every round
}

// The tensors of a model file.
const (
	tensorLengths = "wl-signature-lengths"
	tensorItems   = "wl-signature-items"
	tensorMarks   = "wl-signature-marks" // of each item: label and direction of the arc; only where there are any
	tensorRows    = "wl-graph-lengths"   // number of colours of each graph in each round
	tensorColours = "wl-graph-colours"
	tensorCounts  = "wl-graph-counts"
)

// MarshalJSON describes the model without what is in its tensors.
func (m *Model) MarshalJSON() ([]byte, error) {
	return json.Marshal(stored{m.opt, m.refinement.labelled, m.NumGraphs(), m.NumColours()})
}

// Tensors returns what a model file must hold beside the description.
func (m *Model) Tensors() map[string]*tensor.Dense {
	var lengths, items, marks, rows, colours, counts wholeNumbers
	marked := false
	for t, d := range m.refinement.rounds {
		for c := range d.size() {
			lengths.add(uint64(d.start[c+1] - d.start[c]))
		}
		for _, item := range d.items {
			items.add(item & numberMask)
			marked = marked || item > numberMask
		}
		h := m.train[t]
		for g := range h.graphs() {
			rows.add(uint64(h.rowPtr[g+1] - h.rowPtr[g]))
		}
		for e, c := range h.colour {
			colours.add(uint64(c))
			counts.add(uint64(h.count[e]))
		}
	}
	tensors := map[string]*tensor.Dense{
		tensorLengths: lengths.vector(), tensorItems: items.vector(), tensorRows: rows.vector(),
		tensorColours: colours.vector(), tensorCounts: counts.vector(),
	}
	if marked {
		for _, d := range m.refinement.rounds {
			for _, item := range d.items {
				marks.add(item >> 32)
			}
		}
		tensors[tensorMarks] = marks.vector()
	}
	return tensors
}

// wholeNumbers are the entries of a vector, Float32 as long as that holds all of them exactly.
type wholeNumbers struct {
	short []float32
	long  []float64 // in place of short
}

func (n *wholeNumbers) add(x uint64) {
	switch {
	case n.long != nil:
		n.long = append(n.long, float64(x))
	case x < 1<<24:
		n.short = append(n.short, float32(x))
	default:
		n.long = make([]float64, len(n.short), len(n.short)+1)
		for i, v := range n.short {
			n.long[i] = float64(v)
		}
		n.short, n.long = nil, append(n.long, float64(x))
	}
}

func (n *wholeNumbers) vector() *tensor.Dense {
	if n.long != nil {
		return tensor.New(tensor.WithShape(len(n.long)), tensor.WithBacking(n.long))
	}
	return tensor.New(tensor.WithShape(len(n.short)), tensor.WithBacking(n.short[:len(n.short):len(n.short)]))
}

// Load makes a model from its description and the tensors of its file. It computes the same bits as the one that
// was stored.
func Load(e engine.Engine, description json.RawMessage, f *modelfile.File) (*Model, error) {
	m, err := load(e, description, f)
	if err != nil {
		return nil, modelfile.Damaged(err)
	}
	return m, nil
}

func load(e engine.Engine, description json.RawMessage, f *modelfile.File) (*Model, error) {
	var s stored
	if err := modelfile.Unmarshal(description, &s); err != nil {
		return nil, err
	}
	if err := s.Options.Check(); err != nil {
		return nil, err
	}
	if len(s.Colours) != s.Options.Iterations+1 || slices.Min(s.Colours) < 0 {
		return nil, fmt.Errorf("%v colours after %d rounds of refinement", s.Colours, s.Options.Iterations)
	}
	m := &Model{opt: s.Options, engine: e, refinement: &refinement{opt: s.Options, labelled: s.Labelled}}
	var err error
	if m.refinement.rounds, err = loadRounds(&s, f); err != nil {
		return nil, err
	}
	train, err := loadHistograms(&s, f)
	if err != nil {
		return nil, err
	}
	if err := checkVertices(train); err != nil {
		return nil, err
	}
	m.setTrain(train)
	return m, nil
}

// loadRounds reads the signatures of every round.
func loadRounds(s *stored, f *modelfile.File) ([]*dictionary, error) {
	lengths, err := readNumbers(f, tensorLengths)
	if err != nil {
		return nil, err
	}
	items, err := readNumbers(f, tensorItems)
	if err != nil {
		return nil, err
	}
	if f.Take(tensorMarks) != nil {
		marks, err := readNumbers(f, tensorMarks)
		if err != nil {
			return nil, err
		}
		if len(marks.left) != len(items.left) {
			return nil, fmt.Errorf("%d marks of %d items", len(marks.left), len(items.left))
		}
		for i, mark := range marks.left {
			items.left[i] |= mark << 32
		}
	}
	var rounds []*dictionary
	for t, colours := range s.Colours {
		d := newDictionary()
		for c := range colours {
			length, err := lengths.one()
			if err != nil {
				return nil, err
			}
			signature, err := items.next(length)
			if err != nil {
				return nil, err
			}
			if err := checkSignature(signature, t, s.Colours); err != nil {
				return nil, fmt.Errorf("round %d, colour %d: %w", t, c, err)
			}
			if int(d.number(signature, hash(signature))) != c {
				return nil, fmt.Errorf("round %d: colour %d is there twice", t, c)
			}
		}
		rounds = append(rounds, d)
	}
	return rounds, cmp.Or(lengths.end(), items.end())
}

// checkSignature reports what no refinement could have made.
func checkSignature(signature []uint64, t int, colours []int) error {
	switch {
	case len(signature) == 0 || t == 0 && len(signature) > 1 || signature[0] > numberMask:
		return fmt.Errorf("a signature of %d items", len(signature))
	case t == 0:
		return nil
	case !slices.IsSorted(signature[1:]):
		return errors.New("neighbours out of order")
	}
	for _, item := range signature {
		if c := item & numberMask; c >= uint64(colours[t-1]) {
			return fmt.Errorf("colour %d of %d in the round before", c, colours[t-1])
		}
	}
	return nil
}

// loadHistograms reads the colour counts of every round.
func loadHistograms(s *stored, f *modelfile.File) ([]*histograms, error) {
	var vectors [3]*numbers
	for i, name := range []string{tensorRows, tensorColours, tensorCounts} {
		var err error
		if vectors[i], err = readNumbers(f, name); err != nil {
			return nil, err
		}
	}
	rows, colours, counts := vectors[0], vectors[1], vectors[2]
	if s.Graphs < 0 || s.Graphs != len(rows.left)/len(s.Colours) {
		return nil, fmt.Errorf("%d rows for %d graphs in %d rounds", len(rows.left), s.Graphs, len(s.Colours))
	}
	var rounds []*histograms
	for t, columns := range s.Colours {
		h := &histograms{columns: columns, rowPtr: make([]int32, 1, s.Graphs+1)}
		for g := range s.Graphs {
			length, err := rows.one()
			if err != nil {
				return nil, err
			}
			row, err := colours.next(length)
			if err != nil {
				return nil, err
			}
			many, err := counts.next(length)
			if err != nil {
				return nil, err
			}
			for i, c := range row {
				if c >= uint64(columns) || i > 0 && c <= row[i-1] || many[i] == 0 || many[i] > math.MaxInt32 {
					return nil, fmt.Errorf("round %d, graph %d: colour %d, %d times", t, g, c, many[i])
				}
				h.colour, h.count = append(h.colour, int32(c)), append(h.count, int32(many[i]))
			}
			h.rowPtr = append(h.rowPtr, int32(len(h.colour)))
		}
		rounds = append(rounds, h)
	}
	return rounds, cmp.Or(rows.end(), colours.end(), counts.end())
}

// checkVertices reports a graph that does not have the same number of vertices in all rounds.
func checkVertices(rounds []*histograms) error {
	vertices := make([]int, rounds[0].graphs())
	for t, h := range rounds {
		for g := range vertices {
			n := 0
			for _, count := range h.count[h.rowPtr[g]:h.rowPtr[g+1]] {
				n += int(count)
			}
			if t == 0 {
				vertices[g] = n
			}
			if n != vertices[g] || n > math.MaxInt32 {
				return fmt.Errorf("graph %d has %d vertices in round %d and %d in round 0", g, n, t, vertices[g])
			}
		}
	}
	return nil
}

// CheckInput returns an error where the model does not look at graphs with so many vertex labels, 0 for none, whose
// arcs have labels to tell apart or not, as it may where both come from a file.
func (m *Model) CheckInput(labels int, arcLabels bool) error {
	r := m.refinement
	marked := slices.ContainsFunc(r.rounds, func(d *dictionary) bool {
		return slices.ContainsFunc(d.items, func(item uint64) bool { return m.opt.ArcLabels && item > numberMask })
	})
	if r.labelled != (labels > 0 && !m.opt.Uniform) || marked && !arcLabels || arcLabels && !m.opt.ArcLabels {
		return fmt.Errorf("%d labels of vertices, labels of arcs: %t, for colours that look at labels: %t, of arcs: %t",
			labels, arcLabels, r.labelled, m.opt.ArcLabels)
	}
	for _, label := range r.rounds[0].items {
		if label > uint64(labels) || !r.labelled && label > 0 {
			return fmt.Errorf("a colour of label %d of %d", label, labels)
		}
	}
	return nil
}

// numbers are what remains to be read of a vector of whole numbers below 2^32.
type numbers struct {
	name string
	left []uint64
}

func readNumbers(f *modelfile.File, name string) (*numbers, error) {
	t, err := f.Tensor(name, 1)
	if err != nil {
		return nil, err
	}
	n := &numbers{name: name, left: make([]uint64, t.Shape()[0])}
	for i := range n.left {
		var v float64
		if t.Dtype() == tensor.Float32 {
			v = float64(t.Float32s()[i])
		} else {
			v = t.Float64s()[i]
		}
		if !(v >= 0 && v <= numberMask) || v != math.Trunc(v) {
			return nil, fmt.Errorf("%s: %g, want a whole number below 2^32", name, v)
		}
		n.left[i] = uint64(v)
	}
	return n, nil
}

// next returns the next count numbers.
func (n *numbers) next(count uint64) ([]uint64, error) {
	if count > uint64(len(n.left)) {
		return nil, fmt.Errorf("%s ends too early", n.name)
	}
	head := n.left[:count:count]
	n.left = n.left[count:]
	return head, nil
}

func (n *numbers) one() (uint64, error) {
	head, err := n.next(1)
	if err != nil {
		return 0, err
	}
	return head[0], nil
}

func (n *numbers) end() error {
	if len(n.left) > 0 {
		return fmt.Errorf("%s has %d numbers too many", n.name, len(n.left))
	}
	return nil
}
