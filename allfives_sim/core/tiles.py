"""Tiles and sets.

A tile is one small number, sixteen times its lower pip plus its higher pip, so that both are read off without a
table.  A hand is held as rows: for each pip, a mask of the pips that it is paired with.
"""

from __future__ import annotations

from allfives_sim.core.errors import shown

PIPS = 10  # a double-nine set, the largest, has pips 0 to 9
MAX_TILES = 55
MAX_PLAYERS = 4


def tile_of(a: int, b: int) -> int:
    """The tile with pips `a` and `b`, in either order.

    >>> tile_of(6, 2) == tile_of(2, 6) == 0x26
    True
    """
    return 16 * min(a, b) + max(a, b)


def tile_name(tile: int) -> str:
    """The tile as players write it, the lower pip first.

    >>> tile_name(tile_of(6, 2))
    '2-6'
    """
    return f"{tile >> 4}-{tile & 15}"


def tile_from_name(name: str) -> int:
    """The tile of a name such as ``"6-2"``, either pip first; ValueError where it is none.

    >>> tile_from_name("6-2") == tile_from_name("2-6")
    True
    """
    low, dash, high = name.partition("-") if isinstance(name, str) else ("", "", "")
    if not (dash and len(low) == len(high) == 1 and low in "0123456789" and high in "0123456789"):
        raise ValueError(f"{shown(repr(name))} is not a tile; a tile is two pips with a hyphen, such as '2-6'")
    return tile_of(int(low), int(high))


def tile_set(highest_pip: int) -> list[int]:
    """All tiles of the double-n set, lowest first.

    >>> len(tile_set(6)), len(tile_set(9))
    (28, 55)
    """
    return [tile_of(a, b) for a in range(highest_pip + 1) for b in range(a, highest_pip + 1)]


def tile_pips(tile: int) -> int:
    """Both halves together.

    >>> tile_pips(tile_of(6, 2))
    8
    """
    return (tile >> 4) + (tile & 15)
