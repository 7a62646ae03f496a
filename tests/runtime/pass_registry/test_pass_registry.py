from __future__ import annotations

import inspect
import re
import sys
import threading
import types
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from passgen_runtime import (
    INT64,
    STRING,
    MissingImplementationError,
    OperationPass,
    OpPassManager,
    Pass,
    PassOptions,
    PassPipelineRegistration,
    PassRegistry,
    PipelineError,
    RegistrationError,
    create_pass,
    default_registry,
    list_option,
    option,
    parse_pass_pipeline,
    register_pass,
)


@dataclass(kw_only=True)
class UnrollOptions(PassOptions):
    factor: int = option("factor", INT64, default=4)
    depths: list[int] = list_option("depths", INT64)


class Unroll(OperationPass[UnrollOptions]):
    argument = "unroll"
    summary = "Unroll loops"
    anchor = "func.func"

    def run_on_operation(self) -> None:
        """Do nothing."""


class Other(OperationPass[PassOptions]):
    argument = "unroll"

    def run_on_operation(self) -> None:
        """Do nothing."""


class Declared(OperationPass[UnrollOptions]):
    argument = "declared"
    declared_in = "specs/mine.yaml"

    @abstractmethod
    def run_on_operation(self) -> None:
        """Do nothing."""


class Parametric(OperationPass[UnrollOptions]):
    argument = "parametric"

    def __init__(self, table: dict[str, int]) -> None:
        super().__init__(UnrollOptions(factor=table["factor"], depths=[1]))
        self.table = table

    def run_on_operation(self) -> None:
        """Do nothing."""


def make_parametric() -> Parametric:
    return Parametric({"factor": 7})


def registry_of(*passes: type[Pass] | Callable[[], Pass]) -> PassRegistry:
    registry = PassRegistry()
    for each in passes:
        registry.register_pass(each)
    return registry


@pytest.fixture
def registry() -> PassRegistry:
    return registry_of(Unroll)


def error_of(text: str, registry: PassRegistry) -> PipelineError:
    with pytest.raises(PipelineError) as raised:
        parse_pass_pipeline(text, registry)
    return raised.value


def line_of(definition: Callable[..., object]) -> int:
    return inspect.getsourcelines(definition)[1]


def test_registering_again_is_harmless(registry: PassRegistry) -> None:
    registry.register_pass(Unroll)

    assert registry.arguments() == ["unroll"]


def test_two_passes_with_one_argument_are_refused(registry: PassRegistry) -> None:
    with pytest.raises(RegistrationError) as raised:
        registry.register_pass(Other)

    name = __name__
    file = "test_pass_registry.py"
    assert str(raised.value) == (
        f"'unroll' is registered twice: by {name}.Unroll ({file}:{line_of(Unroll)}) "
        f"and by {name}.Other ({file}:{line_of(Other)})\n"
        "note: replace=True replaces the first"
    )
    assert str(parse_pass_pipeline("func.func(unroll)", registry)) == (
        "func.func(unroll{factor=4})"
    )


def test_another_pass_may_take_the_place(registry: PassRegistry) -> None:
    registry.register_pass(Other, replace=True)

    assert str(parse_pass_pipeline("any(unroll)", registry)) == "any(unroll)"


def test_implementation_refines_its_declaration() -> None:
    class Implemented(Declared):
        def run_on_operation(self) -> None:
            """Do nothing."""

    registry = registry_of(Declared, Implemented, Declared)

    manager = parse_pass_pipeline("any(declared{factor=2})", registry)

    assert type(manager.elements[0]) is Implemented


def test_declaration_without_implementation_says_so_on_use() -> None:
    class Abstract(Declared):
        argument = "abstract"

        @abstractmethod
        def run_on_operation(self) -> None:
            """Do nothing."""

    registry = registry_of(Abstract)

    error = error_of("any(abstract)", registry)

    assert error.message == (
        f"pass 'abstract' ({__name__}.{Abstract.__qualname__}, declared in "
        "specs/mine.yaml) has no implementation: no imported class derives from "
        "Abstract, and its declaration names no constructor"
    )

    class Misspelt(Abstract):
        def run_on_operations(self) -> None:
            """Do nothing, as nobody calls it."""

    error = error_of("any(abstract)", registry)

    assert error.message.endswith(
        f"has no implementation: run_on_operation is not defined by {__name__}."
        f"{Misspelt.__qualname__}, declared in specs/mine.yaml"
    )


@pytest.mark.parametrize(
    ("constructor", "reason"),
    [
        ("no_such_module:X", "does not import: No module named 'no_such_module'"),
        ("broken_module:X", "does not import: it breaks"),
        ("sys:no_such_class", "does not import: module 'sys' has no attribute"),
        ("sys", "does not import: module 'sys' has no attribute ''"),
        ("collections:OrderedDict", "does not derive from Constructed"),
        (f"{__name__}:Declared", "does not derive from Constructed"),
    ],
)
def test_constructor_that_does_not_lead_to_the_pass(
    constructor: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Broken(types.ModuleType):
        def __getattr__(self, name: str) -> object:
            raise RuntimeError("it breaks")

    monkeypatch.setitem(sys.modules, "broken_module", Broken("broken_module"))
    monkeypatch.setitem(sys.modules, __name__, types.ModuleType(__name__))
    sys.modules[__name__].Declared = Declared  # type: ignore[attr-defined] # a new module

    class Constructed(OperationPass[PassOptions]):
        argument = "constructed"

        @abstractmethod
        def run_on_operation(self) -> None:
            """Do nothing."""

    Constructed.constructor = constructor

    with pytest.raises(MissingImplementationError) as raised:
        create_pass(Constructed)

    assert reason in str(raised.value)
    assert f"its constructor '{constructor}'" in str(raised.value)


def test_factory_makes_what_cannot_be_default_constructed() -> None:
    registry = registry_of(make_parametric, make_parametric)

    first, second = parse_pass_pipeline(
        "any(parametric,parametric{depths=2,3})", registry
    ).elements

    assert isinstance(first, Parametric)
    assert isinstance(second, Parametric)
    assert first.options == UnrollOptions(factor=7, depths=[1])
    assert second.options == UnrollOptions(factor=7, depths=[2, 3])
    assert first is not second


def test_class_that_needs_more_than_options_asks_for_a_factory() -> None:
    registry = registry_of(Parametric)

    error = error_of("any(parametric)", registry)

    assert error.message.startswith("'parametric' cannot be constructed: it raised ")
    assert error.notes == ("register a factory if the class needs more than options",)


def test_factory_of_something_else_is_refused() -> None:
    def nothing() -> None:
        """Make nothing."""

    with pytest.raises(RegistrationError) as raised:
        PassRegistry().register_pass(nothing)  # type: ignore[arg-type] # on purpose

    assert str(raised.value).endswith("is registered as a pass, but returns None")


@pytest.mark.parametrize("argument", ["", "a b", "a,b", "a=b", "a(", "'a'"])
def test_argument_must_be_one_that_a_pipeline_can_spell(argument: str) -> None:
    named = type("Named", (Other,), {"argument": argument})

    with pytest.raises(RegistrationError, match=r"Named"):
        PassRegistry().register_pass(named)


def test_pipeline_without_options() -> None:
    registry = registry_of(Unroll)

    def build(manager: OpPassManager) -> None:
        manager.nest("func.func").add_pass(Unroll())

    PassPipelineRegistration("mine", "My pipeline", build, registry=registry)
    PassPipelineRegistration("mine", "My pipeline", build, registry=registry)

    manager = parse_pass_pipeline("builtin.module(mine,any(mine))", registry)

    once = "func.func(unroll{factor=4})"
    assert str(manager) == f"builtin.module({once},any({once}))"
    with pytest.raises(PipelineError, match="no such option a"):
        parse_pass_pipeline("builtin.module(mine{a})", registry)


@dataclass(kw_only=True)
class PipelineOptions(PassOptions):
    factor: int = option("by", INT64, default=2)
    label: str = option("label", STRING)


def test_pipeline_with_typed_options() -> None:
    registry = PassRegistry()

    def build(manager: OpPassManager, options: PipelineOptions) -> None:
        unroll = UnrollOptions(factor=options.factor)
        manager.nest("func.func").add_pass(Unroll(unroll))

    registration = PassPipelineRegistration(
        "mine", "My pipeline", build, PipelineOptions, registry=registry
    )

    manager = parse_pass_pipeline("builtin.module(mine{by=8})", registry)

    assert str(manager) == "builtin.module(func.func(unroll{factor=8}))"
    assert registration.options_class is PipelineOptions
    with pytest.raises(PipelineError) as raised:
        parse_pass_pipeline("builtin.module(mine{bye=8})", registry)
    assert str(raised.value) == """\
pass-pipeline:1:21: error: no such option bye
builtin.module(mine{bye=8})
                    ^~~
note: did you mean 'by'?
note: valid options are by, label
note: failed to add `mine` with options `bye=8`"""


def test_pass_and_pipeline_share_one_space_of_names(registry: PassRegistry) -> None:
    def build(manager: OpPassManager) -> None:
        manager.add_pass(Other())

    with pytest.raises(RegistrationError, match="'unroll' is registered twice: by "):
        registry.register_pipeline("unroll", "", build)

    registry.register_pipeline("unroll", "", build, replace=True)

    assert str(parse_pass_pipeline("any(unroll)", registry)) == "any(unroll)"


def test_default_registry_is_shared() -> None:
    named = type("OfTheDefault", (Other,), {"argument": "of-the-default-registry"})

    register_pass(named)

    assert default_registry.lookup_pass("of-the-default-registry") is not None
    assert str(parse_pass_pipeline("any(of-the-default-registry)")) == (
        "any(of-the-default-registry)"
    )


def test_threads_may_register_and_parse_at_once() -> None:
    registry = PassRegistry()
    classes = [type("P", (Other,), {"argument": f"p{index}"}) for index in range(200)]
    failures: list[BaseException] = []
    barrier = threading.Barrier(8)

    def work() -> None:
        try:
            barrier.wait()
            for cls in classes:
                registry.register_pass(cls)
                parse_pass_pipeline(f"any({cls.__dict__['argument']})", registry)
                registry.arguments()
        except BaseException as error:  # noqa: BLE001 - asserted below
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert failures == []
    assert len(registry.passes()) == 200


def test_replacing_is_one_step_for_those_who_look_up() -> None:
    registry = registry_of(Unroll)

    class Watched(dict[str, object]):
        def pop(self, *_: object) -> None:
            pytest.fail("the entry is taken away")

        def __delitem__(self, _: str) -> None:
            pytest.fail("the entry is taken away")

    monitored = Watched(registry._entries)  # noqa: SLF001 - no other way to see a gap
    registry._entries = monitored  # type: ignore[assignment] # noqa: SLF001 - as above

    registry.register_pipeline("unroll", "", lambda _: None, replace=True)
    assert registry.lookup_pass("unroll") is None
    assert [each.argument for each in registry.pipelines()] == ["unroll"]
    registry.register_pass(Other, replace=True)
    assert registry.lookup_pipeline("unroll") is None
    assert [each.pass_class for each in registry.passes()] == [Other]


def test_factory_that_makes_one_pass_only() -> None:
    registry = PassRegistry()
    only = Unroll()
    registry.register_pass(lambda: only)
    entry = registry.lookup_pass("unroll")
    assert entry is not None

    error = error_of("func.func(unroll{factor=2})", registry)

    assert error.message == (
        "'unroll' cannot be constructed: it raised RegistrationError: "
        f"{entry.origin} returns the same pass again: expected a new one"
    )
    assert only.options.factor == 4


class NoDataclass(PassOptions):
    factor: int = option("factor", INT64)


def build(_: OpPassManager, __: object) -> None:
    """Add nothing."""


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (3, "3 is registered as a pass, but is no class or factory"),
        (
            UnrollOptions,
            (
                "test_pass_registry.UnrollOptions (test_pass_registry.py:LINE) is "
                "registered as a pass, but is none"
            ),
        ),
    ],
)
def test_what_is_no_pass_is_refused(given: object, message: str) -> None:
    with pytest.raises(RegistrationError) as raised:
        PassRegistry().register_pass(given)  # type: ignore[arg-type] # what is tested

    assert _without_place(raised.value) == message


@pytest.mark.parametrize(
    ("options_class", "message"),
    [
        (dict, "<class 'dict'> is no subclass of PassOptions"),
        (3, "3 is no subclass of PassOptions"),
        (
            NoDataclass,
            (
                "test_pass_registry.NoDataclass declares the option 'factor' as 'factor', "
                "and is not a dataclass"
            ),
        ),
    ],
)
def test_options_of_a_pipeline_are_a_dataclass(
    options_class: object, message: str
) -> None:
    register: Callable[..., None] = PassRegistry().register_pipeline
    with pytest.raises(RegistrationError) as raised:
        register("p", "", build, options_class)

    assert _without_place(raised.value) == (
        "'p' (test_pass_registry.build (test_pass_registry.py:LINE)): wrong options_class: "
        + message
    )


@pytest.mark.parametrize("argument", ["any", "-p", "--p"])
def test_argument_that_means_something_else(argument: str) -> None:
    with pytest.raises(RegistrationError) as raised:
        PassRegistry().register_pipeline(argument, "", build, UnrollOptions)

    assert _without_place(raised.value) == (
        "test_pass_registry.build (test_pass_registry.py:LINE) has the argument "
        f"'{argument}': 'any' is the anchor of an op-agnostic pipeline, and a leading "
        "'-' marks a flag"
    )


def _without_place(error: Exception) -> str:
    text = str(error).replace(f"{__name__}.", "test_pass_registry.")
    return re.sub(r"py:[0-9]+", "py:LINE", text)
