"""Sampled worlds: hands and a boneyard for what the mover does not see, and hands played out in them."""

from __future__ import annotations

from typing import Any

import numpy as np

from allfives_sim.core.bits import copy_all, copy_record, int64
from allfives_sim.core.compiled import compiled
from allfives_sim.core.hand import BAD_MOVE, add_tile, play_hand, play_tile, score_play
from allfives_sim.core.settlement import settle
from allfives_sim.core.streams import STEP, below, mix


@compiled
def sample_world(view: Any, world: Any, word: np.uint64, belief: bool) -> None:
    """Deal the tiles that the mover does not see to the other hands and the boneyard, at random.

    With `belief` a seat gets no tile with a pip that draws and passes have shown it to lack (``view.lacks``).  Each
    deal that agrees with this is as likely, where one hand is hidden and all its tiles came at once; with several
    hidden hands, or tiles drawn between two passes, this is close to the truth but not exact.

    Parameters
    ----------
    view : record of dtype `VIEW`
    world : record of dtype `HIDDEN`
        Filled: hands, boneyard, and streams for the policies that play in it.
    word : uint64
        A random word.
    belief : bool
    """
    tiles = 0
    for low in range(view.rules.highest_pip + 1):
        row = int64(view.hand[low]) | int64(view.played[low])
        for high in range(low, view.rules.highest_pip + 1):
            if not row >> high & 1:
                world.deck[tiles] = 16 * low + high
                tiles += 1
    for seat in range(view.rules.players):
        for pip in range(16):
            world.hands[seat, pip] = view.hand[pip] if seat == view.seat else 0
        word += STEP
        world.streams[seat] = mix(word)
    first = 0
    for turn in range(1, view.rules.players):
        seat = (view.seat + turn) % view.rules.players
        able = _bring_forward(world, first, tiles, view.lacks[seat] if belief else 0)
        if able < view.tiles[seat]:  # another hand took what this one needs: let it have any
            able = tiles - first
        for place in range(view.tiles[seat]):
            word += STEP
            _swap(world, first, first + below(mix(word), able - place))
            add_tile(world, seat, int64(world.deck[first]))
            first += 1
    for last in range(tiles - 1, first, -1):
        word += STEP
        _swap(world, last, first + below(mix(word), last - first + 1))
    world.left = (1 << tiles) - (1 << first)
    world.draws = 0


@compiled
def _bring_forward(world: Any, first: int, tiles: int, lacks: int) -> int:
    """Bring the tiles without a lacked pip to the front of those from `first` on; how many they are."""
    able = first
    for place in range(first, tiles):
        tile = int64(world.deck[place])
        if not (lacks >> (tile >> 4) | lacks >> (tile & 15)) & 1:
            _swap(world, place, able)
            able += 1
    return able - first


@compiled
def _swap(world: Any, one: int, other: int) -> None:
    world.deck[one], world.deck[other] = world.deck[other], world.deck[one]


@compiled
def play_out(view: Any, world: Any, table: Any, hidden: Any, move: int, base: int, agents: Any, numbers: Any) -> float:
    """Play a move in a sampled world and the hand to its end with a base policy at every seat; the mover's margin.

    Parameters
    ----------
    view, world : records of dtype `VIEW` and `HIDDEN`
        What the mover sees, and a world for it; not changed.
    table, hidden : records of dtype `VIEW` and `HIDDEN`
        Work space; ``table.rules`` must hold the rules, ``hidden.parameters`` those of the base.
    move : int
    base : int
        Address of the base policy.
    agents, numbers : int64 arrays (4,) and (2, 4)
        Work space.

    Returns
    -------
    float
        Points of the mover's side from here on, less the mean of the other sides'; NaN where the base answered with
        what is no choice.
    """
    sides = view.rules.sides
    copy_record(table.layout, view.layout)
    copy_all(table.played, view.played)
    copy_all(table.tiles, view.tiles)
    copy_all(table.scores, view.scores)
    copy_all(table.lacks, view.lacks)
    table.seat, table.leader = view.seat, view.leader
    table.boneyard, table.passes = view.boneyard, view.passes
    table.drawn = table.events = 0
    copy_all(hidden.hands, world.hands)
    copy_all(hidden.streams, world.streams)
    copy_all(hidden.deck, world.deck)
    hidden.left, hidden.draws = world.left, 0
    ended = score_play(table, play_tile(table, hidden, move))
    if not ended:
        ended = play_hand(table, hidden, base, agents)
    if ended == BAD_MOVE:
        return np.nan
    settle(table, hidden, ended, numbers[0], numbers[1])
    mine = view.seat & view.rules.side_mask
    margin = 0.0
    for side in range(sides):
        gain = table.scores[side] - view.scores[side]
        margin += gain if side == mine else -gain / (sides - 1)
    return margin
