"""Tools in a space: called by `mcp/request`, or proposed to a person who may (docs/fluxi.md §4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import anyio

from mew_agents.fluxi.outcomes import NEVER, answer_of_question, outcome_of, outcome_of_error
from mew_agents.fluxi.participant.history import Found, find
from mew_agents.fluxi.participant.wire import TAKEN_BEFORE, Exchange, Verdict, Wire, error_in
from mew_agents.fluxi.ports import Answer, Call, Prepared, ToolPort
from mew_agents.fluxi.tool_lists import ToolLists
from mew_gateway.errors import MewError
from mew_gateway.protocol.codec import reread
from mew_gateway.sdk import Client, Envelope, Participant, ToolError
from mew_gateway.sdk.permissions import Permissions
from mew_gateway.sdk.reception import moment
from mew_gateway.sdk.rpc import request

_META = "mew/effect"
_REQUEST, _PROPOSAL = "mcp/request", "mcp/proposal"
# Refusals that pass by themselves; until an attempt's time is over the same bytes are sent again.
_PASSING = ("paused", "fenced", "rate_limited", "journal_unavailable")
_PAUSE = 0.5  # seconds
# How long a gateway remembers ids at least (docs/protocol.md §2), ms: so long nothing is taken twice.
_REMEMBERED = 600_000
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
        params = {"name": name, "arguments": dict(call.arguments), "_meta": {_META: effect}}
        kind, payload = _REQUEST, request({"method": "tools/call", "params": params}, id=call.request_id)
        if self._must_propose(payload, target):
            effect["deadline"] = self._client.gateway_time() + self._approval  # people take their time
            kind, payload = _PROPOSAL, {"method": "tools/call", "params": params}
        _, data = self._client.encode(kind, payload, to=target, id=call.request_id)
        self._unsent.add(call.request_id)
        return Prepared(request=data.decode(), proposed=kind == _PROPOSAL, cursor=self._wire.cursor)

    async def send(self, prepared: Prepared, *, timeout: float) -> Answer:
        envelope = reread(prepared.request.encode())
        first = envelope.id in self._unsent
        self._unsent.discard(envelope.id)
        answer: Answer | None = None
        with self._wire.exchange(envelope.id) as exchange, anyio.move_on_after(timeout):
            answer = await self._exchanged(prepared, envelope, exchange, first=first)
        return answer or _silence(envelope, exchange, timeout, first=first)

    async def look_back(self, prepared: Prepared) -> Answer | None:
        return (await self._found(prepared, reread(prepared.request.encode()))).answer

    async def ask(self, tool: str, key: str, *, fence: int, timeout: float) -> Answer:
        target, _, name = tool.partition("/")
        effect = {"key": key, "attempt": 1, "fence": fence, "deadline": NEVER}
        params = {"name": name, "arguments": {"key": key}, "_meta": {_META: effect}}
        if self._participant is None or not self._participant.may(
            _REQUEST, {"method": "tools/call", "params": params}, to=target
        ):
            return Answer(outcome="unknown", code="may_not_ask", message=f"The agent may not call {tool}.")
        try:
            result = await self._participant.request(target, "tools/call", params, timeout=round(timeout * 1000))
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
            result = await self._participant.call(target, name, timeout=_LIST)
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

    async def _exchanged(
        self, prepared: Prepared, envelope: Envelope, exchange: Exchange, *, first: bool
    ) -> Answer | None:
        """Waits as long as it takes. None: a proposal is out."""
        known = Found(complete=True) if first else await self._found(prepared, envelope)
        if known.answer is not None:
            return known.answer
        if not known.taken:
            if not known.complete and self._is_old(envelope):
                return Answer(outcome="unknown", code="history_unavailable", message="It is too long ago to tell.")
            verdict = await self._delivered(exchange, prepared.request)
            if not verdict.taken:
                return outcome_of_error(verdict.code, verdict.message, first=known.complete)
            if verdict.code == TAKEN_BEFORE and (answer := (await self._found(prepared, envelope)).answer) is not None:
                return answer
        return None if envelope.kind == _PROPOSAL else await exchange.answer

    async def _delivered(self, exchange: Exchange, data: str) -> Verdict:
        """The gateway's word on it, as soon as that is not to come again later."""
        while True:
            verdict = await self._wire.deliver(exchange, data)
            if verdict.code not in _PASSING:
                return verdict
            await anyio.sleep(_PAUSE)
            exchange.renew()

    def _is_old(self, envelope: Envelope) -> bool:
        sent = moment(envelope)
        return sent is None or self._client.gateway_time() - sent > _REMEMBERED // 2

    async def _found(self, prepared: Prepared, envelope: Envelope) -> Found:
        target = (envelope.to or [""])[0]
        return await find(self._client, envelope.id, target=target, since=prepared.cursor)


def _silence(envelope: Envelope, exchange: Exchange, timeout: float, *, first: bool) -> Answer:
    """Nothing definite was heard in time; but what was only ever refused was not done."""
    tool = (envelope.to or [""])[0]
    verdict = exchange.verdict.result() if exchange.verdict.done() else None
    if first and verdict is not None and not verdict.taken:
        return outcome_of_error(verdict.code, verdict.message)
    if envelope.kind == _PROPOSAL and verdict is not None:
        return Answer(outcome="unknown", code="proposed", message=f"Somebody may approve the call of {tool}.")
    return Answer(outcome="unknown", code="timeout", message=f"{tool} did not answer within {timeout:g} s.")
