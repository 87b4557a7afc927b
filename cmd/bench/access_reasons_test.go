//go:build gpu

package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// scattered is how many times the least sectors the requests of a kernel may take without a reason.
const scattered = 1.5

// scatteredFor says why requests of kernels, by the beginnings of their names, take more sectors than their bytes fill.
var scatteredFor = []struct {
	kernels []string
	why     string
}{
	{[]string{"descend_", "dynamic_features_", "message_", "path_counts", "path_pool_long_", "subset_walks_",
		"tree_walks_"},
		"the graph says which vertices and arcs a lane reads: neighbours of one vertex lie apart"},
	{[]string{"sparse_matmul_"},
		"lanes of one request are at different rows: column numbers of several rows, narrow rows of X, sums of parts"},
	{[]string{"assign_", "gram_f", "linear_grad_f", "matmul_"},
		"a factor is transposed or its rows are shorter than a request; it is read once and used from shared memory"},
	{[]string{"project_", "spectral_"},
		"small matrices that are transposed, or whose columns belong to several channels in turn; they lie in the cache"},
	{[]string{"place_"}, "channels are interleaved, which is the column order of the published code"},
	{[]string{"softmax_cross_entropy_"}, "a row is a few classes, less than a sector and a half"},
	{[]string{"batch_norm_", "rectify_grad_"},
		"a block has eight columns, which begin within a sector where rows are not whole ones"},
	{[]string{"dropout_f64"}, "a thread has the four elements of a counter: two vectors, each half of a sector"},
	{[]string{"rectify_f"}, "the bias of a vector is read one element after another; it lies in the cache"},
	{[]string{"elements_copy_"},
		"a tensor is transposed, sliced or repeated: what lies together on one side lies apart on the other"},
	{[]string{"elements_reduce_", "elements_softmax_"},
		"an axis is shorter than a sector: rows of a few columns, classes of an item"},
	{[]string{"best_splits_finish_", "choose_splits_"}, "one number of each record of four is compared first"},
	{[]string{"histogram_intersection_"}, "a binary search for the rows of a bin"},
	{[]string{"boost_"}, "a lane has an example, whose scores of all classes lie together"},
	{[]string{"add_leaves_", "add_others_"},
		"a binary search for the leaf of an example, and examples of a leaf lie apart"},
}

// whyScattered returns the reason of a kernel, "" without one.
func whyScattered(kernel string) string {
	for _, r := range scatteredFor {
		if slices.ContainsFunc(r.kernels, func(name string) bool { return strings.HasPrefix(kernel, name) }) {
			return r.why
		}
	}
	return ""
}

// writeReasons lists the kernels that take more than that, each with its worst input and the reason. A kernel without
// one is an error of the test.
func (a *accessed) writeReasons(w io.Writer) {
	worst := map[string]row{}
	var names []string
	over := func(r row) float64 { return ratio(r.Device.Took, r.Device.Least) }
	for _, r := range a.rows {
		if over(r) <= scattered {
			continue
		}
		before, known := worst[r.Name]
		if !known {
			names = append(names, r.Name)
		}
		if !known || over(r) > over(before) {
			worst[r.Name] = r
		}
	}
	slices.Sort(names)
	for _, name := range names {
		r, why := worst[name], whyScattered(name)
		if why == "" {
			a.t.Errorf("%s takes %.1f times the least sectors (%s, %s): say why in scatteredFor", name, over(r), r.Input,
				r.Operation)
		}
		fmt.Fprintf(w, "| `%s` | %s | %s |\n", name, requests(r.Device), why)
	}
}
