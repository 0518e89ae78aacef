"""The agent that plays hands out in sampled deals."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from numba.core import config

from allfives_sim import AgentError, Belief, InputError, Rules, compare, find_agent, load_code, record_hands
from allfives_sim.agents.policy import REGISTER
from allfives_sim.agents.sampling import keep_better_half
from allfives_sim.lab.analysis import analyse
from tests import naive


def test_the_better_half_is_kept_the_best_first() -> None:
    moves, totals = np.array([4, 7, 9, 20, 33]), np.array([1.0, 5.0, -2.0, 5.0, 3.0])
    call = keep_better_half if config.DISABLE_JIT else numba.njit(lambda *a: keep_better_half(*a))
    assert call(moves, totals, 5) == 3
    assert moves[:3].tolist() == [7, 20, 33]


@pytest.mark.parametrize("rules", [Rules(hand_size=7), Rules.preset("five-up"), Rules(players=4, partners=True)])
def test_it_beats_its_own_base_clearly(rules: Rules) -> None:
    figures = compare(["montecarlo:samples=16", "greedy"], rules, deals=300, seed=4).figures[0]
    assert figures["margin_low"] > 0


def test_more_samples_and_another_base_change_the_play() -> None:
    def hands(spec: str) -> list[Any]:
        return [record["events"] for record in record_hands([spec], hands=5)]

    usual = hands("montecarlo:samples=8")
    assert usual == hands("montecarlo:samples=8")
    assert usual != hands("montecarlo:samples=64")
    assert usual != hands("montecarlo:samples=8,base=random")
    assert usual != hands("montecarlo:samples=8,prior=0")


def test_a_user_agent_can_be_the_base(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "from allfives_sim.agents import agent, first_move\n\n\n@agent\ndef lowest_end(view, word):\n"
        '    """Plays the first choice."""\n    return first_move(view)\n'
    )
    load_code(file)
    try:
        for record in record_hands(["montecarlo:samples=4,base=lowest_end"], hands=3):
            naive.check_hand(json.loads(json.dumps(record)))
    finally:
        del REGISTER["lowest_end"]


def test_a_base_is_given_its_parameters(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "from allfives_sim.agents import agent, first_move\n\n\n@agent(one=1.0, two=2.0, five=5.0)\n"
        "def exacting(view, word):\n"
        '    """Plays only with the parameters that it declares."""\n'
        "    if view.parameters[0] != 1 or view.parameters[1] != 2 or view.parameters[2] != 5:\n"
        "        return -9\n"
        "    return first_move(view)\n"
    )
    load_code(file)
    try:
        (record,) = record_hands(["montecarlo:samples=4,base=exacting"], hands=1)
        assert analyse(record, 0, base="exacting", worlds=10).moves
        assert not np.isnan(analyse(record, 0, base="exacting", worlds=10).margins).any()
    finally:
        del REGISTER["exacting"]


BROKEN = """from allfives_sim.agents import agent


@agent
def nonsense(view, word):
    return 400


@agent
def fails(view, word):
    return 1 // (view.events - view.events)
"""


@pytest.fixture
def broken(tmp_path: Path) -> Iterator[None]:
    """Agents that cannot be played with, to be bases."""
    (tmp_path / "broken.py").write_text(BROKEN)
    load_code(tmp_path / "broken.py")
    yield
    del REGISTER["nonsense"], REGISTER["fails"]


@pytest.mark.parametrize("agent", ["montecarlo:samples=4", "ismcts:iterations=40", "endgame", "expert:samples=4"])
def test_a_base_that_fails_is_an_error_and_not_a_result(agent: str, broken: None) -> None:
    spec = agent + ("," if ":" in agent else ":") + "base="
    with pytest.raises(AgentError, match=f"agent '{spec}nonsense', or its base 'nonsense', answered"):
        list(record_hands([f"{spec}nonsense"], hands=3))
    with pytest.raises(AgentError, match=f"agent '{spec}fails' failed while choosing a play: ZeroDivisionError"):
        list(record_hands([f"{spec}fails"], hands=3))


@pytest.mark.parametrize("base", ["nonsense", "fails"])
def test_who_cannot_play_hands_out_or_be_a_model_is_told_of(base: str, broken: None) -> None:
    (record,) = record_hands(["greedy"], hands=1)
    with pytest.raises(AgentError, match=f"agent '{base}'"):
        analyse(record, 0, base=base, worlds=10)
    belief = Belief.of(record, 4)
    with pytest.raises(InputError, match=f"agent '{base}'"):
        belief.weights(belief.sample(5), base)


@pytest.mark.parametrize(
    ("spec", "word"),
    [
        ("montecarlo:base=gredy", "did you mean 'greedy'"),
        ("montecarlo:base=montecarlo", "can be a base"),
        ("montecarlo:belief=maybe", "neither on nor off"),
        ("montecarlo:samples=many", "samples cannot be 'many' in '.*'; valid: a number from 1 to"),
        ("montecarlo:samples=-5", "valid: a number from 1 to"),
        ("montecarlo:prior=-1", "valid: a number from 0 to"),
    ],
)
def test_wrong_parameters_are_refused_in_one_sentence(spec: str, word: str) -> None:
    with pytest.raises(AgentError, match=word):
        find_agent(spec)


def test_its_spec_is_written_as_it_was_read() -> None:
    spec = "montecarlo:samples=8,base=risk,belief=off"
    assert find_agent(spec).spec == spec
