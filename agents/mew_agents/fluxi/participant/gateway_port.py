"""Tools in a space: called by `mcp/request`, or proposed to a person who may (docs/fluxi.md §4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import anyio

from mew_agents.fluxi.attempts import NOT_SENT
from mew_agents.fluxi.evidence import META as EVIDENCE
from mew_agents.fluxi.outcomes import NEVER, answer_of_question, outcome_of, outcome_of_error
from mew_agents.fluxi.participant.history import find
from mew_agents.fluxi.participant.wire import Exchange, Verdict, Wire, error_in
from mew_agents.fluxi.ports import Answer, Call, Prepared, ToolPort
from mew_agents.fluxi.tool_lists import ToolLists
from mew_gateway.errors import MewError
from mew_gateway.protocol.codec import reread
from mew_gateway.sdk import Client, Envelope, Participant, ToolError, sent_at
from mew_gateway.sdk.exchange.permissions import Permissions
from mew_gateway.sdk.exchange.rpc import request

_META = "mew/effect"
_REQUEST, _PROPOSAL = "mcp/request", "mcp/proposal"
# Refusals that pass by themselves; until an attempt's time is over the same bytes are sent again.
_PASSING = ("paused", "fenced", "rate_limited", "journal_unavailable")
_PAUSE = 0.5  # seconds
# How long a gateway remembers ids at least (docs/protocol.md §2), ms: so long nothing is taken twice.
_REMEMBERED = 600_000
_ID_TAKEN = Answer(
    outcome="not_applied", code=NOT_SENT, message="Another envelope has its id; it was never accepted.", retry=True
)
_LIST = 5_000  # ms for a tool's list


class GatewayPort(ToolPort):
    """The seam to a space. The gateway takes the same bytes once; what is older than its memory is looked for first.

    `approval` in ms: how long a call that had to be proposed may be carried out.
    """

    once = True

    def __init__(self, wire: Wire, *, approval: int) -> None:
        self._wire = wire
        self._client: Client = wire.client
        self._approval = approval
        self._permissions = Permissions()
        self._lists = ToolLists()
        self._participant: Participant | None = None
        self._unsent: set[str] = set()

    def join(self, participant: Participant) -> None:
        """From here on tools can be asked."""
        self._participant = participant

    def prepare(self, call: Call) -> Prepared:
        """The whole envelope. Called in the database's thread."""
        target, _, name = call.tool.partition("/")
        effect = {"key": call.key, "attempt": call.attempt, "fence": call.fence, "deadline": call.deadline}
        meta: dict[str, Any] = {_META: effect}
        params = {"name": name, "arguments": dict(call.arguments), "_meta": meta}
        kind, payload = _REQUEST, request({"method": "tools/call", "params": params}, id=call.request_id)
        if self._must_propose(payload, target):
            effect["deadline"] = self._client.gateway_time() + self._approval  # people take their time
            if call.evidence is not None:
                meta[EVIDENCE] = dict(call.evidence)
            kind, payload = _PROPOSAL, {"method": "tools/call", "params": params}
        _, data = self._client.encode(kind, payload, to=target, id=call.request_id)
        self._unsent.add(call.request_id)
        return Prepared(request=data.decode(), proposed=kind == _PROPOSAL, cursor=self._wire.cursor)

    async def send(self, prepared: Prepared, *, timeout: float) -> Answer:
        answer: Answer | None = None
        with self._wire.exchange(prepared.request) as exchange:
            first = exchange.envelope.id in self._unsent
            self._unsent.discard(exchange.envelope.id)
            with anyio.move_on_after(timeout):
                answer = await self._exchanged(prepared, exchange, first=first)
        return answer or _silence(exchange, timeout, first=first)

    async def look_back(self, prepared: Prepared) -> Answer | None:
        return (await find(self._client, reread(prepared.request.encode()), since=prepared.cursor)).answer

    def is_asked(self, prepared: Prepared, name: str) -> bool:
        """Whether an attempt's request is to that participant."""
        return name in (reread(prepared.request.encode()).to or ())

    async def ask(self, tool: str, key: str, *, fence: int, timeout: float) -> Answer:
        target, _, name = tool.partition("/")
        effect = {"key": key, "attempt": 1, "fence": fence, "deadline": NEVER}
        params = {"name": name, "arguments": {"key": key}, "_meta": {_META: effect}}
        if self._participant is None or not self._participant.may(
            _REQUEST, {"method": "tools/call", "params": params}, to=target
        ):
            return Answer(outcome="unknown", code="may_not_ask", message=f"The agent may not call {tool}.")
        try:
            result = await self._participant.request(
                target, "tools/call", params, timeout=round(timeout * 1000), context=False
            )
        except ToolError as error:
            return answer_of_question(error_in({"code": error.code, "message": error.message}))
        except MewError as error:
            return Answer(outcome="unknown", code="not_asked", message=str(error))
        return answer_of_question(outcome_of(result if isinstance(result, dict) else {}))

    async def names(self, tool: str) -> Mapping[str, Sequence[str]] | None:
        target, _, name = tool.partition("/")
        payload = {"method": "tools/call", "params": {"name": name, "arguments": {}}}
        if self._participant is None:
            return None
        if not self._participant.may(_REQUEST, payload, to=target):
            self._lists.missing(tool, "the agent may not call it")
            return None
        try:
            result = await self._participant.call(target, name, timeout=_LIST, context=False)
        except ToolError as error:
            self._lists.missing(tool, str(error))
            return None
        except MewError:
            return None  # whoever has it may come yet
        return self._lists.read(tool, result.structured)

    def _must_propose(self, payload: dict[str, Any], target: str) -> bool:
        """Whether we lack the capability, and may ask somebody who has it."""
        welcome = self._client.welcome
        if self._permissions.allow(welcome, _REQUEST, payload, (target,)):
            return False
        proposal = {name: payload[name] for name in ("method", "params")}
        return self._permissions.allow(welcome, _PROPOSAL, proposal, (target,))

    async def _exchanged(self, prepared: Prepared, exchange: Exchange, *, first: bool) -> Answer | None:
        """Waits as long as it takes. None: a proposal is out."""
        complete, envelope = first, exchange.envelope
        if not first:
            complete, answer = await self._look_back(prepared, exchange)
            if answer is not None:
                return answer
        if not exchange.awaited.taken:
            if not complete and self._is_old(envelope):
                return Answer(outcome="unknown", code="history_unavailable", message="It is too long ago to tell.")
            verdict = await self._delivered(exchange, prepared.request)
            if verdict.id_taken:  # ours was never taken: the next attempt has another id, and the same key
                return _ID_TAKEN
            if not verdict.taken:
                return outcome_of_error(verdict.code, verdict.message, first=complete)
            if verdict.taken_before:
                _, answer = await self._look_back(prepared, exchange)
                if answer is not None:
                    return answer
        return None if envelope.kind == _PROPOSAL else await exchange.answer

    async def _look_back(self, prepared: Prepared, exchange: Exchange) -> tuple[bool, Answer | None]:
        """Whether the history is held from where the attempt began, and the answer that is in it."""
        found = await find(self._client, exchange.envelope, since=prepared.cursor)
        exchange.learn(found.awaited)
        return found.complete, found.answer

    async def _delivered(self, exchange: Exchange, data: str) -> Verdict:
        """The gateway's word on it, as soon as that is not to come again later."""
        while True:
            verdict = await self._wire.deliver(exchange, data)
            if verdict.code not in _PASSING:
                return verdict
            await anyio.sleep(_PAUSE)
            exchange.renew()

    def _is_old(self, envelope: Envelope) -> bool:
        sent = sent_at(envelope)
        return sent is None or self._client.gateway_time() - sent > _REMEMBERED // 2


def _silence(exchange: Exchange, timeout: float, *, first: bool) -> Answer:
    """Nothing definite was heard in time; but what was only ever refused was not done."""
    envelope = exchange.envelope
    tool = (envelope.to or [""])[0]
    verdict = exchange.verdict.result() if exchange.verdict.done() else None
    if first and verdict is not None and not verdict.taken:
        return outcome_of_error(verdict.code, verdict.message)
    if envelope.kind == _PROPOSAL and verdict is not None:
        return Answer(outcome="unknown", code="proposed", message=f"Somebody may approve the call of {tool}.")
    return Answer(outcome="unknown", code="timeout", message=f"{tool} did not answer within {timeout:g} s.")
