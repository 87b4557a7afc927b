// Adam.
//
//   m1 = beta1 m1 + rest1 g,  m2 = beta2 m2 + rest2 g^2,  g = gradient + decay parameter,  rest = 1 - beta
//   parameter -= rate m1 / (root sqrt(m2) + epsilon)
//
// rate and root hold the corrections of the moments for their start at zero. All have n elements.
#pragma once
#include "threads.cuh"

template <class T>
__device__ inline void adam_element(T &parameter, T &m1, T &m2, T gradient, T rate, T root, T beta1, T beta2, T rest1,
                                    T rest2, T epsilon, T decay) {
    const T g = multiply_add(decay, parameter, gradient);
    m1 = multiply_add(beta1, m1, rest1 * g);
    m2 = multiply_add(beta2, m2, rest2 * g * g);
    parameter -= rate * m1 / multiply_add(root, square_root(m2), epsilon);
}
