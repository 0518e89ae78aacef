"""House rules: every switch, its valid values, and which combinations can be played."""

from __future__ import annotations

import math
import tomllib
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import tomli_w

from allfives_sim.core.errors import RulesError, unknown
from allfives_sim.core.switches import LISTS, OPTIONAL, SWITCHES, check_value, list_to_tuple, written_value


@dataclass(frozen=True, repr=False)
class Rules:
    """The house rules of a table: one value for every switch of the rules page, article rules by default.

    The parameters are the switches, by their public names.  `hand_size` is one number, or three for 2, 3 and 4
    players; `target`, where it is not given, is 250 with two players and else 200.

    Raises
    ------
    RulesError
        Where a value is not one of a switch's, or the combination cannot be played.

    Examples
    --------
    >>> Rules.preset("miami", players=4, partners=True)
    Rules.preset('miami', players=4, partners=True)
    >>> Rules().replace(highest_pip=9).tiles
    55
    """

    players: int = 2
    partners: bool = False
    highest_pip: int = 6
    hand_size: int | tuple[int, int, int] = (9, 7, 5)
    draw_limit: int | None = None
    boneyard_reserve: int = 0
    play_drawn: bool = True
    may_draw: bool = False
    first_leader: str = "random"
    next_leader: str = "out"
    blocked_leader: str = "random"
    lead_tile: str = "any"
    spinner: str = "first_double"
    cross_arms: str = "after_sides"
    spinner_count: tuple[int, int, int, int, int] = (2, 2, 0, 0, 0)
    score_units: tuple[int, ...] = (5,)
    score_as: str = "count"
    going_out: str = "subtract_own"
    going_out_bonus: int = 0
    blocked: str = "subtract_own"
    blocked_tie: str = "nobody"
    round_to: int = 5
    round_each: bool = False
    partner_tiles: str = "ignored"
    score_floor: int | None = None
    target: int = 0  # 0, the default, becomes the article's target for the number of players
    stop: str = "at_once"
    exact_target: bool = False

    PRESETS: ClassVar[dict[str, dict[str, Any]]] = {
        "article": {},
        "miami": {"hand_size": (7, 5, 5), "going_out": "collect", "blocked": "difference", "target": 150},
        "pagat": {"going_out": "collect", "blocked": "collect"},
        "muggins": {
            "hand_size": (7, 5, 5),
            "spinner": "none",
            "going_out": "collect",
            "blocked": "collect",
            "target": 200,
        },
        "sniff": {
            "hand_size": (7, 6, 5),
            "spinner_count": (2, 2, 2, 1, 0),
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
            "hand_size": (7, 5, 5),
            "spinner": "none",
            "draw_limit": 0,
            "next_leader": "rotate",
            "blocked_leader": "rotate",
            "score_units": (5, 3),
            "score_as": "quotient",
            "going_out": "none",
            "going_out_bonus": 1,
            "blocked": "none",
            "target": 61,
            "exact_target": True,
        },
        "all-threes": {
            "hand_size": (7, 5, 5),
            "score_units": (3,),
            "round_to": 3,
            "going_out": "collect",
            "blocked": "collect",
            "target": 200,
        },
        "draw": {
            "hand_size": (7, 5, 5),
            "spinner": "none",
            "score_units": (),
            "round_to": 1,
            "going_out": "collect",
            "blocked": "difference",
            "target": 100,
        },
    }
    PRESETS["block"] = PRESETS["draw"] | {"draw_limit": 0}

    def __post_init__(self) -> None:
        for name in LISTS:
            object.__setattr__(self, name, list_to_tuple(getattr(self, name)))
        if self.target == 0 and self.target is not False:
            object.__setattr__(self, "target", _usual_target(self.players))
        for name in SWITCHES:
            check_value(name, getattr(self, name))
        self._check_combination()

    def _check_combination(self) -> None:
        dealt = self.tiles_each * self.players
        if dealt > self.tiles:
            raise RulesError(
                f"hand_size {self.tiles_each} for players {self.players} deals {dealt} tiles, but highest_pip "
                f"{self.highest_pip} gives a set of {self.tiles}; valid: hand_size up to {self.tiles // self.players}"
            )
        if self.partners and self.players != 4:
            raise RulesError(f"partners true needs players 4, not {self.players}")
        if self.may_draw and not self.play_drawn:
            raise RulesError(
                "may_draw true with play_drawn false contradict each other: who may draw must still play in that "
                "turn; valid: may_draw false, or play_drawn true"
            )
        if self.score_as == "quotient":
            if not self.score_units:
                raise RulesError("score_as quotient needs score_units to divide by; valid: 5, 3, or 5 3")
            if self.round_to % self.score_units[0]:
                raise RulesError(
                    f"score_as quotient divides the rounded pips by the first of score_units, "
                    f"{self.score_units[0]}, which does not divide round_to {self.round_to}; "
                    f"valid: round_to a multiple of {self.score_units[0]}"
                )

    def check_game(self) -> None:
        """Refuse a game that can never reach its target; single hands of it can still be played.

        Raises
        ------
        RulesError
            Where no play and no settlement ever adds points, or none adds up to an exact target.
        """
        gains = [unit if self.score_as == "count" else 1 for unit in self.score_units]
        pips = self.round_to // (self.score_units[0] if self.score_as == "quotient" else 1)
        if self.going_out == "collect":
            gains.append(pips)
        if self.blocked in ("collect", "difference"):
            gains.append(1 if self.blocked_tie == "split" and self.sides > 2 else pips)
        if self.going_out_bonus:
            gains.append(self.going_out_bonus)
        if not gains:
            raise RulesError(
                "no game would ever end: with score_units none, going_out "
                f"{self.going_out}, going_out_bonus 0 and blocked {self.blocked} nobody gains a point; "
                "valid: score_units 5, going_out collect, a going_out_bonus, or blocked collect"
            )
        if self.exact_target and self.stop == "hand_end" and "subtract_own" not in (self.going_out, self.blocked):
            raise RulesError(
                "a game could stand still: with exact_target true and stop hand_end two sides can reach the target in "
                "one hand, and then neither can score again; valid: stop at_once, or going_out subtract_own"
            )
        if self.exact_target:
            losses = [pips] if "subtract_own" in (self.going_out, self.blocked) else []
            losses += [-self.score_floor] if losses and self.score_floor else []
            step = math.gcd(*gains, *losses)
            if self.target % step:
                raise RulesError(
                    f"no game would ever end: with exact_target true points come in steps of {step}, which never "
                    f"make target {self.target}; valid: a target that is a multiple of {step}"
                )

    @property
    def tiles(self) -> int:
        """Number of tiles in the set."""
        return (self.highest_pip + 1) * (self.highest_pip + 2) // 2

    @property
    def tiles_each(self) -> int:
        """Number of tiles that each player is dealt."""
        return self.hand_size if isinstance(self.hand_size, int) else self.hand_size[self.players - 2]

    @property
    def sides(self) -> int:
        """Number of sides that have a score of their own."""
        return 2 if self.partners else self.players

    def side(self, seat: int) -> int:
        """The side that a seat plays for."""
        return seat % self.sides

    def leads_by(self, first: bool) -> str:
        """How a hand's leader is found, as far as it is known from the hand alone.

        Parameters
        ----------
        first : bool
            Whether it is the first of its game, or of none.

        Returns
        -------
        str
            A value of a switch; ``"random"`` where it depends on how the hand before ended.
        """
        if first:
            return self.first_leader
        return self.next_leader if self.next_leader == self.blocked_leader else "random"

    @classmethod
    def preset(cls, name: str, **changes: Any) -> Self:
        """Rules of a preset, with changes.

        Parameters
        ----------
        name : str
            A key of `Rules.PRESETS`.
        **changes
            Switches that differ from it, by name.

        Raises
        ------
        RulesError
            An unknown preset or switch, a value or combination that cannot be played.
        """
        if not isinstance(name, str) or name not in cls.PRESETS:
            raise RulesError(unknown("preset", name, cls.PRESETS))
        _check_changes(changes)
        return cls(**(cls.PRESETS[name] | changes))

    def replace(self, **changes: Any) -> Self:
        """The same rules with other values; the article's target follows the number of players."""
        _check_changes(changes)
        if "players" in changes and "target" not in changes and self.target == _usual_target(self.players):
            changes["target"] = 0
        return replace(self, **changes)

    def differences(self) -> tuple[str, dict[str, Any]]:
        """The nearest preset, and the switches that differ from it."""
        candidates = []
        for name in self.PRESETS:
            usual = _preset_values(name, self.players)
            candidates.append((name, {k: v for k, v in self.values().items() if v != usual[k]}))
        return min(candidates, key=lambda candidate: len(candidate[1]))

    @property
    def title(self) -> str:
        """The rules in a few words: the nearest preset, and what differs from it.

        >>> Rules.preset("miami", players=4, partners=True).title
        'rules: miami, players 4, partners true'
        """
        name, changes = self.differences()
        return ", ".join([f"rules: {name}", *(f"{switch} {written_value(v)}" for switch, v in changes.items())])

    def values(self) -> dict[str, Any]:
        """Every switch with its value."""
        return {name: getattr(self, name) for name in SWITCHES}

    @classmethod
    def from_dict(cls, switches: dict[str, Any]) -> Self:
        """Rules of ``{"preset": NAME, SWITCH: VALUE, …}``, as they stand in records and TOML files.

        The preset is the article where none is named; the string ``"null"`` stands for null, which TOML lacks.

        Raises
        ------
        RulesError
            An unknown preset or switch, a value or combination that cannot be played.
        """
        if not isinstance(switches, dict):
            raise RulesError(f"rules are a preset and switches by name, not {switches!r}")
        changes = {
            name: None if name in OPTIONAL and value == "null" else value
            for name, value in switches.items()
            if name != "preset"
        }
        return cls.preset(switches.get("preset", "article"), **changes)

    def to_dict(self) -> dict[str, Any]:
        """The nearest preset and the switches that differ from it: what `from_dict` reads."""
        name, changes = self.differences()
        return {"preset": name} | {k: list(v) if isinstance(v, tuple) else v for k, v in changes.items()}

    @classmethod
    def from_toml(cls, text: str) -> Self:
        """Rules of a TOML text: a preset and switches, as for `from_dict`.

        Raises
        ------
        RulesError
            It is not TOML, or `from_dict` refuses it.
        """
        try:
            return cls.from_dict(tomllib.loads(text))
        except RulesError:
            raise
        except (ValueError, RecursionError) as error:
            raise RulesError(f"not TOML: {error}") from error

    def to_toml(self) -> str:
        """The rules as a TOML text that `from_toml` reads."""
        return tomli_w.dumps({name: "null" if value is None else value for name, value in self.to_dict().items()})

    @classmethod
    def read(cls, name: str) -> Self:
        """Rules of a preset's name, or of a TOML file where the name ends in ``.toml``.

        Raises
        ------
        RulesError
            There is no such preset or file, or the file holds no rules that can be played.
        """
        if not name.endswith(".toml"):
            if name not in cls.PRESETS and Path(name).exists():
                raise RulesError(f"'{name}' is no preset; a file of rules has a name that ends in .toml")
            return cls.preset(name)
        try:
            text = Path(name).read_text(encoding="utf-8")
        except OSError as error:
            raise RulesError(f"cannot read rules from {name}: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise RulesError(f"cannot read rules from {name}: it is not a text file") from error
        try:
            return cls.from_toml(text)
        except RulesError as error:
            raise RulesError(f"{name}: {error}") from error

    def __repr__(self) -> str:
        name, changes = self.differences()
        return f"Rules.preset({', '.join([repr(name), *(f'{k}={v!r}' for k, v in changes.items())])})"


def _preset_values(preset: str, players: int) -> dict[str, Any]:
    defaults = {field.name: field.default for field in fields(Rules)}
    return defaults | {"target": _usual_target(players)} | Rules.PRESETS[preset]


def _usual_target(players: int) -> int:
    return 250 if players == 2 else 200


def _check_changes(changes: dict[str, Any]) -> None:
    for name, value in changes.items():
        if name not in SWITCHES:
            raise RulesError(unknown("switch", name, SWITCHES))
        check_value(name, list_to_tuple(value))
