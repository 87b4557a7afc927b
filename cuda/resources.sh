#!/bin/sh
# Holds the compiler's resource report of the last build against the one that is kept, cuda/kernels.resources.txt
# (CUDA 11.8): for the architectures that were built the same kernels, and nothing of note spilled. Registers depend a
# little on the compiler and even on the folder of the sources, so differences are shown and do not fail.
#
#	cuda/resources.sh         compare
#	cuda/resources.sh --keep  keep the report of the last build
set -eu
cd "$(dirname "$0")/.."
new=build/gpu/kernels.resources.txt
old=build/gpu/kernels.resources.kept
if [ "${1:-}" = --keep ]; then
	cp "$new" cuda/kernels.resources.txt
	exit
fi
built=$(awk '$2 ~ /^sm_/ { print $2 }' "$new" | sort -u | tr '\n' ' ')
awk -v built=" $built" '$2 !~ /^sm_/ || index(built, " " $2 " ")' cuda/kernels.resources.txt >"$old"
names() { awk '$2 ~ /^sm_/ { print $1, $2 }' "$1"; }
names "$new" >build/gpu/names.new
names "$old" >build/gpu/names.old
if ! diff build/gpu/names.old build/gpu/names.new; then
	echo "the kernels are not those of cuda/kernels.resources.txt: cuda/resources.sh --keep" >&2
	exit 1
fi
diff "$old" "$new" || true
awk '$2 ~ /^sm_/ && ($5 > 32 || $6 > 32) { print $1 " spills " $5 " bytes on " $2; bad = 1 } END { exit bad }' "$new" >&2
