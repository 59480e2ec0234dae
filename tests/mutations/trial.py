"""One trial: a copy of the tree, the fault in it, the tests over it, and the verdict.

The work tree is never changed. A copy has what git lists there, and a virtual environment of its own whose first
packages are those of the copy: the environment's other packages are borrowed, its link to the work tree is not. A
process that a test starts with another `PYTHONPATH` imports the copy, too.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import site
import subprocess
import tempfile
import time
import uuid
import venv
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from .mutation import ROOT, WIRE, Mutation, Status, Verdict

_MARK = "MUTATION_TRIAL"  # a variable by which the processes of a trial are known, whatever group they are in
_PROBE = """
import importlib.util, sys
print(importlib.util.find_spec(sys.argv[1]).origin)
print(importlib.util.find_spec("mew_agents").origin)
"""
_FAILED = re.compile(r"^(?:FAILED|ERROR) ([\w/]+\.py.*?)(?: - .*)?$", re.MULTILINE)
_PASSED, _NOTHING_COLLECTED = 0, 5  # exit statuses of pytest


class TrialFailed(Exception):
    """The trial says nothing about the mutation: its copy is not imported, or a stage ran no test."""


class Copy(NamedTuple):
    """A copy of the tree. `python` imports its packages; `variables` are the environment of what runs in it."""

    folder: Path
    python: Path
    variables: dict[str, str]


class Outcome(NamedTuple):
    """What a stage came to: `passed`, `died` or `timed out`, and by which test."""

    status: Literal["passed", "died", "timed out"]
    by: str = ""


@contextlib.contextmanager
def copied(mutation: Mutation | None) -> Iterator[Copy]:
    """Copy the tree, with the fault if there is one. Everything that was started in the copy is ended afterwards.

    Raises `TrialFailed` if another tree than the copy would be imported, `ValueError` as `Mutation.mutated`.
    """
    with tempfile.TemporaryDirectory(prefix="mutation-", ignore_cleanup_errors=True) as temporary:
        folder = Path(temporary).resolve() / "tree"
        _copy_tree(folder)
        if mutation is not None:
            file = folder / mutation.file
            file.write_text(mutation.mutated(file.read_text(encoding="utf-8")), encoding="utf-8")
        mark = uuid.uuid4().hex
        copy = Copy(folder, _environment_of(folder), _variables(folder, mark))
        _check_import(copy, "mew_gateway/__init__.py" if mutation is None else mutation.file)
        try:
            yield copy
        finally:
            _end_marked(mark)


def tried(mutation: Mutation, *, seconds: float, logs: Path | None) -> Verdict:
    """Run the package's own tests on a copy with the fault, and if they pass the wire suite. Both together take at most
    so many seconds. `logs` is a folder for what pytest writes."""
    began = time.monotonic()

    def verdict(status: Status, by: str = "") -> Verdict:
        return Verdict(status=status, by=by, seconds=round(time.monotonic() - began))

    try:
        with copied(mutation) as copy:
            for name, paths in stages(mutation.tests):
                log = None if logs is None else logs / f"{mutation.id}.{name}.log"
                left = seconds - (time.monotonic() - began)
                outcome = run_stage(copy, paths, seconds=left, log=log, stops=True)
                if outcome.status != "passed":
                    return verdict(outcome.status, outcome.by or f"the {name} tests")
    except TrialFailed as error:
        return verdict("failed", str(error))
    return verdict("survived")


def stages(own: tuple[str, ...]) -> list[tuple[str, tuple[str, ...]]]:
    """Return the stages of a trial with their tests. What the first one has run is not run again."""
    wire = tuple(path for path in WIRE if path not in own)
    return [("own", own), *([("wire", wire)] if wire else [])]


def run_stage(copy: Copy, paths: tuple[str, ...], *, seconds: float, log: Path | None, stops: bool) -> Outcome:
    """Run pytest over some tests of a copy; `stops`: at the first failure. Ends its process group afterwards."""
    command = [str(copy.python), "-m", "pytest", "-q", "-p", "no:cacheprovider", *(["-x"] if stops else []), *paths]
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            command,
            cwd=copy.folder,
            env=copy.variables,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            status: int | None = process.wait(timeout=max(1.0, seconds))
        except subprocess.TimeoutExpired:
            status = None
        finally:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        output.seek(0)
        told = output.read().decode(errors="replace")
    if log is not None:
        log.write_text(told, encoding="utf-8")
    if status == _NOTHING_COLLECTED:
        raise TrialFailed(f"no test was collected in {' '.join(paths)}")
    if status == _PASSED:
        return Outcome("passed")
    failed = _FAILED.search(told)
    return Outcome("timed out" if status is None else "died", "" if failed is None else failed[1])


def _copy_tree(folder: Path) -> None:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
        text=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():  # a file may be deleted and still be listed
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)


def _environment_of(folder: Path) -> Path:
    """Make a virtual environment beside the copy; return its Python."""
    home = folder.with_name("venv")
    venv.create(home, symlinks=True)
    (packages,) = home.glob("lib/python*/site-packages")
    # Folders named in a `.pth` file are put on the path as they are: the `.pth` files in them are not read.
    lines = [*_paths(folder), *site.getsitepackages()]
    (packages / "copy.pth").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return home / "bin" / "python"


def _paths(folder: Path) -> tuple[str, str]:
    return str(folder), str(folder / "agents")


def _variables(folder: Path, mark: str) -> dict[str, str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("MEW_", "PYTEST_", "PYTHON", "VIRTUAL_ENV"))
    }
    return {**kept, "PYTHONPATH": os.pathsep.join(_paths(folder)), _MARK: mark}


def _check_import(copy: Copy, file: str) -> None:
    """Check that the changed module would be imported from the copy, in a folder that is not the copy's."""
    module = file.removesuffix(".py").removesuffix("/__init__").removesuffix("/__main__").replace("/", ".")
    for variables in (copy.variables, {**copy.variables, "PYTHONPATH": ""}):
        found = subprocess.run(
            [str(copy.python), "-c", _PROBE, module],
            cwd=copy.folder.parent,
            env=variables,
            capture_output=True,
            text=True,
            check=False,
        )
        origins = found.stdout.split("\n")[:-1]
        if len(origins) != 2 or not all(Path(one).is_relative_to(copy.folder) for one in origins):
            raise TrialFailed(f"the copy is not imported: {' '.join(origins) or found.stderr.strip()}")


def _end_marked(mark: str) -> None:
    """End what has left the process group of a stage: agents that the gateway of a test had started."""
    wanted = f"{_MARK}={mark}".encode()
    for path in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if wanted in path.read_bytes().split(b"\0"):
                os.kill(int(path.parent.name), signal.SIGKILL)
