"""The picture of a timeline: places, labels that do not touch, and equal bytes for equal input."""

from __future__ import annotations

import random
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from mew_gateway.cli.agents.chart import (
    MAX_ROWS,
    HaltLabel,
    Heading,
    LaneRow,
    MarkRow,
    chart,
    halt_labels,
    mark_label,
    rows,
)
from mew_gateway.cli.agents.picture import draw
from mew_gateway.cli.agents.time_scale import TimeScale
from mew_gateway.sdk.timeline.lanes import Halt, Lane, Lanes, Mark, RunLanes, Stretch

T0 = 1_800_000_000_000


def run(name: str, start: int, *, spans: int = 1, marks: int = 0, length: int = 1_000) -> RunLanes:
    """A run whose spans begin one after the other, with marks that are close together."""
    begun = [T0 + start + n * length // (spans + 1) for n in range(spans)]
    end = T0 + start + length
    return RunLanes(
        trace=f"{name}-0123456789abcdef",
        title=f"$The {name}$",
        outcome="completed",
        lanes=[
            Lane(f"{name}{n}", f"{name}0" if n else None, "think · soft-stop", "completed", at, end,
                 [Stretch("running", at, end - 100), Stretch("interrupted", end - 100, end)], "completed", min(n, 1))
            for n, at in enumerate(begun)
        ],
        marks=[
            Mark(f"i{n}", T0 + start + 400 + 10 * n, f"{name}{n % spans}", "cancel", "soft-stop", "stopping", n)
            for n in range(marks)
        ],
    )  # fmt: skip


# The time axis


def test_moments_stand_in_order_from_end_to_end():
    scale = TimeScale([(T0, T0 + 4_000), (T0 + 2_000, T0 + 10_000)])
    assert [scale.place(T0 + at) for at in (0, 2_500, 5_000, 10_000)] == [0.0, 0.25, 0.5, 1.0]
    assert [tick.label for tick in scale.ticks()] == ["0 s", "2 s", "4 s", "6 s", "8 s", "10 s"]
    assert list(scale.cuts()) == []


def test_idle_time_is_cut_and_named():
    hour = 3_600_000
    scale = TimeScale([(T0, T0 + 5_000), (T0 + hour + 5_000, T0 + hour + 10_000)])
    (cut,) = scale.cuts()
    assert cut.label == "1 h idle"
    assert 0.45 < cut.start < cut.end < 0.55
    assert cut.start < scale.place(T0 + hour // 2) < cut.end
    labels = [tick.label for tick in scale.ticks()]
    assert labels[0] == "08:00:00" and labels[-1] == "09:00:10"  # by the clock, where it took long


@pytest.mark.parametrize("length", [0, 1, 7, 130, 999, 61_000, 3_600_000, 90_000_000])
def test_ticks_are_few_and_each_is_told_apart(length):
    labels = [tick.label for tick in TimeScale([(T0, T0 + length)]).ticks()]
    assert len(labels) <= 11
    assert len(set(labels)) == len(labels)


# The rows


def placed(runs: list[RunLanes]) -> list[Any]:
    shown = chart(Lanes(runs))
    scale = TimeScale([(one.start, one.end) for one in shown.runs])
    return rows(
        shown, place=lambda at: 100 * scale.place(at), left=0.0, right=130.0, measure=lambda label: len(label) * 0.9
    )


def test_chart_has_heading_spans_and_interrupts_of_each_run():
    found = placed([run("a", 0, spans=2, marks=3), run("b", 2_000)])
    assert [type(row) for row in found] == [Heading, LaneRow, MarkRow, MarkRow, LaneRow, MarkRow, Heading, LaneRow]
    assert found[0] == Heading("$The a$  (…89abcdef)", "completed")


@pytest.mark.parametrize("marks", [2, 9, 40])
def test_labels_of_interrupts_never_touch(marks):
    seen = 0
    for row in placed([run("a", 0, marks=marks, length=3_000), run("b", 3_500, marks=marks, length=3_000)]):
        if isinstance(row, MarkRow):
            extents = sorted((one.start, one.end) for one in row.placed)
            assert all(end < start for (_, end), (start, _) in pairwise(extents))
            assert all(start >= 0 and end <= 130 for start, end in extents)
            seen += len(row.placed)
    assert seen == 2 * marks


def test_mark_label_has_class_answer_policy_and_latency():
    (mark,) = run("a", 0, marks=1).marks
    assert mark_label(mark) == "cancel → stopping · soft-stop · < 1 ms"


def test_there_is_room_for_two_hundred_spans_of_one_run():
    shown = chart(Lanes([run("a", 0, spans=200)]))
    assert (len(shown.runs[0].lanes), shown.left_out) == (200, 0)


def test_chart_leaves_out_and_counts_the_oldest_spans():
    runs = [run(f"r{n}", 2_000 * n, spans=4, marks=1) for n in range(100)]
    shown = chart(Lanes(runs))
    assert len(placed(runs)) <= MAX_ROWS
    assert shown.runs == runs[-40:] and shown.left_out == 60 * 4


def test_chart_of_a_long_run_keeps_root_and_newest_spans():
    shown = chart(Lanes([run("a", 0, spans=1_000, marks=500, length=100_000)]))
    (only,) = shown.runs
    assert only.lanes[0].span == "a0" and only.lanes[-1].span == "a999"
    assert len(only.lanes) + shown.left_out == 1_000
    assert 1 + len(only.lanes) + len(only.marks) <= MAX_ROWS


# The emergencies


def test_chart_keeps_emergencies_of_the_shown_time():
    runs = [run(f"r{n}", 2_000 * n, spans=4, marks=1) for n in range(100)]
    since = runs[60].start
    over = Halt("over", T0, since - 1, "guardian")
    halts = [over, Halt("before", T0, since, "guardian"), Halt("stands", T0), Halt("within", since, since + 5)]
    assert chart(Lanes(runs, halts)).halts == [
        halts[1]._replace(start=None),
        halts[2]._replace(start=None),
        halts[3],
    ]
    assert chart(Lanes(runs[:2], halts)).halts == halts


def labelled(halts: list[Halt]) -> list[HaltLabel]:
    return halt_labels(halts, place=float, left=0.0, right=100.0, measure=lambda label: float(len(label)))


def test_halt_labels_are_before_the_begin_and_after_the_end():
    begin, end = labelled([Halt("i1", 50, 60, "guardian")])
    assert begin == HaltLabel("halted i1", 50, False, 41, 50, 0)
    assert end == HaltLabel("resumed by guardian", 60, True, 60, 79, 0)


def test_halt_labels_leave_out_moments_outside_the_picture():
    assert [one.text for one in labelled([Halt("i1", None, 60), Halt("i2", 70, None)])] == ["resumed", "halted i2"]


def test_at_the_edges_the_labels_turn_inwards():
    begin, end = labelled([Halt("i1", 3, 95, "guardian")])
    assert (begin.start, begin.end, begin.line) == (3, 12, 0)
    assert (end.start, end.end, end.line) == (76, 95, 0)


def test_halt_labels_never_touch_and_may_be_left_out():
    found = labelled([Halt(f"i{n}", 30 + n, 31 + n, "guardian") for n in range(12)])
    placed = [one for one in found if one.line is not None]
    assert 6 <= len(placed) < len(found) == 24
    assert {one.line for one in placed} == {0, 1, 2}
    for line in range(3):
        extents = sorted((one.start, one.end) for one in placed if one.line == line)
        assert all(end < start for (_, end), (start, _) in pairwise(extents))
        assert all(start >= 0 and end <= 100 for start, end in extents)


# The drawing


def drawn(runs: list[RunLanes], file: Path, format: Any, halts: list[Halt] | None = None) -> bytes:
    draw(Lanes(runs, halts or []), title="solver in demo", subtitle="8 events", file=file, format=format)
    return file.read_bytes()


@pytest.mark.parametrize("format", ["svg", "png"])
def test_the_same_runs_give_the_same_bytes(tmp_path, format):
    runs = [run("a", 0, spans=3, marks=2), run("日本", 9_000_000, marks=1)]
    first, again = (drawn(runs, tmp_path / name, format) for name in ("one", "two"))
    assert first == again


def test_svg_has_no_date_and_every_state_and_mark(tmp_path):
    text = drawn([run("a", 0, spans=3, marks=2)], tmp_path / "a.svg", "svg").decode()
    assert "<dc:date>" not in text
    for colour in ("#0072b2", "#e69f00", "#009e73"):  # running, interrupted, completed
        assert colour in text


BAND, STROKE = "opacity: 0.1", "stroke: #d55e00; stroke-width: 2;"
HATCH, OUTLINE = "fill: url(#h", "stroke: #1f2933; stroke-width: 1.4"


def test_emergencies_limits_and_what_is_irreversible_are_drawn_and_explained(tmp_path):
    plain = run("a", 0, spans=2)
    text = drawn([plain], tmp_path / "a.svg", "svg").decode()
    for sign in (BAND, STROKE, HATCH, OUTLINE):
        assert sign not in text
    for said in ("irreversible", "over its limit or grace", "halted by an emergency"):
        assert f"<!-- {said} -->" not in text
    plain.lanes[0].overdue, plain.lanes[1].irreversible = T0 + 500, True
    halts = [Halt("i1", T0 + 300, T0 + 600, "guardian"), Halt("i2", T0 + 900)]
    text = drawn([plain], tmp_path / "a.svg", "svg", halts).decode()
    for sign, count in ((BAND, 2), (STROKE, 1), (HATCH, 1), (OUTLINE, 1)):
        assert text.count(sign) == count + 1, sign  # and once in the legend
    for said in (
        *("irreversible", "over its limit or grace", "halted by an emergency"),
        *("halted i1", "resumed by guardian", "halted i2"),
    ):
        assert f"<!-- {said} -->" in text


def test_picture_with_emergencies_is_deterministic(tmp_path):
    one = run("a", 0, spans=2)
    one.lanes[0].overdue, one.lanes[1].irreversible = T0 + 500, True
    halts = [Halt("i1", None, T0 + 600, "guardian"), Halt("i2", T0 + 90_000_000)]
    for format in ("svg", "png"):
        assert drawn([one], tmp_path / "one", format, halts) == drawn([one], tmp_path / "two", format, halts)


def test_the_legend_takes_the_lines_that_it_needs(tmp_path):
    one = run("a", 0, spans=2, marks=1)
    one.lanes[0].overdue, one.lanes[1].irreversible, one.lanes[1].ended = T0 + 500, True, None
    text = drawn([one], tmp_path / "a.svg", "svg", [Halt("i1", T0 + 300)]).decode()
    signs = ["running", "interrupted", "not ended", "irreversible", "halted by an emergency"]
    first, *_, last = [
        _where(text, sign) for sign in [*signs, "interrupt: class → answer · policy · time to the answer"]
    ]
    assert last[0] < 100 and last[1] > first[1]
    assert _where(text, "halted i1")[1] > last[1] + 10


def _where(svg: str, text: str) -> tuple[float, float]:
    """Where a text stands, in points from the left and from above."""
    found = re.search(rf"<!-- {re.escape(text)} -->\s*<g [^>]*translate\(([0-9.]+) ([0-9.]+)\)", svg)
    assert found is not None, text
    return float(found[1]), float(found[2])


def test_the_time_that_an_agent_was_halted_is_idle_time(tmp_path):
    hour = 3_600_000
    text = drawn([run("a", 0)], tmp_path / "a.svg", "svg", [Halt("i1", T0 + 500, T0 + hour + 1_000)]).decode()
    assert "<!-- 1 h idle -->" in text


def test_halt_labels_push_the_lanes_down(tmp_path):
    heights = []
    for count in (1, 2, 3, 20):
        halts = [Halt(f"i{n}", T0 + 300 + n) for n in range(count)]
        drawn([run("a", 0)], tmp_path / "a.png", "png", halts)
        with Image.open(tmp_path / "a.png") as image:
            heights.append(image.height)
    assert heights[0] < heights[2] == heights[3]


def test_the_picture_grows_with_its_rows_and_no_further(tmp_path):
    sizes = []
    for spans in (3, 60, 200, 2_000):
        drawn([run("a", 0, spans=spans, length=60_000)], tmp_path / "a.png", "png")
        with Image.open(tmp_path / "a.png") as image:
            sizes.append(image.size)
    assert len({width for width, _ in sizes}) == 1
    assert sizes[0][1] < 700 < sizes[1][1] < sizes[2][1] < sizes[3][1] < 6_500


def test_picture_draws_marks_without_run_and_spans_without_duration(tmp_path):
    lane = Lane("s", None, "", "running", T0, T0, [Stretch("running", T0, T0)])
    homeless = RunLanes(None, marks=[Mark("i", T0, None, "emergency", None, "ignored", None)])
    assert drawn([RunLanes("run", lanes=[lane]), homeless], tmp_path / "a.svg", "svg").startswith(b"<?xml")


def test_lanes_of_any_order_can_be_drawn(tmp_path):
    chance = random.Random(7)
    runs = [
        run(f"r{n}", chance.choice([n * 700, n * 5_000_000]), spans=chance.randint(1, 5), marks=chance.randint(0, 4))
        for n in range(12)
    ]
    text = drawn(sorted(runs, key=lambda one: one.start), tmp_path / "a.svg", "svg").decode()
    assert len(re.findall("#0072b2", text)) >= sum(len(one.lanes) for one in runs)
