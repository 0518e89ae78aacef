"""How the tests call the command: in this process, or in one of its own where a signal or a cold start is the point."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PROGRAM = (sys.executable, "-c", "from allfives_sim.cli import main; main()")


@dataclass(frozen=True)
class Done:
    """What a call of the command left behind."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        """The one JSON value on stdout."""
        assert self.out.count("\n") == 1, f"not one line: {self.out!r}"
        return json.loads(self.out)

    def json_lines(self) -> list[Any]:
        """The JSON values on stdout, one a line."""
        return [json.loads(line) for line in self.out.splitlines()]

    def pair(self) -> dict[str, Any]:
        """The figures of the only pair of a comparison."""
        assert self.code == 0, self.err
        (pair,) = self.json()["pairs"]
        return dict(pair)


Command = Callable[..., Done]


def assert_refused(done: Done, *words: str) -> None:
    """Exit code 2, nothing on stdout, and one sentence on stderr that says all these words."""
    assert "Traceback" not in done.err
    assert done.code == 2, done
    assert done.out == ""
    assert done.err.startswith("allfives: "), done.err
    assert done.err.endswith("\n"), done.err
    assert done.err.count("\n") == 1, done.err
    for word in words:
        assert word in done.err, f"{word!r} is not in {done.err!r}"


def run_alone(arguments: Sequence[str], timeout: float = 60) -> Done:
    """The command in a process of its own."""
    done = subprocess.run([*PROGRAM, *arguments], capture_output=True, text=True, timeout=timeout, check=False)
    return Done(done.returncode, done.stdout, done.stderr)


def interrupt_when(arguments: Sequence[str], seen: str, timeout: float = 40) -> Done:
    """The command in a process of its own, with a Ctrl-C when its stderr (such as the bar) has shown some text."""
    process = subprocess.Popen(
        [*PROGRAM, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # tests run in the background ignore it
    )
    try:
        assert process.stderr is not None
        shown = b""
        while seen.encode() not in shown:
            more = os.read(process.stderr.fileno(), 4096)
            assert more, f"it ended before it showed {seen!r}: {shown!r}"
            shown += more
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=timeout)
    finally:
        process.kill()
        process.wait()
    return Done(process.returncode, out.decode(), (shown + err).decode())


def read_records(path: Path) -> list[dict[str, Any]]:
    """The records of a file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def write_records(path: Path, records: Sequence[Any]) -> Path:
    """A file of these records."""
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path
