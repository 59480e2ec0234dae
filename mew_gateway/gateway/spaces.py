"""Every space of the process over its one journal: replayed at start, fed with entries, saved in snapshots."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from mew_gateway.errors import CorruptJournal, Rejected, Unavailable
from mew_gateway.journal.base import Committed, Draft, Entry, Output, Record, Snapshot
from mew_gateway.protocol.codes import ERRORS
from mew_gateway.space.effects import Close, Deliver, Effect
from mew_gateway.space.events import Configured, Event, Received, Restarted
from mew_gateway.space.machine import VERSION, Space
from mew_gateway.space.settings import SpaceSettings

from .fanout import Fanout
from .metrics import Counters
from .ports import Link, Store, Timer

logger = logging.getLogger("mew.spaces")

SNAPSHOT_EVERY = 50_000  # entries: a start replays at most these


class Running:
    """A space and what the shell keeps for it while it runs."""

    __slots__ = ("armed", "fanout", "machine", "saved", "timer")

    def __init__(self, machine: Space, links: Mapping[int, Link], *, saved: Iterable[str] = ()) -> None:
        self.machine = machine
        self.saved = list(saved)  # the parts of it that the latest snapshot has
        self.fanout = Fanout(links)
        self.armed: int | None = None
        self.timer: Timer | None = None


class Spaces:
    """All spaces by their id.

    `after` is called with each that a commit touched, once its effects are delivered; `refuse` answers a sender whose
    envelope no space could answer.
    """

    def __init__(
        self,
        *,
        open_journal: Callable[[Committed], Store],
        links: Mapping[int, Link],
        counters: Counters,
        after: Callable[[str, Running], None],
        refuse: Callable[[Received, Rejected], None],
    ) -> None:
        self._links = links
        self._counters = counters
        self._after = after
        self._refuse = refuse
        self._running: dict[str, Running] = {}
        self._touched: dict[str, Running] = {}
        self._unsaved: dict[str, Running] = {}
        self._outputs: list[Output] = []
        self._position = self._saved_at = 0
        self.time = 0  # of the newest entry
        self._journal = open_journal(self._committed)
        try:
            self._replay()
        except BaseException:
            self._journal.close()
            raise

    def __getitem__(self, name: str) -> Running:
        return self._running[name]

    def __contains__(self, name: str) -> bool:
        return name in self._running

    def items(self) -> list[tuple[str, Running]]:
        """Every space with its id."""
        return list(self._running.items())

    def start(self, settings: Mapping[str, SpaceSettings], *, now: int, draw_epoch: Callable[[], str]) -> None:
        """Journal what has changed since the last run: the configuration, and that everybody is gone.

        A space that is no longer configured rests: its state and its journal stay, and come back with it.
        """
        drafts: list[Draft] = []
        for name, wanted in settings.items():
            state = self._running[name].machine.state if name in self._running else None
            if state is None or state.settings != wanted or state.version != VERSION:
                epoch = draw_epoch() if state is None else state.epoch
                drafts.append(Draft(name, now, Configured(wanted, VERSION, epoch)))
            if state is not None:
                drafts.append(Draft(name, now, Restarted()))
        self.submit(drafts)
        for name in [resting for resting in self._running if resting not in settings]:
            del self._running[name]
        self.save()

    def submit(self, drafts: Sequence[Draft]) -> None:
        """Journal, then handle, then deliver. Raises `Unavailable`; then nothing was accepted."""
        if not drafts and not self._outputs:
            return
        outputs, self._outputs = self._outputs, []
        try:
            self._journal.submit(drafts, outputs)
        except Unavailable:
            self._outputs[:0] = outputs
            raise

    def save_when_due(self) -> None:
        """Keep a snapshot every `SNAPSHOT_EVERY` entries."""
        if self._position - self._saved_at >= SNAPSHOT_EVERY:
            self.save()

    def save(self) -> None:
        """Keep a snapshot of every space that has changed since the last. Raises `Unavailable`."""
        self.submit(())
        states: dict[str, bytes | None] = {}
        parts = {name: running.machine.parts for name, running in self._unsaved.items()}
        for name, running in self._unsaved.items():
            new = running.machine.snapshot(without=frozenset(running.saved))
            gone = dict.fromkeys(running.saved)
            for part in parts[name]:
                gone.pop(part, None)
            states |= {f"{name}/{part}": state for part, state in {**gone, **new}.items()}
        self._journal.save(Snapshot(self._position, self.time, states))
        for name, running in self._unsaved.items():
            running.saved = parts[name]
        self._unsaved.clear()
        self._saved_at = self._position

    def records(self, space: str, *, after: int | None, limit: int) -> Sequence[Record]:
        """Up to `limit` records of a space behind a position, or (None) its newest. Raises `Unavailable`."""
        self.submit(())
        if after is None:
            return self._journal.before(space, limit=limit)
        return self._journal.records(space, after=after, limit=limit)

    def prune(self, *, older_than: int, limit: int) -> int:
        """Let old history go; how many entries went. Raises `Unavailable`."""
        return self._journal.prune(older_than=older_than, limit=limit)

    def close(self) -> None:
        """Let go of the journal."""
        self._journal.close()

    def _replay(self) -> None:
        """The state is the snapshot and the entries behind it. Nobody is connected: nothing is sent."""
        snapshot = self._journal.latest()
        if snapshot is not None:
            self._position, self.time = snapshot.position, snapshot.time
            for name, parts in _by_space(snapshot.states).items():
                self._running[name] = Running(_restored(name, parts), self._links, saved=[*parts])
        self._saved_at = self._position
        live, self._counters = self._counters, Counters()  # history is not counted again
        for entry in self._journal.read(self._position):
            self._apply(entry)
        self._counters = live
        for running in self._touched.values():
            running.fanout.flush()
        self._touched.clear()
        if self._position != self._saved_at:
            logger.info("replayed %d entries", self._position - self._saved_at)

    def _committed(self, entries: Sequence[Entry]) -> None:
        self._counters.ticks += 1
        self._counters.journalled += len(entries)
        for entry in entries:
            self._apply(entry)
        for name, running in self._touched.items():
            running.fanout.flush()
            self._after(name, running)
        self._touched.clear()

    def _apply(self, entry: Entry) -> None:
        self._position, self.time = entry.position, entry.time
        running = self._running.get(entry.space)
        if running is None:
            running = self._running[entry.space] = Running(_opened(entry), self._links)
        self._touched[entry.space] = self._unsaved[entry.space] = running
        own = 0
        for effect in self._handled(running.machine, entry):
            if isinstance(effect, Deliver):
                running.fanout.put(effect.connections, effect.data)
                self._counters.delivered += len(effect.connections)
                if effect.own:
                    self._record(entry, own, effect)
                    own += 1
            else:
                self._end(effect)

    def _handled(self, machine: Space, entry: Entry) -> list[Effect]:
        """What the space does about an entry. A mistake of ours costs that entry, now and at every replay, and not
        the process: the entry is in the journal and would stop every start."""
        try:
            return machine.handle(entry.event, entry.time)
        except Exception:
            logger.exception("the entry %d of the space %s could not be handled", entry.position, entry.space)
            if isinstance(entry.event, Received):
                self._refuse(entry.event, Rejected("internal_error", "The gateway made a mistake; its log says which."))
            return []

    def _record(self, entry: Entry, nth: int, effect: Deliver) -> None:
        """One of the gateway's own envelopes: written with the next commit, computed again after a crash."""
        self._outputs.append(Output(entry.position, nth, entry.space, effect.data, effect.audience, effect.refusal))
        if effect.refusal and isinstance(entry.event, Received):
            code = msgspec.json.decode(effect.data)["payload"]["error"]
            self._counters.refused[code if code in ERRORS else "other"] += 1

    def _end(self, effect: Close) -> None:
        link = self._links.get(effect.connection)
        if link is not None:
            link.close(effect.code, effect.reason)


def _opened(entry: Entry) -> Space:
    event: Event = entry.event
    if not isinstance(event, Configured):
        raise CorruptJournal(f"entry {entry.position} belongs to the space {entry.space!r}, which was never configured")
    return Space.configured(event)


def _by_space(states: Mapping[str, bytes | None]) -> dict[str, dict[str, bytes]]:
    """The parts of each space's snapshot: they are kept as `SPACE/PART`, and no space has a `/` in its id."""
    found: dict[str, dict[str, bytes]] = {}
    for key, state in states.items():
        name, _, part = key.partition("/")
        if state is not None:
            found.setdefault(name, {})[part] = state
    return found


def _restored(name: str, parts: Mapping[str, bytes]) -> Space:
    try:
        return Space.restored(parts)
    except (msgspec.MsgspecError, KeyError) as error:
        raise CorruptJournal(f"the snapshot of the space {name!r} cannot be read: {error}") from None
