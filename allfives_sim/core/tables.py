"""House rules as flat numbers and look-up tables, so that a switch costs the kernels no branch where they are hot."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from allfives_sim.core.board import AFTER_SIDES, AT_ONCE, LAYOUT, NO_CROSSES, opening_layout
from allfives_sim.core.compiled import new_record, record_type
from allfives_sim.core.rules import Rules
from allfives_sim.core.switches import CHOICES
from allfives_sim.core.tiles import PIPS, tile_set

MAX_COUNT = 1024  # above any count: 45 pips of spinners nine times, and 22 ends of 9, come to 603
FAR = 1 << 40  # stands for "no limit"

# fmt: off
RULES = record_type([
    ("players", np.int64), ("sides", np.int64), ("side_mask", np.int64),
    ("highest_pip", np.int64), ("tiles_each", np.int64),
    ("set_size", np.int64), ("set", np.uint8, (64,)),  # all tiles, lowest first
    ("draw_limit", np.int64),      # FAR: until one fits
    ("reserve", np.int64), ("play_drawn", np.int64), ("may_draw", np.int64),
    ("first_leader", np.int64), ("next_leader", np.int64), ("blocked_leader", np.int64),  # index in LEADERS
    ("lead_tile", np.int64),       # ANY_TILE, A_DOUBLE or HIGHEST_DOUBLE
    ("spins_later", np.int64),     # whether a double after the lead can be a spinner
    ("all_spin", np.int64),        # whether doubles after a spinner are spinners too
    ("crosses", np.int64),         # spinners' cross ends: NO_CROSSES, AFTER_SIDES or AT_ONCE
    ("multiple", np.int64, (6,)),  # of a spinner's pip, by its covered sides
    ("opening", LAYOUT),           # before the lead
    ("points", np.int16, (MAX_COUNT,)),   # what a count scores
    ("scorers", np.uint16, (MAX_COUNT,)),  # mask of the pips that, added to a count, make one that scores
    ("settled", np.int16, (MAX_COUNT,)),  # what remaining pips settle for: rounded, divided under quotient
    ("unit", np.int64), ("worth", np.int64),  # pips that make one step of the score (5), and its points (5, or 1)
    ("scores", np.int64),          # whether any count scores
    ("going_out", np.int64), ("bonus", np.int64), ("blocked", np.int64), ("split", np.int64),
    ("round_each", np.int64), ("partner_counted", np.int64),
    ("floor", np.int64),           # -FAR: none
    ("target", np.int64),
    ("stop_score", np.int64),      # a play that reaches it ends the game; FAR: none does
    ("ceiling", np.int64),         # points that would pass it are not scored; FAR: all are
])
# fmt: on

LEADERS = ("random", "highest_double", "heaviest_tile", "out", "lightest", "rotate")
LEADS_RANDOM, LEADS_DOUBLE, LEADS_HEAVIEST, LEADS_OUT, LEADS_LIGHTEST, LEADS_NEXT = range(6)
ANY_TILE, A_DOUBLE, HIGHEST_DOUBLE = range(3)
SUBTRACT_OWN, COLLECT, DIFFERENCE, NOTHING = range(4)
_SETTLEMENTS = {"subtract_own": SUBTRACT_OWN, "collect": COLLECT, "difference": DIFFERENCE, "none": NOTHING}


def points_of(rules: Rules, count: int) -> int:
    """What a count scores under these rules.

    >>> points_of(Rules.preset("fives-and-threes"), 15), points_of(Rules(), 15), points_of(Rules(), 16)
    (8, 15, 0)
    """
    units = [unit for unit in rules.score_units if count % unit == 0]
    return sum(count // unit if rules.score_as == "quotient" else count for unit in units)


def settled_pips(rules: Rules, pips: int) -> int:
    """What pips come to in a settlement: the nearest multiple (halves go up), divided under quotient scoring.

    >>> [settled_pips(Rules(), pips) for pips in (7, 8, 12, 13)]
    [5, 10, 10, 15]
    """
    rounded = (pips + rules.round_to // 2) // rules.round_to * rules.round_to
    return rounded // rules.score_units[0] if rules.score_as == "quotient" else rounded


@lru_cache(maxsize=256)
def tables(rules: Rules) -> Any:
    """The rules as a record of dtype `RULES`; do not write to it."""
    record = new_record(RULES)
    record.players, record.sides, record.highest_pip = rules.players, rules.sides, rules.highest_pip
    record.side_mask = 1 if rules.partners else 3  # a seat's side is what this leaves of its number
    record.tiles_each = rules.tiles_each
    tiles = tile_set(rules.highest_pip)
    record.set_size = len(tiles)
    record.set[: len(tiles)] = tiles
    record.draw_limit = FAR if rules.draw_limit is None else rules.draw_limit
    record.reserve, record.play_drawn, record.may_draw = rules.boneyard_reserve, rules.play_drawn, rules.may_draw
    record.first_leader = LEADERS.index(rules.first_leader)
    record.next_leader = LEADERS.index(rules.next_leader)
    record.blocked_leader = LEADERS.index(rules.blocked_leader)
    record.lead_tile = CHOICES["lead_tile"].index(rules.lead_tile)
    no_spinner = rules.spinner == "none"
    record.crosses = NO_CROSSES if no_spinner else AFTER_SIDES if rules.cross_arms == "after_sides" else AT_ONCE
    record.all_spin = rules.spinner == "all_doubles"
    record.spins_later = not no_spinner
    record.multiple[:5] = (2, 2, 0, 0, 0) if no_spinner else rules.spinner_count
    record.opening = opening_layout(rules.highest_pip, int(record.multiple[0]))
    record.points[:] = [points_of(rules, count) for count in range(MAX_COUNT)]
    record.scorers[:] = [
        sum(1 << pip for pip in range(PIPS) if points_of(rules, count + pip)) for count in range(MAX_COUNT)
    ]
    record.settled[:] = [settled_pips(rules, pips) for pips in range(MAX_COUNT)]
    record.unit = rules.score_units[0] if rules.score_units else 5
    record.scores = len(rules.score_units) > 0
    record.worth = 1 if rules.score_as == "quotient" else record.unit
    record.going_out, record.blocked = _SETTLEMENTS[rules.going_out], _SETTLEMENTS[rules.blocked]
    record.bonus, record.split = rules.going_out_bonus, rules.blocked_tie == "split"
    record.round_each, record.partner_counted = rules.round_each, rules.partner_tiles == "counted"
    record.floor = -FAR if rules.score_floor is None else rules.score_floor
    record.target = rules.target
    record.stop_score = rules.target if rules.stop == "at_once" else FAR
    record.ceiling = rules.target if rules.exact_target else FAR
    return record
