"""Comparisons: pairing, reproducibility, and figures from outside."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from allfives_sim import Rules, compare
from allfives_sim.core.streams import below, mix, stream
from allfives_sim.lab import runner
from allfives_sim.lab.pairing import seat_pair, seat_table
from allfives_sim.lab.tally import (
    BLOCKED_HANDS,
    HANDS,
    OF_AGENTS,
    OUT_HANDS,
    TALLY,
    TIES,
    WINS,
    ZERO_BIN,
    merge,
    new_tally,
    pack,
    unpack,
)
from allfives_sim.lab.task import Task, play_task

# Plays, draws and blocks a hand, the leader's margin over the next seat and its sd, from 2,000,000 hands of an
# independent C engine (allfives_sim/lab/reference.c), article rules.
REFERENCE = [
    (2, 9, "random", 19.99, 4.36, 0.112, 2.11, 26.42),
    (2, 9, "greedy", 19.68, 3.97, 0.090, 4.16, 34.01),
    (2, 7, "random", 16.81, 5.21, 0.067, 2.34, 25.16),
    (2, 7, "greedy", 16.57, 4.90, 0.059, 4.55, 27.76),
    (3, 7, "greedy", 20.45, 3.37, 0.072, 4.19, 26.50),
    (4, 5, "random", 18.39, 3.93, 0.030, 3.05, 20.86),
    (4, 5, "greedy", 18.37, 3.90, 0.039, 4.22, 21.34),
]


@pytest.mark.parametrize(("players", "tiles", "agent", "plays", "draws", "blocked", "edge", "sd"), REFERENCE)
def test_figures_of_the_c_reference_are_met_within_five_standard_errors(
    players: int, tiles: int, agent: str, plays: float, draws: float, blocked: float, edge: float, sd: float
) -> None:
    # Identical agents: the rotations of a deal are the same hand, so the deals are what counts.
    deals = 400_000
    figures = compare([agent, agent], Rules(players=players, hand_size=tiles), deals=deals, seed=7).figures[0]
    for name, theirs, spread, rounding in (
        ("plays_per_hand", plays, 4.0, 0.005),
        ("draws_per_hand", draws, 3.5, 0.005),
        ("blocked", blocked, math.sqrt(blocked * (1 - blocked)), 0.0005),
        ("leader_margin", edge, sd, 0.005),
        ("leader_margin_sd", sd, sd, 0.005),
    ):
        error = spread * math.sqrt(1 / deals + 1 / 2_000_000)
        assert abs(figures[name] - theirs) < 5 * error + rounding, name


@pytest.mark.parametrize("rules", [Rules(), Rules(players=3), Rules(players=4), Rules(players=4, partners=True)])
@pytest.mark.parametrize("agent", ["random", "greedy", "defensive"])
@pytest.mark.parametrize("games", [False, True])
def test_two_identical_agents_differ_by_exactly_zero(rules: Rules, agent: str, games: bool) -> None:
    figures = compare([agent, agent], rules, deals=200 if not games else 20, games=games).figures[0]
    assert (figures["margin"], figures["margin_low"], figures["margin_high"], figures["sd"]) == (0, 0, 0, 0)
    assert figures["a_wins"] == figures["b_wins"]
    if games:
        assert figures["a_games"] == figures["b_games"] == (1 - figures["unfinished_games"]) / 2


@pytest.mark.parametrize("games", [False, True])
def test_tallies_are_the_same_integers_for_any_threads_and_block_sizes(
    monkeypatch: pytest.MonkeyPatch, games: bool
) -> None:
    rules = Rules.preset("five-up", players=4)

    def tally(threads: int) -> bytes:
        return compare(["greedy", "random"], rules, deals=1501, threads=threads, games=games).cells[0].tally.tobytes()

    expected = tally(1)
    for threads, first, seconds in ((2, 50, 0.2), (2, 1, 1e-9), (3, 7, 0.001), (1, 1501, 10.0)):
        monkeypatch.setattr(runner, "FIRST_BLOCK", first)
        monkeypatch.setattr(runner, "SHORTEST", seconds)
        assert tally(threads) == expected


def test_swapping_the_agents_changes_the_sign_of_the_margin_and_nothing_else() -> None:
    ab = compare(["greedy", "heaviest"], Rules(players=3), deals=500).figures[0]
    ba = compare(["heaviest", "greedy"], Rules(players=3), deals=500).figures[0]
    assert ab["margin"] == -ba["margin"]
    assert ab["margin_low"] == -ba["margin_high"]
    assert (ab["a_wins"], ab["b_wins"], ab["sd"]) == (ba["b_wins"], ba["a_wins"], ba["sd"])


def test_the_deals_of_a_run_are_the_first_deals_of_a_longer_run() -> None:
    def played(first: int, deals: int) -> Any:
        task = Task(("greedy", "random"), (), Rules(), seat_pair(2), 1, first, deals, False, True, False)
        return unpack(play_task(task).tally)

    parts = new_tally()
    for first, deals in ((200, 100), (0, 150), (150, 50)):
        merge(parts, played(first, deals))
    assert played(0, 300).tobytes() == parts.tobytes()


def test_a_tally_counts_every_hand_once() -> None:
    tally = compare(["greedy", "random"], Rules(players=4), deals=300).cells[0].tally
    hands = 2 * 300
    assert tally.sums[HANDS] == tally.lengths.sum() == tally.groups[:, 0].sum() == hands
    assert tally.sums[OF_AGENTS + WINS] + tally.sums[OF_AGENTS + 3 + WINS] + tally.sums[TIES] == hands
    assert tally.sums[OUT_HANDS] + tally.sums[BLOCKED_HANDS] == hands
    assert tally.points.sum(axis=1).tolist() == [2 * hands, 2 * hands, 0, 0]
    assert tally.margins.sum(axis=1).tolist() == [hands, hands, 0, 0]


def test_the_margin_is_the_difference_of_the_mean_points_of_the_two_distributions() -> None:
    for rules in (Rules(), Rules(players=4), Rules(players=4, partners=True)):
        result = compare(["greedy", "random"], rules, deals=400)
        tally = result.cells[0].tally
        bins = np.arange(tally.points.shape[1]) - ZERO_BIN
        means = [(counts * bins).sum() / counts.sum() for counts in tally.points[:2]]
        assert result.figures[0]["margin"] == pytest.approx(means[0] - means[1])


def test_merging_tallies_knows_every_field() -> None:
    one = np.frombuffer(np.arange(TALLY.itemsize // 8, dtype=np.int64).tobytes(), TALLY).view(np.recarray)[0]
    total = new_tally()
    merge(total, one)
    merge(total, one)
    assert np.frombuffer(total.tobytes(), np.int64).tolist() == [2 * n for n in range(TALLY.itemsize // 8)]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_weights_make_a_margin_points_per_seat_of_a_less_points_per_seat_of_b(players: int) -> None:
    seats = seat_pair(players)
    points = np.array([3, 10, -7, 20])[:players]
    for seating, weights in zip(seats.seatings, seats.weights, strict=True):
        margin = points[seating == 0].mean() - points[seating == 1].mean()
        signs = np.where(seating == 0, 1, -1)
        assert (signs * weights * points).sum() / seats.scale == pytest.approx(margin)
    assert (seats.seatings == 0).sum() == (seats.seatings == 1).sum()


def test_every_agent_of_a_table_sits_once_at_every_seat_in_the_same_order_around_it() -> None:
    seats = seat_table([0, 1, 2, 1])
    assert seats.seatings.tolist() == [[0, 1, 2, 1], [1, 0, 1, 2], [2, 1, 0, 1], [1, 2, 1, 0]]
    assert (seats.agents, seats.scale, seats.weights[0].tolist()) == (3, 2, [2, 1, 2, 1])


@pytest.mark.parametrize("damage", [slice(0, 10), slice(0, -1), slice(1, None)])
def test_a_packed_tally_comes_back_whole_and_a_damaged_one_is_told(damage: slice) -> None:
    tally = compare(["greedy", "random"], deals=50).cells[0].tally
    assert unpack(pack(tally)).tobytes() == tally.tobytes()
    with pytest.raises(ValueError, match=r".+"):
        unpack(pack(tally)[damage])


def test_streams_of_different_deals_hands_and_seats_do_not_repeat() -> None:
    plain_stream = getattr(stream, "py_func", stream)
    with np.errstate(over="ignore"):
        firsts = {
            int(plain_stream(seed, deal, hand, who))
            for seed in (0, 1)
            for deal in range(50)
            for hand in range(10)
            for who in range(5)
        }
    assert len(firsts) == 2 * 50 * 10 * 5


def test_splitmix64_gives_its_published_first_outputs() -> None:
    # The first outputs for the seed 1234567, from the reference implementation by Vigna (splitmix64.c).
    plain_mix = getattr(mix, "py_func", mix)
    state, words = np.uint64(1234567), []
    with np.errstate(over="ignore"):
        for _ in range(3):
            state += np.uint64(0x9E3779B97F4A7C15)
            words.append(int(plain_mix(state)))
    assert words == [6457827717110365317, 3203168211198807973, 9817491932198370423]


def test_numbers_below_a_bound_stay_below_it_and_are_even() -> None:
    plain_below = getattr(below, "py_func", below)
    words = np.random.default_rng(1).integers(0, 2**64, 20_000, dtype=np.uint64)
    counts = np.bincount([int(plain_below(word, 7)) for word in words], minlength=7)
    assert len(counts) == 7
    assert abs(counts - 20_000 / 7).max() < 5 * math.sqrt(20_000 / 7)
