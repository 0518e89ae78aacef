"""Positions: what each possible play is worth, and what the chosen ones of recorded hands lost."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import from_dtype, types
from numpy.typing import NDArray

from allfives_sim.agents import Agent, AgentError, find_agent
from allfives_sim.agents.playout import play_out, seat_base
from allfives_sim.agents.policy import failure
from allfives_sim.belief.belief import Belief
from allfives_sim.belief.slots import SLOTS
from allfives_sim.belief.table import draw_deal, tabulate
from allfives_sim.core.bits import copy_all, copy_record
from allfives_sim.core.calls import address_of
from allfives_sim.core.compiled import kernel
from allfives_sim.core.errors import InputError
from allfives_sim.core.hand import HIDDEN, find_moves
from allfives_sim.core.positions import SeenPosition
from allfives_sim.core.records import Position, Record, RecordError, check_form
from allfives_sim.core.streams import STEP, mix
from allfives_sim.core.tiles import tile_name, tile_of
from allfives_sim.core.view import NO_MOVE, VIEW, first_move, next_move
from allfives_sim.lab.stats import Z95, wilson

if TYPE_CHECKING:
    import pandas as pd

MOST_MOVES = 128


@kernel(
    types.int64(
        from_dtype(VIEW),
        from_dtype(HIDDEN),
        types.Array(types.int64, 1, "C"),
        types.Array(types.float64, 1, "C"),
        types.int64,
        types.uint64,
        types.Array(types.int64, 1, "C"),
        types.Array(types.float64, 2, "C"),
        types.Array(types.int64, 2, "C"),
    )
)
def play_out_all(
    view: Any, hidden: Any, before: Any, parameters: Any, base: int, word: np.uint64, moves: Any, margins: Any, won: Any
) -> int:
    """Play every choice of the mover out in the same sampled worlds; how many choices there are.

    Parameters
    ----------
    view, hidden : records of dtype `VIEW` and `HIDDEN`
        A position; of `hidden` only the mover's hand is looked at.
    before : int64 array (4,)
        Scores before the hand.
    parameters : float64 array
        Of the base.
    base : int
        Address of the base policy.
    word : uint64
    moves : int64 array (MOST_MOVES,)
        Filled with the choices.
    margins : float64 array (MOST_MOVES, worlds)
        Filled: for each choice and world, the mover's side's points from here on less the mean of the others'.
    won : int64 array (MOST_MOVES, worlds)
        Filled: 1 where the mover's side has the most points of the hand alone.
    """
    copy_all(view.hand, hidden.hands[view.seat])
    find_moves(view, hidden)
    count, move = 0, first_move(view)
    while move != NO_MOVE:
        moves[count] = move
        count += 1
        move = next_move(view, move)
    # Records are looked up where they are used: a variable for one would not keep its array alive.
    table, space, world, slots = np.zeros(1, VIEW), np.zeros(1, HIDDEN), np.zeros(1, HIDDEN), np.zeros(1, SLOTS)
    copy_record(table[0].rules, view.rules)
    seat_base(space[0], parameters, 0)
    agents, numbers = np.zeros(4, np.int64), np.zeros((2, 4), np.int64)
    deals = tabulate(view, slots[0], True, 0.0)
    mine = view.seat & view.rules.side_mask
    for sample in range(margins.shape[1]):
        word += STEP
        draw_deal(view, slots[0], deals, world[0], mix(word))
        for number in range(count):
            margins[number, sample] = play_out(view, world[0], table[0], space[0], moves[number], base, agents, numbers)
            won[number, sample] = 1
            for side in range(view.rules.sides):
                if side != mine and (table[0].scores[side] - before[side] >= table[0].scores[mine] - before[mine]):
                    won[number, sample] = 0
    return count


@dataclass(frozen=True)
class Analysis:
    """The plays of a position, valued in sampled worlds.

    Attributes
    ----------
    moves : list of (str, str)
        Tile and end of each choice; the end is ``"lead"`` or its number.
    points : list of int
        What each scores at once.
    margins : float64 array (choices, worlds)
    won : int64 array (choices, worlds)
    played : int or None
        Which of them was played; None where the position is no recorded one.
    """

    moves: list[tuple[str, str]]
    points: list[int]
    margins: NDArray[np.float64]
    won: NDArray[np.int64]
    played: int | None

    def frame(self) -> pd.DataFrame:
        """One row a play, the best first.

        Columns: tile, end, points (at once), margin (expected points from here on, of the mover's side less the mean of
        the other sides), margin_low and margin_high (its 95% interval over worlds), win_chance (of having the most
        points in the hand) with win_low and win_high (its 95% interval, Wilson's: worlds are independent), played.
        """
        import pandas as pd  # here, since it takes as long to import as all the rest

        worlds = self.margins.shape[1]
        means = self.margins.mean(axis=1)
        halves = Z95 * self.margins.std(axis=1, ddof=1) / math.sqrt(worlds)
        chances = [wilson(float(share), worlds) for share in self.won.mean(axis=1)]
        frame = pd.DataFrame(
            {
                "tile": [tile for tile, _ in self.moves],
                "end": [end for _, end in self.moves],
                "points": self.points,
                "margin": means,
                "margin_low": means - halves,
                "margin_high": means + halves,
                "win_chance": self.won.mean(axis=1),
                "win_low": [low for low, _ in chances],
                "win_high": [high for _, high in chances],
                "played": [number == self.played for number in range(len(self.moves))],
            }
        )
        return frame.sort_values("margin", ascending=False, kind="stable", ignore_index=True)

    def loss(self) -> tuple[float, float]:
        """Points that the played move gave away against the best, and the half width of their 95% interval.

        The best move is chosen on one half of the worlds and the difference taken on the other, both ways round:
        the best of several noisy means is too good, and would make every play look bad.
        """
        if self.played is None or len(self.moves) == 1:
            return 0.0, 0.0
        lost = np.concatenate(
            [
                self.margins[self.margins[:, chosen].mean(axis=1).argmax(), judged] - self.margins[self.played, judged]
                for chosen, judged in ((slice(0, None, 2), slice(1, None, 2)), (slice(1, None, 2), slice(0, None, 2)))
            ]
        )
        return float(lost.mean()), float(Z95 * lost.std(ddof=1) / math.sqrt(len(lost)))


def analyse(record: Record, event: int, *, base: str | Agent = "greedy", worlds: int = 1000, seed: int = 1) -> Analysis:
    """Value every play that was possible at an event of a recorded hand.

    The margins are those of hands that go on with the base at all seats; where another base values a play otherwise,
    look at both.

    Parameters
    ----------
    record : dict
        A record (docs/records.md).
    event : int
        Number of a play event; the first event is 0.
    base : str or Agent
        Who plays the hands out, at all seats.
    worlds : int
        How many hidden deals that agree with what the mover knows are tried.
    seed : int

    Raises
    ------
    InputError
        The event is no play, the record is wrong before it, or a number is not valid.
    """
    position = Position(record, event)
    analysis = _analyse_table(position.view, position.hidden, position.result, base, worlds, seed)
    played = (number for number, (tile, end) in enumerate(analysis.moves) if position.is_play(tile, end))
    return replace(analysis, played=next(played, None))


def analyse_position(
    position: SeenPosition, *, base: str | Agent = "greedy", worlds: int = 1000, seed: int = 1
) -> Analysis:
    """Value every play that is possible in a position.

    A position that is taken from a record gives the same margins as the record does.

    Parameters
    ----------
    position : SeenPosition
        A position (docs/positions.md).
    base, worlds, seed
        As for `analyse`.

    Raises
    ------
    InputError
        The position cannot have come about, or a number is not valid.
    """
    view, hidden, result = position.table()
    Belief(view)  # refuses a history that no deal of the hidden tiles agrees with
    return _analyse_table(view, hidden, result, base, worlds, seed)


def _analyse_table(view: Any, hidden: Any, result: Any, base: str | Agent, worlds: int, seed: int) -> Analysis:
    """Value the plays of the seat to move, by what it knows."""
    agent = _check_options(base, worlds)
    moves = np.zeros(MOST_MOVES, np.int64)
    margins, won = np.zeros((MOST_MOVES, worlds)), np.zeros((MOST_MOVES, worlds), np.int64)
    parameters = np.array([value for value in agent.parameters.values() if not isinstance(value, str)], np.float64)
    address, word = address_of(agent.policy.dispatcher), np.uint64(seed * 1_000_003 + int(view.events))
    try:
        count = play_out_all(view, hidden, result.before, parameters, address, word, moves, margins, won)
    except Exception as error:
        raise failure(agent, error) from error
    if np.isnan(margins[:count]).any():
        raise AgentError(f"agent '{agent.spec}' cannot play hands out: it answered with what is none of its choices")
    named = [_name(view, int(move)) for move in moves[:count]]
    return Analysis(
        [(tile, end) for tile, end, _ in named], [points for *_, points in named], margins[:count], won[:count], None
    )


def _check_options(base: str | Agent = "greedy", worlds: int = 1000, seed: int = 1) -> Agent:
    agent = find_agent(base) if isinstance(base, str) else base
    if agent.base is not None:
        raise InputError(f"'{agent.spec}' cannot play hands out: it does so itself; valid: an agent without a base")
    if not 2 <= worlds <= 10**6:
        raise InputError(f"worlds cannot be {worlds}; valid: a whole number from 2 to 10**6")
    return agent


def _name(view: Any, move: int) -> tuple[str, str, int]:
    """Tile, end and points of a move."""
    layout = view.layout
    end, partner = move >> 4, move & 15
    pip = int(layout.pip[end])
    count = int(layout.count) - int(layout.value[end]) + partner + (partner == pip) * pip * int(layout.double)
    return tile_name(tile_of(pip, partner)), str(end) if layout.ends else "lead", int(view.rules.points[count])


def review(record: Record, **options: Any) -> Iterator[dict[str, Any]]:
    """What each play of a hand that was a choice lost against the best.

    Parameters
    ----------
    record : dict
    **options
        Of `analyse`.

    Yields
    ------
    dict
        event, seat, agent, tile, end, best_tile, best_end, lost (points, by `Analysis.loss`), lost_half (of its 95%
        interval).
    """
    agents = check_form(record)
    for number, event in enumerate(record["events"]):
        if "play" not in event:
            continue
        analysis = analyse(record, number, **options)
        if len(analysis.moves) < 2:
            continue
        lost, half = analysis.loss()
        best = analysis.moves[int(analysis.margins.mean(axis=1).argmax())]
        yield {
            "event": number,
            "seat": event["seat"],
            "agent": agents[event["seat"]],
            "tile": event["play"],
            "end": str(event["at"]),
            "best_tile": best[0],
            "best_end": best[1],
            "lost": lost,
            "lost_half": half,
        }


REVIEW_COLUMNS = ("line", "event", "seat", "agent", "tile", "end", "best_tile", "best_end", "lost", "lost_half")


def review_frame(records: Iterable[tuple[int, Record]], **options: Any) -> pd.DataFrame:
    """What the plays of recorded hands lost: one row for each play that was a choice.

    Columns: line (the number that came with the record), event, seat, agent, tile and end (of the play), best_tile and
    best_end (of the best play), lost (points, by `Analysis.loss`), lost_half (half the width of its 95% interval).

    Parameters
    ----------
    records : iterable of (int, dict)
        Records with a number each, such as ``enumerate(record_hands(["greedy"], hands=10), 1)``.
    **options
        Of `analyse`.

    Raises
    ------
    RecordError
        A record is wrong.
    InputError
        An option is not valid.
    """
    import pandas as pd

    _check_options(**options)
    rows = []
    for line, record in records:
        try:
            rows += [{"line": line} | play for play in review(record, **options)]
        except RecordError as error:
            raise RecordError(f"line {line}: {error}") from error
    return pd.DataFrame(rows, columns=list(REVIEW_COLUMNS))


def review_summary(plays: pd.DataFrame) -> pd.DataFrame:
    """What each agent lost at each seat, from a `review_frame`: one row a seat and agent.

    Columns: seat, agent, hands (in which it had a choice), choices, lost_choice (mean points lost a choice), lost_hand
    (a hand), lost_hand_half (half the width of its 95% interval over hands; NaN for a single hand).
    """
    seats = ["seat", "agent"]
    choices = plays.groupby(seats).agg(choices=("lost", "size"), lost_choice=("lost", "mean"))
    each_hand = plays.groupby([*seats, "line"])["lost"].sum().groupby(seats)
    hands = each_hand.agg(hands="size", lost_hand="mean", lost_hand_half="sem")
    hands["lost_hand_half"] *= Z95
    summary = choices.join(hands).reset_index()
    return summary[[*seats, "hands", "choices", "lost_choice", "lost_hand", "lost_hand_half"]]
