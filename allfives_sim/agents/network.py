"""The network that says what a play is worth: one hidden layer, its weights learned from hands played out.

The weights are in network.npy, made by experiments/learn.py: a row for each feature (features.py), then the constants
of the hidden units, then what each unit adds to the value.  Sums are made in one fixed order, in single precision, so
that every machine gives the same numbers, compiled or not.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

WEIGHTS = np.ascontiguousarray(np.load(Path(__file__).with_name("network.npy")), np.float32)
INPUTS, UNITS = len(WEIGHTS) - 2, WEIGHTS.shape[1]


def evaluate(inputs: Any) -> float:
    """What the network answers.

    Parameters
    ----------
    inputs : float32 array (INPUTS,)

    Returns
    -------
    float
        In steps of the score: see features.py.
    """
    hidden = WEIGHTS[INPUTS].copy()
    for number in range(INPUTS):
        hidden += inputs[number] * WEIGHTS[number]
    parts = np.maximum(hidden, np.float32(0)) * WEIGHTS[INPUTS + 1]
    while len(parts) > 1:
        parts = parts[: len(parts) // 2] + parts[len(parts) // 2 :]
    return float(parts[0])


@intrinsic
def _evaluate(_context: Any, inputs: Any) -> Any:
    """The same on vectors of all hidden units at once, which loops of compiled code are not made into."""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        array = context.make_array(sig.args[0])(context, builder, args[0])
        vector = ir.VectorType(ir.FloatType(), UNITS)

        def constant(row: int) -> Any:
            return ir.Constant(vector, [float(weight) for weight in WEIGHTS[row]])

        total = constant(INPUTS)
        nothing, spread = ir.Constant(vector, None), ir.Constant(ir.VectorType(ir.IntType(32), UNITS), None)
        for number in range(INPUTS):
            place = builder.gep(array.data, [ir.Constant(ir.IntType(64), number)])
            lane = builder.insert_element(nothing, builder.load(place), ir.Constant(ir.IntType(32), 0))
            inputs_all = builder.shuffle_vector(lane, nothing, spread)
            total = builder.fadd(total, builder.fmul(inputs_all, constant(number)))
        active = builder.select(builder.fcmp_ordered(">", total, nothing), total, nothing)
        parts, width = builder.fmul(active, constant(INPUTS + 1)), UNITS
        while width > 1:
            width //= 2
            low, high = (
                builder.shuffle_vector(
                    parts, parts, ir.Constant(ir.VectorType(ir.IntType(32), width), list(range(at, at + width)))
                )
                for at in (0, width)
            )
            parts = builder.fadd(low, high)
        return builder.fpext(builder.extract_element(parts, ir.Constant(ir.IntType(32), 0)), ir.DoubleType())

    return types.float64(inputs), code


@overload(evaluate, inline="always")
def _evaluate_compiled(inputs: Any) -> Callable[[Any], float]:
    def vectors(inputs: Any) -> float:
        return _evaluate(inputs)

    return vectors
