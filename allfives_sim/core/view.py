"""What a policy sees: its own hand and what everybody at the table saw, and nothing else.

The accessors here are what agents are written with; they compile to a few instructions each.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import from_dtype, types

from allfives_sim.core.bits import copy_record, int64, lowest, popcount
from allfives_sim.core.board import LAYOUT, count_after, place
from allfives_sim.core.compiled import compiled, record_type
from allfives_sim.core.tables import MAX_COUNT, RULES
from allfives_sim.core.tiles import MAX_PLAYERS, tile_of

NO_MOVE = -1  # what `next_move` gives after the last one
DRAW = -2  # the move of drawing, where `can_draw` says that it may be chosen
MAX_EVENTS = 512
MAX_PARAMETERS = 16
PLAYED, DREW, PASSED = range(3)  # kinds of events


# fmt: off
VIEW = record_type([
    ("layout", LAYOUT),
    ("hand", np.uint16, (16,)),          # rows of the mover's hand
    ("seat", np.uint8),                  # who is to move
    ("leader", np.uint8),
    ("led_by", np.uint8),                # how the leader was found: see LEADERS in tables.py
    ("boneyard", np.int64),              # tiles in it
    ("drawn", np.int64),                 # tiles that the mover has drawn in this turn
    ("can_draw", np.int64),              # whether drawing is a choice
    ("passes", np.int64),                # in a row, with no tile drawn in between
    ("tiles", np.int64, (MAX_PLAYERS,)),   # in each seat's hand
    ("scores", np.int64, (MAX_PLAYERS,)),  # of each side, before this hand's settlement
    ("lacks", np.int64, (MAX_PLAYERS,)),   # mask of pips that a seat is known to have on no tile
    ("moves", np.int64, (8,)),
    ("played", np.uint16, (16,)),         # rows of the tiles on the layout
    ("parameters", np.float64, (MAX_PARAMETERS,)),  # of the mover's agent, in the order it declares them
    ("door", np.int64),                  # 0, but for agents that may see all hands: see `all_hands` in hand.py
    ("events", np.int64),                # how many entries `history` has
    ("history", np.int64, (MAX_EVENTS,)),
    ("rules", RULES),
    ("trial", LAYOUT),                   # room to try a move in: see `try_move`
    ("unseen", np.uint16, (16,)),        # room for rows of tiles: see `find_unseen`
    ("best", np.int64, (16,)),           # room for sorting replies: see agents/reply.py
])
# fmt: on

POLICY_SIGNATURE = types.int64(from_dtype(VIEW), types.uint64)


@compiled
def first_move(view: Any) -> int:
    """The first choice, by end and then partner; there is always one when a policy is asked."""
    return _lowest_move(view, 0, view.moves[0])


@compiled
def next_move(view: Any, move: int) -> int:
    """The next choice after `move`; `NO_MOVE` after the last.

    Equal ends are merged: each choice is a different one.
    """
    word = move >> 6 & 7
    return _lowest_move(view, word, view.moves[word] & (-2 << (move & 63)))


@compiled
def _lowest_move(view: Any, word: int, left: int) -> int:
    while left == 0:
        word += 1
        if word >= view.layout.words:
            return NO_MOVE
        left = view.moves[word & 7]
    return 64 * word + lowest(left)


@compiled
def is_choice(view: Any, move: int) -> bool:
    """Whether a policy may answer with this number."""
    if move == DRAW:
        return view.can_draw != 0
    if move < 0 or move >> 6 >= view.layout.words:
        return False
    return (view.moves[move >> 6] >> (move & 63) & 1) != 0


@compiled
def choices(view: Any) -> int:
    """Number of different plays (drawing, where it is a choice, not counted)."""
    total = popcount(view.moves[0])
    for word in range(1, view.layout.words):
        total += popcount(view.moves[word])
    return total


@compiled
def tile(view: Any, move: int) -> int:
    """The tile that a move plays, as in tiles.py: sixteen times its lower pip plus its higher."""
    pip, partner = int64(view.layout.pip[move >> 4 & 31]), move & 15
    return 15 * min(pip, partner) + pip + partner


@compiled
def pips(view: Any, move: int) -> int:
    """Both halves of the tile that a move plays, together."""
    return int64(view.layout.pip[move >> 4 & 31]) + (move & 15)


@compiled
def points(view: Any, move: int) -> int:
    """What a move scores at once."""
    return int64(view.rules.points[count_after(view.layout, move) & (MAX_COUNT - 1)])


@compiled
def try_move(view: Any, move: int) -> None:
    """Make ``view.trial`` the layout as it would be after a move."""
    copy_record(view.trial, view.layout)
    place(view.trial, view.rules, move)


@compiled
def find_unseen(view: Any, seat: int) -> int:
    """Make ``view.unseen`` the rows of the tiles that another seat may hold; how many they are.

    Those that the mover neither holds nor sees on the layout, less those that draws and passes have shown the seat not
    to hold.
    """
    full = (2 << view.rules.highest_pip) - 1
    lacks = view.lacks[seat]
    total, doubles = 0, 0
    for pip in range(view.rules.highest_pip + 1):
        row = full & ~(int64(view.hand[pip]) | int64(view.played[pip]) | lacks) if not lacks >> pip & 1 else 0
        view.unseen[pip] = row
        total += popcount(row)
        doubles += row >> pip & 1
    return (total + doubles) // 2


@compiled
def next_seat(view: Any) -> int:
    """The seat to move after the mover."""
    return view.seat + 1 if view.seat + 1 < view.rules.players else 0


@compiled
def record_event(view: Any, kind: int, open_pips: int, drawn: int, move: int, pip: int, scored: int) -> None:
    """Append an event of the mover to the history; `event_kind` and its neighbours read it back."""
    view.history[view.events] = (
        kind | int64(view.seat) << 2 | open_pips << 4 | drawn << 14 | move << 20 | pip << 29
        | view.layout.count << 37 | scored << 48
    )  # fmt: skip
    view.events += 1


@compiled
def event_kind(view: Any, event: int) -> int:
    """`PLAYED`, `DREW` or `PASSED`."""
    return view.history[event & (MAX_EVENTS - 1)] & 3


@compiled
def event_seat(view: Any, event: int) -> int:
    """Whose event it is."""
    return view.history[event & (MAX_EVENTS - 1)] >> 2 & 3


@compiled
def event_open(view: Any, event: int) -> int:
    """Mask of the pips that were open when it happened."""
    return view.history[event & (MAX_EVENTS - 1)] >> 4 & 0x3FF


@compiled
def event_drawn(view: Any, event: int) -> int:
    """How many tiles a `DREW` event drew; which ones is hidden."""
    return view.history[event & (MAX_EVENTS - 1)] >> 14 & 63


@compiled
def event_end(view: Any, event: int) -> int:
    """The end that a `PLAYED` event played on; of the first event: no matter."""
    return view.history[event & (MAX_EVENTS - 1)] >> 24 & 31


@compiled
def event_tile(view: Any, event: int) -> int:
    """The tile that a `PLAYED` event played."""
    pip, partner = view.history[event & (MAX_EVENTS - 1)] >> 29 & 15, view.history[event & (MAX_EVENTS - 1)] >> 20 & 15
    return 15 * min(pip, partner) + pip + partner


@compiled
def event_count(view: Any, event: int) -> int:
    """The count after the event."""
    return view.history[event & (MAX_EVENTS - 1)] >> 37 & 0x7FF


@compiled
def event_points(view: Any, event: int) -> int:
    """What the count after a `PLAYED` event is worth."""
    return view.history[event & (MAX_EVENTS - 1)] >> 48


@compiled
def move_of(view: Any, tile: int, end: int) -> int:
    """The move that plays a tile on an end; of equal ends the lowest, which is the one that agents choose."""
    low, high = tile >> 4, tile & 15
    layout = view.layout
    if layout.ends == 0:
        return 16 * low + high
    for lower in range(end):
        same = layout.pip[lower] == layout.pip[end] and layout.value[lower] == layout.value[end]
        if same and layout.kind[lower] == layout.kind[end]:
            end = lower
            break
    return 16 * end + (high if layout.pip[end] == low else low)


@compiled
def draws_from(view: Any, seat: int, event: int) -> bool:
    """Whether a seat drew at this event or later."""
    for later in range(event, view.events):
        if event_kind(view, later) == DREW and event_seat(view, later) == seat:
            return True
    return False


class Event(NamedTuple):
    """An entry of a view's history in plain numbers; see the accessors above."""

    kind: int
    seat: int
    drawn: int
    end: int
    tile: int
    count_after: int
    points: int


def unpack_event(packed: int) -> Event:
    """Read an entry of `history` outside compiled code."""
    tile = tile_of(packed >> 29 & 15, packed >> 20 & 15)
    return Event(
        packed & 3, packed >> 2 & 3, packed >> 14 & 63, packed >> 24 & 31, tile, packed >> 37 & 0x7FF, packed >> 48
    )  # fmt: skip
