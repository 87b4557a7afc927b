// Package baseline has the models that everybody should beat: they look at a graph as a bag of vertices, or at numbers
// that count it, and learn from these what a graph network has to learn beyond.
//
//	majority   the most frequent class of the training, or the mean of its numbers
//	linear     a linear machine on features without arcs: of a graph the sum and the mean of what its vertices show
//	           (and how many arcs leave them, unless that is left out); of a vertex what it shows itself
//	static     boosted decision trees (package trees) on numbers that are counted once: sizes, degrees, triangles,
//	           walks, labels and attributes of a graph; of a vertex also those of its neighbours
//
// All three learn classes and numbers of graphs and of vertices, and classes of edges. The models are registered under
// these names. A graph network that is not better than linear and static on some data has not used their structure
// (Errica et al., A Fair Comparison of Graph Neural Networks for Graph Classification, ICLR 2020).
package baseline
