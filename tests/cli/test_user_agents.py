"""Agents of the user's own: a good one plays, and a mistake in one is one sentence that names it."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .helpers import Command, Done, assert_refused

IMPORTS = "import numpy as np\nfrom numba import njit\nfrom allfives_sim.agents import *\n"
Play = Callable[[str, str], Done]


@pytest.fixture(autouse=True)
def _register_is_put_back(register: dict[str, Any]) -> None:
    """Every test here adds to the register."""


@pytest.fixture
def play(allfives: Command, tmp_path: Path) -> Play:
    """Compare an agent with `heaviest`, its source being the body of a file of its name."""

    def call(name: str, source: str) -> Done:
        file = tmp_path / f"{name}.py"
        file.write_text(IMPORTS + textwrap.dedent(source), encoding="utf-8")
        return allfives("compare", name, "heaviest", "--deals", 50, "--json", "--code", file)

    return call


# --- good ones ---

HEAVY = """
@agent
def NAME(view, word):
    '''Plays the heaviest tile.'''
    best = first_move(view)
    move = best
    while move != NO_MOVE:
        if pips(view, move) > pips(view, best):
            best = move
        move = next_move(view, move)
    return best
"""


def test_agent_of_a_file_plays_like_any_other(play: Play) -> None:
    done = play("own_first", "@agent\ndef own_first(view, word):\n    return first_move(view)\n")
    assert done.code == 0, done.err
    assert done.err == ""
    pair = done.pair()
    assert (pair["a"], pair["b"], pair["deals"]) == ("own_first", "heaviest", 50)
    assert pair["margin_low"] < pair["margin"] < pair["margin_high"]


def test_agent_that_chooses_as_heaviest_does_has_margin_zero_against_it(play: Play) -> None:
    pair = play("own_heavy", HEAVY.replace("NAME", "own_heavy")).pair()
    assert (pair["margin"], pair["margin_low"], pair["margin_high"]) == (0, 0, 0)


def test_parameters_and_random_words_and_helpers_work(allfives: Command, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    body = """
    @njit
    def pick(view, skip):
        move = first_move(view)
        for _ in range(skip):
            move = next_move(view, move)
        return move

    @agent(name="own-mix", luck=1.0)
    def mixture(view, word):
        if view.parameters[0] > 0:
            return pick(view, below(word, choices(view)))
        return first_move(view)

    @agent
    def own_plain(view, word):
        return first_move(view)
    """
    file.write_text(IMPORTS + textwrap.dedent(body), encoding="utf-8")
    options = ["--deals", 100, "--json", "--code", file]
    answer = allfives("compare", "own-mix:luck=0", "own_plain", *options)
    assert answer.code == 0, answer.err
    pair = answer.pair()
    assert (pair["a"], pair["margin"], pair["margin_high"]) == ("own-mix:luck=0", 0, 0)


def test_uniform_agent_of_a_file_repeats_itself_and_records_replay(allfives: Command, tmp_path: Path) -> None:
    file, records = tmp_path / "lucky.py", tmp_path / "hands.jsonl"
    body = """
    @agent
    def own_lucky(view, word):
        move = first_move(view)
        for _ in range(below(word, choices(view))):
            move = next_move(view, move)
        return move
    """
    file.write_text(IMPORTS + textwrap.dedent(body), encoding="utf-8")
    done = allfives("record", "own_lucky", "greedy", "--hands", 10, "--out", records, "--code", file)
    assert done.code == 0, done.err
    assert allfives("replay", records).out == "10 hands checked, all right\n"


def test_agents_command_tells_about_an_agent_of_a_file(allfives: Command, tmp_path: Path) -> None:
    file = tmp_path / "told.py"
    file.write_text(IMPORTS + HEAVY.replace("NAME", "own_told"), encoding="utf-8")
    done = allfives("agents", "own_told", "--code", file)
    assert done.code == 0, done.err
    assert "Plays the heaviest tile." in done.out


# --- mistakes: the agent's name is NAME; each has words that its sentence holds besides the name ---

FIRST = "\n@agent\ndef NAME(view, word):\n"
MISTAKES: dict[str, tuple[str, list[str]]] = {
    "type error": (FIRST + "    return first_move(view) + 'x'\n", ["does not compile", "line "]),
    "unknown name": (FIRST + "    return frist_move(view)\n", ["does not compile", "frist_move"]),
    "unknown field": (FIRST + "    return view.hands[0]\n", ["does not compile", "hands"]),
    "no answer": (FIRST + "    if view.seat == 0:\n        return first_move(view)\n", ["does not compile"]),
    "text for an answer": (FIRST + "    return 'double'\n", ["does not compile"]),
    "other arguments": ("\n@agent\ndef NAME(table, word):\n    return first_move(table)\n", ["(table, word)"]),
    "too few arguments": ("\n@agent\ndef NAME(view):\n    return first_move(view)\n", ["(view)", "(view, word)"]),
    "too many arguments": ("\n@agent\ndef NAME(view, word, x):\n    return 0\n", ["(view, word, x)"]),
    "move that does not exist": (FIRST + "    return 400\n", ["400", "none of its choices"]),
    "huge move": (FIRST + "    return 2**62\n", [str(2**62), "none of its choices"]),
    "negative move": (FIRST + "    return -7\n", ["-7", "none of its choices"]),
    "no move": (FIRST + "    return NO_MOVE\n", ["-1", "none of its choices"]),
    "draw where it is no choice": (FIRST + "    return DRAW\n", ["-2", "view.can_draw"]),
    "division by zero": (FIRST + "    return first_move(view) // (view.seat - view.seat)\n", ["ZeroDivisionError"]),
    "index out of range": (FIRST + "    return view.tiles[view.seat + 100]\n", ["IndexError"]),
    "error of its own": (
        FIRST + "    if view.boneyard >= 0:\n        raise ValueError('too hard')\n    return first_move(view)\n",
        ["ValueError", "too hard"],
    ),
    "never an answer": (FIRST + "    raise ValueError('too hard')\n", []),
    "writes a field": (
        FIRST + "    view.boneyard = 0\n    return first_move(view)\n",
        ["writes to its view", "line 7"],
    ),
    "writes an item": (FIRST + "    view.scores[0] = 9\n    return first_move(view)\n", ["writes to its view"]),
    "adds to an item": (FIRST + "    view.scores[0] += 9\n    return first_move(view)\n", ["writes to its view"]),
    "writes a slice": (FIRST + "    view.tiles[:] = 0\n    return first_move(view)\n", ["writes to its view"]),
    "writes by another name": (
        FIRST + "    scores = view.scores\n    scores[view.seat] = 1000\n    return first_move(view)\n",
        ["view"],
    ),
    "writes by a whole other name": (
        FIRST + "    seen = view\n    seen.scores[view.seat] = 1000\n    return first_move(view)\n",
        ["view"],
    ),
    "writes in a helper": (
        "\n@njit\ndef cheat(seen):\n    seen.scores[seen.seat] = 1000\n"
        + FIRST
        + "    cheat(view)\n    return first_move(view)\n",
        ["view"],
    ),
    "writes by a method": (FIRST + "    view.scores.fill(9)\n    return first_move(view)\n", ["view"]),
    "np.random": (FIRST + "    return np.random.randint(0, 3)\n", ["random", "below(word, n)"]),
    "random module": ("\nimport random\n" + FIRST + "    return random.randint(0, 3)\n", ["random", "below(word, n)"]),
    "randint by itself": (
        "\nfrom random import randint\n" + FIRST + "    return first_move(view) if randint(0, 9) >= 0 else 0\n",
        ["random"],
    ),
    "random in a helper": (
        "\n@njit\ndef luck():\n    return np.random.randint(0, 9)\n"
        + FIRST
        + "    return first_move(view) if luck() >= 0 else 0\n",
        ["random"],
    ),
    "bad name": ("\n@agent(name='NAME:1')\ndef other(view, word):\n    return first_move(view)\n", ["agent's name"]),
    "name taken twice": ((FIRST + "    return first_move(view)\n") * 2, ["already"]),
    "too many parameters": (
        f"\n@agent({', '.join(f'p{n}=1.0' for n in range(17))})\ndef NAME(view, word):\n    return first_move(view)\n",
        ["17 parameters", "16"],
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistake_in_an_agent_is_one_sentence_that_names_it(play: Play, mistake: str) -> None:
    source, words = MISTAKES[mistake]
    name = f"bad_{mistake.replace(' ', '_').replace('.', '_')}"
    done = play(name, source.replace("NAME", name))
    assert_refused(done, name, *words)
    assert len(done.err) < 500, "a sentence, not Numba's description of a view"


def test_sentence_about_a_type_error_is_whole(play: Play) -> None:
    done = play("bad_sum", "\n@agent\ndef bad_sum(view, word):\n    return first_move(view) + 'x'\n")
    assert_refused(done, "bad_sum")
    assert ": (line" not in done.err, "the sentence ends where Numba's list of types would begin"


def test_mistake_of_the_second_agent_is_not_blamed_on_the_first(allfives: Command, tmp_path: Path) -> None:
    file = tmp_path / "second.py"
    file.write_text(IMPORTS + "@agent\ndef bad_second(view, word):\n    return 400\n", encoding="utf-8")
    done = allfives("compare", "greedy", "bad_second", "--deals", 50, "--code", file)
    assert_refused(done, "'bad_second'")
    assert "greedy" not in done.err


def test_mistake_while_recording_is_one_sentence_and_leaves_no_file(allfives: Command, tmp_path: Path) -> None:
    file, out = tmp_path / "late.py", tmp_path / "hands.jsonl"
    body = "@agent\ndef bad_late(view, word):\n    return first_move(view) if view.events < 5 else 400\n"
    file.write_text(IMPORTS + body, encoding="utf-8")
    done = allfives("record", "greedy", "bad_late", "--hands", 20, "--out", out, "--code", file)
    assert_refused(done, "'bad_late'", "400")
    assert [path.name for path in tmp_path.iterdir() if path.name != "__pycache__"] == ["late.py"]


# --- mistakes in the file ---

FILES: dict[str, tuple[bytes, list[str]]] = {
    "syntax error": (b"from allfives_sim.agents import agent\ndef broken(view, word:\n", ["line 2"]),
    "nul": (b"x = 1\x00\n", ["null"]),
    "no agent": (b"def forgotten(view, word):\n    return 0\n", ["no agent", "@agent"]),
    "empty": (b"", ["no agent"]),
    "binary": (b"\xff\xfe\x00\x01", ["not a text file"]),
    "error while it is run": (b"x = 1\ny = x / 0\n", ["line 2", "ZeroDivisionError"]),
    "unknown import": (b"import no_such_module_anywhere\n", ["no_such_module_anywhere"]),
    "leaves": (b"import sys\nsys.exit(0)\n", ["SystemExit"]),
    "name taken": (
        b"from allfives_sim.agents import agent\n@agent\ndef greedy(view, word):\n    return 0\n",
        ["'greedy'"],
    ),
    "agent of no function": (b"from allfives_sim.agents import agent\nagent(5)\n", ["line 2"]),
}


@pytest.mark.parametrize("mistake", FILES)
def test_mistake_in_the_file_is_one_sentence_that_names_the_file(
    allfives: Command, tmp_path: Path, mistake: str
) -> None:
    content, words = FILES[mistake]
    file = tmp_path / "agents.py"
    file.write_bytes(content)
    done = allfives("compare", "greedy", "random", "--deals", 50, "--code", file)
    assert_refused(done, str(file), *words)


def test_missing_file_is_one_sentence(allfives: Command, tmp_path: Path) -> None:
    assert_refused(allfives("compare", "greedy", "random", "--code", tmp_path / "none.py"), "none.py", "cannot read")


def test_folder_for_a_file_is_one_sentence(allfives: Command, tmp_path: Path) -> None:
    assert_refused(allfives("compare", "greedy", "random", "--code", tmp_path), str(tmp_path))


def test_file_of_another_kind_is_one_sentence(allfives: Command, tmp_path: Path) -> None:
    file = tmp_path / "agents.txt"
    file.write_text(IMPORTS + HEAVY.replace("NAME", "own_text"), encoding="utf-8")
    assert_refused(allfives("compare", "own_text", "random", "--code", file), "agents.txt", ".py")


def test_unknown_agent_of_a_loaded_file_is_suggested(allfives: Command, tmp_path: Path) -> None:
    file = tmp_path / "near.py"
    file.write_text(IMPORTS + HEAVY.replace("NAME", "own_nearest"), encoding="utf-8")
    done = allfives("compare", "own_neerest", "random", "--code", file)
    assert_refused(done, "did you mean 'own_nearest'")


def test_an_agent_that_changes_the_view_through_the_engine_is_refused(play: Play) -> None:
    code = (
        "from allfives_sim.core.board import place\n\n\n@agent\ndef through_the_engine(view, word):\n"
        "    place(view.layout, view.rules, first_move(view))\n    return first_move(view)\n"
    )
    done = play("through_the_engine", code)
    assert_refused(done, "through_the_engine", "read-only")


def test_an_agent_may_look_ahead(play: Play) -> None:
    code = (
        "from allfives_sim.agents import find_unseen, next_seat, open_pips, try_move\n\n\n@agent\n"
        "def ahead(view, word):\n    unseen = find_unseen(view, next_seat(view))\n"
        "    try_move(view, first_move(view))\n"
        "    return first_move(view) + 0 * (unseen + view.trial.count + open_pips(view.trial))\n"
    )
    assert play("ahead", code).code == 0
