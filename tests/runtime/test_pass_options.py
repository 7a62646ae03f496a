from __future__ import annotations

import copy
import dataclasses
import math
from dataclasses import dataclass, field
from enum import StrEnum
from types import new_class
from typing import Any

import pytest

from passgen_runtime import (
    BOOL,
    DOUBLE,
    FLOAT,
    INT8,
    INT32,
    INT64,
    PIPELINE,
    STRING,
    UINT32,
    OperationPass,
    OptionType,
    PassManager,
    PassOptionError,
    PassOptions,
    PipelineError,
    TextualPipeline,
    enum_type,
    list_option,
    option,
    options_type,
)
from passgen_runtime.errors import UnsetOptionError
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.textual_pipeline.grammar import parse_elements


class Mode(StrEnum):
    GREEDY = "greedy"
    PRODUCER = "producer"


@dataclass(kw_only=True)
class Inner(PassOptions):
    depth: int = option("depth", UINT32, default=2)


@dataclass(kw_only=True)
class Options(PassOptions):
    factor: int = option("unroll-factor", INT64, default=4, description="Copies made.")
    full: bool = option("unroll-full", BOOL)
    sizes: list[int] = list_option("sizes", INT8)
    names: list[str] = list_option("names", STRING)
    mode: Mode = option("mode", enum_type(Mode), default="producer")
    ratio: float = option("ratio", DOUBLE, default=0.5)
    label: str = option("label", STRING)
    inner: Inner = option("inner", options_type(Inner))
    first: TextualPipeline = option("first", PIPELINE, default="any(cse)")


def test_defaults_are_printed_in_order_of_argument() -> None:
    assert str(Options()) == (
        "first=any(cse) inner={depth=2} label= mode=producer ratio=0.5 "
        "unroll-factor=4 unroll-full=false"
    )
    assert str(PassOptions()) == ""


def test_options_without_a_pass() -> None:
    options = Options.parse(
        "unroll-factor=0x10 unroll-full sizes=1,-2 names={a,'b c'} mode=greedy "
        "label='x y' inner={depth=3} first=func.func(cse,canonicalize{top-down})"
    )

    assert options == Options(
        factor=16,
        full=True,
        sizes=[1, -2],
        names=["a", "b c"],
        mode=Mode.GREEDY,
        label="x y",
        inner=Inner(depth=3),
        first=parse_elements("func.func(cse,canonicalize{top-down})"),
    )
    assert Options.parse(str(options)) == options


def test_lists_append_and_scalars_take_the_last_value(
    capsys: pytest.CaptureFixture[str],
) -> None:
    options = Options.parse("sizes=1 unroll-factor=1 sizes={2,3} unroll-factor=2")

    assert (options.sizes, options.factor) == ([1, 2, 3], 2)
    assert capsys.readouterr().err == """\
pass-options:1:37: warning: option 'unroll-factor' is given again: the last value is used
sizes=1 unroll-factor=1 sizes={2,3} unroll-factor=2
                                    ^~~~~~~~~~~~~~~
note: it was given before as 'unroll-factor=1'
"""


@dataclass(kw_only=True)
class Tiling(PassOptions):
    sizes: list[int] = list_option("sizes", INT64, default=[32, 32])
    modes: list[Mode] = list_option("modes", enum_type(Mode), default=["greedy"])
    names: list[str] = list_option("names", STRING)


def test_the_first_value_of_a_list_replaces_its_default() -> None:
    assert Tiling.parse("sizes=1").sizes == [1]
    assert Tiling.parse("sizes=1 names=a sizes=2,3").sizes == [1, 2, 3]
    assert Tiling.parse("names=a").sizes == [32, 32]
    assert Tiling().modes == [Mode.GREEDY]


def test_a_list_is_printed_unless_it_has_its_default() -> None:
    options = Tiling(sizes=[])

    assert str(Tiling(modes=["greedy"])) == ""  # type: ignore[list-item] # texts too
    assert str(Tiling(names=["a"])) == "names={a}"
    assert str(options) == "sizes={}"
    assert Tiling.parse(str(options)) == options


def test_each_object_has_its_own_copy_of_the_default_of_a_list() -> None:
    Tiling().sizes.append(64)

    assert Tiling().sizes == [32, 32]


def test_the_default_of_a_list_is_checked() -> None:
    with pytest.raises(PassOptionError, match="'x' value invalid"):
        list_option("sizes", INT64, default=["x"])
    with pytest.raises(PassOptionError, match="'12' is not a list of values"):
        list_option("sizes", INT64, default="12")


def test_value_without_a_name_is_ignored_with_a_warning(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert Options.parse("unroll-full =false").full
    assert capsys.readouterr().err == """\
pass-options:1:13: warning: an option without a name is ignored
unroll-full =false
            ^~~~~~
note: write 'name=value', without blanks around the '='
"""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "unroll-factr=1",
            """\
pass-options:1:1: error: no such option unroll-factr
unroll-factr=1
^~~~~~~~~~~~
note: did you mean 'unroll-factor'?
note: valid options are first, inner, label, mode, names, ratio, sizes, unroll-factor, unroll-full""",
        ),
        (
            "sizes={1,\n 128}",
            """\
pass-options:2:2: error: for the --sizes option: '128' value invalid for integer argument!
 128}
 ^~~
note: expected an integer of -128 to 127, decimal or prefixed 0x, 0b, 0o or 0""",
        ),
        (
            "mode=GREDY",
            """\
pass-options:1:6: error: for the --mode option: Cannot find option named 'GREDY'!
mode=GREDY
     ^~~~~
note: did you mean 'greedy'?
note: expected one of greedy, producer""",
        ),
        (
            "label",
            """\
pass-options:1:1: error: for the --label option: requires a value!
label
^~~~~
note: write 'label=...', without blanks around the '='""",
        ),
        (
            "sizes=1,,2",
            """\
pass-options:1:9: error: for the --sizes option: '' value invalid for integer argument!
sizes=1,,2
        ^
note: expected an integer of -128 to 127, decimal or prefixed 0x, 0b, 0o or 0""",
        ),
        (
            "label=a inner={dept=1}",
            """\
pass-options:1:16: error: no such option dept
label=a inner={dept=1}
               ^~~~
note: did you mean 'depth'?
note: valid options are depth""",
        ),
    ],
)
def test_error(text: str, message: str) -> None:
    with pytest.raises(PassOptionError) as raised:
        Options.parse(text)

    assert str(raised.value) == message


def test_error_in_a_nested_pipeline_has_its_place() -> None:
    with pytest.raises(PipelineError) as raised:
        Options.parse("label=a first=any(cse")

    assert str(raised.value) == """\
pass-options:1:22: error: encountered unbalanced parentheses while parsing pipeline
label=a first=any(cse
                     ^
note: 'any(' is not closed
note: in the value of option 'first'"""


def test_python_values_are_checked() -> None:
    with pytest.raises(PassOptionError) as raised:
        Options(factor=2**63)

    assert (
        str(raised.value)
        == f"""\
for the --unroll-factor option: {2**63} is not a value of int64
note: expected an integer of -9223372036854775808 to 9223372036854775807, decimal or prefixed 0x, 0b, 0o or 0"""
    )
    with pytest.raises(PassOptionError):
        Options(factor=True)
    assert Options(factor="0b11").factor == 3  # type: ignore[arg-type] # text is read


def test_values_are_not_shared() -> None:
    sizes = [1]
    options = Options(sizes=sizes)
    sizes.append(2)
    Options().inner.depth = 7

    assert options.sizes == [1]
    assert Options().inner.depth == 2


@dataclass(kw_only=True)
class CppOptions(PassOptions):
    level: int = option("level", INT32, cpp_default="kLevel")
    sizes: list[int] = list_option("sizes", INT32, cpp_default="kSizes")
    full: bool = option("full", BOOL)


def test_an_option_whose_default_only_cpp_knows_is_left_out_until_it_is_set() -> None:
    options = CppOptions()
    assert str(options) == "full=false"
    assert repr(options) == "CppOptions(full=False)"

    options.level = 0
    options.sizes = [4]

    assert str(options) == "full=false level=0 sizes={4}"
    assert options == CppOptions.parse("level=0 sizes=4") != CppOptions.parse("level=0")
    assert CppOptions.from_textual((), copy.deepcopy(options)) == options


def test_dataclasses_leave_out_what_is_not_set() -> None:
    options = CppOptions(full=True)

    assert dataclasses.asdict(options) == {"full": True}
    assert dataclasses.astuple(options) == (True,)
    replaced = dataclasses.replace(options, full=False)
    assert str(replaced) == "full=false"
    assert not hasattr(replaced, "level")

    replaced = dataclasses.replace(options, level=3)
    assert dataclasses.asdict(replaced) == {"level": 3, "full": True}
    assert options != replaced != options
    assert [each.name for each in dataclasses.fields(CppOptions)] == [
        "level",
        "sizes",
        "full",
    ]
    assert copy.deepcopy(replaced) == replaced


@dataclass(kw_only=True)
class MoreCppOptions(CppOptions):
    depth: int = option("depth", INT32, cpp_default="kDepth")


def test_derived_options_leave_out_what_is_not_set() -> None:
    options = dataclasses.replace(MoreCppOptions(depth=1), sizes=[2])

    assert dataclasses.asdict(options) == {"sizes": [2], "full": False, "depth": 1}
    assert dataclasses.asdict(MoreCppOptions()) == {"full": False}


@pytest.mark.parametrize(("field", "cpp"), [("level", "kLevel"), ("sizes", "kSizes")])
def test_an_option_without_a_value_cannot_be_read(field: str, cpp: str) -> None:
    options = CppOptions.from_textual((), copy.copy(CppOptions()))

    with pytest.raises(UnsetOptionError) as caught:
        getattr(options, field)

    assert str(caught.value) == (
        f"option '{field}' is not set, and only C++ knows its default, '{cpp}'\n"
        "note: set it, or give it a 'default' in the spec"
    )
    assert not hasattr(options, field)
    with pytest.raises(AttributeError, match="has no attribute 'lvl'"):
        _ = options.lvl  # type: ignore[attr-defined]


def test_options_of_a_base_are_kept() -> None:
    base = Options(factor=9, sizes=[1], label="kept")

    from_base = Options.from_textual((), base)

    assert from_base == base
    assert from_base.sizes is not base.sizes


# LLVM's spellings: each line was tried with mlir-opt of LLVM 22.
@pytest.mark.parametrize(
    ("type_", "text", "value"),
    [
        *((BOOL, text, True) for text in ("", "true", "TRUE", "True", "1")),
        *((BOOL, text, False) for text in ("false", "FALSE", "False", "0")),
        *((BOOL, text, None) for text in ("tRUE", "yes", "on", "t", "01", "2")),
        *(
            (INT64, text, 31)
            for text in ("31", "0x1f", "0X1F", "0b11111", "0o37", "037")
        ),
        *((INT64, text, -8) for text in ("-8", "-0x8", "-010", "-0B1000")),
        *((INT64, text, 0) for text in ("0", "00", "-0")),
        *(
            (INT64, text, None)
            for text in ("", "+1", "08", "0x", "0b", "0O7", "0x-1", "-", "1.5", "1_0")
        ),
        *(
            (INT64, text, None)
            for text in ("٣", "0x0x1", "0b0b1", "1e3", " 1", "9" * 5000)
        ),
        (INT64, str(2**63 - 1), 2**63 - 1),
        (INT64, str(2**63), None),
        (UINT32, str(2**32 - 1), 2**32 - 1),
        *((UINT32, text, None) for text in ("-1", "-0", str(2**32))),
        *(
            (DOUBLE, text, 0.5)
            for text in ("0.5", ".5", "+.5", "5e-1", "0x1p-1", "0x.8")
        ),
        *(
            (DOUBLE, text, math.inf)
            for text in ("inf", "INFINITY", "1e999", "0x1p9999")
        ),
        *((DOUBLE, text, -math.inf) for text in ("-inf", "-1e999", "-0x1p9999")),
        *(
            (DOUBLE, text, None)
            for text in ("1_0", "1f", "much", "٣", "+", "1e", "- 1")
        ),
        (DOUBLE, "", 0.0),
        (DOUBLE, "1.", 1.0),
        (FLOAT, "1e39", math.inf),
        (FLOAT, "-1e39", -math.inf),
        (DOUBLE, "1e39", 1e39),
    ],
)
def test_spellings(type_: OptionType[object], text: str, value: object) -> None:
    if value is not None:
        assert type_.parse(text) == value
        return
    with pytest.raises(ValueError, match="argument!"):
        type_.parse(text)


def test_nan_is_equal_to_itself() -> None:
    for text in ("nan", "NaN", "-nan", "nan(1)"):
        assert Options.parse(f"ratio={text}") == Options(ratio=float("nan"))


@dataclass(kw_only=True)
class Plain(PassOptions):
    u: int = option("u", UINT32)
    items: list[int] = list_option("l", INT8)


_INT8 = "expected an integer of -128 to 127, decimal or prefixed 0x, 0b, 0o or 0"


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            {"u": 10**5000},
            (
                "for the --u option: a number of too many digits is not a value of uint32\n"
                "note: expected an integer of 0 to 4294967295, decimal or prefixed 0x, 0b, "
                "0o or 0"
            ),
        ),
        *(
            (
                {"items": value},
                (
                    f"for the --l option: {value!r} is not a list of values of int8\n"
                    f"note: {_INT8}"
                ),
            )
            for value in (None, 3, "abc")
        ),
    ],
)
def test_value_of_another_kind(values: dict[str, Any], message: str) -> None:
    with pytest.raises(PassOptionError) as raised:
        Plain(**values)

    assert str(raised.value) == message


@pytest.mark.parametrize("argument", ["", "a b", "a=b", "{a", "a'", 'a"'])
def test_argument_that_no_pipeline_can_spell(argument: str) -> None:
    for declare in (option, list_option):
        with pytest.raises(PassOptionError) as raised:
            declare(argument, INT8)
        assert str(raised.value) == (
            f"no pipeline can spell an option called {argument!r}\n"
            "note: blanks, quotes, '=', ',' and brackets separate names"
        )


def test_two_fields_with_one_argument() -> None:
    @dataclass(kw_only=True)
    class Twice(PassOptions):
        one: int = option("n", INT8)
        other: int = option("n", INT8)

    with pytest.raises(PassOptionError) as raised:
        Twice.declared_options()

    assert str(raised.value) == (
        f"{Twice.__qualname__} declares the option 'n' twice: as 'one' and as 'other'"
    )


def test_options_set_later_are_checked() -> None:
    options = Options()
    options.factor = "0x20"  # type: ignore[assignment] # text is read
    options.sizes = (1, 2)  # type: ignore[assignment] # tuples are taken

    assert (options.factor, options.sizes) == (32, [1, 2])
    with pytest.raises(PassOptionError) as raised:
        options.factor = 0.5  # type: ignore[assignment] # what is tested
    assert str(raised.value) == (
        "for the --unroll-factor option: 0.5 is not a value of int64\n"
        "note: expected an integer of -9223372036854775808 to 9223372036854775807, "
        "decimal or prefixed 0x, 0b, 0o or 0"
    )
    with pytest.raises(PassOptionError, match="--depth option: -1 is not a value"):
        options.inner.depth = -1
    assert (options.factor, options.inner.depth) == (32, 2)


class Lists(OperationPass[Options]):
    argument = "lists"

    def run_on_operation(self) -> None:
        """Do nothing."""


def test_list_changed_in_place_is_refused_where_it_is_used() -> None:
    lists = Lists()
    context = XDSLContext()
    module = context.parse("", "input.mlir")
    manager = PassManager(context)
    manager.add_pass(lists)
    manager.run(module)

    lists.options.sizes.append(1000)

    for use in (lambda: str(manager), lambda: manager.run(module)):
        with pytest.raises(PassOptionError) as raised:
            use()
        assert str(raised.value) == (
            "for the --sizes option: 1000 is not a value of int8\n"
            f"note: {_INT8}\n"
            "note: in the options of 'lists'"
        )


class WithoutDecorator(PassOptions):
    factor: int = option("unroll-factor", INT64)


WITHOUT_DECORATOR = (
    f"{__name__}.WithoutDecorator declares the option 'unroll-factor' as 'factor', and is "
    "not a dataclass\n"
    "note: write '@dataclass(kw_only=True)' above it"
)


def test_options_that_are_no_dataclass_are_refused() -> None:
    for use in (
        WithoutDecorator,
        WithoutDecorator.declared_options,
        lambda: WithoutDecorator.parse("unroll-factor=1"),
        lambda: type("Derived", (WithoutDecorator,), {}),
        lambda: type("Typed", (OperationPass,), {"options_class": WithoutDecorator}),
        lambda: new_class("Generic", (OperationPass[WithoutDecorator],)),
    ):
        with pytest.raises(PassOptionError) as raised:
            use()
        assert str(raised.value) == WITHOUT_DECORATOR


MINE = {"__module__": "mine"}


def test_options_that_are_no_options_are_refused() -> None:
    for wrong in (dict, 3):
        with pytest.raises(PassOptionError) as raised:
            type("Wrong", (OperationPass,), {"options_class": wrong, **MINE})
        assert str(raised.value) == (
            f"mine.Wrong has the options {wrong!r}, which is no subclass of "
            "PassOptions"
        )


def test_options_of_another_pass_are_refused() -> None:
    pass_: Any = Lists()
    for use in (Lists, lambda options: setattr(pass_, "options", options)):
        with pytest.raises(PassOptionError) as raised:
            use(Inner(depth=3))  # type: ignore[arg-type] # what is tested
        assert str(raised.value) == (
            "expected options of class Options, found Inner(depth=3)\n"
            "note: in the options of 'lists'"
        )
    assert pass_.options == Options()


@pytest.mark.parametrize("given", [None, 3, b"factor=1"])
def test_options_are_parsed_from_text(given: str) -> None:
    with pytest.raises(PassOptionError) as raised:
        Options.parse(given)

    assert str(raised.value) == f"options: expected a text, found {given!r}"


def test_error_on_a_field_that_nobody_declares() -> None:
    @dataclass(kw_only=True)
    class WithMore(Inner):
        seen: list[int] = field(default_factory=list)

    options = WithMore()
    options.seen = [1]
    setattr(options, "_cached", 2)  # noqa: B010 - private: nobody's typing mistake

    with pytest.raises(PassOptionError) as raised:
        options.dpth = 3  # type: ignore[attr-defined] # wrong

    assert str(raised.value).endswith(
        "WithMore has no field 'dpth'\nnote: did you mean 'depth'?"
    )
    assert str(options) == "depth=2"
