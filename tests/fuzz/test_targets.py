"""Garbage in, a documented outcome out: a slice of what `make torture-fuzz` feeds, and every input that ever found a
fault (`cases/`)."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from ctypes import c_int64
from multiprocessing import Pipe
from pathlib import Path
from random import Random

import pytest

from bench.fuzz.campaign import Campaign
from bench.fuzz.documents import Documents
from bench.fuzz.envelopes import BODIES
from bench.fuzz.feeding import Cost, Found, feed
from bench.fuzz.target import Target, draw
from bench.fuzz.targets import TARGETS
from bench.machine import resident_kib
from mew_gateway.protocol.codes import ERRORS
from mew_gateway.protocol.kinds import HEARTBEAT, KINDS

CASES = Path(__file__).parent / "cases"
SLICES = {"patterns": 6_000, "frames": 2_000, "envelopes": 1_200, "works": 300, "flows": 300, "spaces": 300}
WHOLE = 300
ROOT = Path(__file__).parents[2]


REACHED: dict[str, dict[str, int]] = {
    "patterns": {
        "refused": 500,
        "contained: True, let through: True": 200,
        "contained: True, let through: False": 200,
        "contained: False, let through: True": 200,
        "contained: False, let through: False": 200,
    },
    "frames": {
        "heard": 50,
        "seated": 20,
        "not seated": 20,
        "read to the end": 100,
        "closed 1002": 100,
        "closed 1007": 20,
    },
    "envelopes": {"accepted": 500, "capability_violation": 20, "fenced": 20, "paused": 20, "invalid_payload": 20},
    "works": {"faulty": 100, "good": 20},
    "flows": {"faulty": 100, "good": 20},
    "spaces": {"faulty": 100, "good": 20},
}


def inputs(name: str, target: Target) -> Iterator[tuple[str, bytes]]:
    """What is fed, and what it is: garbage is hardly ever a good document, so there are whole ones, too."""
    for number in range(SLICES[name]):
        yield f"input {number} of seed 'ci'", draw(target, "ci", number)
    if isinstance(target, Documents):
        for data in dict.fromkeys(target.whole(Random(number)) for number in range(WHOLE)):
            yield "a whole document", data


@pytest.mark.parametrize("name", TARGETS)
def test_garbage(name: str) -> None:
    target = TARGETS[name]()
    for what, data in inputs(name, target):
        try:
            target.one(data)
        except Exception as error:
            raise AssertionError(f"{what}: {data[:2_000]!r}") from error
    for outcome, often in REACHED[name].items():
        assert target.outcomes[outcome] >= often, f"{outcome} is not reached: {target.outcomes}"
    assert name != "envelopes" or len([code for code in target.outcomes if code in ERRORS]) > 25


@pytest.mark.parametrize("name", TARGETS)
def test_seeds_and_whatever_was_at_fault_once(name: str) -> None:
    target = TARGETS[name]()
    for seed in target.seeds:
        target.one(seed)
    for case in sorted((CASES / name).glob("*")):
        target.one(case.read_bytes())


@pytest.mark.parametrize("name", TARGETS)
def test_an_input_follows_from_its_number_and_any_bytes_can_be_varied(name: str) -> None:
    target = TARGETS[name]()
    assert [draw(target, "x", number) for number in range(20)] == [draw(target, "x", number) for number in range(20)]
    assert len({draw(target, "x", number) for number in range(40)}) > 30
    for garbage in (b"", b"\xff\x00\n{", b"[" * 100, b"GET "):
        assert isinstance(target.vary(Random(1), garbage), bytes)


def test_there_is_an_envelope_of_every_kind() -> None:
    assert {body["kind"] for body in BODIES} == {*KINDS, HEARTBEAT, "acme/x"}


class Faulty:
    """Trips over every input that begins with a 3."""

    seeds: Sequence[bytes] = (b"",)

    def __init__(self) -> None:
        self.outcomes: Counter[str] = Counter()

    def vary(self, rng: Random, data: bytes) -> bytes:
        return b"%d" % rng.randrange(10)

    def one(self, data: bytes) -> None:
        assert data != b"3"


def test_a_fault_is_told_with_its_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TARGETS, "faulty", Faulty)
    ours, theirs = Pipe(duplex=False)
    feed("faulty", "0", 5, 45, c_int64(0), theirs)
    told: list[Found | Cost | str] = []
    while not isinstance(told[-1] if told else None, Cost):
        told.append(ours.recv())
    wrong = [number for number in range(5, 45) if draw(Faulty(), "0", number) == b"3"]
    assert wrong
    assert [one.number for one in told if isinstance(one, Found)] == wrong
    assert isinstance(told[-1], Cost) and told[-1].inputs == 40


def test_a_process_that_dies_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that no process knows ends it at its first input."""
    found: list[Found] = []
    outcome = Campaign("unknown", seed="0", saw=bool, found=found.append).run(7, 1)
    assert [one.number for one in found] == [7]
    assert "ended with 1" in found[0].what
    assert outcome.inputs == 0 and outcome.found == tuple(found)


def test_the_command_feeds_and_says_what_it_cost(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "bench.fuzz", "--target", "patterns", "--inputs", "30", "--folder"]
    ran = subprocess.run([*command, str(tmp_path)], cwd=ROOT, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert "patterns" in ran.stdout and "30" in ran.stdout
    assert list(tmp_path.iterdir()) == []


def test_memory_is_counted_in_kib_as_soon_as_it_is_used() -> None:
    size = 64 * 1024 * 1024
    script = f"import sys; print(flush=True); input(); used = b'x' * {size}; print(flush=True); sys.stdin.read()"
    # In a process of its own: this one gives memory back whenever an earlier test's garbage is collected.
    with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdout.readline()
        before = resident_kib(process.pid)
        process.stdin.write(b"\n")
        process.stdin.flush()
        process.stdout.readline()
        grown = resident_kib(process.pid) - before
    assert 0.9 * size < 1024 * grown < 1.1 * size
