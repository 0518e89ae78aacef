"""Plots of the frames of results: each takes a frame and, if you like, axes to draw on, and gives back the axes.

Agents have the same colour in every plot of a study, where the same `palette` is given; intervals are always drawn.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from matplotlib import colormaps
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator
from numpy.typing import NDArray

from allfives_sim.lab.stats import Z95

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

# Okabe and Ito's colours, which people with any colour vision tell apart, without black, which dark pages hide.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#B8A800")
STYLES = ("-", "--", ":", "-.")  # where there are more agents than colours
MARKERS = dict(zip(STYLES, ("o", "s", "^", "D"), strict=True))
MOST_PAIRS = 25

Palette = dict[str, tuple[str, str]]


def palette_of(agents: Iterable[str]) -> Palette:
    """A colour and a line style for each agent, in their order."""
    names = dict.fromkeys(agents)
    return {name: (COLOURS[n % len(COLOURS)], STYLES[n // len(COLOURS) % 4]) for n, name in enumerate(names)}


def plot_margins(pairs: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Each pair's margin with its 95% interval, the better agent first and the closest pair below."""
    several = pairs["rules"].nunique() > 1
    repeated = pairs.duplicated(["rules", "a", "b"], keep=False)  # at several tables
    rows = []
    for row, at_table in zip(pairs.to_dict("records"), repeated, strict=True):
        margin, low, high = row["margin"], row["margin_low"], row["margin_high"]
        if math.isnan(low):  # a single deal has no interval
            low = high = margin
        places = [row["rules"]] * several + [row["cell"]] * at_table
        where = f" ({'; '.join(places)})" if places else ""
        if margin >= 0:
            rows.append((margin, low, high, f"{row['a']} over {row['b']}{where}"))
        else:
            rows.append((-margin, -high, -low, f"{row['b']} over {row['a']}{where}"))
    rows.sort()
    shown = rows[-MOST_PAIRS:]
    ax = ax or new_axes(8, 1.5 + 0.42 * len(shown))
    ax.axvline(0, color="0.5", linewidth=0.8, zorder=0)
    for place, (margin, low, high, _) in enumerate(shown):
        colour = COLOURS[0] if low > 0 else "0.55"
        ax.errorbar(
            margin, place, xerr=[[margin - low], [high - margin]], fmt="o", markersize=5, capsize=4, color=colour
        )
        ax.annotate(
            f"{margin:.2f}", (high, place), xytext=(8, 0), textcoords="offset points", va="center", fontsize="small"
        )
    ax.set_yticks(range(len(shown)), [label for *_, label in shown])
    ax.set_ylim(-0.6, len(shown) - 0.4)
    ax.margins(x=0.1)
    unsettled = "; grey: the interval includes zero" if any(low <= 0 for _, low, _, _ in shown) else ""
    cut = f"; the {MOST_PAIRS} largest of {len(rows):,}" if len(shown) < len(rows) else ""
    ax.set_xlabel(f"points a hand, with 95% interval{unsettled}{cut}")
    return ax


def plot_cross_table(pairs: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Every agent's margin over every other one, of one set of rules; faded where the interval includes zero."""
    names = list(dict.fromkeys([*pairs["a"], *pairs["b"]]))
    margins, faded = np.full((len(names), len(names)), np.nan), np.zeros((len(names), len(names)), dtype=bool)
    for row in pairs.to_dict("records"):
        a, b = names.index(row["a"]), names.index(row["b"])
        margins[a, b], margins[b, a] = row["margin"], -row["margin"]
        faded[a, b] = faded[b, a] = not (row["margin_low"] > 0 or row["margin_high"] < 0)
    order = np.argsort(-np.nan_to_num(np.nanmean(np.where(np.isnan(margins), 0, margins), axis=1)), kind="stable")
    margins, faded, names = margins[order][:, order], faded[order][:, order], [names[place] for place in order]
    ax = ax or new_axes(2.2 + 0.75 * len(names), 1.4 + 0.5 * len(names))
    most = np.nanmax(np.abs(margins)) or 1.0
    cells = colormaps["RdBu"](np.nan_to_num(margins) / (2.8 * most) + 0.5)
    cells[faded] = 0.3 * cells[faded] + 0.7  # opaque, so that dark pages do not darken what stands in them
    cells[np.isnan(margins), 3] = 0
    ax.imshow(cells, aspect="auto")
    for (row, column), margin in np.ndenumerate(margins):
        if not np.isnan(margin):
            dark = abs(margin) > 0.8 * most and not faded[row, column]
            ax.annotate(
                f"{margin:+.1f}", (column, row), ha="center", va="center", fontsize="small",
                color="white" if dark else "#777777" if faded[row, column] else "#222222",
            )  # fmt: skip
    ax.set_xticks(range(len(names)), names, rotation=30, ha="left")
    ax.xaxis.tick_top()
    ax.set_yticks(range(len(names)), names)
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    return ax


def plot_ratings(agents: pd.DataFrame, ax: Axes | None = None, palette: Palette | None = None) -> Axes:
    """Each agent's rating with its 95% interval, the best at the top; of one set of rules."""
    rows = agents.sort_values("rating")
    ax = ax or new_axes(8, 1.2 + 0.35 * len(rows))
    palette = palette or palette_of(agents["agent"])
    for place, row in enumerate(rows.to_dict("records")):
        reach = [[row["rating"] - row["rating_low"]], [row["rating_high"] - row["rating"]]]
        ax.errorbar(row["rating"], place, xerr=reach, fmt="o", capsize=4, color=palette[row["agent"]][0])
    ax.set_yticks(range(len(rows)), rows["agent"])
    ax.set_ylim(-0.6, len(rows) - 0.4)
    ax.set_xlabel("rating, with 95% interval; 400 points: ten to one")
    return ax


def plot_distribution(
    distribution: pd.DataFrame, ax: Axes | None = None, palette: Palette | None = None, column: str = "points"
) -> Axes:
    """How the points of a hand, or with ``column="margin"`` its margins, are distributed for each agent."""
    hands = distribution.groupby(["agent", column], sort=False)["hands"].sum().reset_index()
    names = list(dict.fromkeys(distribution["agent"]))
    palette, ax = palette or palette_of(names), ax or new_axes(8, 4.2)
    step = 5.0 if column == "margin" or (hands[column] % 5 == 0).all() else 1.0
    for name in names:
        mine = hands[hands["agent"] == name]
        values, counts = mine[column].to_numpy(dtype=float), mine["hands"].to_numpy()
        first, last = np.floor(values.min() / step + 1e-9), np.floor(values.max() / step + 1e-9)
        shares = np.zeros(int(last - first) + 1)
        np.add.at(shares, (np.floor(values / step + 1e-9) - first).astype(int), 100 * counts / counts.sum())
        mean = float((values * counts).sum() / counts.sum())
        colour, style = palette[name]
        ax.step(
            step * (first + np.arange(len(shares))), shares, where="mid", color=colour, linestyle=style,
            label=f"{name} (mean {mean:.1f})",
        )  # fmt: skip
        ax.axvline(mean, color=colour, linewidth=1, linestyle=":")
    ax.set_xlim(*_middle(hands[column].to_numpy(dtype=float), hands["hands"].to_numpy()))
    ax.set_ylim(bottom=0)
    what = "points of a seat in a hand, settlement included" if column == "points" else "margin of a hand"
    ax.set_xlabel(what)
    ax.set_ylabel("% of hands")
    _put_legend(ax)
    return ax


def plot_by_play(by_play: pd.DataFrame, ax: Axes | None = None, palette: Palette | None = None) -> Axes:
    """Mean points by the number of a play in its hand, with 95% intervals, over all cells and roles."""
    return _plot_means(by_play, "play", "the play's number in its hand", ax, palette)


def plot_by_tile(by_tile: pd.DataFrame, ax: Axes | None = None, palette: Palette | None = None) -> Axes:
    """Mean points by the tile played, with 95% intervals."""
    return _plot_means(by_tile, "tile", "tile", ax, palette)


def plot_by_lead(by_lead: pd.DataFrame, ax: Axes | None = None, palette: Palette | None = None) -> Axes:
    """Mean points of the leader's hand by the tile that was led, with 95% intervals."""
    columns = ["agent", "lead", "hands", "points", "points_low", "points_high"]
    led = by_lead.loc[by_lead["role"] == "leader", columns].rename(columns={"hands": "plays"})
    return _plot_means(led, "lead", "tile led", ax, palette)


def _plot_means(frame: pd.DataFrame, column: str, label: str, ax: Axes | None, palette: Palette | None) -> Axes:
    pooled = pool_means(frame, ["agent", column])
    named = column != "play"
    order = sorted(pooled[column].unique(), key=lambda place: (_pips(place), place) if named else place)
    ax, palette = ax or new_axes(8, 4.2), palette or palette_of(frame["agent"])
    names = list(dict.fromkeys(pooled["agent"]))
    for number, name in enumerate(names):
        mine = pooled[(pooled["agent"] == name) & (pooled["plays"] >= 30)].sort_values(column)
        places = np.array([order.index(place) for place in mine[column]], dtype=float)
        shift = 0.5 * (number - (len(names) - 1) / 2) / len(names) if named else 0.0
        colour, style = palette[name]
        ax.errorbar(
            places + shift + (0 if named else 1), mine["points"], yerr=mine["half"], color=colour, label=name,
            linestyle="none" if named else style, marker=MARKERS[style], markersize=3.5, linewidth=1.2, capsize=2,
        )  # fmt: skip
    if named:
        ax.set_xticks(range(len(order)), order, rotation=90, fontsize="small")
    ax.set_xlabel(label)
    ax.set_ylabel("points, with 95% interval")
    _put_legend(ax)
    return ax


def _pips(tile: str) -> int:
    return sum(map(int, tile.split("-")))


def pool_means(frame: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Means over several rows of a frame with plays, points, points_low and points_high, weighted by the plays.

    Columns: the keys, plays, points, half (half the width of the 95% interval).
    """
    half = ((frame["points_high"] - frame["points_low"]) / 2).fillna(0.0)
    sums = frame[keys].assign(
        plays=frame["plays"], total=frame["plays"] * frame["points"], variance=(frame["plays"] * half / Z95) ** 2
    )
    pooled = sums.groupby(keys, sort=False).sum().reset_index()
    spread = Z95 * np.sqrt(pooled["variance"]) / pooled["plays"]
    return pooled[[*keys, "plays"]].assign(points=pooled["total"] / pooled["plays"], half=spread)


def plot_sources(by_role: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Where the points of a hand come from: by plays and by settlement, for each agent as leader and not."""
    grouped = by_role.assign(**{name: by_role[name] * by_role["hands"] for name in ("points", "scored", "settled")})
    half = (by_role["points_high"] - by_role["points_low"]) / 2
    grouped["variance"] = (by_role["hands"] * half.fillna(0.0)) ** 2
    columns = ["hands", "points", "scored", "settled", "variance"]
    sums = grouped.groupby(["agent", "role"], sort=False)[columns].sum().reset_index()
    roles = {"leader": "leader", "other": "not leading"}
    labels = [f"{row['agent']}, {roles[row['role']]}" for row in sums.to_dict("records")]
    ax = ax or new_axes(8, 1.2 + 0.4 * len(labels))
    places = np.arange(len(labels))[::-1]
    ax.barh(places, sums["scored"] / sums["hands"], color=COLOURS[2], label="by plays", height=0.6)
    ax.barh(places, sums["settled"] / sums["hands"], color=COLOURS[4], label="by settlement", height=0.6)
    ax.errorbar(
        sums["points"] / sums["hands"], places, xerr=np.sqrt(sums["variance"]) / sums["hands"], fmt="D", color="0.3",
        markersize=4, capsize=3, label="together, with 95% interval",
    )  # fmt: skip
    ax.axvline(0, color="0.5", linewidth=0.8)
    ax.set_yticks(places, labels)
    ax.set_xlabel("points a hand")
    _put_legend(ax)
    return ax


def plot_lengths(lengths: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """How many plays hands have, over all cells."""
    hands = lengths.groupby("plays")["hands"].sum().sort_index()
    ax = ax or new_axes(8, 3.2)
    ax.bar(hands.index, 100 * hands / hands.sum(), color=COLOURS[0], width=0.85)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_xlabel("plays of a hand, all players together")
    ax.set_ylabel("% of hands")
    return ax


def plot_settling(settling: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """How a margin settled as deals came in, with its 95% interval: a frame of one cell from `Results.settling`."""
    ax = ax or new_axes(8, 3.4)
    low, high = settling["margin_low"], settling["margin_high"]
    ax.fill_between(settling["deals"], low, high, color=COLOURS[0], alpha=0.25, linewidth=0)
    ax.plot(settling["deals"], settling["margin"], color=COLOURS[0])
    ax.axhline(settling["margin"].iloc[-1], color="0.5", linewidth=0.8, linestyle=":")
    ax.set_xscale("log")
    ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))  # some ticks even where all is within a power of ten
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(lambda deals, _: f"{deals:,.0f}")
    ax.set_xlabel("deals")
    ax.set_ylabel("margin, with 95% interval")
    return ax


def _put_legend(ax: Axes) -> None:
    """Above the axes, where it hides nothing, in as many columns as there is room for."""
    longest = max((len(label) for label in ax.get_legend_handles_labels()[1]), default=0)
    columns = max(1, 88 // (longest + 8))
    ax.legend(
        frameon=False, fontsize="small", loc="lower left", bbox_to_anchor=(0, 1), ncols=columns, borderaxespad=0.2
    )


def _middle(points: NDArray[np.float64], hands: NDArray[np.int64]) -> tuple[float, float]:
    """Limits that leave out the last 0.05% of the hands at either side."""
    order = points.argsort()
    below = hands[order].cumsum() / hands.sum()
    inside = points[order][(below > 0.0005) & (below < 0.9995)]
    return (float(inside.min()) - 5, float(inside.max()) + 5) if len(inside) else (points.min() - 5, points.max() + 5)


def figure_of(ax: Axes) -> Figure:
    """The figure on which axes are drawn."""
    figure = ax.get_figure(root=True)
    if figure is None:
        raise ValueError("the axes have been taken off their figure")
    return figure


def new_axes(width: float, height: float) -> Axes:
    """Axes of a figure of their own, in inches."""
    ax = Figure(figsize=(width, height), layout="constrained").subplots()
    ax.spines[["top", "right"]].set_visible(False)
    return ax
