"""Encoded IR decodes to equal IR, and damaged data to an error."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest
import xdsl
from hypothesis import given, settings
from hypothesis import strategies as st

from passgen_runtime.errors import IRError
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_tools.ir_libraries import transport_of
from tests.fuzz.encoded import mutated_encoding
from tests.fuzz.ir import random_text
from tests.runtime.ir.xdsl.ir_parts import parts_of, random_ir

TESTS_OF_XDSL = Path(xdsl.__file__).parents[1] / "tests" / "filecheck"
OWN_TESTS = Path(__file__).parents[1]
IS_THOROUGH = settings.get_current_profile_name() == "explore"

SEEDS = st.integers(0, 2**32).map(Random)


@pytest.mark.slow
@given(random=SEEDS)
def test_any_ir_is_equal_after_a_round_trip(random: Random) -> None:
    context = XDSLContext()
    original = random_ir(random)

    data = transport_of(context).encode(original)
    decoded = transport_of(context).decode(data)

    assert parts_of(decoded) == parts_of(original)
    assert transport_of(context).encode(decoded) == data


@pytest.mark.slow
@given(random=SEEDS)
def test_ir_from_text_is_equal_after_a_round_trip(random: Random) -> None:
    context = XDSLContext(allow_unregistered=True)
    text = random_text(random)
    try:
        original = context.parse(text, "f.mlir")
    except IRError:
        return
    assert parts_of(
        transport_of(context).decode(transport_of(context).encode(original))
    ) == parts_of(original)


@pytest.mark.slow
@given(random=SEEDS)
def test_damaged_data_gives_ir_or_an_error(random: Random) -> None:
    context = XDSLContext()
    try:
        decoded = transport_of(context).decode(mutated_encoding(random))
    except IRError as error:
        assert str(error).startswith("<encoded IR>: error: ")  # noqa: PT017 - or none
    else:
        assert context.name(decoded)


@pytest.mark.slow
@pytest.mark.process  # a dialect of xDSL starts one
@pytest.mark.parametrize("folder", [TESTS_OF_XDSL, OWN_TESTS])
def test_ir_in_files_is_equal_after_a_round_trip(folder: Path) -> None:
    files = sorted(folder.rglob("*.mlir"))
    count = 0
    for path in files if IS_THOROUGH else files[::20]:
        text = path.read_text(encoding="utf-8")
        for chunk in re.split(r"^// -----.*$", text, flags=re.MULTILINE):
            context = XDSLContext(allow_unregistered=True)
            try:
                original = context.parse(chunk, path.name)
            except IRError:  # a test of errors
                continue
            decoded = transport_of(context).decode(
                transport_of(context).encode(original)
            )
            assert parts_of(decoded) == parts_of(original), path
            count += 1
    assert count
