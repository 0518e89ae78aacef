"""What the statistics promise, simulated: fixed seeds, and tolerances of about three standard errors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from allfives_sim import Rules, Study, agent, compare, find_agent
from allfives_sim.agents import choices, first_move, mix, next_move
from allfives_sim.agents.policy import REGISTER
from allfives_sim.core.streams import below
from allfives_sim.lab.estimates import game_mean, game_share, margin_of, share_of
from allfives_sim.lab.pairing import seat_pair
from allfives_sim.lab.planning import plan
from allfives_sim.lab.ratings import bradley_terry, find_cycles
from allfives_sim.lab.stats import (
    Estimate,
    confidence_sequence,
    jackknife,
    normal_quantile,
    ratio_estimate,
    share_estimate,
    wilson,
)
from allfives_sim.lab.stopping import StopRule, looks, sequential_test
from allfives_sim.lab.study import Cell
from allfives_sim.lab.tally import HANDS, OF_AGENTS, TALLY, WINS, merge, new_tally
from allfives_sim.lab.task import Task, play

TOLERANCE = 0.0104  # of a coverage of 95% over 4,000 studies: three standard errors


def over_deals(values: Any, hands: Any) -> Estimate:
    """The estimate from sums over deals, as a tally holds them."""
    y, x = np.asarray(values, dtype=int), np.asarray(hands, dtype=int)
    return ratio_estimate(len(y), *(int(s) for s in (y.sum(), (y * y).sum(), x.sum(), (x * x).sum(), (x * y).sum())))


def test_shares_over_deals_are_covered_though_rotations_of_a_deal_depend_on_each_other() -> None:
    # Each deal has a chance of its own that its two hands are won: as if hands were independent, 95% would be too wide
    # or too narrow.
    rng = np.random.default_rng(1)
    covered = naively = 0
    for _ in range(4000):
        chance = rng.beta(0.6, 0.4, 500)
        won = rng.binomial(2, chance)
        found = over_deals(won, np.full(500, 2))
        covered += found.low <= 0.6 <= found.high
        low, high = wilson(float(won.sum()) / 1000, 1000)
        naively += low <= 0.6 <= high
    assert abs(covered / 4000 - 0.95) < TOLERANCE
    assert naively / 4000 < 0.9


@pytest.mark.parametrize(("share", "deals"), [(0.01, 200), (0.03, 100), (0.5, 50), (0.98, 150)])
@pytest.mark.parametrize("together", [0.0, 0.5])
def test_rare_shares_are_covered_too_and_stay_within_0_and_1(share: float, deals: int, together: float) -> None:
    # Two hands a deal; with the chance `together` the second is like the first.
    rng = np.random.default_rng(11)
    first, second = rng.random((2, 4000, deals)) < share
    won = first.astype(int) + np.where(rng.random((4000, deals)) < together, first, second)
    covered = 0
    for row in won:
        sums = (int(s) for s in (row.sum(), (row * row).sum(), 2 * deals, 4 * deals, 2 * row.sum()))
        found = share_estimate(deals, *sums)
        assert 0 <= found.low <= found.value <= found.high <= 1
        covered += found.low <= share <= found.high
    assert 0.93 < covered / 4000 < 0.985


@pytest.mark.parametrize("deals", [3, 5, 10, 30])
def test_margins_of_few_deals_are_covered(deals: int) -> None:
    rng = np.random.default_rng(12)
    found = [over_deals(np.round(1000 * rng.normal(3, 20, deals)), np.full(deals, 1000)) for _ in range(4000)]
    assert abs(sum(one.low <= 3 <= one.high for one in found) / 4000 - 0.95) < TOLERANCE


def test_wilson_intervals_cover_shares_of_independent_trials_near_the_ends_too() -> None:
    rng = np.random.default_rng(2)
    for share in (0.02, 0.1, 0.5, 0.97):
        covered = 0
        for won in rng.binomial(300, share, 4000):
            low, high = wilson(int(won) / 300, 300)
            covered += low <= share <= high
        assert abs(covered / 4000 - 0.95) < 0.015, share  # the binomial is in steps


def test_wilson_gives_its_published_values() -> None:
    # Newcombe, "Two-sided confidence intervals for the single proportion", Statistics in Medicine 17 (1998), table I.
    for won, trials, low, high in ((81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611)):
        assert [round(end, 4) for end in wilson(won / trials, trials)] == [low, high]


def test_intervals_adjusted_for_ten_pairs_hold_all_true_margins_in_95_percent_of_studies() -> None:
    rng = np.random.default_rng(3)
    held = one_held = 0
    for _ in range(2000):
        found = [over_deals(np.round(rng.normal(0, 40, 300)), np.full(300, 2)) for _ in range(10)]
        wide = [one.widened(300, 10) for one in found]
        held += all(one.low <= 0 <= one.high for one in wide)
        one_held += all(one.low <= 0 <= one.high for one in found)
    assert abs(held / 2000 - 0.95) < 0.016
    assert one_held / 2000 < 0.7


def test_the_jackknife_covers_margins_and_ratings_of_agents_that_share_their_deals() -> None:
    # Three agents of strengths 0, 0.3 and 0.8; the luck of a deal is shared by all pairs.
    rng = np.random.default_rng(4)
    pairs, strength = ((0, 1), (0, 2), (1, 2)), np.array([0.0, 0.3, 0.8])
    truth = 400 / math.log(10) * (strength - strength.mean())

    def ratings(sums: Any) -> Any:
        wins = np.zeros((3, 3))
        for (a, b), (won, lost) in zip(pairs, sums, strict=True):
            wins[a, b], wins[b, a] = won, lost
        return bradley_terry(wins)

    covered, studies = np.zeros(3), 700
    for _ in range(studies):
        groups, luck = np.zeros((64, 3, 2)), rng.random((64, 40))
        for number, (a, b) in enumerate(pairs):
            won = (luck < 1 / (1 + np.exp(strength[b] - strength[a]))).sum(axis=1)
            groups[:, number] = np.stack([won, 40 - won], axis=1)
        value, low, high = jackknife(groups, ratings)
        assert np.isfinite(value).all()
        covered += (low <= truth) & (truth <= high)
    assert (abs(covered / studies - 0.95) < 0.028).all()


@pytest.mark.parametrize("skewed", [False, True])
def test_a_confidence_sequence_is_wrong_at_any_look_in_fewer_than_5_percent_of_studies(skewed: bool) -> None:
    rng = np.random.default_rng(5)
    steps, wrong, studies = list(looks(20_000)), 0, 2000
    for _ in range(studies):
        values = rng.exponential(20, 20_000) - 20 if skewed else rng.normal(0, 20, 20_000)
        sums, squares = values.cumsum(), (values * values).cumsum()
        for deals in steps:
            mean = sums[deals - 1] / deals
            sd = math.sqrt(max(squares[deals - 1] / deals - mean**2, 0))
            low, high = confidence_sequence(mean, sd, deals)
            if not low <= 0 <= high:
                wrong += 1
                break
    assert 0.005 < wrong / studies < 0.05


@pytest.mark.parametrize(("margin", "wrong_answer"), [(0.0, "better"), (2.0, "not better")])
def test_the_sequential_test_is_wrong_in_no_more_than_its_share_of_studies(margin: float, wrong_answer: str) -> None:
    rng = np.random.default_rng(6)
    rule, answers = StopRule(better_by=2.0), []
    for _ in range(2000):
        values = rng.exponential(20, 20_000) - 20 + margin
        sums, squares = values.cumsum(), (values * values).cumsum()
        for deals in looks(20_000):
            mean = sums[deals - 1] / deals
            sd = math.sqrt(squares[deals - 1] / deals - mean**2)
            answer = rule.decide(Estimate(mean, mean, mean, sd), deals)
            if answer:
                break
        answers.append(answer)
    assert "" not in answers
    assert 0.005 < answers.count(wrong_answer) / 2000 < 0.05


@pytest.fixture(scope="module")
def noisy() -> Any:
    """An agent that plays at random, with a parameter that changes its luck and nothing else."""
    before = dict(REGISTER)

    @agent(salt=0.0)
    def noisy(view: Any, word: Any) -> int:
        """Any play, all alike."""
        place = below(mix(word ^ np.uint64(view.parameters[0])), choices(view))
        move = first_move(view)
        for _ in range(place):
            move = next_move(view, move)
        return move

    yield noisy
    REGISTER.clear()
    REGISTER.update(before)


def test_identical_agents_with_noise_raise_no_more_false_alarms_than_promised(noisy: Any) -> None:
    agents = [find_agent("noisy:salt=1"), find_agent("noisy:salt=2")]
    rules, deals, studies = Rules(hand_size=3), 1000, 1000
    cell = Cell(0, rules, tuple(one.spec for one in agents))
    alarms = {"confidence sequence": 0, "sequential test": 0}
    margins = []
    for seed in range(studies):
        tally, first, open_questions = new_tally(), 0, set(alarms)
        for end in looks(deals):
            task = Task(cell.agents, (), rules, seat_pair(2), seed, first, end - first, False, False, False)
            merge(tally, play(agents, task)[0])
            first, margin = end, margin_of(cell, tally)
            low, high = confidence_sequence(margin.value, margin.sd, end)
            if "confidence sequence" in open_questions and not low <= 0 <= high:
                alarms["confidence sequence"] += 1
                open_questions.discard("confidence sequence")
            if "sequential test" in open_questions:
                answer = sequential_test(margin.value, margin.sd, end, 1.5, 0.05)
                alarms["sequential test"] += answer == "better"
                open_questions -= {"sequential test"} if answer else set()
        margins.append(margin.value / (margin.sd / math.sqrt(deals)))
    assert abs(np.std(margins) - 1) < 0.07, "the agents differ, by luck alone"
    assert abs(np.mean(margins)) < 0.1
    for name, count in alarms.items():
        assert count <= 50, name


def test_margins_of_real_deals_are_covered_by_their_intervals() -> None:
    # 600 studies of 150 deals, against the margin over all of their deals.
    rules, cell = Rules(hand_size=5), Cell(0, Rules(hand_size=5), ("greedy", "random"))
    agents, studies = [find_agent(spec) for spec in cell.agents], 600
    whole, found = new_tally(), []
    for number in range(studies):
        task = Task(cell.agents, (), rules, seat_pair(2), 7, 150 * number, 150, False, False, False)
        tally, _ = play(agents, task)
        merge(whole, tally)
        found.append((margin_of(cell, tally), share_of(tally, OF_AGENTS + WINS)))
    truths = margin_of(cell, whole).value, share_of(whole, OF_AGENTS + WINS).value
    for place, truth in enumerate(truths):
        covered = sum(one[place].low <= truth <= one[place].high for one in found)
        assert abs(covered / studies - 0.95) < 0.03


def test_a_margin_in_a_table_of_four_is_that_of_its_rows_of_hands(tmp_path: Any) -> None:
    import pandas as pd

    table = ["greedy", "random", "risk", "heaviest"]
    study = Study(design="tables", tables=[table], rules={"players": 4}, deals=300, collect={"hands": True})
    results = study.run(tmp_path)
    rows = pd.read_parquet(tmp_path / "hands")
    points = {
        name: sum((rows[f"agent_{seat}"] == name) * rows[f"points_{seat}"] for seat in range(4)) for name in table
    }
    for row in results.figures:
        difference = (points[row["a"]] - points[row["b"]]).groupby(rows["deal"]).mean()
        assert row["margin"] == pytest.approx(difference.mean())
        assert row["sd"] == pytest.approx(difference.std())
        alone = (points[row["a"]] - points[row["b"]]).var(ddof=0)
        assert row["pairing_saves"] == pytest.approx(alone / 4 / difference.var())


def test_shares_of_games_are_over_deals() -> None:
    results = compare(["greedy", "heaviest"], Rules(target=50), games=True, deals=400)
    tally = results.cells[0].tally
    share = game_share(tally, OF_AGENTS + 2)
    assert share.value == results.games["a_games"][0]
    assert tally.games == 800
    per_game = game_mean(tally, HANDS)
    assert per_game.value == pytest.approx(results.figures[0]["hands"] / 800)
    assert per_game.low < per_game.value < per_game.high


# --- several agents ---


def test_ratings_are_those_that_win_as_often_as_was_found() -> None:
    rng = np.random.default_rng(8)
    strength = rng.normal(0, 1, 5)
    chance = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))
    wins = 1000 * chance
    np.fill_diagonal(wins, 0)
    expected = 400 / math.log(10) * (strength - strength.mean())
    assert bradley_terry(wins) == pytest.approx(expected, abs=1e-3)


def test_ratings_of_an_agent_that_never_wins_cannot_be_told() -> None:
    assert np.isnan(bradley_terry(np.array([[0.0, 5.0], [0.0, 0.0]]))).all()


def test_a_circle_of_agents_is_told_once_and_only_where_it_is_certain() -> None:
    def pair(a: str, b: str, low: float, high: float) -> dict[str, Any]:
        return {"rules": "article", "a": a, "b": b, "margin_low_all": low, "margin_high_all": high}

    circle = [pair("rock", "scissors", 1, 2), pair("paper", "rock", 1, 2), pair("paper", "scissors", -2, -1)]
    assert find_cycles(circle) == [("paper", "rock", "scissors")]
    assert find_cycles([*circle[:2], pair("paper", "scissors", -2, 1)]) == []
    assert find_cycles([*circle[:2], pair("paper", "scissors", 1, 2)]) == []


def test_agents_stand_by_their_mean_margins_and_ratings(tmp_path: Any) -> None:
    results = compare(["risk", "greedy", "random"], deals=4000)
    agents = results.agents.set_index("agent")
    margins = {(row["a"], row["b"]): row["margin"] for row in results.figures}
    assert agents["margin"]["greedy"] == pytest.approx((-margins["risk", "greedy"] + margins["greedy", "random"]) / 2)
    assert agents["rating"].sum() == pytest.approx(0, abs=1e-9)
    assert list(agents["rating"].sort_values(ascending=False).index) == ["risk", "greedy", "random"]
    for name in ("margin", "wins", "rating"):
        assert (agents[f"{name}_low"] < agents[name]).all()
        assert (agents[name] < agents[f"{name}_high"]).all()
    pair = compare(["risk", "greedy"], deals=4000)
    row, other = pair.agents.iloc[0], pair.figures[0]
    assert row["margin"] == pytest.approx(other["margin"])
    half, expected = row["margin_high"] - row["margin"], other["margin_high"] - other["margin"]
    assert half == pytest.approx(expected, rel=0.35), "63 degrees of freedom"


# --- planning ---


def test_a_plan_finds_the_difference_as_often_as_it_says() -> None:
    # sd 20, difference 1: n = ((1.96 + 1.2816) * 20)^2 = 4203.  Then 90% of studies have an interval clear of 0.
    needed = ((normal_quantile(0.975) + normal_quantile(0.9)) * 20) ** 2
    rng = np.random.default_rng(9)
    means = rng.normal(1, 20 / math.sqrt(needed), 4000)
    assert abs((means > 1.959964 * 20 / math.sqrt(needed)).mean() - 0.9) < 0.015
    found = plan(Study(["greedy", "defensive"], deals=2000), 0.5)
    assert found.deals == pytest.approx(((normal_quantile(0.975) + normal_quantile(0.9)) * found.sd / 0.5) ** 2, abs=1)
    assert found.deals_low < found.deals < found.deals_high
    longer = compare(["greedy", "defensive"], deals=40_000, seed=2).figures[0]
    assert found.deals_low < ((1.959964 + 1.281552) * longer["sd"] / 0.5) ** 2 < found.deals_high


def test_a_stopping_rule_looks_at_fixed_numbers_of_deals() -> None:
    assert list(looks(100)) == [100]
    assert list(looks(10_000))[:3] == [500, 550, 605]
    assert list(looks(10_000))[:-1] == list(looks(9_000))[:-1] + list(looks(10_000))[len(list(looks(9_000))) - 1 : -1]


def test_every_field_of_a_tally_is_a_sum() -> None:
    assert all(TALLY[name].base == np.int64 for name in TALLY.names or ())
