package dataset

import (
	"fmt"
	"math"
	"strings"

	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/smiles"
)

// Molecules says how molecules are read, from SMILES or from SDF. Their vertices are the atoms, with the atomic number
// as the code of the label and the symbol as its name; their edges are the bonds, labelled by their order (1 single,
// 2 double, 3 triple, 4 aromatic, 5 quadruple, 8 any, 9 dative).
type Molecules struct {
	// Column holds SMILES in a table, "" stands for the one that is called smiles in letters of any size.
	Column string `json:"-"`
	// Hydrogens makes all hydrogens vertices, which follow the other atoms of their molecule.
	Hydrogens bool `json:"hydrogens,omitempty"`
	// Attributes are what vertices have as attributes, in this order.
	Attributes []AtomAttribute `json:"attributes,omitempty"`
	// SkipInvalid leaves out molecules that cannot be read, and lists them in Dataset.Skipped.
	SkipInvalid bool `json:"-"`
}

// AtomAttribute is a number that an atom may have as an attribute.
type AtomAttribute string

// The attributes of atoms.
const (
	AtomCharge    AtomAttribute = "charge"
	AtomAromatic  AtomAttribute = "aromatic"  // 1 or 0
	AtomHydrogens AtomAttribute = "hydrogens" // those that are no vertices
	AtomDegree    AtomAttribute = "degree"    // number of bonds
	AtomRing      AtomAttribute = "ring"      // 1 in a ring, otherwise 0
	AtomIsotope   AtomAttribute = "isotope"   // mass number, 0 where none is given
	AtomChirality AtomAttribute = "chirality" // 1 for @, 2 for @@, more for the marks with a class, 0 without a mark
	AtomSides     AtomAttribute = "sides"     // neighbours that / and \ put above the atom, less those below
)

// AtomAttributes lists the attributes that atoms may have.
func AtomAttributes() []AtomAttribute {
	return []AtomAttribute{
		AtomCharge, AtomAromatic, AtomHydrogens, AtomDegree, AtomRing, AtomIsotope, AtomChirality,
		AtomSides,
	}
}

// gatherer makes a data set of molecules.
type gatherer struct {
	how     Molecules
	offsets []int32
	labels  []int64
	atoms   []smiles.Atom
	values  []float64
	arcs    graph.ArcList
	orders  []int64
	skipped []string

	// What all molecules have as labels and orders where only some of them are gathered; nil where those do.
	elements, bonds []int64
}

// add adds a molecule.
func (r *gatherer) add(m *smiles.Molecule) error {
	if r.how.Hydrogens {
		m = m.WithHydrogens()
	}
	first := int32(len(r.atoms))
	if len(r.atoms)+len(m.Atoms) > math.MaxInt32/2 {
		return fmt.Errorf("more than %d atoms", math.MaxInt32/2)
	}
	r.offsets = append(r.offsets, first+int32(len(m.Atoms)))
	r.atoms = append(r.atoms, m.Atoms...)
	for i := range m.Atoms {
		r.labels = append(r.labels, int64(m.Atoms[i].Element))
	}
	for i := range m.Bonds {
		b := &m.Bonds[i]
		r.arcs.From, r.arcs.To = append(r.arcs.From, first+b.From), append(r.arcs.To, first+b.To)
		r.orders = append(r.orders, int64(b.Order))
	}
	r.attributes(m)
	return nil
}

// attributes adds the attributes of the atoms of a molecule.
func (r *gatherer) attributes(m *smiles.Molecule) {
	width := len(r.how.Attributes)
	if width == 0 {
		return
	}
	first := len(r.values)
	r.values = append(r.values, make([]float64, width*len(m.Atoms))...)
	for k, what := range r.how.Attributes {
		column := func(atom int) *float64 { return &r.values[first+atom*width+k] }
		switch what {
		case AtomDegree:
			for i := range m.Bonds {
				*column(int(m.Bonds[i].From))++
				*column(int(m.Bonds[i].To))++
			}
			continue
		case AtomSides:
			for i := range m.Bonds {
				b, above := &m.Bonds[i], 0.0 // by which To is above From
				switch b.Mark {
				case '/':
					above = 1
				case '\\':
					above = -1
				}
				*column(int(b.From)) += above
				*column(int(b.To)) -= above
			}
			continue
		case AtomRing:
			for i, in := range m.InRing() {
				*column(i) = oneIf(in)
			}
			continue
		}
		for i := range m.Atoms {
			switch a := &m.Atoms[i]; what {
			case AtomCharge:
				*column(i) = float64(a.Charge)
			case AtomAromatic:
				*column(i) = oneIf(a.Aromatic)
			case AtomHydrogens:
				*column(i) = float64(a.Hydrogens)
			case AtomIsotope:
				*column(i) = float64(a.Isotope)
			case AtomChirality:
				*column(i) = float64(a.Chirality)
			}
		}
	}
}

func oneIf(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// wrong takes note of a molecule that cannot be read, or returns what is wrong with it.
func (r *gatherer) wrong(file string, line int, reason string) error {
	if !r.how.SkipInvalid {
		return fmt.Errorf("%s:%d: %s", file, line, reason)
	}
	r.skipped = append(r.skipped, fmt.Sprintf("line %d: %s", line, reason))
	return nil
}

// set returns the data set of what was added, without targets.
func (r *gatherer) set(name, file string) (*Dataset, error) {
	if len(r.offsets) == 0 && r.elements == nil {
		return nil, fmt.Errorf("%s: no molecules", file)
	}
	var orders, elements []int64
	r.arcs.Labels, orders = numbered(r.orders, r.bonds)
	b, err := graph.FromArcs(append([]int32{0}, r.offsets...), r.arcs, graph.BuildOptions{})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	b.Labels, elements = numbered(r.labels, r.elements)
	b.NumLabels = len(elements)
	if b.AttributeDim = len(r.how.Attributes); b.AttributeDim > 0 {
		b.Attributes = r.values
	}
	how := r.how
	d := &Dataset{
		Name: name, Batch: b, LabelCodes: codeNames(elements), ArcLabelNames: codeNames(orders), Atoms: r.atoms,
		Molecules: &how, Skipped: r.skipped,
	}
	for _, a := range how.Attributes {
		d.AttributeNames = append(d.AttributeNames, string(a))
	}
	for _, e := range elements {
		d.LabelNames = append(d.LabelNames, smiles.Element(e).String())
	}
	return d, nil
}

// numbered returns the ids of codes among the known ones, or where these are nil among those that occur, which it
// returns.
func numbered(codes, known []int64) (ids []int32, all []int64) {
	if known == nil {
		return enumerate(codes)
	}
	return idsOf(append([]int64{}, codes...), known), known
}

// stem is the name of a file without .gz and its ending.
func stem(file string) string {
	file = strings.TrimSuffix(file, ".gz")
	if dot := strings.LastIndexByte(file, '.'); dot > 0 {
		file = file[:dot]
	}
	return file
}
