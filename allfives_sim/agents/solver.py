"""Exact play where all hands are known and nobody can draw: alpha-beta search with a table of what is solved.

For two sides.  The value of a position is what the side to move gains from here on more than the other side, to the end
of the hand and with its settlement, both sides playing their best.  Two players take turns, and so do two pairs of
partners, who play as one.

The search (Knuth and Moore, "An analysis of alpha-beta pruning", Artificial Intelligence 6, 1975) keeps its own stack,
a frame for each play that it looks ahead: plays are made on one table with the engine's own functions, and undone from
the frame.  Passes need no frame, since they are no choice, and a position in which a seat has passed is never met: it
is the next play that counts, and a play starts the row of passes anew.

Positions that were solved before, by another order of plays, are looked up in a table: see solved.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import from_dtype, types

from allfives_sim.agents.solved import (
    ENTRY,
    REACH,
    all_tiles,
    bit_of,
    find_reach,
    keep,
    looks_of,
    position_key,
    recall,
)
from allfives_sim.core.bits import copy_all, copy_record, int64
from allfives_sim.core.board import LAYOUT, count_after
from allfives_sim.core.compiled import compiled, compiled_apart, kernel, record_type
from allfives_sim.core.hand import BLOCKED, HIDDEN, find_moves, pass_turn, play_tile, score_play
from allfives_sim.core.settlement import settle
from allfives_sim.core.tiles import MAX_PLAYERS
from allfives_sim.core.view import NO_MOVE, VIEW, first_move, next_move

INFINITE = 1 << 40  # beyond any value

# fmt: off
FRAME = record_type([
    ("layout", LAYOUT),                           # the position, to come back to
    ("hands", np.uint16, (MAX_PLAYERS, 16)),
    ("played", np.uint16, (16,)),
    ("tiles", np.int64, (MAX_PLAYERS,)),
    ("scores", np.int64, (MAX_PLAYERS,)),
    ("lacks", np.int64, (MAX_PLAYERS,)),
    ("boneyard", np.int64), ("places", np.int64), ("draws", np.int64),  # what is left to draw, and where
    ("seat", np.int64), ("passes", np.int64), ("events", np.int64),
    ("left", np.int64),                          # mask of the tiles in all hands: see `bit_of`
    ("key", np.uint64),                          # what else there is to it: see `position_key`
    ("moves", np.int64, (8,)),                   # plays still to look at
    ("hint", np.int64),                          # what the table says of the best play: see `looks_of`
    ("alpha", np.int64), ("beta", np.int64),     # values up to alpha and from beta on do not matter
    ("best", np.int64), ("best_move", np.int64),
    ("move", np.int64), ("gain", np.int64),      # the play that is being looked at, and what it brought at once
])
# fmt: on


@compiled
def is_dead(view: Any) -> bool:
    """Whether no tile can be drawn any more in this hand."""
    return view.boneyard <= view.rules.reserve or view.rules.draw_limit == 0


@compiled
def tiles_left(table: Any) -> int:
    """Number of tiles in all hands."""
    total = 0
    for seat in range(table.rules.players):
        total += table.tiles[seat]
    return total


@compiled
def new_frames(tiles: int) -> Any:
    """A stack for `solve`, for positions with up to so many tiles in all hands."""
    return np.zeros(tiles + 2, FRAME)  # the first keeps the position as it was


@compiled_apart
def solve(table: Any, hidden: Any, frames: Any, memory: Any, world: np.uint64, cap: int) -> tuple[bool, int, int, int]:
    """Solve a position whose hands are all known.

    Parameters
    ----------
    table, hidden : records of dtype `VIEW` and `HIDDEN`
        The position, with two sides and a dead boneyard (`is_dead`): layout, played tiles, number of tiles, scores,
        seat to move, passes and rules of the one, all hands of the other.  Left as they were, but for the list of moves
        and what the history has after its last event.  Their arrays must live (`keep_alive`).
    frames, memory : arrays of `FRAME` and `ENTRY`
        Work space: see `new_frames` and `new_memory`.  The memory may hold what earlier calls have left there.
    world : uint64
        A number for the deal: positions of another deal or of other rules, where the same tiles are left in other
        hands, need another number, successors of one position may have the same and then share what is solved.
    cap : int
        How many positions may be looked at.

    Returns
    -------
    known : bool
        Whether it is solved; False where the cap was reached first.
    value : int
        What the side of the seat to move gains from here on more than the other side.
    move : int
        A best play of the first seat that has one (those before it pass): of equal ones that which scores most at once,
        then the heaviest tile; `NO_MOVE` where nobody can play.
    nodes : int
        How many positions were looked at.
    """
    numbers, reach = np.zeros((2, MAX_PLAYERS), np.int64), np.zeros(1, REACH)
    find_reach(table, hidden, reach[0])
    save(table, hidden, frames[0])  # as it was, to leave it so
    asked = frames[0].seat & 1
    if pass_until_a_play(table, hidden):
        settle(table, hidden, BLOCKED, numbers[0], numbers[1])
        value = gained(table, frames[0], asked)
        restore(table, hidden, frames[0])
        return True, value, NO_MOVE, 0
    open_frame(table, hidden, frames[1], all_tiles(table, hidden), world, reach[0], -INFINITE, INFINITE)
    depth, nodes = 1, 1
    while depth > 0 and nodes <= cap:
        move = pick_move(table, frames[depth])
        if move == NO_MOVE:  # all done here: back to the play that led here
            keep(memory, frames[depth])
            value, mover = frames[depth].best, frames[depth].seat
            depth -= 1
            if depth > 0:
                restore(table, hidden, frames[depth])
                same = (mover ^ frames[depth].seat) & 1 == 0
                note(frames[depth], frames[depth].gain + (value if same else -value))
            continue
        left = frames[depth].left ^ bit_of(table, move)
        ended = play_on(table, hidden, move)
        if ended:
            settle(table, hidden, ended, numbers[0], numbers[1])
        gain = gained(table, frames[depth], frames[depth].seat & 1)
        frames[depth].move, frames[depth].gain = move, gain
        if ended:
            restore(table, hidden, frames[depth])
            note(frames[depth], gain)
            continue
        low, high = max(frames[depth].alpha, frames[depth].best) - gain, frames[depth].beta - gain
        same = (int64(table.seat) ^ frames[depth].seat) & 1 == 0
        if not same:
            low, high = -high, -low
        open_frame(table, hidden, frames[depth + 1], left, world, reach[0], low, high)
        if recall(memory, frames[depth + 1]):
            value = frames[depth + 1].best
            restore(table, hidden, frames[depth])
            note(frames[depth], gain + (value if same else -value))
        else:
            depth, nodes = depth + 1, nodes + 1
    known, value, move = depth == 0, frames[1].best, frames[1].best_move
    if (frames[1].seat & 1) != asked:
        value = -value
    restore(table, hidden, frames[0])
    return known, value, move, nodes


@compiled
def pass_until_a_play(table: Any, hidden: Any) -> bool:
    """Pass until the mover has a play; True where nobody has one and the hand is blocked."""
    while find_moves(table, hidden) == 0:
        if pass_turn(table):
            return True
    return False


@compiled
def play_on(table: Any, hidden: Any, move: int) -> int:
    """Play a tile, and pass until somebody can play again; 0, or how the hand ended."""
    ended = score_play(table, play_tile(table, hidden, move))
    if not ended and pass_until_a_play(table, hidden):
        return BLOCKED
    return ended


@compiled
def gained(table: Any, frame: Any, side: int) -> int:
    """What a side has gained since a frame was saved, less what the other side has."""
    mine = table.scores[side] - frame.scores[side]
    return mine - table.scores[1 - side] + frame.scores[1 - side]


@compiled
def save(table: Any, hidden: Any, frame: Any) -> None:
    """Keep a position in a frame."""
    copy_record(frame.layout, table.layout)
    copy_all(frame.hands, hidden.hands)
    copy_all(frame.played, table.played)
    copy_all(frame.tiles, table.tiles)
    copy_all(frame.scores, table.scores)
    copy_all(frame.lacks, table.lacks)
    frame.boneyard, frame.places, frame.draws = table.boneyard, hidden.left, hidden.draws
    frame.seat, frame.passes, frame.events = table.seat, table.passes, table.events


@compiled
def restore(table: Any, hidden: Any, frame: Any) -> None:
    """Come back to the position of a frame."""
    copy_record(table.layout, frame.layout)
    copy_all(hidden.hands, frame.hands)
    copy_all(table.played, frame.played)
    copy_all(table.tiles, frame.tiles)
    copy_all(table.scores, frame.scores)
    copy_all(table.lacks, frame.lacks)
    table.boneyard, hidden.left, hidden.draws = frame.boneyard, frame.places, frame.draws
    table.seat, table.passes, table.events = frame.seat, frame.passes, frame.events


@compiled
def open_frame(
    table: Any, hidden: Any, frame: Any, left: int, world: np.uint64, reach: Any, alpha: int, beta: int
) -> None:
    """Begin with a position, after `find_moves`, within a window of values."""
    save(table, hidden, frame)
    copy_all(frame.moves, table.moves)
    for word in range(table.layout.words, 8):
        frame.moves[word] = 0
    frame.left, frame.key = left, position_key(table, reach, world)
    frame.alpha, frame.beta = alpha, beta
    frame.best, frame.best_move, frame.hint = -INFINITE, NO_MOVE, -1


@compiled
def pick_move(table: Any, frame: Any) -> int:
    """Take the next play to look at: the table's, then those that score most; `NO_MOVE` after the last or a cut-off."""
    if frame.best >= frame.beta:
        return NO_MOVE
    copy_all(table.moves, frame.moves)
    best, most = NO_MOVE, -1
    move = first_move(table)
    while move != NO_MOVE:
        points = int64(table.rules.points[count_after(table.layout, move)])
        worth = 32 * points + int64(table.layout.pip[move >> 4]) + (move & 15)
        if looks_of(table.layout, move) == frame.hint:
            worth = INFINITE
        if worth > most:
            best, most = move, worth
        move = next_move(table, move)
    if best != NO_MOVE:
        frame.moves[best >> 6] ^= 1 << (best & 63)
    return best


@compiled
def note(frame: Any, value: int) -> None:
    """The play that was looked at has a value."""
    if value > frame.best:
        frame.best, frame.best_move = value, frame.move


@kernel(
    types.int64(
        from_dtype(VIEW),
        from_dtype(HIDDEN),
        types.Array(from_dtype(ENTRY), 1, "C"),
        types.uint64,
        types.int64,
        types.Array(types.int64, 1, "C"),
    )
)
def solve_position(view: Any, hidden: Any, memory: Any, world: np.uint64, cap: int, answer: Any) -> int:
    """Solve a position, for Python: see `solve`; 1 where it is solved, with value, move and nodes in `answer`."""
    frames = new_frames(tiles_left(view))
    known, answer[0], answer[1], answer[2] = solve(view, hidden, frames, memory, world, cap)
    return int64(known)
