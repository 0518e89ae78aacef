"""What must hold whatever the compiler does: no compiling on import, a cache that is found again, plain Python."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from allfives_sim.core.bits import highest, lowest, popcount

PLAY = """
import json, random
from allfives_sim import Belief, Rules, compare, record_hands
from tests import naive
rng = random.Random(3)
houses = [Rules.from_dict(naive.random_rules(rng)) for _ in range(16)]
hands = [r for a in ("greedy", "random") for rules in houses for r in record_hands([a], rules, hands=1, seed=2)]
rules = Rules.preset("sniff", players=3, highest_pip=5, hand_size=3)
hands += record_hands(["defensive"], rules, hands=1)
small = Rules(highest_pip=3, hand_size=3)
hands += record_hands(["montecarlo:samples=1,base=peek", "risk"], small, hands=1)
hands += record_hands(["expert:samples=1", "endgame:nodes=50"], small, hands=1)
hands += record_hands(["pimc:samples=1", "omniscient"], small, hands=1)
belief = Belief.of(hands[0], 4)
holders = belief.sample(20)
known = [belief.chances().tolist(), holders.tolist(), belief.weights(holders, "greedy").tolist()]
tally = compare(["greedy", "random"], rules, deals=3, seed=2).cells[0].tally
print(json.dumps([hands, known, tally.tobytes().hex()]))
"""


def run_python(code: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_plain_python_plays_the_same_hands_as_compiled_code() -> None:
    assert run_python(PLAY, NUMBA_DISABLE_JIT="1") == run_python(PLAY)


def test_importing_the_package_compiles_nothing() -> None:
    code = """
import numba.core.compiler as compiler
compiler.compile_extra = lambda *a, **k: (_ for _ in ()).throw(SystemExit("compiled on import"))
import allfives_sim, allfives_sim.cli
"""
    run_python(code)


def test_every_agent_and_kernel_plays_from_the_cache_without_the_compiler() -> None:
    code = """
from allfives_sim import Rules, Study, record_hands
from allfives_sim.agents import REGISTER
from allfives_sim.core.compiled import LOGGER
LOGGER.addFilter(lambda record: print(record.getMessage()))
LOGGER.setLevel("INFO")
rules = Rules(hand_size=2)
for name in REGISTER:
    Study([name, "greedy"], rules=rules, deals=1, cheats=True).run()
Study(design="tables", tables=[["greedy", "random", "risk"]], rules={"players": 3, "hand_size": 2}, deals=1).run()
list(record_hands(["greedy"], rules, hands=1))
"""
    run_python(code)  # compiles what is missing
    assert run_python(code) == ""


def test_compiled_code_is_kept_and_found_by_the_next_process(tmp_path: Path) -> None:
    code = """
from allfives_sim.core.replay import replay_hand
from allfives_sim.agents import find_agent
kernels = [find_agent("greedy").policy, find_agent("heaviest").policy]
print([kernel.is_compiled() for kernel in kernels])
hits = [sum(kernel.dispatcher.stats.cache_hits.values()) for kernel in kernels]
print(hits)
"""
    first = run_python(code, NUMBA_CACHE_DIR=str(tmp_path)).split("\n")
    second = run_python(code, NUMBA_CACHE_DIR=str(tmp_path)).split("\n")
    assert first[:2] == ["[False, False]", "[0, 0]"]
    assert second[:2] == ["[True, True]", "[1, 1]"]


def test_without_a_folder_to_write_compiled_code_is_only_kept_in_memory(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    code = """
from allfives_sim.agents import find_agent
from allfives_sim.core.compiled import cache_folder
find_agent("greedy").policy.dispatcher
print(cache_folder())
"""
    assert run_python(code, NUMBA_CACHE_DIR=str(blocked)).strip() == "None"


@pytest.mark.parametrize("damage", [b"", b"not what a cache holds"])
@pytest.mark.parametrize("ending", [".nbi", ".nbc"])
def test_a_damaged_cache_is_made_anew(tmp_path: Path, ending: str, damage: bytes) -> None:
    code = "from allfives_sim.agents import find_agent; find_agent('heaviest').policy.prepare()"
    run_python(code, NUMBA_CACHE_DIR=str(tmp_path))
    files = list(tmp_path.rglob(f"*{ending}"))
    assert files
    for file in files:
        file.write_bytes(damage)
    run_python(code, NUMBA_CACHE_DIR=str(tmp_path))
    assert any(file.stat().st_size > 100 for file in tmp_path.rglob(f"*{ending}"))


@pytest.mark.parametrize("mask", [1, 0b1011, 1 << 57, (1 << 58) - 1, 0b1000])
def test_bit_functions_agree_with_the_binary_writing_of_a_number(mask: int) -> None:
    written = f"{mask:b}"
    assert popcount(mask) == written.count("1")
    assert highest(mask) == len(written) - 1
    assert lowest(mask) == len(written) - 1 - written.rindex("1")
