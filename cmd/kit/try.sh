#!/bin/sh
# Unpacks build/kit.tar.xz into an empty folder and runs all of it on the simulated GPU, without Go and compilers on the
# PATH; then writes the page of results from what it left.
set -eu
cd "$(dirname "$0")/../.."
root=$PWD
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
tar -C "$folder" -xJf build/kit.tar.xz
mkdir "$folder/tools"
for tool in sh timeout dirname; do # and no other program
	ln -s "$(command -v "$tool")" "$folder/tools"
done
cd "$folder"
env -i PATH="$folder/tools" HOME="$folder" GOGC="${GOGC-}" grove-kit/run.sh --sim --out results
PATH="$folder/tools" grove-kit/bin/kit report --predictions "$root/docs/benchmarks/predictions.md" --out results/page.md results
grep -q '^| ' results/page.md
mkdir -p "$root/build/kit-results"
cp results/* "$root/build/kit-results"
