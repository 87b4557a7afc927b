// Package nystrom finds the landmarks of low-rank feature maps. The Nyström method
// approximates a kernel by k(x, y) ~ k(x, Z) k(Z, Z)^(-1) k(Z, y) for a few landmarks (anchors) Z, that is
// by the inner product of the features k(x, Z) k(Z, Z)^(-1/2) (Williams and Seeger, NIPS 2001).
//
//	c, err := nystrom.KMeans(ctx, e, points, 32, nystrom.KMeansOptions{Seed: seed})
//	anchors := c.Anchors
//
// There are:
//
//   - [KMeans] places the anchors of a dot-product kernel: spherical k-means over weighted sequences of
//     unit vectors, with a k-means++ start; nearest anchors of many points come from the engine's device, and are those
//     that the host would find.
//   - [Lloyd] is k-means by Euclidean distance over sparse and dense features, for clusters of vertices and of
//     colours; the scores of many points come from the engine's device, and decide as those of the host would.
//   - [InverseRoot] makes features of the kernel between landmarks, by [Product] one point like many.
//   - [Distinct] merges equal points, so that k-means runs over distinct points with multiplicities;
//     [SampleSorted] draws a sample where there are too many.
//
// Every result depends on the data, the options and the seed alone, not on the number of workers.
package nystrom
