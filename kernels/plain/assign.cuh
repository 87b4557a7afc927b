// Nearest anchor: a thread for each point.
#pragma once
#include "../threads.cuh"

template <class T>
__device__ inline void assign_plain(int *index, T *best, const T *table, const int *list, const T *z, int n, int p,
                                    int q, int d, int columns) {
    for (long long i = global_thread(); i < n; i += global_threads()) {
        T largest = -infinity<T>(), second = largest;
        int at = 0;
        for (int f = 0; f < q; f++) {
            T sum = 0;
            for (int j = 0; j < p; j++) {
                const T *x = table + (list ? list[i * p + j] : i) * d, *y = z + ((long long)j * q + f) * d;
                for (int k = 0; k < d; k++) sum = multiply_add(x[k], y[k], sum);
            }
            if (f == 0 || sum > largest) second = largest, largest = sum, at = f;
            else if (sum > second) second = sum;
        }
        index[i] = at;
        if (columns > 0) best[i * columns] = largest;
        if (columns > 1) best[i * columns + 1] = second;
    }
}
extern "C" __global__ void assign_plain_f32(int *__restrict__ index, float *__restrict__ best,
                                            const float *__restrict__ table, const int *__restrict__ list,
                                            const float *__restrict__ z, int n, int p, int q, int d, int columns) {
    assign_plain(index, best, table, list, z, n, p, q, d, columns);
}
extern "C" __global__ void assign_plain_f64(int *__restrict__ index, double *__restrict__ best,
                                            const double *__restrict__ table, const int *__restrict__ list,
                                            const double *__restrict__ z, int n, int p, int q, int d, int columns) {
    assign_plain(index, best, table, list, z, n, p, q, d, columns);
}
