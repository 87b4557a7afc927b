#!/bin/sh
# Writes cuda/kernels_gen.go anew from the entry points of kernels.cu. Needs g++ as the preprocessor.
set -eu
cd "$(dirname "$0")/../.."
# As in the first of nvcc's passes, but with the branches that run on the host and on the simulated GPU: both
# have the same entry points.
${CXX:-g++} -E -P -x c++ -std=c++17 -nostdinc kernels.cu | "${GO:-go}" run ./cuda/gen launch >cuda/kernels_gen.go.new
mv cuda/kernels_gen.go.new cuda/kernels_gen.go
