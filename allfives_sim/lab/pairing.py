"""Paired deals: the same tiles, played with every rotation of the agents over the seats."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Seating:
    """How the agents of a table, numbered from 0, take the seats of a deal.

    Attributes
    ----------
    agents : int
        How many there are.
    seatings : int64 array (rotations, seats)
        Which agent sits where.
    weights : int64 array (rotations, seats)
        What a seat's points count: an agent's value in a hand, the mean points of its seats, is their weighted sum over
        its seats, divided by `scale`.
    scale : int
    """

    agents: int
    seatings: NDArray[np.int64]
    weights: NDArray[np.int64]
    scale: int


def seat_table(places: Sequence[int]) -> Seating:
    """All rotations of one order of agents around the table.

    Parameters
    ----------
    places : sequence of int
        The agent of each seat; one may have several.

    Examples
    --------
    >>> seat_table([0, 1, 2]).seatings.tolist()
    [[0, 1, 2], [2, 0, 1], [1, 2, 0]]
    """
    return _seating([places])


def seat_pair(players: int) -> Seating:
    """The seatings of two agents for a number of players.

    With two players A-B and B-A; with four A-B-A-B and B-A-B-A; with three the rotations of A-B-B and of B-A-A.

    Examples
    --------
    >>> seat_pair(3).seatings.tolist()
    [[0, 1, 1], [1, 0, 1], [1, 1, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    >>> seat_pair(3).weights[0].tolist(), seat_pair(3).scale
    ([2, 1, 1], 2)
    """
    return _seating([[0, 1, 1], [1, 0, 0]] if players == 3 else [[seat % 2 for seat in range(players)]])


def _seating(tables: Sequence[Sequence[int]]) -> Seating:
    rotated = [
        tuple(table[(seat - rotation) % len(table)] for seat in range(len(table)))
        for table in tables
        for rotation in range(len(table))
    ]
    seatings = list(dict.fromkeys(rotated))
    scale = math.lcm(*(table.count(agent) for table in seatings for agent in table))
    weights = [[scale // table.count(agent) for agent in table] for table in seatings]
    agents = 1 + max(max(table) for table in seatings)
    return Seating(agents, np.array(seatings, dtype=np.int64), np.array(weights, dtype=np.int64), scale)
