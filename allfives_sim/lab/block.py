"""The kernel of an experiment: a block of deals, each played with every seating of its agents."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import from_dtype, types

from allfives_sim.core.compiled import Kernel, compiled, compiled_apart, kernel, record_type
from allfives_sim.core.game import MAX_HANDS, NOBODY, RESULT, end_hand, play_next_hand, start_game
from allfives_sim.core.hand import BAD_MOVE, BLOCKED, HIDDEN, OUT, TARGET, shuffle
from allfives_sim.core.tiles import MAX_PLAYERS
from allfives_sim.core.view import PASSED, PLAYED, POLICY_SIGNATURE, VIEW
from allfives_sim.lab.tally import (
    BINS,
    BLOCKED_HANDS,
    DRAWS,
    FIGURES,
    GAME_WINS,
    GROUPS,
    HANDS,
    LEADER_MARGIN,
    MAX_AGENTS,
    OF_AGENTS,
    OUT_HANDS,
    PASSES,
    PLAYS,
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
    TALLY,
    TIES,
    UNFINISHED,
    VALUE,
    WINS,
    ZERO_BIN,
)

DONE, FULL = 0, -1  # what `play_block` answers, or BAD_MOVE

# fmt: off
COUNTS = record_type([
    ("deal", np.int64, (FIGURES,)),         # of the deal under way, see tally.py
    ("values", np.int64, (MAX_AGENTS,)),    # of the hand, each agent's
    ("scored", np.int64, (MAX_PLAYERS,)),   # points by play, by side
    ("plays", np.int64, (MAX_PLAYERS,)), ("draws", np.int64, (MAX_PLAYERS,)), ("passes", np.int64, (MAX_PLAYERS,)),
    ("rows", np.int64, (MAX_PLAYERS,)),     # of the tally's arrays in detail
    ("number", np.int64),                   # of plays in the hand
    ("lead", np.int64),                     # number of the tile that was led
])

# A hand as it is written down: see `hands` in docs/results.md.
HAND = record_type([
    ("deal", np.int64), ("rotation", np.int16), ("hand", np.int16), ("leader", np.int8), ("lead", np.int8),
    ("ended", np.int8), ("plays", np.int8), ("draws", np.int8), ("passes", np.int16),
    ("points", np.int32, (MAX_PLAYERS,)), ("scored", np.int32, (MAX_PLAYERS,)), ("left", np.int8, (MAX_PLAYERS,)),
])
# fmt: on

_POLICY = types.FunctionType(POLICY_SIGNATURE)


def _signature(policies: int) -> Any:
    return types.int64(
        *(from_dtype(kind) for kind in (VIEW, HIDDEN, RESULT, COUNTS, TALLY)),
        types.Array(from_dtype(HAND), 1, "C"),
        types.UniTuple(_POLICY, policies),
        types.Array(types.int64, 2, "C"),
        types.Array(types.int64, 2, "C"),
        types.int64,
        types.int64,
        types.int64,
        types.int64,
        types.boolean,
        types.boolean,
    )


@kernel(_signature(2))
def play_block(
    view: Any,
    hidden: Any,
    result: Any,
    counts: Any,
    tally: Any,
    rows: Any,
    policies: Any,
    seatings: Any,
    weights: Any,
    count: int,
    seed: int,
    first: int,
    deals: int,
    games: bool,
    detail: bool,
) -> int:
    """Play deals `first` to ``first + deals - 1`` and add them up.

    Parameters
    ----------
    view, hidden, result, counts : records of dtype `VIEW`, `HIDDEN`, `RESULT`, `COUNTS`
        Work space; `view.rules` holds the rules, `hidden.parameters` those of the agents.  After an answer of
        `BAD_MOVE`, `hidden.asked` tells whose.
    tally : record of dtype `TALLY`
        Added to.
    rows : array of dtype `HAND`
        Filled with a row a hand; of length 0 where none are wanted.
    policies : tuple of functions
    seatings, weights : int64 arrays (rotations, seats)
        See `Seating`.
    count : int
        How many agents there are.
    seed : int
    first, deals : int
    games : bool
        Whole games instead of single hands.
    detail : bool
        Whether to count by play, tile and lead too.

    Returns
    -------
    int
        `DONE`, `BAD_MOVE`, or `FULL` where `rows` has no room for all hands.
    """
    written = 0
    for deal in range(first, first + deals):
        for figure in range(OF_AGENTS + 3 * count):
            counts.deal[figure] = 0
        for rotation in range(seatings.shape[0]):
            agents = seatings[rotation]
            start_game(view, result)
            hand, won = 0, NOBODY
            while won == NOBODY and hand < MAX_HANDS:
                if games or rotation == 0:
                    shuffle(hidden, view.rules, seed, deal, hand)
                if play_next_hand(view, hidden, result, policies, agents) == BAD_MOVE:
                    return BAD_MOVE
                count_hand(view, hidden, result, counts, tally, agents, weights[rotation], count)
                if detail:
                    count_detail(view, result, counts, tally, agents)
                    if written < rows.size:
                        write_row(view, hidden, result, counts, rows, written, deal, rotation, hand)
                    written += 1
                hand += 1
                if not games:
                    break
                end_hand(view, result)
                won = result.won
            if games:
                tally.games += 1
                if won == NOBODY:
                    counts.deal[UNFINISHED] += 1
                else:
                    credit_game(counts, agents, won, view.rules)
        count_deal(counts, tally, deal & (GROUPS - 1), count)
    return FULL if 0 < rows.size < written else DONE


play_table = Kernel(play_block.function, _signature(MAX_AGENTS))  # for up to four agents


@compiled
def count_hand(
    view: Any, hidden: Any, result: Any, counts: Any, tally: Any, agents: Any, weights: Any, count: int
) -> None:
    """Add a finished hand to its deal, and to the histograms of points and margins."""
    rules, deal, values = view.rules, counts.deal, counts.values
    for agent in range(count):
        values[agent] = 0
    best, won_by, best_sides, plays = -1_000_000, 0, 0, 0
    for seat in range(rules.players):
        agent, side = agents[seat], seat & rules.side_mask
        points = view.scores[side] - result.before[side]
        values[agent] += weights[seat] * points
        tally.points[agent, bin_of(points)] += 1
        won_by = 1 << agent if points > best else won_by | (points == best) << agent
        best_sides = 1 << side if points > best else best_sides | (points == best) << side
        best = max(best, points)
        plays += rules.tiles_each - view.tiles[seat]
    tied = (best_sides & (best_sides - 1) != 0) & (won_by & (won_by - 1) != 0)
    deal[TIES] += tied
    total = 0
    for agent in range(count):
        total += values[agent]
        deal[OF_AGENTS + 3 * agent + VALUE] += values[agent]
        deal[OF_AGENTS + 3 * agent + WINS] += (won_by >> agent & 1) & (not tied)
    for agent in range(count):
        tally.margins[agent, bin_of(count * values[agent] - total)] += 1
        for other in range(agent + 1):
            tally.hand_products[agent, other] += values[agent] * values[other]
    leader = view.leader & rules.side_mask
    after = (view.leader + 1 if view.leader + 1 < rules.players else 0) & rules.side_mask
    edge = view.scores[leader] - result.before[leader] - view.scores[after] + result.before[after]
    tally.leader_margin_sq += edge * edge
    deal[LEADER_MARGIN] += edge
    deal[HANDS] += 1
    deal[OUT_HANDS] += result.ended == OUT
    deal[BLOCKED_HANDS] += result.ended == BLOCKED
    deal[PLAYS] += plays + hidden.draws
    deal[DRAWS] += hidden.draws


@compiled
def bin_of(points: int) -> int:
    """Where a histogram counts some points."""
    return min(max(points + ZERO_BIN, 0), BINS - 1)


@compiled_apart
def credit_game(counts: Any, agents: Any, won: int, rules: Any) -> None:
    """A game won for every agent of the side that has won it."""
    credited = 0
    for seat in range(rules.players):
        agent = agents[seat]
        if seat & rules.side_mask == won and not credited >> agent & 1:
            credited |= 1 << agent
            counts.deal[OF_AGENTS + 3 * agent + GAME_WINS] += 1


@compiled_apart
def count_deal(counts: Any, tally: Any, group: int, count: int) -> None:
    """Add a finished deal, with its squares and products."""
    deal = counts.deal
    tally.deals += 1
    tally.groups[group, 0] += deal[HANDS]
    for figure in range(OF_AGENTS + 3 * count):
        tally.sums[figure] += deal[figure]
        tally.squares[figure] += deal[figure] * deal[figure]
        tally.with_hands[figure] += deal[figure] * deal[HANDS]
    for agent in range(count):
        own = OF_AGENTS + 3 * agent
        tally.groups[group, 1 + agent] += deal[own + VALUE]
        tally.groups[group, 1 + MAX_AGENTS + agent] += deal[own + WINS]
        for other in range(agent + 1):
            tally.products[agent, other] += deal[own + VALUE] * deal[OF_AGENTS + 3 * other + VALUE]


@compiled_apart
def count_detail(view: Any, result: Any, counts: Any, tally: Any, agents: Any) -> None:
    """Count a finished hand by play, tile and lead."""
    count_events(view, result, counts, tally, agents)
    count_seats(view, result, counts, tally)


@compiled
def count_events(view: Any, result: Any, counts: Any, tally: Any, agents: Any) -> None:
    """Go through a finished hand and count its plays, draws and passes, by seat, by number and by tile."""
    rules = view.rules
    for seat in range(rules.players):
        counts.plays[seat] = counts.draws[seat] = counts.passes[seat] = counts.scored[seat] = 0
        counts.rows[seat] = 2 * agents[seat] + (seat != view.leader)
    counts.number = 0
    for event in range(view.events):
        packed = view.history[event]
        kind, seat = packed & 3, packed >> 2 & 3
        pip, partner, points = packed >> 29 & 15, packed >> 20 & 15, packed >> 48
        played = kind == PLAYED
        side, row = seat & rules.side_mask, counts.rows[seat]
        points *= result.before[side] + counts.scored[side] + points <= rules.ceiling
        counts.scored[side] += points
        high = max(pip, partner)
        tile = high * (high + 1) // 2 + min(pip, partner)
        counts.lead = tile if played and counts.number == 0 else counts.lead
        tally.by_play[row, counts.number, 0] += played
        tally.by_play[row, counts.number, 1] += points
        tally.by_play[row, counts.number, 2] += points * points
        tally.by_tile[row, tile, 0] += played
        tally.by_tile[row, tile, 1] += points
        tally.by_tile[row, tile, 2] += points * points
        counts.plays[seat] += played
        counts.draws[seat] += packed >> 14 & 63
        counts.passes[seat] += kind == PASSED
        counts.number += played
    tally.lengths[counts.number] += 1


@compiled
def count_seats(view: Any, result: Any, counts: Any, tally: Any) -> None:
    """Add each seat's hand to those with the same lead."""
    rules = view.rules
    best = -1_000_000
    for side in range(rules.sides):
        best = max(best, view.scores[side] - result.before[side])
    for seat in range(rules.players):
        side = seat & rules.side_mask
        figures = tally.by_lead[counts.rows[seat], counts.lead]
        points = view.scores[side] - result.before[side]
        figures[SEAT_HANDS] += 1
        figures[SEAT_SCORED] += counts.scored[side]
        figures[SEAT_SETTLED] += points - counts.scored[side]
        figures[SEAT_SQUARES] += points * points
        figures[SEAT_OUT] += result.ended == OUT and view.seat == seat
        figures[SEAT_BLOCKED] += result.ended == BLOCKED
        figures[SEAT_TARGET] += result.ended == TARGET
        figures[SEAT_PLAYS] += counts.plays[seat]
        figures[SEAT_DRAWS] += counts.draws[seat]
        figures[SEAT_PASSES] += counts.passes[seat]
        figures[SEAT_LEFT] += view.tiles[seat]
        figures[SEAT_MOST] += points == best
        counts.deal[PASSES] += counts.passes[seat]


@compiled_apart
def write_row(
    view: Any, hidden: Any, result: Any, counts: Any, rows: Any, place: int, deal: int, rotation: int, hand: int
) -> None:
    """Write a hand down."""
    row = rows[place]
    row.deal, row.rotation, row.hand = deal, rotation, hand
    row.leader, row.lead, row.ended = view.leader, counts.lead, result.ended
    row.plays, row.draws, row.passes = counts.number, hidden.draws, 0
    for seat in range(view.rules.players):
        side = seat & view.rules.side_mask
        row.points[seat] = view.scores[side] - result.before[side]
        row.scored[seat] = counts.scored[side]
        row.left[seat] = view.tiles[seat]
        row.passes += counts.passes[seat]
