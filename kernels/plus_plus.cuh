// The start of k-means++, a centre in three launches.
//
//   m_ti = rint(w_i max(0, 2 (p - sum_e q(x_ie) q(y_te))) units), gain_t = sum_i max(0, m_i - m_ti)
//   m_i becomes the least of m_i and m_ti for the first t with the largest gain
//   y_t becomes the first point with sum_{i <= y} m_i >= u_t sum_i m_i
//
// Points are those of the section assign: n of p rows of a table (rows x d); y_t are points that are tried, eight of
// them a launch. q rounds to the grid of a shift (see subsets.cuh), and units makes masses whole numbers, so coarsely
// that all sums of double are exact: any order of additions gives the bits of the host.
//
// Bytes      s n p d + 8 n (tried + 2) a centre, and 4 n p with a list
// Operations 6 n tried p d of double: two for the product, four for the grids of its factors
// Floor      the larger of bytes / copy bandwidth and operations / peak of double
// seed_masses: a group of lanes walks along a point and multiplies it with all that are tried. seed_choose: every block
// adds up the gains of all blocks of seed_masses and takes its share of the points. seed_draw: a block for each point
// to be tried finds the piece of SEED_PIECE points that the target lies in, then the point. Prediction, not a
// measurement: for 43 000 points of 128 numbers latency, 15 us a centre; for 300 000 half of the floor.
#pragma once
#include "rows.cuh"
#include "subsets.cuh"

constexpr int TRIED = 8;         // points that one launch tries at most
constexpr int SEED_PIECE = 1024; // points whose masses have a sum of their own

template <class T>
__device__ inline void seed_masses(double *masses, double *gains, const double *least, const T *table, const int *list,
                                   const double *weights, const int *tried, int count, int n, int p, int d,
                                   double shift, double units, int group) {
    double gain[TRIED] = {};
    const int lane = threadIdx.x % group, of_warp = WARP / group;
    for (long long first = global_thread() / WARP * of_warp; first < n; first += global_threads() / WARP * of_warp) {
        const long long i = first + lane_index() / group;
        double sum[TRIED] = {};
        for (int j = 0; j < p && i < n; j++) {
            const T *x = table + (long long)(list ? list[i * p + j] : i) * d, *y[TRIED];
#pragma unroll
            for (int t = 0; t < TRIED; t++) {
                const long long of = t < count ? tried[t] : i;
                y[t] = table + (long long)(list ? list[of * p + j] : of) * d;
            }
            for (int e = lane; e < d; e += group) {
                const double value = on_grid(x[e], shift);
#pragma unroll
                for (int t = 0; t < TRIED; t++) {
                    if (t >= count) break;
                    sum[t] = multiply_add(value, on_grid(y[t][e], shift), sum[t]);
                }
            }
        }
#pragma unroll
        for (int t = 0; t < TRIED; t++) {
            if (t >= count) break;
            const double similarity = group_sum(sum[t], group);
            if (lane != 0 || i >= n) continue;
            const double distance = fmax(0.0, 2 * (p - similarity));
            const double mass = rint(__dmul_rn(weights ? __dmul_rn(weights[i], distance) : distance, units));
            masses[(long long)t * n + i] = mass;
            if (least) gain[t] += fmax(0.0, least[i] - mass);
        }
    }
    for (int t = 0; t < count; t++) {
        double of_t = 0;
#pragma unroll
        for (int other = 0; other < TRIED; other++)
            if (other == t) of_t = gain[other]; // an index that is known keeps the gains in registers
        of_t = block_sum(of_t);
        if (threadIdx.x == 0) gains[(long long)t * gridDim.x + blockIdx.x] = of_t;
    }
}

#define SEED_MASSES(NAME, T)                                                                                           \
    extern "C" __global__ void __launch_bounds__(256)                                                                  \
    NAME(double *__restrict__ masses, double *__restrict__ gains, const double *__restrict__ least,                    \
         const T *__restrict__ table, const int *__restrict__ list, const double *__restrict__ weights,                \
         const int *__restrict__ tried, int count, int n, int p, int d, double shift, double units, int group) {       \
        seed_masses(masses, gains, least, table, list, weights, tried, count, n, p, d, shift, units, group);           \
    }
SEED_MASSES(seed_masses_f32, float)
SEED_MASSES(seed_masses_f64, double)

// seed_choose writes the chosen point, the masses, and their sums by pieces. first says that there are no masses yet.
extern "C" __global__ void __launch_bounds__(256)
seed_choose_f64(int *__restrict__ chosen, double *__restrict__ least, double *__restrict__ sums,
                const double *__restrict__ masses, const double *__restrict__ gains, const int *__restrict__ tried,
                int count, int blocks, int n, int first) {
    int best = 0;
    double most = -infinity<double>();
    for (int t = 0; t < count; t++) {
        double gain = 0;
        for (int b = threadIdx.x; b < blocks; b += blockDim.x) gain += gains[(long long)t * blocks + b];
        gain = block_sum(gain);
        if (gain > most) most = gain, best = t;
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) *chosen = tried[best];
    const int pieces = (n + SEED_PIECE - 1) / SEED_PIECE;
    for (int piece = blockIdx.x; piece < pieces; piece += gridDim.x) {
        double sum = 0;
        const long long from = (long long)piece * SEED_PIECE;
        for (long long i = from + threadIdx.x; i < min(from + SEED_PIECE, (long long)n); i += blockDim.x) {
            const double mass = masses[(long long)best * n + i];
            const double with = first ? mass : fmin(least[i], mass);
            least[i] = with;
            sum += with;
        }
        sum = block_sum(sum);
        if (threadIdx.x == 0) sums[piece] = sum;
    }
}

// first_reaching returns the first of the elements from..to at which the sum of x, with base before them, reaches the
// target, or -1; base becomes the sum before it.
__device__ inline int first_reaching(const double *x, long long from, long long to, double target, double &base) {
    __shared__ double of_warp[WARP];
    for (long long at = from; at < to; at += blockDim.x) {
        const long long i = at + threadIdx.x;
        const double value = i < to ? x[i] : 0;
        double upto = warp_scan(value);
        if (lane_index() == WARP - 1) of_warp[warp_index()] = upto;
        __syncthreads();
        for (int w = 0; w < warp_index(); w++) upto += of_warp[w];
        const int found = block_min(i < to && base + upto >= target ? (int)i : infinity<int>());
        base += block_sum(i < found ? value : 0.0);
        if (found != infinity<int>()) return found;
    }
    return -1;
}

// seed_draw finds the point of each block.
extern "C" __global__ void __launch_bounds__(256)
seed_draw_f64(int *__restrict__ tried, const double *__restrict__ least, const double *__restrict__ sums,
              const double *__restrict__ draws, int n) {
    const int pieces = (n + SEED_PIECE - 1) / SEED_PIECE;
    double total = 0, base = 0;
    for (int piece = threadIdx.x; piece < pieces; piece += blockDim.x) total += sums[piece];
    const double target = __dmul_rn(draws[blockIdx.x], block_sum(total));
    const int piece = first_reaching(sums, 0, pieces, target, base);
    const long long from = (long long)piece * SEED_PIECE;
    int point = -1;
    if (piece >= 0) point = first_reaching(least, from, min(from + SEED_PIECE, (long long)n), target, base);
    if (threadIdx.x == 0) tried[blockIdx.x] = point < 0 ? n - 1 : point; // nothing reaches what is not a number
}
