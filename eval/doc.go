// Package eval measures how well a representation of graphs classifies them: metrics, stratified
// folds, and two ways to choose a setting of the hyperparameters and the C of a linear support vector
// machine.
//
// [Published] is the protocol of the published experiments (docs/conventions.md, 15): of all
// settings and values of C the pair with the best mean TEST accuracy over the folds is reported. That
// is optimistic, because the test folds take part in the choice, and every outcome says so.
//
// [Nested] is the honest counterpart: within every fold, setting and C are chosen by cross-validation
// of the training part, and the test part is used once, at the end.
//
// Accuracies are fractions between 0 and 1, but for [Result], which is in percent. A standard
// deviation is that of the population (divisor n), as in the published figures. Outcomes have the same
// bits for any number of workers.
//
// # Degenerate folds
//
// A fold without training or test graphs, an index out of range, and a graph in both parts are errors.
// A training part with a single class predicts that class. A class that the training part lacks is
// never predicted, so its test graphs count as wrong.
package eval
