from __future__ import annotations

from typing import Any

import pytest
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
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.ir.xdsl_module_passes import XDSLPassOptions, register_xdsl_passes


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
    return made


def parameters(text: str, registry: PassRegistry) -> object:
    (pass_,) = parse_pass_pipeline(f"builtin.module({text})", registry).elements
    assert isinstance(pass_, OperationPass)
    assert isinstance(pass_.options, XDSLPassOptions)
    return pass_.options.spec.parameters


def test_name_of_ours_gives_xdsls_a_prefix(registry: PassRegistry) -> None:
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

    printed = (
        "builtin.module(stencil-unroll{unroll-factor={1,2}},x86-set-arch{arch=%s})"
    )
    assert str(manager) == printed % "{'512'}"
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
note: in the options of 'stencil-unroll'""",
        ),
        (
            "builtin.module(stencil-unroll{unroll-factor=1,x})",
            """\
pass-pipeline:1:45: error: for the --unroll-factor option: '1,x' value invalid for tuple[int, ...] argument!
builtin.module(stencil-unroll{unroll-factor=1,x})
                                            ^~~
note: expected tuple[int, ...]
note: in the options of 'stencil-unroll'""",
        ),
        (
            "builtin.module(stencil-unroll)",
            """\
pass-pipeline:1:16: error: for the --unroll-factor option: must be specified at least once!
builtin.module(stencil-unroll)
               ^~~~~~~~~~~~~~
note: expected tuple[int, ...]
note: in the options of 'stencil-unroll'""",
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


def test_values_given_in_python_are_checked(registry: PassRegistry) -> None:
    entry = registry.lookup_pass("x86-set-arch")
    assert entry is not None
    options_class: Any = entry.options_class

    assert options_class(spec=ArgSpec("", {"arch": ("avx2",)})).make().arch == "avx2"
    with pytest.raises(Exception, match="for the --arch option"):
        options_class(spec=ArgSpec("", {"arch": (1,)}))


def test_every_pass_has_options_and_a_place(registry: PassRegistry) -> None:
    for entry in registry.passes():
        assert entry.options_class.declared() is not None
        assert entry.origin
        assert "\n" not in entry.summary


def test_number_of_too_many_digits(registry: PassRegistry) -> None:
    with pytest.raises(PipelineError) as raised:
        parameters(f"stencil-unroll{{unroll-factor={'1' * 5000}}}", registry)

    assert raised.value.message == (
        f"for the --unroll-factor option: '{'1' * 5000}' value invalid for "
        "tuple[int, ...] argument!"
    )
    assert isinstance(raised.value.__cause__, PassOptionError)
