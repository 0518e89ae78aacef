"""What the table knows of the hidden hands, by enumerating every deal that agrees with the public history.

A complete deal puts the tiles into slots: one set of initial-hand slots for each seat, and the boneyard's places in
order, of which the public history says who drew the tile that lay there, and when. All ways to fill the slots are
equally likely. So the probability of some hidden hands is in proportion to the number of ways to fill the slots which
lead to these hands and agree with the history:

- Whether a seat's turns could have happened depends on the tiles in that seat's own slots and on what is public (the
  open ends, the size of the boneyard, the tiles played), on nothing else. The number of ways for given final hands is
  therefore the product, over the seats, of the ways in which a seat's own slots can be filled with its own tiles.
- The observer's tiles are known, so their factor is the same for all hidden hands. Whether or not the observer
  remembers which of them were drawn, and when, changes that factor alone.
  Where the choice of the leader says something of what was dealt, the ways are counted for each tile for which a seat
  would lead, and put together for those with which the leader leads.
- The places of the boneyard that nobody has drawn from can be filled with the tiles left over in any order: the same
  number of ways for all hidden hands.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from typing import Any

from .hand import deal, play_turn, random_choice
from .house import tiles_in_set
from .layout import At, Layout, Tile, full_set, lead_tiles, read_tile
from .settlement import sides
from .table import Table, leader_by_tiles

Hand = frozenset[Tile]
Ways = Counter[Hand]  # for each hand that a seat may hold: in how many ways its slots can have led to it
Event = tuple[str, int, Tile, At] | tuple[str, int, int] | tuple[str, int]  # play, draw, pass


@dataclass(frozen=True)
class Turn:
    """What everybody saw of a turn, and what it was played under."""

    seat: int
    drawn: int  # how many tiles were drawn
    tile: Tile | None  # the tile played; None: a pass
    open_pips: frozenset[int]  # before the turn; none of them: the lead
    most: int  # how many tiles could be drawn, by draw_limit and boneyard_reserve


def hidden_hands(
    house: dict[str, Any], seat: int, hand: Iterable[Tile], events: list[Event], leader: int, led_by: str = "random"
) -> dict[tuple[Hand, ...], Fraction]:
    """Give the exact probabilities of the hands that the others hold, all deals being equally likely.

    Parameters
    ----------
    house
        The expanded switches, as `settings` gives them (here `highest_pip` may be smaller than 3).
    seat
        The observer, who is to move and has not drawn yet.
    hand
        The tiles that the observer holds now.
    events
        The public history: ("draw", seat, number), ("play", seat, tile, end) and ("pass", seat), the lead's end being
        LEAD; whole turns only.
    leader
        Who led, or is to lead.
    led_by
        How they were chosen: "highest_double" and "heaviest_tile" say something of what was dealt.

    Returns
    -------
    dict
        For every possible combination of the other seats' hands, in seat order, its probability; they sum to 1.

    Raises
    ------
    ValueError
        When the history could not have happened with this hand of the observer's.
    """
    own = frozenset(hand)
    turns = read_turns(house, events, leader)
    if seat != (leader + len(turns)) % house["players"]:
        raise ValueError(f"it is not the turn of seat {seat}")
    played = [frozenset(turn.tile for turn in turns if turn.seat == s and turn.tile) for s in range(house["players"])]
    unseen = frozenset(full_set(house["highest_pip"])) - own.union(*played)

    pools = [(own if s == seat else unseen) | played[s] for s in range(house["players"])]
    ways = [ways_by_reason(house, s, turns, pool, led_by) for s, pool in enumerate(pools)]
    if not any(own in of_one for of_one in ways[seat].values()):
        raise ValueError(f"seat {seat} cannot have come to this hand")
    joint: Counter[tuple[Hand, ...]] = Counter()
    for reasons in product(*ways):
        if led_by != "random" and leader_by_tiles(led_by, [[tile] for tile in reasons if tile]) != leader:
            continue
        of_own = ways[seat][reasons[seat]][own]
        others = [ways[other][reasons[other]] for other in range(house["players"]) if other != seat]
        if of_own:
            for hands, number in disjoint_hands(others):
                joint[hands] += of_own * number
    total = joint.total()
    if total == 0:
        raise ValueError("no deal agrees with this history")
    return {hands: Fraction(number, total) for hands, number in joint.items()}


def read_turns(house: dict[str, Any], events: list[Event], leader: int) -> list[Turn]:
    """Put the events together to turns, with what was open and could be drawn before each."""
    turns: list[Turn] = []
    layout = Layout(house)
    boneyard = tiles_in_set(house["highest_pip"]) - house["players"] * house["hand_size"]
    drawn = 0
    rest: list[Any]
    for kind, seat, *rest in events:
        if seat != (leader + len(turns)) % house["players"]:
            raise ValueError(f"turn {len(turns)} is not that of seat {seat}")
        if kind == "draw":
            drawn = rest[0]
            continue
        most = max(boneyard - house["boneyard_reserve"], 0)
        if house["draw_limit"] is not None:
            most = min(most, house["draw_limit"])
        if drawn > most:
            raise ValueError(f"{drawn} tiles were drawn in turn {len(turns)}, not {most} at most")
        open_pips = frozenset(end.pip for end in layout.ends)
        turns.append(Turn(seat, drawn, rest[0] if kind == "play" else None, open_pips, most))
        if kind == "play":
            layout.place(*rest)
        boneyard -= drawn
        drawn = 0
    return turns


def ways_by_reason(
    house: dict[str, Any], seat: int, turns: list[Turn], pool: Hand, led_by: str
) -> dict[Tile | None, Ways]:
    """Count the ways of a seat for each of the tiles for which it would lead, which is the first of those dealt."""
    dealt: dict[Tile | None, Ways] = {}
    for tiles in combinations(sorted(pool), house["hand_size"]):
        reason = None if led_by == "random" else tiles[leader_by_tiles(led_by, [[tile] for tile in tiles])]
        dealt.setdefault(reason, Counter())[frozenset(tiles)] = 1
    return {reason: ways_of_seat(house, seat, turns, pool, ways) for reason, ways in dealt.items()}


def ways_of_seat(house: dict[str, Any], seat: int, turns: list[Turn], pool: Hand, ways: Ways) -> Ways:
    """Count, for every hand that a seat may hold now, the ways to fill its slots with tiles of the pool.

    A way is the set of tiles that the seat was dealt, one of those given, and the tile of each of its draws, in order.
    """
    own_turns = [turn for turn in turns if turn.seat == seat]
    for number, turn in enumerate(own_turns):
        to_come = own_turns[number:]
        to_play = {later.tile for later in to_come if later.tile}
        to_draw = sum(later.drawn for later in to_come)
        # Not needed for the result, only for speed: what is to be played and not held yet must be drawn.
        ways = Counter({hand: n for hand, n in ways.items() if len(to_play - hand) <= to_draw})
        ways = after_turn(house, turn, ways, pool)
        if turn.tile:
            pool -= {turn.tile}
    return ways


def after_turn(house: dict[str, Any], turn: Turn, ways: Ways, pool: Hand) -> Ways:
    """Follow every way through a turn; those that do not agree with it are dropped."""

    def playable(hand: Hand) -> list[Tile]:
        if not turn.open_pips:
            return lead_tiles(sorted(hand), house["lead_tile"])
        return [tile for tile in hand if not turn.open_pips.isdisjoint(tile)]

    free: Ways = Counter({hand: n for hand, n in ways.items() if playable(hand)})
    if turn.drawn and not house["may_draw"]:
        free.clear()  # "who could play" does not draw
    for _ in range(turn.drawn):
        free = with_a_tile_drawn(free, pool)

    forced: Ways = Counter({hand: n for hand, n in ways.items() if not playable(hand)})
    for number in range(turn.drawn):
        if number > 0:  # "one tile at a time until one fits": none of those before did
            forced = Counter({hand: n for hand, n in forced.items() if not playable(hand)})
        forced = with_a_tile_drawn(forced, pool)
    if turn.drawn < turn.most:  # more could be drawn: only a tile that fits ended the drawing
        forced = Counter({hand: n for hand, n in forced.items() if playable(hand)})

    spent = turn.drawn > 0 and not house["play_drawn"]
    after: Ways = Counter()
    for hand, n in (free + forced).items():
        if turn.tile is None and (spent or not playable(hand)):
            after[hand] += n
        if turn.tile is not None and not spent and turn.tile in playable(hand):
            after[hand - {turn.tile}] += n
    return after


def with_a_tile_drawn(ways: Ways, pool: Hand) -> Ways:
    """Follow every way through one draw: each tile of the pool that the hand does not hold may be the one."""
    after: Ways = Counter()
    for hand, n in ways.items():
        for tile in pool - hand:
            after[hand | {tile}] += n
    return after


def disjoint_hands(ways: list[Ways]) -> Iterator[tuple[tuple[Hand, ...], int]]:
    """Give every combination of hands, one of each seat, that share no tile, and the number of ways to it."""
    if not ways:
        yield (), 1
        return
    for hand, n in ways[0].items():
        rest = [Counter({other: m for other, m in seat.items() if hand.isdisjoint(other)}) for seat in ways[1:]]
        for hands, m in disjoint_hands(rest):
            yield (hand, *hands), n * m


def random_position(
    house: dict[str, Any], rng: random.Random, max_turns: int
) -> tuple[int, Hand, list[Event], int, list[Hand]]:
    """Play a hand at random, under `may_draw` with draws by choice, and stop before a random turn of it.

    Parameters
    ----------
    house
        The expanded switches.
    rng
        Deals, chooses the leader (any seat), the moves, and where to stop.
    max_turns
        The most turns to play; fewer where the hand would be over.

    Returns
    -------
    tuple
        The seat that is to move, its hand, the public history, the leader, and the hands of all seats: what
        `hidden_hands` takes, and the truth.
    """
    leader = rng.randrange(house["players"])
    table = Table(house, deal(house, rng), leader, [0] * sides(house))
    turns = rng.randint(0, max_turns)
    events: list[Event] = []
    while True:
        hands = [frozenset(hand) for hand in table.hands]
        position = table.turn, hands[table.turn], list(events), leader, hands
        if turns == 0:
            return position
        events += [public(event) for event in play_turn(table, rng, random_choice)]
        if table.end is not None:
            return position
        turns -= 1


def public(event: dict[str, Any]) -> Event:
    """Turn an event of a record into what everybody sees of it."""
    if "draw" in event:
        return ("draw", event["seat"], len(event["draw"]))
    if "play" in event:
        return ("play", event["seat"], read_tile(event["play"]), event["at"])
    return ("pass", event["seat"])
