"""Calling a policy: one of a tuple of first-class functions, or one known by its address.

Kernels are given policies as tuples.  A policy that plays hands out in its head with another one, its base, has that
one's address among its parameters: a function cannot be kept in a record, and a closure over one is never found in the
cache of compiled code.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import config
from numba.extending import intrinsic, overload

# Where the compiler is off:
_PLAIN: dict[int, Callable[[Any, Any], int]] = {}  # policies by a made-up address
_RECORDS: dict[int, Any] = {}


def address_of(dispatcher: Any) -> int:
    """The address of a compiled policy, for `call_policy`; below 2**53, so that a float64 holds it."""
    if config.DISABLE_JIT:
        _PLAIN[id(dispatcher) % 2**52] = dispatcher
        return id(dispatcher) % 2**52
    (result,) = dispatcher.overloads.values()
    return int(result.library.get_pointer_to_function(result.fndesc.llvm_func_name))


def address_of_record(record: Any) -> int:
    """Where a record lies in memory, for `record_at`."""
    address = int(record.__array_interface__["data"][0])
    if config.DISABLE_JIT:
        _RECORDS[address] = record
    return address


@intrinsic
def _address_of_record(_context: Any, record: Any) -> Any:
    def code(_ctx: Any, builder: Any, _sig: Any, args: Any) -> Any:
        return builder.ptrtoint(args[0], ir.IntType(64))

    return types.int64(record), code


@overload(address_of_record, inline="always")
def _address(record: Any) -> Callable[[Any], int]:
    def address(record: Any) -> int:
        return _address_of_record(record)

    return address


def record_at(kind: Any, address: int) -> Any:
    """The record of a type (a global of the caller) at an address; it must be kept alive elsewhere."""
    return _RECORDS[address]


@intrinsic
def _record_at(_context: Any, kind: Any, address: Any) -> Any:
    record = kind.instance_type

    def code(context: Any, builder: Any, _sig: Any, args: Any) -> Any:
        return builder.inttoptr(args[1], context.get_value_type(record))

    return record(kind, address), code


@overload(record_at, inline="always")
def _record(kind: Any, address: int) -> Callable[[Any, int], Any]:
    def record(kind: Any, address: int) -> Any:
        return _record_at(kind, address)

    return record


def call_policy(policies: Any, agent: int, view: Any, word: Any) -> int:
    """Ask policy number `agent` of a tuple, or the one at the address `policies`, for a move."""
    return policies[agent](view, word) if isinstance(policies, tuple) else _PLAIN[policies](view, word)


@intrinsic
def _call_address(_context: Any, address: Any, view: Any, word: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        # Numba's own convention, by which what the policy raises goes on to whoever asked it.
        convention, kinds = context.call_conv, signature.args[1:]
        kind = convention.get_function_type(types.int64, kinds)
        policy = builder.inttoptr(args[0], kind.as_pointer())
        status, move = convention.call_function(builder, policy, types.int64, kinds, args[1:])
        with builder.if_then(status.is_error, likely=False):
            convention.return_status_propagate(builder, status)
        return move

    return types.int64(address, view, word), code


@overload(call_policy, inline="always")
def _call_policy(policies: Any, agent: int, view: Any, word: Any) -> Callable[..., int]:
    if isinstance(policies, types.Integer):

        def by_address(policies: Any, agent: int, view: Any, word: Any) -> int:
            return _call_address(policies, view, word)

        return by_address
    if policies.count == 2:

        def one_of_two(policies: Any, agent: int, view: Any, word: Any) -> int:
            policy = policies[0]  # a choice between addresses; indexing is a jump, and one that is hard to predict
            if agent == 1:
                policy = policies[1]
            return policy(view, word)

        return one_of_two

    def one_of_four(policies: Any, agent: int, view: Any, word: Any) -> int:
        policy = policies[0]
        if agent == 1:
            policy = policies[1]
        if agent == 2:
            policy = policies[2]
        if agent == 3:
            policy = policies[3]
        return policy(view, word)

    return one_of_four
