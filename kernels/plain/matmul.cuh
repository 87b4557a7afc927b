// Products of rounded factors: a thread for each element.
#pragma once
#include "../matmul_elements.cuh"

MATMUL_ELEMENTS(matmul_tf32_plain_f32, float, TO_TF32)
MATMUL_ELEMENTS(matmul_bfloat16_plain_f32, float, TO_BFLOAT16)
