#!/bin/sh
# Checks and measures Grove on this machine:
#
#	run.sh [A] [B] [C] [--out DIR] [--sim] [--size full|tiny]
#
# A: does it compute the right thing; B: how fast; C: where the time goes. Each part takes at most nine minutes and needs
# nothing of the others. Results go to DIR, by default $OUT or kit-results: a file .json and a .log for each part. The
# verdict comes last. README.md says more.
exec "$(cd "$(dirname "$0")" && pwd)/bin/kit" run "$@"
