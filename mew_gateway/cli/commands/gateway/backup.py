"""`mew backup`: copy a gateway's state, also while it runs."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Annotated

import apsw
import typer
from rich.text import Text

from mew_gateway.config import Configuration, load

from ...framework.failure import Failure, mistake
from ...framework.options import CONFIG, ConfigOption
from ...printing.terminal import show

EXAMPLES = (
    "mew backup backups/monday",
    "mew backup backups/monday --config team/spaces.yaml",
)

_DATABASE = ".db"
_BUSY = 10_000  # milliseconds to wait for a writer
_NOT_COPIED = (
    "-wal",
    "-shm",
    "-journal",
    ".lock",
    ".new",
    "output.log",
    "output.old",
    "gateway.json",
)  # files of a running gateway


def backup(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where to write it; made anew.")],
    *,
    config: ConfigOption = CONFIG,
) -> None:
    """Copy a gateway's state into a new folder: what its agents keep, the tokens, then the journal. It may run.

    Each database is copied as it is at one moment, the journal last: what an agent had not noted yet is in the
    record. To restore, stop the gateway, put the folder in the place of `state_dir`, and start it again.
    """
    configuration = load(config)
    source = configuration.gateway.state_dir
    if not source.is_dir():
        raise mistake(f"There is nothing to copy: {source} is no folder. `mew serve` makes it.")
    try:
        folder.mkdir(mode=0o700, parents=True)
    except FileExistsError:
        raise mistake(f"{folder} is there already: name a folder that is not.") from None
    count = 0
    for file, place in _files(configuration):
        _copy(file, folder / place)
        count += 1
    show(Text(f"Copied {count} files of {source} into {folder}."))


def _files(configuration: Configuration) -> Iterator[tuple[Path, Path]]:
    """Yield each file and its place in the copy. The journal is last, and in its usual place wherever it is."""
    source = configuration.gateway.state_dir
    scheme, _, path = configuration.gateway.journal.url.partition(":")
    journal = Path(path) if scheme == "sqlite" else None
    for file in sorted(source.rglob("*")):
        if file.is_file() and file != journal and not file.name.endswith(_NOT_COPIED):
            yield file, file.relative_to(source)
    if journal is not None and journal.is_file():
        inside = journal.is_relative_to(source)
        yield journal, journal.relative_to(source) if inside else Path("journal.db")


def _copy(file: Path, place: Path) -> None:
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if file.suffix != _DATABASE:
        shutil.copy2(file, place)
        return
    os.close(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        with (
            closing(apsw.Connection(str(file), flags=apsw.SQLITE_OPEN_READONLY)) as here,
            closing(apsw.Connection(str(place))) as there,
        ):
            here.set_busy_timeout(_BUSY)
            with there.backup("main", here, "main") as copying:
                copying.step()
    except apsw.Error as error:
        raise Failure(f"{file} cannot be copied: {error}.") from None
