"""A laboratory for All Fives dominoes.

>>> from allfives_sim import Rules, compare
>>> result = compare(["greedy", "random"], Rules.preset("miami"), deals=1000, seed=1)
>>> list(result.pairs.deals)
[1000]
"""

from allfives_sim.agents import Agent, AgentError, agent, find_agent, load_code
from allfives_sim.belief.belief import Belief
from allfives_sim.core.errors import InputError, RulesError
from allfives_sim.core.records import RecordError, Replayer
from allfives_sim.core.rules import Rules
from allfives_sim.lab.recording import record_hands, write_records
from allfives_sim.lab.results import Results
from allfives_sim.lab.runner import compare, read_results
from allfives_sim.lab.stopping import StopRule
from allfives_sim.lab.study import Collect, Study
from allfives_sim.lab.study_file import read_study
from allfives_sim.lab.study_parts import StudyError

__version__ = "0.1.0"

__all__ = [
    "Agent",
    "AgentError",
    "Belief",
    "Collect",
    "InputError",
    "RecordError",
    "Replayer",
    "Results",
    "Rules",
    "RulesError",
    "StopRule",
    "Study",
    "StudyError",
    "agent",
    "compare",
    "find_agent",
    "load_code",
    "read_results",
    "read_study",
    "record_hands",
    "write_records",
]
