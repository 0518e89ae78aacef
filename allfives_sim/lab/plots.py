"""Plots of a comparison."""

from __future__ import annotations

import math

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from allfives_sim.lab.frames import distribution_frame, pairs_frame
from allfives_sim.lab.runner import Comparison

# Okabe and Ito's colours, which people with any colour vision tell apart; black last.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#F0E442", "#000000")
MOST_LINES = len(COLOURS)

matplotlib.rcParams.update(
    {"axes.spines.top": False, "axes.spines.right": False, "axes.titlelocation": "left", "axes.titlesize": "medium"}
)


def margins_figure(comparison: Comparison) -> Figure:
    """Each pair's margin with its 95% interval, the better agent first and the closest pair below."""
    pairs = []
    for row in pairs_frame(comparison).to_dict("records"):
        margin, low, high = row["margin"], row["margin_low"], row["margin_high"]
        if math.isnan(low):  # a single deal has no interval
            low = high = margin
        if margin >= 0:
            pairs.append((margin, low, high, f"{row['a']} over {row['b']}"))
        else:
            pairs.append((-margin, -high, -low, f"{row['b']} over {row['a']}"))
    pairs.sort()
    figure = Figure(figsize=(8, 1.5 + 0.42 * len(pairs)), layout="constrained")
    axes = figure.subplots()
    axes.axvline(0, color="black", linewidth=0.8, zorder=0)
    for place, (margin, low, high, _) in enumerate(pairs):
        colour = COLOURS[0] if low > 0 else "0.55"
        axes.errorbar(
            margin, place, xerr=[[margin - low], [high - margin]], fmt="o", markersize=5, capsize=4, color=colour
        )
        axes.annotate(
            f"{margin:.2f}", (high, place), xytext=(8, 0), textcoords="offset points", va="center", fontsize="small"
        )
    axes.set_yticks(range(len(pairs)), [label for *_, label in pairs])
    axes.set_ylim(-0.6, len(pairs) - 0.4)
    axes.margins(x=0.1)
    unsettled = "; grey: the interval includes zero" if any(low <= 0 for _, low, _, _ in pairs) else ""
    axes.set_xlabel(f"points a hand, with 95% interval{unsettled}")
    figure.suptitle(_title(comparison, "Margins"), x=0.01, ha="left", fontsize="medium")
    return figure


def distribution_figure(comparison: Comparison) -> Figure:
    """How the points of a hand are distributed for each agent, over all its opponents."""
    frame = distribution_frame(comparison)
    hands = frame.groupby(["agent", "points"], sort=False)["hands"].sum().reset_index()
    names = list(dict.fromkeys(frame["agent"]))[:MOST_LINES]
    figure = Figure(figsize=(8, 4.2), layout="constrained")
    axes = figure.subplots()
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
    axes.set_xlabel("points of a seat in a hand, settlement included")
    axes.set_ylabel("% of hands")
    axes.legend(frameon=False)
    figure.suptitle(_title(comparison, "Points of a hand, over all opponents"), x=0.01, ha="left", fontsize="medium")
    return figure


def _middle(points: NDArray[np.int64], hands: NDArray[np.int64]) -> tuple[float, float]:
    """Limits that leave out the last 0.05% of the hands at either side."""
    order = points.argsort()
    below = hands[order].cumsum() / hands.sum()
    inside = points[order][(below > 0.0005) & (below < 0.9995)]
    return float(inside.min()) - 5, float(inside.max()) + 5


def _title(comparison: Comparison, what: str) -> str:
    pair = comparison.pairs[0]
    partial = ", interrupted" if comparison.partial else ""
    kind = "games" if comparison.games else "deals"
    return (
        f"{what} ({comparison.rules.title}, {int(pair.tally.deals):,} {kind} a pair, seed {comparison.seed}{partial})"
    )
