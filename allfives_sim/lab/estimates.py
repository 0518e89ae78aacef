"""What a cell's tally says: margins and shares, with their intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from allfives_sim.lab.stats import Estimate, ratio_estimate, share_estimate
from allfives_sim.lab.study import Cell
from allfives_sim.lab.tally import HANDS, OF_AGENTS, VALUE


def mean_of(tally: Any, figure: int) -> Estimate:
    """A figure of tally.py a hand, such as draws, with its interval over deals."""
    return ratio_estimate(*_sums(tally, figure))


def share_of(tally: Any, figure: int) -> Estimate:
    """The share of hands that a figure of tally.py counts, with its interval over deals."""
    return share_estimate(*_sums(tally, figure))


def _sums(tally: Any, figure: int) -> tuple[int, int, int, int, int, int]:
    return (
        int(tally.deals),
        int(tally.sums[figure]), int(tally.squares[figure]),
        int(tally.sums[HANDS]), int(tally.squares[HANDS]),
        int(tally.with_hands[figure]),
    )  # fmt: skip


def contrast(tally: Any, weights: Sequence[int], scale: float) -> Estimate:
    """A weighted sum of the agents' values a hand, such as the value of one less that of another.

    Parameters
    ----------
    tally : record of dtype `TALLY`
    weights : sequence of int
        One an agent.
    scale : float
        Units of the weighted sum in a point.
    """
    products = tally.products
    squares = sum(
        a * b * int(products[max(i, j), min(i, j)]) for i, a in enumerate(weights) for j, b in enumerate(weights)
    )
    own = [OF_AGENTS + 3 * agent + VALUE for agent in range(len(weights))]
    return ratio_estimate(
        int(tally.deals),
        sum(weight * int(tally.sums[figure]) for weight, figure in zip(weights, own, strict=True)),
        squares,
        int(tally.sums[HANDS]), int(tally.squares[HANDS]),
        sum(weight * int(tally.with_hands[figure]) for weight, figure in zip(weights, own, strict=True)),
        scale,
    )  # fmt: skip


def margin_of(cell: Cell, tally: Any, agent: int = 0, other: int | None = None) -> Estimate:
    """Points a hand per seat of an agent, less those of another; or of all others together, their mean."""
    count, scale = len(cell.agents), cell.seating.scale
    if other is None:
        return contrast(tally, [count - 1 if one == agent else -1 for one in range(count)], scale * (count - 1))
    return contrast(tally, [(one == agent) - (one == other) for one in range(count)], scale)


def pairing_saves(cell: Cell, tally: Any, agent: int, other: int, paired: Estimate) -> float:
    """What playing each deal with every seating saves: how many times the deals it would take without it.

    The variance of the margin of as many hands with tiles of their own, over that of a deal's; infinite for agents that
    play alike.
    """
    hands, scale = int(tally.sums[HANDS]), cell.seating.scale
    products = tally.hand_products
    squares = products[agent, agent] + products[other, other] - 2 * products[max(agent, other), min(agent, other)]
    alone = int(squares) / hands / scale**2 - paired.value**2
    return alone * int(tally.deals) / hands / paired.sd**2 if paired.sd else float("inf")


def game_share(tally: Any, figure: int) -> Estimate:
    """The share of games that a figure of tally.py counts, with its interval over deals, each of as many games."""
    return share_estimate(*_game_sums(tally, figure))


def game_mean(tally: Any, figure: int) -> Estimate:
    """A figure of tally.py a game, such as hands, with its interval over deals."""
    return ratio_estimate(*_game_sums(tally, figure))


def _game_sums(tally: Any, figure: int) -> tuple[int, int, int, int, int, int]:
    deals, games, total = int(tally.deals), int(tally.games), int(tally.sums[figure])
    each = games // deals
    return deals, total, int(tally.squares[figure]), games, games * each, total * each
