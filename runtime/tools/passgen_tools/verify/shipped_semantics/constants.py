"""The semantics of constants, and of poison."""

from __future__ import annotations

from typing import Final

from passgen_tools.verify.semantics import Bits, Engine, Semantics, Truth


def _constant(_engine: Engine, constant: Bits) -> Bits:
    return constant


def _any_bits(_engine: Engine) -> Bits:
    return 0


def _always(engine: Engine) -> Truth:
    return engine.BoolVal(1)


CONSTANTS: Final = {
    "arith.constant": Semantics(types=":a", attribute="value", value=_constant),
    "ub.poison": Semantics(types=":a", value=_any_bits, poison=_always),
}
"""The semantics by the name of the operation."""
