"""What the core decides, as transcripts: what it is told, then `----`, then all that it says.

A line of the script is `@SECONDS [WHO>] VERB SUBJECT … FIELD=VALUE … JSON`. A body's:

    @0 begin r soft-stop user=ana limit=5000 state={"n":1} "about"      a run r, its root span r:root; `background`
    @1 span a in r hard-stop                                            a span a within r's root, or within a span
    @2 think r "text"  |  boundary r  |  go-on r                        a thought, a boundary, and leaving either
    @2 checkpoint r {"n": 2}  |  hold r {"n": 2}  |  clarified r "yes"  a checkpoint; it has paused; it was told
    @3 end r returned "text"  |  end a interrupted                      the end of a run, or of a span

what comes over the wire, or from within (`source=alert`; `-` for the run: whichever has the focus):

    @3 human> cancel i1 r scope=span span=a sure=0.5 on_reject=queue "the input"      any class
    @3 ana> say c1 sure=0.9 may=cancel,override model=100 "text"                      a chat
    @4 boss> resume of=i1,i2 trusted

and the rest: `life x halts=i1,a1?` (`?`: nobody vouches), `time`, `classified c1 override sure=0.9`, `withdraw c1`,
`followed i1`, `welcome open=r,old halted=i1 incomplete`, `accepted r`, `refused r code halt=i1`, `closed r`.

Of the outcome, `=>` is an envelope, `.` an event of the timeline, `!` a directive, `~` when the core wants to be told
that time has passed, `=` what is left at the end. `pytest --rewrite-transcripts` writes what comes out now; the diff is
to be read. Every script is played twice more: to another core, and with every event encoded and decoded on its way.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from mew_gateway.sdk.execution.effects import Note
from mew_gateway.sdk.execution.events import Event
from mew_gateway.sdk.execution.policy import TABLE
from mew_gateway.sdk.timeline.replay import digest
from tests.execution.player import Player

FOLDER = Path(__file__).parent / "transcripts"
NAMES = sorted(path.stem for path in FOLDER.glob("*.txt"))


def through_json(event: Event) -> Event:
    decoded: Event = msgspec.json.decode(msgspec.json.encode(event), type=Event)
    return decoded


@pytest.mark.parametrize("name", NAMES)
def test_transcript(name: str, request: pytest.FixtureRequest) -> None:
    file = FOLDER / f"{name}.txt"
    script, _, expected = file.read_text(encoding="utf-8").partition("\n----\n")
    player = Player()
    outcome = "\n".join(player.play(script)) + "\n"
    if request.config.getoption("--rewrite-transcripts"):
        file.write_text(f"{script.rstrip()}\n----\n{outcome}", encoding="utf-8")
    else:
        assert outcome == expected
    for again in (Player(), Player(through_json)):
        assert "\n".join(again.play(script)) + "\n" == outcome
        assert [digest(effects) for effects in again.effects] == [digest(effects) for effects in player.effects]


@pytest.mark.parametrize(("class_", "policy"), TABLE)
def test_every_cell_of_the_table_has_a_transcript_that_shows_it(class_: str, policy: str) -> None:
    player = Player()
    list(player.play((FOLDER / f"cell_{class_}_{policy}.txt").read_text(encoding="utf-8").partition("\n----\n")[0]))
    decided = [one.data for said in player.effects for one in said if isinstance(one, Note) and one.kind == "decided"]
    rule = TABLE[class_, policy]  # type: ignore[index]
    shown = [(one["class"], one["policy"], one["outcome"]) for one in decided]
    assert (class_, policy, rule.outcome) in shown
    assert {one["status"] for one in decided} >= {rule.status, rule.at_boundary}
