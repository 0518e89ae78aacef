"""Random numbers keyed by what they are for, so that a result depends on nothing else.

A stream is a 64-bit state that steps by an odd constant; `mix` makes each state a random word (Steele, Lea and Flood,
"Fast splittable pseudorandom number generators", OOPSLA 2014: the generator SplitMix64).  The first state is a hash of
(seed, deal, hand, who), so any hand can be played on any thread or machine, in any order, and comes out the same.
"""

from __future__ import annotations

import numpy as np

from allfives_sim.core.bits import int64
from allfives_sim.core.compiled import compiled

STEP = np.uint64(0x9E3779B97F4A7C15)
_M1 = np.uint64(0xBF58476D1CE4E5B9)
_M2 = np.uint64(0x94D049BB133111EB)
_FOLD = np.uint64(0xD1342543DE82EF95)
_S27, _S30, _S31, _S32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)

DEALER = 4  # who a stream is for: a seat (0 to 3) or the dealer


@compiled
def mix(word: np.uint64) -> np.uint64:
    """Scramble a 64-bit word: the output function of SplitMix64, a bijection."""
    word = (word ^ (word >> _S30)) * _M1
    word = (word ^ (word >> _S27)) * _M2
    return word ^ (word >> _S31)


@compiled
def stream(seed: int, deal: int, hand: int, who: int) -> np.uint64:
    """First state of the stream for a seat (0 to 3) or the dealer (4) in hand `hand` of deal `deal`."""
    state = mix(np.uint64(seed) + STEP)
    state = mix(state ^ (np.uint64(deal) + STEP))
    state ^= np.uint64(hand * 8 + who) + STEP
    return mix(state) ^ mix(state ^ _FOLD)  # two words in one: no policy can work its way back to the dealer's stream


@compiled
def below(word: np.uint64, n: int) -> int:
    """A number from 0 to n − 1 out of a random word; n is at most 2**31 and uneven by less than n / 2**32.

    Source: Lemire, "Fast random integer generation in an interval", ACM TOMACS 29 (2019), without the rejection.
    """
    return int64(((word >> _S32) * np.uint64(n)) >> _S32)
