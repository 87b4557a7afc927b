#!/bin/sh
# Packs what is needed to check and measure Grove on a machine with a GPU and a driver alone into build/kit.tar.xz, the
# folder grove-kit. make kit builds what it takes along.
set -eu
cd "$(dirname "$0")/../.."
kit=build/grove-kit
limit=56 # MiB
rm -rf "$kit"
mkdir -p "$kit/bin" "$kit/sim"
# Without symbols, which are a third of a program and say nothing there.
cuda/go.sh build -ldflags "-s -w -X main.stamp=${STAMP-}" -o "$kit/bin/" ./cmd/grove ./cmd/bench ./cmd/conformance ./cmd/kit
for package in cuda gckn autodiff treeg wl mpgk cgmm model/modeltest; do
	cuda/go.sh test -c -vet=off -ldflags '-s -w' -o "$kit/bin/$(basename "$package").test" "./$package"
done
strip --strip-unneeded -o "$kit/sim/libcuda.so.1" build/sim/libcuda.so.1
cp cmd/kit/run.sh cuda/testdata/one_case_a_kernel.txt LICENSE "$kit"
cp docs/kit.md "$kit/README.md"
chmod +x "$kit/run.sh"
# The programs have much in common, the kernels above all, which a window of their whole size finds.
tar -C build -cf - grove-kit | xz --lzma2=preset=1,dict=512MiB >build/kit.tar.xz
bytes=$(wc -c <build/kit.tar.xz)
echo "build/kit.tar.xz has $((bytes / 1024 / 1024)) MiB"
if [ "$bytes" -ge $((limit * 1024 * 1024)) ]; then
	echo "that is more than $limit MiB" >&2
	exit 1
fi
