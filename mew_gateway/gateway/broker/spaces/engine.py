"""All spaces over the one journal: the pure middle of a tick.

    entries = engine.append(batch)     # durable from here on
    result = engine.apply(entries)     # values: deliveries, answers, requests to the world outside

`append` writes a batch's events in one commit. `apply` hands each durable entry to its space and collects what follows.
Neither sends anything. A journal that commits elsewhere returns entries later, from another `append`: `apply` takes
them in order, whenever they come, and what travels beside an event waits here until its entry is handled. So the same
two functions serve a local journal and a remote log.

Invariants: an entry is durable before it is handled, and handled before anything of it is delivered. Replaying the
journal at a start runs the same handling and throws the results away.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec

from mew_gateway.errors import Rejected, Unavailable
from mew_gateway.journal.base import Draft, Entry, Output, Record, Snapshot
from mew_gateway.journal.retention import Released, sequence_subject
from mew_gateway.protocol.envelope import Envelope
from mew_gateway.space.effects import Deliver, Effect, Issue, Replay
from mew_gateway.space.events import Configured, Connected, Issued, Received, Restarted
from mew_gateway.space.machine import VERSION
from mew_gateway.space.settings import SpaceSettings

from ..batch import (
    Accepted,
    Batch,
    Delivery,
    Failure,
    Frame,
    FrameDelivery,
    FrameRefusal,
    Item,
    Post,
    Reply,
    Request,
    Result,
)
from ..interfaces import Ids, Link, Store
from ..metrics import Counters
from .history_view import View
from .invite_tokens import with_token
from .output_records import outputs_of
from .replay import replay
from .resume_search import Search
from .space_runtime import SpaceRuntime

logger = logging.getLogger("mew.spaces")

SNAPSHOT_EVERY = 50_000  # entries: a start replays at most these


class Engine:
    """The spaces by their id, and the journal. Opening it replays the journal; `links` are the connections' peers."""

    def __init__(self, journal: Store, *, links: Mapping[int, Link], counters: Counters) -> None:
        self._journal = journal
        self._links = links
        self._counters = counters
        self._runtimes: dict[str, SpaceRuntime] = {}
        self._unsaved: dict[str, SpaceRuntime] = {}  # changed since the latest snapshot
        self._submitted: deque[Item | Frame | Reply] = deque()  # appended and not applied yet, in order
        self._in_flight = 0  # the items among them
        self._outputs: list[Output] = []  # of applied entries: written with the next append
        self.position = 0  # of the newest entry
        self._save_at = SNAPSHOT_EVERY  # the position at which the next snapshot is due
        self.time = self._saved_time = 0  # of the newest entry, and of the newest that the latest snapshot covers
        try:
            replayed = replay(journal, self._runtimes, self._links, handle=self._replay)
            self.position, self.time, self._saved_time = replayed.position, replayed.time, replayed.saved_time
            self._save_at = replayed.saved_position + SNAPSHOT_EVERY
        except BaseException:
            self._journal.close()
            raise

    def __getitem__(self, name: str) -> SpaceRuntime:
        return self._runtimes[name]

    def __contains__(self, name: str) -> bool:
        return name in self._runtimes

    def items(self) -> list[tuple[str, SpaceRuntime]]:
        """Return every space with its id."""
        return list(self._runtimes.items())

    @property
    def is_idle(self) -> bool:
        """True if everything that was appended has been applied."""
        return not self._in_flight

    def on_commit(self, wake: Callable[[], object]) -> None:
        """Have `wake` called when the journal has committed entries outside of `append`."""
        self._journal.on_commit(wake)

    # The tick.

    def append(self, batch: Batch) -> Sequence[Entry]:
        """Write a batch's events, and the outputs of earlier entries, in one commit. Return the entries that are now
        durable and were not returned before.

        Raises `Unavailable`: then nothing of the batch was accepted.
        """
        items = [one for one in batch if type(one) is Item]
        # Frames and replies alone write nothing.
        entries = self._write(items) if items or (self._outputs and not batch) else self._journal.poll()
        self._submitted.extend(batch)
        self._in_flight += len(items)
        return entries

    def apply(self, entries: Sequence[Entry]) -> Result:
        """Handle durable entries, in order, and the frames and replies between them."""
        result = Result()
        submitted = self._submitted
        for entry in entries:
            while type(item := submitted.popleft()) is not Item:
                self._pass_on(item, result)
            self._in_flight -= 1
            self._handle(entry, item, result)
        while submitted and type(submitted[0]) is not Item:
            self._pass_on(submitted.popleft(), result)
        return result

    def frame(self, frame: Frame) -> Result:
        """Return where a frame goes that was posted over HTTP: it waits for nothing. Raises `Rejected`."""
        result = Result()
        self._route_frame(frame, result)
        return result

    def probe(self) -> Sequence[Entry]:
        """Write whatever is due, be it nothing, to see if the journal can be written. Return as `append` does. Raises
        `Unavailable`."""
        return self._write(())

    def _write(self, items: Sequence[Item]) -> Sequence[Entry]:
        begun = time.perf_counter()
        try:
            entries = self._journal.append(items, self._outputs)
        except Unavailable:
            self._counters.unwritten += 1
            raise
        self._outputs = []
        self._counters.took(time.perf_counter() - begun)
        return entries

    def _pass_on(self, one: Item | Frame | Reply, result: Result) -> None:
        """A frame or a reply, whose turn has come."""
        if type(one) is Reply:
            result.touched[one.space] = None
            result.deliveries.append(Delivery(one.space, (one.connection,), one.data))
            return
        assert type(one) is Frame
        try:
            self._route_frame(one, result)
        except Rejected as rejected:
            result.touched[one.space] = None
            result.deliveries.append(FrameRefusal(one, rejected))

    def _route_frame(self, frame: Frame, result: Result) -> None:
        """Deliver a frame to the connections that the space names. Raises `Rejected`."""
        try:
            machine = self._runtimes[frame.space].machine
            connections = machine.recipients_of_frame(frame.participant, frame.stream, connection=frame.connection)
        except Rejected as rejected:
            rejected.details.setdefault("stream_id", frame.stream)
            raise
        except Exception:
            logger.exception("a frame of the space %s could not be handled", frame.space)
            raise Rejected("internal_error", "The gateway made a mistake; its log says which.") from None
        result.touched[frame.space] = None
        result.deliveries.append(FrameDelivery(frame.space, connections, frame.data, frame.is_text))

    def _handle(self, entry: Entry, item: Item | None, result: Result) -> None:
        """Have the space handle an entry. `item` is None in a replay: then no post waits for an answer.

        An exception costs that entry, now and at every replay, and not the process: the entry is in the journal and
        would stop every start.
        """
        space, event = entry.space, entry.event
        self.position, self.time = entry.position, entry.time
        runtime = self._runtimes.get(space)
        if runtime is None:
            runtime = self._runtimes[space] = SpaceRuntime.opened(entry, self._links)
        self._unsaved[space] = runtime
        result.touched[space] = None
        effects: Sequence[Effect] = ()
        post = None if item is None else item.post
        try:
            effects = runtime.machine.handle(event, entry.time, entry.position)
        except Exception:
            logger.exception("the entry %d of the space %s could not be handled", entry.position, space)
            if isinstance(event, Received):
                result.failures.append(Failure(space, event, post))
        else:
            if post is not None:
                post = _answered(post, item, effects, result)
        self._outputs += outputs_of(entry, effects)
        if interrupted := [*runtime.interrupted()]:
            self._journal.retain(space, interrupted)
        result.handled.append((entry, effects))
        token, missed = (None, ()) if item is None else (item.token, item.missed)
        for effect in effects:
            if isinstance(effect, Deliver):
                data = effect.data if token is None or effect.digest is None else with_token(effect.data, token)
                result.deliveries.append(Delivery(space, effect.connections, data))
            elif isinstance(effect, Replay):
                whom = (effect.connection,)  # one tuple: what goes to the same connections is joined once
                result.deliveries += [Delivery(space, whom, data) for data in missed]
            else:
                result.requests.append(Request(space, effect, post if isinstance(effect, Issue) else None))

    # Start and snapshots.

    def start(self, settings: Mapping[str, SpaceSettings], *, now: int, ids: Ids) -> Sequence[Item]:
        """Return what has to be journalled first: configurations that changed since the last run, and the leaves."""
        items: list[Item] = []
        for name, wanted in settings.items():
            state = self._runtimes[name].machine.state if name in self._runtimes else None
            if state is None or state.settings != wanted or state.version != VERSION:
                epoch = ids.epoch() if state is None else state.epoch
                items.append(Item(name, now, Configured(wanted, VERSION, epoch)))
            if state is not None:
                items.append(Item(name, now, Restarted(max(0, now - self.time))))
                # An older format of the journal did not retain these:
                records = state.settled.values()
                self._journal.retain(
                    name, (id for one in records for id in (sequence_subject(one.target, one.sequence), one.id))
                )
        return items

    def rest(self, settings: Mapping[str, SpaceSettings]) -> None:
        """Take the spaces out of service that are no longer configured. Their state and their journal stay, and come
        back with the configuration."""
        for name in [resting for resting in self._runtimes if resting not in settings]:
            del self._runtimes[name]

    def save_when_due(self) -> None:
        """Keep a snapshot every `SNAPSHOT_EVERY` entries. If the disk has no room for one, try again some entries
        later: the senders are not concerned."""
        if self.position < self._save_at:
            return
        try:
            self.save()
        except Unavailable as error:
            logger.warning("No snapshot was kept, a start would take longer: %s", error)
            self._save_at = self.position + SNAPSHOT_EVERY // 10

    def save(self) -> None:
        """Keep a snapshot of every space that has changed since the last one. Raises `Unavailable`."""
        self._flush()
        states: dict[str, bytes | None] = {}
        for name, runtime in self._unsaved.items():
            states |= {f"{name}/{part}": state for part, state in runtime.unsaved().items()}
        self._journal.save(Snapshot(self.position, self.time, states))
        for runtime in self._unsaved.values():
            runtime.was_saved()
        self._unsaved.clear()
        self._save_at, self._saved_time = self.position + SNAPSHOT_EVERY, self.time

    def close(self) -> None:
        """Close the journal."""
        self._journal.close()

    def _replay(self, entry: Entry) -> None:
        """Handle an entry again. The results are thrown away: it was all done then."""
        self._handle(entry, None, Result())

    # History: a projection of the journal. What is still to be written with the next commit is written first.

    def records(self, space: str, *, after: int | None, limit: int) -> Sequence[Record]:
        """Return up to `limit` records of a space after a position, or (None) its newest; fewer if they are big.
        Raises `Unavailable`."""
        self._flush()
        if after is None:
            return self._journal.before(space, limit=limit)
        return self._journal.records(space, after=after, limit=limit)

    def earlier(self, space: str, *, before: int | None, limit: int) -> Sequence[Record]:
        """Return up to `limit` records of a space that end before a position (None: with its newest). Raises
        `Unavailable`."""
        self._flush()
        return self._journal.before(space, position=before, limit=limit)

    def find(self, space: str, id: str, *, oldest: bool = False) -> Iterator[Record]:
        """Return the records that may have an envelope of this id, as `History.find` does. Raises `Unavailable`."""
        self._flush()
        return self._journal.find(space, id, oldest=oldest)

    @property
    def pruned(self) -> int:
        """The position up to which history has gaps, as `History.pruned`."""
        return self._journal.pruned

    @property
    def size(self) -> int:
        """Bytes that the journal takes. Raises `Unavailable`."""
        return self._journal.size

    def search(self, draft: Draft, *, most_bytes: int, affords: Callable[[int], bool]) -> Search:
        """Return the search for what a resuming `Connected` missed. `affords` is asked about so many records that are
        read for it."""
        event = draft.event
        assert isinstance(event, Connected) and event.resumed is not None
        view = View(self._runtimes[draft.space].machine.state, event.participant)
        return Search(self, draft.space, view, event.resumed.after, most_bytes=most_bytes, affords=affords)

    def resumed(self, item: Item, search: Search) -> Item:
        """Finish the search, and return the `Connected` with what it missed, for the next append. Raises
        `Unavailable`."""
        assert isinstance(item.event, Connected) and self.is_idle
        found = search.finish()
        event = msgspec.structs.replace(item.event, resumed=found.resumed)
        return msgspec.structs.replace(item, event=event, missed=found.envelopes)

    def prune(self, *, older_than: int, limit: int) -> int:
        """Delete old history, except of interrupted and of open sequences. Return how many entries were looked at.
        Raises `Unavailable`.

        A journal deletes only what a snapshot covers: if the latest is too old for that, one is kept first.
        """
        if self._unsaved and self._saved_time < older_than:
            self.save()
        return self._prune(older_than, limit)

    def prune_oldest(self, *, limit: int) -> int:
        """Delete the oldest history, whatever its age, as `prune` does. Raises `Unavailable`."""
        looked_at = self._prune(self._saved_time + 1, limit)
        if not looked_at and self._unsaved:
            self.save()
            looked_at = self._prune(self._saved_time + 1, limit)
        return looked_at

    def release(self, *, most: int, limit: int) -> Released | None:
        """Delete the oldest of what is kept for ever, as `History.release` does. Raises `Unavailable`."""
        return self._journal.release(most=most, limit=limit)

    def _prune(self, older_than: int, limit: int) -> int:
        open_ids = {name: runtime.open_sequences() for name, runtime in self._runtimes.items()}
        return self._journal.prune(older_than=older_than, limit=limit, open_ids=open_ids)

    def _flush(self) -> None:
        """Write the outputs that wait for the next commit, if any."""
        if self._outputs:
            try:
                self._journal.record(self._outputs)
            except Unavailable:
                self._counters.unwritten += 1
                raise
            self._outputs = []


def _answered(post: Post, item: Item | None, effects: Sequence[Effect], result: Result) -> Post | None:
    """Answer an HTTP post whose entry was handled. Return the post that waits on: an invitation's, for its token."""
    assert item is not None
    event = item.event
    if isinstance(event, Issued):
        assert post.accepted is not None
        result.answers.append((post.answer, post.accepted._replace(token=item.token if effects else None)))
        return None
    assert isinstance(event, Received)
    refusal = next((effect for effect in effects if isinstance(effect, Deliver) and effect.refusal), None)
    if refusal is not None:
        payload = msgspec.json.decode(refusal.data)["payload"]
        result.answers.append((post.answer, Rejected.from_payload(payload, correlation=event.envelope.id)))
        return None
    accepted = _accepted(event.envelope, effects)
    issue = next((effect for effect in effects if isinstance(effect, Issue)), None)
    if issue is not None:
        return Post(post.answer, accepted._replace(participant=issue.participant))
    result.answers.append((post.answer, accepted))
    return None


def _accepted(envelope: Envelope, effects: Sequence[Effect]) -> Accepted:
    private = [
        msgspec.json.decode(effect.data)
        for effect in effects
        if isinstance(effect, Deliver) and effect.own and effect.audience == (envelope.sender,)
    ]
    notices = tuple(sent["payload"] for sent in private if sent["kind"] == "system/error")
    return Accepted(envelope.id, envelope.ts, notices)
