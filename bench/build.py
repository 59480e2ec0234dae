"""The tools in C, compiled when they are needed and newer than what is in bench/bin/."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from bench.failure import BenchFailure

_HERE = Path(__file__).parent
_BIN = _HERE / "bin"


def tool(name: str) -> Path:
    """The executable made from bench/NAME.c. Raises `BenchFailure` without a compiler or if it complains."""
    source, executable = _HERE / f"{name}.c", _BIN / name
    newest = max(path.stat().st_mtime for path in (source, *_HERE.glob("*.h")))
    if executable.exists() and executable.stat().st_mtime > newest:
        return executable
    _BIN.mkdir(exist_ok=True)
    _compile(source, executable)
    return executable


def _compile(source: Path, executable: Path) -> None:
    compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        raise BenchFailure(
            f"The bench needs a C compiler for {source.name}, and there is no cc, gcc or clang here. "
            "Install one (Debian: gcc and libc6-dev), or name it in CC."
        )
    command = [*compiler.split(), "-O2", "-o", str(executable), str(source)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise BenchFailure(f"The compiler {compiler} does not start: {error.strerror}.") from None
    if done.returncode != 0:
        raise BenchFailure(f"{' '.join(command)} failed:\n{done.stderr.strip()}")
