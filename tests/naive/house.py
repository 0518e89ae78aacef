"""The house switches of rules.md ("The switches", "Presets"): reading them, refusing them, random ones."""

from __future__ import annotations

import random
from typing import Any

# The column "article". Three numbers of hand_size are those for 2, 3 and 4 players.
# The target is not here: "250 with two players, else 200" (see settings).
ARTICLE: dict[str, Any] = {
    "players": 2,
    "partners": False,
    "highest_pip": 6,
    "hand_size": [9, 7, 5],
    "draw_limit": None,
    "boneyard_reserve": 0,
    "play_drawn": True,
    "may_draw": False,
    "first_leader": "random",
    "next_leader": "out",
    "blocked_leader": "random",
    "lead_tile": "any",
    "spinner": "first_double",
    "cross_arms": "after_sides",
    "spinner_count": [2, 2, 0, 0, 0],
    "score_units": [5],
    "score_as": "count",
    "going_out": "subtract_own",
    "going_out_bonus": 0,
    "blocked": "subtract_own",
    "blocked_tie": "nobody",
    "round_to": 5,
    "round_each": False,
    "partner_tiles": "ignored",
    "score_floor": None,
    "stop": "at_once",
    "exact_target": False,
}

# "Each is the article's rules with these changes."
DRAW_CHANGES: dict[str, Any] = {
    "hand_size": [7, 5, 5],
    "spinner": "none",
    "score_units": [],
    "round_to": 1,
    "going_out": "collect",
    "blocked": "difference",
    "target": 100,
}
PRESETS: dict[str, dict[str, Any]] = {
    "article": {},
    "miami": {"hand_size": [7, 5, 5], "going_out": "collect", "blocked": "difference", "target": 150},
    "pagat": {"going_out": "collect", "blocked": "collect"},
    "muggins": {
        "hand_size": [7, 5, 5],
        "spinner": "none",
        "going_out": "collect",
        "blocked": "collect",
        "target": 200,
    },
    "sniff": {
        "hand_size": [7, 6, 5],
        "spinner_count": [2, 2, 2, 1, 0],
        "going_out": "collect",
        "blocked": "collect",
        "target": 200,
    },
    "five-up": {
        "hand_size": 5,
        "spinner": "all_doubles",
        "score_as": "quotient",
        "going_out": "collect",
        "blocked": "collect",
        "target": 61,
    },
    "fives-and-threes": {
        "hand_size": [7, 5, 5],
        "spinner": "none",
        "draw_limit": 0,
        "next_leader": "rotate",
        "blocked_leader": "rotate",
        "score_units": [5, 3],
        "score_as": "quotient",
        "going_out": "none",
        "going_out_bonus": 1,
        "blocked": "none",
        "target": 61,
        "exact_target": True,
    },
    "all-threes": {
        "hand_size": [7, 5, 5],
        "score_units": [3],
        "round_to": 3,
        "going_out": "collect",
        "blocked": "collect",
        "target": 200,
    },
    "draw": DRAW_CHANGES,
    "block": {**DRAW_CHANGES, "draw_limit": 0},
}

# Switches whose every value the table lists.
LISTED: dict[str, list[Any]] = {
    "players": [2, 3, 4],
    "partners": [False, True],
    "highest_pip": [3, 4, 5, 6, 7, 8, 9],
    "play_drawn": [True, False],
    "may_draw": [False, True],
    "first_leader": ["random", "highest_double", "heaviest_tile"],
    "next_leader": ["out", "rotate", "random", "highest_double", "heaviest_tile"],
    "blocked_leader": ["random", "lightest", "rotate", "highest_double", "heaviest_tile"],
    "lead_tile": ["any", "double", "highest_double"],
    "spinner": ["first_double", "none", "all_doubles"],
    "cross_arms": ["after_sides", "at_once"],
    "score_units": [[5], [3], [5, 3], []],
    "score_as": ["count", "quotient"],
    "going_out": ["subtract_own", "collect", "none"],
    "blocked": ["subtract_own", "collect", "difference", "none"],
    "blocked_tie": ["nobody", "split"],
    "round_each": [False, True],
    "partner_tiles": ["ignored", "counted"],
    "stop": ["at_once", "hand_end"],
    "exact_target": [False, True],
}

# Switches that take numbers, and the values that random_rules tries.
NUMBERS: dict[str, list[Any]] = {
    "hand_size": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, [9, 7, 5], [7, 5, 5], [7, 6, 5], [3, 2, 1]],
    "draw_limit": [None, 0, 1, 2, 3],
    "boneyard_reserve": [0, 1, 2, 3],
    "going_out_bonus": [0, 1, 5, 10],
    "round_to": [1, 2, 3, 5, 10],
    "score_floor": [None, 0, -20],
    "target": [1, 5, 10, 15, 25, 40, 61, 100, 150, 200, 250, 500],
}


def is_number(value: Any, least: int | None = None) -> bool:
    """A whole number (true and false are none), not below `least`."""
    return type(value) is int and (least is None or value >= least)


def valid_value(switch: str, value: Any) -> bool:
    """Is this one of the values that the table gives for the switch?"""
    if switch in LISTED:
        return any(type(value) is type(listed) and value == listed for listed in LISTED[switch])
    if switch == "hand_size":
        sizes = value if isinstance(value, list) and len(value) == 3 else [value]
        return all(is_number(size, 1) for size in sizes)
    if switch == "draw_limit":
        return value is None or is_number(value, 0)
    if switch == "score_floor":
        return value is None or is_number(value)
    if switch == "spinner_count":
        return isinstance(value, list) and len(value) == 5 and all(is_number(times, 0) for times in value)
    least = {"boneyard_reserve": 0, "going_out_bonus": 0, "round_to": 1, "target": 1}
    return is_number(value, least[switch])


def settings(rules: dict[str, Any]) -> dict[str, Any]:
    """Every switch with its value, from a record's rules: "a preset and the switches that differ from it"."""
    preset = rules.get("preset", "article")
    if preset not in list(PRESETS):
        raise ValueError(f"unknown preset {preset!r}")
    switches = {**ARTICLE, "target": None, **PRESETS[preset]}
    for name, value in rules.items():
        if name == "preset":
            continue
        if name not in switches:
            raise ValueError(f"unknown switch {name!r}")
        value = list(value) if isinstance(value, tuple) else value
        if not valid_value(name, value):
            raise ValueError(f"{name} cannot be {value!r}")
        switches[name] = value
    if isinstance(switches["hand_size"], list):
        switches["hand_size"] = switches["hand_size"][switches["players"] - 2]
    if switches["target"] is None:
        switches["target"] = 250 if switches["players"] == 2 else 200
    return switches


def tiles_in_set(highest_pip: int) -> int:
    """28 tiles in a double-six set."""
    return (highest_pip + 1) * (highest_pip + 2) // 2


def unplayable(s: dict[str, Any]) -> str | None:
    """Why these expanded settings are "a combination that cannot be played"; None: they can be."""
    if s["hand_size"] * s["players"] > tiles_in_set(s["highest_pip"]):
        return "hand_size, players, highest_pip: more tiles dealt than the set holds"
    if s["partners"] and s["players"] != 4:
        return "partners, players: partners need four players"
    if s["score_as"] == "quotient" and not s["score_units"]:
        return "score_as, score_units: quotient needs a unit"
    if s["score_as"] == "quotient" and s["round_to"] % s["score_units"][0] != 0:
        return "score_as, score_units, round_to: the first unit must divide round_to"
    if s["may_draw"] and not s["play_drawn"]:
        return "may_draw, play_drawn: who may draw must be able to play what was drawn"
    if s["score_floor"] is not None and s["score_floor"] > 0:
        return "score_floor: scores start from 0"
    return None


def random_value(switch: str, rng: random.Random) -> Any:
    """A random value of one switch, as JSON has it."""
    if switch == "spinner_count":
        return [rng.randint(0, 4) for _ in range(5)]
    value = rng.choice(LISTED[switch] if switch in LISTED else NUMBERS[switch])
    return list(value) if isinstance(value, list) else value


def random_rules(rng: random.Random) -> dict[str, Any]:
    """A random preset and a random handful of switches; only what can be played."""
    names = [*LISTED, *NUMBERS, "spinner_count"]
    while True:
        rules: dict[str, Any] = {"preset": rng.choice(list(PRESETS))}
        if rng.random() < 0.1:
            del rules["preset"]  # absent: the article
        for name in rng.sample(names, rng.randint(0, 9)):
            rules[name] = random_value(name, rng)
        if rules.get("partners"):
            rules["players"] = 4
        s = settings(rules)
        most = tiles_in_set(s["highest_pip"]) // s["players"]
        if s["hand_size"] > most:
            rules["hand_size"] = rng.randint(1, most)
        if unplayable(settings(rules)) is None:
            return rules
