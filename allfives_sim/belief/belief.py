"""The belief of a seat, for Python: chances of the unseen tiles, and deals drawn from all that are possible."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numba import from_dtype, types
from numpy.typing import NDArray

from allfives_sim.belief.slots import SLOTS
from allfives_sim.belief.table import draw_deal, find_chances, tabulate
from allfives_sim.belief.tells import MOST_TELLS
from allfives_sim.core.bits import int64
from allfives_sim.core.calls import address_of
from allfives_sim.core.compiled import kernel, new_record
from allfives_sim.core.errors import InputError
from allfives_sim.core.game import is_by_deal
from allfives_sim.core.hand import HIDDEN
from allfives_sim.core.records import Position, Record
from allfives_sim.core.streams import STEP, mix
from allfives_sim.core.tiles import MAX_PLAYERS, tile_name
from allfives_sim.core.view import VIEW

if TYPE_CHECKING:
    import pandas as pd

    from allfives_sim.agents.policy import Agent

BONEYARD = -1  # who holds a tile that nobody holds

_TABLE = types.Array(types.float64, 2, "C")


@kernel(_TABLE(from_dtype(VIEW), from_dtype(SLOTS), types.float64))
def tabulate_deals(view: Any, slots: Any, tells: float) -> Any:
    """Make the table of all possible deals: see `tabulate`."""
    return tabulate(view, slots, True, tells)


@kernel(types.void(from_dtype(SLOTS), _TABLE, types.Array(types.float64, 2, "C")))
def find_all_chances(slots: Any, table: Any, chances: Any) -> None:
    """Find the chance of each tile being with each seat: see `find_chances`."""
    find_chances(slots, table, chances)


@kernel(
    types.void(
        from_dtype(VIEW),
        from_dtype(SLOTS),
        _TABLE,
        from_dtype(HIDDEN),
        types.uint64,
        types.Array(types.int8, 2, "C"),
    )
)
def draw_deals(view: Any, slots: Any, table: Any, world: Any, word: np.uint64, holders: Any) -> None:
    """Draw deals, a row of `holders` each: for each unseen tile its seat, or `BONEYARD`."""
    for deal in range(holders.shape[0]):
        word += STEP
        draw_deal(view, slots, table, world, mix(word))
        for number in range(slots.tiles):
            low, high = int64(slots.tile[number]) >> 4, int64(slots.tile[number]) & 15
            holders[deal, number] = BONEYARD
            for seat in range(view.rules.players):
                if world.hands[seat, low] >> high & 1:
                    holders[deal, number] = seat


class Belief:
    """What the mover of a position can know of the tiles that it does not see.

    Every complete deal (hands and boneyard) that agrees with all that was seen, and with the mover's own hand, is as
    likely as any other.  That is not the same as every possible combination of hands being as likely: a hand that could
    have come about in more ways is more likely.  With `tells`, deals weigh less in which others left points.

    Parameters
    ----------
    view : record of dtype `VIEW`
        What the mover sees, its own hand with it.
    tells : float
        Above 0, deals are less likely in which the others left points on the table: see `allfives_sim.belief.tells`.

    Attributes
    ----------
    seat : int
        The mover.
    tiles : list of str
        The unseen tiles, lowest first.
    deals : float
        In how many ways hands can have been dealt and drawn, the order in a hand and in the boneyard not counted; with
        `tells`, less likely ones count less.

    Notes
    -----
    The tables are described in `allfives_sim.belief.cohorts` and `allfives_sim.belief.table`, with what is left out.

    Examples
    --------
    >>> from allfives_sim import record_hands
    >>> record = next(record_hands(["greedy"], hands=1, seed=3))
    >>> belief = Belief.of(record, 4)
    >>> belief.chances().shape == (len(belief.tiles), 2)
    True
    """

    def __init__(self, view: Any, tells: float = 0.0) -> None:
        if not 0 <= tells <= MOST_TELLS:
            raise InputError(f"tells cannot be {tells}; valid: a number from 0 to {MOST_TELLS}")
        self._view = view
        self._slots = new_record(SLOTS)
        self._table = tabulate_deals(view, self._slots, float(tells))
        self.seat = int(view.seat)
        self.tiles = [tile_name(int(tile)) for tile in self._slots.tile[: self._slots.tiles]]
        self.deals = float(self._table[:: len(self.tiles) + 1, 0].sum())  # of all its parts
        if self.deals == 0:
            other = ", or the leader was found in another way than led_by says" if is_by_deal(int(view.led_by)) else ""
            raise InputError(
                f"no deal agrees with this history: somebody played, drew or passed against the rules{other}"
            )

    @classmethod
    def of(cls, record: Record, event: int, tells: float = 0.0) -> Belief:
        """The belief of who was to make a recorded play: event number `event` of a record."""
        position = Position(record, event)
        position.view.hand[:] = position.hidden.hands[position.view.seat]
        return cls(position.view, tells)

    def chances(self) -> NDArray[np.float64]:
        """The chance of each unseen tile being with each seat.

        Returns
        -------
        float64 array (unseen tiles, players)
            Zero for the mover; what is left of 1 is the chance of the boneyard.
        """
        chances = np.zeros((len(self.tiles), MAX_PLAYERS))
        find_all_chances(self._slots, self._table, chances)
        return chances[:, : self._view.rules.players]

    def frame(self) -> pd.DataFrame:
        """The chances as a frame: a row a tile; columns tile, one for each hidden seat (``seat 1``), and boneyard."""
        import pandas as pd  # here, since it takes as long to import as all the rest

        chances = self.chances()
        columns = {f"seat {seat}": chances[:, seat] for seat in range(chances.shape[1]) if seat != self.seat}
        return pd.DataFrame({"tile": self.tiles, **columns, "boneyard": 1 - chances.sum(axis=1)})

    def sample(self, deals: int, seed: int = 1) -> NDArray[np.int8]:
        """Draw deals, each possible one with the same chance, or with `tells` in proportion to its weight.

        Parameters
        ----------
        deals : int
            How many.
        seed : int
            The same seed gives the same deals.

        Returns
        -------
        int8 array (deals, unseen tiles)
            The seat that holds each tile, or `BONEYARD` (-1).
        """
        if not 1 <= deals <= 10**9:
            raise InputError(f"deals cannot be {deals}; valid: a whole number from 1 to 10**9")
        if not 0 <= seed < 2**63:
            raise InputError(f"seed cannot be {seed}; valid: a whole number from 0 to 2**63 - 1")
        holders = np.empty((deals, len(self.tiles)), np.int8)
        draw_deals(self._view, self._slots, self._table, new_record(HIDDEN), np.uint64(seed), holders)
        return holders

    def weights(self, holders: NDArray[np.int8], model: str | Agent, trust: float = 0.9) -> NDArray[np.float64]:
        """How well drawn deals explain what the others have played, if they choose as an agent does.

        Parameters
        ----------
        holders : int8 array (deals, unseen tiles)
            From `sample`.
        model : str or Agent
            An agent; one that draws random numbers gives one draw of them.
        trust : float
            Below 1: how much of a play's chance is the model's, the rest being shared by all choices, so that no deal
            is ruled out by a model that is not quite right.

        Returns
        -------
        float64 array (deals,)
            With a mean of 1.  Their sum, squared, over the sum of their squares is how many deals of equal weight would
            tell as much.

        Notes
        -----
        See `allfives_sim.belief.model`: only plays since a seat last drew count.  Deals from a belief with `tells` are
        already weighed by the same plays, in another way: take one or the other.
        """
        from allfives_sim.agents.policy import failure, find_agent, parameter_rows  # which know this module
        from allfives_sim.belief.model import weigh_deals

        if not 0 <= trust < 1:
            raise InputError(f"trust cannot be {trust}; valid: a number from 0 to below 1")
        holders = np.array(holders, np.int8, order="C")
        if holders.ndim != 2 or holders.shape[1] != len(self.tiles) or len(holders) == 0:
            raise InputError(
                f"holders must have a row a deal and a column for each of {len(self.tiles)} unseen tiles: see sample()"
            )
        agent = find_agent(model) if isinstance(model, str) else model
        weights = np.empty(len(holders))
        address, parameters = address_of(agent.policy.dispatcher), parameter_rows([agent])[0]
        try:
            fine = weigh_deals(self._view, self._slots, holders, address, parameters, float(trust), weights)
        except Exception as error:
            raise failure(agent, error) from error
        if not fine:
            raise InputError(f"agent '{agent.spec}' answered with what is none of its choices; it cannot be a model")
        return weights / weights.mean()
