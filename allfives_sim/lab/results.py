"""What a run found: frames, notes, files."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from allfives_sim.lab.estimates import game_mean, game_share, margin_of, mean_of, pairing_saves, share_of
from allfives_sim.lab.ratings import find_cycles
from allfives_sim.lab.stats import Estimate
from allfives_sim.lab.study import Cell, Study
from allfives_sim.lab.tally import (
    BLOCKED_HANDS,
    DRAWS,
    GAME_WINS,
    HANDS,
    LEADER_MARGIN,
    OF_AGENTS,
    OUT_HANDS,
    PASSES,
    PLAYS,
    TIES,
    UNFINISHED,
    WINS,
    unpack,
)

if TYPE_CHECKING:
    import pandas as pd

Figures = dict[str, Any]


@dataclass(frozen=True)
class CellResult:
    """What was counted of a cell.

    Attributes
    ----------
    cell : Cell
    packed : bytes
        Its tally: see `tally`.
    seconds : float
        How long its blocks took, one after another.
    outcome : str
        What its stopping rule found: ``"known"``, ``"better"``, ``"not better"``, or nothing.
    partial : bool
        Whether it was interrupted.
    """

    cell: Cell
    packed: bytes
    seconds: float
    outcome: str
    partial: bool

    @property
    def tally(self) -> Any:
        """All that was counted: a record of dtype `TALLY`."""
        return unpack(self.packed)


@dataclass(frozen=True)
class Results:
    """What a study found.

    Attributes
    ----------
    study : Study
    cells : list of CellResult
        Those of which something was played.
    partial : bool
        Whether it was interrupted before everything asked for was played.
    folder : Path or None
        Where the run is kept.
    """

    study: Study
    cells: list[CellResult]
    partial: bool
    folder: Path | None = None

    @cached_property
    def figures(self) -> list[Figures]:
        """Every figure of every pair of agents that met, by the names of docs/results.md; NaN where there is none."""
        comparisons = sum(len(one.cell.agents) * (len(one.cell.agents) - 1) // 2 for one in self.cells)
        return [
            pair_figures(one, one.tally, a, b, comparisons, games=self.study.games)
            for one in self.cells
            for a, b in combinations(range(len(one.cell.agents)), 2)
        ]

    @cached_property
    def pairs(self) -> pd.DataFrame:
        """A row a pair of agents that met: its margin, shares and other figures, with their intervals."""
        from allfives_sim.lab.frames import pairs_frame

        return pairs_frame(self)

    @cached_property
    def agents(self) -> pd.DataFrame:
        """A row an agent and set of rules: its margin over all that it met, its rating, and how its points came."""
        from allfives_sim.lab.frames import agents_frame

        return agents_frame(self)

    @cached_property
    def distribution(self) -> pd.DataFrame:
        """How the points of a hand are distributed: a row for each number of points that occurred."""
        from allfives_sim.lab.frames import histogram_frame

        return histogram_frame(self, "points")

    @cached_property
    def margins(self) -> pd.DataFrame:
        """How the margins of a hand are distributed: a row for each margin that occurred."""
        from allfives_sim.lab.frames import histogram_frame

        return histogram_frame(self, "margins")

    @cached_property
    def by_lead(self) -> pd.DataFrame:
        """A row for each agent, as leader and not, and each tile that was led."""
        from allfives_sim.lab.frames import lead_frame

        return lead_frame(self, whole=False)

    @cached_property
    def by_role(self) -> pd.DataFrame:
        """A row for each agent, as leader and not."""
        from allfives_sim.lab.frames import lead_frame

        return lead_frame(self, whole=True)

    @cached_property
    def by_play(self) -> pd.DataFrame:
        """Points by the number of the play in its hand."""
        from allfives_sim.lab.frames import play_frame

        return play_frame(self, "by_play")

    @cached_property
    def by_tile(self) -> pd.DataFrame:
        """Points by the tile that was played."""
        from allfives_sim.lab.frames import play_frame

        return play_frame(self, "by_tile")

    @cached_property
    def lengths(self) -> pd.DataFrame:
        """How many plays hands have."""
        from allfives_sim.lab.frames import lengths_frame

        return lengths_frame(self)

    @cached_property
    def settling(self) -> pd.DataFrame:
        """How each cell's margin settled as its deals came in; of runs that are kept in a folder."""
        from allfives_sim.lab.frames import settling_frame

        return settling_frame(self)

    @cached_property
    def games(self) -> pd.DataFrame:
        """A row a pair of agents: the whole games that they won; empty where only hands were played."""
        from allfives_sim.lab.frames import games_frame

        return games_frame(self)

    @property
    def several_agents(self) -> bool:
        """Whether there are more than two, so that they can be ranked."""
        return len({agent for one in self.cells for agent in one.cell.agents}) > 2

    @property
    def frames(self) -> dict[str, pd.DataFrame]:
        """All frames, by their names; those in detail where the study collects it."""
        names = ["pairs", "agents", "distribution", "margins"]
        if self.study.collect.detail:
            names += ["by_role", "by_lead", "by_play", "by_tile", "lengths"]
        return {name: getattr(self, name) for name in [*names, *(["games"] if self.study.games else [])]}

    @property
    def notes(self) -> list[str]:
        """What a reader of the figures should know, in sentences."""
        houses: dict[str, list[Figures]] = {}
        for one in self.figures:
            houses.setdefault(one["rules"], []).append(one)
        return [
            f"Not transitive under {rules}: {' beats '.join((*cycle, cycle[0]))}."
            for rules, pairs in houses.items()
            for cycle in find_cycles(pairs)
        ]


def pair_figures(one: CellResult, tally: Any, a: int, b: int, comparisons: int, *, games: bool) -> Figures:
    """The figures of two of a cell's agents."""
    margin = margin_of(one.cell, tally, a, b)
    adjusted = margin.widened(int(tally.deals), comparisons)
    hands, edge = int(tally.sums[HANDS]), mean_of(tally, LEADER_MARGIN)
    figures: Figures = {
        "rules": one.cell.house,
        "cell": one.cell.name,
        "a": one.cell.agents[a],
        "b": one.cell.agents[b],
        "deals": int(tally.deals),
        "hands": hands,
        **_interval("margin", margin),
        "margin_low_all": adjusted.low,
        "margin_high_all": adjusted.high,
        "sd": margin.sd,
        "pairing_saves": pairing_saves(one.cell, tally, a, b, margin),
        **_interval("a_wins", share_of(tally, OF_AGENTS + 3 * a + WINS)),
        **_interval("b_wins", share_of(tally, OF_AGENTS + 3 * b + WINS)),
        **_interval("ties", share_of(tally, TIES)),
        **_interval("out", share_of(tally, OUT_HANDS)),
        **_interval("blocked", share_of(tally, BLOCKED_HANDS)),
        **_interval("plays_per_hand", mean_of(tally, PLAYS)),
        **_interval("draws_per_hand", mean_of(tally, DRAWS)),
        **_interval("leader_margin", edge),
        "leader_margin_sd": (int(tally.leader_margin_sq) / hands - edge.value**2) ** 0.5,
        "seconds": one.seconds,
        "hands_per_second": hands / one.seconds if one.seconds else float("nan"),
    }
    if tally.by_lead.any():
        figures |= _interval("passes_per_hand", mean_of(tally, PASSES))
    if games:
        figures |= {
            "games": int(tally.games),
            **_interval("a_games", game_share(tally, OF_AGENTS + 3 * a + GAME_WINS)),
            **_interval("b_games", game_share(tally, OF_AGENTS + 3 * b + GAME_WINS)),
            "unfinished_games": int(tally.sums[UNFINISHED]) / int(tally.games),
            **_interval("hands_per_game", game_mean(tally, HANDS)),
        }
    if one.outcome:
        figures["outcome"] = one.outcome
    return figures | ({"partial": True} if one.partial else {})


def _interval(name: str, estimate: Estimate) -> Figures:
    return {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}
