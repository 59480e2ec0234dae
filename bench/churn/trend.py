"""What a row of figures does over time: its slope, and a chart in text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from statistics import median

_WIDTH, _HEIGHT = 72, 8
_MOST = 400  # points that slopes are taken between


def slope(points: Sequence[tuple[float, float]]) -> float:
    """The median of the slopes between any two points (Theil and Sen): what goes up and comes down again does not
    count."""
    step = max(1, len(points) // _MOST)
    slopes = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in combinations(points[::step], 2) if b[0] > a[0]]
    return median(slopes) if slopes else 0.0


def chart(points: Sequence[tuple[float, float]], *, warm_up: float) -> Iterator[str]:
    """A line chart, `:` where the warm-up ends."""
    first, last = points[0][0], points[-1][0]
    span = (last - first) or 1.0
    columns: list[list[float]] = [[] for _ in range(_WIDTH)]
    for at, value in points:
        columns[min(_WIDTH - 1, int((at - first) / span * _WIDTH))].append(value)
    means = [sum(column) / len(column) if column else None for column in columns]
    known = [mean for mean in means if mean is not None]
    low, high = min(known), max(known)
    rise = (high - low) or 1.0
    mark = int((warm_up - first) / span * _WIDTH)
    for row in range(_HEIGHT - 1, -1, -1):
        label = f"{high:,.1f}" if row == _HEIGHT - 1 else f"{low:,.1f}" if row == 0 else ""
        cells = []
        for nth, mean in enumerate(means):
            is_here = mean is not None and round((mean - low) / rise * (_HEIGHT - 1)) == row
            cells.append("*" if is_here else ":" if nth == mark else " ")
        yield f"{label:>12} |{''.join(cells)}".rstrip()
    yield f"{'':>12} +{'-' * _WIDTH}"
    yield f"{'':>12}  {first:<{_WIDTH - 12}.0f}{last:>4.0f} minutes"
