// Package treeg implements TREE-G (Bechler-Speicher, Globerson and Gilad-Bachrach, "Decision Trees
// Contesting Graph Neural Networks", AAAI 2024): decision trees whose split function sees the graph, alone,
// in random forests and in gradient boosting, for whole graphs and for vertices. Edges are the vertices of
// the line graph, see [graph.Batch.LineGraph].
//
//	est := treeg.Estimator{Options: treeg.Defaults(treeg.Graphs, treeg.Boosting)}
//	m, err := model.Fit(ctx, d, est, nil)
//	said, err := m.Predict(ctx, d, nil)
//	err = m.(model.Dumper).WriteText(os.Stdout, -1, nil)
//
// # The split function
//
// A split ([Split]) propagates one feature along walks of a given length, restricted to a subset S of the vertices,
//
//	v = (A^d o M_r(S)) f_k    (Eq. 1),
//
// and compares a number with a threshold: v_i for vertex i, or the sum, mean, minimum or maximum of the
// entries of v for a graph. A_ij is the weight of the arc from j to i. Every split also cuts the subset that
// it used into those of its vertices whose own entry of v is above the threshold and the rest (Eq. 3), and
// the splits below may use either side.
//
// # Exact sums
//
// Features are rounded once, to a grid so fine that nobody notices (at most 2^-26 of the largest value,
// usually 2^-40) and so coarse that all sums along walks are exact in float64. Exact sums do not depend on
// their order. So a permuted graph has the same values to the last bit, the values of a subset are those of
// the whole minus those of its complement, any device and any number of workers choose the same splits,
// and prediction sends a training example to the leaf that it was trained in. Targets are rounded in the
// same way for the sums of the split search. Integers are never changed. Where a feature needs so many walks
// that no such grid exists, sums are taken in a fixed order and nothing is subtracted.
//
// # Devices
//
// On a device trees grow by engine.Growth, which keeps the features with their walks from all vertices, the examples
// of a tree in the order in which splits leave them, and the subsets that splits generate. For all nodes of a level,
// or for the two children of the best leaf, one call makes the walks from subsets, turns vectors along walks into
// columns, finds the best threshold of every column and the best column of every node, orders the examples and cuts
// the subsets by it; the chosen splits come back with what is known of the children. Scores and residuals of a
// boosting stay there too (engine.Booster); the host draws the candidates. A model has the same bytes wherever it was
// fitted: sums have one order (engine.Total) and exponentials plain arithmetic. That holds whether thresholds are
// exact, drawn ([ExtraTrees]) or lie between the groups of a histogram (Options.Bins): how a column is grouped is
// defined once, by engine.Cells, from its values and weights alone, and sums are exact. Predictions are one
// operation for all trees.
//
// # Where things are
//
// Graphs of a store stay there (FitStored): a search joins what is known of every column in blocks of the graphs, each
// of which has the nodes of the tree with its own examples. Passes over the blocks are those of package rounds.
//
// This package holds the options, the fit of ensembles, the model with its predictions, explanations, dump and file.
// internal/walks computes the dynamic features and cuts subsets, internal/splits finds thresholds, internal/search
// grows trees with one Searcher, on the host, on a device or over blocks of graphs, and internal/predict sends examples
// through trees.
//
// # Conventions
//
// Where the paper is silent: the aggregations over an empty subset are -1000 for cycle, target and
// target-source walks, below what features usually reach, and 0 for source walks, which is what Eq. 1 gives
// ([Empty]). A missing value (NaN) sends nothing along walks; where the value itself is missing (a vertex
// without the feature for d = 0 and for cycles, a graph whose entries are all missing) the example goes to
// the side that was better in training, or to the larger one where none was missing.
//
// With Options.MeanSteps the rows of every adjacency matrix are divided by the sums of their magnitudes: a step
// takes the mean of what the arcs bring to a vertex, against the arcs that of what they would take from it.
// A forest's node that finds no split with the features that it drew draws others, until one splits it or none is
// left.
package treeg
