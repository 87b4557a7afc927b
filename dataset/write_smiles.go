package dataset

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/smiles"
)

// writeTable writes a table of molecules, NAME.csv, with the classes or targets of the graphs, and their names.
func writeTable(to *folderWriter, d *Dataset) error {
	molecules, err := d.ToMolecules()
	if err != nil {
		return fmt.Errorf("write SMILES: %w", err)
	}
	header := []string{smilesColumn}
	switch {
	case d.Classes != nil && d.Target != "":
		header = append(header, d.Target)
	case d.Classes != nil:
		header = append(header, "class")
	default:
		header = append(header, d.TargetNames...)
	}
	id := "id"
	if slices.Contains(header, id) {
		id = "molecule_id"
	}
	if d.GraphIDs != nil {
		header = append(header, id)
	}
	if i := columnOf(header[1:], ""); i >= 0 {
		return fmt.Errorf("write SMILES: a target is called %s", header[1+i])
	}
	to.raw(d.Name+".csv", func(out io.Writer) error {
		w := csv.NewWriter(out)
		_ = w.Write(header)
		for g, m := range molecules {
			row := append([]string{m.String()}, d.known(g)...)
			if d.GraphIDs != nil {
				row = append(row, d.GraphIDs[g])
			}
			_ = w.Write(row)
		}
		w.Flush()
		return w.Error()
	})
	return to.err
}

// known returns what is known of a graph as text, "" for what is missing.
func (d *Dataset) known(g int) []string {
	if d.Classes != nil {
		if d.Classes[g] < 0 {
			return []string{""}
		}
		return []string{d.ClassNames[d.Classes[g]]}
	}
	row := make([]string, len(d.TargetNames))
	for k := range row {
		v := d.Targets[g*len(row)+k]
		switch {
		case math.IsNaN(v):
		case d.TargetClasses != nil && d.TargetClasses[k] != nil:
			row[k] = d.TargetClasses[k][int(v)]
		default:
			row[k] = strconv.FormatFloat(v, 'g', -1, 64)
		}
	}
	return row
}

// ToMolecules returns the graphs as molecules. Of data that were not read as such the names of vertex labels must be
// symbols of elements and the codes of arc labels those of bonds, see [Molecules], or 0 for aromatic; without arc
// labels all bonds are single. Their atoms have the hydrogens that they imply. It is an error where a graph is no
// molecule.
func (d *Dataset) ToMolecules() ([]*smiles.Molecule, error) {
	b := d.Batch
	switch {
	case d.Task.PerVertex():
		return nil, errors.New("the format holds no vertex tasks")
	case b.Directed || b.ArcTypes != nil || b.ArcWeights != nil:
		return nil, errors.New("molecules are undirected, without types and weights of arcs")
	case b.AttributeDim > 0 && d.Molecules == nil:
		return nil, errors.New("the format holds no attributes")
	case b.Labels == nil:
		return nil, errors.New("vertices need elements as labels")
	}
	elements := make([]smiles.Element, len(d.LabelNames))
	for id, name := range d.LabelNames {
		var known bool
		if elements[id], known = smiles.ElementOf(name); !known {
			return nil, fmt.Errorf("the vertex label %s is called %q, which is no element", d.LabelCodes[id], name)
		}
	}
	orders, err := d.ordersOfArcs()
	if err != nil {
		return nil, err
	}
	all := make([]*smiles.Molecule, d.NumGraphs())
	for g := range all {
		from, to := b.Vertices(g)
		if from == to {
			return nil, fmt.Errorf("graph %d has no vertices", g)
		}
		m := &smiles.Molecule{Bonds: bondsOf(b, from, to, orders)}
		if d.Atoms != nil {
			m.Atoms = d.Atoms[from:to]
		} else {
			m.Atoms = make([]smiles.Atom, to-from)
			for i, label := range b.Labels[from:to] {
				m.Atoms[i].Element = elements[label]
			}
			m.Imply()
		}
		all[g] = m
	}
	return all, nil
}

// bondsOf returns the edges between some vertices as bonds.
func bondsOf(b *graph.Batch, from, to int32, orders []smiles.Order) (bonds []smiles.Bond) {
	for u := from; u < to; u++ {
		for a := b.RowPtr[u]; a < b.RowPtr[u+1]; a++ {
			if v := b.Col[a]; u < v {
				order := smiles.Single
				if b.ArcLabels != nil {
					order = orders[b.ArcLabels[a]]
				}
				bonds = append(bonds, smiles.Bond{From: u - from, To: v - from, Order: order})
			}
		}
	}
	return bonds
}

// ordersOfArcs returns the order that each arc label stands for.
func (d *Dataset) ordersOfArcs() ([]smiles.Order, error) {
	if d.Batch.ArcLabels == nil {
		return nil, nil
	}
	known := []string{"1", "2", "3", "4", "5", "8", "9"}
	orders := make([]smiles.Order, len(d.ArcLabelNames))
	for id, code := range d.ArcLabelNames {
		switch {
		case code == "0":
			orders[id] = smiles.Aromatic
		case slices.Contains(known, code):
			orders[id] = smiles.Order(code[0] - '0')
		default:
			return nil, fmt.Errorf("the arc label %s is no bond: 1 is single, 2 double, 3 triple, 4 or 0 aromatic", code)
		}
	}
	return orders, nil
}
