"""Small charts as inline SVG: lines, bars with intervals, histograms."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 560, 300, 48, 44, 14, 150
COLOURS = ("#1f6feb", "#d1242f", "#1a7f37", "#9a6700", "#8250df", "#57606a")

Points = Sequence[tuple[float, float]]


def line_chart(series: Mapping[str, Points], x_title: str, y_title: str) -> str:
    """Lines over a common range, a legend beside them."""
    drawn = {name: points for name, points in series.items() if points}
    xs = [x for points in drawn.values() for x, _ in points] or [0.0]
    ys = [y for points in drawn.values() for _, y in points] or [0.0]
    frame = _Frame(min(xs), max(xs), min(ys), max(ys))
    body = [frame.axes(x_title, y_title)]
    for at, (name, points) in enumerate(drawn.items()):
        colour = COLOURS[at % len(COLOURS)]
        path = " ".join(f"{frame.x(x):.1f},{frame.y(y):.1f}" for x, y in _thinned(points))
        body.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        body.append(_legend(at, name, colour))
    return _svg(body, f"{y_title} against {x_title}")


def bar_chart(bars: Mapping[str, float], x_title: str, y_title: str) -> str:
    """Bars from zero to one, their labels under them."""
    frame = _Frame(0, max(1, len(bars)), 0, 1)
    body = [frame.axes(x_title, y_title, x_ticks=False)]
    for at, (name, value) in enumerate(bars.items()):
        left, top, width = frame.x(at + 0.15), frame.y(value), frame.x(at + 0.85) - frame.x(at + 0.15)
        height, fill = frame.y(0) - top, COLOURS[0]
        body.append(
            f'<rect x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{fill}">'
            f"<title>{escape(name)}: {value:.3f}</title></rect>"
        )
        body.append(_label(left + width / 2, HEIGHT - BOTTOM + 14, name[:14]))
    return _svg(body, y_title)


def histogram(values: Mapping[str, Sequence[float]], x_title: str, bins: int = 20) -> str:
    """Shares of values in 0..1 per bin, a line for each series."""
    series = {}
    for name, found in values.items():
        counts = [0] * bins
        for value in found:
            counts[min(bins - 1, int(value * bins))] += 1
        series[name] = [((at + 0.5) / bins, count / max(1, len(found))) for at, count in enumerate(counts)]
    return line_chart(series, x_title, "share of questions")


def threshold_series(grid: Mapping[str, Any]) -> dict[str, list[tuple[float, float]]]:
    """F1 and rounds against each threshold of a grid (see `thresholds`)."""
    return {
        f"{name} {what}": [(cell[name], cell[what]) for cell in grid[name]]
        for name in ("entity", "intent")
        for what in ("f1", "rounds")
    }


class _Frame:
    """Data coordinates to pixels."""

    def __init__(self, x0: float, x1: float, y0: float, y1: float) -> None:
        self.x_ticks, self.y_ticks = _ticks(x0, x1), _ticks(y0, y1)
        self.x0, self.x1, self.y0, self.y1 = self.x_ticks[0], self.x_ticks[-1], self.y_ticks[0], self.y_ticks[-1]

    def x(self, value: float) -> float:
        return LEFT + (value - self.x0) / (self.x1 - self.x0) * (WIDTH - LEFT - RIGHT)

    def y(self, value: float) -> float:
        return HEIGHT - BOTTOM - (value - self.y0) / (self.y1 - self.y0) * (HEIGHT - BOTTOM - TOP)

    def axes(self, x_title: str, y_title: str, x_ticks: bool = True) -> str:
        out = []
        for y in self.y_ticks:
            at = self.y(y)
            out.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at:.1f}" y2="{at:.1f}" stroke="#d0d7de"/>')
            out.append(f'<text x="{LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{y:.5g}</text>')
        for x in self.x_ticks if x_ticks else ():
            out.append(_label(self.x(x), HEIGHT - BOTTOM + 14, f"{x:.5g}"))
        middle = LEFT + (WIDTH - LEFT - RIGHT) / 2
        out.append(_label(middle, HEIGHT - 8, x_title))
        out.append(_label(12, HEIGHT / 2, y_title, f' transform="rotate(-90 12 {HEIGHT / 2})"'))
        return "".join(out)


def _label(x: float, y: float, text: str, more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="middle"{more}>{escape(text)}</text>'


def _legend(at: int, name: str, colour: str) -> str:
    y = TOP + 12 + 18 * at
    left = WIDTH - RIGHT + 10
    return (
        f'<rect x="{left}" y="{y - 9}" width="10" height="10" fill="{colour}"/>'
        f'<text x="{left + 15}" y="{y}">{escape(name[:20])}</text>'
    )


def _ticks(low: float, high: float) -> list[float]:
    """Four to nine round numbers from at most `low` to at least `high`."""
    span = (high - low) or 0.1
    unit = 10.0 ** math.floor(math.log10(span / 4))
    step = next(s * unit for s in (1, 2, 2.5, 5, 10) if span / (s * unit) <= 6)
    first, last = math.floor(low / step + 1e-9), math.ceil((low + span) / step - 1e-9)
    return [round(at * step, 10) for at in range(first, last + 1)]


def _thinned(points: Points, most: int = 200) -> list[tuple[float, float]]:
    step = max(1, len(points) // most)
    return [*points[::step], points[-1]]


def _svg(body: list[str], title: str) -> str:
    size = f'viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" font-size="11" font-family="sans-serif"'
    return f'<svg {size} role="img"><title>{escape(title)}</title>{"".join(body)}</svg>'
