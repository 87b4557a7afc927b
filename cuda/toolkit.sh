#!/bin/sh
# Finds nvcc and cuda.h, and installs Debian's nvidia-cuda-toolkit where they are missing and this user
# may do so. Prints the folder of cuda.h on success, and with --nvcc the compiler; otherwise says in one line what
# to do.
set -eu

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

if ! complete && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null && grep -qs '^ID=debian' /etc/os-release; then
	echo "installing nvidia-cuda-toolkit (1.6 GB)" >&2
	# A package that others only refer to has no version.
	if ! apt-cache show nvidia-cuda-toolkit 2>/dev/null | grep -q '^Version:'; then
		# The package is in the component non-free and what it depends on in contrib.
		for list in /etc/apt/sources.list /etc/apt/sources.list.d/debian.sources; do
			[ ! -f "$list" ] || sed -i -E 's/^(deb .*|Components:.*) main$/\1 main contrib non-free/; s/^Components: main$/Components: main contrib non-free/' "$list"
		done
		apt-get update -q >&2 || echo "apt-get update: not every source of packages answers" >&2
	fi
	DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends nvidia-cuda-toolkit g++ >&2
fi
if ! complete; then
	echo "make gpu needs nvcc, cuda.h and g++: install the CUDA toolkit (11.8 or newer; on Debian: apt install nvidia-cuda-toolkit from contrib and non-free) and put nvcc on the PATH, or set CUDA_HOME" >&2
	exit 1
fi
if [ "${1:-}" = --nvcc ]; then
	find_nvcc
else
	find_header
fi
