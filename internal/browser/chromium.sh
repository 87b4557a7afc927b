#!/bin/sh
# Prints the path of Chromium ($CHROMIUM, or chromium on the PATH); otherwise says what to do. With INSTALL=yes in the
# environment it does that itself on Debian, as root: nothing is touched without it.
set -eu

find_chromium() {
	command -v "${CHROMIUM:-chromium}" || command -v chromium-browser || command -v google-chrome
}

if ! find_chromium >/dev/null && [ "${INSTALL:-}" = yes ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
	echo "installing chromium:" >&2
	apt-get update -q >&2 || echo "apt-get update: not every source of packages answers" >&2
	DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends chromium >&2
fi
find_chromium || {
	echo "make test-browser needs Chromium: install it (on Debian as root: make test-browser INSTALL=yes), or set CHROMIUM to its path" >&2
	exit 1
}
