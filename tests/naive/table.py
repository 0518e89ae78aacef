"""The state of a hand under way, and the leader that tiles determine."""

from __future__ import annotations

from typing import Any

from .layout import At, Layout, Tile, full_set, is_double
from .settlement import after_play, points_of_count, settle, side_of, sides


class Table:
    """A hand under way. Its methods carry out moves; their caller has seen to it that they are legal."""

    def __init__(self, s: dict[str, Any], hands: list[list[Tile]], leader: int, scores: list[int]) -> None:
        dealt = {tile for hand in hands for tile in hand}
        self.s = s
        self.layout = Layout(s)
        self.hands = [list(hand) for hand in hands]
        # "The boneyard is every other tile of the set."
        self.boneyard = [tile for tile in full_set(s["highest_pip"]) if tile not in dealt]
        self.turn = leader
        self.drawn = 0  # tiles drawn in this turn
        self.passes = 0
        self.scores = list(scores)
        self.end: str | None = None
        self.out: int | None = None

    def plays(self) -> list[tuple[Tile, At]]:
        """Every (tile, end) that the player whose turn it is could play from their hand."""
        return self.layout.legal(self.hands[self.turn])

    def can_draw(self) -> bool:
        """May one more tile be drawn in this turn?"""
        # Reading 3: draw_limit counts the tiles of one turn; a tile may be drawn only while more than
        # boneyard_reserve tiles lie in the boneyard.
        limit = self.s["draw_limit"]
        below_limit = limit is None or self.drawn < limit
        return bool(below_limit) and len(self.boneyard) > self.s["boneyard_reserve"]

    def turn_is_spent(self) -> bool:
        """play_drawn false: "a turn in which a tile was drawn ends without a play, even if one now fits"."""
        return self.drawn > 0 and not self.s["play_drawn"]

    def must_pass(self) -> bool:
        """Who "cannot play or draw passes"; nobody else does."""
        return self.turn_is_spent() or (not self.plays() and not self.can_draw())

    def draw(self, tile: Tile) -> None:
        """One tile from the boneyard into the hand."""
        self.boneyard.remove(tile)
        self.hands[self.turn].append(tile)
        self.drawn += 1
        self.passes = 0

    def play(self, tile: Tile, at: At) -> tuple[int, int]:
        """Play a tile; returns the count and the points after it."""
        seat = self.turn
        self.hands[seat].remove(tile)
        self.layout.place(tile, at)
        count = self.layout.count()
        points = points_of_count(self.s, count)
        side = side_of(self.s, seat)
        before = self.scores[side]
        self.scores[side] = after_play(self.s, before, points)
        reached = self.scores[side] > before and self.scores[side] >= self.s["target"]
        # Reading 5: "target" comes before "out". (A play that scores nothing does not reach the target, even
        # where the score was at the target before, in the hand after a tie.)
        if self.s["stop"] == "at_once" and reached:
            self.end = "target"
        elif not self.hands[seat]:
            self.end = "out"
            self.out = seat
        self.passes = 0
        self._next_turn()
        return count, points

    def pass_turn(self) -> None:
        """A pass; "A hand is blocked after every seat in turn has passed with no tile drawn in between."""
        # Reading 1: a draw and a play set the counter to 0, each pass adds one; literally so, also under
        # play_drawn false.
        self.passes += 1
        if self.passes == self.s["players"]:
            self.end = "blocked"
        self._next_turn()

    def _next_turn(self) -> None:
        self.turn = (self.turn + 1) % self.s["players"]
        self.drawn = 0

    def settlement(self) -> list[int]:
        """The points to each side at the hand's end, "all 0 after target"."""
        if self.end == "target":
            return [0] * sides(self.s)
        return settle(self.s, self.hands, self.out)


def leader_by_tiles(way: str, hands: list[list[Tile]]) -> int:
    """Whose tile leads: highest_double ("nobody has a double: heaviest tile, then higher pip")."""
    held = [(tile, seat) for seat, hand in enumerate(hands) for tile in hand]
    if way == "highest_double" and any(is_double(tile) for tile, _ in held):
        held = [(tile, seat) for tile, seat in held if is_double(tile)]
    # Equally heavy tiles: the one with the higher pip, under heaviest_tile as well.
    best = max(held, key=lambda item: (sum(item[0]), item[0][1]))
    return best[1]
