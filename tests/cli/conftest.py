"""Fixtures: the command, a warm engine, a register that is put back, and a few recorded hands."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from allfives_sim.agents.policy import REGISTER
from allfives_sim.cli import run
from allfives_sim.core.replay import replay_hand
from allfives_sim.core.rules import Rules
from allfives_sim.lab.block import play_block, play_table
from allfives_sim.lab.recording import play_one, record_hands

from .helpers import Command, Done


@pytest.fixture(scope="session", autouse=True)
def warm_engine() -> None:
    """Compile first, so that no test sees the line that says so, nor a bar that waits for it."""
    for kernel in (play_block, play_table, play_one, replay_hand):
        assert kernel.dispatcher is not None
    for agent in REGISTER.values():
        agent.policy.prepare()


@pytest.fixture
def allfives(capsys: pytest.CaptureFixture[str]) -> Command:
    """The command, called in this process."""

    def call(*arguments: object) -> Done:
        capsys.readouterr()
        code = run([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return Done(code, out, err)

    return call


@pytest.fixture
def register() -> Iterator[dict[str, Any]]:
    """The register of agents; what a test adds is taken out after it."""
    before = dict(REGISTER)
    yield REGISTER
    REGISTER.clear()
    REGISTER.update(before)


@pytest.fixture(scope="session")
def hands() -> list[dict[str, Any]]:
    """Four hands of article rules that ended with a player going out; treat as read-only."""
    records = record_hands(["greedy", "random"], Rules(), hands=40, seed=5)
    long = [record for record in records if record["end"] == "out" and all("play" in e for e in record["events"][2:5])]
    return long[:4]


@pytest.fixture
def below_a_file(tmp_path: Path) -> Path:
    """A path that nobody can make, root neither: its parent is a file."""
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    return tmp_path / "file" / "below"
