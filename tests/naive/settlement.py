"""Points, scores and the settlement: rules.md, rows score_units to exact_target and "Settlement in full"."""

from __future__ import annotations

from typing import Any

from .layout import Tile


def sides(s: dict[str, Any]) -> int:
    """How many sides have a score."""
    # Reading 10: with partners two numbers, else one per seat.
    return 2 if s["partners"] else int(s["players"])


def side_of(s: dict[str, Any], seat: int) -> int:
    """The side of a seat: with partners "seats 0+2 against 1+3; a side has one score"."""
    return seat % 2 if s["partners"] else seat


def points_of_count(s: dict[str, Any], count: int) -> int:
    """The whole count, "once per unit that divides it", or under quotient "count ÷ unit, summed"."""
    units = [unit for unit in s["score_units"] if count % unit == 0]
    if s["score_as"] == "count":
        return count * len(units)
    return sum(count // unit for unit in units)


def pips_of(tiles: list[Tile]) -> int:
    """The pips of a hand."""
    return sum(low + high for low, high in tiles)


def rounded(s: dict[str, Any], pips: int) -> int:
    """Pips rounded: "settlement pips go to the nearest multiple; 1 = as they are"."""
    # Reading 6: halves (only possible for even round_to) go up.
    below: int = pips - pips % s["round_to"]
    return below if 2 * (pips - below) < s["round_to"] else below + s["round_to"]


def in_points(s: dict[str, Any], rounded_pips: int) -> int:
    """Rounded pips as points: "under quotient scoring … divided by the first unit" (it divides round_to)."""
    if s["score_as"] == "quotient":
        return rounded_pips // int(s["score_units"][0])
    return rounded_pips


def collected(s: dict[str, Any], pips: list[int]) -> int:
    """What collecting hands of these pips is worth: "collect rounds the sum (false) or each hand (true)"."""
    if s["round_each"]:
        return in_points(s, sum(rounded(s, hand) for hand in pips))
    return in_points(s, rounded(s, sum(pips)))


def settle(s: dict[str, Any], hands: list[list[Tile]], out: int | None) -> list[int]:
    """The points to each side when seat `out` went out, or (None) when the hand is blocked."""
    pips = [pips_of(hand) for hand in hands]
    way = s["blocked"] if out is None else s["going_out"]
    if way == "subtract_own":
        points = _subtract_own(s, pips)
    elif way == "none":
        points = [0] * sides(s)
    elif out is not None:
        points = _collect_out(s, pips, out)
    else:
        points = _lightest_gain(s, pips, way)
    if out is not None:
        # Reading 8: the bonus is points, never divided.
        points[side_of(s, out)] += s["going_out_bonus"]
    return points


def _subtract_own(s: dict[str, Any], pips: list[int]) -> list[int]:
    """Each player's remaining pips, "rounded per player, come off that player's (side's) score"."""
    # Reading 8: every player's own, the partner of the one who went out included.
    points = [0] * sides(s)
    for seat, own in enumerate(pips):
        points[side_of(s, seat)] -= in_points(s, rounded(s, own))
    return points


def _collect_out(s: dict[str, Any], pips: list[int], out: int) -> list[int]:
    """The side that went out "gains the pips of all other sides", under partner_tiles also the partner's."""
    winner = side_of(s, out)
    others = [own for seat, own in enumerate(pips) if side_of(s, seat) != winner]
    if s["partner_tiles"] == "counted":
        others += [own for seat, own in enumerate(pips) if side_of(s, seat) == winner and seat != out]
    points = [0] * sides(s)
    points[winner] = collected(s, others)
    return points


def _lightest_gain(s: dict[str, Any], pips: list[int], way: str) -> list[int]:
    """A block under collect or difference: "A side's weight is the pips of all its hands"."""
    points = [0] * sides(s)
    weights = [0] * sides(s)
    for seat, own in enumerate(pips):
        weights[side_of(s, seat)] += own
    least = min(weights)
    lightest = [side for side, weight in enumerate(weights) if weight == least]
    if len(lightest) == len(weights):
        return points  # "all sides equal: nobody"
    if len(lightest) > 1 and s["blocked_tie"] == "nobody":
        return points
    # Reading 7: the lightest sides share what the others' pips come to (less the weight of ONE lightest
    # side under difference), rounded, under quotient divided, then split, the rest dropped.
    others = [own for seat, own in enumerate(pips) if side_of(s, seat) not in lightest]
    # "rounded once"
    gain = collected(s, others) if way == "collect" else in_points(s, rounded(s, sum(others) - least))
    for side in lightest:
        points[side] = gain // len(lightest)
    return points


def after_play(s: dict[str, Any], score: int, points: int) -> int:
    """The score after a gain: "exact_target: points that would pass the target are not scored"."""
    # Reading 4: not scored at all.
    if s["exact_target"] and points > 0 and score + points > s["target"]:
        return score
    return score + points


def after_settlement(s: dict[str, Any], score: int, settlement: int) -> int:
    """A side's score after the settlement: "score_floor: a number below which no score falls"."""
    # Reading 4: the floor is for a negative settlement, exact_target for the whole settlement sum of a side.
    if settlement >= 0:
        return after_play(s, score, settlement)
    if s["score_floor"] is None:
        return score + settlement
    return max(int(s["score_floor"]), score + settlement)
