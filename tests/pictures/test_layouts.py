"""Layouts: 5,000 random hands under random switches, by geometry and not by pixels; and what is drawn of them."""

from __future__ import annotations

import json
import math
import random
import re
from collections.abc import Iterator
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from allfives_sim import InputError, RecordError, Rules, record_hands
from allfives_sim.pictures.hand import Hand, read_hand
from allfives_sim.pictures.placing import Placed, place_tiles
from allfives_sim.pictures.svg import DISC, SPOTS, UNIT, end_marks, layout_png, layout_svg, piece_svg
from allfives_sim.pictures.terminal import layout_text
from allfives_sim.pictures.tree import CROSS, LOW, SIDE, Piece, Tree, grow_tree
from tests import naive

Record = dict[str, Any]


def hands(number: int, seed: int) -> Iterator[tuple[Rules, list[Record]]]:
    """The plays of random hands under random rules, many of them with all doubles spinning."""
    rng, made = random.Random(seed), 0
    while made < number:
        switches = naive.random_rules(rng)
        if rng.random() < 0.4:
            switches |= {"spinner": "all_doubles"}
        rules = Rules.from_dict(switches)
        for record in record_hands(["random"], rules, hands=5, seed=made):
            made += 1
            yield rules, [event for event in record["events"] if "play" in event]


def overlap(one: Placed, other: Placed) -> bool:
    (left, top, right, bottom), (l2, t2, r2, b2) = one.box, other.box
    return left < r2 and l2 < right and top < b2 and t2 < bottom


def touches(piece: Piece, tile: Placed, parent_piece: Piece, parent: Placed) -> bool:
    """Whether the half of the inner pip lies against the parent where it was played on."""
    if parent_piece.double:
        (px, py), (qx, qy) = parent.inner, parent.outer
        cross = piece.at == CROSS
        away = (1, 0) if (px == qx) != cross else (0, 1)  # the way from the middle of the double
        reach = 3 if cross else 2
        centre = _inner_edge_middle(piece, tile)
        apart = abs(centre[0] - (px + qx) / 2), abs(centre[1] - (py + qy) / 2)
        return apart == (reach * away[0], reach * away[1])
    half = parent.inner if piece.at == LOW else parent.outer
    centre = _inner_edge_middle(piece, tile)
    return abs(centre[0] - half[0]) + abs(centre[1] - half[1]) == 2


def _inner_edge_middle(piece: Piece, tile: Placed) -> tuple[float, float]:
    """The middle of the half that touches; of a double, which lies crosswise, that of the whole tile."""
    if piece.double:
        return (tile.inner[0] + tile.outer[0]) / 2, (tile.inner[1] + tile.outer[1]) / 2
    return tile.inner


def test_no_two_tiles_overlap_and_every_joint_matches_in_5000_random_hands() -> None:
    most = 0
    for rules, plays in hands(5000, seed=7):
        tree = grow_tree(plays, rules)
        placed = place_tiles(tree)
        assert len(placed) == len(plays)
        most = max(most, len(plays))
        for number, (piece, tile) in enumerate(zip(tree.pieces, placed, strict=True)):
            assert not any(overlap(tile, other) for other in placed[:number])
            left, top, right, bottom = tile.box
            assert sorted((right - left, bottom - top)) == [2, 4]
            if number:
                parent = tree.pieces[piece.parent]
                pip = parent.inner if piece.at == LOW else parent.outer
                assert piece.inner == pip, "pips that touch are alike"
                assert touches(piece, tile, parent, placed[piece.parent])
    assert most >= 30


def test_open_ends_add_up_to_the_count_where_no_double_spins() -> None:
    checked = 0
    for rules, plays in hands(600, seed=8):
        for number in range(1, len(plays) + 1) if rules.spinner == "none" else ():
            tree = grow_tree(plays[:number], rules)
            if not any(at == SIDE for _, at, _ in tree.ends):
                doubled = [1 + tree.pieces[piece].double for piece, _, _ in tree.ends]
                count = sum(times * tree.open_pip(end) for end, times in enumerate(doubled))
                assert count == plays[number - 1]["count"]
                checked += 1
    assert checked > 500


def test_doubles_lie_crosswise_and_lead_tiles_from_left_to_right() -> None:
    plays = [
        {"play": "3-5", "at": "lead"},
        {"play": "5-5", "at": 1},
        {"play": "2-5", "at": 1},
        {"play": "3-3", "at": 0},
        {"play": "4-5", "at": 2},
    ]
    tree = grow_tree(plays, Rules())
    placed = place_tiles(tree)
    assert placed[0].inner == (-1, 0)
    assert placed[0].outer == (1, 0)
    assert placed[1].box == (2, -2, 4, 2)
    assert placed[2].inner == (5, 0)
    assert placed[3].box == (-4, -2, -2, 2)
    assert placed[4].inner in ((3, -3), (3, 3))
    assert [tree.open_pip(end) for end in range(4)] == [3, 2, 4, 5]


def test_a_set_of_one_long_arm_turns_before_it_leaves_the_page() -> None:
    pips = [n % 7 for n in range(40)]
    pieces = [Piece(0, 0, 1, -1, "")]
    pieces += [Piece(0, a, b, n, "far" if n else "high") for n, (a, b) in enumerate(pairwise(pips[1:]))]
    placed = place_tiles(Tree(pieces))
    assert max(abs(edge) for tile in placed for edge in tile.box) <= 60
    assert len({tile.inner[1] for tile in placed}) > 1


# --- what is drawn ---


@pytest.fixture(scope="module")
def hand() -> Hand:
    return read_hand(next(record_hands(["greedy", "random"], Rules.preset("five-up"), hands=1, seed=2)))


def test_svg_has_every_pip_the_ends_the_count_and_a_title(hand: Hand) -> None:
    for step in hand.steps:
        root = ElementTree.fromstring(layout_svg(hand, step))
        circles = [one.get("class") for one in root.iter("{http://www.w3.org/2000/svg}circle")]
        pips = sum(piece.inner + piece.outer for piece in hand.pieces[: step.pieces])
        assert circles.count("spot") == pips
        assert circles.count("end") == len(step.ends)
        title = root.find("{http://www.w3.org/2000/svg}title")
        assert title is not None
        assert step.event < 0 or f"count {step.count}, {step.points} points" in (title.text or "")


def test_png_is_a_picture_of_the_same_size_twice(hand: Hand) -> None:
    png = layout_png(hand, hand.steps[-1], zoom=1)
    assert png.startswith(b"\x89PNG")
    width = int.from_bytes(png[16:20], "big")
    assert int.from_bytes(layout_png(hand, hand.steps[-1], zoom=2)[16:20], "big") == 2 * width


def test_text_shows_as_many_halves_as_there_are(hand: Hand) -> None:
    for step in hand.steps[1:]:
        picture = layout_text(hand, step).partition("\n\n")[0]
        for number in range(len(step.ends)):
            assert picture.count(f"({number})") <= 1
        halves = [letter for letter in picture.replace("(", " (").split() if letter.isdigit()]
        assert len(halves) == 2 * step.pieces


def test_halves_have_as_many_spots_as_pips() -> None:
    assert [len(spots) for spots in SPOTS] == list(range(10))
    assert all(len(set(spots)) == len(spots) for spots in SPOTS)


def test_the_last_step_has_the_hands_and_scores_of_the_record() -> None:
    for seed, rules in enumerate([Rules(), Rules(players=3), Rules(players=4, partners=True), Rules(may_draw=True)]):
        record = next(record_hands(["random"], rules, hands=1, seed=seed))
        hand = read_hand(record)
        last = hand.steps[-1]
        settled = [score + points for score, points in zip(last.scores, record["settlement"], strict=True)]
        assert settled == record["final"]
        drawn = sum(len(event.get("draw", ())) for event in record["events"])
        assert sum(map(len, last.hands)) == sum(map(len, record["hands"])) + drawn - last.pieces
        assert last.boneyard == rules.tiles - last.pieces - sum(map(len, last.hands))


def test_a_hand_that_breaks_the_rules_is_not_drawn() -> None:
    record = next(record_hands(["greedy"], hands=1))
    record["events"][0]["points"] += 5
    with pytest.raises(RecordError, match="event 0: "):
        read_hand(record)


@pytest.mark.parametrize("event", [-2, 10_000])
def test_an_event_that_is_not_there_is_told(hand: Hand, event: int) -> None:
    with pytest.raises(InputError, match=r"valid: 0 to \d+, or -1 for the deal"):
        hand.step_of(event)


def test_show_draws_in_the_terminal_and_into_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from allfives_sim.cli import run

    file = tmp_path / "hands.jsonl"
    records = list(record_hands(["greedy", "random"], hands=2))
    records[1]["agents"] = ["<b>mine</b>", "random"]
    file.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    assert run(["show", str(file), "--line", "2", "--event", "0"]) == 0
    assert "(0)" in capsys.readouterr().out
    for name in ("a.svg", "a.png"):
        assert run(["show", str(file), "--out", str(tmp_path / name)]) == 0
    assert run(["show", str(file), "--line", "2", "--page", str(tmp_path / "a.html"), "--review", "20"]) == 0
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "<b>mine</b>" not in page
    assert "http://" not in page.replace("http://www.w3.org/2000/svg", "")
    capsys.readouterr()
    for arguments in (["--line", "3"], ["--event", "99"], ["--out", "a.gif"], ["--review", "5"]):
        assert run(["show", str(file), *arguments]) == 2
        err = capsys.readouterr().err
        assert err.startswith("allfives: ")
        assert err.count("\n") == 1


def test_the_discs_of_open_ends_cover_no_pips_and_not_each_other() -> None:
    checked = 0
    for players in (2, 4):
        for record in record_hands(["random"], Rules.preset("five-up", players=players), hands=40, seed=3):
            hand = read_hand(record)
            for step in hand.steps:
                marks = end_marks(hand, step)
                discs = [
                    (float(x), float(y)) for x, y in re.findall(r'class="end" cx="([-\d.]+)" cy="([-\d.]+)"', marks)
                ]
                spots = [
                    (float(x), float(y))
                    for piece, placed in zip(hand.pieces[: step.pieces], hand.placed, strict=False)
                    for x, y in re.findall(r'class="spot" cx="([-\d.]+)" cy="([-\d.]+)"', piece_svg(piece, placed))
                ]
                assert all(math.dist(disc, spot) > UNIT * (DISC + 0.19) for disc in discs for spot in spots)
                assert all(math.dist(*pair) >= 2 * UNIT * DISC for pair in combinations(discs, 2))
                checked += len(discs)
    assert checked > 5000
