"""What is known of the hands from who leads: the holder of the highest double, or of the heaviest tile."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from allfives_sim import Belief, InputError, Rules, record_hands
from allfives_sim.agents.policy import REGISTER
from allfives_sim.agents.user_code import load_code
from allfives_sim.core.positions import PositionError, SeenPosition
from allfives_sim.core.records import Position

# Seat 0 has led 5-5 and seat 1 has answered; of the tiles that seat 0 does not see, seat 1 holds eight of eighteen.
LED = "hand 0-1 0-2 0-3 1-2 1-3 1-5 2-4 4-5; 5-5 2-5@0"


def chances(text: str) -> dict[str, float]:
    """The chance of each unseen tile being with the other of two players."""
    belief = Belief(SeenPosition.from_text(text).table()[0])
    return dict(zip(belief.tiles, belief.chances()[:, 1 - belief.seat].tolist(), strict=True))


def test_where_the_highest_double_leads_the_others_were_dealt_no_higher_one() -> None:
    told = chances(f"draw_limit=0 first_leader=highest_double; {LED}")
    assert told["6-6"] == 0
    assert told["4-4"] == pytest.approx(8 / 17)
    untold = chances(f"draw_limit=0; {LED}")
    assert untold["6-6"] == untold["4-4"] == pytest.approx(8 / 18)


def test_a_third_seat_knows_it_too() -> None:
    rules = "draw_limit=0 players=3 first_leader=highest_double lead_tile=any"
    belief = Belief(SeenPosition.from_text(f"{rules}; hand 0-1 0-2 0-3 1-2 1-3 1-5 2-4; 0-6 5-6@1").table()[0])
    told = belief.chances()[belief.tiles.index("6-6")]
    assert told[0] > 1.9 * 6 / 19  # of the nineteen unseen tiles six are with each of the others
    assert told[1] == 0


def test_what_was_drawn_may_rank_higher() -> None:
    rules = "hand_size=7 first_leader=highest_double"
    told = chances(f"{rules}; hand 0-1 1-1 1-2 1-3 1-4 2-4; 5-5 draw 3 2-5@0")
    assert 0 < told["6-6"] < told["4-4"]


def test_what_the_mover_was_dealt_says_what_the_reason_was() -> None:
    rules = "draw_limit=0 hand_size=3 first_leader=heaviest_tile"
    told = chances(f"{rules}; leader 1; hand 0-1 0-2 5-6; 0-0")
    assert told["6-6"] == pytest.approx(1)  # nothing else goes before the mover's 5-6
    told = chances(f"{rules}; leader 1; hand 0-1 0-2 5-5; 0-0")
    # 4-6 is as heavy and goes before; of 276 pairs that the leader may hold with the 0-0, 66 have one of these three.
    assert [told[tile] for tile in ("4-6", "5-6", "6-6", "3-3")] == pytest.approx([23 / 66] * 3 + [3 / 66])


@pytest.mark.parametrize(
    ("rules", "leader", "known"),
    [
        ("first_leader=highest_double", "", True),
        ("first_leader=highest_double", "scores 35 20;", False),
        ("first_leader=highest_double", "leader 0 random;", False),
        ("", "leader 0 highest_double; scores 35 20;", True),
        ("", "scores 35 20; leader 0 heaviest_tile;", False),
        ("next_leader=highest_double", "scores 35 20;", False),
        ("next_leader=highest_double blocked_leader=highest_double", "scores 35 20;", True),
    ],
)
def test_how_a_position_was_led_is_told_or_follows_from_the_rules(rules: str, leader: str, known: bool) -> None:
    told = chances(f"article draw_limit=0 {rules}; {leader} {LED}")
    assert (told["6-6"] == 0 and told["4-4"] == pytest.approx(8 / 17)) == known


def test_a_leader_who_cannot_have_led_so_is_refused() -> None:
    position = "draw_limit=0 first_leader=highest_double; leader 1; hand 6-6 0-2 0-3 1-2 1-3 1-5 2-4 2-5 4-5; 5-5"
    with pytest.raises(InputError, match="or the leader was found in another way than led_by says"):
        chances(position)
    assert chances(position.replace("leader 1", "leader 1 random"))
    with pytest.raises(PositionError, match="led_by is 'heavyest_tile'; valid: random, highest_double, heaviest_tile"):
        SeenPosition.from_text(f"leader 0 heavyest_tile; {LED}").table()


def test_where_a_hand_is_told_of_coarsely_nothing_is_lost_by_who_leads() -> None:
    rules = Rules(highest_pip=9, hand_size=3, draw_limit=3, play_drawn=False, first_leader="highest_double")
    coarse = 0
    for record in record_hands(["random"], rules, hands=18, seed=3):
        record = json.loads(json.dumps(record))
        for event in [number for number, one in enumerate(record["events"]) if "play" in one][4:]:
            view = Position(record, event).view
            view.hand[:] = Position(record, event).hidden.hands[view.seat]
            belief = Belief(view)
            view.led_by = 0
            assert not belief.chances()[Belief(view).chances() == 0].any()
            coarse += belief._slots.parts == 1 and belief._slots.reason[0] < 0
    assert coarse > 20


def test_a_record_whose_leader_the_rules_would_not_choose_says_nothing_by_it() -> None:
    rules = Rules(draw_limit=0, first_leader="highest_double", lead_tile="any", hand_size=5)
    (record,) = record_hands(["random"], rules, hands=1, seed=3)
    record = json.loads(json.dumps(record))
    assert Position(record, 1).view.led_by == 1
    record["leader"] = 1 - record["leader"]
    assert Position(record, 0).view.led_by == 0


KNOWS = """from allfives_sim.agents import NO_MOVE, agent, first_move


@agent
def knows(view, word):
    '''Refuses to lead where it is told wrongly whether the heaviest tile has made it the leader.'''
    first = view.scores[0] == 0 and view.scores[1] == 0
    if view.events == 0 and (view.led_by == 2) != first:
        return NO_MOVE
    return first_move(view)
"""


def test_in_play_agents_are_told_how_the_leader_was_found(tmp_path: Path) -> None:
    (tmp_path / "knows.py").write_text(KNOWS)
    load_code(tmp_path / "knows.py")
    try:
        rules = Rules(first_leader="heaviest_tile", next_leader="out", blocked_leader="rotate", target=60)
        hands = [record["hand"] for record in record_hands(["knows"], rules, games=True, hands=40)]
        assert {0, 1, 2} <= set(hands)
    finally:
        del REGISTER["knows"]
