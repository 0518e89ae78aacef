"""The bar that long work shows."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tqdm import tqdm

from allfives_sim.lab.stats import Estimate


@contextmanager
def progress_bar(unit: str, total: int | None = None) -> Iterator[Callable[..., None]]:
    """A bar on stderr; calling what it gives moves it on, and shows the margin that it is given.

    Its clock starts at the first call, so that compiling does not count.  Where stderr is no terminal but a log, it
    shows itself only every few seconds.
    """
    every = 0.1 if sys.stderr.isatty() else 5.0
    with tqdm(total=total, unit=f" {unit}", unit_scale=True, leave=False, mininterval=every, delay=0.5) as bar:
        started = False

        def tell(done: int, cell: str = "", margin: Estimate | None = None) -> None:
            nonlocal started
            if not started:
                bar.unpause()
                started = True
            if margin is not None and not math.isnan(margin.low):
                bar.set_postfix_str(f"{cell} {margin.value:+.2f} ± {margin.high - margin.value:.2f}", refresh=False)
            bar.update(done)

        yield tell
