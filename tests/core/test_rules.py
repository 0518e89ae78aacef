"""House rules: presets, validation, and reading them back."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from allfives_sim import Rules, RulesError
from allfives_sim.core.switches import CHOICES, FLAGS, NUMBERS, SWITCHES, parse_switch, valid_values
from tests import naive


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("name", list(Rules.PRESETS))
def test_every_preset_has_the_values_that_the_referee_read_from_the_rules_page(name: str, players: int) -> None:
    rules = Rules.preset(name, players=players)
    expected = naive.settings({"preset": name, "players": players})
    ours = rules.values() | {"hand_size": rules.tiles_each}
    assert {key: list(value) if isinstance(value, tuple) else value for key, value in ours.items()} == expected


@given(st.integers(0, 10**9))
def test_any_rules_are_the_same_after_a_trip_through_dict_toml_and_repr(seed: int) -> None:
    rules = Rules.from_dict(naive.random_rules(random.Random(seed)))
    assert Rules.from_dict(rules.to_dict()) == rules
    assert Rules.from_toml(rules.to_toml()) == rules
    assert eval(repr(rules), {"Rules": Rules}) == rules
    assert hash(Rules.from_toml(rules.to_toml())) == hash(rules)


def test_repr_shows_only_what_differs_from_a_preset() -> None:
    rules = Rules.preset("miami", players=4, partners=True)
    assert repr(rules) == "Rules.preset('miami', players=4, partners=True)"
    assert repr(Rules()) == "Rules.preset('article')"


def test_the_article_target_follows_the_number_of_players_unless_it_was_set() -> None:
    assert Rules().target == 250
    assert Rules().replace(players=3).target == 200
    assert Rules(target=300).replace(players=3).target == 300
    assert Rules.preset("miami").replace(players=3).target == 150


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"hand_size": 15}, ("hand_size", "28", "up to 14")),
        ({"players": 4, "highest_pip": 3, "hand_size": 3}, ("hand_size", "10")),
        ({"partners": True}, ("partners", "players 4")),
        ({"may_draw": True, "play_drawn": False}, ("may_draw", "play_drawn")),
        ({"score_as": "quotient", "score_units": []}, ("score_as", "score_units")),
        ({"score_as": "quotient", "round_to": 3}, ("round_to", "multiple of 5")),
        ({"score_floor": 5}, ("score_floor", "to 0")),
        ({"target": 0}, ("target",)),
        ({"players": True}, ("players", "2 to 4")),
        ({"spinner_count": [2, 2, 0, 0]}, ("spinner_count", "five")),
        ({"score_units": [3, 5]}, ("score_units", "5 3")),
        ({"stop": "later"}, ("stop", "at_once, hand_end")),
        ({"spiner": "none"}, ("spiner", "did you mean 'spinner'")),
    ],
)
def test_what_cannot_be_played_is_refused_with_the_switches_and_what_is_valid(
    changes: dict[str, object], words: tuple[str, ...]
) -> None:
    with pytest.raises(RulesError) as error:
        Rules.preset("article", **changes)
    assert all(word in str(error.value) for word in words)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "changes",
    [
        {"score_units": []},
        {"exact_target": True, "target": 251},
        {"score_units": [], "going_out": "none", "blocked": "none"},
    ],
)
def test_rules_whose_games_never_end_play_hands_but_no_games(changes: dict[str, object]) -> None:
    rules = Rules.preset("article", **changes)
    with pytest.raises(RulesError, match="no game would ever end"):
        rules.check_game()


def test_an_exact_target_that_two_sides_can_stand_on_for_ever_is_refused_for_games() -> None:
    with pytest.raises(RulesError, match="stand still"):
        Rules.preset("fives-and-threes", stop="hand_end").check_game()


@pytest.mark.parametrize("preset", list(Rules.PRESETS))
def test_games_of_every_preset_can_end(preset: str) -> None:
    Rules.preset(preset).check_game()


def test_switches_are_written_as_words_and_read_back() -> None:
    assert parse_switch("spinner_count=2 2 2 1 0") == ("spinner_count", (2, 2, 2, 1, 0))
    assert parse_switch("score_units=5,3") == ("score_units", (5, 3))
    assert parse_switch("draw_limit=null") == ("draw_limit", None)
    assert parse_switch("hand_size=6") == ("hand_size", 6)
    assert parse_switch("partners=true") == ("partners", True)
    with pytest.raises(RulesError, match="write switch=value"):
        parse_switch("spinner")


@given(st.sampled_from(SWITCHES), st.text(max_size=12))
def test_any_text_for_a_switch_is_taken_or_refused_with_the_valid_values(name: str, text: str) -> None:
    try:
        parse_switch(f"{name}={text}")
    except RulesError as error:
        told = str(error)
    else:
        return
    assert valid_values(name) in told


def test_every_switch_has_its_kind_of_values() -> None:
    listed = {"hand_size", "spinner_count", "score_units"}
    assert {*CHOICES, *FLAGS, *NUMBERS, *listed} == set(SWITCHES)


def test_a_rules_file_is_read_and_its_mistakes_are_told_with_its_name(tmp_path: Path) -> None:
    path = tmp_path / "house.toml"
    path.write_text('preset = "miami"\nplayers = 3\ndraw_limit = "null"\n')
    assert Rules.read(str(path)) == Rules.preset("miami", players=3)
    for text, word in (("preset = @", "line 1"), ("colour = 1", "colour"), ('preset = "mimi"', "miami"), ("x", "TOML")):
        path.write_text(text)
        with pytest.raises(RulesError) as error:
            Rules.read(str(path))
        assert str(path) in str(error.value)
        assert word in str(error.value)
    with pytest.raises(RulesError, match="cannot read rules"):
        Rules.read(str(tmp_path / "none.toml"))
