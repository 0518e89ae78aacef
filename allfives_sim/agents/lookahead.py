"""A search some plays deep in a sampled deal, in which draws are chance and hands are played out at its end.

All hands of a sampled deal are known, and so is its boneyard; a search that knew what it will draw would count on it.
So whoever must draw in the search draws from a boneyard that is shuffled anew.  The mover's side takes the best for
its margin (own points less the mean of the other sides'), every other seat the worst for it: exact for two sides, and a
cautious guess for more.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from allfives_sim.agents.playout import margin_of, set_table
from allfives_sim.agents.solver import FRAME, restore, save
from allfives_sim.core.bits import copy_all, highest, lowest
from allfives_sim.core.compiled import compiled, compiled_apart, record_type
from allfives_sim.core.hand import (
    BAD_MOVE,
    BLOCKED,
    draw_until_one_fits,
    find_moves,
    pass_turn,
    play_hand,
    play_tile,
    score_play,
)
from allfives_sim.core.settlement import settle
from allfives_sim.core.streams import STEP, below, mix
from allfives_sim.core.view import NO_MOVE, first_move, next_move, points

MOST_PLAYS = 8
FAR_OFF = 1e18  # beyond any margin

NODE = record_type(
    [
        ("at", FRAME),  # the position, to come back to
        ("moves", np.int64, (8,)),  # plays still to look at
        ("ours", np.int64),  # whether the mover's side chooses here
        ("value", np.float64),  # of the best play so far
        ("alpha", np.float64),
        ("beta", np.float64),  # values up to alpha and from beta on do not matter
    ]
)


@compiled
def new_nodes() -> Any:
    """Work space for `look_ahead`."""
    return np.zeros(MOST_PLAYS, NODE)


@compiled_apart
def look_ahead(
    view: Any, world: Any, table: Any, hidden: Any, nodes: Any, move: int, plays: int, base: int, agents: Any,
    numbers: Any, word: np.uint64,
) -> float:  # fmt: skip
    """Play a move in a sampled deal and search the next plays; the mover's margin where all sides play their best.

    Parameters
    ----------
    view, world, table, hidden, move, base, agents, numbers
        As for `play_out`, which plays the hands out at the end of the search.
    nodes : array of `NODE`
        Work space, from `new_nodes`.
    plays : int
        How many plays after the move are searched, up to `MOST_PLAYS`.
    word : uint64
        A random word, for the boneyard.

    Returns
    -------
    float
        As `play_out` gives it.
    """
    set_table(view, world, table, hidden)
    depth = 0  # how many nodes are open
    while True:
        ended = score_play(table, play_tile(table, hidden, move))
        if not ended:
            word += STEP
            ended = turn_to_a_play(table, hidden, word)
        if not ended and depth < plays:
            open_node(view, table, hidden, nodes, depth)
            depth += 1
        else:
            if not ended:
                ended = play_hand(table, hidden, base, agents)
            if ended == BAD_MOVE:
                return np.nan
            settle(table, hidden, ended, numbers[0], numbers[1])
            value = margin_of(view, table)
            while depth > 0 and is_done(nodes[depth - 1], value):
                depth -= 1
                value = nodes[depth].value
            if depth == 0:
                return value
            restore(table, hidden, nodes[depth - 1].at)
        move = take_move(table, nodes[depth - 1])


@compiled
def turn_to_a_play(table: Any, hidden: Any, word: np.uint64) -> int:
    """Let seats draw and pass until one has a play; 0, or `BLOCKED`."""
    while True:
        table.drawn = 0
        table.can_draw = 0
        if find_moves(table, hidden):
            return 0
        shuffle_boneyard(hidden, word)
        if draw_until_one_fits(table, hidden):
            return 0
        if pass_turn(table):
            return BLOCKED


@compiled
def shuffle_boneyard(hidden: Any, word: np.uint64) -> None:
    """Shuffle what is left of the boneyard: of a sampled deal these places lie side by side."""
    if hidden.left == 0:
        return
    first = lowest(hidden.left)
    for last in range(highest(hidden.left), first, -1):
        word += STEP
        other = first + below(mix(word), last - first + 1)
        hidden.deck[last], hidden.deck[other] = hidden.deck[other], hidden.deck[last]


@compiled
def open_node(view: Any, table: Any, hidden: Any, nodes: Any, depth: int) -> None:
    """Begin with a position, after `find_moves`, within the window of the node above."""
    save(table, hidden, nodes[depth].at)
    copy_all(nodes[depth].moves, table.moves)
    for word in range(table.layout.words, 8):
        nodes[depth].moves[word] = 0
    nodes[depth].ours = (table.seat ^ view.seat) & view.rules.side_mask == 0
    nodes[depth].value = -FAR_OFF if nodes[depth].ours else FAR_OFF
    nodes[depth].alpha = nodes[depth - 1].alpha if depth else -FAR_OFF
    nodes[depth].beta = nodes[depth - 1].beta if depth else FAR_OFF


@compiled
def is_done(node: Any, value: float) -> bool:
    """Note the value of the play that was looked at; whether no other play matters."""
    if node.ours:
        node.value = max(node.value, value)
        node.alpha = max(node.alpha, value)
    else:
        node.value = min(node.value, value)
        node.beta = min(node.beta, value)
    left = 0
    for word in range(8):
        left |= node.moves[word]
    return left == 0 or node.alpha >= node.beta


@compiled
def take_move(table: Any, node: Any) -> int:
    """Take the play that scores most of those still to look at."""
    copy_all(table.moves, node.moves)
    best = first_move(table)
    move = next_move(table, best)
    while move != NO_MOVE:
        if points(table, move) > points(table, best):
            best = move
        move = next_move(table, move)
    node.moves[best >> 6] ^= 1 << (best & 63)
    return best
