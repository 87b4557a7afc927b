// Normalisation of columns by the moments of a batch (Ioffe, Szegedy 2015).
//
//   y = (x - mean) deviation scale + shift, deviation = 1 / sqrt(variance + epsilon)     x, y n x d, the others d
//
// then max(0, y) where it rectifies. In training mean and variance are those of the columns of x, the moving averages
// go a step towards them, and batch_mean and batch_deviation keep them for the gradient.
//
// Bytes 2 s n d, 3 s n d in training without a cache, floor 2 s n d / copy bandwidth. A block has eight columns and, in
// training, all rows, so that one launch does everything; its second look at them finds them in the first-level cache
// up to some 4000 rows, in the second-level cache beyond. Of many rows batch_norm_moments has the moments of slices
// first. Sums of squares are of differences from a row of the thread's own: no digits are lost far from zero.
// Prediction, not a measurement: 10 us for 4000 x 64, bound by the few blocks; 60% of the floor without training.
#pragma once
#include "columns.cuh"

// add_moments adds up the differences of a thread's elements of a column from origin, and their squares.
template <class T>
__device__ inline void add_moments(double (&sums)[2], const ColumnSlice &s, const T *x, T origin) {
    const int first = s.from + s.lane, count = first < s.to ? (s.to - first + COLUMN_LANES - 1) / COLUMN_LANES : 0;
    sums[0] = sums[1] = 0;
    if (count == 0) return;
    const T pivot = x[static_cast<long long>(first) * s.d + s.column];
    T sum = 0, squares = 0;
    s.each([&](long long i) {
        const T apart = x[i] - pivot;
        sum += apart;
        squares = multiply_add(apart, apart, squares);
    });
    const double mean = static_cast<double>(sum) / count;
    const double away = static_cast<double>(pivot) - static_cast<double>(origin) + mean;
    sums[0] = count * away;
    sums[1] = static_cast<double>(squares) - mean * static_cast<double>(sum) + count * away * away;
}

template <class T>
__device__ inline void batch_norm_moments(double *partial, const T *x, int n, int d, int rows) {
    __shared__ ColumnTotals<2> totals;
    const ColumnSlice s(n, d, rows);
    double sums[2];
    add_moments(sums, s, x, s.column < d ? x[s.column] : T(0));
    totals.add(s, sums);
    totals.keep(s, partial);
}

// BatchNorm is what a normalisation keeps.
template <class T> struct BatchNorm {
    const T *scale, *shift;
    T *mean, *variance, *batch_mean, *batch_deviation;
    double momentum, epsilon;

    __device__ double move(T &average, double to) const {
        return average = static_cast<T>((1 - momentum) * static_cast<double>(average) + momentum * to);
    }
    // train moves the averages of a column of n rows, given the totals of add_moments.
    __device__ void train(const ColumnSlice &s, double sum, double squares, T origin, int n, T &average,
                          T &deviation) const {
        const double away = sum / n, rest = (squares - sum * away) / n, spread = rest > 0 ? rest : 0;
        const double centre = static_cast<double>(origin) + away;
        average = static_cast<T>(centre);
        deviation = static_cast<T>(1 / square_root(spread + epsilon));
        if (!s.speaks()) return;
        move(mean[s.column], centre);
        move(variance[s.column], n > 1 ? spread * n / (n - 1) : spread);
        batch_mean[s.column] = average;
        batch_deviation[s.column] = deviation;
    }
};

template <class T>
__device__ inline void batch_norm(T *y, const T *x, const BatchNorm<T> &b, const double *partial, int slices, int n,
                                  int d, int rows, int training, int rectify) {
    __shared__ ColumnTotals<2> totals;
    __shared__ T averages[COLUMN_GROUP], factors[COLUMN_GROUP];
    const ColumnSlice s(n, d, rows);
    const bool has = s.column < d;
    const T origin = training && has ? x[s.column] : T(0);
    if (training && partial) {
        totals.add_slices(s, partial, slices);
    } else if (training) {
        double sums[2];
        add_moments(sums, s, x, origin);
        totals.add(s, sums);
    }
    if (s.lane == 0 && has) {
        T average, deviation;
        if (training) {
            b.train(s, totals.of[0][s.place], totals.of[1][s.place], origin, n, average, deviation);
        } else {
            average = b.mean[s.column];
            deviation = static_cast<T>(1 / square_root(static_cast<double>(b.variance[s.column]) + b.epsilon));
        }
        averages[s.place] = average;
        factors[s.place] = deviation * b.scale[s.column];
    }
    __syncthreads();
    if (!has) return;
    const T average = averages[s.place], factor = factors[s.place], shift = b.shift[s.column];
    s.each([&](long long i) {
        const T v = multiply_add(x[i] - average, factor, shift);
        y[i] = rectify ? Maximum::combine(v, T(0)) : v;
    });
}

// ----- batch_norm_grad: from the gradient of y to those of x, scale and shift ------------
//
//   u = (x - mean) deviation, g = y_grad, 0 where rectified and y <= 0
//   shift_grad = sum g, scale_grad = sum g u, x_grad = scale deviation (g - (shift_grad + u scale_grad) / n)
//
// x_grad may be y_grad itself. Bytes 3 s n d (4 s n d if rectified), and those of what is read again; the rest is as
// above, with batch_norm_slopes for many rows. Prediction, not a measurement: 20 us for 4000 x 64.

// KeptGradient has the elements of y_grad that count.
template <class T> struct KeptGradient {
    const T *grad, *y; // y is null where nothing was rectified
    __device__ T operator[](long long i) const { return !y || y[i] > T(0) ? grad[i] : T(0); }
};

template <class T>
__device__ inline void add_slopes(double (&sums)[2], const ColumnSlice &s, KeptGradient<T> slopes, const T *x,
                                  const T *batch_mean) {
    const T mean = s.column < s.d ? batch_mean[s.column] : T(0);
    T sum = 0, products = 0;
    s.each([&](long long i) {
        const T g = slopes[i];
        sum += g;
        products = multiply_add(g, x[i] - mean, products);
    });
    sums[0] = sum;
    sums[1] = products;
}

template <class T>
__device__ inline void batch_norm_slopes(double *partial, const T *y_grad, const T *x, const T *y,
                                         const T *batch_mean, int n, int d, int rows) {
    __shared__ ColumnTotals<2> totals;
    const ColumnSlice s(n, d, rows);
    double sums[2];
    add_slopes(sums, s, {y_grad, y}, x, batch_mean);
    totals.add(s, sums);
    totals.keep(s, partial);
}

template <class T>
__device__ inline void batch_norm_grad(T *x_grad, T *scale_grad, T *shift_grad, const T *y_grad, const T *x,
                                       const T *y, const T *scale, const T *batch_mean, const T *batch_deviation,
                                       const double *partial, int slices, int n, int d, int rows) {
    __shared__ ColumnTotals<2> totals;
    __shared__ T averages[COLUMN_GROUP], factors[COLUMN_GROUP], along[COLUMN_GROUP];
    const ColumnSlice s(n, d, rows);
    const KeptGradient<T> slopes{y_grad, y};
    const bool has = s.column < d;
    if (partial) {
        totals.add_slices(s, partial, slices);
    } else {
        double sums[2];
        add_slopes(sums, s, slopes, x, batch_mean);
        totals.add(s, sums);
    }
    if (s.lane == 0 && has) {
        const double deviation = batch_deviation[s.column], by = static_cast<double>(scale[s.column]) * deviation;
        const double of_shift = totals.of[0][s.place], of_scale = totals.of[1][s.place] * deviation;
        averages[s.place] = static_cast<T>(of_shift / n);
        factors[s.place] = static_cast<T>(by);
        along[s.place] = static_cast<T>(-by * deviation * of_scale / n);
        if (s.speaks()) {
            scale_grad[s.column] = static_cast<T>(of_scale);
            shift_grad[s.column] = static_cast<T>(of_shift);
        }
    }
    __syncthreads();
    if (!has) return;
    const T average = averages[s.place], factor = factors[s.place], slope = along[s.place], mean = batch_mean[s.column];
    s.each([&](long long i) {
        x_grad[i] = multiply_add(x[i] - mean, slope, (slopes[i] - average) * factor);
    });
}

#define BATCH_NORM(suffix, T)                                                                                          \
    extern "C" __global__ void __launch_bounds__(COLUMN_THREADS, 1)                                                    \
    batch_norm_##suffix(T *y, const T *x, const T *scale, const T *shift, T *mean, T *variance, T *batch_mean,         \
                        T *batch_deviation, const double *partial, int slices, int n, int d, int rows,                 \
                        double momentum, double epsilon, int training, int rectify) {                                  \
        batch_norm<T>(y, x, {scale, shift, mean, variance, batch_mean, batch_deviation, momentum, epsilon}, partial,   \
                      slices, n, d, rows, training, rectify);                                                          \
    }                                                                                                                  \
    extern "C" __global__ void __launch_bounds__(COLUMN_THREADS, 1)                                                    \
    batch_norm_moments_##suffix(double *partial, const T *x, int n, int d, int rows) {                                 \
        batch_norm_moments(partial, x, n, d, rows);                                                                    \
    }                                                                                                                  \
    extern "C" __global__ void __launch_bounds__(COLUMN_THREADS, 1)                                                    \
    batch_norm_slopes_##suffix(double *partial, const T *y_grad, const T *x, const T *y, const T *batch_mean, int n,   \
                               int d, int rows) {                                                                      \
        batch_norm_slopes(partial, y_grad, x, y, batch_mean, n, d, rows);                                              \
    }                                                                                                                  \
    extern "C" __global__ void __launch_bounds__(COLUMN_THREADS, 1)                                                    \
    batch_norm_grad_##suffix(T *x_grad, T *scale_grad, T *shift_grad, const T *y_grad, const T *x, const T *y,         \
                             const T *scale, const T *batch_mean, const T *batch_deviation, const double *partial,     \
                             int slices, int n, int d, int rows) {                                                     \
        batch_norm_grad(x_grad, scale_grad, shift_grad, y_grad, x, y, scale, batch_mean, batch_deviation, partial,     \
                        slices, n, d, rows);                                                                           \
    }
BATCH_NORM(f32, float)
BATCH_NORM(f64, double)
