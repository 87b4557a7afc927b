package graph

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// randomBatch draws a batch of a few small graphs with cycles, self loops, repeated arcs and several
// components, and with arcs of two types if asked for.
func randomBatch(t testing.TB, random *rand.Rand, directed, types bool) *Batch {
	t.Helper()
	offsets := []int32{0}
	var arcs ArcList
	for range 1 + random.IntN(4) {
		first := offsets[len(offsets)-1]
		n := random.IntN(8)
		offsets = append(offsets, first+int32(n))
		if n == 0 {
			continue
		}
		for range random.IntN(2*n + 1) {
			arcs.From = append(arcs.From, first+int32(random.IntN(n)))
			arcs.To = append(arcs.To, first+int32(random.IntN(n)))
			if types {
				arcs.Types = append(arcs.Types, int32(random.IntN(2)))
			}
		}
	}
	b, err := FromArcs(offsets, arcs, BuildOptions{Directed: directed})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// sequences counts the vertex sequences of the given size from u whose steps are arcs, a step that can
// be made in several ways as often, by trying all vertices for every step.
func sequences(b *Batch, prefix []int32, size int, simple bool) int64 {
	if len(prefix) == size {
		return 1
	}
	last := prefix[len(prefix)-1]
	total := int64(0)
	for v := range int32(b.NumVertices()) {
		if simple && slices.Contains(prefix, v) {
			continue
		}
		for _, w := range b.Neighbors(last) {
			if w == v {
				total += sequences(b, append(slices.Clone(prefix), v), size, simple)
			}
		}
	}
	return total
}

func TestPathAndWalkCountsEqualBruteForce(t *testing.T) {
	const maxSize = 5
	random := rand.New(rand.NewPCG(1, 0))
	for i := range 150 {
		b := randomBatch(t, random, i%2 == 1, i%3 == 2)
		paths, walks := b.PathCounts(maxSize), whole(b.WalkCounts(maxSize))
		for size := 1; size <= maxSize; size++ {
			pathTotal, walkTotal := int64(0), int64(0)
			for u := range int32(b.NumVertices()) {
				at := int(u)*maxSize + size - 1
				if want := sequences(b, []int32{u}, size, true); paths[at] != want {
					t.Fatalf("case %d: %d paths of %d vertices from %d, brute force %d", i, paths[at], size, u, want)
				}
				if want := sequences(b, []int32{u}, size, false); walks[at] != want {
					t.Fatalf("case %d: %d walks of %d vertices from %d, brute force %d", i, walks[at], size, u, want)
				}
				pathTotal += paths[at]
				walkTotal += walks[at]
			}
			if got := b.NewPathIndex(size, false, 2).Total(); got != pathTotal {
				t.Errorf("case %d: the index numbers %d paths of %d vertices, there are %d", i, got, size, pathTotal)
			}
			if got := b.NewPathIndex(size, true, 2).Total(); got != walkTotal {
				t.Errorf("case %d: the index numbers %d walks of %d vertices, there are %d", i, got, size, walkTotal)
			}
		}
	}
}

func TestVisitingAgreesWithCounts(t *testing.T) {
	const maxSize = 4
	random := rand.New(rand.NewPCG(2, 0))
	for i := range 60 {
		b := randomBatch(t, random, i%2 == 1, false)
		paths, walks := b.PathCounts(maxSize), whole(b.WalkCounts(maxSize))
		for u := range int32(b.NumVertices()) {
			found := make([]int64, 2*maxSize)
			b.VisitPaths(u, maxSize, func(path []int32) {
				found[len(path)-1]++
				if path[0] != u || len(slices.Compact(slices.Sorted(slices.Values(path)))) != len(path) {
					t.Fatalf("%v is no simple path from %d", path, u)
				}
			})
			b.VisitWalks(u, maxSize, func(walk []int32) { found[maxSize+len(walk)-1]++ })
			if !slices.Equal(found[:maxSize], paths[int(u)*maxSize:int(u+1)*maxSize]) {
				t.Errorf("case %d: visited %v paths from %d, counted %v",
					i, found[:maxSize], u, paths[int(u)*maxSize:int(u+1)*maxSize])
			}
			if !slices.Equal(found[maxSize:], walks[int(u)*maxSize:int(u+1)*maxSize]) {
				t.Errorf("case %d: visited %v walks from %d, counted %v",
					i, found[maxSize:], u, walks[int(u)*maxSize:int(u+1)*maxSize])
			}
		}
	}
}

// Two vertices are in one class exactly if the label sequences along their paths are the same multiset.
func TestPathClassesEqualMultisetsOfLabelSequences(t *testing.T) {
	const maxSize = 4
	random := rand.New(rand.NewPCG(3, 0))
	for i := range 60 {
		b := randomBatch(t, random, i%2 == 1, i%3 == 2)
		n := b.NumVertices()
		labels := make([]int32, n)
		for v := range labels {
			labels[v] = int32(random.IntN(2))
		}
		for _, walks := range []bool{false, true} {
			keys := make([][]string, maxSize) // of every size, the sorted sequences of each vertex
			for u := range int32(n) {
				sequences := make([][]string, maxSize)
				visit := func(path []int32) {
					text := make([]byte, len(path))
					for k, v := range path {
						text[k] = byte('0' + labels[v])
					}
					sequences[len(path)-1] = append(sequences[len(path)-1], string(text))
				}
				if walks {
					b.VisitWalks(u, maxSize, visit)
				} else {
					b.VisitPaths(u, maxSize, visit)
				}
				for size, s := range sequences {
					slices.Sort(s)
					key := ""
					for _, sequence := range s {
						key += sequence + " "
					}
					keys[size] = append(keys[size], key)
				}
			}
			classes := b.PathClasses(labels, nil, maxSize, true, walks, 2)
			for size := range maxSize {
				for u := range n {
					for v := range u {
						if same := classes.Class[size][u] == classes.Class[size][v]; same != (keys[size][u] == keys[size][v]) {
							t.Fatalf("case %d, size %d, walks %v: vertices %d and %d in one class: %v, sequences %q and %q",
								i, size+1, walks, v, u, same, keys[size][v], keys[size][u])
						}
					}
				}
			}
		}
	}
}

func TestPathIndexNumbersPathsInDepthFirstOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 0))
	for i := range 60 {
		b := randomBatch(t, random, i%2 == 1, i%3 == 2)
		size := 1 + random.IntN(4)
		for _, walks := range []bool{false, true} {
			visit := b.VisitPaths
			if walks {
				visit = b.VisitWalks
			}
			var want []int32
			for u := range int32(b.NumVertices()) {
				visit(u, size, func(path []int32) {
					if len(path) == size {
						want = append(want, path...)
					}
				})
			}
			index := b.NewPathIndex(size, walks, 2)
			var numbers []int64
			var wanted []int32
			for k := range index.Total() {
				if random.IntN(3) > 0 {
					numbers = append(numbers, k)
					wanted = append(wanted, want[int(k)*size:int(k+1)*size]...)
				}
			}
			if got := index.At(numbers, 2); !slices.Equal(got, wanted) {
				t.Fatalf("case %d, size %d, walks %v: paths %v, want %v", i, size, walks, got, wanted)
			}
		}
	}
}

// whole returns counts as integers.
func whole(counts []float64) []int64 {
	out := make([]int64, len(counts))
	for i, c := range counts {
		out[i] = int64(c)
	}
	return out
}

// A clique of 60 vertices has 60 * 59^11 walks of 12 vertices, more than an integer can count.
func TestWalksBeyondIntegers(t *testing.T) {
	const n, size = 60, 12
	g := Graph{NumVertices: n}
	for u := range int32(n) {
		for v := range u {
			g.AddArc(u, v)
		}
	}
	b, err := NewBatch([]Graph{g, {NumVertices: 2}})
	if err != nil {
		t.Fatal(err)
	}
	want := math.Pow(n-1, size-1)
	if got := b.WalkCounts(size)[size-1]; math.Abs(got/want-1) > 1e-12 {
		t.Errorf("%g walks, want %g", got, want)
	}
	x := b.NewPathIndex(size, true, 1)
	if x.Total() != MaxPaths {
		t.Fatalf("numbers up to %d, want %d", x.Total(), int64(MaxPaths))
	}
	const samples = 6000
	numbers := make([]int64, samples)
	random := rand.New(rand.NewPCG(3, 0))
	for i := range numbers {
		numbers[i] = random.Int64N(x.Total())
	}
	slices.Sort(numbers)
	walks := x.At(numbers, 2)
	firsts, seconds := make([]int, n), make([]int, n)
	for i := range samples {
		walk := walks[i*size : (i+1)*size]
		for j := 1; j < size; j++ {
			if !b.HasArc(walk[j-1], walk[j]) {
				t.Fatalf("%v is no walk", walk)
			}
		}
		firsts[walk[0]]++
		seconds[walk[1]]++
	}
	for v := range n {
		if min(firsts[v], seconds[v]) < 60 || max(firsts[v], seconds[v]) > 140 { // 4 standard deviations
			t.Errorf("vertex %d is first in %d and second in %d of %d walks, want about %d",
				v, firsts[v], seconds[v], samples, samples/n)
		}
	}
}

// A batch of graphs without vertices keeps the data it has for no vertices.
func TestSelectKeepsWhatThereIs(t *testing.T) {
	b, err := NewBatch([]Graph{{NumVertices: 1, Labels: []int32{3}}, {}})
	if err != nil {
		t.Fatal(err)
	}
	if s := b.Select([]int{1}); s.Labels == nil || len(s.Labels) != 0 || s.NumLabels != 4 {
		t.Errorf("labels %v of %d, want none but there", s.Labels, s.NumLabels)
	}
}
