"""What people may do to Works, as tools of the agent: only those of its account are found (docs/fluxi.md §8)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta

from mew_agents.fluxi import lookup
from mew_agents.fluxi.engine import Fluxi
from mew_agents.fluxi.fsm import LIVE, State
from mew_agents.fluxi.operators import Resolution
from mew_agents.fluxi.participant.runs import Runs, RunWitness
from mew_agents.fluxi.participant.subject import WORK, Subject
from mew_agents.fluxi.participant.thoughts import OCCASIONS
from mew_agents.fluxi.refused import Refused
from mew_agents.fluxi.work import Work
from mew_gateway.sdk import Agent, Envelope, ToolResult, tool
from mew_gateway.sdk.exchange.mcp import texts

T = TypeVar("T")
Id = Annotated[str, Meta(min_length=1, max_length=100)]
Limit = Annotated[int, Meta(ge=1, le=500)]
Evidence = Annotated[str, Meta(min_length=1, max_length=2_000, description="how you know")]
Reason = Annotated[str, Meta(min_length=1, max_length=500)]
# Bytes of the wire are of no use to people, and long.
_LEFT_OUT = ("request",)


class Operations(Agent):
    """An agent with these tools. Who acts is on record; whoever may call the tools may act."""

    @property
    @abstractmethod
    def fluxi(self) -> Fluxi:
        """The runtime whose Works these are."""

    @property
    @abstractmethod
    def account(self) -> str:
        """The account whose Works these are."""

    @property
    @abstractmethod
    def runs(self) -> Runs:
        """Where what is done is seen."""

    @tool
    async def works(self, state: State | None = None, *, live: bool = False, limit: Limit = 50) -> ToolResult:
        """Lists the newest Works: all, those in a state, or those that have not ended."""
        states = (state,) if state is not None else LIVE if live else None
        found = await self.fluxi.database.read(
            lambda connection: lookup.works(connection, states=states, account_id=self.account, limit=limit)
        )
        lines = [f"{one.work_id} {_stands(one, one)} {one.title}: {one.about}" for one in found]
        return ToolResult(texts(["\n".join(lines) or "There are none."]), {"works": [_plain(one) for one in found]})

    @tool
    async def work(self, work_id: Id) -> ToolResult:
        """Tells everything about a Work: its state, values, events, effects and open questions."""
        found = await self.fluxi.database.read(
            lambda connection: lookup.work(connection, work_id, account_id=self.account)
        )
        if found is None:
            return refused_result(Refused("not_found", f"There is no Work {work_id}."))
        text = f"{found.title}: {found.about} – {_stands(found.work, found)}"
        return ToolResult(texts([text]), _plain(found))

    @tool
    async def proposals(self, limit: Limit = 50) -> ToolResult:
        """Lists what waits for a person to look at before a Work opens."""
        found = await self.fluxi.database.read(
            lambda connection: lookup.proposals(connection, account_id=self.account, limit=limit)
        )
        lines = [f"{one.proposal_id} {one.sender}, {one.type_id}: {one.text}" for one in found]
        return ToolResult(texts(["\n".join(lines) or "There are none."]), {"proposals": [_plain(one) for one in found]})

    @tool
    async def work_cancel(self, request: Envelope, work_id: Id) -> ToolResult:
        """Cancels a live Work and voids its questions; while a call is out, as soon as its outcome is known."""
        act = self.fluxi.operators.cancel
        return await self._act(
            request, work_id, lambda by, seen: act(work_id, by=by, account_id=self.account, witness=seen)
        )

    @tool
    async def work_resume(self, request: Envelope, work_id: Id) -> ToolResult:
        """Lets a suspended Work go on."""
        act = self.fluxi.operators.resume
        return await self._act(
            request, work_id, lambda by, seen: act(work_id, by=by, account_id=self.account, witness=seen)
        )

    @tool
    async def work_resolve(
        self, request: Envelope, work_id: Id, effect_id: Id, outcome: Resolution, evidence: Evidence
    ) -> ToolResult:
        """Says what became of an effect in doubt, and how you know."""
        act = self.fluxi.operators.resolve
        return await self._act(
            request,
            work_id,
            lambda by, seen: act(
                work_id, effect_id, outcome, evidence=evidence, by=by, account_id=self.account, witness=seen
            ),
        )

    @tool
    async def work_compensate(self, request: Envelope, work_id: Id, effect_id: Id) -> ToolResult:
        """Undoes an effect that was done, by the effect its definition names for that."""
        act = self.fluxi.operators.compensate
        return await self._act(
            request, work_id, lambda by, seen: act(work_id, effect_id, by=by, account_id=self.account, witness=seen)
        )

    @tool
    async def proposal_accept(self, request: Envelope, proposal_id: Id) -> ToolResult:
        """Opens the Work of a proposal that waits for a person."""
        act = self.fluxi.reviews.accept
        return await self._act(request, None, lambda by, _: act(proposal_id, by=by, account_id=self.account))

    @tool
    async def proposal_decline(self, request: Envelope, proposal_id: Id, reason: Reason) -> ToolResult:
        """Discards a proposal that waits for a person, and tells whoever asked why."""
        act = self.fluxi.reviews.decline
        return await self._act(
            request, None, lambda by, _: act(proposal_id, by=by, reason=reason, account_id=self.account)
        )

    async def seen_acting(
        self, request: Envelope, subjects: dict[str, str], do: Callable[[str, RunWitness], Awaitable[T]]
    ) -> T | None:
        """What somebody does by a tool, in a run of its own: `do(who, witness)`, with `subjects` as in `Subject`.

        None: somebody else has stopped it. Raises what `do` raises.
        """
        words = OCCASIONS.say("operator", self.runs.language, who=request.sender)
        done: T | None = None
        async with self.runs.within(Subject(words, (request.id,), subjects)) as witness:
            done = await do(request.sender, witness)
        self.runs.stirred()
        return done

    async def _act(
        self, request: Envelope, work_id: str | None, do: Callable[[str, RunWitness], Awaitable[object]]
    ) -> ToolResult:
        subjects = {} if work_id is None else {work_id: WORK}
        try:
            opened = await self.seen_acting(request, subjects, do)
        except Refused as refused:
            return refused_result(refused)
        work_id = opened if isinstance(opened, str) else work_id
        found = None if work_id is None else await self._stands(work_id)
        if found is None:
            return ToolResult(texts(["Done."]), {"status": "done"})
        state = _state(found.state, found.suspended_reason)
        told = f"The Work {work_id} is {state}."
        if found.live and found.cancel_requested is not None:
            told = f"A call of the Work {work_id} is out: it is cancelled as soon as the outcome is known."
        plain = {"work_id": work_id, "state": found.state, "suspended_reason": found.suspended_reason}
        return ToolResult(texts([told]), {**plain, "cancel_requested": found.cancel_requested})

    async def _stands(self, work_id: str) -> Work | None:
        return await self.fluxi.database.read(lambda connection: self.fluxi.desk.records(connection).work(work_id))


def _stands(work: Work | lookup.ListedWork, found: lookup.FoundWork | lookup.ListedWork) -> str:
    return _state(work.state, "could not be undone" if found.undo_failed else work.suspended_reason)


def _state(state: State, suspended: str | None) -> str:
    return state if suspended is None else f"{state} ({suspended})"


def refused_result(refused: Refused) -> ToolResult:
    return ToolResult(texts([str(refused)]), {"status": "refused", "code": refused.code}, is_error=True)


def _plain(found: Any) -> dict[str, Any]:
    """JSON, as deep as it goes."""
    plain: dict[str, Any] = msgspec.to_builtins(_without(asdict(found)))
    return plain


def _without(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without(one) for name, one in value.items() if name not in _LEFT_OUT}
    return [_without(one) for one in value] if isinstance(value, list | tuple) else value
