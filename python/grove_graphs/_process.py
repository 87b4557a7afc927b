"""Runs the command line."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any, Iterable, List, Optional

_PATIENCE = 2.0  # seconds that a command has to stop when it is asked to


class GroveError(ValueError):
    """What the command says of its input, in one line."""


def binary() -> str:
    """The path of the command: that of the environment variable GROVE, the one in this package, or the one on the
    search path."""
    within = Path(__file__).parent / "bin" / ("grove.exe" if os.name == "nt" else "grove")
    found = os.environ.get("GROVE") or (str(within) if within.exists() else shutil.which("grove"))
    if not found:
        raise GroveError("the command grove is not there: install the wheel, which has it, or set GROVE to its path")
    return found


def run(arguments: List[str], feed: Optional[Iterable[Any]] = None) -> Any:
    """Runs a command with --json and returns what it reports. ``feed`` are the bytes of its standard input. The command
    is stopped where this is interrupted."""
    process = subprocess.Popen([binary(), *arguments, "--json"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    try:
        if feed is not None:
            _write(process, feed)
        out, said = process.communicate()
    except BaseException:
        _stop(process)
        raise
    if process.returncode == 128 + signal.SIGINT:
        raise KeyboardInterrupt
    if process.returncode != 0:
        lines = said.decode(errors="replace").strip().splitlines() or [f"grove ended with status {process.returncode}"]
        raise GroveError(lines[-1].removeprefix("grove: "))
    return json.loads(out)


def _write(process: subprocess.Popen, feed: Iterable[Any]) -> None:
    """Writes to a command, as long as it reads."""
    assert process.stdin is not None
    try:
        for part in feed:
            process.stdin.write(part)
        process.stdin.flush()
    except BrokenPipeError:
        pass  # it says why


def _stop(process: subprocess.Popen) -> None:
    """Ends a command: it gives up what it was writing."""
    try:
        process.send_signal(signal.SIGINT if os.name != "nt" else signal.SIGTERM)
        process.wait(_PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    finally:
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                try:
                    pipe.close()
                except BrokenPipeError:
                    pass
