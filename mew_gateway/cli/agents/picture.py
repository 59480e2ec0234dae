"""Picture of an agent's timeline: one lane a span, grouped by run, coloured by state, with interrupts and emergencies.

Everything is placed in inches on one empty canvas, so that nothing depends on the layout of the plotting library.
The colours can be distinguished with any kind of colour vision, and every end has a shape of its own besides.
"""

from __future__ import annotations

import warnings
from bisect import bisect_left
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any, Literal, NamedTuple, assert_never

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.patches import Rectangle
from matplotlib.textpath import TextPath

from mew_gateway.sdk.timeline.lanes import Halt, Lanes

from .chart import Chart, HaltLabel, Heading, LaneRow, MarkRow, Row, chart, halt_labels, rows
from .time_scale import TimeScale

_WIDTH, _GUTTER, _MARGIN = 13.0, 2.8, 0.4  # inches
_ASIDE = 1.6  # room for the labels of the last moments
_TOP, _BOTTOM = 0.45, 0.6  # from the legend to the lanes, and below them
_LEGEND, _LINE = 0.9, 0.22  # where it begins, and its lines
_LABEL = 0.17  # the height of a line of emergencies' labels
_ROW = 0.26
_BESIDE = 0.12  # between an interrupt's stem and its label
_COMFORTABLE, _LEAST = 60, 0.62  # rows up to which nothing shrinks; how far the rows shrink at most
_TALL = 40  # rows from which on the time axis is labelled above as well
_DPI = 150
_INK, _FAINT, _RULE, _BAND = "#1f2933", "#6b7785", "#d5dbe1", "#f2f4f7"

_STATES = {"running": "#0072b2", "paused": "#f0e442", "interrupted": "#e69f00"}
_EDGES = {"paused": "#9a9010"}
_ENDS = {
    "completed": ("o", "#009e73"),
    "cancelled": ("s", "#cc79a7"),
    "failed": ("X", "#d55e00"),
    None: (">", "#6b7785"),
}
_EMERGENCY, _RESUMED = "#d55e00", "#00795a"
_METADATA: dict[str, dict[str, Any]] = {"svg": {"Date": None, "Creator": "mew"}, "png": {"Software": "mew"}}


class DrawResult(NamedTuple):
    """The runs and spans of a picture, and the number of older spans that found no room."""

    runs: int
    spans: int
    left_out: int


class _Key(NamedTuple):
    """An entry of the legend: its name, the width of its sign, and the function that draws the sign."""

    name: str
    width: float
    draw: Callable[[float, float], None]


def draw(found: Lanes, *, title: str, subtitle: str, file: Path, format: Literal["svg", "png"]) -> DrawResult:
    """Draw a timeline with at least one run into a file. The same lanes give the same bytes. Raises `OSError`."""
    shown = chart(found)
    with rc_context(
        {"svg.hashsalt": "mew", "font.family": "DejaVu Sans", "text.parse_math": False, "hatch.linewidth": 0.9}
    ):
        figure = _Canvas(shown, title=title, subtitle=subtitle).figure
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of characters that the font lacks, it draws a box
            figure.savefig(file, format=format, metadata=_METADATA[format])
    return DrawResult(len(shown.runs), sum(len(run.lanes) for run in shown.runs), shown.left_out)


class _Canvas:
    """A figure that is being drawn. `_scale` shrinks the rows if there are many."""

    def __init__(self, shown: Chart, *, title: str, subtitle: str) -> None:
        busy = [(lane.start, lane.end) for run in shown.runs for lane in run.lanes]
        busy += [(mark.at, mark.at) for run in shown.runs for mark in run.marks]
        busy += [(at, at) for halt in shown.halts for at in (halt.start, halt.end) if at is not None]
        self._time = TimeScale(busy)
        found = self._rows(shown, 1.0)
        self._scale = max(_LEAST, min(1.0, _COMFORTABLE / len(found)))
        if self._scale < 1:
            found = self._rows(shown, self._scale)
        self._row = _ROW * self._scale
        keys = list(self._placed(self._keys(shown)))
        self._labels = self._halt_labels(shown.halts)
        lines = 1 + max((label.line for label in self._labels if label.line is not None), default=-1)
        self._top = max((y for _, _, y in keys), default=_LEGEND) + _TOP + lines * _LABEL
        self._height = self._top + len(found) * self._row + _BOTTOM
        self.figure = Figure(figsize=(_WIDTH, self._height), dpi=_DPI, facecolor="white")
        self._axes: Axes = self.figure.add_axes((0, 0, 1, 1))
        self._axes.set(xlim=(0, _WIDTH), ylim=(self._height, 0))
        self._axes.axis("off")
        self._head(title, subtitle, shown)
        for key, x, y in keys:
            key.draw(x, y)
            self._text(x + key.width, y, key.name, 8)
        self._axis(found)
        self._halts(shown.halts, bottom=self._top + len(found) * self._row, above=0.12 if len(found) > _TALL else 0.0)
        for n, row in enumerate(found):
            self._draw(row, self._top + n * self._row)

    def _rows(self, shown: Chart, scale: float) -> list[Row]:
        def measure(label: str) -> float:
            return _text_width(label, 7.5 * scale) + 2 * _BESIDE

        return rows(shown, place=self._place, left=_GUTTER, right=_WIDTH - _MARGIN, measure=measure)

    def _place(self, moment: int) -> float:
        return self._across(self._time.place(moment))

    def _across(self, place: float) -> float:
        return _GUTTER + 0.1 + place * (_WIDTH - _MARGIN - _GUTTER - _ASIDE)

    def _draw(self, row: Row, top: float) -> None:
        match row:
            case Heading():
                self._heading(row, top)
            case LaneRow():
                self._lane(row, top)
            case MarkRow():
                self._marks(row, top)
            case _:
                assert_never(row)

    def _text(self, x: float, y: float, text: str, size: float = 8, **style: Any) -> None:
        style = {"color": _INK, "va": "center", **style}
        self._axes.text(x, y, text, fontsize=size, **style)

    def _head(self, title: str, subtitle: str, shown: Chart) -> None:
        self._text(_MARGIN, 0.34, _fit(title, _WIDTH - 2 * _MARGIN, 14), 14, weight="bold")
        self._text(_MARGIN, 0.6, _fit(subtitle, _WIDTH - 2 * _MARGIN, 8.5), 8.5, color=_FAINT)
        if shown.left_out:
            said = f"the {shown.left_out} oldest spans are not shown"
            self._text(_WIDTH - _MARGIN, 0.34, said, 8.5, color=_FAINT, ha="right", style="italic")

    def _keys(self, shown: Chart) -> Iterator[_Key]:
        """Yield the legend: only what occurs in the picture."""
        lanes = [lane for run in shown.runs for lane in run.lanes]
        states = {stretch.state for lane in lanes for stretch in lane.stretches}
        for state in _STATES:
            if state in states:
                yield _Key(state, 0.36, partial(self._state_key, state))
        for ended in _ENDS:
            if any(lane.ended == ended for lane in lanes):
                yield _Key(ended or "not ended", 0.2, partial(self._end_key, ended))
        if any(lane.irreversible for lane in lanes):
            yield _Key("irreversible", 0.4, lambda x, y: self._outline(x + 0.03, x + 0.31, y - 0.065, 0.13))
        if any(lane.overdue is not None for lane in lanes):
            yield _Key("over its limit or grace", 0.4, lambda x, y: self._hatch(x + 0.03, x + 0.31, y - 0.065, 0.13))
        if shown.halts:
            yield _Key("halted by an emergency", 0.4, self._halted_key)
        if any(run.marks for run in shown.runs):
            yield _Key("interrupt: class → answer · policy · time to the answer", 0.18, self._mark_key)

    def _placed(self, keys: Iterator[_Key]) -> Iterator[tuple[_Key, float, float]]:
        """Yield the signs of the legend with their places, in lines."""
        x, y = _MARGIN, _LEGEND
        for key in keys:
            width = key.width + _text_width(key.name, 8)
            if x + width > _WIDTH - _MARGIN:
                x, y = _MARGIN, y + _LINE
            yield key, x, y
            x += width + 0.25

    def _state_key(self, state: str, x: float, y: float) -> None:
        self._bar(state, x, x + 0.3, y - 0.065, 0.13)

    def _end_key(self, ended: str | None, x: float, y: float) -> None:
        self._end(ended, x + 0.08, y, 1.0)

    def _mark_key(self, x: float, y: float) -> None:
        self._axes.plot([x + 0.08, x + 0.08], [y - 0.09, y + 0.09], color=_INK, lw=1.2)

    def _halted_key(self, x: float, y: float) -> None:
        self._band(x + 0.03, x + 0.31, y - 0.09, y + 0.09)
        self._line(x + 0.03, y - 0.09, y + 0.09, resumed=False)
        self._line(x + 0.31, y - 0.09, y + 0.09, resumed=True)

    def _halt_labels(self, halts: list[Halt]) -> list[HaltLabel]:
        def measure(label: str) -> float:
            return _text_width(label, 7.5) + _BESIDE

        return halt_labels(halts, place=self._place, left=_MARGIN, right=_WIDTH - _MARGIN / 2, measure=measure)

    def _halts(self, halts: list[Halt], *, bottom: float, above: float) -> None:
        """Draw the emergencies, from above all lanes to below them."""
        for halt in halts:
            x0 = _GUTTER if halt.start is None else self._place(halt.start)
            x1 = _WIDTH - _MARGIN if halt.end is None else self._place(halt.end)
            self._band(x0, x1, self._top - 0.05, bottom)
        for label in self._labels:
            y = self._top - 0.13 - above - (label.line or 0) * _LABEL
            self._line(label.anchor, y, bottom, resumed=label.resumed)
            if label.line is not None:
                side, nudge = ("left", 0.05) if label.start == label.anchor else ("right", -0.05)
                colour = _RESUMED if label.resumed else _EMERGENCY
                box = {"fc": "white", "ec": "none", "pad": 0.4}
                self._text(label.anchor + nudge, y, label.text, 7.5, color=colour, ha=side, bbox=box, zorder=6)

    def _band(self, x0: float, x1: float, top: float, bottom: float) -> None:
        # Above the headings, below the bars; two emergencies at a time are darker.
        band = Rectangle((x0, top), x1 - x0, bottom - top, fc=_EMERGENCY, ec="none", alpha=0.1, zorder=1.5)
        self._axes.add_patch(band)

    def _line(self, x: float, top: float, bottom: float, *, resumed: bool) -> None:
        colour, style = (_RESUMED, (0, (4, 2))) if resumed else (_EMERGENCY, "-")
        self._axes.plot([x, x], [top, bottom], color=colour, lw=1.1, ls=style, zorder=2)

    def _axis(self, found: list[Row]) -> None:
        top, bottom = self._top - 0.05, self._top + len(found) * self._row
        right = -1.0
        for tick in self._time.ticks():
            x, half = self._across(tick.place), _text_width(tick.label, 8) / 2
            if x - half < right + 0.12 or x + half > _WIDTH - 0.05:
                continue
            right = x + half
            self._axes.plot([x, x], [top, bottom], color=_RULE, lw=0.6, zorder=0.5)
            self._text(x, bottom + 0.17, tick.label, 8, color=_FAINT, ha="center")
            if len(found) > _TALL:
                self._text(x, top - 0.1, tick.label, 8, color=_FAINT, ha="center")
        self._axes.plot([_GUTTER, _WIDTH - _MARGIN], [bottom, bottom], color=_FAINT, lw=0.8)
        self._cuts(top, bottom)

    def _cuts(self, top: float, bottom: float) -> None:
        right = -1.0
        for cut in self._time.cuts():
            x0, x1 = self._across(cut.start), self._across(cut.end)
            self._axes.add_patch(Rectangle((x0, top), x1 - x0, bottom - top, fc="#f7f7f5", ec="none", zorder=0.6))
            for x in (x0, x1):
                self._axes.plot([x, x], [top, bottom], color="#b6bfc8", lw=0.6, ls=(0, (2, 3)), zorder=0.7)
            x, half = (x0 + x1) / 2, _text_width(cut.label, 7) / 2
            if x - half >= right + 0.12:
                right = x + half
                self._text(x, bottom + 0.38, cut.label, 7, color=_FAINT, ha="center")

    def _heading(self, row: Heading, top: float) -> None:
        size, y = 8.5 * self._scale, top + self._row / 2
        width = _WIDTH - 2 * _MARGIN + 0.2
        self._axes.add_patch(Rectangle((_MARGIN - 0.1, top), width, self._row, fc=_BAND, ec="none", zorder=1))
        room = width - 0.4 - _text_width(row.outcome, size)
        self._text(_MARGIN, y, _fit(row.title, room, size), size, weight="bold")
        self._text(_WIDTH - _MARGIN, y, row.outcome, size, color=_FAINT, ha="right")

    def _lane(self, row: LaneRow, top: float) -> None:
        lane, y = row.lane, top + self._row / 2
        indent = _MARGIN + 0.12 + 0.16 * min(lane.depth, 8)
        self._text(indent, y, _fit(row.label, _GUTTER - indent - 0.05, 8 * self._scale), 8 * self._scale)
        height = self._row * 0.52
        for stretch in lane.stretches:
            x0, x1 = self._place(stretch.start), self._place(stretch.end)
            self._bar(stretch.state, x0, max(x1, x0 + 0.02), y - height / 2, height)
        x0, x1 = self._place(lane.start), self._place(lane.end)
        if lane.overdue is not None:
            self._hatch(self._place(lane.overdue), x1, y - height / 2, height)
        if lane.irreversible:
            self._outline(x0, max(x1, x0 + 0.02), y - height / 2, height)
        self._end(lane.ended, x1, y, self._scale)

    def _bar(self, state: str, x0: float, x1: float, top: float, height: float) -> None:
        colour = _STATES.get(state, _FAINT)
        edge = _EDGES.get(state, colour)
        self._axes.add_patch(Rectangle((x0, top), x1 - x0, height, fc=colour, ec=edge, lw=0.6, zorder=3))

    def _outline(self, x0: float, x1: float, top: float, height: float) -> None:
        pad = 0.03
        size = x1 - x0 + 2 * pad, height + 2 * pad
        self._axes.add_patch(Rectangle((x0 - pad, top - pad), *size, fc="none", ec=_INK, lw=1.4, zorder=3.6))

    def _hatch(self, x0: float, x1: float, top: float, height: float) -> None:
        """Mark what goes on after its time, with a stroke where that begins."""
        self._axes.add_patch(Rectangle((x0, top), x1 - x0, height, fc="none", ec=_INK, lw=0, hatch="/////", zorder=3.4))
        self._axes.plot([x0, x0], [top - 0.05, top + height + 0.05], color=_EMERGENCY, lw=2, zorder=3.5)

    def _end(self, ended: str | None, x: float, y: float, scale: float) -> None:
        shape, colour = _ENDS.get(ended, _ENDS[None])
        self._axes.scatter([x], [y], s=46 * scale**2, marker=shape, color=colour, ec="white", lw=0.8 * scale, zorder=5)

    def _marks(self, row: MarkRow, top: float) -> None:
        y = top + self._row / 2
        for placed in row.placed:
            colour = _EMERGENCY if placed.mark.class_ == "emergency" else _INK
            is_right = placed.start >= placed.anchor
            to = placed.anchor + (_BESIDE if is_right else -_BESIDE) * 0.7
            self._axes.plot(
                [placed.anchor, placed.anchor, to], [y - row.reach * self._row, y, y], color=colour, lw=1.1, zorder=4
            )
            x = placed.anchor + (_BESIDE if is_right else -_BESIDE)
            box = {"fc": "white", "ec": "none", "pad": 0.6}
            self._text(
                x,
                y,
                placed.label,
                7.5 * self._scale,
                color=colour,
                ha="left" if is_right else "right",
                bbox=box,
                zorder=6,
            )


@cache
def _advance(char: str) -> float:
    """Return how much wider a character makes a text of size 72, in inches."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        font = FontProperties(family="DejaVu Sans", weight="bold")  # bold is wider: what fits in bold fits
        wide, narrow = (TextPath((0, 0), text, size=72, prop=font).get_extents().width for text in (f"H{char}H", "HH"))
    return float(wide - narrow) / 72


def _text_width(text: str, size: float) -> float:
    """Return the width of a text in inches, or a little more."""
    return sum(map(_advance, text)) * size / 72


def _fit(text: str, room: float, size: float) -> str:
    """Return the text, cut to the given room."""
    if _text_width(text, size) <= room:
        return text
    kept = bisect_left(range(len(text)), True, key=lambda count: _text_width(f"{text[:count]}…", size) > room) - 1
    return f"{text[: max(kept, 0)].rstrip()}…"
