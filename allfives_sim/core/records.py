"""Records: the file format of a played hand, one JSON object a line (docs/records.md)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from allfives_sim.core import replay
from allfives_sim.core.errors import InputError, RulesError, shown
from allfives_sim.core.game import NOBODY, new_table
from allfives_sim.core.hand import ENDS, OUT
from allfives_sim.core.rules import Rules
from allfives_sim.core.tables import LEADERS
from allfives_sim.core.tiles import tile_from_name, tile_name
from allfives_sim.core.view import DREW, PASSED, PLAYED, unpack_event

FORMAT = "allfives-hand-1"
Record = dict[str, Any]


class RecordError(InputError):
    """A line that is no record: not JSON, a missing or malformed key, a tile twice or outside the set."""


@dataclass(frozen=True)
class Fault:
    """What is wrong with a record; `event` is None where it is no event that is."""

    error: str
    event: int | None = None


def to_record(view: Any, hidden: Any, result: Any, rules: Rules, agents: list[str], extra: Record) -> Record:
    """The record of the hand that has just been played and settled.

    Parameters
    ----------
    view, hidden, result : records of dtype `VIEW`, `HIDDEN`, `RESULT`
    rules : Rules
    agents : list of str
        The spec at each seat.
    extra : dict
        Keys of the writer's own, such as seed and deal.
    """
    each = rules.tiles_each
    dealt = [
        sorted(int(tile) for tile in hidden.deck[seat * each : (seat + 1) * each]) for seat in range(rules.players)
    ]
    sides = range(rules.sides)
    record = {
        "format": FORMAT,
        "rules": rules.to_dict() | {"players": rules.players},
        "agents": agents,
        **extra,
        "hands": [[tile_name(tile) for tile in hand] for hand in dealt],
        "leader": int(view.leader),
        "scores": [int(result.before[side]) for side in sides],
        "events": _events(view, hidden),
        "end": ENDS[int(result.ended)],
    }
    if result.ended == OUT:
        record["out"] = int(view.seat)
    record["settlement"] = [int(result.settlement[side]) for side in sides]
    record["final"] = [int(view.scores[side]) for side in sides]
    return record


def _events(view: Any, hidden: Any) -> list[Record]:
    drawn = iter(hidden.drawn)
    events: list[Record] = []
    led = False
    for packed in view.history[: view.events]:
        event = unpack_event(int(packed))
        if event.kind == DREW:
            what: Record = {"draw": [tile_name(int(next(drawn))) for _ in range(event.drawn)]}
        elif event.kind == PASSED:
            what = {"pass": True}
        else:
            at = event.end if led else "lead"
            what = {"play": tile_name(event.tile), "at": at, "count": event.count_after, "points": event.points}
            led = True
        events.append({"seat": event.seat} | what)
    return events


class Replayer:
    """Checks records one after another; it remembers the hand before, for hands that follow in a game."""

    def __init__(self) -> None:
        self._before: _Hand | None = None
        self._game: Any = None

    def check(self, line: str) -> Fault | None:
        """Check one line.

        Returns
        -------
        Fault or None
            What is wrong with the hand; None where it agrees with the rules in everything.

        Raises
        ------
        RecordError
            The line is no record.
        """
        record = parse_record(line)
        before, self._before = self._before, None
        starts = "game" in record and (record["game"] != self._game or record.get("hand") == 0)
        self._game = record.get("game")
        hand = _Hand(record)
        fault = hand.replay()
        if fault is not None:
            return fault
        if starts and not any(hand.scores):
            fault = hand.wrong_leader(hand.rules.first_leader, NOBODY)
        elif "game" in record and not starts and before is not None:
            fault = _follows(hand, before)
        self._before = hand
        return fault


def _follows(hand: _Hand, before: _Hand) -> Fault | None:
    """Whether a hand follows from the hand before it in its game."""
    if before.result.won != NOBODY:
        return Fault(f"the game was won by side {before.result.won} in the hand before; no hand may follow")
    if hand.rules != before.rules:
        return Fault("the rules are not those of the game's hand before")
    if hand.scores != before.final:
        return Fault(f"scores are {hand.scores}, but the hand before ended at {before.final}")
    return hand.wrong_leader(LEADERS[before.result.leads_by], int(before.result.candidate))


class _Hand:
    """A record being checked."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.rules = _rules(record)
        self.scores = _scores(record, self.rules)
        self.view, self.hidden, self.result = new_table(self.rules)
        for side, score in enumerate(self.scores):
            self.view.scores[side] = score
        dealt = _dealt(record, self.rules)
        self.hidden.deck[: len(dealt)] = dealt
        self.leader = _number(record, "leader", 0, self.rules.players - 1)
        first = not any(self.scores) and not record.get("hand")
        self.view.led_by = LEADERS.index(self.rules.leads_by(first))
        self.events, self.drawn = _encode_events(record, self.rules)
        self.final: list[int] = []
        self.holders = (0, 0)

    def replay(self) -> Fault | None:
        fault, event, seat, number = replay.replay_hand(
            self.view, self.hidden, self.result, self.events, self.drawn, self.leader
        )
        if fault != replay.FINE:
            shown = self.record["events"][event] if event >= 0 else {}
            return Fault(_SENTENCES[fault].format(seat=seat, number=number, **_named(shown)), max(event, 0))
        self.holders = (seat, number)
        return self._check_end()

    def _check_end(self) -> Fault | None:
        ended, sides = int(self.result.ended), range(self.rules.sides)
        self.final = [int(self.view.scores[side]) for side in sides]
        right = {
            "end": ENDS[ended],
            "out": int(self.view.seat) if ended == OUT else None,
            "settlement": [int(self.result.settlement[side]) for side in sides],
            "final": self.final,
        }
        for key, value in right.items():
            told = json.dumps(self.record.get(key))  # as text: 0.0 and false are not 0
            if told != json.dumps(value):
                return Fault(f"{key} is {shown(told)}, but by the rules it is {json.dumps(value)}")
        return None

    def wrong_leader(self, leads_by: str, candidate: int) -> Fault | None:
        """The fault where another seat should have led."""
        if leads_by == "random":
            return None
        right = {"highest_double": self.holders[0], "heaviest_tile": self.holders[1]}.get(leads_by, candidate)
        if self.leader != right:
            return Fault(f"leader is {self.leader}, but by the rules ({leads_by}) seat {right} leads")
        return None


class Position:
    """Where a recorded hand stands just before one of its plays.

    Parameters
    ----------
    record : dict
    event : int
        Number of a play event.

    Raises
    ------
    RecordError
        There is no such play, or the record is wrong before it.
    """

    def __init__(self, record: Record, event: int) -> None:
        hand = _Hand(record)
        events = record["events"]
        if not 0 <= event < len(events) or "play" not in events[event]:
            plays = [number for number, one in enumerate(events) if "play" in one]
            raise RecordError(f"event {event} is no play; the plays are events {', '.join(map(str, plays))}")
        fault, wrong, seat, number = replay.replay_hand(
            hand.view, hand.hidden, hand.result, hand.events[:event], hand.drawn, hand.leader
        )
        if fault != replay.NOT_OVER:
            raise RecordError(
                f"event {wrong}: {_SENTENCES[fault].format(seat=seat, number=number, **_named(events[wrong]))}"
            )
        self.view, self.hidden, self.result = hand.view, hand.hidden, hand.result
        self._play = events[event]

    def is_play(self, tile: str, end: str) -> bool:
        """Whether the record plays this tile there, or on an equal end."""
        if tile != tile_name(tile_from_name(self._play["play"])):
            return False
        at = self._play["at"]
        if end == "lead" or at == "lead":
            return end == at
        looks = [(int(self.view.layout.pip[k]), int(self.view.layout.kind[k])) for k in (int(end), at)]
        return looks[0] == looks[1]


def parse_record(line: str) -> Record:
    """The JSON object of a line.

    Raises
    ------
    RecordError
        It is not JSON, not an object, or not of this format.
    """
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise RecordError(f"not JSON ({error}); a record is one JSON object on one line") from error
    if not isinstance(record, dict):
        raise RecordError("not a record: a record is a JSON object")
    if record.get("format") != FORMAT:
        raise RecordError(f'format is {shown(json.dumps(record.get("format")))}; valid: "{FORMAT}"')
    return record


def check_form(record: Record) -> list[str]:
    """Check that a record has what is needed to replay it, each of the right kind; its agents, "" where none is named.

    Raises
    ------
    RecordError
        It has not.
    """
    players = _Hand(record).rules.players
    agents = record.get("agents", [""] * players)
    if not (
        isinstance(agents, list) and len(agents) == players and all(isinstance(a, str) and _is_text(a) for a in agents)
    ):
        raise RecordError(f"agents are {shown(json.dumps(agents))}; valid: a text for each of the {players} seats")
    return agents


def _is_text(text: str) -> bool:
    """Whether it can be written: JSON can hold halves of characters."""
    return not any("\ud800" <= sign <= "\udfff" for sign in text)


def _rules(record: Record) -> Rules:
    if "rules" not in record:
        raise RecordError('rules are missing; valid: a preset and switches, such as {"preset": "article"}')
    try:
        return Rules.from_dict(record["rules"])
    except RulesError as error:
        raise RecordError(f"rules: {error}") from error


def _number(record: Record, key: str, low: int, high: int, more: str = "") -> int:
    value = record.get(key)
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise RecordError(f"{key} is {shown(json.dumps(value))}; valid: a whole number from {low} to {high}{more}")
    return value


def _scores(record: Record, rules: Rules) -> list[int]:
    scores = record.get("scores", [0] * rules.sides)
    if (
        not isinstance(scores, list)
        or len(scores) != rules.sides
        or any(not isinstance(score, int) or isinstance(score, bool) or abs(score) > 10**9 for score in scores)
    ):
        raise RecordError(f"scores are {shown(json.dumps(scores))}; valid: {rules.sides} whole numbers, one a side")
    return scores


def _dealt(record: Record, rules: Rules) -> list[int]:
    """The dealt tiles, seat by seat."""
    hands = record.get("hands")
    if not isinstance(hands, list) or len(hands) != rules.players or not all(isinstance(hand, list) for hand in hands):
        raise RecordError(f"hands are not {rules.players} lists of tiles, one a seat")
    tiles: list[int] = []
    for seat, hand in enumerate(hands):
        if len(hand) != rules.tiles_each:
            raise RecordError(f"seat {seat} is dealt {len(hand)} tiles; by the rules it is {rules.tiles_each}")
        for name in hand:
            tile = _tile(name, rules, f"the hand of seat {seat}")
            if tile in tiles:
                raise RecordError(f"tile {tile_name(tile)} is dealt twice")
            tiles.append(tile)
    return tiles


def _tile(name: object, rules: Rules, where: str) -> int:
    try:
        tile = tile_from_name(name)  # type: ignore[arg-type]
    except ValueError as error:
        raise RecordError(f"{where}: {error}") from error
    if tile & 15 > rules.highest_pip:
        raise RecordError(f"{where}: tile {name} is not in the set; its highest pip is {rules.highest_pip}")
    return tile


def _encode_events(record: Record, rules: Rules) -> tuple[Any, Any]:
    """The events as `replay_hand` takes them, and all drawn tiles."""
    events = record.get("events")
    if not isinstance(events, list) or not all(isinstance(event, dict) for event in events):
        raise RecordError("events are not a list of JSON objects")
    rows: list[list[int]] = []
    drawn: list[int] = []
    for number, event in enumerate(events):
        where = f"event {number}"
        kinds = [kind for kind in ("play", "draw", "pass") if kind in event]
        if len(kinds) != 1:
            raise RecordError(f"{where} is not one of a play, a draw and a pass")
        try:
            seat = _number(event, "seat", 0, rules.players - 1)
            if kinds[0] == "play":
                at = replay.LEAD if event.get("at") == "lead" else _number(event, "at", 0, 99, ' or "lead"')
                count, points = (_number(event, key, 0, 10**9) for key in ("count", "points"))
                rows.append([PLAYED, seat, _tile(event["play"], rules, where), at, count, points])
            elif kinds[0] == "draw":
                names = event["draw"]
                if not isinstance(names, list) or not names:
                    raise RecordError("draw is not a list of one tile or more")
                drawn += [_tile(name, rules, where) for name in names]
                rows.append([DREW, seat, len(names), 0, 0, 0])
            elif event["pass"] is not True:
                raise RecordError(f"pass is {shown(json.dumps(event['pass']))}; valid: true")
            else:
                rows.append([PASSED, seat, 0, 0, 0, 0])
        except RecordError as error:
            raise RecordError(str(error) if str(error).startswith(where) else f"{where}: {error}") from error
    columns = np.array(rows, dtype=np.int64).reshape(len(rows), replay.COLUMNS)
    return columns, np.array(drawn, dtype=np.int64)


def _named(event: Record) -> Record:
    """What a sentence may say of an event."""
    drawn = event.get("draw")
    return {
        "who": event.get("seat"),
        "tile": event.get("play"),
        "at": event.get("at"),
        "drawn": ", ".join(drawn) if isinstance(drawn, list) else "",
        "count": event.get("count"),
        "points": event.get("points"),
    }


_SENTENCES = {
    replay.TWO_DRAWS: "seat {who} draws twice in one turn; a turn has one draw event at most",
    replay.OTHER_SEAT: "seat {who} acts, but it is the turn of seat {seat}",
    replay.NOT_IN_BONEYARD: "seat {who} draws {drawn}, of which a tile is not in the boneyard",
    replay.NO_DRAW_LEFT: "seat {who} draws {drawn}, more than draw_limit and boneyard_reserve allow",
    replay.COULD_PLAY: "seat {who} draws but could play, and may_draw is false",
    replay.DREW_PAST: "seat {who} draws {drawn}, going on after a tile that fits",
    replay.NOT_IN_HAND: "seat {who} plays {tile}, which is not in its hand",
    replay.NOT_LEAD: 'seat {who} plays {tile} at {at}; the first tile is played at "lead", later ones at an end',
    replay.NO_END: "seat {who} plays {tile} at end {at}, which is not open",
    replay.NO_MATCH: "seat {who} plays {tile} at end {at}, which has another pip",
    replay.NO_PLAY_AFTER_DRAW: "seat {who} plays {tile} in a turn in which it drew, and play_drawn is false",
    replay.WRONG_LEAD: "seat {who} leads {tile}, which lead_tile does not allow",
    replay.MUST_PLAY: "seat {who} passes but has a tile that fits",
    replay.MUST_DRAW: "seat {who} passes but must draw",
    replay.WRONG_COUNT: "the count is {count}, but by the rules it is {number}",
    replay.WRONG_POINTS: "the points are {points}, but by the rules they are {number}",
    replay.IS_OVER: "the hand was over before this event",
    replay.NOT_OVER: "the events stop before the hand is over; it is the turn of seat {seat}",
}
