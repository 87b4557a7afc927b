// Package wl compares graphs by colour refinement: the Weisfeiler-Lehman subtree kernel (Shervashidze et al., JMLR 12,
// 2011), the optimal assignment kernel (Kriege, Giscard and Wilson, NIPS 2016) and its deep variant, whose weights are
// learned (Kriege, ESANN 2019).
//
//	m, err := model.Fit(ctx, d, wl.Estimator{Options: wl.DefaultOptions(wl.Assignment), C: []float64{1}}, nil)
//	said, err := m.Predict(ctx, d, nil)
//
// # Colours
//
// In round 0 the colour of a vertex is its label, or the same for all. In every later round two vertices have the same
// colour if and only if they had the same one before and see equal multisets of (arc label, colour of the neighbour).
// With counts x_tc of the vertices of graph x that have colour c after t = 0..h rounds,
//
//	wl:      k(x, y) = sum_t sum_c x_tc y_tc
//	wl-oa:   k(x, y) = sum_t sum_c min(x_tc, y_tc)
//	dwl-oa:  k(x, y) = sum_t sum_c w_tc min(x_tc, y_tc)
//
// and the second is the value of the best assignment of vertices, each pair being worth the rounds in which it shares
// a colour. Round 0 counts, the root above it does not, and all h rounds count also where the partition is stable. A
// vertex without neighbours keeps the empty multiset.
//
// Every round has a dictionary of the signatures that were met. Signatures are hashed, and compared in full, so that
// colours are exact. The dictionaries stay: graphs that come later get the same colours, and a signature that
// was never seen gets a fresh one, which no fitted graph has. A kernel value therefore depends on its two graphs
// alone, and one matrix of all graphs serves every fold of a cross-validation.
//
// In a directed graph a vertex sees the heads of the arcs that leave it ([FollowOut]), the tails of those that enter it
// ([FollowIn]), or both, told apart ([FollowBoth]). A self loop makes a vertex its own neighbour, once. Arc weights and
// arc types do not count.
//
// # Cost
//
// Refinement sorts and hashes, in each round, n + m numbers of 8 bytes for n vertices and m arcs. The matrix comes from
// an inverted index: row i adds, for each of its colours, the postings of the colour from graph i on, so that time goes
// to pairs of graphs that share a colour, each once. The floor is to read a posting (8 bytes) and to add to a sum of
// the row (8 bytes, in the first-level cache) for every such pair, and to write the matrix once.
//
//	                    colours   shared pairs   matrix
//	PROTEINS, h = 5     133 531        3.9 10^6    10 MB
//	NCI1, h = 5         130 791       91.9 10^6   135 MB
//
// On one core of an Intel Xeon of 2 GHz NCI1 takes 0.23 s for either kernel: 0.05 s to refine; 0.12 s for the pairs,
// 1.3 ns each where a load, an addition and a store take about 0.5 ns; and 0.06 s to clear, normalise and mirror the
// matrix, which takes 0.02 s to write at the rate of a copy. PROTEINS takes 0.05 s, 0.04 s of it to refine. The
// benchmark (cmd/bench) measures them as wl-nci1, wl-oa-proteins and so on.
//
// Learning weights multiplies the sum of all colours' kernels with a vector some hundred times; since min(a, b) =
// sum_l [a >= l][b >= l], a product costs one pass over the occurrences of colours in graphs, and colours that
// occur alike are passed once (NCI1: 226 000 entries in place of 435 000 occurrences, or of 2.2 10^12 entries of
// matrices). No kernel matrix of a colour is made.
package wl
