"""Positions as their mover sees them, written as TOML or on one line of text (docs/positions.md)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np

from allfives_sim.core import replay
from allfives_sim.core.errors import InputError, RulesError, shown, unknown
from allfives_sim.core.game import new_table
from allfives_sim.core.hand import ENDS
from allfives_sim.core.rules import Rules
from allfives_sim.core.switches import parse_switch
from allfives_sim.core.tables import LEADERS
from allfives_sim.core.tiles import tile_from_name, tile_name
from allfives_sim.core.view import DREW, PASSED, PLAYED

KEYS = ("rules", "leader", "led_by", "scores", "hand", "events")
WAYS = ("random", "highest_double", "heaviest_tile")
TEXT = "RULES; leader SEAT LED_BY; scores POINTS …; hand TILE …; EVENT …"  # all but the hand may be left out
_WORDS = re.compile(r"(?P<tile>[0-9]+-[0-9]+)(@(?P<end>[0-9]{1,2}))?|draw (?P<drawn>[0-9]{1,3})|(?P<passed>pass)")


class PositionError(InputError):
    """What is given is no position: malformed, or against the rules as far as the mover can know."""


@dataclass(frozen=True)
class _Event:
    kind: int
    number: int  # the tile, or how many were drawn
    end: int
    seat: int


@dataclass(frozen=True)
class SeenPosition:
    """A hand before a play, with what its mover knows and nothing else.

    Parameters
    ----------
    hand : sequence of str
        The mover's tiles.
    events : sequence of str
        What all saw since the lead, in turn order: ``"5-5"`` for the lead, ``"2-5@0"`` for a tile on end 0,
        ``"draw 2"`` for tiles drawn, ``"pass"``.
    rules : Rules
    leader : int
        The seat that led, or is to lead.
    led_by : str, optional
        How the leader was found, where that says something of the hands: ``"highest_double"`` or ``"heaviest_tile"``;
        ``"random"`` where it does not.  Where not given, it is what the rules say of a first hand if no side has a
        score, and of later hands if they say the same however the hand before ended.
    scores : sequence of int, optional
        Each side's score before the hand; zeros where not given.

    Examples
    --------
    >>> position = SeenPosition.from_text("miami; hand 6-4 3-3 0-1 0-2 0-6 1-1; 5-5 2-5@0")
    >>> view, hidden, result = position.table()
    >>> int(view.seat), int(view.layout.count), int(view.scores[0])
    (0, 12, 10)
    """

    hand: Sequence[str]
    events: Sequence[str] = ()
    rules: Rules = field(default_factory=Rules)
    leader: int = 0
    scores: Sequence[int] | None = None
    led_by: str | None = None

    @classmethod
    def from_dict(cls, keys: dict[str, Any]) -> Self:
        """A position of its keys, as they stand in a TOML file.

        Raises
        ------
        PositionError
            A key that does not exist, no hand, or rules that cannot be played.
        """
        for key in keys:
            if key not in KEYS:
                raise PositionError(unknown("key", key, KEYS))
        if "hand" not in keys:
            raise PositionError("the hand is missing; valid: the tiles of the seat to move, such as 6-4 3-3")
        rules = keys.get("rules", {})
        try:
            rules = Rules.from_dict({"preset": rules} if isinstance(rules, str) else rules)
        except RulesError as error:
            raise PositionError(f"rules: {error}") from error
        return cls(**(keys | {"rules": rules}))

    @classmethod
    def from_toml(cls, text: str) -> Self:
        """A position of a TOML text.

        Raises
        ------
        PositionError
            It is not TOML, or `from_dict` refuses it.
        """
        try:
            keys = tomllib.loads(text)
        except (ValueError, RecursionError) as error:
            raise PositionError(f"not TOML: {error}") from error
        return cls.from_dict(keys)

    @classmethod
    def from_text(cls, text: str) -> Self:
        """A position of one line, its parts with semicolons between them.

        Raises
        ------
        PositionError
            A part is there twice or cannot be read, or `from_dict` refuses it.
        """
        keys: dict[str, Any] = {}
        for place, part in enumerate(text.split(";")):
            words = part.split()
            if not words:
                continue
            if words[0] in ("leader", "scores", "hand"):
                key, *words = words
                if key == "leader" and len(words) == 2 and words[1][0].isalpha():
                    keys["led_by"] = words.pop()
            else:
                key = "events" if place else "rules"
            if key in keys:
                raise PositionError(f"there are two parts with {key}; valid: {TEXT}")
            keys[key] = _read_part(key, words)
        return cls.from_dict(keys)

    @classmethod
    def read(cls, name: str) -> Self:
        """A position of a TOML file.

        Raises
        ------
        InputError
            The file cannot be read, or `from_toml` refuses it.
        """
        try:
            text = Path(name).read_text(encoding="utf-8")
        except OSError as error:
            raise InputError(f"cannot read a position from {name}: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise InputError(f"cannot read a position from {name}: it is not a text file") from error
        return cls.from_toml(text)

    @property
    def mover(self) -> int:
        """The seat to move, where the events can be read."""
        return self._read_events()[1]

    def table(self) -> tuple[Any, Any, Any]:
        """The table as play would have left it: records of dtype `VIEW`, `HIDDEN` and `RESULT`.

        Of what is hidden only the mover's hand is filled; of the result, the scores before the hand.

        Raises
        ------
        PositionError
            Something is malformed, or cannot have happened under the rules as far as the mover can know.
        """
        self._check_shapes()
        view, hidden, result = new_table(self.rules)
        way = self.led_by or self.rules.leads_by(not any(self.scores or ()))
        view.led_by = LEADERS.index(way)
        for side, score in enumerate(self.scores or ()):
            view.scores[side] = result.before[side] = score
        events, mover = self._read_events()
        mine = [event for event in events if event.seat == mover]
        drawn = sum(event.number for event in mine if event.kind == DREW)
        played = [event.number for event in mine if event.kind == PLAYED]
        hand = self._read_hand(events)
        must = self.rules.tiles_each + drawn - len(played)
        rows = np.array([(event.kind, event.number, event.end) for event in events], np.int64)
        fault, event, ended = replay.replay_seen(
            view, hidden, rows.reshape(-1, replay.SEEN_COLUMNS), self.leader, mover,
            np.array(hand + played, np.int64), drawn,
        )  # fmt: skip
        if len(hand) != must and fault in _FAULTS_OF_HAND:
            raise PositionError(
                f"the number of tiles in the hand is {len(hand)}; valid: {must}, since seat {mover} is to move and "
                f"had {self.rules.tiles_each} dealt, {drawn} drawn, {len(played)} played"
            )
        if fault != replay.FINE:
            where = f"event {event} ({self.events[event]}): " if event < len(events) else ""
            raise PositionError(where + _SENTENCES[fault].format(**_named(view, ended)))
        return view, hidden, result

    def _check_shapes(self) -> None:
        last = self.rules.players - 1
        if not _is_number(self.leader) or not 0 <= self.leader <= last:
            raise PositionError(f"leader is {shown(repr(self.leader))}; valid: a seat from 0 to {last}")
        if self.led_by is not None and self.led_by not in WAYS:
            raise PositionError(f"led_by is {shown(repr(self.led_by))}; valid: {', '.join(WAYS)}")
        sides = self.rules.sides
        if self.scores is not None and not (
            isinstance(self.scores, list | tuple)
            and len(self.scores) == sides
            and all(_is_number(score) and abs(score) <= 10**9 for score in self.scores)
        ):
            raise PositionError(f"scores are {shown(self.scores)}; valid: {sides} whole numbers, one a side")
        for key, such in (("hand", '["6-4", "3-3"]'), ("events", '["5-5", "2-5@0", "draw 2", "pass"]')):
            if not isinstance(getattr(self, key), list | tuple):
                raise PositionError(f"{key} cannot be {shown(repr(getattr(self, key)))}; valid: a list such as {such}")

    def _read_events(self) -> tuple[list[_Event], int]:
        """The events with their seats, and the seat to move after them: a play or a pass ends a turn."""
        events: list[_Event] = []
        seat = self.leader
        for place, text in enumerate(self.events):
            read = _WORDS.fullmatch(text) if isinstance(text, str) else None
            if read is None or read["drawn"] in ("0", "00", "000"):
                raise PositionError(
                    f"event {place} is {shown(repr(text))}; valid: 5-5 for the lead, 2-5@0 for a tile on end 0, "
                    "draw 2 for tiles drawn, pass"
                )
            if read["drawn"]:
                events.append(_Event(DREW, int(read["drawn"]), 0, seat))
                continue
            if read["passed"]:
                events.append(_Event(PASSED, 0, 0, seat))
            else:
                end = replay.LEAD if read["end"] is None else int(read["end"])
                events.append(_Event(PLAYED, self._read_tile(read["tile"], f"event {place}"), end, seat))
            seat = (seat + 1) % self.rules.players
        return events, seat

    def _read_hand(self, events: list[_Event]) -> list[int]:
        """The mover's tiles; no tile may be twice among them and those played."""
        known: dict[int, str] = {}
        tiles = [(event.number, f"event {place}") for place, event in enumerate(events) if event.kind == PLAYED]
        hand = [self._read_tile(name, "the hand") for name in self.hand]
        for tile, where in [*tiles, *((tile, "the hand") for tile in hand)]:
            if tile in known:
                places = " and in ".join(dict.fromkeys((known[tile], where)))
                raise PositionError(f"tile {tile_name(tile)} is there twice, in {places}; valid: every tile once")
            known[tile] = where
        return hand

    def _read_tile(self, name: object, where: str) -> int:
        try:
            tile = tile_from_name(name)  # type: ignore[arg-type]
        except ValueError as error:
            raise PositionError(f"{where}: {error}") from error
        if tile & 15 > self.rules.highest_pip:
            raise PositionError(f"{where}: tile {name} is not in the set; its highest pip is {self.rules.highest_pip}")
        return tile


def _read_part(key: str, words: list[str]) -> Any:
    """What a part of a text says, as TOML would have it."""
    if key == "hand":
        return words
    if key == "events":
        return re.split("(?<!draw) ", " ".join(words))
    if key == "rules":
        presets = [word for word in words if "=" not in word]
        if len(presets) > 1:
            raise PositionError(f"rules: one preset, not {shown(' '.join(presets))}; valid: {TEXT}")
        try:
            return dict(parse_switch(word) if "=" in word else ("preset", word) for word in words)
        except RulesError as error:
            raise PositionError(f"rules: {error}") from error
    numbers = [int(word) if re.fullmatch("-?[0-9]{1,10}", word) else word for word in words]
    return numbers[0] if key == "leader" and len(numbers) == 1 else numbers


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _named(view: Any, ended: int) -> dict[str, Any]:
    """What a sentence may say of a table."""
    layout, rules = view.layout, view.rules
    more = max(0, min(int(rules.draw_limit - view.drawn), int(view.boneyard - rules.reserve)))
    lacks = [str(pip) for pip in range(rules.highest_pip + 1) if view.lacks[view.seat] >> pip & 1]
    return {
        "seat": int(view.seat),
        "most": int(view.drawn) + more,
        "ends": ", ".join(f"end {end} (pip {layout.pip[end]})" for end in range(layout.ends)),
        "lacks": " or ".join(lacks),
        "ended": ENDS.get(ended, ""),
    }


# What another hand of the mover may put right: where its number of tiles is wrong, that is the sentence.
_FAULTS_OF_HAND = (replay.FINE, replay.COULD_PLAY, replay.MUST_PLAY, replay.WRONG_LEAD, replay.NOTHING_FITS)

_SENTENCES = {
    replay.TWO_DRAWS: "seat {seat} draws twice in one turn; valid: one draw in a turn, then a play or a pass",
    replay.NO_DRAW_LEFT: "seat {seat} draws more tiles than draw_limit, boneyard_reserve and the boneyard allow; "
    "valid: {most} at most",
    replay.COULD_PLAY: "seat {seat} draws but could play, and may_draw is false; valid: a play",
    replay.NOT_LEAD: "the first tile is led and stands without an end, every later one with the end that it is played "
    "on; valid: 5-5 for the lead, 2-5@0 for a tile on end 0",
    replay.NO_END: "there is no such end; valid: {ends}",
    replay.NO_MATCH: "the tile does not fit its end; valid: {ends}",
    replay.NO_PLAY_AFTER_DRAW: "seat {seat} drew in this turn and may not play, since play_drawn is false; "
    "valid: a pass",
    replay.WRONG_LEAD: "seat {seat} leads a tile that lead_tile does not allow; valid: a double of its hand, the "
    "highest where lead_tile is highest_double",
    replay.MUST_PLAY: "seat {seat} passes but could play; valid: a play",
    replay.MUST_DRAW: "seat {seat} passes but must draw before; valid: draw {most}, then pass, or a play",
    replay.SHOWN_TO_LACK: "draws and passes have shown that seat {seat} has no tile with pip {lacks}; "
    "valid: a tile without, or a draw before it",
    replay.IS_OVER: "the hand ends here ({ended}) and nobody is to move; valid: events of a hand that goes on",
    replay.NOTHING_FITS: "seat {seat} is to move, but no tile of its hand fits and there is nothing to choose; "
    "valid: a hand with a tile for {ends}",
}
