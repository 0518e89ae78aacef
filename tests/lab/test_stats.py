"""Intervals: exact small cases, and the coverage that they promise."""

from __future__ import annotations

import math

import numpy as np
import pytest

from allfives_sim.lab.stats import ratio_estimate


def estimate_of(margins: np.ndarray, hands: np.ndarray, scale: float = 1):
    y, x = margins.astype(int).tolist(), hands.astype(int).tolist()
    return ratio_estimate(
        len(y), sum(y), sum(v * v for v in y), sum(x), sum(v * v for v in x),
        sum(a * b for a, b in zip(y, x, strict=True)), scale,
    )  # fmt: skip


def test_with_equally_many_hands_a_deal_it_is_the_usual_mean_and_interval() -> None:
    margins = np.array([3, -8, 14, 0, 6, -2])
    found = estimate_of(margins, np.full(6, 2))
    mean, sd = (margins / 2).mean(), (margins / 2).std(ddof=1)
    assert found.value == pytest.approx(mean)
    assert found.sd == pytest.approx(sd)
    assert found.high - found.value == pytest.approx(2.570582 * sd / math.sqrt(6))  # Student's t with 5 degrees


def test_scale_divides_every_figure() -> None:
    margins, hands = np.array([3, -8, 14]), np.array([2, 3, 4])
    whole, half = estimate_of(margins, hands), estimate_of(margins, hands, 2)
    assert [2 * figure for figure in half] == pytest.approx(list(whole))


def test_one_deal_has_a_margin_but_no_interval_and_none_has_neither() -> None:
    one = ratio_estimate(1, 6, 36, 2, 4, 12, 1)
    assert one.value == 3
    assert math.isnan(one.low)
    assert math.isnan(ratio_estimate(0, 0, 0, 0, 0, 0, 1).value)


@pytest.mark.parametrize("whole_games", [False, True])
def test_a_95_percent_interval_covers_the_truth_in_95_percent_of_studies(whole_games: bool) -> None:
    # 4,000 simulated studies of 400 deals; 95% +- 1 is three standard errors of the share.
    rng = np.random.default_rng(5)
    covered = 0
    for _ in range(4000):
        hands = rng.integers(2, 13, 400) if whole_games else np.full(400, 2)
        luck = rng.normal(0, 20, 400)
        margins = np.round(3 * hands + luck * np.sqrt(hands))
        found = estimate_of(margins, hands)
        covered += found.low <= 3 <= found.high
    assert abs(covered / 4000 - 0.95) < 0.0104
