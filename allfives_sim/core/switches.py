"""The switches of the house rules: their names, their valid values, and how they are written."""

from __future__ import annotations

from typing import Any

from allfives_sim.core.errors import RulesError, shown, unknown

CHOICES: dict[str, tuple[str, ...]] = {
    "first_leader": ("random", "highest_double", "heaviest_tile"),
    "next_leader": ("out", "rotate", "random", "highest_double", "heaviest_tile"),
    "blocked_leader": ("random", "lightest", "rotate", "highest_double", "heaviest_tile"),
    "lead_tile": ("any", "double", "highest_double"),
    "spinner": ("first_double", "none", "all_doubles"),
    "cross_arms": ("after_sides", "at_once"),
    "score_as": ("count", "quotient"),
    "going_out": ("subtract_own", "collect", "none"),
    "blocked": ("subtract_own", "collect", "difference", "none"),
    "blocked_tie": ("nobody", "split"),
    "partner_tiles": ("ignored", "counted"),
    "stop": ("at_once", "hand_end"),
}
FLAGS = ("partners", "play_drawn", "may_draw", "round_each", "exact_target")
NUMBERS: dict[str, tuple[int, int]] = {
    "players": (2, 4),
    "highest_pip": (3, 9),
    "draw_limit": (0, 55),
    "boneyard_reserve": (0, 55),
    "going_out_bonus": (0, 1000),
    "round_to": (1, 1000),
    "score_floor": (-100_000, 0),
    "target": (1, 100_000),
}
OPTIONAL = ("draw_limit", "score_floor")
LISTS = ("hand_size", "spinner_count", "score_units")
SCORE_UNITS = ((5,), (3,), (5, 3), ())
MAX_MULTIPLE = 9  # of a spinner's pip, in spinner_count
SWITCHES = (
    "players", "partners", "highest_pip", "hand_size", "draw_limit", "boneyard_reserve", "play_drawn", "may_draw",
    "first_leader", "next_leader", "blocked_leader", "lead_tile", "spinner", "cross_arms", "spinner_count",
    "score_units", "score_as", "going_out", "going_out_bonus", "blocked", "blocked_tie", "round_to", "round_each",
    "partner_tiles", "score_floor", "target", "stop", "exact_target",
)  # fmt: skip


def valid_values(name: str) -> str:
    """What a switch may be set to, in words."""
    if name in CHOICES:
        return ", ".join(CHOICES[name])
    if name in FLAGS:
        return "false, true"
    if name == "hand_size":
        return "a number from 1, or three numbers for 2, 3 and 4 players"
    if name == "spinner_count":
        return f"five multiples from 0 to {MAX_MULTIPLE}, for 0 to 4 covered sides"
    if name == "score_units":
        return "5; 3; 5 3; none"
    low, high = NUMBERS[name]
    return f"{'null, or ' if name in OPTIONAL else ''}a whole number from {low} to {high}"


def list_to_tuple(value: Any) -> Any:
    """A list as the tuple that a switch holds; anything else as it is."""
    return tuple(value) if isinstance(value, list) else value


def check_value(name: str, value: object) -> None:
    """Refuse a value that is not one of a switch's, with a `RulesError`."""
    if name in CHOICES:
        good = value in CHOICES[name]
    elif name in FLAGS:
        good = isinstance(value, bool)
    elif name == "hand_size":
        good = _is_number(value, 1, 55) or (_are_numbers(value, 1, 55, 3))
    elif name == "spinner_count":
        good = _are_numbers(value, 0, MAX_MULTIPLE, 5)
    elif name == "score_units":
        good = _are_numbers(value, 3, 5) and value in SCORE_UNITS
    else:
        good = _is_number(value, *NUMBERS[name]) or (value is None and name in OPTIONAL)
    if not good:
        raise RulesError(f"{name} cannot be {shown(repr(value))}; valid: {valid_values(name)}")


def _is_number(value: object, low: int, high: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def _are_numbers(value: object, low: int, high: int, how_many: int | None = None) -> bool:
    if not isinstance(value, tuple) or len(value) != (how_many or len(value)):
        return False
    return all(_is_number(number, low, high) for number in value)


def written_value(value: Any) -> str:
    """A value as it is written on the command line; what `parse_switch` reads.

    >>> written_value((7, 5, 5)), written_value(None), written_value(False), written_value(())
    ('7 5 5', 'null', 'false', 'none')
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return " ".join(str(number) for number in value) or "none"
    return str(value)


def parse_switch(text: str) -> tuple[str, Any]:
    """A switch and its value, from ``name=value`` as it is written on the command line.

    Numbers of a list stand behind one another, with spaces or commas; ``null`` and ``none`` are the empty values.

    >>> parse_switch("spinner_count=2 2 2 1 0"), parse_switch("draw_limit=null"), parse_switch("score_units=none")
    (('spinner_count', (2, 2, 2, 1, 0)), ('draw_limit', None), ('score_units', ()))
    """
    name, equals, written = (part.strip() for part in text.partition("="))
    if not equals:
        raise RulesError(f"'{shown(text)}' sets no switch; write switch=value, such as spinner=none")
    if name not in SWITCHES:
        raise RulesError(unknown("switch", name, SWITCHES))
    value: Any = written
    if name in FLAGS:
        value = {"true": True, "false": False}.get(written.lower(), written)
    elif name in LISTS:
        words = [] if written in ("none", "[]") else written.strip("[]").replace(",", " ").split()
        if all(_is_integer(word) for word in words):
            value = tuple(int(word) for word in words)
            value = value[0] if name == "hand_size" and len(value) == 1 else value
    elif name in NUMBERS:
        value = None if written in ("null", "none") else int(written) if _is_integer(written) else written
    check_value(name, value)
    return name, value


def _is_integer(text: str) -> bool:
    return text.removeprefix("-").isascii() and text.removeprefix("-").isdigit() and len(text) < 16
