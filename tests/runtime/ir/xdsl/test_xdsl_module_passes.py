from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.arg_spec import ArgSpec

from passgen_runtime import (
    OperationPass,
    PassOptionError,
    PassOptions,
    PassRegistry,
    PipelineError,
    parse_pass_manager,
    parse_pass_pipeline,
)
from passgen_runtime.extensions.builder import PassManagerBuilder
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.ir.xdsl.module_passes import (
    XDSLPassEntry,
    XDSLPassOptions,
    register_xdsl_passes,
)
from passgen_runtime.opt.help import pass_text


class OwnCSE(OperationPass[PassOptions]):
    argument = "cse"

    def run_on_operation(self) -> None:
        """Do nothing."""


@pytest.fixture(scope="module")
def registry() -> PassRegistry:
    made = PassRegistry()
    made.register_pass(OwnCSE)
    register_xdsl_passes(made)
    register_xdsl_passes(made)
    made.add(XDSLPassEntry(OptionNames.name, lambda: OptionNames))
    return made


def parameters(text: str, registry: PassRegistry) -> object:
    (pass_,) = parse_pass_pipeline(f"builtin.module({text})", registry).elements
    assert isinstance(pass_, OperationPass)
    assert isinstance(pass_.options, XDSLPassOptions)
    return pass_.options.spec.parameters


def test_an_xdsl_pass_gets_a_prefix_if_its_name_is_taken(
    registry: PassRegistry,
) -> None:
    assert registry.lookup("cse").pass_class is OwnCSE  # type: ignore[union-attr] # it is
    assert registry.lookup("xdsl.cse") is not None
    assert "xdsl.xdsl.cse" not in registry.arguments()


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("dce", {}),
        ("stencil-unroll{unroll-factor=1,2}", {"unroll_factor": (1, 2)}),
        ("stencil-unroll{unroll_factor={1, 2}}", {"unroll_factor": (1, 2)}),
        ("stencil-unroll{unroll-factor=3}", {"unroll_factor": (3,)}),
        (
            "stencil-unroll{unroll-factor=3 unroll_factor=4,5}",
            {"unroll_factor": (3, 4, 5)},
        ),
        ("x86-set-arch{arch=avx2 arch=avx512}", {"arch": ("avx512",)}),
        ("x86-set-arch{arch=avx2}", {"arch": ("avx2",)}),
        ("x86-set-arch{arch='a b'}", {"arch": ("a b",)}),
        ("x86-set-arch{arch=512}", {"arch": ("512",)}),
        ("test-transform-dialect-erase-schedule", {}),
    ],
)
def test_values(text: str, values: object, registry: PassRegistry) -> None:
    assert parameters(text, registry) == values


def test_printed_form_parses_to_the_same(registry: PassRegistry) -> None:
    text = (
        "builtin.module(stencil-unroll{unroll_factor={1, 2}},x86-set-arch{arch='512'})"
    )

    manager = parse_pass_pipeline(text, registry)

    assert str(manager) == (
        "builtin.module(stencil-unroll{unroll-factor={1,2}},x86-set-arch{arch=512})"
    )
    assert parse_pass_pipeline(str(manager), registry) == manager


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "builtin.module(stencil-unroll{unroll-facto=1})",
            """\
pass-pipeline:1:31: error: no such option unroll-facto
builtin.module(stencil-unroll{unroll-facto=1})
                              ^~~~~~~~~~~~
note: did you mean 'unroll-factor'?
note: valid options are unroll-factor
note: failed to add `stencil-unroll` with options `unroll-facto=1`""",
        ),
        (
            "builtin.module(stencil-unroll{unroll-factor=1,x})",
            """\
pass-pipeline:1:47: error: for the --unroll-factor option: 'x' value invalid for long argument!
builtin.module(stencil-unroll{unroll-factor=1,x})
                                              ^
note: expected an integer of -9223372036854775808 to 9223372036854775807, decimal or prefixed 0x, 0b, 0o or 0
note: failed to add `stencil-unroll` with options `unroll-factor=1,x`""",
        ),
        (
            "builtin.module(stencil-unroll)",
            """\
pass-pipeline:1:16: error: for the --unroll-factor option: must be specified at least once!
builtin.module(stencil-unroll)
               ^~~~~~~~~~~~~~
note: expected an integer of -9223372036854775808 to 9223372036854775807, decimal or prefixed 0x, 0b, 0o or 0
note: failed to add `stencil-unroll` with options ``""",
        ),
        (
            "func.func(dce)",
            """\
pass-pipeline:1:11: error: Can't add pass 'DeadCodeElimination' restricted to 'builtin.module' on a PassManager intended to run on 'func.func', did you intend to nest?
func.func(dce)
          ^~~
note: 'builtin.module(dce)' nests it""",
        ),
    ],
)
def test_error(text: str, message: str, registry: PassRegistry) -> None:
    with pytest.raises(PipelineError) as raised:
        parse_pass_pipeline(text, registry)

    assert str(raised.value) == message


def test_pass_runs_on_the_module(registry: PassRegistry) -> None:
    context = XDSLContext()
    module = context.parse("%0 = arith.constant 1 : i32", "test.mlir")

    parse_pass_manager("builtin.module(dce)", context, registry).run(module)

    assert context.print(module) == "builtin.module {\n}"


def options_of(argument: str, registry: PassRegistry) -> Any:  # noqa: ANN401 - made
    entry = registry.lookup_pass(argument)
    assert entry is not None
    return entry.options_class


def test_values_given_in_python_are_checked(registry: PassRegistry) -> None:
    options_class = options_of("x86-set-arch", registry)

    options = options_class(spec=ArgSpec("", {"arch": ("avx2",)}))
    assert options.make().arch == "avx2"
    with pytest.raises(PassOptionError) as raised:
        options.spec = ArgSpec("", {"arch": (1,)})
    assert str(raised.value) == "for the --arch option: 1 is not a value of string"
    with pytest.raises(PassOptionError) as raised:
        options.arch = "avx512"
    assert str(raised.value) == (
        "'arch' cannot be set: options are set as 'spec', together"
    )
    options.spec.parameters["arch"] = ("avx2", "avx512")
    with pytest.raises(PassOptionError) as raised:
        str(options)
    assert str(raised.value) == (
        "for the --arch option: ('avx2', 'avx512') is not one value"
    )


def test_a_builder_takes_options_as_a_mapping(registry: PassRegistry) -> None:
    builder = PassManagerBuilder(XDSLContext(), registry=registry)
    builder.add("memref-stream-interleave", {"pipeline-depth": 3})
    builder.add("memref-stream-interleave", {"pipeline_depth": "4"})

    assert str(builder.build()) == (
        "builtin.module(memref-stream-interleave{pipeline-depth=3},"
        "memref-stream-interleave{pipeline-depth=4})"
    )
    with pytest.raises(PassOptionError, match=r"--pipeline-depth option: 1\.5 is not"):
        builder.add("memref-stream-interleave", {"pipeline-depth": 1.5})


def test_names_given_in_python_may_have_dashes(registry: PassRegistry) -> None:
    options_class = options_of("stencil-unroll", registry)

    options = options_class(spec=ArgSpec("", {"unroll-factor": (2, "0x10")}))

    assert options.spec.parameters == {"unroll_factor": (2, 16)}
    assert str(options) == "unroll-factor={2,16}"
    twice: dict[str, Any] = {"unroll-factor": (2,), "unroll_factor": (2,)}
    with pytest.raises(PassOptionError, match="option: it is given twice"):
        options_class(spec=ArgSpec("", twice))
    with pytest.raises(PassOptionError, match="no such option unroll-facto\n"):
        options_class(spec=ArgSpec("", {"unroll_facto": (2,)}))
    with pytest.raises(PassOptionError, match="is no ArgSpec"):
        options_class(spec={"unroll_factor": (2,)})


@pytest.mark.parametrize(
    ("text", "warned"),
    [
        ("stencil-unroll{unroll-factor=1 unroll_factor=2}", []),
        (
            "x86-set-arch{arch=a arch=b}",
            ["option 'arch' is given again: the last value is used"],
        ),
        (
            "convert-scf-to-openmp{collapse=1 =1 collapse}",
            [
                "an option without a name is ignored",
                "option 'collapse' is given again: the last value is used",
            ],
        ),
        (
            "test-xdsl-option-names{of-two-words=1 of_two_words=0x2}",
            ["option 'of-two-words' is given again: the last value is used"],
        ),
    ],
)
def test_warnings(
    text: str,
    warned: list[str],
    registry: PassRegistry,
    capsys: pytest.CaptureFixture[str],
) -> None:
    parameters(text, registry)

    lines = capsys.readouterr().err.splitlines()
    found = [line.partition(": warning: ")[2] for line in lines if "warning: " in line]
    assert found == warned


@dataclass(frozen=True)
class OptionNames(ModulePass):
    """Has options of all kinds."""

    name = "test-xdsl-option-names"

    of_two_words: int | None = None
    flag: bool = False
    number: float = 0.5
    either: int | bool | str = "none"
    mode: Literal["fast", "slow"] = "fast"
    modes: Literal["all"] | tuple[str, ...] = "all"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Do nothing."""


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("flag=1", "flag=true"),
        ("flag", "flag=true"),
        ("flag=FALSE", "flag=false"),
        ("of_two_words=0x1f", "of-two-words=31"),
        ("of-two-words", "of-two-words"),
        ("number=1", "number=1.0"),
        ("either=1", "either=1"),
        ("either=true", "either=true"),
        ("either='a b'", "either='a b'"),
        ("mode=slow", "mode=slow"),
        ("modes=all", "modes={all}"),
        ("modes=a,'b c'", "modes={a,'b c'}"),
    ],
)
def test_values_are_parsed_as_those_of_option_types(
    text: str, printed: str, registry: PassRegistry
) -> None:
    options_class = options_of("test-xdsl-option-names", registry)

    options = options_class.parse(text)

    assert str(options) == printed
    assert options_class.parse(printed) == options
    options.make()


def test_help_names_the_option_types(registry: PassRegistry) -> None:
    help_text = pass_text("test-xdsl-option-names", registry)

    assert help_text.partition("options:\n")[2] == """\
  of-two-words=int64
  flag=bool (default: false)
  number=double (default: 0.5)
  either=int64|bool|string (default: none)
  mode=fast|slow (default: fast)
  modes=string,... (default: {all})
"""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "mode=slo",
            """\
pass-options:1:6: error: for the --mode option: Cannot find option named 'slo'!
mode=slo
     ^~~
note: did you mean 'slow'?
note: expected one of fast, slow""",
        ),
        (
            "of_two_words=x",
            """\
pass-options:1:14: error: for the --of-two-words option: 'x' value invalid for long argument!
of_two_words=x
             ^
note: expected an integer of -9223372036854775808 to 9223372036854775807, decimal or prefixed 0x, 0b, 0o or 0""",
        ),
        (
            "flag=yes",
            """\
pass-options:1:6: error: for the --flag option: 'yes' is invalid value for boolean argument! Try 0 or 1
flag=yes
     ^~~
note: expected true, TRUE, True, 1, false, FALSE, False, 0, or no value for true""",
        ),
        (
            "modes=",
            """\
pass-options:1:1: error: for the --modes option: requires a value!
modes=
^~~~~
note: write 'modes=...', without blanks around the '='""",
        ),
        (
            "number",
            """\
pass-options:1:1: error: for the --number option: requires a value!
number
^~~~~~
note: expected a number
note: write 'number=...', without blanks around the '='""",
        ),
    ],
)
def test_error_without_a_pass(text: str, message: str, registry: PassRegistry) -> None:
    options_class = options_of("test-xdsl-option-names", registry)

    with pytest.raises(PassOptionError) as raised:
        options_class.parse(text)

    assert str(raised.value) == message


@pytest.mark.process  # importing xDSL's interpreter calls `file`
def test_every_pass_has_options_and_a_place(registry: PassRegistry) -> None:
    for entry in registry.passes():
        assert entry.options_class.declared_options() is not None
        assert entry.origin
        assert "\n" not in entry.summary


def test_number_of_too_many_digits(registry: PassRegistry) -> None:
    digits = "1" * 5000

    with pytest.raises(PipelineError) as raised:
        parameters(f"stencil-unroll{{unroll-factor={digits}}}", registry)

    assert raised.value.message == (
        f"for the --unroll-factor option: '{digits}' value invalid for long argument!"
    )
    assert isinstance(raised.value.__cause__, PassOptionError)
