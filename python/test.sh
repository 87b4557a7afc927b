#!/bin/sh
# Builds the wheel, unpacks it into an empty folder and runs the tests of the package and of docs/python.md with what is
# installed there. Needs Python with numpy, scikit-learn and networkx; with INSTALL=yes in the environment it installs
# those of Debian, as root: nothing is touched without it.
set -eu
cd "$(dirname "$0")/.."
PYTHON=${PYTHON:-/usr/bin/python3}

ready() { "$PYTHON" -c 'import numpy, sklearn, networkx' 2>/dev/null; }

if ! ready && [ "${INSTALL:-}" = yes ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
	echo "installing numpy, scikit-learn and networkx:" >&2
	apt-get update -q >&2 || echo "apt-get update: not every source of packages answers" >&2
	DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends \
		python3-numpy python3-sklearn python3-networkx python3-pyflakes >&2
fi
ready || {
	echo "make test-python needs numpy, scikit-learn and networkx for $PYTHON: install them (on Debian as root: make test-python INSTALL=yes), or set PYTHON to a Python that has them" >&2
	exit 1
}

site=build/python/site
rm -rf "$site"
wheel=$("$PYTHON" python/backend.py build/python)
"$PYTHON" -c 'import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as wheel:
    wheel.extractall(sys.argv[2])' "$wheel" "$site"
chmod +x "$site"/grove_graphs/bin/* # as pip does by the marks in the wheel
if "$PYTHON" -m pyflakes --version >/dev/null 2>&1; then
	"$PYTHON" -m pyflakes python
fi
unset GROVE
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$site" exec "$PYTHON" -W ignore -m unittest discover -s python/tests "$@"
