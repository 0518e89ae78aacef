"""What is counted in detail, against records of the same hands counted again in plain Python."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from allfives_sim import Replayer, Results, Rules, Study
from allfives_sim.lab.files import write_results
from allfives_sim.lab.recording import record_cell
from tests import naive

from .helpers import integers

Record = dict[str, Any]


def records_of(results: Results) -> list[Record]:
    """Every hand of a study with ``collect.records = 1``."""
    return [r for one in results.cells for r in record_cell(one.cell, results.study, int(one.tally.deals), every=1)]


class Recount:
    """Counts by (agent, role, place), from records."""

    def __init__(self, records: list[Record]) -> None:
        self.plays: Counter[Any] = Counter()
        self.points: Counter[Any] = Counter()
        self.tiles: Counter[Any] = Counter()
        self.hands: Counter[Any] = Counter()
        self.totals: Counter[Any] = Counter()
        self.seats: Counter[Any] = Counter()
        self.lengths: Counter[Any] = Counter()
        for record in records:
            self._add(record)

    def _add(self, record: Record) -> None:
        rules = Rules.from_dict(record["rules"])
        agents = [record["agents"][seat % len(record["agents"])] for seat in range(rules.players)]
        roles = ["leader" if seat == record["leader"] else "other" for seat in range(rules.players)]
        scores, number = list(record["scores"]), 0
        tiles = [len(hand) for hand in record["hands"]]
        lead = next(event["play"] for event in record["events"] if "play" in event)
        for event in record["events"]:
            seat = event["seat"]
            agent, role, side = agents[seat], roles[seat], rules.side(seat)
            self.seats[agent, role, "draws"] += len(event.get("draw", ()))
            self.seats[agent, role, "passes"] += "pass" in event
            tiles[seat] += len(event.get("draw", ()))
            if "play" in event:
                number += 1
                tiles[seat] -= 1
                fits = not rules.exact_target or scores[side] + event["points"] <= rules.target
                scores[side] += event["points"] * fits
                self.plays[agent, role, number] += 1
                self.points[agent, role, number] += event["points"] * fits
                self.tiles[agent, role, event["play"]] += 1
        self.lengths[number] += 1
        gains = [
            record["final"][rules.side(seat)] - record["scores"][rules.side(seat)] for seat in range(rules.players)
        ]
        for seat, (agent, role) in enumerate(zip(agents, roles, strict=True)):
            side = rules.side(seat)
            self.hands[agent, role, lead] += 1
            self.totals[agent, role, lead] += gains[seat]
            self.seats[agent, role, "scored"] += scores[side] - record["scores"][side]
            self.seats[agent, role, "tiles_left"] += tiles[seat]
            self.seats[agent, role, "most_points"] += gains[seat] == max(gains)
            self.seats[agent, role, "out"] += record["end"] == "out" and record["out"] == seat
            self.seats[agent, role, "blocked"] += record["end"] == "blocked"
            self.seats[agent, role, "target"] += record["end"] == "target"


def studies() -> list[Study]:
    """Pairs and tables, hands and games, under random house rules."""
    rng, found = random.Random(12), []
    while len(found) < 24:
        rules = Rules.from_dict(naive.random_rules(rng))
        options: dict[str, Any] = {"rules": rules, "deals": 6, "seed": len(found), "collect": {"records": 1}}
        if len(found) % 2 and rules.players > 2:
            table = rng.choices(["greedy", "random", "risk", "heaviest"], k=rules.players - 2)
            options |= {"design": "tables", "tables": [["greedy", "random", *table]]}
        else:
            options |= {"agents": ["greedy", "random"]}
        try:
            rules.check_game()
            options |= {"games": len(found) % 3 == 0, "deals": 2 if len(found) % 3 == 0 else 6}
        except ValueError:
            pass
        found.append(Study(**options))
    return found


@pytest.mark.parametrize("study", studies(), ids=lambda study: f"{study.rules[0].players}-{study.design}-{study.seed}")
def test_detail_is_what_records_of_the_same_hands_give(study: Study) -> None:
    results = study.run()
    records = records_of(results)
    if study.games:  # records of games hold every hand of them
        assert sum(record["hand"] == 0 for record in records) == results.cells[0].tally.games
    again = Recount(records)
    for row in results.by_play.to_dict("records"):
        key = row["agent"], row["role"], row["play"]
        assert row["plays"] == again.plays.pop(key)
        assert row["points"] * row["plays"] == pytest.approx(again.points[key])
    assert not again.plays
    for row in results.by_tile.to_dict("records"):
        assert row["plays"] == again.tiles.pop((row["agent"], row["role"], row["tile"]))
    assert not again.tiles
    for row in results.by_lead.to_dict("records"):
        key = row["agent"], row["role"], row["lead"]
        assert row["hands"] == again.hands.pop(key)
        assert row["points"] * row["hands"] == pytest.approx(again.totals[key])
    assert not again.hands
    for row in results.by_role.to_dict("records"):
        for name in ("draws", "passes", "scored", "tiles_left", "most_points", "out", "blocked", "target"):
            assert row[name] * row["hands"] == pytest.approx(again.seats[row["agent"], row["role"], name]), name
    assert dict(zip(results.lengths["plays"], results.lengths["hands"], strict=True)) == again.lengths


@pytest.mark.parametrize(
    "options",
    [
        {"agents": ["greedy", "random"]},
        {"agents": ["greedy", "random"], "games": True},
        {"agents": ["greedy", "random"], "rules": {"players": 3}},
        {"design": "tables", "tables": [["greedy", "random", "risk", "greedy"]], "rules": {"players": 4}},
    ],
    ids=["pair", "games", "three", "table"],
)
def test_rows_of_hands_and_records_say_the_same_and_the_tally_does_not_change(
    tmp_path: Path, options: dict[str, Any]
) -> None:
    study = Study(**options, deals=30, collect={"hands": True, "records": 1})
    results = study.run(tmp_path)
    assert integers(results) == integers(Study(**options, deals=30, collect={"records": 1}).run())
    rows = pd.read_parquet(tmp_path / "hands").sort_values(["deal", "rotation", "hand"])
    records = records_of(results)
    assert len(rows) == len(records) == results.figures[0]["hands"]
    for row, record in zip(rows.to_dict("records"), records, strict=True):
        seats = range(study.rules[0].players)
        assert (row["deal"], row["rotation"], row["hand"]) == (
            record["deal"],
            record["rotation"],
            record.get("hand", 0),
        )
        assert (row["leader"], row["ended"], row["lead"]) == (
            record["leader"],
            record["end"],
            next(event["play"] for event in record["events"] if "play" in event),
        )
        assert [row[f"agent_{seat}"] for seat in seats] == record["agents"]
        gains = [record["final"][seat] - record["scores"][seat] for seat in seats]
        assert [row[f"points_{seat}"] for seat in seats] == gains
        assert row["plays"] == sum("play" in event for event in record["events"])
        assert row["draws"] == sum(len(event.get("draw", ())) for event in record["events"])
        assert row["passes"] == sum("pass" in event for event in record["events"])
        assert (
            sum(row[f"left_{seat}"] for seat in seats) == sum(map(len, record["hands"])) + row["draws"] - row["plays"]
        )


def test_records_of_every_second_hand_show_all_seatings() -> None:
    study = Study(["greedy", "random"], rules={"players": 3}, deals=30, collect={"records": 6})
    (one,) = study.run().cells
    records = list(record_cell(one.cell, study, 30, every=6))
    assert [record["deal"] for record in records] == list(range(30))
    assert {record["rotation"] for record in records} == set(range(6))


def test_partners_of_a_table_win_hands_and_games_together() -> None:
    table = [["risk", "greedy", "defensive", "random"]]
    rules = {"players": 4, "partners": True}
    results = Study(design="tables", tables=table, rules=rules, deals=200, collect={"records": 1}).run()
    won: Counter[str] = Counter()
    for record in records_of(results):
        gains = [after - before for after, before in zip(record["final"], record["scores"], strict=True)]
        for seat, agent in enumerate(record["agents"]):
            won[agent] += gains[seat % 2] > gains[1 - seat % 2]
    shares = {row["agent"]: row["wins"] for row in results.agents.to_dict("records")}
    assert shares == {agent: pytest.approx(count / 800) for agent, count in won.items()}
    games = Study(design="tables", tables=table, rules=rules, deals=20, games=True).run().games
    pair = games[(games["a"] == "risk") & (games["b"] == "defensive")].iloc[0]
    assert pair["a_games"] == pair["b_games"] > 0.5


def test_every_nth_hand_is_written_as_a_record_that_replays(tmp_path: Path) -> None:
    study = Study(["greedy", "random", "risk"], deals=50, collect={"records": 7})
    write_results(study.run(), tmp_path)
    lines = (tmp_path / "records.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 3 * len(range(0, 100, 7))
    replayer = Replayer()
    assert all(replayer.check(line) is None for line in lines)
