"""`defensive`: leave the next player as little as possible."""

from __future__ import annotations

from typing import Any

import numpy as np

from allfives_sim.agents.policy import agent
from allfives_sim.core.bits import lowest
from allfives_sim.core.board import LAYOUT, count_after, open_pips, place
from allfives_sim.core.compiled import compiled
from allfives_sim.core.hand import fits
from allfives_sim.core.view import NO_MOVE, first_move, next_move, pips, points, tile

MAX_SCORING = 64  # tiles, more than any set holds


@agent(weight=1.0, block=3.0, points=0.0)
def defensive(view: Any, word: Any) -> int:
    """Gives the next player the least: the smallest expected best reply, and the highest chance of none at all.

    The value of a play is ``block * P(next player cannot play) - weight * E(their best reply)``, plus
    ``points * (points that it scores)``, which by default count nothing; among equals the heaviest tile.  The next
    player's hand is taken to be any of the tiles that this seat has not seen, less those that draws and passes have
    shown it not to hold, all equally likely.

    Parameters: weight (per point of the expected best reply), block (points that a player without a play is worth),
    points (per point scored at once).
    """
    weight, block, own = view.parameters[0], view.parameters[1], view.parameters[2]
    after = np.zeros(1, LAYOUT)
    scoring = np.zeros(MAX_SCORING, np.int64)
    best, best_value = NO_MOVE, -1e18
    move = first_move(view)
    while move != NO_MOVE:
        after[0] = view.layout
        place(after[0], view.rules, move)
        reply, stuck = expected_reply(view, after[0], tile(view, move), scoring)
        value = block * stuck - weight * reply + own * points(view, move) + 1e-6 * pips(view, move)
        if value > best_value:
            best, best_value = move, value
        move = next_move(view, move)
    return best


@compiled
def expected_reply(view: Any, layout: Any, played: int, scoring: Any) -> tuple[float, float]:
    """Expected points of the next player's best reply, and the chance that they have no tile that fits.

    Parameters
    ----------
    view : record of dtype `VIEW`
    layout : record of dtype `LAYOUT`
        As it would be after the mover's play.
    played : int
        The tile of that play.
    scoring : int64 array (MAX_SCORING,)
        Work space.

    Returns
    -------
    reply : float
        With the candidate tiles sorted by what they score, the best reply is the first one that the hand holds: a
        hand of h out of n tiles holds the first with chance h / n, the second but not the first with
        (1 - h / n) · h / (n - 1), and so on.
    stuck : float
        The chance that none of the tiles that fit is in the hand.
    """
    seat = view.seat + 1 if view.seat + 1 < view.rules.players else 0
    full = (2 << view.rules.highest_pip) - 1
    ends = open_pips(layout)
    unseen, fitting, found = 0, 0, 0
    for low in range(view.rules.highest_pip + 1):
        if view.lacks[seat] >> low & 1:
            continue
        row = full & ~(view.hand[low] | view.played[low] | view.lacks[seat]) & (-1 << low)
        while row:
            high = lowest(row)
            row &= row - 1
            if 16 * low + high == played:
                continue
            unseen += 1
            if fits(ends, 16 * low + high):
                fitting += 1
                gain = best_points(layout, view.rules, low, high)
                if gain > 0:
                    insert_sorted(scoring, found, gain)
                    found += 1
    held = min(view.tiles[seat], unseen)
    reply, none_yet = 0.0, 1.0
    for rank in range(found):
        chance = held / (unseen - rank)
        reply += none_yet * chance * scoring[rank]
        none_yet *= 1.0 - chance
    stuck = 1.0
    for rank in range(fitting):
        stuck *= max(0.0, 1.0 - held / (unseen - rank))
    return reply, stuck


@compiled
def best_points(layout: Any, rules: Any, low: int, high: int) -> int:
    """The most that the tile can score on any end."""
    best = 0
    for end in range(layout.ends):
        if layout.pip[end] == low:
            best = max(best, rules.points[count_after(layout, 16 * end + high)])
        elif layout.pip[end] == high:
            best = max(best, rules.points[count_after(layout, 16 * end + low)])
    return best


@compiled
def insert_sorted(numbers: Any, used: int, number: int) -> None:
    """Put a number into the first `used` ones of an array, which are sorted from high to low."""
    place = used
    while place > 0 and numbers[place - 1] < number:
        numbers[place] = numbers[place - 1]
        place -= 1
    numbers[place] = number
