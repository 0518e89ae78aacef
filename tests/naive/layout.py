"""The tiles and the layout: rules.md, "Ends and the count"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

Tile = tuple[int, int]  # the lower pip first
LEAD = "lead"
At = int | str  # the number of an end, or LEAD


def read_tile(text: Any) -> Tile:
    """A tile as records.md has it: "its two pips with a hyphen; a reader takes either order"."""
    if not isinstance(text, str) or not re.fullmatch("[0-9]-[0-9]", text):
        raise ValueError(f"{text!r} is no tile")
    first, second = int(text[0]), int(text[2])
    return (min(first, second), max(first, second))


def write_tile(tile: Tile) -> str:
    """A tile as text: "a writer puts the lower first"."""
    return f"{tile[0]}-{tile[1]}"


def full_set(highest_pip: int) -> list[Tile]:
    """Every tile of the set, up to the double of the highest pip."""
    return [(low, high) for low in range(highest_pip + 1) for high in range(low, highest_pip + 1)]


def is_double(tile: Tile) -> bool:
    """Both halves alike."""
    return tile[0] == tile[1]


def lead_tiles(tiles: list[Tile], lead_tile: str) -> list[Tile]:
    """What a leader with these tiles may lead: "a leader without a double may lead anything"."""
    # Reading 11: "double": who holds a double must lead one; "highest_double": must lead their highest.
    doubles = [tile for tile in tiles if is_double(tile)]
    if lead_tile == "any" or not doubles:
        return list(tiles)
    if lead_tile == "double":
        return doubles
    return [max(doubles)]


@dataclass
class Spinner:
    """A double with sides of its own: a spinner, or under spinner: none a lead double (no cross ends)."""

    pip: int
    covered: int  # how many of its sides are covered
    multiples: list[int]  # it adds pip × multiples[covered] to the count
    crosses_to_come: bool  # its two cross ends have not opened yet


@dataclass
class End:
    """An open end: the pip to match, what it counts of its own, the spinner whose bare side it is."""

    pip: int
    value: int
    bare: Spinner | None = None


class Layout:
    """The tiles on the table, as far as they matter: the ends by number and the spinners."""

    def __init__(self, s: dict[str, Any]) -> None:
        self.s = s
        self.ends: list[End] = []
        self.spinners: list[Spinner] = []

    def legal(self, tiles: list[Tile]) -> list[tuple[Tile, At]]:
        """Every way to play one of the tiles: "each player plays a tile that matches an open end"."""
        if not self.ends:
            return [(tile, LEAD) for tile in lead_tiles(tiles, self.s["lead_tile"])]
        return [(tile, k) for tile in tiles for k, end in enumerate(self.ends) if end.pip in tile]

    def place(self, tile: Tile, at: At) -> None:
        """Put a tile on the table; the caller has checked that it is legal."""
        if at == LEAD:
            self._lead(tile)
        else:
            self._play_on(tile, int(at))
        for spinner in self.spinners:
            self._open_crosses(spinner)

    def _lead(self, tile: Tile) -> None:
        """The lead "opens end 0 (its lower pip) and end 1"; a double "opens 0 and 1, both on itself"."""
        low, high = tile
        if low != high:
            self.ends = [End(low, low), End(high, high)]
            return
        if self.s["spinner"] == "none":
            # "a lead double counts 2× its pip until both sides are covered, and has no cross ends"
            double = Spinner(low, 0, [2, 2, 0], False)
        else:
            double = Spinner(low, 0, self.s["spinner_count"], True)
        self.spinners.append(double)
        self.ends = [End(low, 0, double), End(low, 0, double)]

    def _play_on(self, tile: Tile, k: int) -> None:
        """A tile played on end k: "its outer half is now end k"."""
        end = self.ends[k]
        if end.bare is not None:
            end.bare.covered += 1
        outer = tile[1] if tile[0] == end.pip else tile[0]
        if not is_double(tile):
            self.ends[k] = End(outer, outer)
        elif self._spins():
            # "the tile it was played on covers its first side, its far side is end k"; it counts nothing bare
            double = Spinner(outer, 1, self.s["spinner_count"], True)
            self.spinners.append(double)
            self.ends[k] = End(outer, 0, double)
        else:
            self.ends[k] = End(outer, 2 * outer)  # "a double at an end counts both halves"

    def _spins(self) -> bool:
        """Is a double that is played now a spinner? "The first double played is the spinner"."""
        if self.s["spinner"] == "first_double":
            return not self.spinners
        return bool(self.s["spinner"] == "all_doubles")

    def _open_crosses(self, spinner: Spinner) -> None:
        """Cross ends open at_once or "when both sides are covered"; they "take the next two numbers"."""
        # While the cross ends are shut, only the two sides can be covered.
        due = self.s["cross_arms"] == "at_once" or spinner.covered == 2
        if spinner.crosses_to_come and due:
            self.ends += [End(spinner.pip, 0, spinner), End(spinner.pip, 0, spinner)]
            spinner.crosses_to_come = False

    def count(self) -> int:
        """The count: "the sum over ends, plus what the spinners add themselves"."""
        ends = sum(end.value for end in self.ends)
        return ends + sum(spinner.pip * spinner.multiples[spinner.covered] for spinner in self.spinners)
