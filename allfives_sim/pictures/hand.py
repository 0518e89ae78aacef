"""A recorded hand, step by step: what lies on the table and in the hands after each event."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from allfives_sim.core.errors import InputError
from allfives_sim.core.records import RecordError, Replayer, check_form
from allfives_sim.core.rules import Rules
from allfives_sim.core.tiles import tile_from_name, tile_name
from allfives_sim.pictures.placing import Placed, place_tiles
from allfives_sim.pictures.tree import Piece, grow_tree

Record = dict[str, Any]


@dataclass(frozen=True)
class Step:
    """What is to be seen after an event; before the first one, of the deal.

    Attributes
    ----------
    pieces : int
        How many tiles lie on the layout: the first ones of the hand's.
    ends : list of (piece, at, second)
        The open ends by their numbers.
    hands : list of list of str
        The tiles of each seat.
    boneyard : int
    count, points : int
        After the last play; the points that it was worth.
    scores : list of int
        Of each side, with the points of the plays so far.
    text : str
        What happened.
    event : int
        Its number; -1 for the deal.
    """

    pieces: int
    ends: list[tuple[int, str, bool]]
    hands: list[list[str]]
    boneyard: int
    count: int
    points: int
    scores: list[int]
    text: str
    event: int


@dataclass(frozen=True)
class Hand:
    """A hand to be drawn: its tiles where they lie at its end, and its steps."""

    record: Record
    rules: Rules
    pieces: list[Piece]
    placed: list[Placed]
    steps: list[Step]

    @property
    def agents(self) -> list[str]:
        """Who sits at each seat."""
        named = self.record.get("agents") or []
        return [str(named[seat % len(named)]) if named else "" for seat in range(self.rules.players)]

    def step_of(self, event: int | None) -> Step:
        """The step after an event; the last one where none is given.

        Raises
        ------
        InputError
            There is no such event.
        """
        if event is None:
            return self.steps[-1]
        if not -1 <= event < len(self.record["events"]):
            last = len(self.record["events"]) - 1
            raise InputError(f"the hand has no event {event}; valid: 0 to {last}, or -1 for the deal")
        return next(step for step in self.steps if step.event == event)


def read_hand(record: Record) -> Hand:
    """A record as a hand to be drawn.

    Raises
    ------
    RecordError
        It is no record, or not played by the rules.
    """
    check_form(record)
    fault = Replayer().check(json.dumps(record))
    if fault is not None:
        where = "" if fault.event is None else f"event {fault.event}: "
        raise RecordError(f"{where}{fault.error}")
    rules = Rules.from_dict(record["rules"])
    plays = [event for event in record["events"] if "play" in event]
    tree = grow_tree(plays, rules)
    return Hand(record, rules, tree.pieces, place_tiles(tree), _steps(record, rules))


def _steps(record: Record, rules: Rules) -> list[Step]:
    hands = [[tile_name(tile_from_name(tile)) for tile in hand] for hand in record["hands"]]
    boneyard = rules.tiles - sum(len(hand) for hand in hands)
    scores = list(record.get("scores") or [0] * rules.sides)
    plays: list[Record] = []
    steps = [Step(0, [], [list(hand) for hand in hands], boneyard, 0, 0, list(scores), "the deal", -1)]
    for number, event in enumerate(record["events"]):
        seat, points = event["seat"], 0
        if "draw" in event:
            hands[seat] += [tile_name(tile_from_name(tile)) for tile in event["draw"]]
            boneyard -= len(event["draw"])
            text = f"seat {seat} draws {', '.join(event['draw'])}"
        elif "play" in event:
            plays.append(event)
            hands[seat].remove(tile_name(tile_from_name(event["play"])))
            points = event["points"]
            side = rules.side(seat)
            if not rules.exact_target or scores[side] + points <= rules.target:
                scores[side] += points
            where = "leads" if event["at"] == "lead" else "plays"
            end = "" if event["at"] == "lead" else f" on end {event['at']}"
            text = f"seat {seat} {where} {event['play']}{end}"
        else:
            text = f"seat {seat} passes"
        count = plays[-1]["count"] if plays else 0
        ends = grow_tree(plays, rules).ends if plays else []
        copied = [list(hand) for hand in hands]
        steps.append(Step(len(plays), ends, copied, boneyard, count, points, list(scores), text, number))
    return steps


def ending(record: Record) -> str:
    """How a hand ended, and what its settlement was."""
    how = {"out": f"seat {record.get('out')} goes out", "blocked": "blocked", "target": "the target is reached"}
    settled = ", ".join(f"{points:+d}" for points in record["settlement"])
    final = ", ".join(str(score) for score in record["final"])
    return f"{how[record['end']]}; settlement {settled}; scores {final}"
