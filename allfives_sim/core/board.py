"""The layout: its ends, what can be played on them, placing a tile, and the count.

The layout never looks a tile up.  It keeps, for every end, its pip and its *value*: what leaves the count when that end
is covered.  Playing partner `q` on an end then makes the count ``count - value + q``, and a double adds `double` times
its pip on top.  Before the lead the layout stands open on every pip, with value ``-pip``, so that leading tile `p`-`q`
is playing `q` on end `p`, and nobody needs a second way to lead.

A move is one small number, ``16 * end + partner``; the moves of a hand are masks of them, four ends to a word of 64
bits, so that the rows of a hand (see tiles.py) shift straight into place.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from allfives_sim.core.bits import int64
from allfives_sim.core.compiled import compiled, compiled_apart, new_record, record_type

MAX_ENDS = 24  # a lead opens 2 ends, each of ten spinners 2 more
MAX_WORDS = MAX_ENDS // 4
ALL_CLOSED = 0x4F_004F_004F_004F
CLOSED = 15  # the pip of an end that is not open; no hand has a tile in that row
NO_CROSSES, AFTER_SIDES, AT_ONCE = range(3)  # when a spinner's cross ends open
ORDINARY, DOUBLE, BARE = range(3)  # kinds of ends; bare: a side or cross end of a spinner, nothing on it yet
_ROW = 0x3FF  # a mask of all pips

# fmt: off
LAYOUT = record_type([
    ("count", np.int64),
    ("ends", np.int64),      # how many have opened; 0 before the lead
    ("words", np.int64),     # words of moves in use: four ends each
    ("double", np.int64),    # what a double adds to the count, beyond its pip, in pips
    ("spins", np.int64),     # whether the next double is a spinner
    ("looks", np.int64, (MAX_WORDS,)),     # pip and kind of each end again, 16 bits an end, to compare four at once
    ("distinct", np.int64, (MAX_WORDS,)),  # moves on the ends that differ: the lowest of equal ones
    ("value", np.int16, (MAX_ENDS,)),
    ("pip", np.uint8, (MAX_ENDS,)),
    ("kind", np.uint8, (MAX_ENDS,)),
    ("covered", np.uint8, (16,)),           # covered sides of the spinner of each pip
])
# fmt: on


def opening_layout(highest_pip: int, lead_count: int) -> Any:
    """An empty layout, open on every pip of the set: a record of dtype `LAYOUT`.

    Parameters
    ----------
    highest_pip : int
    lead_count : int
        What a led double counts, in multiples of its pip.
    """
    layout = new_record(LAYOUT)
    layout.words = (highest_pip + 4) // 4
    layout.double = lead_count - 2
    layout.spins = 1
    for end in range(MAX_ENDS):
        layout.pip[end] = end if end <= highest_pip else CLOSED
        layout.value[end] = -end
        # The lower pip names the end, so that each tile is there once.
        layout.distinct[end >> 2] |= (_ROW >> end << end) << (16 * (end & 3))
    return layout


@compiled
def count_after(layout: Any, move: int) -> int:
    """The count after a move."""
    end, partner = move >> 4 & 31, move & 15
    pip = int64(layout.pip[end])
    count = layout.count - layout.value[end] + partner
    return count + (partner == pip) * pip * layout.double


@compiled
def place(layout: Any, rules: Any, move: int) -> None:
    """Play a tile: update ends, spinners and count."""
    end, partner = move >> 4 & 31, move & 15
    pip = int64(layout.pip[end])
    double = partner == pip
    layout.count = count_after(layout, move)
    if layout.ends == 0:
        _lead(layout, rules, pip, partner)
    elif layout.kind[end] == BARE:
        _set_end(layout, end, partner, ORDINARY, partner)
        _cover(layout, rules, pip)
    elif double and layout.spins:
        _set_end(layout, end, pip, BARE, 0)
        _spin(layout, rules, pip, 1)
    else:  # a double blank is an ordinary end: nothing tells it from one
        _set_end(layout, end, partner, DOUBLE * (double and pip > 0), partner + double * pip)
    _find_distinct(layout)


@compiled
def _lead(layout: Any, rules: Any, pip: int, partner: int) -> None:
    layout.ends = 2
    layout.words = 0
    _add_word(layout)
    layout.spins = rules.spins_later
    layout.double = rules.multiple[1] - 1 if rules.spins_later else 1
    kind = BARE if pip == partner else ORDINARY
    _set_end(layout, 0, pip, kind, pip)
    _set_end(layout, 1, partner, kind, partner)
    if pip == partner:
        _spin(layout, rules, pip, 0)


@compiled
def _spin(layout: Any, rules: Any, pip: int, covered: int) -> None:
    """A spinner has been played: unless all doubles spin, it is the only one."""
    if not rules.all_spin:
        layout.spins = 0
        layout.double = 1
    layout.covered[pip] = covered
    if rules.crosses == AT_ONCE:
        _open_crosses(layout, pip)
    _value_bare_ends(layout, rules, pip)


@compiled
def _cover(layout: Any, rules: Any, pip: int) -> None:
    """One more side of the spinner is covered."""
    layout.covered[pip] += 1
    if rules.crosses == AFTER_SIDES and layout.covered[pip] == 2:
        _open_crosses(layout, pip)
    _value_bare_ends(layout, rules, pip)


@compiled
def _open_crosses(layout: Any, pip: int) -> None:
    if layout.ends == 4 * layout.words:
        _add_word(layout)
    for end in range(layout.ends, layout.ends + 2):
        _set_end(layout, end, pip, BARE, 0)
    layout.ends += 2


@compiled
def _add_word(layout: Any) -> None:
    """Make room for four more ends, all closed as yet."""
    for end in range(4 * layout.words, 4 * layout.words + 4):
        layout.pip[end] = CLOSED
    layout.looks[layout.words] = ALL_CLOSED
    layout.words += 1


@compiled
def _value_bare_ends(layout: Any, rules: Any, pip: int) -> None:
    """Covering a bare end takes away what the spinner then counts less."""
    covered = layout.covered[pip]
    value = pip * (rules.multiple[covered] - rules.multiple[covered + 1])
    for end in range(layout.ends):
        if layout.kind[end] == BARE and layout.pip[end] == pip:
            layout.value[end] = value


@compiled
def _set_end(layout: Any, end: int, pip: int, kind: int, value: int) -> None:
    layout.pip[end] = pip
    layout.kind[end] = kind
    layout.value[end] = value
    shift = 16 * (end & 3)
    looks = layout.looks[end >> 2] & ~(0x7F << shift)
    layout.looks[end >> 2] = looks | (0x40 | kind << 4 | pip) << shift


@compiled
def _find_distinct(layout: Any) -> None:
    """Of ends that agree in pip, value and bareness only the lowest counts as a choice."""
    layout.distinct[0] = _distinct_in_word(layout.looks[0])
    for word in range(1, layout.words):
        _find_distinct_beyond(layout, word)


@compiled
def _distinct_in_word(looks: int) -> int:
    """Masks of all moves on the ends of a word that look like no lower one: all four are compared at once.

    Shifting the word puts a lower end beside each; where the two differ, adding carries into the lane's top bit.
    """
    carry = 0x1FFF_1FFF_1FFF_1FFF
    differs = (looks ^ looks << 16) + carry
    differs &= (looks ^ looks << 32) + carry
    differs &= (looks ^ looks << 48) + carry
    return (differs >> 13 & 0x0001_0001_0001_0001) * _ROW


@compiled_apart
def _find_distinct_beyond(layout: Any, word: int) -> None:
    """The same for a later word, whose ends may also look like those of the words before."""
    layout.distinct[word] = _distinct_in_word(layout.looks[word])
    for end in range(4 * word, 4 * word + 4):
        for lower in range(4 * word):
            if layout.pip[lower] == layout.pip[end] and layout.kind[lower] == layout.kind[end]:
                layout.distinct[word] &= ~(_ROW << 16 * (end & 3))


@compiled
def open_pips(layout: Any) -> int:
    """Mask of the pips that are open."""
    mask = 0
    for end in range(4 * layout.words):
        mask |= 1 << int64(layout.pip[end])
    return mask & _ROW
