"""A disk that fails on command, under the real SQLite: an apsw VFS over the default one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeAlias

import apsw


class Operation(NamedTuple):
    """What SQLite asks of the disk: the `nth` since the disk was armed, of the database or of its log."""

    nth: int
    kind: str  # open, read, write, sync, truncate, size, delete, lock
    file: str  # the end of its name: "db" or "wal"


_BENEATH = "unix"  # what it stands on

Fault: TypeAlias = Callable[[Operation], apsw.Error | None]


def io_error(extended: int) -> apsw.IOError:
    error = apsw.IOError("disk I/O error")
    error.extendedresult = extended  # type: ignore[attr-defined]
    return error


_OF_KIND: dict[str, int] = {
    "open": apsw.SQLITE_IOERR_ACCESS,
    "read": apsw.SQLITE_IOERR_READ,
    "write": apsw.SQLITE_IOERR_WRITE,
    "sync": apsw.SQLITE_IOERR_FSYNC,
    "truncate": apsw.SQLITE_IOERR_TRUNCATE,
    "size": apsw.SQLITE_IOERR_FSTAT,
    "delete": apsw.SQLITE_IOERR_DELETE,
    "lock": apsw.SQLITE_IOERR_LOCK,
}
CHANGES = ("write", "truncate", "delete", "sync")  # what a disk may refuse that is full or read-only


def broken(operation: Operation) -> apsw.Error | None:
    """A disk that does not answer at all."""
    if operation.kind == "open":
        return apsw.CantOpenError("unable to open database file")
    return io_error(_OF_KIND[operation.kind])


def full(operation: Operation) -> apsw.Error | None:
    """No room: what is there can be read, synced and cut off."""
    return apsw.FullError("database or disk is full") if operation.kind == "write" else None


def read_only(operation: Operation) -> apsw.Error | None:
    """Mounted anew without the right to write."""
    return apsw.ReadOnlyError("attempt to write a readonly database") if operation.kind in CHANGES else None


def unsyncable(operation: Operation) -> apsw.Error | None:
    """Takes everything and brings nothing home."""
    return io_error(apsw.SQLITE_IOERR_FSYNC) if operation.kind == "sync" else None


FAULTS: dict[str, Fault] = {"broken": broken, "full": full, "read-only": read_only, "unsyncable": unsyncable}


class Disk:
    """What the test holds: `fault` says of each operation with what it fails, if it does.

    `tears` has writes that fail leave half of themselves behind; `forgets` has a sync that fails lose what was written
    since the one before, as some file systems do.
    """

    def __init__(self) -> None:
        self.fault: Fault | None = None
        self.operations: list[Operation] = []
        self.failed: list[Operation] = []
        self.tears = self.forgets = False

    def arm(self, fault: Fault | None = None) -> None:
        """Count from here on, and fail with this."""
        self.operations.clear()
        self.failed.clear()
        self.fault = fault

    def heal(self) -> None:
        self.fault = None

    @contextmanager
    def spared(self) -> Iterator[None]:
        """Neither count nor fail for a while."""
        fault, operations = self.fault, self.operations
        self.fault, self.operations = None, []
        try:
            yield
        finally:
            self.fault, self.operations = fault, operations

    def asked(self, kind: str, file: str) -> apsw.Error | None:
        operation = Operation(len(self.operations), kind, file.rpartition("-")[2][-3:].lstrip("."))
        self.operations.append(operation)
        error = None if self.fault is None else self.fault(operation)
        if error is not None:
            self.failed.append(operation)
        return error

    def check(self, kind: str, file: str) -> None:
        error = self.asked(kind, file)
        if error is not None:
            raise error


class _File(apsw.VFSFile):
    def __init__(self, disk: Disk, name: Any, flags: list[int]) -> None:
        self._disk = disk
        self._name = str(name.filename()) if isinstance(name, apsw.URIFilename) else str(name)
        self._synced = b""
        super().__init__(_BENEATH, name, flags)

    def excepthook(self, *_: Any) -> bool:
        return True  # what SQLite does not ask for, it need not be told

    def xRead(self, amount: int, offset: int) -> bytes:
        self._disk.check("read", self._name)
        return super().xRead(amount, offset)

    def xWrite(self, data: Any, offset: int) -> None:
        error = self._disk.asked("write", self._name)
        if error is not None:
            if self._disk.tears:
                super().xWrite(bytes(data)[: len(data) // 2], offset)
            raise error
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:  # no power is cut here: the real one need not take its time
        error = self._disk.asked("sync", self._name)
        if error is not None:
            if self._disk.forgets:
                super().xTruncate(len(self._synced))
                super().xWrite(self._synced, 0)
            raise error
        if self._disk.forgets:
            self._synced = super().xRead(super().xFileSize(), 0)

    def xTruncate(self, size: int) -> None:
        self._disk.check("truncate", self._name)
        super().xTruncate(size)

    def xFileSize(self) -> int:
        self._disk.check("size", self._name)
        return super().xFileSize()

    def xLock(self, level: int) -> None:
        self._disk.check("lock", self._name)
        super().xLock(level)


class _System(apsw.VFS):
    def __init__(self, disk: Disk) -> None:
        self._disk = disk
        super().__init__("faulty", _BENEATH, makedefault=True)

    def excepthook(self, *_: Any) -> bool:
        return True

    def xGetLastError(self) -> tuple[int, str]:
        return 0, ""  # not what the real one said last

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:
        self._disk.check("open", str(name.filename()) if isinstance(name, apsw.URIFilename) else str(name))
        return _File(self._disk, name, flags)

    def xDelete(self, name: str, sync: bool) -> None:
        self._disk.check("delete", name)
        super().xDelete(name, sync)


@contextmanager
def faulty_disk() -> Iterator[Disk]:
    """Every SQLite database that is opened inside is on this disk."""
    disk = Disk()
    system = _System(disk)
    try:
        yield disk
    finally:
        disk.heal()
        system.unregister()
        apsw.set_default_vfs(_BENEATH)
