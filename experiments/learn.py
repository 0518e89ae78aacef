"""Train the network that `learned` and `expert` use: plays hands, tries every play out, and fits the weights.

``python experiments/learn.py`` writes allfives_sim/agents/network.npy anew, in about seven minutes on two cores.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

import allfives_sim.agents
from allfives_sim import Rules, find_agent
from allfives_sim.agents.features import FEATURES, describe_play
from allfives_sim.agents.playout import find_choices, play_out, seat_base
from allfives_sim.agents.policy import parameter_rows
from allfives_sim.agents.reply import find_next_hand
from allfives_sim.agents.sampling import list_choices
from allfives_sim.belief.slots import SLOTS
from allfives_sim.belief.table import draw_deal, tabulate
from allfives_sim.core.calls import address_of
from allfives_sim.core.compiled import new_record
from allfives_sim.core.hand import (
    HIDDEN,
    ask,
    deal_hands,
    play_tile,
    score_play,
    shuffle,
)
from allfives_sim.core.streams import DEALER, STEP, below, mix, stream
from allfives_sim.core.tables import tables
from allfives_sim.core.view import VIEW, choices, first_move

TARGET = Path(allfives_sim.agents.__file__).with_name("network.npy")
PLAYER = "montecarlo:samples=8,base=peek"  # whose positions are looked at
BASES = ("risk", "peek")  # by which plays are tried out: the mean of both is learned
SAMPLES = 80  # deals in which each play is tried out, with each base
CHANCE = 300  # in a thousand, that a position is taken
POSITIONS = 25_000  # under each set of rules, and of the first one
MAIN_POSITIONS = 140_000
MOST = 24  # plays of a position that are looked at
UNITS = 64  # hidden ones, a power of two: see network.py
ROUNDS, BATCH, RATE = 25, 1024, 0.005  # how often all positions are gone through, how many at once, and Adam's step
MEAN_WEIGHT = 0.15  # what an error that all plays of a position share costs, where one that sets them apart costs 1
PRESETS = ("miami", "pagat", "muggins", "sniff", "five-up", "fives-and-threes", "all-threes", "draw", "block")
STUDIED = {
    "article": Rules(),
    "article, 7 tiles": Rules(hand_size=7),
    "article, double-nine": Rules(highest_pip=9),
    "article, no drawing": Rules(draw_limit=0),
    "article, 3 players": Rules(players=3),
    "article, 4 players": Rules(players=4),
    "article, partners": Rules(players=4, partners=True),
    **{name: Rules.preset(name) for name in PRESETS},
}


@numba.njit(nogil=True, error_model="numpy")
def collect(
    view: Any, hidden: Any, table: Any, sampled: Any, world: Any, slots: Any, player: int, bases: Any, parameters: Any,
    seed: int, deal: int, inputs: Any, values: Any, plays: Any,
) -> int:  # fmt: skip
    """Play hands until all room is filled: of each play of a position its features and its mean margin."""
    agents, numbers, found = np.zeros(4, np.int64), np.zeros((2, 4), np.int64), 0
    while True:
        deal += 1
        shuffle(hidden, view.rules, seed, deal, 0)
        deal_hands(view, hidden)
        view.seat = view.leader = below(hidden.luck, view.rules.players)
        view.scores[:] = 0
        word = stream(seed, deal, 1, DEALER)
        while True:
            if not find_choices(view, hidden):
                break
            word += STEP
            move = first_move(view)
            if choices(view) > 1:
                move = ask(view, hidden, player, agents)
                if below(mix(word), 1000) < CHANCE and (view.boneyard > 1 or view.rules.draw_limit == 0):
                    moves = list_choices(view)[:MOST]
                    margins = values[found]
                    try_plays(
                        view, table, sampled, world, slots, moves, bases, parameters, word, agents, numbers, margins
                    )
                    unseen, held = find_next_hand(view)
                    for number in range(len(moves)):
                        describe_play(view, moves[number], unseen, held, inputs[found, number])
                    plays[found] = len(moves)
                    found += 1
                    if found == len(plays):
                        return found
            if score_play(view, play_tile(view, hidden, move)):
                break


@numba.njit(nogil=True, error_model="numpy")
def try_plays(
    view: Any, table: Any, sampled: Any, world: Any, slots: Any, moves: Any, bases: Any, parameters: Any, word: Any,
    agents: Any, numbers: Any, values: Any,
) -> None:  # fmt: skip
    """Find the mean margin of each play, in steps of the score: all are played out in the same deals, base by base."""
    deals, word = tabulate(view, slots, True, 0.0), mix(word + STEP)
    for base in range(len(bases)):
        seat_base(sampled, parameters[base], 0)
        for _ in range(SAMPLES):
            word += STEP
            draw_deal(view, slots, deals, world, mix(word))
            for number in range(len(moves)):
                margin = play_out(view, world, table, sampled, moves[number], bases[base], agents, numbers)
                values[number] += margin / (SAMPLES * len(bases) * view.rules.worth)


def positions(rules: Rules, count: int, seed: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Features (positions, plays, features), values (positions, plays) and number of plays of some positions."""
    player, bases = find_agent(PLAYER), [find_agent(base) for base in BASES]
    addresses = np.array([address_of(base.policy.dispatcher) for base in bases])
    inputs, values = np.zeros((count, MOST, FEATURES), np.float32), np.zeros((count, MOST), np.float32)
    plays = np.zeros(count, np.int64)

    def part(number: int) -> None:
        view, table = new_record(VIEW), new_record(VIEW)
        hidden, sampled, world = new_record(HIDDEN), new_record(HIDDEN), new_record(HIDDEN)
        view.rules = table.rules = tables(rules)
        hidden.parameters[0] = parameter_rows([player])[0]
        rows = slice(number * count // 2, (number + 1) * count // 2)
        collect(
            view, hidden, table, sampled, world, new_record(SLOTS), address_of(player.policy.dispatcher), addresses,
            parameter_rows(bases), seed, number * 10**7, inputs[rows], values[rows], plays[rows],
        )  # fmt: skip

    with ThreadPoolExecutor(2) as threads:
        list(threads.map(part, range(2)))
    return inputs, values, plays


def fit(inputs: NDArray[Any], values: NDArray[Any], plays: NDArray[Any]) -> NDArray[np.float32]:
    """Fit the weights by Adam (Kingma and Ba, ICLR 2015): mostly the differences between the plays of a position."""
    there = np.arange(inputs.shape[1]) < plays[:, None]
    mean, spread = inputs[there].mean(axis=0), inputs[there].std(axis=0)
    spread[spread < 1e-5] = 1.0
    random = np.random.default_rng(1)
    weights = [
        random.normal(0, FEATURES**-0.5, (FEATURES, UNITS)), np.zeros(UNITS), random.normal(0, UNITS**-0.5, UNITS)
    ]  # fmt: skip
    weights = [array.astype(np.float32) for array in weights]
    first, second = [np.zeros_like(a) for a in weights], [np.zeros_like(a) for a in weights]
    steps = ROUNDS * (len(plays) // BATCH)
    for step in range(steps):
        if step % (len(plays) // BATCH) == 0:
            order = random.permutation(len(plays))
        chosen = order[step % (len(plays) // BATCH) * BATCH :][:BATCH]
        rows = there[chosen]
        told = (inputs[chosen][rows] - mean) / spread
        gradients = slopes(weights, told, values[chosen][rows], plays[chosen])
        rate = RATE * 0.5 * (1 + np.cos(np.pi * step / steps))
        for array, one, two, slope in zip(weights, first, second, gradients, strict=True):
            one += 0.1 * (slope - one)
            two += 0.001 * (slope**2 - two)
            array -= rate * (one / (1 - 0.9 ** (step + 1))) / (np.sqrt(two / (1 - 0.999 ** (step + 1))) + 1e-8)
    plain = weights[0] / spread[:, None]
    return np.vstack([plain, weights[1] - mean @ plain, weights[2]]).astype(np.float32)


def slopes(weights: list[Any], told: NDArray[Any], wanted: NDArray[Any], plays: NDArray[Any]) -> list[NDArray[Any]]:
    """How the mean squared error of a batch grows with each weight."""
    active = np.maximum(told @ weights[0] + weights[1], 0)
    error = active @ weights[2] - wanted
    starts = np.concatenate([[0], np.cumsum(plays)[:-1]])
    means = np.repeat(np.add.reduceat(error, starts) / plays, plays)
    error = (error - means + MEAN_WEIGHT * means) / len(error)
    back = np.outer(error, weights[2]) * (active > 0)
    return [told.T @ back, back.sum(axis=0), active.T @ error]


def judge(weights: NDArray[np.float32], inputs: NDArray[Any], values: NDArray[Any], plays: NDArray[Any]) -> str:
    """How well the network tells plays apart, in words."""
    there = np.arange(inputs.shape[1]) < plays[:, None]
    answers = np.maximum(inputs @ weights[:-2] + weights[-2], 0) @ weights[-1]
    chosen = np.where(there, answers, -np.inf).argmax(axis=1)
    best = np.where(there, values, -np.inf).max(axis=1)
    lost = (best - values[np.arange(len(plays)), chosen]).mean()
    apart, wanted = (
        np.where(there, v - (v * there).sum(axis=1, keepdims=True) / plays[:, None], 0) for v in (answers, values)
    )
    explained = 1 - ((apart - wanted) ** 2).sum() / (wanted**2).sum()
    return f"explains {explained:.3f} of what plays differ by, loses {lost:.3f} steps a play"


def main() -> None:
    """Collect, fit, and tell how well it does on positions that were not fitted."""
    known, kept = [], []
    for number, (name, rules) in enumerate(STUDIED.items()):
        data = positions(rules, POSITIONS if number else MAIN_POSITIONS, 2026 + number)
        held_out = len(data[2]) // 20
        known.append([array[held_out:] for array in data])
        kept.append([array[:held_out] for array in data])
        print(f"{len(data[2]):,} positions: {name}", flush=True)
    weights = fit(*(np.concatenate(arrays) for arrays in zip(*known, strict=True)))
    np.save(TARGET, weights)
    for name, data in zip(STUDIED, kept, strict=True):
        print(f"{judge(weights, *data)}: {name}")


if __name__ == "__main__":
    main()
