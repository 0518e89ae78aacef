"""The tree of `ismcts`: what is known of the plays that may follow, for the mover, from walks in sampled worlds."""

from __future__ import annotations

from typing import Any

import numpy as np

from allfives_sim.agents.playout import find_choices, set_table
from allfives_sim.agents.reply import find_next_hand
from allfives_sim.agents.risk import BLOCK, KEEP, PIPS, REPLY, risk_value
from allfives_sim.core.bits import copy_all, int64
from allfives_sim.core.board import MAX_ENDS
from allfives_sim.core.compiled import compiled, compiled_apart, record_type
from allfives_sim.core.hand import (
    BAD_MOVE,
    BLOCKED,
    HIDDEN,
    find_moves,
    play_hand,
    play_tile,
    score_play,
)
from allfives_sim.core.settlement import settle
from allfives_sim.core.tiles import MAX_PLAYERS
from allfives_sim.core.view import NO_MOVE, VIEW, first_move, next_move

ROOT = 0
NO_NODE = 0  # the root is nobody's child
WEIGHT = 4.0  # how many visits the value that `risk` gives a play is worth inside the tree

# A node is a play.  Its key also tells who made it and how many tiles were in the boneyard then: what the table saw
# happen between two plays.  So a player who had to draw three tiles and one who had to draw none, or who had to pass,
# have children of their own at the same node; UCB chooses among those of what happened in this world.  Which tiles were
# drawn is in no key: for the opponents that is hidden, and a tree that told the mover's own draws apart would hardly
# ever come to the same node twice.
# fmt: off
NODE = record_type([
    ("key", np.int64),
    ("child", np.int64), ("sibling", np.int64),  # the youngest child, and the next older child of the same parent
    ("visits", np.float64),
    ("seen", np.float64),                        # how often it could be chosen; not kept at the root
    ("total", np.float64, (MAX_PLAYERS,)),       # of the margins of each side
])
WALK = record_type([
    ("table", VIEW), ("hidden", HIDDEN),           # the game as it is on the way
    ("policy", np.int64),                        # address of the policy that plays hands out
    ("explore", np.float64),
    ("nodes", np.int64),                         # how many are in use
    ("depth", np.int64), ("path", np.int64, (64,)),
    ("margins", np.float64, (MAX_PLAYERS,)),     # of each side, by the last walk
    ("worth", np.float64, (16 * MAX_ENDS,)),     # of each move, as `risk` sees it
    ("agents", np.int64, (MAX_PLAYERS,)),        # the base at every seat
    ("settlement", np.int64, (MAX_PLAYERS,)), ("pips", np.int64, (MAX_PLAYERS,)),
])
# fmt: on


@compiled_apart
def walk_down(view: Any, world: Any, move: int, nodes: Any, walk: Any) -> bool:
    """Play a hand out in a sampled world, by the tree as far as it goes; the tree grows by one node.

    Parameters
    ----------
    view, world : records of dtype `VIEW` and `HIDDEN`
        What the mover sees, and a world for it; not changed.
    move : int
        What the mover plays first.
    nodes : array of dtype `NODE`
        Changed: the nodes on the way learn the margins.
    walk : record of dtype `WALK`
        Changed: ``walk.margins`` is how the hand ended.

    Returns
    -------
    bool
        False where the base answered with what is no choice.
    """
    table, hidden = walk.table, walk.hidden
    set_table(view, world, table, hidden)
    find_moves(table, hidden)
    walk.depth, walk.path[0] = 1, ROOT
    node = ROOT
    while True:
        child = find_child(nodes, node, key_of(table, move))
        grown = child == NO_NODE
        if grown:
            child = add_child(nodes, node, key_of(table, move), walk)
        walk.path[walk.depth] = child
        walk.depth += 1
        node = child
        ended = score_play(table, play_tile(table, hidden, move))
        if ended or grown:
            break
        if not find_choices(table, hidden):
            ended = BLOCKED
            break
        move = choose_child(nodes, node, walk)
    if not ended:
        ended = play_hand(table, hidden, walk.policy, walk.agents)
    if ended == BAD_MOVE:
        return False
    settle(table, hidden, ended, walk.settlement, walk.pips)
    learn(view, nodes, walk)
    return True


@compiled
def key_of(table: Any, move: int) -> int:
    """The key of the node that a move leads to."""
    return table.boneyard << 11 | int64(table.seat) << 9 | move


@compiled
def find_child(nodes: Any, node: int, key: int) -> int:
    """The child of a node with a key, or `NO_NODE`."""
    child = nodes[node].child
    while child != NO_NODE and nodes[child].key != key:
        child = nodes[child].sibling
    return child


@compiled
def add_child(nodes: Any, node: int, key: int, walk: Any) -> int:
    """Take a new node for a play into use."""
    child = walk.nodes
    walk.nodes += 1
    nodes[child].key, nodes[child].sibling = key, nodes[node].child
    nodes[child].seen = 1.0
    nodes[node].child = child
    return child


@compiled
def choose_child(nodes: Any, node: int, walk: Any) -> int:
    """The move to go on with: UCB among those that the mover of this world has.

    Every play begins with `WEIGHT` visits, of what the node is worth to the mover's side less what `risk` finds the
    play to be worse than its best.  So nothing has to be tried before it looks good enough, and the replies that
    a play meets are sensible ones from the start.
    """
    table, worth = walk.table, walk.worth
    copy_all(table.hand, walk.hidden.hands[table.seat])
    best = weigh_choices(table, worth)
    side = int64(table.seat) & table.rules.side_mask
    start = nodes[node].total[side] / nodes[node].visits - best
    top, top_bound = NO_MOVE, -np.inf
    move = first_move(table)
    while move != NO_MOVE:
        child = find_child(nodes, node, key_of(table, move))
        total, visits, seen = WEIGHT * (start + worth[move]), WEIGHT, 1.0
        if child != NO_NODE:
            nodes[child].seen += 1.0
            total, visits, seen = total + nodes[child].total[side], visits + nodes[child].visits, nodes[child].seen
        bound = total / visits + walk.explore * np.sqrt(np.log(1.0 + seen) / visits)
        if bound > top_bound:
            top, top_bound = move, bound
        move = next_move(table, move)
    return top


@compiled_apart
def weigh_choices(view: Any, worth: Any) -> float:
    """Find what each choice is worth as `risk` sees it, by its move; the best of them."""
    best = -np.inf
    unseen, held = find_next_hand(view)
    move = first_move(view)
    while move != NO_MOVE:
        worth[move] = risk_value(view, move, unseen, held, REPLY, BLOCK, PIPS, KEEP)
        best = max(best, worth[move])
        move = next_move(view, move)
    return best


@compiled
def learn(view: Any, nodes: Any, walk: Any) -> None:
    """Work out each side's margin from the mover's position to the end, and tell the nodes on the way."""
    sides, scores = view.rules.sides, walk.table.scores
    together = 0
    for side in range(sides):
        together += scores[side] - view.scores[side]
    for side in range(sides):
        gain = scores[side] - view.scores[side]
        walk.margins[side] = gain - (together - gain) / (sides - 1)
    for place in range(walk.depth):
        node = walk.path[place]
        nodes[node].visits += 1.0
        for side in range(sides):
            nodes[node].total[side] += walk.margins[side]
