// Package eval measures how well models predict classes or numbers of graphs, vertices or edges: metrics, folds, and
// two ways to choose among estimators and the values of their grids.
//
//	o, err := eval.CrossValidate(ctx, d, 10, seed, wl.Estimator{Options: wl.DefaultOptions(wl.Assignment)})
//	fmt.Println(o.Mean, o.Std, o.Protocol)
//
// [Published] is the protocol of the published experiments (docs/conventions.md, 15): of all estimators and values of
// their grids the pair with the best mean TEST score over the folds is reported. That is optimistic, because the test
// folds take part in the choice, and every outcome says so.
//
// [Nested] is the honest counterpart: within every fold, estimator and value are chosen by cross-validation of the
// training part, or by a part of it that is held out, and the test part is used once, at the end. A learner is never
// given the targets of the examples that it predicts.
//
// [Choose] chooses an estimator for a model that learns from all examples.
//
// Accuracies are fractions between 0 and 1, but for [Result], which is in percent. A standard deviation is that of the
// population (divisor n), as in the published figures. Outcomes have the same bits for any number of workers.
//
// # Degenerate folds
//
// A fold without training or test examples, an index out of range, and an example in both parts are errors. What a
// training part with a single class means is up to the learner. A class that the training part lacks is never
// predicted, so its test examples count as wrong.
package eval
