"""Pipelines that are not trusted: what is declared wins, and the rest is guessed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, make_dataclass
from enum import StrEnum
from types import new_class
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from passgen_rules.outside_access import suggests_outside_access
from passgen_runtime import (
    BOOL,
    PIPELINE,
    STRING,
    UINT32,
    OperationPass,
    OpPassManager,
    PassOptions,
    PassRegistry,
    TextualPipeline,
    enum_type,
    list_option,
    option,
    options_type,
    parse_pass_pipeline,
)
from passgen_runtime.errors import UntrustedPassError
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.operation_pass import outside_access_of
from passgen_runtime.pass_manager_builder import (
    PassManagerBuilder,
    register_pipeline_builder,
)
from passgen_runtime.pass_options import OptionType
from passgen_runtime.pass_registry import PipelineUser, parse_pass_manager


class Mode(StrEnum):
    SMALL = "small"
    LARGE = "large"


TYPES: list[OptionType[Any]] = [STRING, UINT32, BOOL, PIPELINE, enum_type(Mode)]
ARGUMENTS = ("file", "in-file", "tool_path", "libraries", "mode", "profile", "size")

Declaration = tuple[str, OptionType[Any], bool, bool | None]
"""Argument, type, whether it is a list, and whether it declares its access."""


def options_class(
    *declared: Declaration, base: type[PassOptions] = PassOptions
) -> type[PassOptions]:
    fields = [
        (
            argument.replace("-", "_"),
            object,
            (list_option if is_list else option)(
                argument, type_, outside_access=access
            ),
        )
        for argument, type_, is_list, access in declared
    ]
    return make_dataclass("Options", fields, bases=(base,), kw_only=True)


def pass_class(
    argument: str, options: type[PassOptions] = PassOptions
) -> type[OperationPass[Any]]:
    members = {
        "argument": argument,
        "options_class": options,
        "run_on_operation": lambda _: None,
    }
    return new_class(
        "Tested", (OperationPass,), exec_body=lambda ns: ns.update(members)
    )


Register = Callable[[PassRegistry], None]


def accepts(text: str, *registered: type[OperationPass[Any]] | Register) -> bool:
    """Return whether a text that is not trusted is accepted; a trusted one must be."""
    registry = PassRegistry()
    for each in registered:
        if isinstance(each, type):
            registry.register_pass(each)
        else:
            each(registry)
    parse_pass_manager(f"any({text})", XDSLContext(), registry)
    try:
        parse_pass_manager(f"any({text})", XDSLContext(), registry, is_trusted=False)
    except UntrustedPassError:
        return False
    return True


@pytest.mark.parametrize(
    ("argument", "type_", "is_list", "declared", "is_accepted"),
    [
        ("file", STRING, False, None, False),
        ("file", STRING, False, True, False),
        ("file", STRING, False, False, True),
        ("file", STRING, True, None, False),
        ("file", STRING, True, False, True),
        ("output", STRING, False, None, True),
        ("output", STRING, False, True, False),
        ("output", STRING, True, True, False),
        ("dump-to-file", BOOL, False, None, True),
        ("dump-to-file", BOOL, False, True, False),
        ("dump", BOOL, True, True, False),
        ("tool", enum_type(Mode), False, None, False),
        ("tool", enum_type(Mode), False, False, True),
        ("compiler", enum_type(Mode), False, True, False),
        ("tool-pipeline", PIPELINE, False, None, False),
        ("tool-pipeline", PIPELINE, False, False, True),
        ("inner", PIPELINE, False, True, False),
    ],
)
def test_a_declaration_wins_over_the_words_of_the_argument(
    argument: str,
    type_: OptionType[Any],
    is_list: bool,  # noqa: FBT001 - a row of the table
    declared: bool | None,  # noqa: FBT001 - as above
    is_accepted: bool,  # noqa: FBT001 - as above
) -> None:
    options = options_class((argument, type_, is_list, declared))

    assert accepts("tested", pass_class("tested", options)) == is_accepted


declarations = st.lists(
    st.tuples(
        st.sampled_from(ARGUMENTS),
        st.sampled_from(TYPES),
        st.booleans(),
        st.sampled_from([None, True, False]),
    ),
    unique_by=lambda declared: declared[0],
)


@given(declarations)
def test_an_option_that_declares_nothing_is_trusted_no_more_than_its_words(
    declared: list[Declaration],
) -> None:
    made = pass_class("tested", options_class(*declared))

    reaches = any(
        suggests_outside_access(argument, type_.name) if access is None else access
        for argument, type_, _, access in declared
    )
    assert bool(outside_access_of(made)) == reaches
    # Other options that declare to be harmless make none of these trusted.
    undeclared = [each for each in declared if each[3] is None]
    if outside_access_of(pass_class("tested", options_class(*undeclared))):
        assert outside_access_of(made)


@pytest.mark.parametrize(
    ("argument", "is_suggested"),
    [
        ("outputFile", True),
        ("FILE", True),
        ("dumpIRToDir", True),
        ("JSONFile", True),
        ("file2", True),
        ("log-dir1", True),
        ("directories", True),
        ("filepath", True),
        ("profile", False),
        ("dirty", False),
        ("Profile", False),
        ("filePerThread", True),
        ("linkerCmd", True),
        ("exe", True),
        ("remote-hosts", True),
        ("ghost", False),
        ("execute", False),
        ("toolong", False),
    ],
)
def test_words_of_an_argument_are_found_in_every_spelling(
    argument: str, is_suggested: bool  # noqa: FBT001 - a row of the table
) -> None:
    assert suggests_outside_access(argument, "string") == is_suggested


@pytest.mark.parametrize(
    ("declared", "reason"),
    [
        (None, "its option 'file' names a file, a program or a host"),
        (True, "its option 'file' reaches beyond the IR"),
    ],
)
def test_the_reason_says_what_is_known(
    declared: bool | None, reason: str  # noqa: FBT001 - a row of the table
) -> None:
    options = options_class(("file", STRING, False, declared))

    assert outside_access_of(pass_class("tested", options)) == reason


def test_an_option_that_is_declared_anew_declares_its_access_anew() -> None:
    harmless = options_class(("file", STRING, False, False))
    same = options_class(base=harmless)
    anew = options_class(("file", STRING, False, None), base=harmless)

    assert accepts("tested", pass_class("tested", same))
    assert not accepts("tested", pass_class("tested", anew))


def test_a_harmless_option_of_a_base_makes_no_other_harmless() -> None:
    harmless = options_class(("file", STRING, False, False))
    more = options_class(("out-file", STRING, False, None), base=harmless)

    assert not accepts("tested", pass_class("tested", more))


def test_a_pass_that_says_what_it_reaches_is_refused_whatever_options_declare() -> None:
    made = pass_class("tested", options_class(("file", STRING, False, False)))
    made.outside_access = "it reads the settings of the user"

    assert not accepts("tested", made)


@pytest.mark.parametrize("outer", [None, False])
def test_options_in_braces_are_options_of_the_pass(
    outer: bool | None,  # noqa: FBT001 - a row of the table
) -> None:
    inner = options_type(options_class(("file", STRING, False, None)))
    options = options_class(("write", inner, False, outer))

    assert not accepts("tested", pass_class("tested", options))


def test_a_factory_may_give_its_passes_other_options() -> None:
    declared = pass_class("tested")
    more = options_class(("file", STRING, False, None))

    def factory() -> OperationPass[Any]:
        made = declared()
        made.options = more()
        return made

    registry = PassRegistry()
    registry.register_pass(factory)

    with pytest.raises(UntrustedPassError, match="'file' names a file"):
        parse_pass_manager(
            "any(tested{file=a})", XDSLContext(), registry, is_trusted=False
        )


# Named pipelines


def pipeline(
    build: Callable[..., None], options: type[PassOptions] = PassOptions
) -> Register:
    return lambda registry: registry.register_pipeline("all", "", build, options)


WRITE = pass_class("write", options_class(("out", STRING, False, True)))
RENAMED = pass_class("renamed", options_class(("out", STRING, False, None)))


@pytest.mark.parametrize("declared", [None, False])
def test_a_pipeline_does_not_make_the_option_of_its_pass_harmless(
    declared: bool | None,  # noqa: FBT001 - a row of the table
) -> None:
    options = options_class(("to", STRING, False, declared))

    def build(manager: OpPassManager, given: PassOptions) -> None:
        made = WRITE()
        made.options.out = vars(given)["to"]
        manager.add_pass(made)

    assert not accepts("all{to=a}", pipeline(build, options))


@pytest.mark.parametrize(
    ("argument", "declared"), [("to", True), ("to-file", None), ("to-file", True)]
)
def test_the_option_of_a_pipeline_is_judged_before_the_pipeline_is_built(
    argument: str, declared: bool | None  # noqa: FBT001 - a row of the table
) -> None:
    built = []
    options = options_class((argument, STRING, False, declared))

    def build(manager: OpPassManager, given: PassOptions) -> None:
        built.append(str(given))
        manager.add_pass(RENAMED())

    assert not accepts("all", pipeline(build, options))
    assert len(built) == 1  # by the one that is trusted


@dataclass(kw_only=True)
class RunsOptions(PassOptions):
    inner: TextualPipeline = option("inner", PIPELINE)


class Runs(OperationPass[RunsOptions], PipelineUser):
    argument = "runs"

    def run_on_operation(self) -> None:
        """Do nothing."""

    def use_pipelines(
        self, resolve: Callable[[TextualPipeline], OpPassManager]
    ) -> None:
        self.pipeline = resolve(self.options.inner)


class RunsLater(OperationPass[RunsOptions]):
    """Resolves the pipeline of its option when it runs."""

    argument = "runs-later"

    def run_on_operation(self) -> None:
        """Do nothing."""


@dataclass(kw_only=True)
class WritesOptions(RunsOptions):
    inner: TextualPipeline = option("inner", PIPELINE, default="write")


class Writes(OperationPass[WritesOptions]):
    """Resolves a pipeline when it runs, by default one that reaches beyond the IR."""

    argument = "writes"

    def run_on_operation(self) -> None:
        """Do nothing."""


def by_default(manager: OpPassManager, _: PassOptions) -> None:
    manager.add_pass(Writes())


@pytest.mark.parametrize(
    ("text", "is_accepted"),
    [
        ("writes", False),
        ("writes{}", False),
        ("writes{inner={}}", True),
        ("writes{inner=write}", False),
        ("writes{inner={} inner=write}", False),
        ("writes{inner={writes}}", False),
        ("writes{inner={writes{inner={}}}}", True),
        ("all", False),
    ],
)
def test_the_default_of_an_option_is_a_pipeline_like_that_in_the_text(
    text: str, is_accepted: bool  # noqa: FBT001 - a row of the table
) -> None:
    assert accepts(text, WRITE, Writes, pipeline(by_default)) == is_accepted


@dataclass(kw_only=True)
class TextOptions(PassOptions):
    text: str = option("text", STRING)


def runs(text: str) -> RunsOptions:
    return RunsOptions.parse(f"inner={text}") if text else RunsOptions()


def by_manager(manager: OpPassManager, given: TextOptions) -> None:
    manager.add_pass(Runs(runs(given.text)))


def for_later(manager: OpPassManager, given: TextOptions) -> None:
    manager.add_pass(RunsLater(runs(given.text)))


def by_builder(builder: PassManagerBuilder, given: TextOptions | None = None) -> None:
    builder.add("runs", runs("" if given is None else given.text))


def register_built(registry: PassRegistry) -> None:
    register_pipeline_builder("all", "", by_builder, TextOptions, registry=registry)


@dataclass
class Holds(OperationPass[PassOptions]):
    """Holds the pass manager that the named pipeline has given it."""

    held: OpPassManager = field(default_factory=OpPassManager)
    argument = "holds"

    def run_on_operation(self) -> None:
        """Do nothing."""


def by_holder(manager: OpPassManager, given: TextOptions) -> None:
    registry = PassRegistry()
    registry.register_pass(WRITE)
    holder = Holds()
    holder.held = parse_pass_pipeline(f"any({given.text})", registry)
    manager.add_pass(holder)


@pytest.mark.parametrize(
    "register",
    [
        *(pipeline(build, TextOptions) for build in (by_manager, for_later, by_holder)),
        register_built,
    ],
    ids=["manager", "later", "holder", "builder"],
)
def test_a_text_that_becomes_a_pipeline_is_not_trusted(register: Register) -> None:
    assert not accepts("all{text=write}", WRITE, Runs, register)
    assert accepts("all{text=''}", WRITE, Runs, register)
