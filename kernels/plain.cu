// The plain ancestors of Grove's tuned kernels, which do the same with no art. The tests hold both to the same
// reference; programs do not have them. matmul_short, path_pool_long, path_grad_long, walk_* and message_* are plain
// themselves, and are kernels of their own for the sizes where nothing faster exists.
//
// kernel                             operation, the same as that of the kernel without _plain

#include "plain/matmul.cuh"
// matmul_tf32_plain_f32              product of factors in TF32
// matmul_bfloat16_plain_f32          product of factors in bfloat16
#include "plain/normalize_rows.cuh"
// normalize_rows_plain               rows of unit length
// normalize_rows_grad_plain          their gradient
#include "plain/gram.cuh"
// gram_plain                         kernel matrices of anchors
#include "plain/assign.cuh"
// assign_plain                       nearest anchor
#include "plain/segments.cuh"
// segment_reduce_plain               sum, mean or maximum of rows; also _f32_f64
// segment_reduce_grad_plain          their gradient
#include "plain/softmax_cross_entropy.cuh"
// softmax_cross_entropy_plain        loss and gradient of classes
#include "plain/output_loss.cuh"
// output_loss_plain                  losses of single outputs
#include "plain/adam.cuh"
// adam_plain                         one step of Adam
#include "plain/place.cuh"
// place_plain                        rows of a matrix into a block of another
#include "plain/sparse_matmul.cuh"
// sparse_matmul_plain                sparse-dense product
#include "plain/histogram_intersection.cuh"
// histogram_intersection_plain       sums of minima
#include "plain/posterior.cuh"
// posterior_plain                    Bayes' rule
#include "plain/subset_walks.cuh"
// subset_walks_plain_f64             walks within subsets
#include "plain/dynamic_features.cuh"
// dynamic_features_plain_f64         values of dynamic features
#include "plain/best_splits.cuh"
// best_splits_plain_f64              best threshold of every column
#include "plain/best_splits_histogram.cuh"
// best_splits_histogram_plain_f64    the same of large nodes
#include "plain/spectral.cuh"
// spectral_norms_plain_f64           absolute sums of rows
// spectral_start_plain_f64           scaled and shifted matrices
// spectral_plain_f64                 sweeps of the one-sided method, a rotation after the other
// spectral_values_plain_f64          eigenvalues and unit eigenvectors
#include "plain/spectral_product.cuh"
// spectral_product_plain_f64         products of spectra
