"""How the network was trained: experiments/learn.py."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from allfives_sim import Rules
from allfives_sim.agents.features import FEATURES
from allfives_sim.agents.network import UNITS, WEIGHTS


@pytest.fixture(scope="module")
def learn() -> Any:
    file = Path(__file__).parents[2] / "experiments" / "learn.py"
    spec = importlib.util.spec_from_file_location("learn", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def made_up(count: int) -> tuple[Any, Any, Any]:
    """Positions in which the worth of a play is known: a bent function of three of its features."""
    random = np.random.default_rng(3)
    plays = random.integers(2, 6, count)
    inputs = random.normal(0, 2, (count, 6, FEATURES)).astype(np.float32)
    inputs[..., 7] = 4.0  # the same everywhere, as a house rule is
    values = inputs[..., 0] - 2 * np.abs(inputs[..., 1]) + np.maximum(inputs[..., 2], 0)
    return inputs, values.astype(np.float32), plays


def test_it_finds_what_a_play_is_worth(learn: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learn, "BATCH", 64)
    inputs, values, plays = made_up(6_000)
    weights = learn.fit(inputs[1000:], values[1000:], plays[1000:])
    assert weights.shape == (FEATURES + 2, UNITS) == WEIGHTS.shape
    explained = float(learn.judge(weights, inputs[:1000], values[:1000], plays[:1000]).split()[1])
    assert explained > 0.95


def test_its_slopes_are_those_of_the_error(learn: Any) -> None:
    inputs, values, plays = made_up(8)
    rows = np.arange(inputs.shape[1]) < plays[:, None]
    told, wanted = inputs[rows].astype(float), values[rows].astype(float)
    random = np.random.default_rng(4)
    weights = [random.normal(0, 0.3, size) for size in ((FEATURES, UNITS), UNITS, UNITS)]
    group = np.repeat(np.arange(len(plays)), plays)

    def error() -> float:
        left = np.maximum(told @ weights[0] + weights[1], 0) @ weights[2] - wanted
        means = np.bincount(group, left) / plays
        apart = ((left - means[group]) ** 2).sum() + learn.MEAN_WEIGHT * (means**2 * plays).sum()
        return float(apart / (2 * len(left)))

    for array, slope in zip(weights, learn.slopes(weights, told, wanted, plays), strict=True):
        for place in (0, array.size // 2, array.size - 1):
            before, found = array.flat[place], []
            for step in (1e-5, -1e-5):
                array.flat[place] = before + step
                found.append(error())
            array.flat[place] = before
            assert slope.flat[place] == pytest.approx((found[0] - found[1]) / 2e-5, rel=1e-3, abs=1e-7)


def test_the_network_that_is_kept_tells_plays_of_new_positions_apart(learn: Any) -> None:
    inputs, values, plays = learn.positions(Rules(), 400, seed=77)
    assert plays.min() >= 2
    assert (values[np.arange(learn.MOST) >= plays[:, None]] == 0).all()
    explained = float(learn.judge(WEIGHTS, inputs, values, plays).split()[1])
    assert explained > 0.5
