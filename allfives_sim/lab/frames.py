"""Results as tidy pandas frames; docs/results.md tells every column."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from allfives_sim.core.tiles import tile_name
from allfives_sim.lab.estimates import margin_of
from allfives_sim.lab.ratings import bradley_terry
from allfives_sim.lab.stats import Z95, jackknife
from allfives_sim.lab.store import Store
from allfives_sim.lab.tally import (
    MAX_AGENTS,
    NUMBERED_TILES,
    SEAT_BLOCKED,
    SEAT_DRAWS,
    SEAT_HANDS,
    SEAT_LEFT,
    SEAT_MOST,
    SEAT_OUT,
    SEAT_PASSES,
    SEAT_PLAYS,
    SEAT_SCORED,
    SEAT_SETTLED,
    SEAT_SQUARES,
    SEAT_TARGET,
    ZERO_BIN,
    merge,
    new_tally,
    unpack,
)

if TYPE_CHECKING:
    from allfives_sim.lab.results import CellResult, Results

ROLES = ("leader", "other")
TILES = [tile_name(tile) for tile in NUMBERED_TILES]
SEAT_MEANS = {
    "scored": SEAT_SCORED,
    "settled": SEAT_SETTLED,
    "out": SEAT_OUT,
    "blocked": SEAT_BLOCKED,
    "target": SEAT_TARGET,
    "plays": SEAT_PLAYS,
    "draws": SEAT_DRAWS,
    "passes": SEAT_PASSES,
    "tiles_left": SEAT_LEFT,
    "most_points": SEAT_MOST,
}


def _title(one: CellResult) -> str:
    return one.cell.house


def pairs_frame(results: Results) -> pd.DataFrame:
    """One row a pair of agents that met."""
    frame = pd.DataFrame(results.figures)
    partial = [bool(figures.get("partial")) for figures in results.figures]
    return frame.assign(partial=partial)


def games_frame(results: Results) -> pd.DataFrame:
    """One row a pair of agents, of whole games."""
    names = ["a_games", "b_games", "hands_per_game"]
    columns = ["rules", "a", "b", "games", "unfinished_games"]
    columns += [f"{name}{end}" for name in names for end in ("", "_low", "_high")]
    return pd.DataFrame(results.figures if results.study.games else [], columns=columns)


def histogram_frame(results: Results, name: str) -> pd.DataFrame:
    """Hands by the points, or by the margins, of each agent of each cell."""
    column = "points" if name == "points" else "margin"
    parts = []
    for one in results.cells:
        units = 1 if name == "points" else one.cell.seating.scale * (len(one.cell.agents) - 1)
        counts = getattr(one.tally, name)
        for number, agent in enumerate(one.cell.agents):
            (places,) = counts[number].nonzero()
            values = (places - ZERO_BIN) / units if units > 1 else places - ZERO_BIN
            hands = counts[number][places]
            part = {"rules": _title(one), "cell": one.cell.name, "agent": agent, column: values}
            parts.append(pd.DataFrame(part | {"hands": hands, "share": hands / hands.sum()}))
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()


def _roles(one: CellResult, name: str) -> Iterator[tuple[dict[str, Any], Any]]:
    """What a cell's detail holds, for each agent as leader and not."""
    detail = getattr(one.tally, name)
    for number, agent in enumerate(one.cell.agents):
        for role, label in enumerate(ROLES):
            yield (
                {"rules": _title(one), "cell": one.cell.name, "agent": agent, "role": label},
                detail[2 * number + role],
            )


def _means(count: Any, total: Any, squares: Any, name: str) -> dict[str, Any]:
    """A mean with its 95% interval, what is counted being taken as independent."""
    mean = total / count
    spread = np.sqrt(np.maximum(squares / count - mean * mean, 0) / np.maximum(count - 1, 1))
    half = np.where(count > 1, Z95 * spread, np.nan)
    return {name: mean, f"{name}_low": mean - half, f"{name}_high": mean + half}


def lead_frame(results: Results, *, whole: bool) -> pd.DataFrame:
    """Seats' hands by agent and role; and by the tile that was led, unless they are wanted whole."""
    parts = []
    for one in results.cells:
        for keys, figures in _roles(one, "by_lead"):
            counted = figures.sum(axis=0, keepdims=True) if whole else figures
            (places,) = counted[:, SEAT_HANDS].nonzero()
            counted = counted[places]
            hands = counted[:, SEAT_HANDS]
            columns: dict[str, Any] = keys | ({} if whole else {"lead": [TILES[place] for place in places]})
            total = counted[:, SEAT_SCORED] + counted[:, SEAT_SETTLED]
            columns |= {"hands": hands} | _means(hands, total, counted[:, SEAT_SQUARES], "points")
            columns |= {name: counted[:, figure] / hands for name, figure in SEAT_MEANS.items()}
            parts.append(pd.DataFrame(columns))
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()


def play_frame(results: Results, name: str) -> pd.DataFrame:
    """Points of plays by agent and role, and by the play's number in its hand or by its tile."""
    parts = []
    for one in results.cells:
        for keys, figures in _roles(one, name):
            (places,) = figures[:, 0].nonzero()
            counted = figures[places]
            place = {"tile": [TILES[n] for n in places]} if name == "by_tile" else {"play": places + 1}
            columns: dict[str, Any] = keys | place | {"plays": counted[:, 0]}
            parts.append(pd.DataFrame(columns | _means(counted[:, 0], counted[:, 1], counted[:, 2], "points")))
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()


def lengths_frame(results: Results) -> pd.DataFrame:
    """Hands of each cell by their number of plays."""
    parts = []
    for one in results.cells:
        (plays,) = one.tally.lengths.nonzero()
        hands = one.tally.lengths[plays]
        keys = {"rules": _title(one), "cell": one.cell.name}
        parts.append(pd.DataFrame(keys | {"plays": plays, "hands": hands, "share": hands / hands.sum()}))
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()


def settling_frame(results: Results) -> pd.DataFrame:
    """Margins of each cell's first agent over the first so many deals, from its finished blocks."""
    rows: list[dict[str, Any]] = []
    if results.folder is not None:
        with Store.of_folder(results.folder) as store:
            for one in results.cells:
                tally, last = new_tally(), int(one.tally.deals)
                for block in store.blocks(one.cell.number):
                    if block.first != tally.deals or tally.deals == last:
                        break
                    merge(tally, unpack(block.tally))
                    margin = margin_of(one.cell, tally)
                    keys = {"rules": _title(one), "cell": one.cell.name, "deals": int(tally.deals)}
                    rows.append(keys | {"margin": margin.value, "margin_low": margin.low, "margin_high": margin.high})
    return pd.DataFrame(rows, columns=["rules", "cell", "deals", "margin", "margin_low", "margin_high"])


def agents_frame(results: Results) -> pd.DataFrame:
    """One row an agent and set of rules, over all that it met: margins, hands won, and ratings of pairs."""
    rows: list[dict[str, Any]] = []
    houses: dict[str, list[CellResult]] = {}
    for one in results.cells:
        houses.setdefault(_title(one), []).append(one)
    for rules, cells in houses.items():
        names = list(dict.fromkeys(agent for one in cells for agent in one.cell.agents))
        groups = np.stack([one.tally.groups for one in cells], axis=1).astype(float)
        figures = _Standing(cells, names)
        value, low, high = jackknife(groups, figures)
        for number, name in enumerate(names):
            row: dict[str, Any] = {"rules": rules, "agent": name}
            row |= {"met": figures.met(name), "hands": figures.hands(name, groups)}
            for figure, label in enumerate(("margin", "wins", "rating")):
                row |= {
                    f"{label}{end}": part[figure, number] for end, part in (("", value), ("_low", low), ("_high", high))
                }
            rows.append(row)
    return pd.DataFrame(rows)


class _Standing:
    """How the agents of some cells stand, by sums over any of their deals: arrays (margin, hands won, rating)."""

    def __init__(self, cells: list[CellResult], names: list[str]) -> None:
        self.cells, self.names = cells, names

    def met(self, name: str) -> int:
        """How many agents it met."""
        return sum(len(one.cell.agents) - 1 for one in self.cells if name in one.cell.agents)

    def hands(self, name: str, groups: Any) -> int:
        """How many hands it played."""
        return int(sum(groups[:, n, 0].sum() for n, one in enumerate(self.cells) if name in one.cell.agents))

    def __call__(self, sums: Any) -> Any:
        margins: dict[str, list[float]] = {name: [] for name in self.names}
        shares: dict[str, list[float]] = {name: [] for name in self.names}
        wins = np.zeros((len(self.names), len(self.names)))
        for one, row in zip(self.cells, sums, strict=True):
            agents, hands = one.cell.agents, row[0]
            if len(set(agents)) < len(agents) or hands == 0:  # an agent against itself
                continue
            values = row[1 : 1 + len(agents)] / hands / one.cell.seating.scale
            won = row[1 + MAX_AGENTS : 1 + MAX_AGENTS + len(agents)]
            for agent, value, count in zip(agents, values, won, strict=True):
                margins[agent].append((len(agents) * value - values.sum()) / (len(agents) - 1))
                shares[agent].append(count / hands)
            if len(agents) == 2:
                a, b = (self.names.index(agent) for agent in agents)
                ties = hands - won.sum()
                wins[a, b] += won[0] + ties / 2
                wins[b, a] += won[1] + ties / 2
        nan = float("nan")
        return np.array(
            [
                [np.mean(margins[name]) if margins[name] else nan for name in self.names],
                [np.mean(shares[name]) if shares[name] else nan for name in self.names],
                bradley_terry(wins),
            ]
        )
