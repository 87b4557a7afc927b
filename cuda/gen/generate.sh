#!/bin/sh
# Writes cuda/kernels_gen.go and cuda/plain_gen_test.go anew from the entry points of kernels.cu and kernels/plain.cu. Needs
# g++ as the preprocessor.
set -eu
cd "$(dirname "$0")/../.."
# As in the first of nvcc's passes, but with the branches that run on the host and on the simulated GPU: both
# have the same entry points.
write() {
	${CXX:-g++} -E -P -x c++ -std=c++17 -nostdinc "$2" | "${GO:-go}" run ./cuda/gen "$1" >"$3.new"
	mv "$3.new" "$3"
}
write launch kernels.cu cuda/kernels_gen.go
write launch-plain kernels/plain.cu cuda/plain_gen_test.go
