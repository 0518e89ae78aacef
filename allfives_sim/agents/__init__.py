"""Agents: who plays.

This is also what an agent of your own is written with: the decorator `agent` and the accessors of a view.
"""

from allfives_sim.agents import (  # the built-in agents: importing registers them
    defensive,
    endgame,
    expert,
    greedy,
    heaviest,
    ismcts,
    learned,
    montecarlo,
    omniscient,
    peek,
    pimc,
    random,
    risk,
)
from allfives_sim.agents.policy import REGISTER, Agent, AgentError, Number, agent, find_agent
from allfives_sim.agents.user_code import load_code, load_text
from allfives_sim.core.board import count_after, open_pips
from allfives_sim.core.hand import all_hands
from allfives_sim.core.streams import below, mix
from allfives_sim.core.view import (
    DRAW,
    DREW,
    NO_MOVE,
    PASSED,
    PLAYED,
    choices,
    event_count,
    event_drawn,
    event_end,
    event_kind,
    event_open,
    event_points,
    event_seat,
    event_tile,
    find_unseen,
    first_move,
    next_move,
    next_seat,
    pips,
    points,
    tile,
    try_move,
)

__all__ = [
    "DRAW",
    "DREW",
    "NO_MOVE",
    "PASSED",
    "PLAYED",
    "REGISTER",
    "Agent",
    "AgentError",
    "Number",
    "agent",
    "all_hands",
    "below",
    "choices",
    "count_after",
    "event_count",
    "event_drawn",
    "event_end",
    "event_kind",
    "event_open",
    "event_points",
    "event_seat",
    "event_tile",
    "find_agent",
    "find_unseen",
    "first_move",
    "load_code",
    "load_text",
    "mix",
    "next_move",
    "next_seat",
    "open_pips",
    "pips",
    "points",
    "tile",
    "try_move",
]
