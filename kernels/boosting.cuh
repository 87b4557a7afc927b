// Gradient boosting (Friedman 2001) whose scores stay on the device: N examples with K outputs each, row by row.
//
// boost_residuals: one thread for each example writes the negative gradients of the loss at its scores. Bytes: 24 for
// an output. Operations: an exponential for an output, K + 1 and a logarithm where scores compete. Floor: memory.
//
// plant_tree: one block makes targets of the values of the examples of a tree, or gathers those first from the
// residuals of output k at some positions, of weight 1; what is known of the root goes behind the shift of the grid.
// Bytes: some 100 for an example. Floor: the time of one block.
//
// add_leaves: one thread for each example of a tree adds the value of its leaf to its score. Bytes: 28 for an example.
// add_others: one thread for each example that the tree was not planted with does so by the node that it has reached.
// Floor: memory.
//
// boost_loss: one block adds up the losses of the examples from a position on. Bytes: 16 for an output. Floor: the time
// of one block.
#pragma once
#include "elementary.cuh"
#include "growth.cuh"

constexpr int SQUARED_OBJECTIVE = 0, LOGISTIC_OBJECTIVE = 1, SOFTMAX_OBJECTIVE = 2;

__device__ inline double log_sum_exp(const double *x, int n) {
    double most = -infinity<double>(), sum = 0;
    for (int i = 0; i < n; i++) most = x[i] > most ? x[i] : most;
    for (int i = 0; i < n; i++) sum += unfused_exp(x[i] - most);
    return most + unfused_log(sum);
}

extern "C" __global__ void __launch_bounds__(256)
boost_residuals_f64(double *residuals, const double *y, const double *scores, int objective, int outputs, int count) {
    for (long long i = global_thread(); i < count; i += global_threads()) {
        const double *f = scores + i * outputs, *target = y + i * outputs;
        const double all = objective == SOFTMAX_OBJECTIVE ? log_sum_exp(f, outputs) : 0;
        for (int k = 0; k < outputs; k++) {
            const double mean = objective == SOFTMAX_OBJECTIVE    ? unfused_exp(f[k] - all)
                                : objective == LOGISTIC_OBJECTIVE ? 1 / (1 + unfused_exp(-f[k]))
                                                                  : f[k];
            residuals[i * outputs + k] = target[k] - mean;
        }
    }
}

extern "C" __global__ void __launch_bounds__(256)
plant_tree_f64(double *sums, double *targets, double *values, double *weights, int *examples, const int *classes,
               int number, const int *positions, const double *residuals, const int *example_of, int outputs, int k,
               int m) {
    if (positions) {
        for (int i = threadIdx.x; i < m; i += blockDim.x) {
            const int p = positions[i];
            values[i] = residuals[static_cast<long long>(p) * outputs + k];
            weights[i] = 1, examples[i] = example_of[p];
        }
        __syncthreads();
    }
    const TreeTargets t = {weights, values, targets, sums, classes, number};
    if (values) {
        const double centre = total(m, [&](int i) { return values[i]; }) / m;
        const double shift =
            shift_for(total(m, [&](int i) { return __dmul_rn(fabs(values[i] - centre), weights[i]); }));
        if (threadIdx.x == 0) sums[0] = shift;
        for (int i = threadIdx.x; i < m; i += blockDim.x)
            targets[i] = __dmul_rn(weights[i], on_grid(values[i] - centre, shift));
        __syncthreads();
    } else if (threadIdx.x == 0) {
        sums[0] = 0;
    }
    node_sums(sums + 1, t, m, [](int i) { return i; });
}

extern "C" __global__ void __launch_bounds__(256)
add_leaves_f64(double *scores, const int *positions, const int *order, const int *leaves, const double *value_of,
               int count, int m, int outputs, int k) {
    for (int i = static_cast<int>(global_thread()); i < m; i += static_cast<int>(global_threads())) {
        int leaf = 0, end = count; // of which the last that begins at i or before it is searched
        while (end - leaf > 1) {
            const int middle = (leaf + end) / 2;
            if (leaves[2 * middle] <= i) leaf = middle;
            else end = middle;
        }
        const GrowingNode all = {0, leaves[2 * leaf + 1], -1};
        scores[static_cast<long long>(positions[all.position(order, m, i)]) * outputs + k] += value_of[leaf];
    }
}

extern "C" __global__ void __launch_bounds__(256)
add_others_f64(double *scores, const int *positions, int m, const int *example_of, const int *reached,
               const double *value_of, int count, int outputs, int k) {
    for (int p = static_cast<int>(global_thread()); p < count; p += static_cast<int>(global_threads())) {
        int at = 0, end = m; // positions before `at` are less than p, those from `end` on are not
        while (at < end) {
            const int middle = (at + end) / 2;
            if (positions[middle] < p) at = middle + 1;
            else end = middle;
        }
        if (at < m && positions[at] == p) continue;
        scores[static_cast<long long>(p) * outputs + k] += value_of[reached[example_of[p]]];
    }
}

extern "C" __global__ void __launch_bounds__(256)
boost_loss_f64(double *loss, const double *y, const double *scores, int objective, int outputs, int from, int count) {
    const double sum = total(count - from, [&](int i) {
        const double *f = scores + static_cast<long long>(from + i) * outputs;
        const double *target = y + static_cast<long long>(from + i) * outputs;
        const double all = objective == SOFTMAX_OBJECTIVE ? log_sum_exp(f, outputs) : 0;
        double of_example = 0;
        for (int k = 0; k < outputs; k++) {
            const double off = target[k] - f[k];
            if (objective == SQUARED_OBJECTIVE) of_example += __dmul_rn(off, off);
            else if (objective == SOFTMAX_OBJECTIVE) of_example += __dmul_rn(target[k], all - f[k]);
            else of_example +=
                fmax(f[k], 0.0) + unfused_log(1 + unfused_exp(-fabs(f[k]))) - __dmul_rn(target[k], f[k]);
        }
        return of_example;
    });
    if (threadIdx.x == 0) *loss = sum / (count - from);
}
