"""How many ways there are to choose: a look-up costs less than a division or a product."""

from __future__ import annotations

import math

import numpy as np

from allfives_sim.core.tiles import MAX_TILES

CHOOSE = np.array([[math.comb(n, h) for h in range(MAX_TILES + 1)] for n in range(MAX_TILES + 1)], dtype=np.float64)
INVERSE = np.array([0.0, *(1 / n for n in range(1, MAX_TILES + 1))])  # 1 / n
