"""Analyses that depend on others, and passes that ask for them and preserve some."""

from __future__ import annotations

from collections.abc import Callable

from passgen_runtime import AnalysisManager, PreservedAnalyses
from passgen_runtime.context import Operation
from tests.recording import Running, Session, add_all


class Size:
    """The number of operations, itself included."""

    def __init__(self, operation: Operation) -> None:
        self.value = sum(1 for _ in operation.walk())


class NumOps(Size):
    """Equal by content."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NumOps) and self.value == other.value

    __hash__ = None  # type: ignore[assignment] # equal by content


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


def kept(asked: tuple[type, ...], preserved: tuple[type, ...]) -> list[str]:
    """Return which of the analyses that are asked for outlive a pass."""
    does = request(*asked), preserve(*preserved)
    seen = seen_after(*does)
    assert seen_after(*does, verify_each=False) == seen
    return seen


def ask_children(
    *analyses: type, preserved: tuple[type, ...] | None = None
) -> Callable[[Running], None]:
    """Return what asks for analyses of all operations inside, and keeps some or all."""

    def do(pass_: Running) -> None:
        for child in pass_.operation.ops:
            for analysis in analyses:
                pass_.get_child_analysis(analysis, child)
        if preserved is None:
            pass_.mark_all_analyses_preserved()
        else:
            pass_.mark_analyses_preserved(*preserved)

    return do
