"""Plots of results."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from allfives_sim.lab.results import Results

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

# Okabe and Ito's colours, which people with any colour vision tell apart; black last.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#F0E442", "#000000")
MOST_LINES = len(COLOURS)
MOST_PAIRS, MOST_PANELS = 40, 6

matplotlib.rcParams.update(
    {"axes.spines.top": False, "axes.spines.right": False, "axes.titlelocation": "left", "axes.titlesize": "medium"}
)


def margins_figure(results: Results) -> Figure:
    """Each pair's margin with its 95% interval, the better agent first and the closest pair below."""
    several = results.pairs["rules"].nunique() > 1
    pairs = []
    for row in results.figures:
        margin, low, high = row["margin"], row["margin_low"], row["margin_high"]
        if math.isnan(low):  # a single deal has no interval
            low = high = margin
        where = f" ({row['rules']})" if several else ""
        if margin >= 0:
            pairs.append((margin, low, high, f"{row['a']} over {row['b']}{where}"))
        else:
            pairs.append((-margin, -high, -low, f"{row['b']} over {row['a']}{where}"))
    pairs.sort()
    shown = pairs[-MOST_PAIRS:]
    figure = Figure(figsize=(8, 1.5 + 0.42 * len(shown)), layout="constrained")
    axes = figure.subplots()
    axes.axvline(0, color="black", linewidth=0.8, zorder=0)
    for place, (margin, low, high, _) in enumerate(shown):
        colour = COLOURS[0] if low > 0 else "0.55"
        axes.errorbar(
            margin, place, xerr=[[margin - low], [high - margin]], fmt="o", markersize=5, capsize=4, color=colour
        )
        axes.annotate(
            f"{margin:.2f}", (high, place), xytext=(8, 0), textcoords="offset points", va="center", fontsize="small"
        )
    axes.set_yticks(range(len(shown)), [label for *_, label in shown])
    axes.set_ylim(-0.6, len(shown) - 0.4)
    axes.margins(x=0.1)
    unsettled = "; grey: the interval includes zero" if any(low <= 0 for _, low, _, _ in shown) else ""
    cut = f"; the {MOST_PAIRS} largest of {len(pairs):,}" if len(shown) < len(pairs) else ""
    axes.set_xlabel(f"points a hand, with 95% interval{unsettled}{cut}")
    figure.suptitle(_title(results, "Margins"), x=0.01, ha="left", fontsize="medium")
    return figure


def distribution_figure(results: Results) -> Figure:
    """How the points of a hand are distributed for each agent over all its opponents; a panel for each set of rules."""
    frame = results.distribution
    houses = list(dict.fromkeys(frame["rules"]))[:MOST_PANELS]
    figure = Figure(figsize=(8, 1.0 + 3.2 * len(houses)), layout="constrained")
    for house, axes in zip(houses, figure.subplots(len(houses), squeeze=False)[:, 0], strict=True):
        _draw_distribution(axes, frame[frame["rules"] == house])
        if len(houses) > 1:
            axes.set_title(house)
    axes.set_xlabel("points of a seat in a hand, settlement included")
    figure.suptitle(_title(results, "Points of a hand, over all opponents"), x=0.01, ha="left", fontsize="medium")
    return figure


def _draw_distribution(axes: Axes, frame: pd.DataFrame) -> None:
    hands = frame.groupby(["agent", "points"], sort=False)["hands"].sum().reset_index()
    names = list(dict.fromkeys(frame["agent"]))[:MOST_LINES]
    step = 5 if (hands["points"] % 5 == 0).all() else 1
    for name, colour in zip(names, COLOURS, strict=False):
        mine = hands[hands["agent"] == name].set_index("points")["hands"].sort_index()
        mine = mine.reindex(range(int(mine.index.min()), int(mine.index.max()) + 1, step), fill_value=0)
        mean = float((mine.index * mine).sum() / mine.sum())
        axes.step(mine.index, 100 * mine / mine.sum(), where="mid", color=colour, label=f"{name} (mean {mean:.1f})")
        axes.axvline(mean, color=colour, linewidth=1, linestyle=":")
    low, high = _middle(hands["points"].to_numpy(), hands["hands"].to_numpy())
    axes.set_xlim(low, high)
    axes.set_ylim(bottom=0)
    axes.set_ylabel("% of hands")
    axes.legend(frameon=False)


def _middle(points: NDArray[np.int64], hands: NDArray[np.int64]) -> tuple[float, float]:
    """Limits that leave out the last 0.05% of the hands at either side."""
    order = points.argsort()
    below = hands[order].cumsum() / hands.sum()
    inside = points[order][(below > 0.0005) & (below < 0.9995)]
    return float(inside.min()) - 5, float(inside.max()) + 5


def _title(results: Results, what: str) -> str:
    study = results.study
    rules = study.rules[0].title if len(study.rules) == 1 else f"{len(study.rules)} sets of rules"
    deals = sorted({int(deals) for deals in results.pairs["deals"]})
    many = f"{deals[0]:,}" if len(deals) == 1 else f"{deals[0]:,} to {deals[-1]:,}"
    partial = ", interrupted" if results.partial else ""
    return f"{what} ({rules}, {many} {'games' if study.games else 'deals'} a pair, seed {study.seed}{partial})"
