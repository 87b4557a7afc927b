// Package trees boosts plain decision trees on tables of numbers: gradient boosting with second-order leaves (Friedman,
// Annals of Statistics 2001; Chen and Guestrin, KDD 2016), thresholds from histograms of binned columns.
//
//	m, err := trees.Fit(ctx, table, trees.Targets{Classes: classes, NumClasses: 2}, trees.Default(), workers, nil)
//	scores := m.Scores(table, rows, m.Rounds(), workers)
//
// With scores F_k(x) of K outputs and their loss l, a round fits a tree to every output. With g_i and h_i the first and
// second derivative of l at example i, a split of a node into L and R gains
//
//	1/2 (G_L^2 / (H_L + lambda) + G_R^2 / (H_R + lambda) - G^2 / (H + lambda)),  G = sum of g_i, H = sum of h_i,
//
// and a leaf adds -rate G / (H + lambda) to the score. Trees grow to a depth while a split gains.
//
// Derivatives are rounded to whole multiples of a small number, of which sums are exact: a model has the same bits for
// any number of workers and any order of the examples. Of splits that gain the same the one of the first column is
// taken, and of that the one with the lowest threshold.
package trees
