"""One hand: playing it at random, and checking its record event by event (records.md)."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from .house import settings, unplayable
from .layout import LEAD, At, Tile, full_set, read_tile, write_tile
from .settlement import after_settlement, sides
from .table import Table, leader_by_tiles

FORMAT = "allfives-hand-1"
DRAW = "draw"
Choice = tuple[Tile, At] | str  # a tile and where it is played, or DRAW (only under may_draw)
Choose = Callable[[random.Random, list[Choice]], Choice]


class NaiveError(Exception):
    """What is wrong in a record, and in which event (None: not in one event)."""

    def __init__(self, event: int | None, message: str) -> None:
        super().__init__(message if event is None else f"event {event}: {message}")
        self.event = event
        self.message = message


def deal(s: dict[str, Any], rng: random.Random) -> list[list[Tile]]:
    """Hands at random."""
    tiles = full_set(s["highest_pip"])
    rng.shuffle(tiles)
    size = s["hand_size"]
    return [sorted(tiles[seat * size : (seat + 1) * size]) for seat in range(s["players"])]


def play_hand(
    rules: dict[str, Any],
    rng: random.Random,
    *,
    scores: list[int] | None = None,
    leader: int | str | None = None,
    choose: Choose | None = None,
) -> dict[str, Any]:
    """Deal and play a hand; returns its record.

    The leader is a seat, or a way to find it (random, highest_double, heaviest_tile); None: first_leader.
    """
    s = settings(rules)
    why = unplayable(s)
    if why is not None:
        raise ValueError(why)
    hands = deal(s, rng)
    way = s["first_leader"] if leader is None else leader
    if way == "random":
        seat = rng.randrange(s["players"])
    else:
        seat = leader_by_tiles(way, hands) if isinstance(way, str) else way
    before = [0] * sides(s) if scores is None else list(scores)  # reading 9: without scores, zeros
    table = Table(s, hands, seat, before)
    events: list[dict[str, Any]] = []
    while table.end is None:
        events += play_turn(table, rng, choose or random_choice)
    settlement = table.settlement()
    record: dict[str, Any] = {
        "format": FORMAT,
        "rules": dict(rules),
        "agents": ["naive"] * s["players"],
        "hands": [[write_tile(tile) for tile in hand] for hand in hands],
        "leader": seat,
        "scores": before,
        "events": events,
        "end": table.end,
    }
    if table.end == "out":
        record["out"] = table.out
    record["settlement"] = settlement
    record["final"] = final_scores(table, settlement)
    return record


def final_scores(table: Table, settlement: list[int]) -> list[int]:
    """Each side's score after the settlement ("final")."""
    pairs = zip(table.scores, settlement, strict=True)
    return [after_settlement(table.s, score, points) for score, points in pairs]


def random_choice(rng: random.Random, choices: list[Choice]) -> Choice:
    """Any choice, each as likely."""
    return rng.choice(choices)


def play_turn(table: Table, rng: random.Random, choose: Choose) -> list[dict[str, Any]]:
    """One turn: the draw event if tiles were drawn, then the play or the pass."""
    seat = table.turn
    could_play = bool(table.plays())
    drawn: list[Tile] = []

    def draw() -> None:
        tile = rng.choice(table.boneyard)
        table.draw(tile)
        drawn.append(tile)

    if not could_play:
        # "Who cannot play draws one tile at a time until one fits"
        while not table.plays() and table.can_draw():
            draw()
    event: dict[str, Any] = {"seat": seat}
    while True:
        if table.must_pass():
            event["pass"] = True
            table.pass_turn()
            break
        choices: list[Choice] = list(table.plays())
        # Reading 2: may_draw is for a player who can play, while draws are left; they must play in the end.
        # Who could not play plays the one drawn tile that fits at once, and draws no more.
        if table.s["may_draw"] and could_play and table.can_draw():
            choices.append(DRAW)
        choice = choose(rng, choices)
        if choice not in choices:
            raise ValueError(f"{choice!r} is not one of the choices {choices!r}")
        if isinstance(choice, str):
            draw()
            continue
        tile, at = choice
        count, points = table.play(tile, at)
        event |= {"play": write_tile(tile), "at": at, "count": count, "points": points}
        break
    if drawn:
        return [{"seat": seat, "draw": [write_tile(tile) for tile in drawn]}, event]
    return [event]


def check_hand(record: dict[str, Any]) -> None:
    """Raise NaiveError when anything in the record is wrong."""
    replay(record)


def replay(record: dict[str, Any]) -> Table:
    """Check a record; returns the table as it is at the hand's end (before the settlement)."""
    s = record_settings(record)
    table = _opening(record, s)
    events = _key(record, "events")
    _check(isinstance(events, list), None, "events is no list")
    for index, event in enumerate(events):
        _check(table.end is None, index, f"the hand is over ({table.end}), nothing may follow")
        _check_event(table, index, event)
    _check(table.end is not None, None, "the hand is not over")
    _check_end(record, table)
    return table


def record_settings(record: dict[str, Any]) -> dict[str, Any]:
    """The expanded rules of a record."""
    _check(isinstance(record, dict), None, "the record is no object")
    _check(_key(record, "format") == FORMAT, None, f"format is not {FORMAT}")
    rules = _key(record, "rules")
    _check(isinstance(rules, dict), None, "rules is no object")
    try:
        s = settings(rules)
    except ValueError as error:
        raise NaiveError(None, f"rules: {error}") from None
    why = unplayable(s)
    _check(why is None, None, f"rules: {why}")
    return s


def read_hands(record: dict[str, Any], s: dict[str, Any]) -> list[list[Tile]]:
    """What "each seat was dealt": the right sizes, no tile twice, every tile of the set."""
    written = _key(record, "hands")
    _check(isinstance(written, list) and len(written) == s["players"], None, "hands: not one for each seat")
    tiles = set(full_set(s["highest_pip"]))
    hands: list[list[Tile]] = []
    for seat, texts in enumerate(written):
        _check(isinstance(texts, list), None, f"hands: seat {seat} has no list")
        _check(len(texts) == s["hand_size"], None, f"hands: seat {seat} has not {s['hand_size']} tiles")
        hand = [_tile(text, None) for text in texts]
        for tile in hand:
            _check(tile in tiles, None, f"hands: {write_tile(tile)} is dealt twice or not in the set")
            tiles.remove(tile)
        hands.append(hand)
    return hands


def _opening(record: dict[str, Any], s: dict[str, Any]) -> Table:
    """The table before the first event."""
    agents = record.get("agents", [""] * s["players"])
    _check(isinstance(agents, list) and len(agents) == s["players"], None, "agents: not one for each seat")
    hands = read_hands(record, s)
    leader = _key(record, "leader")
    _check(type(leader) is int and 0 <= leader < s["players"], None, "leader is no seat")
    scores = record.get("scores", [0] * sides(s))  # "absent: zeros"
    _check(_is_points(scores, sides(s)), None, "scores: not a whole number for each side")
    return Table(s, hands, leader, scores)


def _check_event(table: Table, index: int, event: Any) -> None:
    """One event: whose turn it is, what kind it is, then the kind's own checks."""
    _check(isinstance(event, dict), index, "the event is no object")
    seat = event.get("seat")
    _check(_same(seat, table.turn), index, f"seat {seat!r}, but it is the turn of seat {table.turn}")
    kinds = [kind for kind in ("draw", "play", "pass") if kind in event]
    _check(len(kinds) == 1, index, "not just one of draw, play and pass")
    if kinds == ["draw"]:
        _check_draw(table, index, event["draw"])
    elif kinds == ["play"]:
        _check_play(table, index, event)
    else:
        _check(event["pass"] is True, index, "pass is not true")
        _check(table.must_pass(), index, "a pass by a player who can play or must draw")
        table.pass_turn()


def _check_draw(table: Table, index: int, texts: Any) -> None:
    """A draw: "one draw event a turn at most, listing the tiles in the order drawn"."""
    _check(isinstance(texts, list) and len(texts) > 0, index, "draw lists no tiles")
    _check(table.drawn == 0, index, "a second draw event in one turn")
    could_play = bool(table.plays())
    _check(not could_play or table.s["may_draw"], index, "a draw by a player who could play")
    for text in texts:
        tile = _tile(text, index)
        # "until one fits": reading 2, this goes under may_draw too for who could not play
        _check(could_play or not table.plays(), index, f"{text} was drawn after a tile that fits")
        _check(table.can_draw(), index, f"{text} was drawn, but no more tiles may be drawn")
        _check(tile in table.boneyard, index, f"{text} was drawn, but is not in the boneyard")
        table.draw(tile)
    stopped_early = not table.plays() and table.can_draw()
    _check(not stopped_early, index, "drawing stopped, but no tile fits and more may be drawn")


def _check_play(table: Table, index: int, event: dict[str, Any]) -> None:
    """The tile, the end, the count and the points "after the play"."""
    tile = _tile(event["play"], index)
    at: At = event.get("at", "")
    name = write_tile(tile)
    _check(not table.turn_is_spent(), index, "a play in a turn in which a tile was drawn")
    _check(tile in table.hands[table.turn], index, f"{name} is not in the hand of seat {table.turn}")
    if table.layout.ends:
        is_open = type(at) is int and 0 <= at < len(table.layout.ends)
        _check(is_open, index, f"end {at!r} is not open")
        _check((tile, at) in table.plays(), index, f"{name} does not match end {at}")
    else:
        _check(at == LEAD, index, "the first tile is played at lead")
        _check((tile, at) in table.plays(), index, f"{name} may not be led")
    count, points = table.play(tile, at)
    _check(_same(event.get("count"), count), index, f"count {event.get('count')!r}, not {count}")
    _check(_same(event.get("points"), points), index, f"points {event.get('points')!r}, not {points}")


def _check_end(record: dict[str, Any], table: Table) -> None:
    """The end and its reason, out, the settlement and the final scores."""
    end = _key(record, "end")
    _check(end == table.end, None, f"end {end!r}, not {table.end!r}")
    if table.end == "out":
        _check(_same(record.get("out"), table.out), None, f"out is not seat {table.out}")
    else:
        _check("out" not in record, None, "out goes with the end out only")
    due = table.settlement()
    settlement = _key(record, "settlement")
    right = _is_points(settlement, len(due)) and settlement == due
    _check(right, None, f"settlement {settlement!r}, not {due}")
    scores = final_scores(table, due)
    final = _key(record, "final")
    _check(_is_points(final, len(due)) and final == scores, None, f"final {final!r}, not {scores}")


def _check(right: bool, index: int | None, message: str) -> None:
    if not right:
        raise NaiveError(index, message)


def _key(record: dict[str, Any], key: str) -> Any:
    _check(key in record, None, f"{key} is missing")
    return record[key]


def _tile(text: Any, index: int | None) -> Tile:
    try:
        return read_tile(text)
    except ValueError as error:
        raise NaiveError(index, str(error)) from None


def _same(value: Any, number: int | None) -> bool:
    """The same whole number (true is not 1)."""
    return type(value) is int and value == number


def _is_points(value: Any, length: int) -> bool:
    """A list with one whole number for each side."""
    return isinstance(value, list) and len(value) == length and all(type(item) is int for item in value)
