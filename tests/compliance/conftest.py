"""Command line of the scripted agents, importable by child processes."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def scripted() -> Iterator[str]:
    """Return the command of the scripted agents, without the agent's name (such as `Hung`)."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]))
        yield f"{sys.executable} -m tests.compliance.faulty"
