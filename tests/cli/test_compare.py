"""`allfives compare`: its JSON, its options, its files, and what must hold of the figures exactly."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from allfives_sim import __version__
from allfives_sim.core.rules import Rules

from .helpers import Command, interrupt_when, run_alone

PAIR_KEYS = {
    "a", "b", "deals", "hands", "margin", "margin_low", "margin_high", "sd", "a_wins", "b_wins", "ties", "blocked",
    "plays_per_hand", "draws_per_hand", "leader_margin", "seconds", "hands_per_second",
}  # fmt: skip
TIMES = {"seconds", "hands_per_second"}
FRAMES = ["pairs", "agents", "distribution", "margins", "by_role", "by_lead", "by_play", "by_tile", "lengths"]
FILES = {f"{frame}.{kind}" for frame in FRAMES for kind in ("csv", "parquet")} | {
    "margins.png", "distribution.png", "run.sqlite", "study.toml", ".lock",
}  # fmt: skip
TABLES: dict[str, list[str]] = {
    "two": [],
    "three": ["--players", "3"],
    "four": ["--players", "4"],
    "partners": ["--players", "4", "--set", "partners=true"],
}
ROTATIONS = {"two": 2, "three": 6, "four": 2, "partners": 2}
SEATS = {"two": 2, "three": 3, "four": 4, "partners": 4}


def untimed(pair: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in pair.items() if key not in TIMES}


# --- the JSON ---


def test_json_is_one_object_with_every_key_of_the_contract(allfives: Command) -> None:
    done = allfives("compare", "greedy", "random", "--deals", 500, "--seed", 7, "--json")
    assert done.code == 0
    answer = done.json()
    assert answer["seed"] == 7
    assert Rules.from_dict(answer["rules"]) == Rules()
    assert "partial" not in answer
    (pair,) = answer["pairs"]
    assert pair.keys() >= PAIR_KEYS
    assert (pair["a"], pair["b"], pair["deals"], pair["hands"]) == ("greedy", "random", 500, 1000)
    assert pair["margin_low"] < pair["margin"] < pair["margin_high"]
    assert pair["a_wins"] + pair["b_wins"] + pair["ties"] == pytest.approx(1)
    assert 0 <= pair["blocked"] <= 1
    assert pair["sd"] > 0
    assert pair["plays_per_hand"] > 9
    assert pair["hands_per_second"] == pytest.approx(pair["hands"] / pair["seconds"])


def test_interval_is_that_of_the_sd_over_deals(allfives: Command) -> None:
    pair = allfives("compare", "greedy", "random", "--deals", 500, "--json").pair()
    half = 1.959963984540054 * pair["sd"] / 500**0.5
    assert pair["margin_high"] - pair["margin"] == pytest.approx(half)
    assert pair["margin"] - pair["margin_low"] == pytest.approx(half)


def test_every_pair_of_several_agents_is_played_in_their_order(allfives: Command) -> None:
    answer = allfives("compare", "greedy", "heaviest", "random", "--deals", 100, "--json").json()
    pairs = [(pair["a"], pair["b"]) for pair in answer["pairs"]]
    assert pairs == [("greedy", "heaviest"), ("greedy", "random"), ("heaviest", "random")]


def test_table_for_people_names_the_pair_and_is_not_json(allfives: Command) -> None:
    done = allfives("compare", "greedy", "random", "--deals", 100)
    assert done.code == 0
    assert "greedy over random" in done.out
    assert "200 hands" in done.out
    assert "{" not in done.out


def test_one_deal_gives_a_margin_and_no_interval(allfives: Command) -> None:
    pair = allfives("compare", "greedy", "random", "--deals", 1, "--json").pair()
    assert pair["margin"] is not None
    assert pair["margin_low"] is pair["margin_high"] is pair["sd"] is None


# --- what must hold exactly ---


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("agent", ["random", "greedy", "defensive:weight=0.5"])
def test_identical_agents_have_margin_zero_and_interval_zero(allfives: Command, agent: str, table: str) -> None:
    pair = allfives("compare", agent, agent, "--deals", 200, "--json", *TABLES[table]).pair()
    assert (pair["margin"], pair["margin_low"], pair["margin_high"], pair["sd"]) == (0, 0, 0, 0)
    assert pair["a_wins"] == pair["b_wins"]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_identical_agents_have_margin_zero_in_whole_games(allfives: Command, players: int) -> None:
    options = ["--deals", 50, "--games", "--players", players, "--json"]
    pair = allfives("compare", "random", "random", *options).pair()
    assert (pair["margin"], pair["margin_low"], pair["margin_high"]) == (0, 0, 0)
    assert pair["a_games"] == pair["b_games"] or players == 3  # there, one agent has two of the seats


@pytest.mark.parametrize("table", TABLES)
def test_margin_changes_its_sign_when_the_agents_are_swapped(allfives: Command, table: str) -> None:
    options = ["--deals", 300, "--json", *TABLES[table]]
    pair = allfives("compare", "greedy", "random", *options).pair()
    swapped = allfives("compare", "random", "greedy", *options).pair()
    assert pair["margin"] > 0
    assert swapped["margin"] == -pair["margin"]
    assert (swapped["margin_low"], swapped["margin_high"]) == pytest.approx((-pair["margin_high"], -pair["margin_low"]))
    assert (swapped["a_wins"], swapped["b_wins"]) == (pair["b_wins"], pair["a_wins"])
    for key in ("sd", "ties", "blocked", "plays_per_hand", "draws_per_hand", "leader_margin"):
        assert swapped[key] == pytest.approx(pair[key]), key


@pytest.mark.parametrize("options", [[], ["--games"], ["--players", "3"]], ids=["hands", "games", "three"])
def test_one_and_two_threads_give_the_same_integers(allfives: Command, options: list[str]) -> None:
    deals = 300 if options == ["--games"] else 3000
    one, two = (
        allfives("compare", "greedy", "random", "--deals", deals, "--json", "--threads", threads, *options).pair()
        for threads in (1, 2)
    )
    assert untimed(one) == untimed(two)


def test_same_seed_gives_the_same_and_another_seed_other_deals(allfives: Command) -> None:
    first, again, other = (
        allfives("compare", "greedy", "random", "--deals", 300, "--json", "--seed", seed).pair() for seed in (1, 1, 2)
    )
    assert untimed(first) == untimed(again)
    assert untimed(first) != untimed(other)


# --- the options ---


@pytest.mark.parametrize("table", TABLES)
def test_players_seats_that_many_and_plays_every_rotation(allfives: Command, table: str) -> None:
    done = allfives("compare", "greedy", "random", "--deals", 100, "--json", *TABLES[table])
    pair = done.pair()
    assert pair["hands"] == 100 * ROTATIONS[table]
    rules = Rules.from_dict(done.json()["rules"])
    assert rules.players == {"two": 2, "three": 3}.get(table, 4)
    assert rules.partners == (table == "partners")


def test_set_changes_switches_one_by_one_and_several_at_once(allfives: Command) -> None:
    apart = ["--set", "draw_limit=0", "--set", "hand_size=5", "--set", "spinner_count=2 2 2 1 0"]
    done = allfives("compare", "greedy", "random", "--deals", 200, "--json", *apart)
    rules = Rules.from_dict(done.json()["rules"])
    assert rules == Rules(draw_limit=0, hand_size=5, spinner_count=(2, 2, 2, 1, 0))
    assert done.pair()["draws_per_hand"] == 0
    together = ["--set", "draw_limit=0", "hand_size=5", "spinner_count=2 2 2 1 0"]
    again = allfives("compare", "greedy", "random", "--deals", 200, "--json", *together)
    assert untimed(again.pair()) == untimed(done.pair())


def test_preset_and_the_toml_file_that_says_the_same_play_the_same(allfives: Command, tmp_path: Path) -> None:
    file = tmp_path / "house.toml"
    file.write_text(Rules.preset("sniff", players=3, draw_limit=2).to_toml(), encoding="utf-8")
    from_file = allfives("compare", "greedy", "random", "--deals", 200, "--json", "--rules", file)
    options = ["--rules", "sniff", "--players", 3, "--set", "draw_limit=2"]
    from_options = allfives("compare", "greedy", "random", "--deals", 200, "--json", *options)
    assert from_file.json()["rules"] == from_options.json()["rules"]
    assert untimed(from_file.pair()) == untimed(from_options.pair())


def test_set_and_players_change_what_the_file_says(allfives: Command, tmp_path: Path) -> None:
    file = tmp_path / "house.toml"
    file.write_text('preset = "miami"\nplayers = 4\npartners = true\ndraw_limit = 3\n', encoding="utf-8")
    options = ["--rules", file, "--players", 2, "--set", "partners=false", "draw_limit=null"]
    done = allfives("compare", "greedy", "random", "--deals", 50, "--json", *options)
    assert done.code == 0, done.err
    assert Rules.from_dict(done.json()["rules"]) == Rules.preset("miami")


@pytest.mark.parametrize("preset", Rules.PRESETS)
@pytest.mark.parametrize("games", [[], ["--games"]], ids=["hands", "games"])
def test_every_preset_plays_at_every_size_of_table(allfives: Command, preset: str, games: list[str]) -> None:
    for options in TABLES.values():
        pair = allfives("compare", "greedy", "random", "--deals", 20, "--json", "--rules", preset, *games, *options)
        assert pair.pair()["deals"] == 20


def test_games_adds_the_shares_of_games_won(allfives: Command) -> None:
    options = ["--deals", 100, "--games"]
    done = allfives("compare", "greedy", "random", "--json", *options)
    pair = done.pair()
    assert done.json()["games"] is True
    assert pair["deals"] == 100
    assert pair["games"] == 200
    assert pair["a_games"] + pair["b_games"] == pytest.approx(1)
    assert pair["a_games"] > 0.8
    assert pair["hands"] / pair["games"] == pytest.approx(pair["hands_per_game"])
    assert pair["hands_per_game"] > 2
    assert "games won" in allfives("compare", "greedy", "random", *options).out


def test_parameters_of_a_spec_reach_the_agent(allfives: Command) -> None:
    pair = allfives("compare", "defensive:points=1000", "defensive", "--deals", 300, "--json").pair()
    assert (pair["a"], pair["b"]) == ("defensive:points=1000", "defensive")
    assert pair["margin"] > 0


# --- the files ---


@pytest.mark.parametrize("table", TABLES)
def test_out_writes_frames_that_agree_with_each_other_and_the_json(
    allfives: Command, tmp_path: Path, table: str
) -> None:
    folder = tmp_path / "new" / "results"
    options = ["--deals", 200, "--json", "--out", folder, *TABLES[table]]
    done = allfives("compare", "greedy", "heaviest", "random", *options)
    assert done.code == 0, done.err
    assert {path.name for path in folder.iterdir()} == FILES
    for name in ("margins.png", "distribution.png"):
        assert (folder / name).read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    frames = {}
    for name in ("pairs", "distribution"):
        frames[name] = pd.read_parquet(folder / f"{name}.parquet")
        assert_frame_equal(frames[name], pd.read_csv(folder / f"{name}.csv"))
    pairs = done.json()["pairs"]
    rows = frames["pairs"].to_dict("records")
    assert [{key: row[key] for key in pair} for row, pair in zip(rows, pairs, strict=True)] == pairs
    for pair in pairs:
        mine = frames["distribution"].query("cell == @pair['a'] + ' over ' + @pair['b']")
        means = {}
        for agent, part in mine.groupby("agent"):
            assert part["share"].sum() == pytest.approx(1)
            assert part["hands"].sum() == pair["hands"] * SEATS[table] / 2
            means[agent] = (part["points"] * part["share"]).sum()
        if table != "three":  # there, the margin weighs the seats of A-B-B and A-A-B differently
            assert means[pair["a"]] - means[pair["b"]] == pytest.approx(pair["margin"])


def test_the_same_command_with_more_deals_goes_on_in_its_folder(allfives: Command, tmp_path: Path) -> None:
    for deals in (50, 60):
        assert allfives("compare", "greedy", "random", "--deals", deals, "--out", tmp_path).code == 0
    assert pd.read_csv(tmp_path / "pairs.csv")["deals"].tolist() == [60]
    assert {path.name for path in tmp_path.iterdir()} == FILES


@pytest.mark.parametrize("agents", [["greedy", "random"], ["greedy", "greedy"]], ids=["two", "same"])
def test_out_of_a_single_deal_is_written_without_an_interval(
    allfives: Command, tmp_path: Path, agents: list[str]
) -> None:
    done = allfives("compare", *agents, "--deals", 1, "--out", tmp_path)
    assert done.code == 0, done.err
    assert {path.name for path in tmp_path.iterdir()} == FILES
    assert pd.read_csv(tmp_path / "pairs.csv")["margin_low"].isna().all()


def test_out_of_rules_that_never_score_is_written(allfives: Command, tmp_path: Path) -> None:
    options = ["--set", "score_units=none", "going_out=none", "blocked=none", "--out", tmp_path]
    assert allfives("compare", "greedy", "random", "--deals", 20, *options).code == 0
    assert {path.name for path in tmp_path.iterdir()} == FILES


# --- processes of their own ---


def test_ctrl_c_gives_what_was_finished_marked_as_partial(tmp_path: Path) -> None:
    deals = 10**11
    options = ["--deals", str(deals), "--json", "--threads", "2", "--out", str(tmp_path)]
    done = interrupt_when(["compare", "greedy", "random", *options], "deals/s")
    assert done.code == 130, done
    answer = done.json()
    assert answer["partial"] is True
    (pair,) = answer["pairs"]
    assert 0 < pair["deals"] < deals
    assert pair["hands"] == 2 * pair["deals"]
    assert pair["margin_low"] < pair["margin"] < pair["margin_high"]
    assert "partial" in done.err
    assert "Traceback" not in done.err
    frame = pd.read_csv(tmp_path / "pairs.csv")
    assert frame["partial"].tolist() == [True]
    assert frame["deals"].tolist() == [pair["deals"]]


def test_ctrl_c_in_the_table_for_people_says_partial() -> None:
    done = interrupt_when(["compare", "greedy", "random", "heaviest", "--deals", str(10**11)], "deals/s")
    assert done.code == 130
    assert "PARTIAL" in done.out
    assert "greedy over random" in done.out
    assert "Traceback" not in done.err


def test_ctrl_c_before_any_deal_is_finished_still_ends_with_130(
    allfives: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def interrupted(*_arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("allfives_sim.lab.places.ThreadPoolExecutor.submit", interrupted)
    done = allfives("compare", "greedy", "random", "--json", "--out", tmp_path)
    assert done.code == 130
    assert "Traceback" not in done.err
    if done.out:
        assert done.json()["partial"] is True
        assert [pair["deals"] for pair in done.json()["pairs"]] == [0]


def test_warm_start_takes_under_two_and_a_half_seconds() -> None:
    times = []
    for _ in range(3):
        start = time.perf_counter()
        done = run_alone(["compare", "greedy", "random", "--deals", "1000", "--json"])
        times.append(time.perf_counter() - start)
        assert done.code == 0, done.err  # stderr may show a bar where the machine is busy
        assert done.json()["pairs"][0]["hands"] == 2000
    assert min(times) < 2.5


def test_version_is_told_in_a_process_of_its_own() -> None:
    done = run_alone(["--version"])
    assert (done.code, done.err) == (0, "")
    assert __version__ in done.out
