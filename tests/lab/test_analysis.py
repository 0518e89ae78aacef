"""The analysis of positions in recorded hands."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from allfives_sim import InputError, RecordError, Rules, record_hands
from allfives_sim.core.positions import PositionError, SeenPosition
from allfives_sim.lab.analysis import Analysis, analyse, analyse_position, review, review_frame, review_summary
from allfives_sim.lab.stats import Z95
from tests import naive
from tests.agents.test_agents import decisions
from tests.core.test_positions import as_text, known_to_movers


def recorded(agents: list[str], hands: int, seed: int = 5, **switches: Any) -> list[dict[str, Any]]:
    return [json.loads(json.dumps(r)) for r in record_hands(agents, Rules(**switches), hands=hands, seed=seed)]


def test_the_plays_valued_are_the_choices_that_the_referee_finds_with_their_points() -> None:
    for record in recorded(["random"], 15):
        plays = [number for number, event in enumerate(record["events"]) if "play" in event]
        for number, decision in zip(plays, decisions(record), strict=True):
            analysis = analyse(record, number, worlds=2)
            found = {(*move, points) for move, points in zip(analysis.moves, analysis.points, strict=True)}
            assert found == {(naive.write_tile(c.tile), str(c.at), c.points) for c in decision.choices}
            assert analysis.played is not None
            assert analysis.moves[analysis.played] == (decision.event["play"], str(decision.event["at"]))


def test_hidden_tiles_do_not_change_the_value_of_a_lead() -> None:
    record = recorded(["greedy"], 1)[0]
    leader = record["leader"]
    other = json.loads(json.dumps(record))
    known = {*record["hands"][leader], *record["hands"][1 - leader]}
    rest = [naive.write_tile(tile) for tile in naive.full_set(6) if naive.write_tile(tile) not in known]
    other["hands"][1 - leader] = rest[:9]
    one, two = analyse(record, 0, worlds=50), analyse(other, 0, worlds=50)
    assert one.moves == two.moves
    assert np.array_equal(one.margins, two.margins)


def test_a_last_tile_is_worth_its_points_and_what_the_settlement_brings() -> None:
    # Who goes out keeps the points, and the opponent's hidden tiles, whatever they are, come off the other side.
    for record in recorded(["greedy"], 30):
        if record["end"] != "out":
            continue
        number = len(record["events"]) - 1
        event = record["events"][number]
        analysis = analyse(record, number, worlds=2000)
        seat = event["seat"]
        assert np.all(analysis.margins[analysis.played] >= event["points"])
        real = event["points"] + record["settlement"][seat] - record["settlement"][1 - seat]
        assert analysis.margins[analysis.played].min() <= real <= analysis.margins[analysis.played].max()


def test_the_frame_has_the_best_play_first_and_intervals_around_the_margins() -> None:
    record = recorded(["random"], 1)[0]
    frame = analyse(record, 0, worlds=100).frame()
    assert frame["margin"].is_monotonic_decreasing
    assert ((frame["margin_low"] < frame["margin"]) & (frame["margin"] < frame["margin_high"])).all()
    assert frame["played"].sum() == 1
    assert frame["win_chance"].between(0, 1).all()


def test_more_worlds_give_a_narrower_interval_around_the_same_margin() -> None:
    record = recorded(["greedy"], 1)[0]
    few, many = (analyse(record, 0, worlds=n).frame().set_index(["tile", "end"]).sort_index() for n in (400, 6400))
    width = (many["margin_high"] - many["margin_low"]) / (few["margin_high"] - few["margin_low"])
    assert width.between(0.2, 0.32).all()
    assert ((few["margin"] - many["margin"]).abs() < 2.5 * (few["margin_high"] - few["margin"])).all()


def test_the_loss_of_a_play_that_is_as_good_as_the_others_is_zero_on_average() -> None:
    rng = np.random.default_rng(3)
    losses = [
        Analysis([("0-1", "0")] * 5, [0] * 5, rng.normal(0, 20, (5, 40)), np.zeros((5, 40), int), 0).loss()[0]
        for _ in range(2000)
    ]
    assert abs(np.mean(losses)) < 5 * np.std(losses) / np.sqrt(2000)


def test_a_review_finds_that_random_play_loses_more_than_greedy_play() -> None:
    lost: dict[str, list[float]] = {"random": [], "greedy": []}
    for record in recorded(["random", "greedy"], 25):
        for play in review(record, worlds=60):
            lost[play["agent"]].append(play["lost"])
    assert np.mean(lost["random"]) > 1.3 * np.mean(lost["greedy"]) > 0


def test_the_same_seed_gives_the_same_analysis() -> None:
    record = recorded(["greedy"], 1, players=4, partners=True)[0]
    one, two, other = (analyse(record, 0, worlds=30, seed=seed) for seed in (1, 1, 2))
    assert np.array_equal(one.margins, two.margins)
    assert not np.array_equal(one.margins, other.margins)


@pytest.mark.parametrize(
    ("event", "options", "word"),
    [
        (999, {}, "is no play"),
        (0, {"worlds": 1}, "worlds cannot be 1"),
        (0, {"base": "montecarlo"}, "without a base"),
        (0, {"base": "gredy"}, "did you mean"),
    ],
)
def test_what_cannot_be_analysed_is_refused_in_one_sentence(event: int, options: dict[str, Any], word: str) -> None:
    with pytest.raises(InputError, match=word):
        analyse(recorded(["greedy"], 1)[0], event, **options)


def test_a_record_that_is_wrong_before_the_event_is_refused() -> None:
    record = recorded(["greedy"], 1)[0]
    record["events"][0]["count"] += 1
    with pytest.raises(InputError, match="event 0: the count"):
        analyse(record, [n for n, e in enumerate(record["events"]) if "play" in e][1])


@pytest.mark.parametrize("switches", [{}, {"players": 3, "draw_limit": 2}])
def test_a_position_is_worth_what_the_recorded_hand_that_it_is_taken_from_is(switches: dict[str, Any]) -> None:
    for record in recorded(["random"], 3, **switches):
        for event, keys in known_to_movers(record):
            of_record = analyse(record, event, worlds=20)
            of_position = analyse_position(SeenPosition.from_text(as_text(keys)), worlds=20)
            assert of_position.moves == of_record.moves
            assert of_position.points == of_record.points
            assert np.array_equal(of_position.margins, of_record.margins)
            assert np.array_equal(of_position.won, of_record.won)
            assert of_position.played is None
            assert not of_position.frame()["played"].any()


def test_a_position_that_cannot_be_is_refused() -> None:
    with pytest.raises(PositionError, match="no tile of its hand fits"):
        analyse_position(SeenPosition.from_text("hand_size=3; hand 6-4 3-3; 5-5 2-5@0"))


def test_a_position_that_agrees_with_no_deal_of_the_hidden_tiles_is_refused() -> None:
    # Seat 1 holds three tiles without a 0 or a 1, and the mover does not see but 2-3 and 3-3 of these.
    with pytest.raises(InputError, match="no deal agrees"):
        analyse_position(SeenPosition.from_text("highest_pip=3 draw_limit=0 hand_size=3; hand 1-2 2-2; 0-1 pass"))


def test_a_review_frame_has_a_row_for_each_choice_of_each_record_with_its_number() -> None:
    records = recorded(["random", "greedy"], 3)
    frame = review_frame(((10 * number, record) for number, record in enumerate(records)), worlds=20)
    plays = [
        {"line": 10 * number} | play for number, record in enumerate(records) for play in review(record, worlds=20)
    ]
    assert list(frame.columns) == [
        "line", "event", "seat", "agent", "tile", "end", "best_tile", "best_end", "lost", "lost_half",
    ]  # fmt: skip
    assert frame.to_dict("records") == plays


def test_a_summary_has_a_row_for_each_seat_and_agent_with_intervals_over_hands() -> None:
    frame = review_frame(enumerate(recorded(["random", "greedy"], 4), 1), worlds=20)
    summary = review_summary(frame)
    assert list(zip(summary["seat"], summary["agent"], strict=True)) == [(0, "random"), (1, "greedy")]
    for seat, row in summary.iterrows():
        mine = frame[frame["seat"] == seat]
        a_hand = [mine.loc[mine["line"] == line, "lost"].sum() for line in range(1, 5)]
        assert (row["choices"], row["hands"]) == (len(mine), 4)
        assert row["lost_choice"] == pytest.approx(mine["lost"].mean())
        assert row["lost_hand"] == pytest.approx(np.mean(a_hand))
        assert row["lost_hand_half"] == pytest.approx(Z95 * np.std(a_hand, ddof=1) / 2)


def test_a_review_of_no_records_is_two_empty_frames() -> None:
    frame = review_frame([])
    assert frame.empty
    summary = review_summary(frame)
    assert summary.empty
    assert "lost_hand" in summary


def test_a_review_says_which_record_is_wrong() -> None:
    good, wrong = recorded(["greedy"], 2)
    wrong["events"][0]["count"] += 1
    with pytest.raises(RecordError, match="line 2: event 0: the count"):
        review_frame(enumerate([good, wrong], 1), worlds=2)
