"""Studies: what they expand to, their files, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from allfives_sim import InputError, Rules, Study, StudyError, read_study
from allfives_sim.lab.pairing import seat_pair
from allfives_sim.lab.study import Collect
from allfives_sim.lab.study_file import parse_study, study_text
from allfives_sim.lab.study_parts import MAX_CELLS

SMALLEST = 'agents = ["greedy", "random"]\ndeals = 100000\nseed = 1\n'


def test_the_smallest_study_is_three_lines(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(SMALLEST, encoding="utf-8")
    study = read_study(tmp_path / "study.toml")
    assert study == Study(["greedy", "random"], deals=100_000, seed=1)
    (cell,) = study.cells()
    assert (cell.agents, cell.rules) == (("greedy", "random"), Rules())
    assert (cell.seating.seatings == seat_pair(2).seatings).all()


def test_grids_of_agents_and_rules_stand_for_every_combination() -> None:
    text = """
    agents = [
        "greedy",
        {agent = "risk", reply = [0.5, 1], block = [4, 8]},
        {agent = "montecarlo", belief = [true, false]},
    ]
    [[rules]]
    preset = "miami"
    grid = {players = [2, 3], draw_limit = [0, "null"]}
    [[rules]]
    preset = "five-up"
    """
    study = parse_study(text, Path())
    assert study.agents == (
        "greedy",
        "risk:reply=0.5,block=4",
        "risk:reply=0.5,block=8",
        "risk:reply=1,block=4",
        "risk:reply=1,block=8",
        "montecarlo:belief=on",
        "montecarlo:belief=off",
    )
    assert study.rules == (
        *(Rules.preset("miami", players=players, draw_limit=limit) for players in (2, 3) for limit in (0, None)),
        Rules.preset("five-up"),
    )
    assert study.cell_count() == len(study.cells()) == 21 * 5
    assert [cell.number for cell in study.cells()] == list(range(105))


def test_designs_say_who_meets() -> None:
    agents = ["greedy", "random", "risk"]
    names = [cell.name for cell in Study(agents, design="one_against_rest").cells()]
    assert names == ["greedy over random", "greedy over risk"]
    tables = [["greedy", "random", "risk"], ["greedy", "greedy", "risk"]]
    study = Study(design="tables", tables=tables, rules={"players": 3})
    assert [cell.name for cell in study.cells()] == ["greedy, random, risk", "greedy, greedy, risk"]
    assert [cell.agents for cell in study.cells()] == [("greedy", "random", "risk"), ("greedy", "risk")]


@settings(max_examples=60, deadline=None)
@given(
    agents=st.lists(
        st.sampled_from(["greedy", "random", "risk", "defensive:weight=0.5"]), min_size=2, max_size=4, unique=True
    ),
    rules=st.lists(st.sampled_from(sorted(Rules.PRESETS)), min_size=1, max_size=3, unique=True),
    deals=st.integers(1, 10**12),
    seed=st.integers(0, 2**63 - 1),
    games=st.booleans(),
    stop=st.sampled_from([None, {"margin": 0.2}, {"better_by": 0.5, "error": 0.01}]),
    collect=st.builds(Collect, hands=st.booleans(), records=st.integers(0, 10**6)),
)
def test_a_study_that_is_written_and_read_is_the_same(**options: Any) -> None:
    study = Study(**options)
    again = parse_study(study_text(study), Path())
    assert again == study
    assert again.hash() == study.hash()


def test_the_hash_holds_everything_but_the_deals() -> None:
    study = Study(["greedy", "random"], deals=100)
    assert study.hash() == Study(["greedy", "random"], deals=200).hash()
    others = [
        Study(["greedy", "risk"]),
        Study(["random", "greedy"]),
        Study(["greedy", "random"], seed=2),
        Study(["greedy", "random"], rules={"players": 3}),
        Study(["greedy", "random"], games=True),
        Study(["greedy", "random"], stop={"margin": 1}),
        Study(["greedy", "random"], collect={"detail": False}),
    ]
    assert len({study.hash(), *(other.hash() for other in others)}) == 1 + len(others)


AGENT = """
from allfives_sim.agents import agent, first_move

@agent(name="%s")
def mine(view, word):
    return first_move(view)
"""


def test_code_is_taken_from_the_folder_of_the_study_and_its_text_is_in_the_hash(tmp_path: Path) -> None:
    hashes = []
    for number in (1, 2):
        (tmp_path / "mine.py").write_text(AGENT % f"mine{number}", encoding="utf-8")
        text = f'agents = ["greedy", "mine{number}"]\ncode = ["mine.py"]\n'
        (tmp_path / "study.toml").write_text(text, encoding="utf-8")
        study = read_study(tmp_path / "study.toml")
        assert study.agents == ("greedy", f"mine{number}")
        hashes.append(study.hash())
        assert read_study(tmp_path / "study.toml").hash() == hashes[-1]
    assert hashes[0] != hashes[1]


# --- what is refused ---

REFUSED: list[tuple[str, str, int | None, str]] = [
    # What it is, the text, the line, and words of the message.
    ("unknown key", SMALLEST + "\n\nseeds = 2\n", 6, "did you mean 'seed'"),
    ("a word for a number", 'agents = ["greedy", "random"]\n# many\ndeals = "many"\n', 3, "deals cannot be 'many'"),
    ("no deals", 'agents = ["greedy", "random"]\ndeals = 0\n', 2, "valid: a whole number from 1"),
    ("a float", 'agents = ["greedy", "random"]\ndeals = 1e5\n', 2, "deals cannot be 100000.0"),
    ("NaN for a number", 'agents = ["greedy", "random"]\nseed = nan\n', 2, "seed cannot be nan"),
    ("a flag for a number", 'agents = ["greedy", "random"]\ndeals = true\n', 2, "deals cannot be True"),
    ("a number for a flag", 'agents = ["greedy", "random"]\ngames = 1\n', 2, "games cannot be 1; valid: false, true"),
    ("agents a word", 'agents = "greedy"\n', 1, "valid: a list of agents"),
    ("agents a number", "deals = 5\nagents = 5\n", 2, "valid: a list of agents"),
    ("an agent a number", 'agents = [\n  "greedy",\n  5,\n]\n', 3, "agents cannot hold 5"),
    ("an unknown agent", 'seed = 1\nagents = ["greedy", "rondom"]\n', 2, "did you mean 'random'"),
    ("one agent", 'agents = ["greedy"]\n', 1, "two agents or more, not 1"),
    ("no agents", "seed = 1\n", None, "two agents or more, not 0"),
    ("an empty grid", 'agents = ["greedy", {agent = "defensive", weight = []}]\n', 1, "the grid of weight is empty"),
    ("NaN in a grid", 'agents = ["greedy", {agent = "defensive", weight = [1, nan]}]\n', 1, "a number from"),
    ("a grid of an unknown parameter", 'agents = [{agent = "defensive", wait = [1]}]\n', 1, "did you mean 'weight'"),
    ("a grid without an agent", "agents = [{weight = [1]}]\n", 1, "needs the key agent"),
    ("an unknown preset", SMALLEST + 'rules = "maimi"\n', 4, "did you mean 'miami'"),
    ("an unknown switch", SMALLEST + "[rules]\n\nplayers = 2\nspiner = 'none'\n", 4, "did you mean 'spinner'"),
    ("the second rules", SMALLEST + "[[rules]]\n[[rules]]\nplayers = 9\n", 5, "players cannot be 9"),
    ("an empty list of rules", SMALLEST + "rules = []\n", 4, "rules are an empty list"),
    ("an empty grid of rules", SMALLEST + "[rules.grid]\nplayers = []\n", 5, "the grid of players"),
    ("a grid that is no list", SMALLEST + "[rules]\ngrid = {players = 2}\n", 5, "valid: a list of values"),
    ("rules that cannot be dealt", SMALLEST + "[rules]\ngrid = {hand_size = [7, 15]}\n", 4, "hand_size up to 14"),
    ("an unknown design", SMALLEST + 'design = "swiss"\n', 4, "valid: round_robin, one_against_rest, tables"),
    ("a design that is a list", SMALLEST + "design = []\n", 4, "design cannot be []"),
    ("tables without the design", SMALLEST + 'tables = [["greedy", "random"]]\n', 4, "tables are for the design"),
    ("a table too small", 'design = "tables"\ntables = [["greedy"]]\n', 2, "two to four agents"),
    ("a table for others", 'design = "tables"\ntables = [["greedy", "random", "risk"]]\n', 2, "one agent a seat"),
    ("a table of one", 'design = "tables"\ntables = [["greedy", "greedy"]]\n', 2, "two different agents"),
    ("agents too", 'design = "tables"\nagents = ["risk"]\ntables = [["greedy", "risk"]]\n', 2, "leave agents out"),
    ("two stopping rules", SMALLEST + "[stop]\nmargin = 1\nbetter_by = 1\n", 4, "one of the keys margin and better_by"),
    ("a stopping rule of NaN", SMALLEST + "stop = {margin = nan}\n", 4, "stop.margin cannot be nan"),
    ("an unknown stopping rule", SMALLEST + "stop = {margins = 1}\n", 4, "did you mean 'margin'"),
    ("a stop that is a number", SMALLEST + "stop = 3\n", 4, "stop cannot be 3"),
    ("an unknown collection", SMALLEST + "[collect]\nrows = true\n", 5, "no key in collect 'rows'"),
    ("hands without detail", SMALLEST + "collect = {detail = false, hands = true}\n", 4, "needs collect.detail"),
    ("records below none", SMALLEST + "collect = {records = -1}\n", 4, "collect.records cannot be -1"),
    ("a cheat", 'agents = ["greedy", "omniscient"]\n', 1, "sees all hands"),
    ("a file that is not there", SMALLEST + 'code = ["nowhere.py"]\n', 4, "cannot read agents"),
    ("code that is a number", SMALLEST + "code = 5\n", 4, "names of files"),
    ("endless games", SMALLEST + "games = true\n[rules]\nscore_units = []\ngoing_out = 'none'\n", 5, "score_units"),
    ("an agent twice", 'agents = ["greedy", "risk", "greedy"]\n', 1, "'greedy' is given twice"),
    ("rules twice", SMALLEST + 'rules = ["miami", {preset = "miami"}]\n', 4, "two of the rules are the same"),
    ("a later item", 'agents = [\n  "greedy",\n\n  "risk", "rondom",\n]\n', 4, "(agents, item 3): there is no agent"),
    ("a number beyond all", SMALLEST + f"stop = {{margin = {'9' * 400}}}\n", 4, "stop.margin cannot be"),
    ("no TOML", SMALLEST + "deals = \n", None, "not TOML"),
    ("a key twice", SMALLEST + "deals = 1\n", None, "not TOML"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "line", "words"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, text: str, line: int | None, words: str) -> None:
    path = tmp_path / "study.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as error:
        read_study(path)
    message = str(error.value)
    assert message.startswith(f"{path}, line {line} (" if line else f"{path}: ")
    assert words in message
    assert "\n" not in message.removesuffix("\n") or "not TOML" in message


def test_ten_million_cells_are_refused_before_they_are_made() -> None:
    values = list(range(1, 201))
    with pytest.raises(StudyError, match="8,000,000 cells"):
        Study(["greedy", {"agent": "risk", "reply": values, "pips": values, "block": values}])
    with pytest.raises(StudyError, match=f"up to {MAX_CELLS:,}"):
        Study(["greedy", "random"], rules={"grid": {"target": values, "going_out_bonus": values, "round_to": values}})
    with pytest.raises(StudyError, match="45,150 cells"):
        Study([{"agent": "risk", "reply": list(range(301))}])


@settings(max_examples=300, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(["agents", "rules", "design", "tables", "deals", "seed", "games", "cheats", "stop", "collect"]),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.just("greedy"),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(
                    st.sampled_from(["agent", "grid", "players", "margin", "hands", "x"]), inner, max_size=3
                )
            ),
            max_leaves=8,
        ),
    )
)
def test_whatever_a_study_is_given_it_is_made_or_refused_in_a_sentence(data: dict[str, Any]) -> None:
    try:
        study = Study(**({"agents": ["greedy", "random"]} | data))
    except InputError as error:
        assert str(error)  # noqa: PT017
    else:
        assert study.cells()
