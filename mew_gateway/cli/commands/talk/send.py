"""`mew send`: send a chat or any other envelope, and wait for the answer if asked to.

`_Sending` is one envelope on its way: sent, accepted or refused, then perhaps answered. What counts as the answer
depends on the addressee. Of one that replies, it is the reply; of one that reasons about it, the conclusion, and the
reply that follows it within `_REPLY`.

Another participant may use the envelope's id for something else. From then on no reply can be attributed, and the
command reports that it is unknown whether an answer came (`_usurper`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import anyio
import msgspec
import typer
from rich.text import Text

from mew_gateway.protocol.envelope import Envelope
from mew_gateway.protocol.ids import GATEWAY_NAMES
from mew_gateway.sdk.client import Client, Reconnected, new_id
from mew_gateway.sdk.exchange.guests import Guests
from mew_gateway.sdk.exchange.tracked import SentEnvelope, TrackedEnvelope

from ...connecting.access import Access, find_access
from ...connecting.joining import joined
from ...framework.completion import complete_kinds, complete_participants
from ...framework.failure import FAILED, REFUSED, TIMED_OUT, mistake
from ...framework.options import JsonOption, Where, seconds
from ...printing.moment import duration
from ...printing.terminal import clean, print_json, say, show
from ...record.transcript import Transcript

EXAMPLES = (
    "mew send 'good morning' --space demo",
    "mew send 'go' --to solver",
    "mew send '2 * (3 + 4)' --to calculator --wait 5  # and print the answer",
    "mew send --kind mcp/request --to calculator --wait 5 --payload "
    '\'{"method": "tools/call", "params": {"name": "add", "arguments": {"a": 2, "b": 3}}}\'',
    "Exit status: 0 sent (and answered), 1 there is no such participant, or the participant that answered failed, "
    "2 a mistake in what was typed, 5 not confirmed or not answered in time, or unknown whether answered, 6 refused.",
)

_ACCEPTANCE = 5_000  # milliseconds for the envelope to come back
_NOTICE = 200  # milliseconds for a notice right after it
_REPLY = 1_000  # milliseconds for the reply after a conclusion
_SEEN_ONLY = ("received", "read", "processing")  # statuses of a `chat/acknowledge` before an answer
_NO_MORE = ("failed", "ignored")  # statuses of a `chat/acknowledge` after which no answer comes


class Draft(NamedTuple):
    """The envelope to send."""

    kind: str
    payload: dict[str, Any]
    to: list[str]
    correlation: list[str]
    context: str | None


def send(
    text: Annotated[
        str | None, typer.Argument(metavar="[TEXT]", help="What to say: a chat's text, another kind's message.")
    ] = None,
    *,
    to: Annotated[
        list[str] | None,
        typer.Option("--to", metavar="ID", help="Who must act on it.", autocompletion=complete_participants),
    ] = None,
    kind: Annotated[str, typer.Option("--kind", help="What it is.", autocompletion=complete_kinds)] = "chat",
    payload: Annotated[
        str | None, typer.Option("--payload", metavar="JSON", help="The payload, or what to add to the text.")
    ] = None,
    correlation: Annotated[
        list[str] | None, typer.Option("--correlation", metavar="ID", help="The envelope it answers.")
    ] = None,
    context: Annotated[str | None, typer.Option("--context", metavar="ID", help="The sequence it belongs to.")] = None,
    wait: Annotated[
        int | None,
        typer.Option("--wait", metavar="SECONDS", parser=seconds, help="Wait so long for an answer, and print it."),
    ] = None,
    as_json: JsonOption = False,
    where: Where,
) -> None:
    """Send an envelope and print its id once the gateway has taken it.

    `--wait` waits for the reply; of an agent that thinks aloud, for its conclusion and the reply after it. If another
    participant uses the same id meanwhile, a reply cannot be distinguished from one to that, and the command says so.
    It waits no longer for a guest who is removed: another one who is invited under that name was not asked.
    """
    draft = Draft(kind, _payload(kind, text, payload), to or [], correlation or [], context)
    access = find_access(where, named=draft.to)
    raise typer.Exit(asyncio.run(_Sending(access, draft, wait=wait, as_json=as_json).run()))


class _Sending:
    """One envelope on its way: sent, accepted or refused, and perhaps answered."""

    def __init__(self, access: Access, draft: Draft, *, wait: int | None, as_json: bool) -> None:
        self._access = access
        self._draft = draft
        self._wait = wait
        self._as_json = as_json
        self._awaited = TrackedEnvelope(
            SentEnvelope(
                new_id(), draft.kind, draft.payload, tuple(draft.to), tuple(draft.correlation), draft.context, 0
            ),
            me="",
        )
        self._id = self._awaited.asked.id
        self._usurper: str | None = None  # another participant that has used its id since
        self._refusal: dict[str, Any] | None = None
        self._answer: Envelope | None = None
        self._notices: list[dict[str, Any]] = []
        self._away: list[str] = []
        self._runs: dict[str, str] = {}  # owners of the sequences that it started, by id
        self._conclusion: Envelope | None = None
        self._acknowledgement: Envelope | None = None

    async def run(self) -> int:
        """Send, wait as long as asked to, print. Return the exit status."""
        async with joined(self._access) as client:
            await self._send(client)
            await self._receive_until(
                client, lambda: self._awaited.taken or self._refusal is not None, within=_ACCEPTANCE
            )
            if self._awaited.taken:
                if not self._as_json:
                    show(Text(self._id))
                await self._wait_for_notices(client)
                if self._wait is not None:
                    await self._wait_for_answer(client, within=self._wait)
        return self._conclude()

    async def _send(self, client: Client) -> None:
        draft = self._draft
        self._awaited.me, self._awaited.invitations = client.welcome.you.id, client.invitations(draft.to)
        try:
            await client.send(
                draft.kind,
                draft.payload,
                to=draft.to,
                correlation_id=draft.correlation,
                context=draft.context,
                id=self._id,
            )
        except ValueError as error:  # it fits no frame
            raise mistake(str(error)) from None

    async def _receive_until(self, client: Client, done: Callable[[], bool], *, within: int) -> None:
        with anyio.move_on_after(within / 1000):
            while not done():
                item = await client.receive()
                if not isinstance(item, Reconnected):
                    self._take(item)
                elif item.missed:
                    guests = Guests()
                    guests.begin(item.welcome)
                    self._awaited.catch_up(guests)

    async def _wait_for_notices(self, client: Client) -> None:
        """Wait for the notice that an addressee is unknown, if one is absent. It comes right after the envelope."""
        here = [client.welcome.you.id, *(one.id for one in client.welcome.participants)]
        if any(name not in here for name in self._draft.to):
            await self._receive_until(client, lambda: bool(self._notices), within=_NOTICE)

            self._away = [] if self._notices else [name for name in self._draft.to if name not in here]

    async def _wait_for_answer(self, client: Client, *, within: int) -> None:
        """Wait for the answer: the reply, or the reply after the conclusion, or the conclusion.

        An acknowledgement counts if nothing else comes.
        """
        await self._receive_until(client, self._is_settled, within=within)
        if self._answer is None and self._is_settled() and not self._awaited.removed:
            await self._receive_until(client, lambda: self._answer is not None, within=_REPLY)
        self._answer = self._answer or self._conclusion or self._acknowledgement

    def _is_settled(self) -> bool:
        """Return true if it is answered, or only a last reply can follow."""
        seen = self._acknowledgement
        return (
            self._answer is not None
            or self._conclusion is not None
            or self._awaited.removed
            or (self._usurper is not None and not self._runs)
            or (seen is not None and _field(seen, "status") in _NO_MORE)
        )

    def _take(self, envelope: Envelope) -> None:
        payload = envelope.payload or {}
        if envelope.kind == "reasoning/conclusion" and self._runs.get(envelope.context or "") == envelope.sender:
            self._conclusion = envelope
            return
        if self._awaited.see(envelope):
            self._usurper = None
        elif envelope.id == self._id and envelope.sender not in GATEWAY_NAMES:
            self._usurper = envelope.sender if self._awaited.taken else None
        elif self._id not in (envelope.correlation_id or ()):
            return
        elif envelope.kind == "system/error":
            if self._awaited.is_refused_by(envelope):
                self._take_error(payload)
        elif self._may_answer(envelope):
            self._take_answer(envelope)

    def _take_error(self, payload: dict[str, Any]) -> None:
        if payload.get("yours") is True:  # of a resend
            self._awaited.confirm()
        elif not self._awaited.taken:
            self._refusal = payload
        else:
            self._notices.append(payload)

    def _take_answer(self, envelope: Envelope) -> None:
        if envelope.kind == "reasoning/start":  # its conclusion is the answer
            self._runs[envelope.id] = envelope.sender
        elif envelope.kind == "chat/acknowledge":
            if _field(envelope, "status") not in (None, *_SEEN_ONLY):
                self._acknowledgement = envelope
        elif self._answer is None and not envelope.kind.startswith("reasoning/"):
            self._answer = envelope

    def _may_answer(self, envelope: Envelope) -> bool:
        """Return true if it answers our envelope, comes from an addressee, and is for us or for all."""
        addressed = self._awaited.me in (envelope.to or (self._awaited.me,))
        return self._awaited.is_ours and addressed and self._awaited.may_answer(envelope.sender)

    def _conclude(self) -> int:
        for notice in self._notices:
            say(f"{notice.get('error')}: {notice.get('message')}", style="yellow")
        for name in self._away:
            say(f"{name} is not here now. It gets it if it comes back soon; see `mew status`.", style="yellow")
        missing = not self._awaited.taken or (self._wait is not None and self._answer is None)
        if self._as_json:
            print_json(self._to_json())
        elif self._refusal is not None:
            say(f"refused: {self._refusal.get('error')}: {self._refusal.get('message')}", style="red")
        elif not self._awaited.taken:
            say(f"The gateway did not confirm it in {duration(_ACCEPTANCE)}.", style="red")
        elif self._answer is not None:
            line = Transcript().line(self._answer)
            show(line if line is not None else Text(clean(self._answer.kind)))
        elif self._wait is not None and self._usurper is not None:
            what = (
                f"{self._usurper} has used its id {self._id} for something else: what answers it may be meant for that."
            )
            say(f"Whether it is answered is unknown. {what} `mew timeline` shows what was said.", style="yellow")
        elif self._wait is not None and self._awaited.removed:
            who = " and ".join(self._draft.to)
            say(f"No answer: {who} was removed from the space. It may have been carried out.", style="yellow")
        elif self._wait is not None:
            say(f"No answer in {duration(self._wait)}.", style="yellow")
        if self._refusal is not None:
            return REFUSED
        if missing:
            return TIMED_OUT
        return FAILED if self._notices or self._has_failed() else 0

    def _has_failed(self) -> bool:
        """Return true if the answer says that the work failed."""
        return any(
            one is not None and "failed" in (_field(one, "outcome"), _field(one, "status"))
            for one in (self._answer, self._conclusion, self._acknowledgement)
        )

    def _to_json(self) -> dict[str, Any]:
        return {
            "id": self._id,
            "accepted": self._awaited.taken,
            "refusal": self._refusal,
            "notices": self._notices,
            "answer": None if self._answer is None else msgspec.to_builtins(self._answer),
            **({} if self._usurper is None else {"id_used_by": self._usurper}),
            **({"removed": True} if self._awaited.removed else {}),
        }


def _field(envelope: Envelope, name: str) -> Any:
    return (envelope.payload or {}).get(name)


def _payload(kind: str, text: str | None, given: str | None) -> dict[str, Any]:
    """The payload that the text and the JSON make. Raises `Failure`."""
    fields: dict[str, Any] = {}
    if given is not None:
        try:
            fields = msgspec.json.decode(given.encode("utf-8", "surrogateescape"), type=dict[str, Any])
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise mistake(f"--payload is not a JSON object: {error}") from None
    if text is not None:
        return {"text" if kind == "chat" else "message": text, **fields}
    if given is None and kind == "chat":
        raise mistake("Say what: `mew send TEXT`, or --payload JSON.")
    return fields
