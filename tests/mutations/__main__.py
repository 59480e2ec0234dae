"""The command: `python -m tests.mutations`. README.md beside it explains mutations and verdicts."""

from __future__ import annotations

import argparse
import signal
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import partial
from pathlib import Path

from . import trial
from .mutation import WIRE, Mutation, Verdict, mutations, record, verdicts

_EXAMPLES = """examples:
  python -m tests.mutations control                      are the tests green on a copy without a fault?
  python -m tests.mutations                              all mutations, one after the other
  python -m tests.mutations run --package space --record
  python -m tests.mutations run --id space-fence-any --logs logs
"""


def main(arguments: list[str] | None = None) -> int:
    """Return the exit status: 1 if a mutation survives that is not recorded as a survivor, else 0."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.mutations", epilog=_EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("command", nargs="?", choices=("run", "control", "list"), default="run")
    parser.add_argument("--package", action="append", default=[], help="only the mutations of this package")
    parser.add_argument("--id", action="append", default=[], help="only this mutation")
    parser.add_argument("--jobs", type=int, default=1, help="trials at a time")
    parser.add_argument("--minutes", type=float, default=5.0, help="for each trial at most")
    parser.add_argument("--logs", type=Path, help="a folder for the output of pytest")
    parser.add_argument("--record", action="store_true", help="write the verdicts into verdicts.yaml")
    asked = parser.parse_args(arguments)
    _take_signals()
    chosen = list(_chosen(asked.package, asked.id))
    if not chosen:
        parser.error("no mutation has that package and id")
    if asked.logs is not None:
        asked.logs.mkdir(parents=True, exist_ok=True)
    if asked.command == "list":
        for package, one in chosen:
            print(f"{one.id:<40} {package:<11} {one.file}\n    {one.breaks}")
        return 0
    if asked.command == "control":
        return _control({one.tests for _, one in chosen}, logs=asked.logs)
    return _run(chosen, jobs=asked.jobs, seconds=60 * asked.minutes, logs=asked.logs, is_recorded=asked.record)


def _take_signals() -> None:
    """End in good order after SIGTERM, too. What a shell starts in the background ignores SIGINT, and so would the
    commands that the tests end by it."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)


def _chosen(packages: list[str], ids: list[str]) -> Iterator[tuple[str, Mutation]]:
    for package, several in mutations().items():
        for one in several:
            if (not packages or package in packages) and (not ids or one.id in ids):
                yield package, one


def _control(suites: set[tuple[str, ...]], *, logs: Path | None) -> int:
    """Run the tests of the packages and the wire suite on a copy without a fault: they have to pass."""
    failed = 0
    with trial.copied(None) as copy:
        for number, paths in enumerate((*sorted(suites), WIRE)):
            began = time.monotonic()
            log = None if logs is None else logs / f"control.{number}.log"
            outcome = trial.run_stage(copy, paths, seconds=3_600, log=log, stops=False)
            failed += outcome.status != "passed"
            _say(f"{outcome.status:<9} {time.monotonic() - began:5.0f} s  {' '.join(paths)}  {outcome.by}")
    return 1 if failed else 0


def _run(chosen: list[tuple[str, Mutation]], *, jobs: int, seconds: float, logs: Path | None, is_recorded: bool) -> int:
    before, found = verdicts(), dict[str, Verdict]()
    attempt = partial(trial.tried, seconds=seconds, logs=logs)
    for one, verdict in _tried([one for _, one in chosen], jobs, attempt):
        found[one.id] = verdict
        _say(f"[{len(found):>2}/{len(chosen)}] {one.id:<40} {verdict.status:<9} {verdict.seconds:>4} s  {verdict.by}")
        if is_recorded:
            record({one.id: verdict})
    _tell(chosen, found)
    unexpected = [id for id, one in found.items() if not one.is_dead and _was_detected(before.get(id))]
    return 1 if unexpected else 0


def _tried(
    several: list[Mutation], jobs: int, attempt: Callable[[Mutation], Verdict]
) -> Iterator[tuple[Mutation, Verdict]]:
    if jobs == 1:  # in this thread, so that an interrupt ends the trial that runs
        yield from ((one, attempt(one)) for one in several)
        return
    with ThreadPoolExecutor(max_workers=jobs) as pool:
        running = {pool.submit(attempt, one): one for one in several}
        try:
            for done in as_completed(running):
                yield running[done], done.result()
        finally:
            pool.shutdown(cancel_futures=True)


def _was_detected(recorded: Verdict | None) -> bool:
    return recorded is None or recorded.is_dead


def _tell(chosen: list[tuple[str, Mutation]], found: dict[str, Verdict]) -> None:
    """Print the table: a row for each package, then the mutations that survived."""
    _say(f"\n{'package':<11} {'died':>5} {'timed out':>10} {'survived':>9} {'failed':>7}")
    for package in (*dict.fromkeys(package for package, _ in chosen), "all"):
        rows = [found[one.id].status for name, one in chosen if package in (name, "all")]
        counts = [rows.count(status) for status in ("died", "timed out", "survived", "failed")]
        _say(f"{package:<11} {counts[0]:>5} {counts[1]:>10} {counts[2]:>9} {counts[3]:>7}")
    for _, one in chosen:
        if found[one.id].status in ("survived", "failed"):
            _say(f"{found[one.id].status}: {one.id} ({one.file})\n    {one.breaks} {found[one.id].by}".rstrip())


def _say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
