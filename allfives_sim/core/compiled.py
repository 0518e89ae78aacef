"""How functions are compiled and where compiled code is kept.

Numba's own ``cache=True`` notices an edit of the file a function stands in, but not of the files it calls into: an
edited rule would silently go on playing its old self.  Here the cache folder carries a fingerprint of every source
file of the package, so any edit (and any other Numba) starts with an empty folder, and a read-only install works.
"""

from __future__ import annotations

import hashlib
import logging
import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, cached_property
from pathlib import Path
from typing import Any, ClassVar

import llvmlite.binding
import numba
import numpy as np
from numba.core import config
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator
from numba.core.errors import NumbaExperimentalFeatureWarning
from numba.core.runtime.nrt import _nrt
from platformdirs import user_cache_path

LOGGER = logging.getLogger(__name__)  # tells when something has to be compiled
PACKAGE = Path(__file__).resolve().parent.parent

# Policies are passed as first-class functions, which Numba still calls experimental.
warnings.filterwarnings("ignore", category=NumbaExperimentalFeatureWarning)


@cache
def fingerprint() -> str:
    """Hash of all that compiled code is made of, sources and numbers, and of Numba's version (16 hex digits)."""
    digest = hashlib.sha256(numba.__version__.encode())
    for path in sorted([*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.npy")]):
        digest.update(str(path.relative_to(PACKAGE)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


@cache
def cache_folder() -> Path | None:
    """The folder for compiled code, made if need be; None where no such folder can be written.

    It lies in the user's cache folder, or in ``NUMBA_CACHE_DIR`` where that is set.
    """
    base = Path(config.CACHE_DIR) if config.CACHE_DIR else user_cache_path("allfives-sim")
    folder = base / f"allfives-{fingerprint()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return folder if os.access(folder, os.W_OK) else None


class _Locator(_CacheLocator):
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        return fingerprint()

    def get_disambiguator(self) -> str:
        return "0"

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> _Locator | None:
        folder = cache_folder()
        return None if folder is None else cls(folder)


class _CacheImpl(CompileResultCacheImpl):
    _locator_classes: ClassVar = [_Locator]

    def get_filename_base(self, fullname: str, abiflags: str) -> str:
        return f"{fullname}-{self._lineno}".replace("<", "").replace(">", "")


@cache
def _add_runtime_symbols() -> None:
    """Tell the linker where Numba's memory manager is, which code from the cache may call.

    Numba's own way to load code first gets ready to compile some, which takes 45 MB and half a second.
    """
    for name, address in _nrt.c_helpers.items():
        llvmlite.binding.add_symbol(name if name.startswith("_") else f"NRT_{name}", address)


class _Cache(FunctionCache):
    """A cache that is only ever a help: where its files are damaged or the disk is full, the function is compiled."""

    _impl_class = _CacheImpl

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            _add_runtime_symbols()
            return self._load_overload(sig, target_context)
        except Exception:
            with suppress(Exception):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        with suppress(Exception):
            super().save_overload(sig, data)


def record_type(fields: list[Any]) -> np.dtype[Any]:
    """A structured type whose records have their fields as attributes, in compiled and in plain Python."""
    return np.dtype((np.record, np.dtype(fields, align=True)))


def new_record(kind: np.dtype[Any]) -> Any:
    """A record of a `record_type`, all zeros."""
    return np.zeros(1, kind)[0]


def compiled(function: Callable[..., Any]) -> Any:
    """Compile a helper that kernels call; it becomes part of them."""
    return numba.njit(forceinline=True, error_model="numpy")(function)


def compiled_apart(function: Callable[..., Any]) -> Any:
    """Compile a helper that is rarely called: it stays out of line, which keeps the hot code small."""
    return numba.njit(error_model="numpy", no_cpython_wrapper=True)(function)


@compiled
def keep_alive(*arrays: Any) -> None:
    """Mark the end of the use of arrays whose records are passed on.

    Numba lets go of an array after its last mention in a function, while a record of it may still be in use.
    """


@contextmanager
def short_loops() -> Iterator[None]:
    """Compile without vectorising loops.

    The loops of a hand are a few turns long; as vectors each becomes a page of code that is never entered, which costs
    three percent of the speed, and time to compile.
    """
    before = config.LOOP_VECTORIZE
    config.LOOP_VECTORIZE = 0
    try:
        yield
    finally:
        config.LOOP_VECTORIZE = before


class Kernel:
    """A compiled function with one signature, compiled or loaded from the cache when it is first called.

    Parameters
    ----------
    function : callable
        What to compile, without the interpreter lock.
    signature : numba signature
        Its only signature: other agents or rules never make Numba compile again.
    cached : bool
        Whether to keep the compiled code on disk; only for functions of this package, whose sources are watched.
    checked : bool
        Whether division by zero and indices out of range raise, as they do in plain Python.
    """

    def __init__(
        self, function: Callable[..., Any], signature: Any, *, cached: bool = True, checked: bool = False
    ) -> None:
        self.function = function
        self.signature = signature
        self.cached = cached
        self.checked = checked

    @cached_property
    def dispatcher(self) -> Any:
        """The function itself, ready to call or to be passed on (plain Python where Numba's compiler is off)."""
        error_model = "python" if self.checked else "numpy"
        dispatcher = numba.njit(nogil=True, error_model=error_model, boundscheck=self.checked)(self.function)
        if not config.DISABLE_JIT:
            if self.cached and cache_folder() is not None:
                dispatcher._cache = _Cache(self.function)
            if self.cached and not self.is_compiled():
                LOGGER.info("compiling %s", self.function.__qualname__)
            with short_loops():
                dispatcher.compile(self.signature)
            dispatcher.disable_compile()
        return dispatcher

    def is_compiled(self) -> bool:
        """Whether its compiled code lies on disk, so that the first call is quick."""
        folder = cache_folder() if self.cached else None
        return folder is not None and any(folder.glob(f"*.{self.function.__qualname__}-*.nbi"))

    def prepare(self) -> None:
        """Compile it now, rather than at the first call."""
        _ = self.dispatcher

    def __call__(self, *arguments: Any) -> Any:
        """Call it, compiled if that is still to be done."""
        if config.DISABLE_JIT:  # plain Python tells of overflows, which SplitMix64 makes on purpose
            with np.errstate(over="ignore"):
                return self.dispatcher(*arguments)
        return self.dispatcher(*arguments)


def kernel(signature: Any) -> Callable[[Callable[..., Any]], Kernel]:
    """Decorate a function that Python calls: see `Kernel`."""
    return lambda function: Kernel(function, signature)
