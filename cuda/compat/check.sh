#!/bin/sh
# Compiles gorgonia.org/cu and package cuda against the cuda.h in a folder and says whether the forwarding layer
# has every driver function that they refer to.
#
#	cuda/compat/check.sh /usr/local/cuda-12.4/include
set -eu
include=${1:?which folder has cuda.h?}
cd "$(dirname "$0")/../.."
root=$PWD
cuda/forward/build.sh "$root/build/gpu"
CGO_ENABLED=1
CGO_CFLAGS="-O2 -I$root/cuda/compat -I$include"
CGO_LDFLAGS="-L$root/build/gpu"
export CGO_ENABLED CGO_CFLAGS CGO_LDFLAGS LC_ALL=C
version=$(sed -n 's/^#define CUDA_VERSION \([0-9]*\)$/\1/p' "$include/cuda.h")
go build -tags gpu gorgonia.org/cu ./cuda
used=$("${GO:-go}" list -export -tags gpu -f '{{.Export}}' gorgonia.org/cu ./cuda | xargs -n 1 nm 2>/dev/null | awk '$1 == "U" && $2 ~ /^cu[A-Z]/ { used[$2] } $2 == "T" { own[$3] } END { for (name in used) if (!(name in own)) print name }' | sort)
missing=$(echo "$used" | comm -23 - cuda/forward/symbols.txt)
if [ -n "$missing" ]; then
	echo "not in cuda/forward/symbols.txt, add a line for each:" $missing >&2
	exit 1
fi
echo "cuda.h $version: gorgonia.org/cu and package cuda compile; $(echo "$used" | wc -l) driver functions, all forwarded"
