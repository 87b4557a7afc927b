// Package eval measures how well models predict classes or numbers of graphs (or of anything else that
// has an index): metrics, folds, and two ways to choose among settings of the hyperparameters.
//
// A [Setting] is one candidate: what it learns without targets, and a [Learner] that trains predictors
// for a whole [Grid] of one more hyperparameter at once. [LinearSVM] classifies [Vectors], [KernelSVM]
// predicts by a kernel matrix ([Gram], [OnVectors]); a model that predicts directly is a setting itself.
//
// [Published] is the protocol of the published experiments (docs/conventions.md, 15): of all
// settings and values of their grids the pair with the best mean TEST score over the folds is reported.
// That is optimistic, because the test folds take part in the choice, and every outcome says so.
//
// [Nested] is the honest counterpart: within every fold, setting and value are chosen by cross-validation
// of the training part, or by a part of it that is held out, and the test part is used once, at the end.
// A learner is never given the targets of the graphs that it predicts.
//
// Accuracies are fractions between 0 and 1, but for [Result], which is in percent. A standard
// deviation is that of the population (divisor n), as in the published figures. Outcomes have the same
// bits for any number of workers.
//
// # Degenerate folds
//
// A fold without training or test graphs, an index out of range, and a graph in both parts are errors.
// What a training part with a single class means is up to the learner. A class that the training part
// lacks is never predicted, so its test graphs count as wrong.
package eval
