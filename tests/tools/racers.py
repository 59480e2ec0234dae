"""Twenty processes that ask one book at the same moment. Run as a script: FILE same|own.

Prints a line of JSON for each answer. `same`: all under one key; `own`: each under a key of its own.
"""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from mew_agents.tools.calendar_book import CalendarBook, Doctor
from mew_agents.tools.call import Call, digest_of
from mew_agents.tools.effect import Effect
from mew_agents.tools.office_hours import WEEKDAYS, OfficeHours

RACERS = 20


def race(path: Path, nth: int, keys: str) -> bytes:
    """One racer's answer."""
    hours = OfficeHours(timezone="UTC", opens="08:00", closes="18:00", days=WEEKDAYS)
    effect = Effect("k" if keys == "same" else f"k{nth}", 1, 1, 10)
    call = Call("human", f"r{nth}", digest_of("book_appointment", {}), effect)
    start = datetime(1970, 1, 2, 10, tzinfo=UTC)
    with CalendarBook(path, doctors=[Doctor("ana", "Ana")], hours=hours) as book:
        answer = book.book(call, doctor="ana", start=start, minutes=30, patient="p", reason=None, now=1)
    return msgspec.json.encode(answer) + b"\n"


def main(path: Path, keys: str) -> None:
    """Make the racers, let all of them go at once, and wait for them."""
    held, gun = os.pipe()
    racers = []
    for nth in range(RACERS):
        racer = os.fork()
        if racer == 0:
            os.close(gun)
            os.read(held, 1)  # until it is closed everywhere
            os.write(1, race(path, nth, keys))
            os._exit(0)
        racers.append(racer)
    os.close(gun)
    sys.exit(any(os.waitpid(racer, 0)[1] for racer in racers))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
