// Package split cuts examples into the folds of a cross-validation.
//
//	folds, err := split.Stratified(classes, 10, seed)
package split

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
)

// Fold is one division of examples, by index: those to learn from and those to test on.
type Fold struct{ Train, Test []int }

// Stratified cuts the items into k folds, each with its share of every class: the sizes of a class
// differ by at most one between folds, and so do the sizes of the folds. The order within a class is
// drawn from the seed. A fold tests on its part and trains on the others, both ascending. Classes may
// be any integers. Fewer than 2 folds, or more than items, are an error.
func Stratified(classes []int, k int, seed uint64) ([]Fold, error) {
	return stratified(All(len(classes)), classes, k, seed, outerFolds.stream(0))
}

// Repeats returns the folds of several stratified cross-validations, one after another, as
// package eval wants them. The first is that of [Stratified] with the same seed; every later one is drawn from a
// stream of its own, so that no seed draws a cross-validation that another seed has at another place.
// Fewer than 1 repeats are an error, and so is what is one in Stratified.
func Repeats(classes []int, k, repeats int, seed uint64) ([]Fold, error) {
	if repeats < 1 {
		return nil, fmt.Errorf("%d repeats: want at least 1", repeats)
	}
	var splits []Fold
	for r := range repeats {
		one, err := stratified(All(len(classes)), classes, k, seed, outerFolds.stream(r))
		if err != nil {
			return nil, err
		}
		splits = append(splits, one...)
	}
	return splits, nil
}

// Shuffled returns the folds of several cross-validations of n items that have no classes, as for
// regression. Errors are those of [Repeats].
func Shuffled(n, k, repeats int, seed uint64) ([]Fold, error) {
	return Repeats(make([]int, n), k, repeats, seed)
}

// Inner returns stratified inner folds of the training part of an outer fold, which has the given number; nil classes
// are all the same. Errors are those of [Stratified].
func Inner(train, classes []int, k int, seed uint64, fold int) ([]Fold, error) {
	return stratified(train, classes, k, seed, innerFolds.stream(fold))
}

// purpose is what random numbers are drawn for.
type purpose uint64

const (
	outerFolds purpose = 0x5eed // of a repeat
	innerFolds purpose = 0x1eaf // of an outer fold
)

// stream returns the second half of a seed, which differs for every index (by an odd factor, the golden
// ratio of 2^64) and between purposes.
func (p purpose) stream(index int) uint64 { return uint64(p) ^ uint64(index)*0x9e3779b97f4a7c15 }

// stratified cuts the given items.
func stratified(items, classes []int, k int, seed, stream uint64) ([]Fold, error) {
	if k < 2 || k > len(items) {
		return nil, fmt.Errorf("%d folds of %d graphs: want 2 to %d", k, len(items), len(items))
	}
	shuffled := append([]int(nil), items...)
	rng := rand.New(rand.NewPCG(seed, stream))
	rng.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	byClass := map[int][]int{}
	for _, i := range shuffled {
		class := 0
		if classes != nil {
			class = classes[i]
		}
		byClass[class] = append(byClass[class], i)
	}
	fold := make(map[int]int, len(items))
	next := 0 // dealt out in turn through all classes, so that fold sizes stay even
	for _, class := range slices.Sorted(maps.Keys(byClass)) {
		for _, i := range byClass[class] {
			fold[i] = next % k
			next++
		}
	}
	splits := make([]Fold, k)
	for _, i := range items {
		for f := range splits {
			if fold[i] == f {
				splits[f].Test = append(splits[f].Test, i)
			} else {
				splits[f].Train = append(splits[f].Train, i)
			}
		}
	}
	return splits, nil
}

// All returns the items 0 to n-1.
func All(n int) []int {
	items := make([]int, n)
	for i := range items {
		items[i] = i
	}
	return items
}

// Select returns the values of some items, in their order; nil of nil.
func Select[T any, I int | int32](values []T, items []I) []T {
	if values == nil {
		return nil
	}
	selected := make([]T, len(items))
	for k, i := range items {
		selected[k] = values[i]
	}
	return selected
}

// Check reports a fold of n items that cannot be used; what and item name folds and items in the message. Folds may
// overlap.
func Check(splits []Fold, n int, what, item string) error {
	if len(splits) == 0 {
		return fmt.Errorf("no %ss", what)
	}
	for f, s := range splits {
		fold := fmt.Sprintf("%s %d", what, f+1)
		if len(s.Train) == 0 || len(s.Test) == 0 {
			return fmt.Errorf("%s has %d training and %d test items", fold, len(s.Train), len(s.Test))
		}
		part := make(map[int]bool, len(s.Train)) // item -> is it tested
		for _, i := range s.Train {
			if i < 0 || i >= n {
				return fmt.Errorf("%s trains on %s %d of %d", fold, item, i, n)
			}
			if _, twice := part[i]; twice {
				return fmt.Errorf("%s trains on %s %d twice", fold, item, i)
			}
			part[i] = false
		}
		for _, i := range s.Test {
			if i < 0 || i >= n {
				return fmt.Errorf("%s tests on %s %d of %d", fold, item, i, n)
			}
			if tested, there := part[i]; tested {
				return fmt.Errorf("%s tests on %s %d twice", fold, item, i)
			} else if there {
				return fmt.Errorf("%s trains and tests on %s %d", fold, item, i)
			}
			part[i] = true
		}
	}
	return nil
}
