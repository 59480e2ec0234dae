"""What importing the store writes to a program's log: nothing."""

from __future__ import annotations

import subprocess
import sys


def test_importing_the_store_logs_nothing() -> None:
    program = "import logging; logging.basicConfig(level=logging.INFO); import mew_agents.durable"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=True)
    assert done.stderr == ""
