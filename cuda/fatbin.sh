#!/bin/sh
# Compiles kernels.cu into the fatbin that package cuda embeds: machine code for compute capabilities 8.0 and 9.0, PTX of
# 9.0 for all that is newer, with its tensor cores, and PTX of 7.0 for what is older. Writes cuda/kernels.fatbin,
# cuda/kernels.toolkit (the version of CUDA and the oldest compute capability that it needs), the compiler's resource
# report, build/gpu/kernels.resources.txt, which cuda/resources.sh holds against the one that is kept, and
# cuda/plain.fatbin: kernels/plain.cu as PTX, which the tests of package cuda embed and no program.
#
#	cuda/fatbin.sh           everything
#	cuda/fatbin.sh --newest  of machine code that of 9.0, and no PTX: a third of the time, for checks without a GPU. Of
#	                         the code that only older ones take it looks at the syntax.
#	cuda/fatbin.sh --empty   fatbins without kernels, enough to build Go code against
set -eu
cd "$(dirname "$0")/.."
nvcc=$(cuda/toolkit.sh --nvcc)
out=build/gpu
mkdir -p "$out"
release=$("$nvcc" --version | sed -n 's/.*release \([0-9]*\)\.\([0-9]*\).*/\1 \2/p' | awk '{ printf "%d", $1 * 1000 + $2 * 10 }')
oldest=70
[ "$release" -lt 13000 ] || oldest=75 # the oldest that CUDA 13 compiles for
echo "$release $oldest" >cuda/kernels.toolkit
architectures="-gencode arch=compute_$oldest,code=compute_$oldest -gencode arch=compute_80,code=sm_80 \
	-gencode arch=compute_90,code=[sm_90,compute_90]"
names="ptx ptx_90 sm_80 sm_90" # of what is compiled, as gen verify has them
if [ "${1:-}" = --empty ]; then
	echo 'extern "C" __global__ void nothing() {}' >"$out/empty.cu"
	"$nvcc" -fatbin $architectures -o cuda/kernels.fatbin "$out/empty.cu"
	cp cuda/kernels.fatbin cuda/plain.fatbin
	exit
fi
if [ "${1:-}" = --newest ]; then
	architectures="-gencode arch=compute_90,code=sm_90"
	names=sm_90
	for file in $(grep -l __CUDA_ARCH__ kernels/*.cuh); do
		"$nvcc" -ptx -x cu -std=c++17 -w -arch="compute_$oldest" -Xcicc -O0 -o "$out/oldest.ptx" "$file"
	done
fi
"$nvcc" -fatbin -std=c++17 -O3 -gencode "arch=compute_$oldest,code=compute_$oldest" -o cuda/plain.fatbin kernels/plain.cu
"$nvcc" -fatbin -std=c++17 -O3 --threads 0 -Xptxas -v $architectures -o "$out/kernels.fatbin" kernels.cu >"$out/ptxas.txt" 2>&1 || {
	grep -E 'error|fatal' "$out/ptxas.txt" >&2 || cat "$out/ptxas.txt" >&2
	exit 1
}
grep -E 'warning' "$out/ptxas.txt" >&2 || true
"${GO:-go}" run ./cuda/gen resources <"$out/ptxas.txt" >"$out/kernels.resources.txt"
echo "$names" >"$out/architectures"
mv "$out/kernels.fatbin" cuda/kernels.fatbin
