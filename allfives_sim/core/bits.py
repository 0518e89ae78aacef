"""Bit tricks on int64 masks, as single processor instructions where Numba compiles them.

All masks of the engine stay below bit 63, so that signed arithmetic is safe in compiled and in plain Python.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

int64: Any = np.int64  # as a function: in compiled code and in plain Python, what an unsigned field becomes to be added


def popcount(mask: int) -> int:
    """Number of bits set.

    >>> popcount(0b1011)
    3
    """
    return int(mask).bit_count()


def lowest(mask: int) -> int:
    """Number of the lowest bit set; the mask must not be 0.

    >>> lowest(0b1010)
    1
    """
    return (int(mask) & -int(mask)).bit_length() - 1


def highest(mask: int) -> int:
    """Number of the highest bit set; the mask must not be 0.

    >>> highest(0b1010)
    3
    """
    return int(mask).bit_length() - 1


def copy_all(target: Any, source: Any) -> None:
    """Copy all of a small array of fixed size, such as a field of a record, onto one of the same type and size.

    One or two vector instructions; a loop would be one move a number, since it cannot know that they do not overlap.
    """
    target[:] = source


def copy_record(target: Any, source: Any) -> None:
    """Copy a whole record onto another of the same type."""
    for name in source.dtype.names:
        target[name] = source[name]


@intrinsic
def _copy_bytes(_context: Any, target: Any, source: Any) -> Any:
    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        cgutils.raw_memcpy(builder, args[0], args[1], context.get_constant(types.intp, sig.args[0].size), 1)
        return context.get_dummy_value()

    return types.void(target, source), code


@overload(copy_record, inline="always")
def _copy_record(target: Any, source: Any) -> Callable[[Any, Any], None]:
    def copy_bytes(target: Any, source: Any) -> None:
        _copy_bytes(target, source)

    return copy_bytes


@intrinsic
def _copy_fixed(_context: Any, target: Any, source: Any) -> Any:
    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        to, of = (context.make_array(t)(context, builder, a) for t, a in zip(sig.args, args, strict=True))
        items = context.get_constant(types.intp, sig.args[0].nitems)
        cgutils.raw_memcpy(builder, to.data, of.data, items, sig.args[0].dtype.bitwidth // 8)
        return context.get_dummy_value()

    return types.void(target, source), code


@intrinsic
def _count_ones(_context: Any, mask: Any) -> Any:
    def code(_ctx: Any, builder: Any, _sig: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.int64), code


@intrinsic
def _count_trailing(_context: Any, mask: Any) -> Any:
    def code(_ctx: Any, builder: Any, _sig: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), code


@intrinsic
def _count_leading(_context: Any, mask: Any) -> Any:
    def code(_ctx: Any, builder: Any, _sig: Any, args: Any) -> Any:
        return builder.ctlz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), code


# Numba wants the two signatures of an overload to be the same to the letter, annotations included.
@overload(popcount, inline="always")
def _popcount(mask: int) -> Callable[[int], int]:
    def count_ones(mask: int) -> int:
        return _count_ones(mask)

    return count_ones


@overload(copy_all, inline="always")
def _copy_all(target: Any, source: Any) -> Callable[[Any, Any], None]:
    def copy_fixed(target: Any, source: Any) -> None:
        _copy_fixed(target, source)

    return copy_fixed


@overload(lowest, inline="always")
def _lowest(mask: int) -> Callable[[int], int]:
    def count_trailing(mask: int) -> int:
        return _count_trailing(mask)

    return count_trailing


@overload(highest, inline="always")
def _highest(mask: int) -> Callable[[int], int]:
    def count_leading(mask: int) -> int:
        return 63 - _count_leading(mask)

    return count_leading
