"""Exact play where all hands are known: against a minimax of plays by the plain referee, without a cut or a table."""

from __future__ import annotations

import copy
import json
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numba.core import config

from allfives_sim.agents.solved import ENTRY
from allfives_sim.agents.solver import is_dead, solve_position
from allfives_sim.core.records import Position
from allfives_sim.core.tiles import tile_name, tile_of
from tests import naive
from tests.naive.hand import final_scores
from tests.naive.layout import End
from tests.naive.table import Table

ENDINGS = 100 if config.DISABLE_JIT else 2100
HANDS_EACH = 20  # under the same house rules
MOST_POSITIONS = 600  # of an ending's tree, without a cut; larger ones are left out


class TooLarge(Exception):
    """An ending with more positions than the plain minimax should look at."""


@dataclass
class Minimax:
    """Every way in which a hand can go on, by the plain referee."""

    side: int
    positions: int = 0

    def value(self, table: Table) -> int:
        """The side's score at the hand's end less the other's, both playing their best."""
        if table.end is not None:
            final = final_scores(table, table.settlement())
            return final[self.side] - final[1 - self.side]
        if table.must_pass():
            after = copy_of(table)
            after.pass_turn()
            return self.value(after)
        best = max if table.turn % 2 == self.side else min
        return best(value for _, value in self.plays(table))

    def plays(self, table: Table) -> Iterator[tuple[Any, int]]:
        """Each play, and the value of what comes of it."""
        for tile, at in table.plays():
            self.positions += 1
            if self.positions > MOST_POSITIONS:
                raise TooLarge
            after = copy_of(table)
            after.play(tile, at)
            yield (naive.write_tile(tile), at), self.value(after)


def copy_of(table: Table) -> Table:
    """A table to try a move on: all that a play or a pass changes is copied."""
    after, layout = copy.copy(table), copy.copy(table.layout)
    layout.spinners = [copy.copy(spinner) for spinner in layout.spinners]
    of = {id(old): new for old, new in zip(table.layout.spinners, layout.spinners, strict=True)}
    layout.ends = [End(end.pip, end.value, of.get(id(end.bare))) for end in table.layout.ends]
    after.layout, after.hands, after.scores = layout, [list(hand) for hand in table.hands], list(table.scores)
    return after


@dataclass
class Ending:
    """A play of a random hand after which nobody can draw: for the engine and for the referee."""

    event: int
    house: dict[str, Any]
    position: Position
    table: Table


def endings(rng: random.Random, most_tiles: int) -> Iterator[Ending]:
    """Plays of random hands under random house rules, with few tiles left and nothing to draw."""
    while True:
        house = random_house(rng)
        target = naive.settings(house)["target"]
        for _ in range(HANDS_EACH):
            below = [5, rng.randint(1, 40), rng.randint(40, 150)]
            scores = [rng.choice([0, rng.randint(-20, 20), *(target - less for less in below)]) for _ in range(2)]
            record = json.loads(json.dumps(naive.play_hand(house, rng, scores=scores)))
            yield from islice(choices_in(record, most_tiles), 1)


def choices_in(record: dict[str, Any], most_tiles: int) -> Iterator[Ending]:
    """The plays of a record that were a choice with few tiles left and nothing to draw."""
    s = naive.settings(record["rules"])
    hands = [[naive.read_tile(name) for name in hand] for hand in record["hands"]]
    table = Table(s, hands, record["leader"], record.get("scores", [0, 0]))
    for number, event in enumerate(record["events"]):
        dead = s["draw_limit"] == 0 or len(table.boneyard) <= s["boneyard_reserve"]
        few = sum(map(len, table.hands)) <= most_tiles
        if dead and few and "play" in event and len(table.plays()) > 1:
            yield Ending(number, record["rules"], Position(record, number), copy_of(table))
        for name in event.get("draw", []):
            table.draw(naive.read_tile(name))
        if "play" in event:
            table.play(naive.read_tile(event["play"]), event["at"])
        elif "pass" in event:
            table.pass_turn()


def random_house(rng: random.Random) -> dict[str, Any]:
    """Random house rules for two sides, more often than not with few tiles to draw."""
    while True:
        house = naive.random_rules(rng)
        players = rng.choice([2, 4])
        house |= {"players": players, "partners": players == 4, "highest_pip": rng.choice([3, 3, 4, 5, 6])}
        most = (house["highest_pip"] + 1) * (house["highest_pip"] + 2) // 2 // players
        house["hand_size"] = rng.randint(2, min(most, 8))
        if rng.random() < 0.4:
            house["draw_limit"] = 0
        if rng.random() < 0.2:
            house["spinner"] = "all_doubles"
        if rng.random() < 0.3:
            house["exact_target"] = True
        if rng.random() < 0.3:
            house["score_floor"] = 0
        return house


def solved(ending: Ending, memory: Any, world: int, cap: int) -> tuple[int, int, int]:
    """What the solver says: whether it is solved, the value, and the move."""
    answer = np.zeros(3, np.int64)
    view, hidden = ending.position.view, ending.position.hidden
    known = solve_position(view, hidden, memory, np.uint64(world), cap, answer)
    return known, int(answer[0]), int(answer[1])


def written_move(view: Any, move: int) -> tuple[str, Any]:
    """The tile and the end of a move, as the referee has them."""
    pip = int(view.layout.pip[move >> 4])
    return tile_name(tile_of(pip, move & 15)), move >> 4 if view.layout.ends else "lead"


def test_values_and_moves_are_those_of_a_minimax_of_plain_plays() -> None:
    rng = random.Random(12)
    seen: Counter[str] = Counter()
    memories = [np.zeros(entries, ENTRY) for entries in (1, 4, 256, 4096)]  # small ones must forget, not confuse
    for number, ending in enumerate(endings(rng, 7)):
        table, view = ending.table, ending.position.view
        plain = Minimax(table.turn % 2)
        try:
            values = dict(plain.plays(table))
        except TooLarge:
            continue
        to_gain = max(values.values()) - table.scores[plain.side] + table.scores[1 - plain.side]
        before = [ending.position.hidden.hands.tobytes(), view.layout.tobytes(), view.scores.tobytes()]
        known, value, move = solved(ending, memories[number % 4], number, 1 << 40)
        where = (ending.house, table.hands, table.scores, table.turn, value, to_gain)
        assert is_dead(view), where
        assert known, where
        assert value == to_gain, where
        assert values[written_move(view, move)] == max(values.values()), where
        assert before == [ending.position.hidden.hands.tobytes(), view.layout.tobytes(), view.scores.tobytes()]
        count_kind(seen, ending, len(set(values.values())) > 1)
        if seen["all"] == ENDINGS:
            break
    assert all(number >= ENDINGS / 100 for number in seen.values()), seen


def count_kind(seen: Counter[str], ending: Ending, matters: bool) -> None:
    """Count what an ending tries."""
    s, table = ending.table.s, ending.table
    kinds = {
        "all": True,
        "plays differ": matters,
        "two players": s["players"] == 2,
        "partners": s["partners"],
        "boneyard left": len(table.boneyard) > 0,
        "many spinners": len(table.layout.spinners) > 2,
        "floor": s["score_floor"] is not None,
        "exact target near": s["exact_target"] and max(table.scores) > s["target"] - 30,
        "target near": s["stop"] == "at_once" and not s["exact_target"] and max(table.scores) > s["target"] - 30,
        "lead": not table.layout.ends,
        "double-six": s["highest_pip"] == 6,
        **{f"blocked {way}": s["blocked"] == way for way in ("subtract_own", "collect", "difference", "none")},
    }
    seen.update(kind for kind, is_so in kinds.items() if is_so)


def test_a_search_that_reaches_its_cap_says_so_and_leaves_the_position_as_it_was() -> None:
    rng, memory, stopped = random.Random(3), np.zeros(64, ENTRY), 0
    for number, ending in enumerate(islice(endings(rng, 4), 100)):
        view, hidden = ending.position.view, ending.position.hidden
        before = [hidden.hands.tobytes(), view.layout.tobytes(), view.scores.tobytes(), int(view.seat)]
        known, _, _ = solved(ending, memory, number, 1)
        assert before == [hidden.hands.tobytes(), view.layout.tobytes(), view.scores.tobytes(), int(view.seat)]
        again, value, _ = solved(ending, memory, number, 1 << 40)
        assert (again, value) == (1, solved(ending, np.zeros(1, ENTRY), number, 1 << 40)[1])
        stopped += not known
    assert 20 < stopped < 100


def test_a_table_changes_no_value_in_longer_endings() -> None:
    """Not the plain minimax's, which takes too long here: those of the same search that remembers a single position."""
    rng, memory = random.Random(4), np.zeros(1 << 12, ENTRY)
    compared = 0
    for number, ending in enumerate(endings(rng, 14)):
        known, value, _ = solved(ending, np.zeros(1, ENTRY), 0, 20 if config.DISABLE_JIT else 50_000)
        if known:
            assert [solved(ending, memory, number, 1 << 40)[1] for _ in range(2)] == [value] * 2, ending
            compared += 1
        if compared == ENDINGS:
            break
