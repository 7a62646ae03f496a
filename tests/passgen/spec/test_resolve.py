"""The model that a spec becomes: every key, and every default."""

from __future__ import annotations

import pytest

from passgen.model import (
    Anchor,
    EnumValue,
    Option,
    OptionType,
    Pass,
    PassGroup,
    Statistic,
)
from passgen.model.constraints import Name
from passgen.source import Location, SourceFile
from passgen.spec import loader, read, resolve
from passgen.spec.located import Entry, Scalar, text_at

FULL = """\
name: Loops
summary: Loop passes.
description: |
  About loops.
passes:
  TileLoops:
    argument: tile-loops
    summary: |
      Tile loops
    description: Tiles.
    anchor: func.func
    dependentDialects: [affine, arith]
    constructor: my_dialect.tile:TileLoops
    options:
      - name: tileMode
        argument: mode
        type: enum
        values: [greedy, {value: by-size, description: By size.}]
        enumName: Mode
        default: greedy
        description: |
          How to tile.
    statistics:
      - {name: numTiled, displayName: num-tiled, description: Loops tiled.}
"""

MINIMAL = """\
passes:
  TileLoops:
    argument: tile-loops
    summary: Tile loops
    options:
      - {name: tileMode, argument: mode, listOf: enum, values: [a, b]}
      - {name: share, argument: share, type: {python: 'my.options:PERCENT'}}
    statistics:
      - name: numTiled
"""


def group_of(
    text: str, file: str = "my-loops.yaml", name: str | None = None
) -> PassGroup:
    return read(SourceFile(file, text), name)


def test_every_key() -> None:
    source = SourceFile("my-loops.yaml", FULL)

    def at(line: int, column: int, length: int) -> Location:
        return Location(source, line, column, length)

    mode = Option(
        name="tileMode",
        argument="mode",
        type=OptionType(
            "enum",
            at(19, 19, 4),
            enum_name="Mode",
            values=(
                EnumValue("greedy", "", at(18, 18, 6)),
                EnumValue("by-size", "By size.", at(18, 34, 7)),
            ),
        ),
        is_list=False,
        default="greedy",
        description="How to tile.",
        location=at(15, 15, 8),
        argument_location=at(16, 19, 4),
        default_location=at(20, 18, 6),
    )
    pass_ = Pass(
        name="TileLoops",
        argument="tile-loops",
        summary="Tile loops",
        description="Tiles.",
        anchor=Anchor("operation", "func.func", at(11, 13, 9)),
        dependent_dialects=(
            Name("affine", at(12, 25, 6)),
            Name("arith", at(12, 33, 5)),
        ),
        constructor="my_dialect.tile:TileLoops",
        options=(mode,),
        statistics=(Statistic("numTiled", "num-tiled", "Loops tiled.", at(24, 16, 8)),),
        location=at(6, 3, 9),
        argument_location=at(7, 15, 10),
        summary_location=at(8, 14, 1),
        constructor_location=at(13, 18, 25),
    )

    assert group_of(FULL) == PassGroup(
        name="Loops",
        summary="Loop passes.",
        description="About loops.",
        passes=(pass_,),
        location=at(1, 1, 4),
        file_title="MyLoops",
    )


def test_every_default() -> None:
    group = group_of(MINIMAL)
    (pass_,) = group.passes
    mode, share = pass_.options

    assert (group.name, group.summary, group.description) == ("MyLoops", "", "")
    assert (pass_.description, pass_.constructor) == ("", "")
    assert pass_.constructor_location == pass_.location
    assert pass_.anchor is None
    assert pass_.dependent_dialects == ()
    assert (mode.is_list, mode.default, mode.description) == (True, None, "")
    assert mode.default_location == mode.location
    assert mode.type.enum_name == "TileLoopsTileMode"
    assert text_at(mode.type.location) == "enum"
    assert (share.is_list, share.type.name) == (False, "foreign")
    assert (share.type.python, share.type.enum_name) == ("my.options:PERCENT", "")
    assert pass_.statistics[0].display_name == "numTiled"
    assert pass_.statistics[0].description == ""


def test_a_pass_without_options_and_statistics_has_none() -> None:
    group = group_of("passes:\n  A: {argument: a, summary: A}\n")

    assert group.passes[0].options == ()
    assert group.passes[0].statistics == ()


def test_an_interface_is_a_kind_of_anchor() -> None:
    group = group_of("passes:\n  A: {argument: a, summary: A, interface: LoopLike}\n")
    anchor = group.passes[0].anchor

    assert anchor is not None
    assert (anchor.kind, anchor.name) == ("interface", "LoopLike")


def test_false_and_zero_are_defaults() -> None:
    group = group_of("""\
passes:
  A:
    argument: a
    summary: A
    options:
      - {name: b, argument: b, type: bool, default: false}
      - {name: c, argument: c, type: int8, default: 0}
      - {name: d, argument: d, type: string, default: ""}
""")

    assert [each.default for each in group.passes[0].options] == [False, 0, ""]


@pytest.mark.parametrize(
    ("given", "own", "file", "expected"),
    [
        ("Given", "Own", "file.yaml", "Given"),
        (None, "Own", "file.yaml", "Own"),
        (None, None, "specs/my-file.yaml", "MyFile"),
    ],
)
def test_group_name(
    given: str | None, own: str | None, file: str, expected: str
) -> None:
    text = (f"name: {own}\n" if own else "") + MINIMAL

    assert group_of(text, file, given).name == expected


@pytest.mark.parametrize(
    "path",
    [
        (),
        ("passes", "TileLoops"),
        ("passes", "TileLoops", "options", 0),
        ("passes", "TileLoops", "options", 0, "values", 1),
        ("passes", "TileLoops", "options", 1, "type"),
        ("passes", "TileLoops", "statistics", 0),
    ],
    ids=str,
)
def test_a_key_that_is_not_taken_fails_an_assertion(
    path: tuple[str | int, ...],
) -> None:
    text = MINIMAL.replace("[a, b]", "[a, {value: b}]")
    data = loader.load(SourceFile("spec.yaml", text))
    node: object = data
    for step in path:
        node = (
            node.items[step]  # type: ignore[attr-defined] # the path leads there
            if isinstance(step, int)
            else node.entries[step].value  # type: ignore[attr-defined] # as above
        )
    place = data.location
    node.entries["new"] = Entry(place, Scalar("x", place))  # type: ignore[attr-defined] # as above

    with pytest.raises(AssertionError, match=r"keys that nothing reads: \['new'\]"):
        resolve.resolve(data)


PATTERN = """\
passes:
  A:
    argument: a
    summary: A
    patterns:
      - name: first
        before: '%0 = a.b {{k = $c}}'
        after: '%0 = a.b'
        attributes: {{c: {{{examples}}}}}
"""


@pytest.mark.parametrize(
    ("examples", "texts"),
    [
        ("example: 8", ("8", "9")),
        ("example: -1", ("-1", "-2")),
        ("example: true", ("true", "false")),
        ("example: 1.5", ("1.5", "0.75")),
        ("example: 0.0", ("0.0", "1.0")),
        ("example: 1.0e+20", ("1.0e+20", "5.0e+19")),
        ("example: 1.0e-9", ("1.0e-09", "5.0e-10")),
        ("examples: [1.0e+16, 1.5e+300]", ("1.0e+16", "1.5e+300")),
        ("examples: [slt, '']", ("slt", "")),
        ("examples: ['\"a\"', '@b']", ('"a"', "@b")),
        ("examples: ['\"\\n日本\"', é]", ('"\\n日本"', "é")),
    ],
)
def test_examples_of_attributes_are_texts_of_mlir(
    examples: str, texts: tuple[str, ...]
) -> None:
    group = group_of(PATTERN.format(examples=examples))

    (variable,) = group.passes[0].patterns[0].variables
    assert variable.examples == texts
