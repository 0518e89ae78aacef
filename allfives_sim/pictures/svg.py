"""Layouts as SVG, and as PNG."""

from __future__ import annotations

from collections.abc import Iterator
from math import hypot

from allfives_sim.pictures.hand import Hand, Step
from allfives_sim.pictures.placing import Box, Placed, Port, bounds
from allfives_sim.pictures.tree import Piece

UNIT = 12  # pixels of a quarter tile
MARGIN = 4  # quarters around the layout
DISC = 0.6  # radius of the disc of an open end, in quarters

# Where the pips of a half lie, in ninths of it: columns and rows from -1 to 1.
SPOTS: tuple[tuple[tuple[int, int], ...], ...] = (
    (),
    ((0, 0),),
    ((-1, -1), (1, 1)),
    ((-1, -1), (0, 0), (1, 1)),
    ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)),
    ((-1, -1), (1, -1), (-1, 0), (0, 0), (1, 0), (-1, 1), (1, 1)),
    ((-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)),
    ((-1, -1), (0, -1), (1, -1), (-1, 0), (0, 0), (1, 0), (-1, 1), (0, 1), (1, 1)),
)

STYLE = """
.tile { fill: #fffdf5; stroke: #4a4436; stroke-width: 1.2 }
.last .tile { fill: #ffe9a8; stroke-width: 2 }
.spot { fill: #1d2733 }
.bar { stroke: #a59c87; stroke-width: 1 }
.end { fill: #0072b2 }
.number { fill: #fff; font: bold 10px sans-serif; text-anchor: middle }
.caption { fill: #1d2733; font: 15px sans-serif }
@media (prefers-color-scheme: dark) { .caption { fill: #e8e6e0 } }
"""


def piece_svg(piece: Piece, placed: Placed) -> str:
    """A tile as it lies, with its pips."""
    left, top, right, bottom = (UNIT * edge for edge in placed.box)
    parts = [
        f'<rect class="tile" x="{left + 1}" y="{top + 1}" width="{right - left - 2}" '
        f'height="{bottom - top - 2}" rx="4"/>'
    ]
    (ax, ay), (bx, by) = placed.inner, placed.outer
    middle_x, middle_y = UNIT * (ax + bx) / 2, UNIT * (ay + by) / 2
    across, down = (0, 0.75 * UNIT) if ay == by else (0.75 * UNIT, 0)
    parts.append(
        f'<path class="bar" d="M{middle_x - across:g} {middle_y - down:g}L{middle_x + across:g} {middle_y + down:g}"/>'
    )
    for pip, (x, y) in ((piece.inner, placed.inner), (piece.outer, placed.outer)):
        parts += _spots(pip, x, y, upright=ax == bx)
    return "".join(parts)


def _spots(pip: int, x: int, y: int, *, upright: bool) -> Iterator[str]:
    """The pips of a half; those of a six lie along the tile."""
    for column, row in SPOTS[pip]:
        across, down = (column, row) if upright else (-row, column)
        yield (
            f'<circle class="spot" cx="{UNIT * x + 0.52 * UNIT * across:g}" cy="{UNIT * y + 0.52 * UNIT * down:g}" '
            f'r="{0.19 * UNIT:g}"/>'
        )


def tile_svg(low: int, high: int) -> str:
    """A tile by itself, four quarters wide and two high."""
    piece = Piece(0, low, high, -1, "")
    return piece_svg(piece, Placed((1, 1), (3, 1), (0, 0, 4, 2), {}))


def end_marks(hand: Hand, step: Step) -> str:
    """A small disc with its number beside each open end."""
    boxes = [one.box for one in hand.placed[: step.pieces]]
    discs: list[tuple[float, float]] = []
    parts = []
    for number, (piece, at, second) in enumerate(step.ends):
        places = list(_disc_places(hand.placed[piece].ports[at, second]))
        disc = next((place for place in places if _is_free(place, boxes, discs)), places[0])
        discs.append(disc)
        x, y = UNIT * disc[0], UNIT * disc[1]
        parts.append(f'<circle class="end" cx="{x:g}" cy="{y:g}" r="{UNIT * DISC:g}"/>')
        parts.append(f'<text class="number" x="{x:g}" y="{y + 3.5:g}">{number}</text>')
    return "".join(parts)


def _disc_places(port: Port) -> Iterator[tuple[float, float]]:
    """Where an end's disc may lie, the best first: ahead of it, or where a tile lies there, at a side of it."""
    (dx, dy), beside = port.way, 1 + 1.2 * DISC
    for ahead in (0.8, 0.5):
        yield port.x + ahead * dx, port.y + ahead * dy
    for turn in (1, -1):
        yield port.x - dx - turn * beside * dy, port.y - dy + turn * beside * dx


def _is_free(disc: tuple[float, float], boxes: list[Box], discs: list[tuple[float, float]]) -> bool:
    """Whether a disc would lie on no other disc, and on no more of a tile than its border."""
    x, y = disc
    for left, top, right, bottom in boxes:
        if hypot(x - min(max(x, left), right), y - min(max(y, top), bottom)) < 0.6 * DISC:
            return False
    return all(hypot(x - other_x, y - other_y) >= 2 * DISC for other_x, other_y in discs)


def view_box(placed: list[Placed], *, caption: bool) -> Box:
    """The picture's left, top, width and height in pixels."""
    left, top, right, bottom = bounds(placed)
    width = max(UNIT * (right - left + 2 * MARGIN), 560 if caption else 0)
    height = UNIT * (bottom - top + 2 * MARGIN) + (34 if caption else 0)
    return UNIT * (left + right) // 2 - width // 2, UNIT * (top - MARGIN), width, height


def layout_svg(hand: Hand, step: Step) -> str:
    """The layout after a step: its tiles, the one just played marked, the open ends, the count and the points."""
    shown = hand.placed[: max(step.pieces, 1)]
    left, top, width, height = view_box(shown, caption=True)
    caption = step.text if step.event < 0 else f"{step.text}: count {step.count}, {step.points} points"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left} {top} {width} {height}" width="{width}" '
        f'height="{height}" role="img">',
        f"<title>{caption}</title><style>{STYLE}</style>",
    ]
    for number in range(step.pieces):
        last = ' class="last"' if number == step.pieces - 1 else ""
        parts.append(f"<g{last}>{piece_svg(hand.pieces[number], hand.placed[number])}</g>")
    parts.append(end_marks(hand, step))
    parts.append(f'<text class="caption" x="{left + 14}" y="{top + height - 14}">{caption}</text></svg>')
    return "".join(parts)


def layout_png(hand: Hand, step: Step, zoom: float = 2.0) -> bytes:
    """The same as PNG."""
    import resvg_py

    return bytes(resvg_py.svg_to_bytes(svg_string=layout_svg(hand, step), zoom=zoom, background="#ffffff"))
