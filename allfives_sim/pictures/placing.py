"""Where the tiles of a layout lie on the table: arms grow from the lead and turn before they leave the page.

Lengths are in quarters of a tile: a half is 2 by 2, and a double lies crosswise.  All tiles of a hand are placed at
once, so that those of its first plays stay where they are while one steps through it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from allfives_sim.pictures.tree import CROSS, FAR, HIGH, LOW, SIDE, Piece, Tree

Point = tuple[int, int]
Box = tuple[int, int, int, int]  # left, top, right, bottom

EAST, SOUTH, WEST, NORTH = (1, 0), (0, 1), (-1, 0), (0, -1)
# Width, height and the gap around each tile that tiles of other arms keep free; tried in turn.
PAGES = ((38, 32, 1), (60, 44, 1), (120, 90, 1), (120, 90, 0), (400, 400, 0))
TRIES = 80  # placements for each page before the next is tried


@dataclass(frozen=True)
class Port:
    """Where the next tile of an arm begins: the middle of the edge that it touches, and the way that the arm goes."""

    x: int
    y: int
    way: Point


@dataclass(frozen=True)
class Placed:
    """A tile on the table.

    Attributes
    ----------
    inner, outer : (x, y)
        The middles of its halves.
    box : (left, top, right, bottom)
    ports : dict of (at, second) to Port
        Its ends.
    """

    inner: Point
    outer: Point
    box: Box
    ports: dict[tuple[str, bool], Port]


class NoRoomError(Exception):
    """A layout does not fit onto any page."""


def place_tiles(tree: Tree) -> list[Placed]:
    """Lay a layout out.

    Returns
    -------
    list of Placed
        In the order of ``tree.pieces``.  No two boxes overlap; a tile touches the one it was played on, half to half.

    Raises
    ------
    NoRoomError
        No way was found; it has not happened yet.
    """
    for page in PAGES:
        search = _Search(tree, page)
        if search.run():
            return search.placed
    raise NoRoomError(f"a layout of {len(tree.pieces)} tiles")


def bounds(placed: list[Placed]) -> Box:
    """The box around some tiles."""
    boxes = [one.box for one in placed]
    return min(b[0] for b in boxes), min(b[1] for b in boxes), max(b[2] for b in boxes), max(b[3] for b in boxes)


def _turned(way: Point) -> tuple[Point, Point]:
    x, y = way
    return (-y, x), (y, -x)


def _around(*middles: Point) -> Box:
    xs, ys = [x for x, _ in middles], [y for _, y in middles]
    return min(xs) - 1, min(ys) - 1, max(xs) + 1, max(ys) + 1


def _lead(piece: Piece) -> Placed:
    if piece.double:
        inner, outer = (0, 1), (0, -1)
        ports = {(SIDE, False): Port(-1, 0, WEST), (SIDE, True): Port(1, 0, EAST)}
        ports |= {(CROSS, False): Port(0, -2, NORTH), (CROSS, True): Port(0, 2, SOUTH)}
    else:
        inner, outer = (-1, 0), (1, 0)
        ports = {(LOW, False): Port(-2, 0, WEST), (HIGH, False): Port(2, 0, EAST)}
    return Placed(inner, outer, _around(inner, outer), ports)


def _options(piece: Piece, port: Port) -> Iterator[Placed]:
    """How a tile may lie at a port: straight on, or with a turn; a double crosswise."""
    x, y, (dx, dy) = port.x, port.y, port.way
    if piece.double:
        (ex, ey), _ = _turned(port.way)
        middle = (x + dx, y + dy)
        inner, outer = (middle[0] - ex, middle[1] - ey), (middle[0] + ex, middle[1] + ey)
        ports = {(FAR, False): Port(x + 2 * dx, y + 2 * dy, port.way)}
        ports[CROSS, False] = Port(middle[0] + 2 * ex, middle[1] + 2 * ey, (ex, ey))
        ports[CROSS, True] = Port(middle[0] - 2 * ex, middle[1] - 2 * ey, (-ex, -ey))
        yield Placed(inner, outer, _around(inner, outer), ports)
        return
    inner = (x + dx, y + dy)
    for ex, ey in (port.way, *_turned(port.way)):
        outer = (inner[0] + 2 * ex, inner[1] + 2 * ey)
        end = Port(outer[0] + ex, outer[1] + ey, (ex, ey))
        yield Placed(inner, outer, _around(inner, outer), {(FAR, False): end})


class _Search:
    """Places one tile after another, and takes back what leaves no room for a later one."""

    def __init__(self, tree: Tree, page: tuple[int, int, int]) -> None:
        self.pieces = tree.pieces
        self.half, self.gap = (page[0] // 2, page[1] // 2), page[2]
        self.placed: list[Placed] = []
        self.taken: dict[Point, list[int]] = {}  # cells in and around tiles
        self.children: list[list[int]] = [[] for _ in tree.pieces]
        for number, piece in enumerate(tree.pieces):
            if piece.parent >= 0:
                self.children[piece.parent].append(number)
        self.below = [0] * len(tree.pieces)  # how many tiles an arm still gets
        for number in range(len(tree.pieces) - 1, 0, -1):
            self.below[tree.pieces[number].parent] += 1 + self.below[number]

    def run(self) -> bool:
        """Depth first; whether all tiles were placed."""
        self._put(_lead(self.pieces[0]))
        waiting = [self._choices(1)] if len(self.pieces) > 1 else []
        for _ in range(TRIES):
            if len(self.placed) == len(self.pieces):
                return True
            option = next(waiting[-1], None)
            if option is not None:
                self._put(option)
                if self._all_have_room():
                    if len(self.placed) < len(self.pieces):
                        waiting.append(self._choices(len(self.placed)))
                else:
                    self._take_back()
            else:
                waiting.pop()
                if not waiting:
                    return False
                self._take_back()
        return len(self.placed) == len(self.pieces)

    def _port(self, number: int) -> Port:
        piece = self.pieces[number]
        return self.placed[piece.parent].ports[piece.at, piece.second]

    def _choices(self, number: int) -> Iterator[Placed]:
        """The ways to lay a tile, the best first: straight on, while there is room for what its arm still gets."""
        piece, wanted = self.pieces[number], 4 + 4 * min(self.below[number], 5)
        rated = []
        for turn, option in enumerate(_options(piece, self._port(number))):
            if self._is_free(option.box, piece.parent):
                free = min(self._room_ahead(port) for port in option.ports.values())
                after_double = turn > 0 and self.pieces[piece.parent].double
                rated.append((min(free, wanted) - (2 if turn else 0) - 8 * after_double, -turn, option))
        rated.sort(key=lambda one: one[:2], reverse=True)
        return iter([option for _, _, option in rated])

    def _room_ahead(self, port: Port) -> int:
        """How far an arm may go straight on, up to six tiles."""
        x, y, (dx, dy) = port.x, port.y, port.way
        for length in range(1, 25):
            x, y = x + dx, y + dy
            if abs(x) > self.half[0] or abs(y) > self.half[1]:
                return length - 1
            if length > self.gap + 1 and (x, y) in self.taken:  # the first cells are around the tile itself
                return length - 1
        return 24

    def _is_free(self, box: Box, parent: int) -> bool:
        left, top, right, bottom = box
        if max(-left, right) > self.half[0] or max(-top, bottom) > self.half[1]:
            return False
        taken = self.taken
        for x in range(left, right):
            for y in range(top, bottom):
                owners = taken.get((x, y))
                if owners and (len(owners) > 1 or owners[0] != parent):
                    return False
        return True

    def _all_have_room(self) -> bool:
        """Whether every tile that comes next on an arm could be laid now."""
        done = len(self.placed)
        for parent in range(done):
            for number in self.children[parent]:
                if number >= done and not any(
                    self._is_free(option.box, parent) for option in _options(self.pieces[number], self._port(number))
                ):
                    return False
        return True

    def _around(self, box: Box) -> Iterator[Point]:
        left, top, right, bottom = box
        for x in range(left - self.gap, right + self.gap):
            for y in range(top - self.gap, bottom + self.gap):
                yield x, y

    def _put(self, option: Placed) -> None:
        for cell in self._around(option.box):
            self.taken.setdefault(cell, []).append(len(self.placed))
        self.placed.append(option)

    def _take_back(self) -> None:
        for cell in self._around(self.placed.pop().box):
            owners = self.taken[cell]
            owners.pop()
            if not owners:
                del self.taken[cell]
