package eval

// Accuracy returns the fraction of entries in which predicted and truth, of equal length, agree. It is
// NaN for none.
func Accuracy(predicted, truth []int) float64 {
	right := 0
	for i, class := range truth {
		if predicted[i] == class {
			right++
		}
	}
	return float64(right) / float64(len(truth))
}

// counts counts, of one class, the examples that have it, those that are said to, and those of which both holds.
type counts struct{ have, said, both float64 }

// countsOf counts by class, from 0 to the largest that occurs.
func countsOf(predicted, truth []int) []counts {
	var of []counts
	at := func(class int) *counts {
		for len(of) <= class {
			of = append(of, counts{})
		}
		return &of[class]
	}
	for i, class := range truth {
		at(class).have++
		at(predicted[i]).said++
		if predicted[i] == class {
			at(class).both++
		}
	}
	return of
}

// f1 is the harmonic mean of precision and recall, 0 where nothing is right.
func (t counts) f1() float64 {
	if t.both == 0 {
		return 0
	}
	return 2 * t.both / (t.have + t.said)
}

// BalancedAccuracy returns the mean over the classes that occur in truth of the share of their examples that are
// predicted right. It is NaN for none.
func BalancedAccuracy(predicted, truth []int) float64 {
	sum, n := 0.0, 0.0
	for _, t := range countsOf(predicted, truth) {
		if t.have > 0 {
			sum, n = sum+t.both/t.have, n+1
		}
	}
	return sum / n
}

// MacroF1 returns the mean of 2 precision recall / (precision + recall) over the classes that occur in predicted or
// truth; that of a class of which nothing is right is 0. It is NaN for no examples.
func MacroF1(predicted, truth []int) float64 {
	sum, n := 0.0, 0.0
	for _, t := range countsOf(predicted, truth) {
		if t.have+t.said > 0 {
			sum, n = sum+t.f1(), n+1
		}
	}
	return sum / n
}

// WeightedF1 is [MacroF1] with each class weighted by the number of its examples.
func WeightedF1(predicted, truth []int) float64 {
	sum := 0.0
	for _, t := range countsOf(predicted, truth) {
		sum += t.have * t.f1()
	}
	return sum / float64(len(truth))
}

// Confusion counts predictions, both slices of equal length with classes from 0 to classes-1: entry
// [i][j] is the number of graphs of class i that were predicted to be of class j.
func Confusion(predicted, truth []int, classes int) [][]int {
	table := make([][]int, classes)
	for i := range table {
		table[i] = make([]int, classes)
	}
	for i, class := range truth {
		table[class][predicted[i]]++
	}
	return table
}
