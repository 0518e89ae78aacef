"""A game: hands that follow one another until someone wins (rules.md, "target", "stop", the leaders)."""

from __future__ import annotations

import random
from typing import Any

from .hand import NaiveError, play_hand, read_hands, record_settings, replay
from .house import settings
from .settlement import pips_of, sides
from .table import Table, leader_by_tiles


def winner(rules: dict[str, Any], scores: list[int]) -> int | None:
    """Who has won after a hand: "the highest score at or over the target wins; equal: play on"."""
    best = max(scores)
    if best < settings(rules)["target"] or scores.count(best) > 1:
        return None
    return scores.index(best)


def game_is_over(record: dict[str, Any]) -> bool:
    """After this hand: "a play that reaches the target ends the game there", else by the scores."""
    return record["end"] == "target" or winner(record["rules"], record["final"]) is not None


def next_leader(s: dict[str, Any], last: dict[str, Any], table: Table) -> int | str:
    """The seat that leads after a hand, or the way to find it (random, highest_double, heaviest_tile).

    `last` is the record of the hand, `table` its table at the end.
    """
    way = str(s["blocked_leader"] if last["end"] == "blocked" else s["next_leader"])
    if way == "out":
        return int(last["out"])
    if way == "rotate":
        return (int(last["leader"]) + 1) % int(s["players"])
    if way == "lightest":
        # "lowest seat among equals": the lightest hand, not side
        pips = [pips_of(hand) for hand in table.hands]
        return pips.index(min(pips))
    return way


def play_game(rules: dict[str, Any], rng: random.Random, max_hands: int = 200) -> list[dict[str, Any]]:
    """The records of a game played at random; stops after max_hands even if it is not over."""
    s = settings(rules)
    records: list[dict[str, Any]] = []
    scores = [0] * sides(s)
    leader: int | str | None = None
    while len(records) < max_hands:
        record = play_hand(rules, rng, scores=scores, leader=leader)
        record |= {"game": 0, "hand": len(records)}
        records.append(record)
        if game_is_over(record):
            break
        scores = record["final"]
        leader = next_leader(s, record, replay(record))
    return records


def check_game(records: list[dict[str, Any]]) -> None:
    """Raise NaiveError when a hand of the game is wrong, or does not follow from the one before."""
    last: dict[str, Any] | None = None
    table: Table | None = None
    for number, record in enumerate(records):
        try:
            if last is None or table is None:
                _check_first(record)
            else:
                _check_next(last, table, record)
            table = replay(record)
        except NaiveError as error:
            raise NaiveError(error.event, f"hand {number}: {error.message}") from None
        last = record


def _check_first(record: dict[str, Any]) -> None:
    """The first hand starts from zeros, its leader by first_leader."""
    s = record_settings(record)
    zeros = [0] * sides(s)
    if record.get("scores", zeros) != zeros:
        raise NaiveError(None, "a game starts from zeros")
    _check_leader(s, record, s["first_leader"])


def _check_next(last: dict[str, Any], table: Table, record: dict[str, Any]) -> None:
    """A later hand: its "scores are the final scores of the one before, and its leader follows"."""
    s = record_settings(record)
    if s != table.s:
        raise NaiveError(None, "the rules changed within the game")
    if record.get("game") != last.get("game"):
        raise NaiveError(None, "another game number")
    if game_is_over(last):
        raise NaiveError(None, "the game was won in the hand before")
    if record.get("scores", [0] * sides(s)) != last["final"]:
        raise NaiveError(None, "scores are not the final scores of the hand before")
    _check_leader(s, record, next_leader(s, last, table))


def _check_leader(s: dict[str, Any], record: dict[str, Any], way: int | str) -> None:
    """Is the leader the one that the rules determine? (By random they determine none.)"""
    if way == "random":
        return
    due = leader_by_tiles(way, read_hands(record, s)) if isinstance(way, str) else way
    if record.get("leader") != due:
        raise NaiveError(None, f"leader {record.get('leader')!r}, not {due}")
