"""Constants keep their bits on xDSL's IR: read, printed, copied and sent to workers.

The table is what `mlir-opt` reads; tests/differential/test_constants.py asks it.
"""

from __future__ import annotations

import re

import pytest
from xdsl.dialects.builtin import FloatAttr, f16
from xdsl.ir import Attribute

from passgen_runtime import IRError
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_tools.ir_libraries import inspector_of, transport_of
from tests.cases.reader import read_cases
from tests.xdsl_version import XDSL

CASES = read_cases("constants")
HELD = dict(CASES["held"])
MANY = ", ".join(str(number) for number in range(-60, 60))


def text_of(constant: str) -> str:
    return f'"test.op"() {{v = {constant}}} : () -> ()'


@pytest.fixture
def context() -> XDSLContext:
    return XDSLContext(allow_unregistered=True)


def value_of(context: XDSLContext, constant: str) -> Attribute:
    operation = context.parse(text_of(constant), "f.mlir", implicit_module=False)
    value = operation.attributes["v"]
    assert isinstance(value, Attribute)
    return value


def printed(context: XDSLContext, constant: str) -> str:
    operation = context.parse(text_of(constant), "f.mlir", implicit_module=False)
    return context.print(operation).removeprefix('"test.op"() {v = ')[
        : -len("} : () -> ()")
    ]


@pytest.mark.parametrize("constant", HELD)
def test_a_constant_is_printed_as_mlir_reads_it(
    context: XDSLContext, constant: str
) -> None:
    assert printed(context, constant) == HELD[constant]


@pytest.mark.parametrize("constant", HELD)
def test_what_is_printed_is_read_as_the_same_constant(
    context: XDSLContext, constant: str
) -> None:
    assert value_of(context, HELD[constant]) == value_of(context, constant)


def test_all_constants_survive_workers_and_copies(context: XDSLContext) -> None:
    text = "\n".join(map(text_of, HELD))
    module = context.parse(text, "f.mlir")
    transport = transport_of(context)
    first_difference = inspector_of(context).first_difference

    decoded = transport.decode(transport.encode(module))

    assert context.print(decoded) == context.print(module)
    assert first_difference(decoded, module) is None
    assert first_difference(context.clone(module), module) is None


@pytest.mark.parametrize(
    ("constant", "message"),
    [*CASES["refused"], *CASES["too_wide"], *CASES["undefined"]],
)
def test_other_constants_are_errors(
    context: XDSLContext, constant: str, message: str
) -> None:
    with pytest.raises(IRError, match=f"^f.mlir:1:.*error: {re.escape(message)}$"):
        context.parse(text_of(constant), "f.mlir")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(
            "0x7E01 : f16",
            "0x7E00 : f16",
            marks=pytest.mark.skipif(
                XDSL < (0, 74), reason="before 0.74, attributes of xDSL equal any NaN"
            ),
        ),
        ("dense<[0.0, -0.0]> : tensor<2xf32>", "dense<0.0> : tensor<2xf32>"),
        ("dense<0x7F800001> : tensor<2xf32>", "dense<0x7FC00001> : tensor<2xf32>"),
    ],
)
def test_constants_that_differ_have_other_fingerprints(
    context: XDSLContext, one: str, other: str
) -> None:
    first, second = (context.parse(text_of(each), "f.mlir") for each in (one, other))
    inspector = inspector_of(context)
    (first_inner,), (second_inner,) = map(context.children, (first, second))

    assert context.fingerprint(first) != context.fingerprint(second)
    assert inspector.first_difference(first, second) is first_inner
    shallow = inspector.shallow_fingerprint
    assert shallow(first_inner) != shallow(second_inner)


@pytest.mark.parametrize("type_", ["i1", "i8", "i24", "i40", "index", "f16", "f32"])
def test_many_elements_are_printed_as_the_digits_that_mlir_reads(
    context: XDSLContext, type_: str
) -> None:
    numbers = {
        "i1": ", ".join("10" * 60),
        "f16": "0x7E01, " + ", ".join(["0.5"] * 119),
        "f32": "0x7F800001, " + ", ".join(["0.5"] * 119),
    }.get(type_, MANY)
    constant = f"dense<[{numbers}]> : tensor<120x{type_}>"

    text = printed(context, constant)

    assert text.startswith('dense<"0x')
    assert value_of(context, text) == value_of(context, constant)


def test_a_nan_that_a_pass_makes_is_the_one_of_xdsl(context: XDSLContext) -> None:
    operation = context.parse(text_of("0.0 : f16"), "f.mlir", implicit_module=False)
    operation.attributes["v"] = FloatAttr(float("nan"), f16)

    assert "0x7E00 : f16" in context.print(operation)
