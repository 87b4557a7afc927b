// Grove's CUDA kernels: the index of everything that runs on a GPU. The kernels themselves are in the sections that
// this file includes from the folder kernels, one idea a file.
//
// A section opens with the formula of its operation, shapes, bytes and operations for an element, and its floor: the
// time that the hardware needs at least. The plain ancestors of the tuned kernels, which the same tests hold, are in
// kernels/plain and their index, kernels/plain.cu; only tests load them. Entry points are extern "C" and end in _f32 or
// _f64 (in the list: both, unless one is named); their launch functions are generated (cuda/gen).
//
// Every result has the same bits in every run: sums have a fixed order, nothing is added atomically. The kernels are
// also compiled by a C++ compiler for the simulated GPU (cuda/sim), which lacks tensor cores: what uses them stands
// behind __CUDA_ARCH__ with a plain twin.
//
// Papers: [GCKN] Chen, Jacob, Mairal 2020; [TREE-G] Bechler-Speicher, Globerson, Gilad-Bachrach 2024; [CGMM] Bacciu,
// Errica, Micheli 2018; [DWL-OA] Kriege 2019; [Adam] Kingma, Ba 2015; [Jacobi] Hestenes 1958, Golub, Van Loan,
// section 8.6; [BatchNorm] Ioffe, Szegedy 2015; [Dropout] Srivastava et al. 2014; [Philox] Salmon et al. 2011.
//
// kernel                      operation, paper

// Dense products
#include "kernels/matmul.cuh"
// matmul                      C = alpha op(A) op(B) + beta C in tiles of 128 x 128
// matmul_medium               the same in tiles of 64 x 64
// matmul_tall                 the same in tiles of 128 x 32
// matmul_wide                 the same in tiles of 32 x 128
// matmul_short                the same for 8 terms or fewer
// matmul_combine              C = alpha (sum of the splits of a product) + beta C
#include "kernels/matmul_tensor.cuh"
// matmul_tf32_f32             the same product of factors in TF32, on tensor cores
// matmul_bfloat16_f32         the same product of factors in bfloat16, on tensor cores

#include "kernels/project.cuh"
// project                     channels of rows by the K_ZZ^(-1/2) of [GCKN] Eq. 13
// project_small               the same with tiles for few filters
// project_grad                gradient of the matrices
// project_grad_small          the same with tiles for few filters

// Rows, anchors and segments
#include "kernels/normalize_rows.cuh"
// normalize_rows              rows of unit length, x / max(|x|, eps), and their norms
// normalize_rows_grad         its gradient
#include "kernels/gram.cuh"
// gram                        kernel matrices of anchors, the K_ZZ of [GCKN] Eq. 13
// gram_small                  the same with tiles for few anchors
#include "kernels/gram_grad.cuh"
// gram_grad                   gradient of kernel matrices
#include "kernels/assign.cuh"
// assign                      nearest anchor, a step of the spherical k-means of [GCKN] section 3
#include "kernels/plus_plus.cuh"
// seed_masses                 distances of all points from some that are tried, of the start of that k-means
// seed_choose_f64             the one that is taken, and the masses with it
// seed_draw_f64               the next ones to be tried, by their masses
#include "kernels/add_rows.cuh"
// add_rows                    sums of the points of clusters, in the order of the host
#include "kernels/segment_reduce.cuh"
// segment_reduce              sum, mean or maximum of rows, the pooling of vertices of [GCKN] section 3; also _f32_f64
// segment_reduce_wide         the same with vectors of 16 bytes; also _f32_f64
#include "kernels/segment_max_grad.cuh"
// segment_winners             items that attain the maximum of a segment
// segment_max_grad            gradient of the maximum
#include "kernels/spread_uploads.cuh"
// spread_uploads              what several models bring in one copy, brought to its places
#include "kernels/place.cuh"
// place                       rows of a matrix into a block of another
#include "kernels/convert.cuh"
// convert_f32_f64             float to double
// convert_f64_f32             double to float

// What gorgonia asks of tensors
#include "kernels/elements.cuh"
// elements_binary             sums, products, comparisons and other functions of two elements
// elements_unary              functions of one element
// elements_reduce             sum, product, maximum or minimum along an axis
// elements_softmax            softmax along an axis, or its logarithm
// elements_softmax_grad       its gradient
// elements_copy               elements of one layout to another

// Training
#include "kernels/linear_layer.cuh"
// linear_layer                products with the weights of few outputs, and their bias
#include "kernels/linear_grad.cuh"
// linear_grad                 gradients of those products, side by side
// linear_grad_finish          sums of the splits of the gradients of weights
#include "kernels/batch_norm.cuh"
// batch_norm                  columns normalised by their moments or moving averages, [BatchNorm]
// batch_norm_moments          moments of slices of many rows
// batch_norm_grad             its gradient
// batch_norm_slopes           sums of slices of many rows for that
#include "kernels/rectify.cuh"
// rectify                     max(0, x + bias)
// rectify_grad                its gradient
#include "kernels/dropout.cuh"
// dropout                     elements dropped at random, [Dropout], by the counters of [Philox]
#include "kernels/softmax_cross_entropy.cuh"
// softmax_cross_entropy       loss and gradient of classes
// softmax_cross_entropy_long  the same for more than 1024 classes
#include "kernels/output_loss.cuh"
// output_loss                 squared, logistic and squared hinge loss with their gradients
#include "kernels/adam.cuh"
// adam                        one step, [Adam] algorithm 1

// Pooling over paths and walks
#include "kernels/path_trie.cuh"
// path_trie_4                 sum or mean over paths of up to 4 vertices, [GCKN] Eq. 10 and algorithm 1
// path_trie_8                 the same of up to 8 vertices
// path_trie_wide_4_f32        path_trie_4 for 128 filters a warp
// path_trie_wide_8_f32        path_trie_8 for 128 filters a warp
// path_trie_max_4             maximum over paths of up to 4 vertices
// path_trie_max_8             the same of up to 8 vertices
// path_trie_max_wide_4_f32    path_trie_max_4 for 128 filters a warp
// path_trie_max_wide_8_f32    path_trie_max_8 for 128 filters a warp
#include "kernels/path_parts.cuh"
// path_factors                factors of the scores of rows, for the paths of large graphs
// path_join                   what the parts of a root come to together
#include "kernels/path_long.cuh"
// path_pool_long              paths and walks of any size, every pooling
// path_grad_long              their gradient
#include "kernels/path_weights.cuh"
// path_counts                 numbers of paths of up to 8 vertices
// path_weights                scale, norm and mean of the gradients of outputs
// path_norm_grad              gradient of the norms
#include "kernels/path_grad.cuh"
// path_grad_4                 gradient of sums and means over paths of up to 4 vertices
// path_grad_8                 the same of up to 8 vertices
// path_grad_wide_4_f32        path_grad_4 for 128 filters a warp
#include "kernels/path_single_grad.cuh"
// path_single_grad            gradient of single vertices and of their norms
#include "kernels/path_max_grad.cuh"
// path_winners_4              paths of up to 4 vertices that attain a maximum
// path_winners_8              the same of up to 8 vertices
// path_max_grad_4             gradient of maxima over paths of up to 4 vertices
// path_max_grad_8             the same of up to 8 vertices
#include "kernels/walks.cuh"
// walk_step                   one position of the recursion over walks, [GCKN] Eq. 21
// walk_finish                 norm and mean of what a recursion leaves
// walk_small                  all positions and sizes for small graphs
#include "kernels/walks_grad.cuh"
// walk_grad                   one position of the way back through walks
#include "kernels/messages.cuh"
// message_step                one position of the recursion over non-backtracking walks, [GCKN] Eq. 21 on arcs
// message_root                what messages pool to at every vertex
// message_small               all positions and sizes for small graphs
// message_counts              numbers of non-backtracking walks (no suffix)
#include "kernels/messages_grad.cuh"
// message_root_grad           gradient of message_root
// message_grad                one position of the way back through messages

// Sparse matrices
#include "kernels/sparse_matmul.cuh"
// sparse_matmul               Y = diag(r) A diag(c) X, the walks of [TREE-G] Eq. 1
// sparse_matmul_add           Y += diag(r) A diag(c) X
// sparse_matmul_narrow        the same as sparse_matmul with single columns
// sparse_matmul_narrow_add    the same as sparse_matmul_add with single columns
// sparse_matmul_finish        sums of the parts of rows of thousands of entries
// sparse_matmul_finish_add    the same, added to Y
#include "kernels/histogram_intersection.cuh"
// histogram_intersection      sum_k min(a_ik, b_jk), the optimal assignment kernel of [DWL-OA] Eq. 1
// mirror_upper                the lower triangle of a symmetric matrix
#include "kernels/posterior.cuh"
// posterior                   Bayes' rule, the E step of [CGMM] Eq. 3

// Splits of trees
#include "kernels/subset_walks.cuh"
// subset_walks_f64            A (1_S o f) for subsets of vertices, [TREE-G] Eq. 1
#include "kernels/dynamic_features.cuh"
// dynamic_features_f64        values of the features at the examples, [TREE-G] Eq. 2
#include "kernels/best_splits.cuh"
// best_splits_f64             best threshold of every column, exact, [TREE-G] section 3
// best_splits_finish_f64      best column of every node
#include "kernels/best_splits_histogram.cuh"
// best_splits_histogram_f64   best threshold of every column of a large node, by histograms
#include "kernels/drawn_splits.cuh"
// drawn_splits_f64            the threshold that every column draws
#include "kernels/growth.cuh"
// level_examples_f64          examples of the nodes of a level
// choose_splits_f64           best column of every node, and its examples by child
// cut_subsets_f64             subsets that the chosen splits generate, [TREE-G] Eq. 3
#include "kernels/boosting.cuh"
// boost_residuals_f64         negative gradients of a loss, what trees of a boosting are fitted to
// plant_tree_f64              targets of a tree, and what is known of its root
// add_leaves_f64              values of leaves to the scores of a tree's examples
// add_others_f64              and to those of other examples
// boost_loss_f64              mean loss
#include "kernels/trees.cuh"
// tree_walks_f64              a step of walks for every tree or node
// descend_graphs_f64          graphs to the children of their nodes, with the subsets of the splits
// cut_vertices_f64            subsets of the splits of vertices
// descend_vertices_f64        vertices to the children of their nodes

// Symmetric matrices: the inverse square root of [GCKN] Eq. 13 and its gradient
#include "kernels/spectral_small.cuh"
// spectral_small_f64          inverse square roots of order 32 and less, [Jacobi]
#include "kernels/spectral_large.cuh"
// spectral_large_f64          the same of any order, by the one-sided block method, [Jacobi]
#include "kernels/spectral_rule.cuh"
// spectral_rule_f64           1 / (sqrt(e) + eps) and its kin
// spectral_symmetrize_f64     (G + G') / 2
#include "kernels/spectral_product.cuh"
// spectral_product_f64        V' diag(s) V, and divided differences for the gradient
#include "kernels/spectral_grad.cuh"
// spectral_grad_f64           the whole gradient for order 64 and less

// Training steps of several models at once
#ifndef GROVE_KERNELS_OF_ONE_MODEL
#include "kernels/models_gen.cuh"
// NAME_models                 kernel NAME of the above with a row of arguments for every model
#endif

// What the hardware reaches, for the floors of the benchmark
#include "kernels/rates.cuh"
// rate_multiply_add           multiply-adds alone
// rate_exponential            exponentials alone
