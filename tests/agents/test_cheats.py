"""Agents that see all hands, and the door that is shut for all others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from numba.core import config

from allfives_sim import InputError, Rules, compare, find_agent, load_code, record_hands
from allfives_sim.agents.policy import REGISTER, AgentError

LOOKS = """
from allfives_sim.agents import NO_MOVE, agent, all_hands, first_move


@agent{options}
def looker(view, word):
    '''Checks that its own hand and the number of all tiles are what it sees through the door.'''
    for pip in range(16):
        if all_hands(view).hands[view.seat, pip] != view.hand[pip]:
            return NO_MOVE
    return first_move(view)
"""


def load(tmp_path: Path, options: str) -> None:
    file = tmp_path / "looker.py"
    file.write_text(LOOKS.format(options=options))
    load_code(file)


@pytest.mark.parametrize("agents", [["omniscient", "greedy"], ["random", "peek"]])
def test_a_comparison_refuses_agents_that_see_all_hands_unless_asked_for_them(agents: list[str]) -> None:
    with pytest.raises(InputError, match="sees all hands: a yardstick, not a player"):
        compare(agents, deals=10)
    assert compare(agents, deals=10, cheats=True).figures[0]["deals"] == 10


def test_a_cheat_can_be_a_base_in_sampled_deals_only() -> None:
    assert find_agent("expert:base=peek").base == find_agent("peek")
    with pytest.raises(AgentError, match="there is no agent that can be a base 'peek'"):
        find_agent("endgame:base=peek")


def test_seeing_all_hands_and_the_boneyard_is_worth_more_than_any_play_without() -> None:
    figures = compare(["omniscient", "greedy"], Rules(hand_size=7), deals=500, cheats=True).figures[0]
    assert figures["margin_low"] > 30  # montecarlo:samples=128 reaches 13, a C probe that saw all 33 +- 6


def test_the_door_is_shut_for_an_agent_that_is_not_declared_to_see_all(tmp_path: Path) -> None:
    if not config.DISABLE_JIT:
        with pytest.raises(AgentError, match="line 9: only agents declared with sees_all=True"):
            load(tmp_path, "")
        assert "looker" not in REGISTER  # a corrected file can be loaded
    hidden_by_name = REGISTER["peek"]
    shut = replace(hidden_by_name, sees_all=False)
    with pytest.raises(AgentError, match="only agents declared with sees_all=True"):
        list(record_hands([shut], hands=1))


def test_a_users_agent_may_be_declared_to_see_all_and_sees_what_is_there(tmp_path: Path) -> None:
    load(tmp_path, "(sees_all=True)")
    try:
        assert len(list(record_hands(["looker"], Rules(players=3), hands=20))) == 20
        assert len(list(record_hands(["montecarlo:samples=3,base=looker"], hands=2))) == 2
    finally:
        del REGISTER["looker"]
