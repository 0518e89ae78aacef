"""The kernel of an experiment: a block of deals, each played with every seating of two agents."""

from __future__ import annotations

from typing import Any

from numba import from_dtype, types

from allfives_sim.core.compiled import compiled, kernel
from allfives_sim.core.game import MAX_HANDS, NOBODY, RESULT, end_hand, play_next_hand, start_game
from allfives_sim.core.hand import BAD_MOVE, BLOCKED, HIDDEN, OUT, shuffle
from allfives_sim.core.view import POLICY_SIGNATURE, VIEW
from allfives_sim.lab.tally import BINS, TALLY, ZERO_BIN

DONE = 0  # what `play_block` answers, or BAD_MOVE

_POLICY = types.FunctionType(POLICY_SIGNATURE)
_SIGNATURE = types.int64(
    from_dtype(VIEW),
    from_dtype(HIDDEN),
    from_dtype(RESULT),
    from_dtype(TALLY),
    types.UniTuple(_POLICY, 2),
    types.Array(types.int64, 2, "C"),
    types.Array(types.int64, 2, "C"),
    types.int64,
    types.int64,
    types.int64,
    types.boolean,
)


@kernel(_SIGNATURE)
def play_block(
    view: Any,
    hidden: Any,
    result: Any,
    tally: Any,
    policies: Any,
    seatings: Any,
    weights: Any,
    seed: int,
    first: int,
    deals: int,
    games: bool,
) -> int:
    """Play deals `first` to ``first + deals - 1`` and add them up.

    Parameters
    ----------
    view, hidden, result : records of dtype `VIEW`, `HIDDEN`, `RESULT`
        Work space; `view.rules` holds the rules, `hidden.parameters` those of the two agents.  After an answer of
        `BAD_MOVE`, `view.seat` tells whose.
    tally : record of dtype `TALLY`
        Added to.
    policies : tuple of two functions
    seatings : int64 array (rotations, seats)
        Which agent, 0 or 1, sits where.
    weights : int64 array (rotations, seats)
        What a seat's points count in a margin.
    seed : int
    first, deals : int
    games : bool
        Whole games instead of single hands.

    Returns
    -------
    int
        `DONE` or `BAD_MOVE`.
    """
    for deal in range(first, first + deals):
        margin, hands = 0, 0
        for rotation in range(seatings.shape[0]):
            agents = seatings[rotation]
            start_game(view, result)
            hand, won = 0, NOBODY
            while won == NOBODY and hand < MAX_HANDS:
                if games or rotation == 0:
                    shuffle(hidden, view.rules, seed, deal, hand)
                if play_next_hand(view, hidden, result, policies, agents) == BAD_MOVE:
                    return BAD_MOVE
                margin += count_hand(view, hidden, result, tally, agents, weights[rotation])
                hand += 1
                if not games:
                    break
                end_hand(view, result)
                won = result.won
            hands += hand
            if games:
                tally.games += 1
                if won == NOBODY:
                    tally.unfinished += 1
                else:
                    tally.game_wins[agents[won]] += 1
        tally.deals += 1
        tally.hands += hands
        tally.margin += margin
        tally.margin_sq += margin * margin
        tally.hands_sq += hands * hands
        tally.margin_hands += margin * hands
    return DONE


@compiled
def count_hand(view: Any, hidden: Any, result: Any, tally: Any, agents: Any, weights: Any) -> int:
    """Add a finished hand to the tally; its margin, as the weights count it."""
    players, side_mask = view.rules.players, view.rules.side_mask
    margin, best, won_by, plays = 0, -1_000_000, 0, 0
    for seat in range(players):
        points = view.scores[seat & side_mask] - result.before[seat & side_mask]
        margin += weights[seat] * points
        tally.points[agents[seat], min(max(points + ZERO_BIN, 0), BINS - 1)] += 1
        won_by = 1 << agents[seat] if points > best else won_by | (points == best) << agents[seat]
        best = max(best, points)
        plays += view.rules.tiles_each - view.tiles[seat]
    tally.wins[0] += won_by == 1
    tally.wins[1] += won_by == 2
    tally.ties += won_by == 3
    leader = view.leader & side_mask
    after = (view.leader + 1 if view.leader + 1 < players else 0) & side_mask
    edge = view.scores[leader] - result.before[leader] - view.scores[after] + result.before[after]
    tally.leader_margin += edge
    tally.leader_margin_sq += edge * edge
    tally.plays += plays + hidden.draws
    tally.draws += hidden.draws
    tally.out += result.ended == OUT
    tally.blocked += result.ended == BLOCKED
    tally.target += result.ended != OUT and result.ended != BLOCKED
    return margin
