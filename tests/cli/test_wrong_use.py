"""Wrong use: one sentence on stderr, exit code 2, nothing on stdout, never a traceback."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from allfives_sim.lab.block import play_block

from .helpers import Command, assert_refused, write_records

Record = dict[str, Any]
Case = tuple[str, list[str], list[str]]  # what it is, the arguments, words that the sentence holds

CASES: list[Case] = [
    # An unknown agent, with the nearest name.
    ("unknown agent", ["compare", "gredy", "random"], ["'gredy'", "did you mean 'greedy'"]),
    ("unknown second agent", ["compare", "greedy", "rondom"], ["'rondom'", "did you mean 'random'"]),
    ("unknown agent with parameters", ["compare", "defensiv:weight=1", "random"], ["did you mean 'defensive'"]),
    ("agent like no other", ["compare", "qqq", "random"], ["'qqq'", "valid: ", "greedy"]),
    ("empty agent", ["compare", "", "random"], ["agent ''"]),
    ("unknown agent to record", ["record", "gredy", "--hands", "1", "--out", "x.jsonl"], ["did you mean 'greedy'"]),
    ("unknown agent to show", ["agents", "gredy"], ["did you mean 'greedy'"]),
    ("one agent", ["compare", "greedy"], ["two agents"]),
    ("no agent", ["compare"], ["AGENTS"]),
    # Switches and their values.
    ("unknown switch", ["compare", "greedy", "random", "--set", "spiner=none"], ["'spiner'", "did you mean 'spinner'"]),
    ("wrong choice", ["compare", "greedy", "random", "--set", "spinner=some"], ["spinner", "'some'", "first_double"]),
    ("wrong number", ["compare", "greedy", "random", "--set", "target=many"], ["target", "'many'", "whole number"]),
    ("number out of range", ["compare", "greedy", "random", "--set", "highest_pip=10"], ["highest_pip", "from 3 to 9"]),
    ("wrong flag", ["compare", "greedy", "random", "--set", "may_draw=maybe"], ["may_draw", "false, true"]),
    ("wrong list", ["compare", "greedy", "random", "--set", "spinner_count=2 2"], ["spinner_count", "five"]),
    ("empty value", ["compare", "greedy", "random", "--set", "target="], ["target", "''"]),
    ("switch without value", ["compare", "greedy", "random", "--set", "spinner"], ["'spinner'", "switch=value"]),
    ("unknown later switch", ["compare", "greedy", "random", "--set", "spinner=none", "targt=5"], ["'targt=5'"]),
    ("number too long", ["compare", "greedy", "random", "--set", f"target={'9' * 5000}"], ["target"]),
    ("players", ["compare", "greedy", "random", "--players", "5"], ["players", "5", "from 2 to 4"]),
    ("players no number", ["compare", "greedy", "random", "--players", "two"], ["--players", "two"]),
    ("partners of two", ["compare", "greedy", "random", "--set", "partners=true"], ["partners", "players 4"]),
    ("contradiction", ["compare", "greedy", "random", "--set", "may_draw=true", "play_drawn=false"], ["play_drawn"]),
    ("quotient", ["compare", "greedy", "random", "--set", "score_as=quotient", "round_to=3"], ["round_to"]),
    (
        "endless game",
        ["compare", "greedy", "random", "--games", "--set", "score_units=none"],
        ["score_units", "going_out"],
    ),
    ("unknown preset", ["compare", "greedy", "random", "--rules", "maimi"], ["'maimi'", "did you mean 'miami'"]),
    ("unknown preset to show", ["rules", "maimi"], ["did you mean 'miami'"]),
    # Too many tiles.
    ("too many tiles", ["compare", "greedy", "random", "--set", "hand_size=15"], ["30", "28", "hand_size up to 14"]),
    ("too small a set", ["compare", "greedy", "random", "--set", "highest_pip=3"], ["18", "10", "hand_size up to 5"]),
    ("too many to record", ["record", "greedy", "--hands", "1", "--out", "x", "--set", "hand_size=15"], ["28"]),
    # Specs.
    ("no value", ["compare", "defensive:weight", "random"], ["'weight' has no value"]),
    ("no parameter at all", ["compare", "defensive:", "random"], ["has no value"]),
    ("no number", ["compare", "defensive:weight=heavy", "random"], ["'heavy'", "number"]),
    ("not finite", ["compare", "defensive:weight=inf", "random"], ["'inf'", "a number from"]),
    ("nan", ["compare", "defensive:weight=nan", "random"], ["'nan'", "a number from"]),
    ("unknown parameter", ["compare", "defensive:wieght=1", "random"], ["did you mean 'weight'"]),
    ("agent without parameters", ["compare", "greedy:weight=1", "random"], ["greedy", "no parameters"]),
    ("parameter twice", ["compare", "defensive:weight=1,weight=2", "random"], ["twice"]),
    # Numbers.
    ("zero deals", ["compare", "greedy", "random", "--deals", "0"], ["deals", "0", "valid"]),
    ("negative deals", ["compare", "greedy", "random", "--deals", "-5"], ["deals", "-5", "valid"]),
    ("no number of deals", ["compare", "greedy", "random", "--deals", "many"], ["--deals", "many"]),
    ("far too many deals", ["compare", "greedy", "random", "--deals", "9" * 30], ["deals"]),
    ("no threads", ["compare", "greedy", "random", "--threads", "0"], ["threads", "0"]),
    ("negative seed", ["compare", "greedy", "random", "--seed", "-1"], ["seed", "-1"]),
    ("zero hands", ["record", "greedy", "--hands", "0", "--out", "x.jsonl"], ["hands", "0"]),
    ("negative hands", ["record", "greedy", "--hands", "-1", "--out", "x.jsonl"], ["hands", "-1"]),
    ("not one agent a seat", ["record", "greedy", "random", "greedy", "--hands", "1", "--out", "x"], ["3 agents"]),
    ("no rounds", ["bench", "--rounds", "0"], ["--rounds"]),
    # The command line itself.
    ("unknown option", ["compare", "greedy", "random", "--dels", "5"], ["--dels", "--deals"]),
    ("unknown command", ["compar", "greedy", "random"], ["compar"]),
    ("no out", ["record", "greedy", "--hands", "1"], ["--out"]),
    ("no file", ["replay"], ["FILE"]),
    ("unknown shell", ["completion", "tcsh"], ["tcsh"]),
]


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(("arguments", "words"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_wrong_argument_is_one_sentence_that_says_what_is_valid(
    allfives: Command, tmp_path: Path, arguments: list[str], words: list[str]
) -> None:
    assert_refused(allfives(*arguments), *words)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", ["0", "-5"])
def test_wrong_number_of_deals_is_one_sentence_on_the_first_start_too(
    allfives: Command, monkeypatch: pytest.MonkeyPatch, number: str
) -> None:
    monkeypatch.setattr(type(play_block), "is_compiled", lambda _kernel: False)
    assert_refused(allfives("compare", "greedy", "random", "--deals", number), "deals")


# --- TOML ---

TOML: list[tuple[str, bytes | None, str]] = [
    ("missing", None, "cannot read"),
    ("malformed", b'preset = "miami', "not TOML"),
    ("no TOML at all", b"{'preset': 1}", "not TOML"),
    ("binary", b"\xff\xfe\x00\x01", "not a text file"),
    ("key twice", b"target = 1\ntarget = 2\n", "not TOML"),
    ("unknown preset", b'preset = "maimi"', "did you mean 'miami'"),
    ("preset a list", b"preset = []", "preset"),
    ("unknown switch", b"targt = 100", "did you mean 'target'"),
    ("wrong value", b'spinner = "some"', "first_double"),
    ("wrong type", b'target = "100"', "target"),
    ("float", b"target = 100.0", "target"),
    ("date", b"target = 2020-01-01", "target"),
    ("table", b"[rules]\ntarget = 100\n", "rules"),
    ("nested list", b"hand_size = [[1], 2, 3]", "hand_size"),
    ("list of tables", b"score_units = [{a = 1}]", "score_units"),
    ("too many tiles", b"hand_size = 20", "28"),
    ("nul", b"target = \x00", "not TOML"),
    ("number too long", b"target = " + b"9" * 5000, "house.toml"),
]


@pytest.mark.parametrize(("content", "word"), [case[1:] for case in TOML], ids=[case[0] for case in TOML])
def test_bad_rules_file_is_one_sentence_that_names_the_file(
    allfives: Command, tmp_path: Path, content: bytes | None, word: str
) -> None:
    file = tmp_path / "house.toml"
    if content is not None:
        file.write_bytes(content)
    assert_refused(allfives("compare", "greedy", "random", "--rules", file), "house.toml", word)
    assert_refused(allfives("rules", file), "house.toml", word)


def test_folder_as_a_rules_file_is_refused(allfives: Command, tmp_path: Path) -> None:
    (tmp_path / "house.toml").mkdir()
    assert_refused(allfives("compare", "greedy", "random", "--rules", "house.toml"), "house.toml")


# --- where results go ---


def test_out_that_is_a_file_is_refused_and_left_alone(allfives: Command, tmp_path: Path) -> None:
    file = tmp_path / "results"
    file.write_text("precious", encoding="utf-8")
    assert_refused(allfives("compare", "greedy", "random", "--deals", 10, "--out", file), str(file), "is a file")
    assert file.read_text(encoding="utf-8") == "precious"


def test_out_below_a_file_is_refused(allfives: Command, below_a_file: Path) -> None:
    assert_refused(allfives("compare", "greedy", "random", "--deals", 10, "--out", below_a_file), str(below_a_file))
    assert_refused(allfives("record", "greedy", "--hands", 1, "--out", below_a_file), str(below_a_file))


def test_out_without_permission_is_refused_before_anything_is_played(allfives: Command, tmp_path: Path) -> None:
    folder = tmp_path / "locked"
    folder.mkdir()
    folder.chmod(0o500)
    if os.access(folder, os.W_OK):
        pytest.skip("permission cannot be denied to this user")
    for out in (folder, folder / "new"):
        assert_refused(allfives("compare", "greedy", "random", "--deals", 10**12, "--out", out), str(out))
    assert_refused(allfives("record", "greedy", "--hands", 10**9, "--out", folder / "new.jsonl"), "new.jsonl")


@pytest.mark.parametrize("out", [".", "", "/", "folder", "missing/hands.jsonl", "x" * 300])
def test_record_to_what_is_no_file_is_refused(allfives: Command, tmp_path: Path, out: str) -> None:
    (tmp_path / "folder").mkdir()
    assert_refused(allfives("record", "greedy", "--hands", 1, "--out", out), "cannot write")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


# --- record files ---


def _with(change: Callable[[Record], object]) -> Callable[[Record], bytes]:
    def content(record: Record) -> bytes:
        record = copy.deepcopy(record)
        change(record)
        return json.dumps(record).encode() + b"\n"

    return content


def _text(record: Record) -> bytes:
    return json.dumps(record).encode()


FILES: list[tuple[str, Callable[[Record], bytes], str]] = [
    ("truncated", lambda record: _text(record)[:300], "not JSON"),
    ("truncated by a byte", lambda record: _text(record)[:-1], "not JSON"),
    ("binary", lambda record: bytes(range(256)) * 10, "not a text file"),
    ("nul", lambda record: b"\x00" * 100, "not JSON"),
    ("UTF-16", lambda record: _text(record).decode().encode("utf-16"), "not a text file"),
    ("not JSON", lambda record: b"seat 0 plays 5-5\n", "not JSON"),
    ("two on a line", lambda record: _text(record) + _text(record), "not JSON"),
    ("a list", lambda record: b"[" + _text(record) + b"]", "JSON object"),
    ("nested without end", lambda record: b"[" * 100_000, "not JSON"),
    ("number too long", lambda record: _text(record).replace(b'"leader": ', b'"leader": ' + b"1" * 5000), "line 1"),
    ("empty", lambda record: b"", "no record"),
    ("blank", lambda record: b"\n\n  \n", "no record"),
    ("tile twice in a hand", _with(lambda r: r["hands"][0].__setitem__(1, r["hands"][0][0])), "twice"),
    ("tile twice turned", _with(lambda r: r["hands"][0].__setitem__(1, r["hands"][0][0][::-1])), "twice"),
    ("tile in two hands", _with(lambda r: r["hands"][1].__setitem__(0, r["hands"][0][0])), "twice"),
    ("tile outside the set", _with(lambda r: r["hands"][0].__setitem__(0, "3-7")), "not in the set"),
    ("played tile outside the set", _with(lambda r: r["events"][0].update(play="9-9")), "event 0"),
    ("no tile", _with(lambda r: r["hands"][0].__setitem__(0, "queen")), "not a tile"),
    ("tile a number", _with(lambda r: r["hands"][0].__setitem__(0, 35)), "not a tile"),
    ("half a surrogate", _with(lambda r: r["hands"][0].__setitem__(0, "\ud800")), "not a tile"),
    ("tile short", _with(lambda r: r["hands"][0].pop()), "tiles"),
    ("hand short", _with(lambda r: r["hands"].pop()), "hands"),
    ("no hands", _with(lambda r: r.pop("hands")), "hands"),
    ("no format", _with(lambda r: r.pop("format")), "format"),
    ("other format", _with(lambda r: r.update(format="allfives-hand-2")), "allfives-hand-2"),
    ("format surrogate", _with(lambda r: r.update(format="\ud800")), "format"),
    ("no leader", _with(lambda r: r.pop("leader")), "leader"),
    ("leader no seat", _with(lambda r: r.update(leader=2)), "leader"),
    ("leader a flag", _with(lambda r: r.update(leader=True)), "leader"),
    ("unknown switch", _with(lambda r: r["rules"].update(spiner="none")), "did you mean 'spinner'"),
    ("rules a string", _with(lambda r: r.update(rules="article")), "rules"),
    ("preset a list", _with(lambda r: r["rules"].update(preset=[])), "preset"),
    ("switch a surrogate", _with(lambda r: r["rules"].update({"\ud800": 1})), "switch"),
    ("too many tiles", _with(lambda r: r["rules"].update(hand_size=15)), "28"),
    ("scores of three", _with(lambda r: r.update(scores=[0, 0, 0])), "scores"),
    ("scores too high", _with(lambda r: r.update(scores=[10**30, 0])), "scores"),
    ("no events", _with(lambda r: r.pop("events")), "events"),
    ("event no object", _with(lambda r: r["events"].append(5)), "events"),
    ("event of no kind", _with(lambda r: r["events"][2].pop("play")), "event 2"),
    ("event without count", _with(lambda r: r["events"][0].pop("count")), "event 0"),
    ("count a fraction", _with(lambda r: r["events"][0].update(count=4.5)), "event 0"),
    ("count not finite", _with(lambda r: r["events"][0].update(count=float("nan"))), "event 0"),
    ("draw of nothing", _with(lambda r: r["events"].append({"seat": 0, "draw": []})), "draw"),
]


@pytest.mark.parametrize(("content", "word"), [case[1:] for case in FILES], ids=[case[0] for case in FILES])
def test_file_that_holds_no_records_is_one_sentence(
    allfives: Command, tmp_path: Path, hands: list[Record], content: Callable[[Record], bytes], word: str
) -> None:
    file = tmp_path / "hands.jsonl"
    assert "play" in hands[0]["events"][2]
    file.write_bytes(content(hands[0]))
    assert_refused(allfives("replay", file), str(file), word)


@pytest.mark.parametrize(("content", "word"), [case[1:] for case in FILES[:3]], ids=[case[0] for case in FILES[:3]])
def test_bad_end_of_a_good_file_is_one_sentence(
    allfives: Command, tmp_path: Path, hands: list[Record], content: Callable[[Record], bytes], word: str
) -> None:
    file = write_records(tmp_path / "hands.jsonl", hands)
    file.write_bytes(file.read_bytes() + content(hands[0]))
    assert_refused(allfives("replay", file), str(file), word)


def test_missing_record_file_is_refused(allfives: Command, tmp_path: Path) -> None:
    assert_refused(allfives("replay", tmp_path / "no.jsonl"), "no.jsonl")


def test_folder_as_a_record_file_is_refused(allfives: Command, tmp_path: Path) -> None:
    assert_refused(allfives("replay", tmp_path), str(tmp_path))
