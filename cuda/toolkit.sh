#!/bin/sh
# Finds nvcc, cuda.h and g++. Prints the folder of cuda.h on success, and with --nvcc the compiler; otherwise says what
# to do. With INSTALL=yes in the environment it does that itself on Debian, as root: nothing is touched without it.
set -eu
etc=${ETC:-/etc} # tests have one of their own

find_header() {
	for folder in "${CUDA_HOME:-/usr/local/cuda}/include" /usr/include /opt/cuda/include; do
		if [ -f "$folder/cuda.h" ]; then
			echo "$folder"
			return
		fi
	done
	return 1
}

find_nvcc() {
	command -v "${NVCC:-nvcc}" || command -v "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc"
}

complete() {
	find_nvcc >/dev/null && command -v g++ >/dev/null && find_header >/dev/null
}

# run says a command, and runs it where that is wanted.
run() {
	printf '  %s\n' "$1" >&2
	[ "${INSTALL:-}" != yes ] || eval "$1" >&2
}

# install installs Debian's nvidia-cuda-toolkit, which is in the component non-free and needs contrib.
install() {
	# A package that others only refer to has no version.
	if ! apt-cache show nvidia-cuda-toolkit 2>/dev/null | grep -q '^Version:'; then
		for list in "$etc/apt/sources.list" "$etc/apt/sources.list.d/debian.sources"; do
			[ ! -f "$list" ] || run "sed -i -E 's/^(deb .*|Components:.*) main\$/\\1 main contrib non-free/; s/^Components: main\$/Components: main contrib non-free/' $list"
		done
		run "apt-get update -q || echo 'apt-get update: not every source of packages answers'"
	fi
	run "DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends nvidia-cuda-toolkit g++"
}

if ! complete && command -v apt-get >/dev/null && grep -qs '^ID=debian' "$etc/os-release"; then
	if [ "${INSTALL:-}" != yes ]; then
		echo "make gpu needs nvcc, cuda.h and g++; make gpu INSTALL=yes would run, as root:" >&2
		install
		exit 1
	elif [ "$(id -u)" = 0 ]; then
		echo "installing the CUDA toolkit (1.6 GB):" >&2
		install
	fi
fi
if ! complete; then
	echo "make gpu needs nvcc, cuda.h and g++: install the CUDA toolkit (11.8 or newer; on Debian as root: make gpu INSTALL=yes) and put nvcc on the PATH, or set CUDA_HOME" >&2
	exit 1
fi
if [ "${1:-}" = --nvcc ]; then
	find_nvcc
else
	find_header
fi
