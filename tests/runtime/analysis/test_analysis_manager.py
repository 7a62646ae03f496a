"""Analyses: when they are computed, and which passes end their lives."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from passgen_runtime import AnalysisManager, PassFailure, PreservedAnalyses
from passgen_runtime.context import Operation
from passgen_runtime.pass_instrumentation import PassInstrumentation
from tests.recording import FUNCTIONS, Running, Session, add_all


class Size:
    """The number of operations, itself included."""

    def __init__(self, operation: Operation) -> None:
        self.value = sum(1 for _ in operation.walk())


class Twice:
    """Depends on `Size`."""

    def __init__(self, operation: Operation, manager: AnalysisManager) -> None:
        del operation
        self.value = 2 * manager.get_analysis(Size).value


class Other:
    def __init__(self, operation: Operation) -> None:
        del operation


class Stubborn:
    """Says itself that it always stays valid."""

    def __init__(self, operation: Operation) -> None:
        del operation

    def is_invalidated(self, preserved: PreservedAnalyses) -> bool:
        del preserved
        return False


class StubbornButDependent(Stubborn):
    def __init__(self, operation: Operation, manager: AnalysisManager) -> None:
        super().__init__(operation)
        manager.get_analysis(Size)


class SelfChecking:
    """Written as MLIR asks for: looks for its dependency in the preserved set."""

    def __init__(self, operation: Operation, manager: AnalysisManager) -> None:
        del operation
        manager.get_analysis(Size)

    def is_invalidated(self, preserved: PreservedAnalyses) -> bool:
        return not (
            preserved.is_preserved(SelfChecking) and preserved.is_preserved(Size)
        )


class OfChildren:
    """Depends on an analysis of each operation directly inside."""

    def __init__(self, operation: Operation, manager: AnalysisManager) -> None:
        for child in manager.context.children(operation):
            manager.get_child_analysis(Size, child)


class OfParent:
    """Depends on an analysis of the module around it, if there is one."""

    def __init__(self, operation: Operation, manager: AnalysisManager) -> None:
        parent = manager.context.parent(operation)
        self.found = manager.get_cached_parent_analysis(Size, parent) is not None


ALL = (Size, Twice, Other, Stubborn, StubbornButDependent, SelfChecking)


def request(*analyses: type) -> Callable[[Running], None]:
    """Return what asks for `analyses` and keeps everything."""

    def do(pass_: Running) -> None:
        for analysis in analyses:
            pass_.get_analysis(analysis)
        pass_.mark_all_analyses_preserved()

    return do


def preserve(*analyses: type) -> Callable[[Running], None]:
    return lambda pass_: pass_.mark_analyses_preserved(*analyses)


def look(pass_: Running) -> None:
    """Note which analyses are cached."""
    pass_.mark_all_analyses_preserved()
    for analysis in (*ALL, OfChildren, OfParent):
        if pass_.get_cached_analysis(analysis) is not None:
            pass_.log.add(f"has {analysis.__name__}")


def seen_after(*does: Callable[[Running], None], verify_each: bool = True) -> list[str]:
    """Return what is cached on the function after passes that do `does`."""
    session = Session(
        "func.func @a() { return }\nmodule @m {}", verify_each=verify_each
    )
    steps = [session.step(f"P{i}", do) for i, do in enumerate((*does, look))]
    add_all(session.manager.nest("func.func"), steps)
    return [event[4:] for event in session.run() if event.startswith("has ")]


@pytest.mark.parametrize("verify_each", [False, True])
@pytest.mark.parametrize(
    ("asked", "preserved", "kept"),
    [
        ((Size, Other), (), []),
        ((Size, Other), (Size,), ["Size"]),
        ((Size, Other), (Size, Other), ["Size", "Other"]),
        ((Size,), (Other,), []),
        ((Twice,), (Size,), ["Size"]),
        ((Twice,), (Twice,), []),
        ((Twice,), (Size, Twice), ["Size", "Twice"]),
        ((Stubborn,), (), ["Stubborn"]),
        ((StubbornButDependent,), (), []),
        ((StubbornButDependent,), (Size,), ["Size", "StubbornButDependent"]),
        ((SelfChecking,), (SelfChecking,), []),
        ((SelfChecking,), (Size, SelfChecking), ["Size", "SelfChecking"]),
    ],
    ids=str,
)
def test_what_is_not_preserved_is_gone(
    asked: tuple[type, ...],
    preserved: tuple[type, ...],
    kept: list[str],
    verify_each: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    seen = seen_after(request(*asked), preserve(*preserved), verify_each=verify_each)
    assert seen == kept


def test_a_pass_that_says_nothing_preserves_nothing() -> None:
    assert seen_after(request(Size), lambda _: None) == []


def test_a_pass_may_say_that_it_changed_nothing() -> None:
    kept = seen_after(request(*ALL), lambda pass_: pass_.mark_all_analyses_preserved())
    assert kept == [each.__name__ for each in ALL]


def test_an_analysis_is_computed_once_while_it_is_cached() -> None:
    session = Session()
    found: list[object] = []

    def do(pass_: Running) -> None:
        found.append(pass_.get_analysis(Size))
        pass_.mark_all_analyses_preserved()

    add_all(session.manager, [session.step("P", do), session.step("Q", do)])
    session.run()

    assert found[0] is found[1]


def test_an_analysis_is_computed_anew_after_a_change() -> None:
    session = Session(FUNCTIONS)
    sizes: list[int] = []

    def erase_one(pass_: Running) -> None:
        sizes.append(pass_.get_analysis(Size).value)
        pass_.operation.body.block.last_op.detach()

    add_all(session.manager, [session.step("P", erase_one) for _ in range(2)])
    session.run()

    assert sizes == [5, 3]


def test_each_operation_has_its_own_analyses() -> None:
    session = Session(FUNCTIONS)
    found: list[object] = []

    def do(pass_: Running) -> None:
        found.append(pass_.get_analysis(Size))

    session.manager.nest("func.func").add_pass(session.step("P", do))
    session.run()

    assert len(set(map(id, found))) == 2


def test_a_nested_pass_sees_what_is_cached_around_it() -> None:
    session = Session(FUNCTIONS)
    session.manager.add_pass(session.step("P", request(Size)))

    def do(pass_: Running) -> None:
        parent = pass_.operation.parent_op()
        found = pass_.get_cached_parent_analysis(Size, parent)
        pass_.log.add(f"parent has {found.value}" if found else "parent has none")
        assert pass_.get_cached_parent_analysis(Other, parent) is None
        assert pass_.get_cached_parent_analysis(Size, pass_.operation) is None

    session.manager.nest("func.func").add_pass(session.step("Q", do))
    session.manager.add_pass(session.step("R", look))

    assert session.run() == [
        "P builtin.module",
        "Q @a",
        "parent has 5",
        "Q @b",
        "parent has 5",
        "R builtin.module",
    ]


def test_a_pass_sees_analyses_of_operations_inside_its_own() -> None:
    session = Session(FUNCTIONS)

    def do(pass_: Running) -> None:
        first, second = pass_.operation.ops
        assert pass_.get_cached_child_analysis(Size, first) is None
        assert pass_.get_child_analysis(Size, first).value == 2
        assert pass_.get_cached_child_analysis(Size, first).value == 2
        assert pass_.get_cached_child_analysis(Size, second) is None
        returned = first.body.block.first_op
        assert pass_.get_child_analysis(Size, returned).value == 1

    session.manager.add_pass(session.step("P", do))
    assert session.run() == ["P builtin.module"]


def test_only_operations_inside_have_child_analyses() -> None:
    session = Session(FUNCTIONS)

    def do(pass_: Running) -> None:
        pass_.get_child_analysis(Size, pass_.operation.parent_op())

    session.manager.nest("func.func").add_pass(session.step("P", do))

    with pytest.raises(PassFailure, match="is outside of the one that is analysed"):
        session.run()


@pytest.mark.parametrize("verify_each", [False, True])
def test_a_pass_ends_analyses_that_were_computed_from_outside(
    *, verify_each: bool
) -> None:
    session = Session(FUNCTIONS, verify_each=verify_each)

    def ask(pass_: Running) -> None:
        for child in pass_.operation.ops:
            pass_.get_child_analysis(Size, child)
        pass_.mark_all_analyses_preserved()

    session.manager.add_pass(session.step("P", ask))
    functions = [session.step("Q", look), session.step("C"), session.step("R", look)]
    add_all(session.manager.nest("func.func"), functions)

    assert session.run() == [
        "P builtin.module",
        *("Q @a", "has Size", "C @a", "R @a"),
        *("Q @b", "has Size", "C @b", "R @b"),
    ]


def test_a_pass_ends_the_analyses_of_nested_operations() -> None:
    session = Session(FUNCTIONS)

    def ask(pass_: Running) -> None:
        for child in pass_.operation.ops:
            pass_.get_child_analysis(Size, child)
            pass_.get_child_analysis(Other, child)

    def ask_and_preserve(pass_: Running) -> None:
        ask(pass_)
        pass_.mark_analyses_preserved(Other)

    def look_inside(pass_: Running) -> None:
        pass_.mark_all_analyses_preserved()
        for child in pass_.operation.ops:
            for analysis in (Size, Other):
                if pass_.get_cached_child_analysis(analysis, child):
                    pass_.log.add(f"has {analysis.__name__}")

    steps = [
        session.step("P", ask_and_preserve),
        session.step("Q", look_inside),
        session.step("R", ask),
        session.step("S", look_inside),
    ]
    add_all(session.manager, steps)

    assert session.run() == [
        *("P builtin.module", "Q builtin.module", "has Other", "has Other"),
        *("R builtin.module", "S builtin.module"),
    ]


def test_a_nested_pipeline_ends_the_analyses_of_what_is_around_it() -> None:
    session = Session(FUNCTIONS)
    session.manager.add_pass(session.step("P", request(Size, Stubborn)))
    session.manager.nest("func.func").add_pass(session.step("Q"))
    session.manager.add_pass(session.step("R", look))

    assert session.run()[-2:] == ["R builtin.module", "has Stubborn"]


def test_dependencies_reach_into_nested_operations() -> None:
    def changes_a_child(pass_: Running) -> None:
        pass_.mark_analyses_preserved(OfChildren)

    assert seen_after(request(OfChildren), preserve(OfChildren, Size)) == ["OfChildren"]
    assert seen_after(request(OfChildren), changes_a_child) == []


def test_dependencies_reach_what_is_around() -> None:
    session = Session(FUNCTIONS)
    session.manager.add_pass(session.step("P", request(Size)))
    module = session.module
    manager = AnalysisManager(module, session.context)
    function = next(iter(module.ops))
    nested = manager.nest(function)
    manager.get_analysis(Size)
    assert nested.get_analysis(OfParent).found

    preserved = PreservedAnalyses()
    preserved.preserve(OfParent)
    manager.invalidate(preserved)

    assert nested.get_cached_analysis(OfParent) is None


def test_an_analysis_that_depends_on_itself_is_an_error() -> None:
    class Chicken:
        def __init__(self, operation: Operation, manager: AnalysisManager) -> None:
            del operation
            manager.get_analysis(Egg)

    class Egg:
        def __init__(self, operation: Operation, manager: AnalysisManager) -> None:
            del operation
            manager.get_analysis(Chicken)

    session = Session()
    session.manager.add_pass(session.step("P", request(Chicken)))

    with pytest.raises(PassFailure) as failure:
        session.run()
    assert str(failure.value.__cause__) == (
        "an analysis depends on itself: Chicken -> Egg -> Chicken"
    )


def test_an_analysis_that_fails_is_not_cached_and_ends_no_other() -> None:
    class Failing:
        def __init__(self, operation: Operation) -> None:
            raise ValueError(operation.name)

    session = Session()
    manager = AnalysisManager(session.module, session.context)
    for _ in range(2):
        with pytest.raises(ValueError, match=r"builtin\.module"):
            manager.get_analysis(Failing)
    assert manager.cached() == {}


def test_dependencies_are_computed_inside_their_users() -> None:
    events: list[str] = []

    class Watch(PassInstrumentation):
        def run_before_analysis(self, analysis: type, operation: Operation) -> None:
            events.append(f"before {analysis.__name__} of {operation.name}")

        def run_after_analysis(self, analysis: type, operation: Operation) -> None:
            del operation
            events.append(f"after {analysis.__name__}")

    session = Session()
    session.manager.add_instrumentation(Watch())
    session.manager.add_pass(session.step("P", request(Twice, Size)))
    session.run()

    assert events == [
        "before Twice of builtin.module",
        "before Size of builtin.module",
        "after Size",
        "after Twice",
    ]


def test_no_analysis_survives_a_run() -> None:
    session = Session()
    add_all(
        session.manager, [session.step("L", look), session.step("P", request(Size))]
    )

    assert session.run() == session.run() == ["L builtin.module", "P builtin.module"]
