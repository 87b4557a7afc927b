// Package svm trains support vector machines for a whole grid of penalties at once: linear ones with the
// squared hinge loss, an L2 penalty on the weights and a free intercept ([FitPath], [FitClassifier]), and
// kernel machines on precomputed kernels, C-SVM ([FitKernelClassifier]) and epsilon-SVR
// ([FitKernelRegressor]). The rest of this page is about the linear ones; see [Kernel] for the others.
//
//	c, err := svm.FitClassifier(ctx, x, train, classes, svm.CGrid(), svm.Options{})
//	said, err := c.Predict(x, test) // for every C
//
// # The problem
//
// With rows x_i, labels y_i = +1 or -1 and a constant C > 0,
//
//	minimise  1/2 |w|^2 + C sum_i max(0, 1 - y_i (<w, x_i> + b))^2   over w and b.
//
// The intercept b is not penalised, unless Options.Intercept asks for LIBLINEAR's formulation, in which it is
// the weight of one more feature, or for none. With lambda = 1/(2 n C) the same w and b minimise
//
//	lambda/2 |w|^2 + 1/n sum_i 1/2 max(0, 1 - y_i (<w, x_i> + b))^2,
//
// which is the form of the published experiments (docs/conventions.md, 14).
//
// # The algorithm
//
// The objective is convex, piecewise quadratic and once differentiable. With A the rows whose
// margin 1 - y_i (<w, x_i> + b) is positive, gradient and (generalised) Hessian are
//
//	g = D v - 2 C sum_{i in A} y_i margin_i z_i,    H = D + 2 C sum_{i in A} z_i z_i',
//
// with z_i = (x_i, 1), v = (w, b) and D the identity with a zero in the place of a free b. The solver is
// the finite Newton method (Mangasarian, 2002; Keerthi and DeCoste, 2005): a full step where it
// brings a sufficient decrease, otherwise an exact line search along the Newton direction. Once A is
// right a single step is exact. A new C starts at the extrapolation of the solutions before it.
//
// Newton's equation is solved by a Cholesky factorisation, of H or of the matrix
// <x_i, x_j> + delta_ij/(2 C) over A, whichever is cheaper. The sums over A are brought up to date by
// the rows that entered or left; where few of them change at the same C, the factor stays and is
// bordered. With more columns than rows the problem is first rotated, exactly, into the space that
// the rows span.
//
// All arithmetic is in float64 whatever the type of the matrix. Results have the same bits for any
// number of workers.
//
// [FitFolds] does the same for several folds of one matrix at a time, whose rows may be read from a file in blocks
// ([Source]): it keeps sums over the rows instead of the rows, and one pass serves all folds and classes.
//
// [FitRows] trains the classifier of one C in few passes over rows, which parts of a plan can compute (package rounds).
//
// [FitSparseClassifier] trains the C-SVM of [FitKernelClassifier] on sparse rows ([Sparse]), without a kernel matrix.
//
// # Degenerate input
//
// Where all rows have the same label the solution is w = 0 and b = that label, with objective 0. A
// matrix without columns leaves the intercept alone. Constant, repeated or collinear columns are
// harmless: the penalty makes w unique. No rows, labels other than +1 and -1, a grid that is not
// ascending and positive, and entries that are NaN or infinite are errors.
package svm
