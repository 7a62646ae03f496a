"""Options of passes in C++: the generated parsers, compiled and run beside Python's."""

from __future__ import annotations

import importlib
import struct
import subprocess
from enum import Enum
from pathlib import Path
from typing import Any

import pytest

from passgen.generation import Options, generate
from passgen.naming import pascal_case
from passgen_runtime import PassOptionError, PipelineError
from tests.cpp_compiler import CppCompiler

FOLDER = Path(__file__).with_name("cpp_options")

INTEGERS = [
    *("0", "1", "-1", "+1", "007", "08", "0x7f", "0X7F", "0b101", "0o17", "1.0", "1e3"),
    *("127", "128", "255", "256", "-129", "32768", "65536", "'5'", "{6}", "", "x"),
]
LARGE = [
    *("2147483647", "2147483648", "-2147483649", "4294967296", "9223372036854775807"),
    *("9223372036854775808", "-9223372036854775809", "18446744073709551616"),
]
NUMBERS = [
    *("1.5", "-2", "0x1p3", "inf", "-INF", "nan", "1e400", "1e-400", "0.1", "1.5f"),
    *("", ".", "1.", ".5", "3e", "' 1'", "1_0"),
]
WORDS = [
    *("a", "'b c'", '"d"', "{e f}", "", "it's", "a=b", "None", "$", "\\", "{a,b}", "é"),
]
LISTS = ["1", "1,2", "{1, 2}", "{}", "", "1,,2", "256", "-1", "1 sizes=2", "x", "'1'"]

TEXTS = {
    "flags": [
        *("", "one", "one=true", "one=TRUE", "one=0", "one=False two=0", "one="),
        *("one=yes", "two=false one", "one=1 one=0", "On=1", "one two", "zz", "=x"),
    ],
    "small": [
        *(f"int8={each}" for each in INTEGERS),
        *("int16=32767", "int16=32768", "uint8=256", "uint8=-1", "uint16=65535"),
        *("uint16=65536", "int8=1 int8=2", "int8"),
    ],
    "wide": [
        *(f"{name}={each}" for name in ("int64", "uint64") for each in LARGE),
        *(f"int32={each}" for each in LARGE[:4]),
        *(f"uint32={each}" for each in (*LARGE[:4], "-0")),
    ],
    "numbers": [
        *(f"{name}={each}" for name in ("single", "twofold") for each in NUMBERS),
        *("single=3.5e38", "single=1e-46"),
    ],
    "texts": [f"{name}={each}" for name in ("text", "short") for each in WORDS],
    "modes": [
        *("mode=fast", "mode=very-slow", "mode=kSlow", "mode=", "mode", "kind=8"),
        *("kind=None", "kind=linux mode={very-slow}", "kind=Linux"),
    ],
    "integer-lists": [
        f"{name}={each}" for name in ("sizes", "bytes") for each in LISTS
    ],
    "other-lists": [
        *("", "names=a,b", "names={a, 'b c'}", "names={}", "names=a names=b", "names"),
        *("ratios=1,2.5", "ratios={inf}", "ratios=x"),
    ],
    "required": [
        *("", "count=1", "count=1 label=x", "label=x some=1", "count=1 label=x some=1"),
        *("count=0 label= some={}", "count=256 label=x some=1"),
    ],
    "maybe-numbers": [
        *("", "int8=1", "int8=128", "int8=None", "int8=None int8=2", "int8=none"),
        *("int8=2 int8=None", "uint64=18446744073709551615", "uint64=-1", "int8="),
        *("twofold=0.1", "twofold=None", "flag", "flag=false", "flag=None", "flag=No"),
        *("int8={None}", "int8", "uint64='None'"),
    ],
    "maybe-modes": [
        *("", "mode=slow", "mode=None", "mode=slow mode=None", "mode=x", "mode"),
        *("kind=all", "kind=some mode=fast", "kind=none"),
    ],
    "maybe-none": ["", "kind=all", "kind=None", "kind=", "kind=None kind=", "kind=x"],
    "maybe-texts": [
        *("", "text=", "text=None", "text={a b}", "text", "sizes=1,2", "sizes=None"),
    ],
}
LINES = [f"{argument} {each}" for argument, texts in TEXTS.items() for each in texts]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the generated files, and one that has the parser again."""
    folder = tmp_path_factory.mktemp("options")
    specs = [str(FOLDER / "parsed.yaml")]
    cpp, python = generate(specs, Options(("cpp", "python"))).files
    for name in ("parsed", "other"):
        (folder / f"{name}_passes.h.inc").write_text(cpp.text, "utf-8")
    (folder / "options_of_python.py").write_text(python.text, "utf-8")
    (folder / "main.cpp").write_bytes((FOLDER / "main.cpp").read_bytes())
    return folder


@pytest.fixture(scope="module")
def program(folder: Path, cpp: CppCompiler) -> Path:
    """Return the program, with assertions in headers."""
    return cpp.link(folder / "main.cpp").rename(folder / "shown")


def rows(program: Path, lines: list[str]) -> list[list[str]]:
    """Return the values, the error, and the pipeline that MLIR prints, of each line."""
    text = "".join(f"{line}\n" for line in lines)
    done = subprocess.run(
        program, input=text, capture_output=True, text=True, check=True
    )
    return [line.split("\t") for line in done.stdout.splitlines()]


def shown(value: object, option_type: str) -> str:
    """Return a value of Python as the program shows it."""
    match value:
        case None:
            return "unset;"
        case Enum():
            return f"value {[*type(value)].index(value)};"
        case list():
            return f"[{''.join(shown(each, option_type) for each in value)}];"
        case float() if option_type == "float":
            return f"{struct.unpack('f', struct.pack('f', value))[0]:.17g};"
        case float():
            return f"{value:.17g};"
        case _:
            return f"{int(value) if isinstance(value, bool) else value};"


def of_python(module: Any, line: str) -> str:  # noqa: ANN401 - a generated module
    argument, _, text = line.partition(" ")
    cls = getattr(module, f"{pascal_case(argument)}Options")
    try:
        options = cls.parse(text)
    except (PassOptionError, PipelineError):
        return ""
    values = [
        # An optional list of C++ without a value is empty.
        shown([] if info.is_list and value is None else value, info.type.name)
        for info in cls.documented_options()
        for value in [getattr(options, info.field)]
    ]
    return "".join(values)


def test_options_are_those_of_python(
    folder: Path, program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(folder)
    module = importlib.import_module("options_of_python")
    assert len(LINES) >= 200

    found = rows(program, LINES)

    values = {line: row[0] for line, row in zip(LINES, found, strict=True)}
    assert values == {line: of_python(module, line) for line in LINES}
    # MLIR knows no bounds within the types of C++, and no required options.
    for line, (value, error, printed) in zip(LINES, found, strict=True):
        is_stricter = ", expected " in error or "at least once!" in error
        assert (line, bool(value)) == (line, bool(printed) and not is_stricter)
        assert (line, bool(error)) == (line, not value)


PRINTED = {
    "maybe-numbers ": "{flag=None int8=None twofold=None uint64=None}",
    "maybe-numbers flag=0 int8=-8 twofold=2 uint64=7": (
        "{flag=0 int8=-8 twofold=2.000000e+00 uint64=7}"
    ),
    "maybe-modes ": "{kind=None mode=None}",
    "maybe-modes kind=all mode=slow": "{kind=all mode=slow}",
    "maybe-none ": "{kind=}",  # since "None" is a value
    "maybe-none kind=None": "{kind=None}",
    "maybe-texts text=a sizes=1,2": "{sizes={1,2} text=a}",
}


@pytest.mark.parametrize("flags", [(), ("-DNDEBUG", "-Wno-invalid-pch")])
def test_what_mlir_prints_of_optional_options_is_read_again(
    folder: Path, cpp: CppCompiler, program: Path, flags: tuple[str, ...]
) -> None:
    built = cpp.link(folder / "main.cpp", *flags) if flags else program
    expected = {
        line: f"any({line.partition(' ')[0]}{printed})"
        for line, printed in PRINTED.items()
    }

    found = rows(built, list(PRINTED))

    assert dict(zip(PRINTED, [row[2] for row in found], strict=True)) == expected
    texts = [row[2].removeprefix("any(").removesuffix("})") for row in found]
    again = rows(built, [text.replace("{", " ", 1) for text in texts])
    assert [row[0] for row in again] == [row[0] for row in found]


def test_a_parser_of_the_author_is_kept(folder: Path, cpp: CppCompiler) -> None:
    flags = "-DHAS_OWN_PARSER", "-Wno-invalid-pch"

    cpp.compile("g++", folder / "main.cpp", "-fsyntax-only", *flags)
