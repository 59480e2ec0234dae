"""`mew stream`: read a stream of the space, or write one (§3.10)."""

from __future__ import annotations

import contextlib
import sys
from functools import partial
from typing import Annotated

import typer
from rich.text import Text

from mew_gateway.sdk import Disconnected, TooSlow
from mew_gateway.sdk.client import Client
from mew_gateway.sdk.exchange.requests import Refused
from mew_gateway.sdk.participant import Participant
from mew_gateway.sdk.streams import Stream

from ...connecting import run_once
from ...connecting.access import find_access
from ...connecting.stream_source import Source
from ...framework.completion import complete_participants
from ...framework.examples import examples
from ...framework.failure import STATUSES, Failure, mistake
from ...framework.option_groups import flatten_options
from ...framework.options import JsonOption, Where
from ...printing.countdown import countdown
from ...printing.stream_frames import FORMATS, Format, object_of
from ...printing.terminal import clean, one_line, print_json, say, show

TAIL_EXAMPLES = (
    "mew stream tail  # which are open; if none is, the next one",
    "mew stream tail stream-3 > recording.bin  # byte for byte",
    "mew stream tail --next --json",
    STATUSES,
)
SEND_EXAMPLES = (
    "mew stream send photo.jpg --content-type image/jpeg",
    "tail -f build.log | mew stream send --text --description 'the build' --target human",
    "mew stream send more.bin --stream-id stream-3  # one that another participant lets you write to",
    STATUSES,
)

_NOTICE = 200  # milliseconds for the refusal of the last frames


def tail_stream(
    stream_id: Annotated[str | None, typer.Argument(metavar="[STREAM_ID]", help="Which; else a list.")] = None,
    *,
    next_: Annotated[bool, typer.Option("--next", help="The next that is opened.")] = False,
    raw: Annotated[bool, typer.Option("--raw", help="Byte for byte on a terminal too, as in a pipe.")] = False,
    as_json: JsonOption = False,
    where: Where,
) -> None:
    """Read a stream from now on, to its end. Without an id, list those that are open, or wait for the next.

    Into a pipe or a file go the very bytes; a terminal is shown texts, and the sizes of what is none. With --json each
    frame is a line: `text`, or `base64`.
    """
    if stream_id is not None and next_:
        raise mistake("Say either which, or --next.")
    access = find_access(where)
    form: Format = "json" if as_json else "raw" if raw or not sys.stdout.isatty() else "shown"
    work = partial(_tail, id=stream_id, next_=next_, form=form)
    run_once.run(access, work, as_json=as_json, left="No longer reading.")


async def _tail(client: Client, *, id: str | None, next_: bool, form: Format) -> int:
    async with Participant(client, answers=False) as me:
        opened = me.streams.follow()
        if id is not None:
            stream = me.stream(id)
        elif me.streams.open and not next_:
            _list(me.streams.open, form)
            return 0
        else:
            async with countdown("waiting for a stream to open", seconds=None):
                stream = await anext(opened)
        say(f"─ {_description(stream)}", style="dim")
        await _copy(stream, form)
    return 0


async def _copy(stream: Stream, form: Format) -> None:
    frames = size = 0
    write = FORMATS[form]
    try:
        async for chunk in stream:
            write(stream.id, chunk)
            frames, size = frames + 1, size + len(chunk.encode() if isinstance(chunk, str) else chunk)
    except (Disconnected, TooSlow) as error:
        raise Failure(f"Something is missing of {stream.id} after {frames} frames: {error}") from None
    say(f"─ {stream.id} is closed ({clean(stream.closed)}): {frames} frames, {size:,} bytes", style="dim")


def _list(streams: list[Stream], form: Format) -> None:
    if form == "json":
        print_json({"streams": [object_of(stream) for stream in streams]})
        return
    for stream in streams:
        show(Text(_description(stream)))
    say("`mew stream tail STREAM_ID` reads one.", style="dim")


def _description(stream: Stream) -> str:
    parts = [one_line(stream.fields[name]) for name in ("content_type", "description") if stream.fields.get(name)]
    target = stream.fields.get("target")
    if isinstance(target, list):
        parts.append(f"for {', '.join(map(one_line, target))}")
    return f"{one_line(stream.id)} of {one_line(stream.owner)}" + (f": {', '.join(parts)}" if parts else "")


def send_stream(
    file: Annotated[str, typer.Argument(metavar="[FILE|-]", help="What to send; - or nothing: standard input.")] = "-",
    *,
    content_type: Annotated[
        str | None, typer.Option("--content-type", metavar="TYPE", help="What it is, for who reads it.")
    ] = None,
    target: Annotated[
        list[str] | None,
        typer.Option("--target", metavar="ID", help="Who gets it; else all.", autocompletion=complete_participants),
    ] = None,
    description: Annotated[str | None, typer.Option("--description", metavar="TEXT", help="What it is about.")] = None,
    text: Annotated[bool, typer.Option("--text", help="As text frames; it must be UTF-8.")] = False,
    stream_id: Annotated[
        str | None, typer.Option("--stream-id", metavar="ID", help="Write to this one, and leave it open.")
    ] = None,
    as_json: JsonOption = False,
    where: Where,
) -> None:
    """Send a file or standard input as a stream of your own: opened, written as it comes, closed. Prints its id."""
    if stream_id is not None and (content_type or target or description):
        raise mistake("--stream-id names a stream that is open: what it is was said when it was opened.")
    access = find_access(where, named=target or [])
    fields = {"content_type": content_type, "target": target, "description": description}
    with Source.opened(file, text=text) as source:
        work = partial(_send, source=source, fields=fields, id=stream_id, as_json=as_json)
        run_once.run(access, work, as_json=as_json, left="Ended before it was through.")


def _check_writer(stream: Stream, me: str) -> None:
    """Raise `Refused` if we may not write to the stream: an accepted frame gets no answer, so this is checked
    before."""
    if me not in stream.writers:
        what = f"{stream.owner}, the owner of {stream.id}, has not let you write to it."
        raise Refused("unauthorized_stream_write", what, {"stream_id": stream.id, "owner": stream.owner})


async def _send(
    client: Client, *, source: Source, fields: dict[str, str | list[str] | None], id: str | None, as_json: bool
) -> int:
    given = {name: value for name, value in fields.items() if value is not None}
    async with Participant(client, answers=False) as me, contextlib.AsyncExitStack() as stack:
        if id is None:
            stream = await stack.enter_async_context(me.streams.opened({"direction": "upload", **given}))
        else:
            stream = me.stream(id)
            _check_writer(stream, me.me)
        if not as_json:
            show(Text(stream.id))
        with source.progress(quiet=as_json):
            async for chunk in source:
                await stream.write(chunk)
        if id is None:
            await stream.close()
        else:
            await me.client.sleep(_NOTICE)
            stream.check()
    if as_json:
        print_json({"stream": stream.id, "frames": source.frames, "bytes": source.size})
    else:
        say(f"─ {source.frames} frames, {source.size:,} bytes", style="dim")
    return 0


app = typer.Typer(
    help="Read or write streams.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    epilog=examples("mew stream tail", "mew stream send photo.jpg"),
)
app.command("tail", epilog=examples(*TAIL_EXAMPLES))(flatten_options(tail_stream))
app.command("send", epilog=examples(*SEND_EXAMPLES))(flatten_options(send_stream))
