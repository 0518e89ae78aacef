"""A laboratory for All Fives dominoes.

>>> from allfives_sim import Rules, compare
>>> result = compare(["greedy", "random"], Rules.preset("miami"), deals=1000, seed=1)
>>> result.pairs[0].figures()["deals"]
1000
"""

from allfives_sim.agents import Agent, AgentError, agent, find_agent, load_code
from allfives_sim.belief.belief import Belief
from allfives_sim.core.errors import InputError, RulesError
from allfives_sim.core.records import RecordError, Replayer
from allfives_sim.core.rules import Rules
from allfives_sim.lab.recording import record_hands, write_records
from allfives_sim.lab.runner import Comparison, Pair, compare

__version__ = "0.1.0"

__all__ = [
    "Agent",
    "AgentError",
    "Belief",
    "Comparison",
    "InputError",
    "Pair",
    "RecordError",
    "Replayer",
    "Rules",
    "RulesError",
    "agent",
    "compare",
    "find_agent",
    "load_code",
    "record_hands",
    "write_records",
]
