"""The worked plays of the rules page, one by one, on the compiled layout."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest
from numba.core import config

from allfives_sim import Rules
from allfives_sim.core.board import LAYOUT, place
from allfives_sim.core.game import new_table
from allfives_sim.core.hand import BLOCKED, OUT
from allfives_sim.core.settlement import settle
from allfives_sim.core.tables import points_of, tables
from allfives_sim.core.tiles import tile_from_name

PLAYS = [
    ("article", "5-5@lead=10/10, 2-5@0=12/0, 3-5@1=5/5, 5-6@2=11/0, 4-5@3=15/15"),
    ("article", "6-4@lead=10/10, 4-1@0=7/0, 6-6@1=13/0, 6-3@1=4/0, 6-5@2=9/0"),
    (
        "article",
        "1-4@lead=5/5, 1-1@0=6/0, 4-4@1=10/10, 3-4@1=5/5, 1-2@0=5/5, 1-5@2=10/10, 5-5@2=15/15, 0-5@2=5/5, 1-3@3=8/0",
    ),
    ("article", "6-6@lead=12/0, 6-5@0=17/0, 6-0@1=5/5"),
    ("article", "0-0@lead=0/0, 0-5@0=5/5, 0-3@1=8/0, 0-2@2=10/10, 0-6@3=16/0"),
    (
        "article",
        "3-3@lead=6/0, 3-6@0=12/0, 3-5@1=11/0, 3-4@2=15/15, 0-3@3=15/15, 0-5@3=20/20, 6-6@0=26/0, 4-4@2=30/30, "
        "5-5@1=35/35",
    ),
    ("sniff", "5-5@lead=10/10, 2-5@0=12/0, 3-5@1=15/15, 0-5@2=10/10, 5-6@3=11/0"),
    ("five-up", "6-6@lead=12/0, 4-6@0=16/0, 4-4@0=20/4, 1-6@1=9/0, 2-4@0=3/0, 4-5@4=8/0, 0-4@5=8/0"),
    ("fives-and-threes", "6-6@lead=12/4, 3-6@1=15/8"),
]


def _lay(layout: Any, rules: Any, moves: Any, counts: Any) -> None:
    for number in range(len(moves)):
        place(layout, rules, moves[number])
        counts[number] = layout.count


_lay_compiled = _lay if config.DISABLE_JIT else numba.njit(_lay)


def lay(preset: str, plays: list[tuple[str, str]]) -> tuple[Any, list[int]]:
    """Place tiles; the layout and the count after each.  A lead's end is its lower pip."""
    rules = tables(Rules.preset(preset))
    layout = np.zeros(1, LAYOUT).view(np.recarray)[0]
    counts = []
    for name in LAYOUT.names or ():
        layout[name] = rules.opening[name]
    for tile_name, at in plays:
        tile = tile_from_name(tile_name)
        low, high = tile >> 4, tile & 15
        end = low if at == "lead" else int(at)
        pip = int(layout.pip[end])
        assert pip in (low, high), f"{tile_name} does not fit end {at}, which is {pip}"
        after = np.zeros(1, np.int64)
        _lay_compiled(layout, rules, np.array([16 * end + (high if pip == low else low)]), after)
        counts.append(int(after[0]))
    return layout, counts


@pytest.mark.parametrize(("preset", "plays"), PLAYS)
def test_counts_and_points_of_a_worked_play_are_those_of_the_rules_page(preset: str, plays: str) -> None:
    steps = [step.replace("=", "@").replace("/", "@").split("@") for step in plays.split(", ")]
    _, counts = lay(preset, [(tile, at) for tile, at, _, _ in steps])
    assert counts == [int(count) for _, _, count, _ in steps]
    assert [points_of(Rules.preset(preset), count) for count in counts] == [int(points) for *_, points in steps]


def test_cross_ends_are_shut_until_both_sides_are_covered() -> None:
    one_side, _ = lay("article", [("5-5", "lead"), ("2-5", "0")])
    assert one_side.ends == 2
    both_sides, _ = lay("article", [("5-5", "lead"), ("2-5", "0"), ("3-5", "1")])
    assert both_sides.ends == 4
    assert both_sides.pip[:4].tolist() == [2, 3, 5, 5]


def settled(rules: Rules, ended: int, names: list[list[str]], out: int = 0, scores: tuple[int, ...] = ()) -> list[int]:
    """The settlement of hands that are left, by the compiled function."""
    view, hidden, result = new_table(rules)
    view.seat = out
    for seat, hand in enumerate(names):
        for name in hand:
            tile = tile_from_name(name)
            hidden.hands[seat, tile >> 4] |= 1 << (tile & 15)
            hidden.hands[seat, tile & 15] |= 1 << (tile >> 4)
    for side, score in enumerate(scores):
        view.scores[side] = score
    call = settle if config.DISABLE_JIT else numba.njit(lambda *a: settle(*a))
    call(view, hidden, ended, result.settlement, result.pips)
    settlement = [int(points) for points in result.settlement[: rules.sides]]
    return [*settlement, *(int(score) for score in view.scores[: rules.sides])] if scores else settlement


@pytest.mark.parametrize(("preset", "points"), [("article", [-10, -20]), ("miami", [5, 0]), ("pagat", [20, 0])])
def test_two_blocked_players_with_12_and_19_pips_settle_as_worked_out(preset: str, points: list[int]) -> None:
    assert settled(Rules.preset(preset), BLOCKED, [["6-6"], ["6-5", "4-4"]]) == points


@pytest.mark.parametrize(("round_each", "points"), [(False, 40), (True, 45)])
def test_three_losers_with_13_pips_each_are_collected_for_40_or_rounded_one_by_one_for_45(
    round_each: bool, points: int
) -> None:
    rules = Rules.preset("pagat", players=4, round_each=round_each)
    hands = [[], ["6-6", "0-1"], ["6-5", "0-2"], ["5-5", "0-3"]]
    assert settled(rules, OUT, hands) == [points, 0, 0, 0]


def test_a_play_that_reaches_the_target_is_settled_first_where_the_game_stops_at_the_end_of_the_hand() -> None:
    # 245 of 250 and five points more; the opponent goes out and 23 pips are left: 250 - 25.
    rules = Rules(stop="hand_end")
    assert settled(rules, OUT, [["6-6", "6-5"], []], out=1, scores=(250, 0)) == [-25, 0, 225, 0]


def test_pips_round_to_the_nearest_multiple_and_quotients_are_divided_after_it() -> None:
    table = tables(Rules()).settled
    assert [int(table[pips]) for pips in (0, 2, 3, 7, 8, 12, 13)] == [0, 0, 5, 5, 10, 10, 15]
    quotient = tables(Rules.preset("five-up")).settled
    assert [int(quotient[pips]) for pips in (2, 3, 12, 13)] == [0, 1, 2, 3]
