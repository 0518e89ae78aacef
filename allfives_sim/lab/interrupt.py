"""Ctrl-C that waits for a good moment, so that nothing that was finished is lost."""

from __future__ import annotations

import signal
import threading
import time
from types import FrameType, TracebackType
from typing import Any, Self


class CtrlC:
    """While it is entered, Ctrl-C only sets `pressed`; another one, a second or more later, interrupts as usual.

    Within that second it counts as the same: programs such as `timeout` send the signal twice.

    A `KeyboardInterrupt` could land anywhere, also inside the compiler or between two halves of a line.  In threads
    other than the main one, which never get the signal, it does nothing.
    """

    def __init__(self) -> None:
        self.pressed = False
        self._when = 0.0
        self._before: Any = None

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._press)
        return self

    def _press(self, _number: int, _frame: FrameType | None) -> None:
        if self.pressed and self.seconds_ago() > 1:
            raise KeyboardInterrupt
        if not self.pressed:
            self._when = time.monotonic()
        self.pressed = True

    def seconds_ago(self) -> float:
        """How long ago it was pressed; 0 where it was not."""
        return time.monotonic() - self._when if self.pressed else 0.0

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
