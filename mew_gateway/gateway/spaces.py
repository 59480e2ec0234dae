"""Every space of the process over its one journal: replayed at start, fed with entries, saved in snapshots."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

import msgspec

from mew_gateway.errors import Rejected, Unavailable
from mew_gateway.journal.base import Committed, Draft, Entry, Output, Record, Snapshot
from mew_gateway.journal.retention import Released
from mew_gateway.space.effects import Close, Deliver, Dismiss, Effect, Issue, Readmit, Replay, Terminate
from mew_gateway.space.events import Configured, Connected, Issued, Received, Restarted
from mew_gateway.space.machine import VERSION, Space
from mew_gateway.space.settings import SpaceSettings

from .activity import Activity
from .asides import Aside, Asides, Frame, Reply
from .fanout import Fanout
from .history import View
from .issuing import Issuing, with_token
from .metrics import Counters
from .outputs import outputs_of
from .ports import Link, Store
from .posts import Posts
from .resumption import Search
from .running import Running, by_space

logger = logging.getLogger("mew.spaces")

SNAPSHOT_EVERY = 50_000  # entries: a start replays at most these

Outward: TypeAlias = (
    Close | Issue | Dismiss | Terminate | Readmit
)  # effects that reach beyond what connections are sent


class Spaces:
    """All spaces by their id.

    `after` is called with each that a commit touched, once its effects are delivered, and then `perform` with what
    reaches further; `refuse` answers a sender whose envelope no space could answer, `refuse_frame` one whose frame is
    refused; `posts` are told what became of what came over HTTP; `issuing` has the tokens that are on their way.
    """

    def __init__(
        self,
        *,
        open_journal: Callable[[Committed], Store],
        links: Mapping[int, Link],
        counters: Counters,
        activity: Activity,
        after: Callable[[str, Running], None],
        perform: Callable[[str, Outward], None],
        refuse: Callable[[str, Received, Rejected], None],
        refuse_frame: Callable[[Frame, Rejected], None],
        posts: Posts,
        issuing: Issuing,
    ) -> None:
        self._links = links
        self._counters = counters
        self._after = after
        self._refuse = refuse
        self._refuse_frame = refuse_frame
        self._posts = posts
        self._perform = perform
        self._issuing = issuing
        self._running: dict[str, Running] = {}
        self._touched: dict[str, Running] = {}
        self._unsaved: dict[str, Running] = {}
        self._outputs: list[Output] = []
        self._asides = Asides()
        self._outward: list[tuple[str, Outward]] = []
        self._missed: dict[int, Sequence[bytes]] = {}  # by connection, until its `Connected` is handled
        self.position = 0  # of the newest entry
        self._save_at = SNAPSHOT_EVERY  # the position where the next snapshot is due
        self.time = self._saved_time = 0  # of the newest entry, and of the newest that the latest snapshot covers
        self._activity: Activity | None = None  # history is not told again
        self._journal = open_journal(self._committed)
        try:
            self._replay()
        except BaseException:
            self._journal.close()
            raise
        self._activity = activity

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
                # What an older format of the journal did not retain:
                self._journal.retain(name, (id for one in state.settled.values() for id in (one.sequence, one.id)))
        self.submit(drafts)
        for name in [resting for resting in self._running if resting not in settings]:
            del self._running[name]
        self.save()

    def submit(self, arrived: Sequence[Draft | Aside]) -> None:
        """Journal, then handle, then deliver; an aside in its place, unjournalled. Raises `Unavailable`; then nothing
        was accepted."""
        drafts = self._asides.part(arrived)
        if drafts or (self._outputs and not arrived):  # asides alone leave the journal in peace
            try:
                self._write(drafts)
            except Unavailable:
                self._asides.rejoin(arrived)
                raise
        self._deliver()

    def try_journal(self) -> None:
        """See whether the journal can be written again. Raises `Unavailable`."""
        self._write(())

    def _write(self, drafts: Sequence[Draft]) -> None:
        outputs, self._outputs = self._outputs, []
        begun = time.perf_counter()
        try:
            self._journal.submit(drafts, outputs)
        except Unavailable:
            self._outputs[:0] = outputs
            self._counters.unwritten += 1
            raise
        self._counters.took(time.perf_counter() - begun)

    def stream(self, frame: Frame) -> None:
        """Deliver a stream's frame at once. Raises `Rejected`."""
        self._put_frame(self._running[frame.space], frame)
        self._deliver()

    def save_when_due(self) -> None:
        """Keep a snapshot every `SNAPSHOT_EVERY` entries. One that the disk has no room for is none of the senders'
        business: it is tried again some entries later."""
        if self.position < self._save_at:
            return
        try:
            self.save()
        except Unavailable as error:
            logger.warning("No snapshot was kept, a start would take longer: %s", error)
            self._save_at = self.position + SNAPSHOT_EVERY // 10

    def save(self) -> None:
        """Keep a snapshot of every space that has changed since the last. Raises `Unavailable`."""
        self.submit(())
        states: dict[str, bytes | None] = {}
        for name, running in self._unsaved.items():
            states |= {f"{name}/{part}": state for part, state in running.unsaved().items()}
        self._journal.save(Snapshot(self.position, self.time, states))
        for running in self._unsaved.values():
            running.was_saved()
        self._unsaved.clear()
        self._save_at, self._saved_time = self.position + SNAPSHOT_EVERY, self.time

    def records(self, space: str, *, after: int | None, limit: int) -> Sequence[Record]:
        """Up to `limit` records of a space behind a position, or (None) its newest; fewer where they are big. Raises
        `Unavailable`."""
        self.submit(())
        if after is None:
            return self._journal.before(space, limit=limit)
        return self._journal.records(space, after=after, limit=limit)

    def earlier(self, space: str, *, before: int | None, limit: int) -> Sequence[Record]:
        """Up to `limit` records of a space that end before a position (None: with its newest). Raises `Unavailable`."""
        self.submit(())
        return self._journal.before(space, position=before, limit=limit)

    def find(self, space: str, id: str, *, oldest: bool = False) -> Iterator[Record]:
        """As a `History` does. Raises `Unavailable`."""
        self.submit(())
        return self._journal.find(space, id, oldest=oldest)

    @property
    def pruned(self) -> int:
        """As a `History` has it."""
        return self._journal.pruned

    @property
    def is_idle(self) -> bool:
        """Whether all that was submitted is handled."""
        return self._asides.is_idle

    def search(self, draft: Draft, *, most_bytes: int, affords: Callable[[int], bool]) -> Search:
        """The search for what a `Connected` missed that says behind what it resumes. `affords` is asked about so many
        records that are read for it."""
        event = draft.event
        assert isinstance(event, Connected) and event.resumed is not None
        view = View(self._running[draft.space].machine.state, event.participant)
        return Search(self, draft.space, view, event.resumed.after, most_bytes=most_bytes, affords=affords)

    def resumed(self, draft: Draft, search: Search) -> Draft:
        """A `Connected` that says what it missed, for the next submission: the search is finished here. Raises
        `Unavailable`."""
        assert isinstance(draft.event, Connected) and self.is_idle
        found = search.finish()
        self._missed = {draft.event.connection: found.envelopes}
        return msgspec.structs.replace(draft, event=msgspec.structs.replace(draft.event, resumed=found.resumed))

    def prune(self, *, older_than: int, limit: int) -> int:
        """Let old history go, but for interrupted sequences and those that are open; how many entries were looked at.
        Raises `Unavailable`.

        A journal lets only go what a snapshot covers: where the latest is too old for that, one is kept first.
        """
        if self._unsaved and self._saved_time < older_than:
            self.save()
        return self._prune(older_than, limit)

    @property
    def size(self) -> int:
        """Bytes that the journal takes. Raises `Unavailable`."""
        return self._journal.size

    def prune_oldest(self, *, limit: int) -> int:
        """Let the oldest history go, whatever its age, as `prune` does. Raises `Unavailable`."""
        looked_at = self._prune(self._saved_time + 1, limit)
        if not looked_at and self._unsaved:
            self.save()
            looked_at = self._prune(self._saved_time + 1, limit)
        return looked_at

    def release(self, *, most: int, limit: int) -> Released | None:
        """As a `History` does. Raises `Unavailable`."""
        return self._journal.release(most=most, limit=limit)

    def _prune(self, older_than: int, limit: int) -> int:
        open_ids = {name: running.machine.state.sequences for name, running in self._running.items()}
        return self._journal.prune(older_than=older_than, limit=limit, open_ids=open_ids)

    def close(self) -> None:
        """Let go of the journal."""
        self._journal.close()

    def _replay(self) -> None:
        """The state is the snapshot and the entries behind it. Nobody is connected: nothing is sent."""
        snapshot = self._journal.latest()
        if snapshot is not None:
            self.position, self.time = snapshot.position, snapshot.time
            self._saved_time = snapshot.time
            for name, parts in by_space(snapshot.states).items():
                self._running[name] = Running.restored(name, parts, self._links)
        replayed = self.position
        self._save_at = self.position + SNAPSHOT_EVERY
        live, self._counters = self._counters, Counters()  # history is not counted again
        for entry in self._journal.read(self.position):
            if entry.space in self._running:
                self._running[entry.space].check_replay(entry)
            self._apply(entry)
        self._counters = live
        self._outward.clear()  # it was done when it happened
        for running in self._touched.values():
            running.fanout.flush()
        self._touched.clear()
        if self.position != replayed:
            logger.info("replayed %d entries", self.position - replayed)

    def _committed(self, entries: Sequence[Entry]) -> None:
        self._counters.ticks += 1
        self._counters.journalled += len(entries)
        for entry in entries:
            if self._asides:
                self._pass_asides()
            self._apply(entry)
            self._asides.next_handled()
        self._deliver()

    def _deliver(self) -> None:
        self._pass_asides()
        touched, self._touched = self._touched, {}
        for name, running in touched.items():
            running.fanout.flush()
            self._after(name, running)
        outward, self._outward = self._outward, []
        for name, effect in outward:
            self._perform(name, effect)

    def _pass_asides(self) -> None:
        for aside in self._asides.due():
            running = self._touched[aside.space] = self._running[aside.space]
            if isinstance(aside, Reply):
                running.fanout.put((aside.connection,), aside.data)
                continue
            try:
                self._put_frame(running, aside)
            except Rejected as rejected:
                self._refuse_frame(aside, rejected)

    def _put_frame(self, running: Running, frame: Frame) -> None:
        """A frame goes to whom the space says, now. Raises `Rejected`."""
        try:
            connections = running.machine.recipients_of_frame(frame.participant, frame.stream)
        except Rejected as rejected:
            rejected.details.setdefault("stream_id", frame.stream)
            raise
        except Exception:
            logger.exception("a frame of the space %s could not be handled", frame.space)
            raise Rejected("internal_error", "The gateway made a mistake; its log says which.") from None
        self._touched[frame.space] = running
        running.fanout.put_frame(connections, frame.data, is_text=frame.is_text)
        self._counters.frames += 1
        self._counters.delivered += len(connections)

    def _apply(self, entry: Entry) -> None:
        space, event = entry.space, entry.event
        self.position, self.time = entry.position, entry.time
        running = self._running.get(space)
        if running is None:
            running = self._running[space] = Running.opened(entry, self._links)
        self._touched[space] = self._unsaved[space] = running
        effects = self._handled(running.machine, entry)
        if self._activity is not None:
            self._activity.observe(entry, effects)
        self._outputs += outputs_of(entry, effects)
        if interrupted := [*running.interrupted()]:
            self._journal.retain(space, interrupted)
        token = self._issuing.take(event.digest) if isinstance(event, Issued) else None
        for effect in effects:
            if isinstance(effect, Deliver):
                self._send(running.fanout, effect, token)
            elif isinstance(effect, Replay):
                self._give_again(running.fanout, effect)
            else:
                self._outward.append((space, effect))
        if isinstance(event, Issued):
            issue = Issue(event.participant, event.invite, event.inviter)
            self._posts.issued(space, issue, token if effects else None)

    def _send(self, fanout: Fanout, effect: Deliver, token: str | None) -> None:
        data = effect.data
        if effect.digest is not None and token is not None:
            data = with_token(data, token)
        fanout.put(effect.connections, data)
        self._counters.delivered += len(effect.connections)

    def _give_again(self, fanout: Fanout, effect: Replay) -> None:
        """What a connection that resumes has missed."""
        missed = self._missed.pop(effect.connection, ())
        whom = (effect.connection,)  # one tuple: what goes to the same is joined once
        for data in missed:
            fanout.put(whom, data)
        self._counters.delivered += len(missed)

    def _handled(self, machine: Space, entry: Entry) -> list[Effect]:
        """What the space does about an entry. A mistake of ours costs that entry, now and at every replay, and not
        the process: the entry is in the journal and would stop every start."""
        try:
            effects = machine.handle(entry.event, entry.time)
        except Exception:
            logger.exception("the entry %d of the space %s could not be handled", entry.position, entry.space)
            if isinstance(entry.event, Received):
                mistake = Rejected("internal_error", "The gateway made a mistake; its log says which.")
                self._refuse(entry.space, entry.event, mistake)
            return []
        if isinstance(entry.event, Received) and entry.event.connection == 0:
            self._posts.handled(entry.space, entry.event, effects)
        return effects
