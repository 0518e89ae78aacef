"""Layouts as text: tiles drawn with lines, for a terminal."""

from __future__ import annotations

from allfives_sim.core.errors import shown
from allfives_sim.pictures.hand import Hand, Step

UP, RIGHT, DOWN, LEFT = 1, 2, 4, 8
LINES = " ╵╶└╷│┌├╴┘─┴┐┤┬┼"  # by the directions in which a line goes on
COLUMNS, ROWS = 2, 1  # characters of a quarter tile


class _Canvas:
    def __init__(self) -> None:
        self.lines: dict[tuple[int, int], int] = {}
        self.letters: dict[tuple[int, int], str] = {}

    def across(self, x: int, y: int, length: int) -> None:
        """A line to the right."""
        for step in range(length + 1):
            self.lines[x + step, y] = self.lines.get((x + step, y), 0) | (RIGHT * (step < length) | LEFT * (step > 0))

    def down(self, x: int, y: int, length: int) -> None:
        """A line downwards."""
        for step in range(length + 1):
            self.lines[x, y + step] = self.lines.get((x, y + step), 0) | (DOWN * (step < length) | UP * (step > 0))

    def write(self, x: int, y: int, text: str) -> None:
        """Letters, with the middle one at a place, where no line is."""
        for place, letter in enumerate(text, x - len(text) // 2):
            if (place, y) not in self.lines:
                self.letters[place, y] = letter

    def text(self) -> str:
        """All of it."""
        places = [*self.lines, *self.letters]
        left, right = min(x for x, _ in places), max(x for x, _ in places)
        top, bottom = min(y for _, y in places), max(y for _, y in places)
        rows = []
        for y in range(top, bottom + 1):
            row = (self.letters.get((x, y)) or LINES[self.lines.get((x, y), 0)] for x in range(left, right + 1))
            rows.append("".join(row).rstrip())
        return "\n".join(rows)


def layout_text(hand: Hand, step: Step) -> str:
    """The layout after a step, its open ends by their numbers in brackets, the hands, the count and the points."""
    canvas = _Canvas()
    for number in range(step.pieces):
        piece, placed = hand.pieces[number], hand.placed[number]
        left, top, right, bottom = placed.box
        for x in (left, right):
            canvas.down(COLUMNS * x, ROWS * top, ROWS * (bottom - top))
        for y in (top, bottom):
            canvas.across(COLUMNS * left, ROWS * y, COLUMNS * (right - left))
        if placed.inner[1] == placed.outer[1]:
            canvas.down(COLUMNS * (left + right) // 2, ROWS * top, ROWS * (bottom - top))
        else:
            canvas.across(COLUMNS * left, ROWS * (top + bottom) // 2, COLUMNS * (right - left))
    for number in range(step.pieces):
        piece, placed = hand.pieces[number], hand.placed[number]
        for pip, (x, y) in ((piece.inner, placed.inner), (piece.outer, placed.outer)):
            canvas.write(COLUMNS * x, ROWS * y, str(pip))
    for number, (at_piece, at, second) in enumerate(step.ends):
        port = hand.placed[at_piece].ports[at, second]
        canvas.write(COLUMNS * (port.x + port.way[0]), ROWS * (port.y + port.way[1]), f"({number})")
    picture = canvas.text() if step.pieces else "(no tile yet)"
    hands = [f"seat {seat} {name}: {' '.join(tiles) or '–'}" for seat, (name, tiles) in enumerate(_named(hand, step))]
    about = f"{step.text}: count {step.count}, {step.points} points" if step.event >= 0 else step.text
    scores = " : ".join(str(score) for score in step.scores)
    return "\n".join([picture, "", about, f"scores {scores}; boneyard {step.boneyard}", *hands])


def _named(hand: Hand, step: Step) -> list[tuple[str, list[str]]]:
    return list(zip(map(shown, hand.agents), step.hands, strict=True))
