"""A chat goes on while others do their worst, and so does the gateway (`bench.siege`)."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize("words", ["wrong tokens", "chunks of a byte, a stranger", "20 KB of {} 190", "three: {}"])
def test_somebody_is_answered_whatever_others_do(words: str) -> None:
    """Everything that was said in the meantime has arrived, and the gateway is ready behind it."""
    command = [sys.executable, "-m", "bench.siege", "--seconds", "0.5", "--only", words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert words in done.stdout
