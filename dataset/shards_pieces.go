package dataset

import "github.com/grove-graph/grove/split"

// pieceBytes is the size of the records of a store that are looked at together.
const pieceBytes = 4 << 20

// Each implements [Stream].
func (s *Shards) Each(visit func(*Dataset) error) error { return s.EachOf(nil, visit) }

// EachOf implements [Store].
func (s *Shards) EachOf(graphs []int, visit func(*Dataset) error) error {
	number, n := func(i int) int { return i }, s.NumGraphs()
	if graphs != nil {
		number, n = func(i int) int { return graphs[i] }, len(graphs)
	}
	var some []int
	for from := 0; from < n; {
		some = some[:0]
		for bytes := 0; from+len(some) < n; {
			g := number(from + len(some))
			if bytes += int(s.lengths[g]); bytes > s.piece && len(some) > 0 {
				break
			}
			some = append(some, g)
		}
		d, err := s.Select(some)
		if err != nil {
			return err
		}
		if err := visit(d); err != nil {
			return err
		}
		from += len(some)
	}
	return nil
}

// openStore reads a whole store into memory.
func openStore(dir string) (*Dataset, error) {
	s, err := OpenShards(dir)
	if err != nil {
		return nil, err
	}
	d, err := s.Select(split.All(s.NumGraphs()))
	if closing := s.Close(); err == nil && closing != nil {
		return nil, closing
	}
	return d, err
}
