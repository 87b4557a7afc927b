package graph

import (
	"encoding/binary"
	"slices"
	"sort"
)

// PathSequences are the label sequences along the paths (or walks) that start at the vertices of each class of some
// [PathClasses]: all that a sum, mean or maximum over paths of a function of the labels needs of them. Arrays are by
// size, as those of the classes.
type PathSequences struct {
	Size    []int     // vertices of a path
	Labels  [][]int32 // of the distinct sequences, one after another: sequence k is [k*size:(k+1)*size]
	Offsets [][]int32 // the sequences of class c are the entries Offsets[c] to Offsets[c+1]
	Number  [][]int32 // of the sequence of each entry; within a class in the order of the labels
	Count   [][]int32 // paths with the sequence from each vertex of the class
}

// PathSequences lists the sequences of classes that [Batch.PathClasses] found with the same labels, maxSize, allSizes
// and walks. It visits the paths from one vertex of each class, and gives up with nil where those are more than limit.
func (b *Batch) PathSequences(
	c *PathClasses, label []int32, maxSize int, allSizes, walks bool, limit int,
) *PathSequences {
	s := &PathSequences{}
	route, size, visited := Paths, maxSize, 0
	if walks {
		route = Walks
	}
	if allSizes {
		size = 1
	}
	for i := 0; size <= maxSize; i, size = i+1, size+1 {
		var labels, number, count []int32
		offsets := []int32{0}
		known := map[string]int32{} // by the labels as bytes
		var entry []int32           // of each sequence: 1 + its last entry
		key := make([]byte, 4*size)
		for _, root := range c.Roots[i] {
			first := int32(len(number))
			b.Visit(route, root, size, func(path []int32) {
				visited++
				if len(path) < size {
					return
				}
				for k, v := range path {
					binary.LittleEndian.PutUint32(key[4*k:], uint32(label[v]))
				}
				n, ok := known[string(key)]
				if !ok {
					n = int32(len(known))
					known[string(key)] = n
					entry = append(entry, 0)
					for _, v := range path {
						labels = append(labels, label[v])
					}
				}
				if entry[n] <= first {
					number, count = append(number, n), append(count, 0)
					entry[n] = int32(len(number))
				}
				count[entry[n]-1]++
			})
			if visited > limit {
				return nil
			}
			sort.Sort(&byLabels{labels, size, number[first:], count[first:]})
			offsets = append(offsets, int32(len(number)))
		}
		s.Size, s.Labels = append(s.Size, size), append(s.Labels, labels)
		s.Offsets, s.Number, s.Count = append(s.Offsets, offsets), append(s.Number, number), append(s.Count, count)
	}
	return s
}

// byLabels orders the entries of a class by the labels of their sequences: in the same way whatever the order of the
// vertices, and whatever else is in the batch.
type byLabels struct {
	labels        []int32
	size          int
	number, count []int32
}

func (e *byLabels) Len() int { return len(e.number) }

func (e *byLabels) Less(i, j int) bool { return slices.Compare(e.sequence(i), e.sequence(j)) < 0 }

func (e *byLabels) Swap(i, j int) {
	e.number[i], e.number[j] = e.number[j], e.number[i]
	e.count[i], e.count[j] = e.count[j], e.count[i]
}

func (e *byLabels) sequence(i int) []int32 {
	n := int(e.number[i])
	return e.labels[n*e.size : (n+1)*e.size]
}
