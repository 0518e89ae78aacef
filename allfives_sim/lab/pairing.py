"""Paired deals: the same tiles, played with every rotation of two agents over the seats."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Pairing:
    """How two agents, 0 and 1, share the seats of a deal.

    Attributes
    ----------
    seatings : int64 array (rotations, seats)
        Which agent sits where.
    weights : int64 array (rotations, seats)
        What a seat's points count: a margin is their weighted sum over the seats, divided by `scale`.
    scale : int
    """

    seatings: NDArray[np.int64]
    weights: NDArray[np.int64]
    scale: int


def pairing(players: int) -> Pairing:
    """The seatings of two agents for a number of players.

    With two players A-B and B-A; with four A-B-A-B and B-A-B-A; with three the rotations of A-B-B and of A-A-B.  A
    margin is the points per seat of A less the points per seat of B, where with partners each seat has the points of
    its side.

    Examples
    --------
    >>> pairing(3).seatings.tolist()
    [[0, 1, 1], [1, 0, 1], [1, 1, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    >>> pairing(3).weights[0].tolist(), pairing(3).scale
    ([2, -1, -1], 2)
    """
    if players == 3:
        alone = np.eye(3, dtype=np.int64)
        return Pairing(np.vstack([1 - alone, alone]), np.vstack([3 * alone - 1, 1 - 3 * alone]), 2)
    seatings = np.array([[(seat + rotation) % 2 for seat in range(players)] for rotation in range(2)], dtype=np.int64)
    return Pairing(seatings, 1 - 2 * seatings, players // 2)
