"""What a run has finished, in one SQLite file: a row a block, committed when the block is done.

Everything else in a run's folder is made from it.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import sqlite3
import tomllib
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeVar

from allfives_sim.agents import AgentError
from allfives_sim.core.compiled import PACKAGE
from allfives_sim.core.errors import InputError
from allfives_sim.lab.output import check_folder, write_text
from allfives_sim.lab.study import Study
from allfives_sim.lab.study_file import parse_study, study_text

NAME = "run.sqlite"
Answer = TypeVar("Answer")


class Block(NamedTuple):
    """A finished block: `deals` deals from `first` on; how long it took, and its packed tally."""

    cell: int
    first: int
    deals: int
    seconds: float
    tally: bytes


@cache
def engine() -> str:
    """A short name for the code that decides which hands are played and how they are counted (16 hex digits)."""
    digest = hashlib.sha256()
    paths = [path for folder in ("core", "belief", "agents") for path in sorted((PACKAGE / folder).glob("*.py"))]
    for path in [*paths, *(PACKAGE / "lab" / name for name in ("block.py", "tally.py", "pairing.py"))]:
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


class Store:
    """The blocks of one run, in a folder or in memory only: see `in_memory`, `of_run` and `of_folder`."""

    def __init__(self, connection: sqlite3.Connection, folder: Path | None = None, lock: int | None = None) -> None:
        self.folder = folder
        self._file = os.stat(folder / NAME) if folder is not None else os.stat(os.devnull)
        self._connection = connection
        self._lock = lock

    @classmethod
    def in_memory(cls, study: Study) -> Self:
        """An empty one that is gone when it is closed."""
        connection = sqlite3.connect(":memory:")
        _create(connection, study)
        return cls(connection)

    @classmethod
    def of_run(cls, folder: Path, study: Study) -> Self:
        """That of a folder, to add blocks of a study to; a folder that has none is begun with the study.

        Raises
        ------
        InputError
            The folder holds another study, one of another engine, or a damaged file; is in use by another process; or
            cannot be written.
        """
        check_folder(folder)
        lock = _lock(folder)
        try:
            if not (folder / NAME).exists():
                _begin(folder, study)
            store = cls(_open(folder), folder, lock)
        except BaseException:
            os.close(lock)
            raise
        try:
            store._check_study(study)
            store._check_engine()
            store._check_deals(study)
            store._prepare(study.deals)
        except BaseException:
            store.close()
            raise
        return store

    @classmethod
    def of_folder(cls, folder: Path) -> Self:
        """That of a run that was begun before, to read from.

        Raises
        ------
        InputError
            There is none, or it is damaged, or in use by another process.
        """
        if not (folder / NAME).exists():
            raise InputError(f"{folder} holds no run; valid: a folder that allfives run or compare --out has written")
        lock = _lock(folder)
        try:
            return cls(_open(folder), folder, lock)
        except BaseException:
            os.close(lock)
            raise

    def _check_study(self, study: Study) -> None:
        held, wanted = json.loads(self.about()["study"]), json.loads(json.dumps(study.fixed()))
        if not isinstance(held, dict):
            raise _damaged(self.folder)
        if held != wanted:
            key = next(key for key in (*wanted, *held) if held.get(key) != wanted.get(key))
            raise InputError(
                f"{self.folder} holds another study: its {key} differs; nothing was changed; valid: the same study "
                "with any number of deals, or another folder"
            )

    def _check_engine(self) -> None:
        about = self.about()
        if about["engine"] != engine():
            raise InputError(
                f"{self.folder} was played with another version of the engine (allfives-sim {about['version']}, "
                f"{about['engine']}, not {engine()}), and deals of the two must not be mixed; nothing was changed; its "
                f"results can still be made, by allfives results; to play, give another folder"
            )

    def _check_deals(self, study: Study) -> None:
        query = "SELECT max(first + deals) FROM blocks"
        (held,) = self._telling(lambda: self._connection.execute(query).fetchone())
        if isinstance(held, int) and held > study.deals:
            raise InputError(
                f"{self.folder} has {held:,} deals already; nothing was changed; valid: deals of {held:,} or more"
            )

    def _prepare(self, deals: int) -> None:
        def prepare() -> None:
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute("PRAGMA synchronous=FULL")  # a committed block outlives a power cut
            with self._connection:
                self._connection.execute("UPDATE about SET value = ? WHERE key = 'deals'", (str(deals),))

        self._telling(prepare)

    def about(self) -> dict[str, str]:
        """The study, its hash, and the versions of what plays it."""
        return self._telling(lambda: dict(self._connection.execute("SELECT key, value FROM about")))

    def study(self) -> Study:
        """The study that the run was begun with, with the deals that were last asked for.

        Its code is laid into the folder again, from where it is taken.
        """
        about = self.about()
        folder = self.folder or Path()
        with self._damage():
            names = tomllib.loads(about["toml"]).get("code", [])
            for name, text in zip(names, json.loads(about["code"]), strict=True):
                write_text(check_folder((folder / name).parent) / Path(name).name, text)
            study = parse_study(about["toml"], folder, deals=int(about["deals"]))
            if study.hash() != about["hash"]:
                raise ValueError("another study")
            return study

    def add(self, block: Block) -> None:
        """Commit a finished block.

        Raises
        ------
        InputError
            It cannot be written; what was committed before stays.
        """

        def insert() -> None:
            with self._connection:
                self._connection.execute("INSERT INTO blocks VALUES (?, ?, ?, ?, ?, ?)", (*block, _check_sum(block)))

        self._telling(insert)
        if self.folder is not None and not _is_at(self._file, self.folder / NAME):
            raise InputError(
                f"{self.folder / NAME} was removed or replaced while the run wrote to it; what it played since is lost"
            )

    def blocks(self, cell: int) -> list[Block]:
        """The finished blocks of a cell, by their first deals.

        Raises
        ------
        InputError
            They are damaged.
        """
        query = "SELECT cell, first, deals, seconds, tally, sum FROM blocks WHERE cell = ? ORDER BY first"
        rows = self._telling(lambda: self._connection.execute(query, (cell,)).fetchall())
        found, end = [], 0
        with self._damage():
            for *values, check_sum in rows:
                block = Block(*values)
                if not isinstance(block.seconds, float) or _check_sum(block) != check_sum or block.first < end:
                    raise ValueError("a block was changed")
                found.append(block)
                end = block.first + block.deals
        return found

    @contextmanager
    def _damage(self) -> Iterator[None]:
        try:
            yield
        except AgentError:  # of code that was kept, but does not run here
            raise
        except (ValueError, TypeError, KeyError) as error:
            raise _damaged(self.folder) from error

    def _telling(self, work: Callable[[], Answer]) -> Answer:
        return _telling(self.folder, work)

    def close(self) -> None:
        """Let go of the file, for other processes."""
        with suppress(AttributeError, sqlite3.Error):
            self._connection.close()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _create(connection: sqlite3.Connection, study: Study) -> None:
    from allfives_sim import __version__

    about = {
        "study": json.dumps(study.fixed()),
        "hash": study.hash(),
        "deals": str(study.deals),
        "toml": study_text(study),
        "code": json.dumps(study.code_texts),
        "version": __version__,
        "engine": engine(),
    }
    with connection:
        connection.execute("CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL)")
        connection.execute(
            "CREATE TABLE blocks (cell INTEGER, first INTEGER, deals INTEGER NOT NULL, seconds REAL NOT NULL, "
            "tally BLOB NOT NULL, sum INTEGER NOT NULL, PRIMARY KEY (cell, first)) WITHOUT ROWID"
        )
        connection.executemany("INSERT INTO about VALUES (?, ?)", about.items())


def _begin(folder: Path, study: Study) -> None:
    """Make the file beside its place and move it there whole: where it is, it says what it is of."""
    beside = folder / f".{NAME}.new"

    def begin() -> None:
        beside.unlink(missing_ok=True)
        connection = sqlite3.connect(beside)
        try:
            _create(connection, study)
        finally:
            connection.close()
        os.replace(beside, folder / NAME)

    _telling(folder, begin)


def _lock(folder: Path) -> int:
    """Keep other processes off a folder, until this one ends or lets go of it."""
    try:
        handle = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise InputError(f"cannot write results to {folder}: {error.strerror}") from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(handle)
        raise InputError(
            f"another process plays in {folder}; wait until it has ended, or give another folder"
        ) from error
    return handle


def _check_sum(block: Block) -> int:
    """Over all of a block but its time."""
    return zlib.crc32(block.tally, zlib.crc32(f"{block.cell} {block.first} {block.deals}".encode()))


def _is_at(file: os.stat_result, path: Path) -> bool:
    """Whether a file is still where it was."""
    try:
        return os.path.samestat(file, path.stat())
    except OSError:
        return False


def _open(folder: Path) -> sqlite3.Connection:
    def connect() -> sqlite3.Connection:
        connection = sqlite3.connect(f"file:{_escaped(folder / NAME)}?mode=rw", uri=True)
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
        sound = connection.execute("PRAGMA quick_check(1)").fetchone() == ("ok",)
        if not sound or not {"about", "blocks"} <= tables:
            raise sqlite3.DatabaseError("damaged")
        about = dict(connection.execute("SELECT key, value FROM about"))
        if not {"study", "hash", "deals", "toml", "code", "version", "engine"} <= set(about):
            raise sqlite3.DatabaseError("damaged")
        json.loads(about["study"])
        return connection

    try:
        return _telling(folder, connect)
    except ValueError as error:
        raise error if isinstance(error, InputError) else _damaged(folder) from error


def _escaped(path: Path) -> str:
    from urllib.parse import quote

    return quote(str(path.absolute()))


def _telling(folder: Path | None, work: Callable[[], Answer]) -> Answer:
    """Do some work on a store's file and tell what is wrong in one sentence."""
    try:
        return work()
    except sqlite3.OperationalError as error:
        reason = "the disk is full" if "full" in str(error) else str(error)
        raise InputError(
            f"cannot read or write {_named(folder)}: {reason}; what was finished before is kept"
        ) from error
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise _damaged(folder) from error
    except OSError as error:
        raise InputError(f"cannot write {_named(folder)}: {error.strerror}") from error


def _named(folder: Path | None) -> str:
    return str(folder / NAME) if folder else "the run's blocks in memory"


def _damaged(folder: Path | None) -> InputError:
    return InputError(
        f"{_named(folder)} is damaged or no file of a run; nothing was changed; put back a copy, or give another folder"
    )


def read_run(folder: Path, **changes: Any) -> Study:
    """The study of a run that was begun in a folder, to go on with; with some keys set otherwise.

    Raises
    ------
    InputError
        The folder holds no run, or one that is damaged or in use by another process.
    """
    with Store.of_folder(folder) as store:
        study = store.study()
    return replace(study, **changes)
