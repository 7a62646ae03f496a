"""Constants of xDSL's IR and of `mlir-opt`: the same text, and ours printed, are equal."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from passgen_runtime.ir.xdsl import XDSLContext
from tests.cases.reader import read_cases

CASES = read_cases("constants")
IN_ARITH = re.compile(r"true|.*(?: : |x|<)(?:i\d+|index|b?f\d+|tf32|f\dE\w+)>?")
"""Constants that `arith.constant` takes: signless integers, floats, tensors of both."""

NOT_IN_ARITH = re.compile(r"array|.*(?:memref|complex)")


def unregistered(constants: list[str]) -> str:
    lines = (f'"test.op"() {{v = {constant}}} : () -> ()' for constant in constants)
    return "\n".join(lines)


def in_arith(constants: list[str]) -> str:
    lines = (
        f"%c{index} = arith.constant {constant}"
        for index, constant in enumerate(constants)
        if IN_ARITH.fullmatch(constant) and not NOT_IN_ARITH.match(constant)
    )
    return "\n".join(lines)


def read_by_mlir(mlir_opt: Path, text: str, *flags: str) -> tuple[str, str]:
    command = [str(mlir_opt), "--allow-unregistered-dialect", *flags]
    done = subprocess.run(
        command, input=text, capture_output=True, text=True, check=False
    )
    return done.stdout, done.stderr


def test_mlir_reads_the_same_bits_from_what_is_printed(mlir_opt: Path) -> None:
    held = [text for text, _ in CASES["held"]]
    for text in (unregistered(held), in_arith(held)):
        context = XDSLContext(allow_unregistered=True)
        printed = context.print(context.parse(text, "f.mlir"))

        expected, errors = read_by_mlir(mlir_opt, text)
        found, more_errors = read_by_mlir(mlir_opt, printed)

        assert errors == more_errors == ""
        assert found.splitlines() == expected.splitlines()


def test_mlir_reads_the_digits_of_many_elements(mlir_opt: Path) -> None:
    bits = ", ".join("10" * 60)
    numbers = ", ".join(str(number) for number in range(-60, 60))
    nans = "0x7E01, " + ", ".join(["0.5"] * 119)
    constants = [
        f"dense<[{bits}]> : tensor<120xi1>",
        *(
            f"dense<[{numbers}]> : tensor<120x{type_}>"
            for type_ in ("i8", "i24", "i40")
        ),
        f"dense<[{numbers}]> : tensor<120xindex>",
        f"dense<[{nans}]> : tensor<120xf16>",
    ]
    context = XDSLContext(allow_unregistered=True)
    printed = context.print(context.parse(unregistered(constants), "f.mlir"))

    digits = re.findall('dense<"0x.*', printed)
    assert len(digits) == len(constants)
    assert re.findall('dense<"0x.*', read_by_mlir(mlir_opt, printed)[0]) == digits
    assert read_by_mlir(mlir_opt, printed) == read_by_mlir(
        mlir_opt, unregistered(constants)
    )


def test_mlir_refuses_what_is_refused(mlir_opt: Path) -> None:
    refused = [text for text, _ in CASES["refused"]]

    _, errors = read_by_mlir(
        mlir_opt,
        unregistered(refused).replace("\n", "\n// -----\n"),
        "--split-input-file",
    )

    places = re.findall(r"<stdin>:(\d+):\d+: error: ", errors)
    # Every second line is a separator.
    assert sorted(map(int, set(places))) == [*range(1, 2 * len(refused), 2)]


def test_mlir_reads_what_xdsl_cannot_hold(mlir_opt: Path) -> None:
    wide = [text for text, _ in CASES["too_wide"]]

    assert read_by_mlir(mlir_opt, unregistered(wide))[1] == ""


def test_all_floats_of_few_bits_are_those_of_mlir(mlir_opt: Path) -> None:
    widths = {
        **dict.fromkeys(("f8E5M2", "f8E4M3", "f8E3M4", "f8E4M3FN", "f8E8M0FNU"), 8),
        **dict.fromkeys(("f8E5M2FNUZ", "f8E4M3FNUZ", "f8E4M3B11FNUZ"), 8),
        **dict.fromkeys(("f6E2M3FN", "f6E3M2FN"), 6),
        "f4E2M1FN": 4,
    }
    constants = [
        f"dense<[{', '.join(f'0x{bits:X}' for bits in range(1 << width))}]> : "
        f"tensor<{1 << width}x{type_}>"
        for type_, width in widths.items()
    ]
    context = XDSLContext(allow_unregistered=True)
    text = unregistered(constants)
    as_list = "--mlir-print-elementsattrs-with-hex-if-larger=-1"
    printed = context.print(context.parse(text, "f.mlir"))

    assert read_by_mlir(mlir_opt, printed, as_list) == read_by_mlir(
        mlir_opt, text, as_list
    )
