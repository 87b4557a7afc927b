#!/bin/sh
# Writes kernels/models_gen.cuh, cuda/kernels_gen.go and cuda/plain_gen_test.go anew from the entry points of kernels.cu and
# kernels/plain.cu. Needs g++ as the preprocessor.
set -eu
cd "$(dirname "$0")/../.."
# As in the first of nvcc's passes, but with the branches that run on the host and on the simulated GPU: both
# have the same entry points.
write() {
	command=$1 from=$2 to=$3
	shift 3
	${CXX:-g++} -E -P -x c++ -std=c++17 -nostdinc "$@" "$from" | "${GO:-go}" run ./cuda/gen "$command" >"$to.new"
	mv "$to.new" "$to"
}
write models kernels.cu kernels/models_gen.cuh -DGROVE_KERNELS_OF_ONE_MODEL '-DDYNAMIC_SHARED(T, name)=DYNAMIC_SHARED(T, name)'
write launch kernels.cu cuda/kernels_gen.go
write launch-plain kernels/plain.cu cuda/plain_gen_test.go
