"""The mutations as data: the files of this folder, read and checked.

A file has the mutations of one package of `mew_gateway`. Each is a replacement of one text in one source file, a fault
that the tests have to detect.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal, TypeAlias

import msgspec
from ruamel.yaml import YAML

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(__file__).resolve().parent
VERDICTS = "verdicts.yaml"
# The suite that runs when a package's own tests have passed: everything over real sockets.
WIRE = ("tests/gateway", "tests/acceptance")


# `failed` is the trial itself: it says nothing about the mutation.
Status: TypeAlias = Literal["died", "timed out", "survived", "failed"]


class Mutation(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One fault. `search` occurs exactly once in `file`, a path below the root; `replace` takes its place.

    `breaks` says in one sentence what is wrong then. `tests` are the tests of the package, the most likely killer
    first; empty: those of its YAML file.
    """

    id: str
    file: str
    search: str
    replace: str
    breaks: str
    tests: tuple[str, ...] = ()

    def mutated(self, source: str) -> str:
        """Return the source with the fault. Raises `ValueError` if the search text does not occur exactly once."""
        count = source.count(self.search)
        if count != 1:
            raise ValueError(f"{self.id}: the search text occurs {count} times in {self.file}, not once.")
        return source.replace(self.search, self.replace)


class Package(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One YAML file. `tests` are for each mutation that names none of its own."""

    tests: tuple[str, ...]
    mutations: tuple[Mutation, ...]


class Verdict(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What became of a mutation. `by` is the test that failed, or the stage that took too long."""

    status: Status
    by: str = ""
    seconds: int = 0

    @property
    def is_dead(self) -> bool:
        """Return whether the tests have detected the fault. A run that does not end is detected."""
        return self.status in ("died", "timed out")


def packages() -> dict[str, Package]:
    """Return every YAML file of mutations by the name of its package. Raises `msgspec.ValidationError`."""
    files = sorted(path for path in FOLDER.glob("*.yaml") if path.name != VERDICTS)
    return {path.stem: msgspec.convert(_read(path), Package) for path in files}


def mutations() -> dict[str, list[Mutation]]:
    """Return the mutations by package, each with its tests."""
    return {
        name: [msgspec.structs.replace(one, tests=one.tests or package.tests) for one in package.mutations]
        for name, package in packages().items()
    }


def verdicts() -> dict[str, Verdict]:
    """Return the recorded verdicts by the id of the mutation."""
    path = FOLDER / VERDICTS
    return msgspec.convert(_read(path) or {}, dict[str, Verdict]) if path.exists() else {}


def record(found: dict[str, Verdict]) -> None:
    """Write the verdicts into `verdicts.yaml`, beside those that are recorded; forget those of unknown mutations."""
    known = [one.id for several in mutations().values() for one in several]
    merged = {**verdicts(), **found}
    yaml = YAML()
    yaml.width = 4_096
    with (FOLDER / VERDICTS).open("w", encoding="utf-8") as stream:
        stream.write("# Written by `python -m tests.mutations run --record`.\n")
        yaml.dump({id: msgspec.to_builtins(merged[id]) for id in known if id in merged}, stream)


def _read(path: Path) -> object:
    return YAML(typ="safe", pure=True).load(path.read_text(encoding="utf-8"))
