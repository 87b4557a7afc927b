// The exponential and the logarithm that the host computes too, to the last bit: elementary.go of the engine says where
// they come from. No product is fused with a sum. Counts of exponentials leave them out: they are a few for an example
// of a round of boosting.
#pragma once
#include "threads.cuh"

constexpr double LN2_HIGH = 6.93147180369123816490e-01, LN2_LOW = 1.90821492927058770002e-10;

__device__ inline double unfused_exp(double x) {
    if (x != x) return x;
    if (x > 7.09782712893383973096e+02) return infinity<double>();
    if (x < -708.0) return 0;
    const double k = floor(__dmul_rn(x, 1.44269504088896338700) + 0.5);
    const double high = x - __dmul_rn(k, LN2_HIGH), low = __dmul_rn(k, LN2_LOW), r = high - low, t = __dmul_rn(r, r);
    double c = __dmul_rn(t, 4.13813679705723846039e-08) - 1.65339022054652515390e-06;
    c = __dmul_rn(t, c) + 6.61375632143793436117e-05;
    c = __dmul_rn(t, c) - 2.77777777770155933842e-03;
    c = __dmul_rn(t, c) + 1.66666666666666019037e-01;
    c = r - __dmul_rn(t, c);
    const double y = 1 - ((low - __dmul_rn(r, c) / (2 - c)) - high);
    return __dmul_rn(__dmul_rn(y, 2), __longlong_as_double((1022LL + static_cast<long long>(k)) << 52));
}

// unfused_log takes a positive, normal number.
__device__ inline double unfused_log(double x) {
    const long long bits = __double_as_longlong(x), mantissa = bits & ((1LL << 52) - 1);
    int exponent = static_cast<int>(bits >> 52) - 1022;
    double f = __longlong_as_double(mantissa | (1022LL << 52)); // from 1/2 to 1
    if (f < 0.70710678118654752440) f = __dmul_rn(2, f), exponent--;
    f -= 1;
    const double k = exponent, s = f / (2 + f), s2 = __dmul_rn(s, s), s4 = __dmul_rn(s2, s2);
    double odd = __dmul_rn(s4, 1.479819860511658591e-01) + 1.818357216161805012e-01;
    odd = __dmul_rn(s4, odd) + 2.857142874366239149e-01;
    odd = __dmul_rn(s4, odd) + 6.666666666666735130e-01;
    double even = __dmul_rn(s4, 1.531383769920937332e-01) + 2.222219843214978396e-01;
    even = __dmul_rn(s4, even) + 3.999999999940941908e-01;
    const double r = __dmul_rn(s2, odd) + __dmul_rn(s4, even), half = __dmul_rn(__dmul_rn(0.5, f), f);
    return __dmul_rn(k, LN2_HIGH) - ((half - (__dmul_rn(s, half + r) + __dmul_rn(k, LN2_LOW))) - f);
}
