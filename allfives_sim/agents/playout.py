"""Hands played out in a sampled deal."""

from __future__ import annotations

from typing import Any

import numpy as np

from allfives_sim.agents.learned import learned_best
from allfives_sim.core.bits import copy_all, copy_record
from allfives_sim.core.calls import address_of_record
from allfives_sim.core.compiled import compiled, compiled_apart
from allfives_sim.core.hand import (
    BAD_MOVE,
    BLOCKED,
    ask,
    draw_until_one_fits,
    find_moves,
    pass_turn,
    play_hand,
    play_tile,
    score_play,
)
from allfives_sim.core.settlement import settle
from allfives_sim.core.view import NO_MOVE, choices, first_move


@compiled
def seat_base(hidden: Any, parameters: Any, first: int) -> None:
    """Give the base its parameters, from number `first` on, and let it see all hands: sampled ones are no secret.

    A function of its own: written where the array of `hidden` is made, Numba loses the assignments.
    """
    for number in range(first, len(parameters)):
        hidden.parameters[0, number - first] = parameters[number]
    hidden.doors[0] = address_of_record(hidden)


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
    set_table(view, world, table, hidden)
    ended = score_play(table, play_tile(table, hidden, move))
    if not ended:
        ended = play_hand(table, hidden, base, agents)
    if ended == BAD_MOVE:
        return np.nan
    settle(table, hidden, ended, numbers[0], numbers[1])
    return margin_of(view, table)


@compiled
def find_choices(table: Any, hidden: Any) -> bool:
    """Go on to the next seat that can play, with the draws and passes before that; False where the hand is blocked."""
    blocked = False
    while not blocked:
        table.drawn = 0
        if find_moves(table, hidden) or draw_until_one_fits(table, hidden):
            return True
        blocked = pass_turn(table)
    return False


@compiled_apart
def play_and_judge(
    view: Any, world: Any, table: Any, hidden: Any, move: int, turns: int, base: int, agents: Any, numbers: Any,
    inputs: Any,
) -> float:  # fmt: skip
    """Play a move in a sampled world and the hand on, until the mover has a turn at which it is judged.

    There the network says what the best play is worth to the mover, who sees its own hand only.  That is cheaper than
    to play on, and less a matter of luck (truncated rollouts: Tesauro and Galperin, "On-line policy improvement using
    Monte-Carlo search", NIPS 9, 1996).  Where drawing is a choice, nobody draws.

    Parameters
    ----------
    view, world, table, hidden, move, base, agents, numbers
        As for `play_out`.
    turns : int
        How many own turns the mover plays before.
    inputs : float32 array
        Work space for `learned_best`.

    Returns
    -------
    float
        As `play_out` gives it.
    """
    set_table(view, world, table, hidden)
    table.can_draw = 0
    ended = score_play(table, play_tile(table, hidden, move))
    while not ended:
        if not find_choices(table, hidden):
            ended = BLOCKED
            break
        if table.seat == view.seat:
            if turns == 0:
                copy_all(table.hand, hidden.hands[table.seat])
                return margin_of(view, table) + learned_best(table, inputs)[1]
            turns -= 1
        move = first_move(table) if choices(table) == 1 else ask(table, hidden, base, agents)
        if move == NO_MOVE:
            return np.nan
        ended = score_play(table, play_tile(table, hidden, move))
    settle(table, hidden, ended, numbers[0], numbers[1])
    return margin_of(view, table)


@compiled
def set_table(view: Any, world: Any, table: Any, hidden: Any) -> None:
    """Make a table of what the mover sees and a deal for it."""
    copy_record(table.layout, view.layout)
    copy_all(table.played, view.played)
    copy_all(table.tiles, view.tiles)
    copy_all(table.scores, view.scores)
    copy_all(table.lacks, view.lacks)
    table.seat, table.leader = view.seat, view.leader
    table.boneyard, table.passes = view.boneyard, view.passes
    table.drawn = table.events = table.led_by = 0
    copy_all(hidden.hands, world.hands)
    copy_all(hidden.streams, world.streams)
    copy_all(hidden.deck, world.deck)
    hidden.left, hidden.draws = world.left, 0


@compiled
def margin_of(view: Any, table: Any) -> float:
    """What the mover's side has gained at a table since the view, less the mean of what the other sides have."""
    mine = view.seat & view.rules.side_mask
    margin = 0.0
    for side in range(view.rules.sides):
        gain = table.scores[side] - view.scores[side]
        margin += gain if side == mine else -gain / (view.rules.sides - 1)
    return margin
