package split

import (
	"fmt"
	"testing"
)

func TestStratifiedFoldsAreEvenAndDisjoint(t *testing.T) {
	for _, n := range []int{10, 23, 188} {
		for _, k := range []int{2, 5, 10} {
			y := labels(n, 3)
			splits, err := Stratified(y, k, 9)
			if err != nil {
				t.Fatal(err)
			}
			tested := make([]int, n)
			for _, s := range splits {
				if len(s.Test) < n/k || len(s.Test) > n/k+1 || len(s.Train)+len(s.Test) != n {
					t.Errorf("n=%d k=%d: fold of %d training and %d test items", n, k, len(s.Train), len(s.Test))
				}
				count := map[int]int{}
				for _, i := range s.Test {
					tested[i]++
					count[y[i]]++
				}
				for c := range 3 {
					size := 0
					for _, v := range y {
						if v == c {
							size++
						}
					}
					if count[c] < size/k || count[c] > size/k+1 {
						t.Errorf("n=%d k=%d: %d of %d items of class %d in a fold", n, k, count[c], size, c)
					}
				}
			}
			for i, times := range tested {
				if times != 1 {
					t.Errorf("n=%d k=%d: item %d is tested %d times", n, k, i, times)
				}
			}
			again, _ := Stratified(y, k, 9)
			other, _ := Stratified(y, k, 10)
			if fmt.Sprint(again) != fmt.Sprint(splits) || fmt.Sprint(other) == fmt.Sprint(splits) {
				t.Errorf("n=%d k=%d: folds do not follow the seed", n, k)
			}
		}
	}
	if _, err := Stratified(labels(3, 2), 5, 1); err == nil {
		t.Error("5 folds of 3 items were made")
	}
}

// Neither repeats nor inner folds of one seed come back under another seed, index or purpose.
func TestFoldsOfDifferentSeedsDiffer(t *testing.T) {
	y := labels(60, 2)
	const seeds, repeats, k = 8, 6, 5
	seen := map[string]string{}
	note := func(where string, splits []Fold) {
		t.Helper()
		key := fmt.Sprint(splits)
		if other, there := seen[key]; there {
			t.Errorf("%s has the folds of %s", where, other)
		}
		seen[key] = where
	}
	for seed := range uint64(seeds) {
		splits, err := Repeats(y, k, repeats, seed)
		if err != nil {
			t.Fatal(err)
		}
		if len(splits) != k*repeats {
			t.Fatalf("%d folds, want %d", len(splits), k*repeats)
		}
		first, err := Stratified(y, k, seed)
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(splits[:k]) != fmt.Sprint(first) {
			t.Errorf("seed %d: the first repeat is not Stratified", seed)
		}
		for r := range repeats {
			note(fmt.Sprintf("repeat %d of seed %d", r, seed), splits[r*k:(r+1)*k])
		}
		for f := range repeats { // all folds train on the same graphs, so that only the draw can differ
			inner, err := Inner(All(len(y)), y, k, seed, f)
			if err != nil {
				t.Fatal(err)
			}
			note(fmt.Sprintf("inner folds %d of seed %d", f, seed), inner)
		}
	}
	if _, err := Repeats(y, k, 0, 1); err == nil {
		t.Error("no repeats were made")
	}
	if _, err := Repeats(y, 1, 2, 1); err == nil {
		t.Error("repeats of one fold were made")
	}
}

// Stratified folds take any integers for classes.
func TestStratifiedTakesAnyClasses(t *testing.T) {
	a, err := Stratified([]int{-1, 5, -1, 5, -1, 5, 9}, 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Stratified([]int{0, 1, 0, 1, 0, 1, 2}, 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(a) != fmt.Sprint(b) {
		t.Errorf("folds depend on the numbers of the classes: %v and %v", a, b)
	}
}

// labels gives n items classes in turn.
func labels(n, classes int) []int {
	y := make([]int, n)
	for i := range y {
		y[i] = i % classes
	}
	return y
}
