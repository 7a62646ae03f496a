"""What a pass declares about analyses is what a run does, and what `--audit` checks."""

from __future__ import annotations

import pytest

from passgen_runtime import ALL_ANALYSES, Pass, analysis
from passgen_runtime.analysis.declarations import AnalysisReferenceError
from passgen_runtime.context import Operation
from passgen_runtime.extensions.audit import TRUE_CLAIMS, Audit, enable_audit
from tests.recording import Running, Session

MODULE = "func.func @a() { return }\n"


class NumOps:
    """Counts the operations inside one, and how often that was done."""

    def __init__(self, operation: Operation) -> None:
        self.num_ops = sum(1 for _ in operation.walk())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NumOps) and self.num_ops == other.num_ops

    __hash__ = None  # type: ignore[assignment] # equal by content


class Depth:
    def __init__(self, operation: Operation) -> None:
        self.operation = operation


def compute(pass_: Running) -> None:
    pass_.get_analysis(NumOps)
    pass_.get_analysis(Depth)


def cached(session: Session) -> Pass:
    """Return a pass that notes which analyses are still cached."""

    def note(pass_: Running) -> None:
        for each in (NumOps, Depth):
            if pass_.get_cached_analysis(each) is not None:
                session.log.add(each.__name__)

    return session.step("Look", note)


def kept_by(*passes: tuple[str, dict[str, object]], verify: bool) -> list[str]:
    """Return the analyses that are left after passes of one pipeline."""
    session = Session(MODULE)
    session.manager.verify_each = verify
    session.manager.add_pass(session.step("Provide", compute, preserved_analyses=ALL))
    for name, attributes in passes:
        session.manager.add_pass(session.step(name, None, **attributes))
    session.manager.add_pass(cached(session))
    return [event for event in session.run() if event in {"NumOps", "Depth"}]


ALL = ALL_ANALYSES
NUM_OPS = analysis(f"{__name__}:NumOps")


@pytest.mark.parametrize("verify", [False, True])
def test_a_run_keeps_what_is_declared_preserved(*, verify: bool) -> None:
    assert kept_by(("Other", {}), verify=verify) == []
    assert kept_by(("Reads", {"preserved_analyses": ALL}), verify=verify) == [
        "NumOps",
        "Depth",
    ]
    assert kept_by(("Keeps", {"preserved_analyses": (NumOps,)}), verify=verify) == [
        "NumOps"
    ]
    assert kept_by(("Provides", {"provided_analyses": (Depth,)}), verify=verify) == [
        "Depth"
    ]


def test_a_pass_may_preserve_more_than_it_declares() -> None:
    session = Session(MODULE)
    add = session.manager.add_pass
    add(session.step("Provide", compute, preserved_analyses=ALL))
    add(
        session.step(
            "Keep",
            lambda pass_: pass_.mark_analyses_preserved(Depth),
            preserved_analyses=(NumOps,),
        )
    )
    add(cached(session))

    assert session.run()[-2:] == ["NumOps", "Depth"]


def nested_kept(*declared: object) -> list[str]:
    """Return the analyses of a module that are left after a nested pipeline."""
    session = Session(MODULE)
    session.manager.add_pass(session.step("Provide", compute, preserved_analyses=ALL))
    nested = session.manager.nest("func.func")
    for each in declared:
        nested.add_pass(session.step("Inner", preserved_analyses=each))
    session.manager.add_pass(cached(session))
    return [event for event in session.run() if event in {"NumOps", "Depth"}]


def test_a_nested_pipeline_keeps_what_all_its_passes_declare() -> None:
    assert nested_kept() == []
    assert nested_kept(ALL, ()) == []
    assert nested_kept(ALL, ALL) == ["NumOps", "Depth"]
    assert nested_kept(ALL, (NumOps,)) == ["NumOps"]
    assert nested_kept((NumOps, Depth), (NumOps,)) == ["NumOps"]


def test_nested_pipelines_that_run_together_keep_what_all_of_them_declare() -> None:
    session = Session("func.func @a() { return }\nmodule {}\n")
    session.manager.add_pass(session.step("Provide", compute, preserved_analyses=ALL))
    for anchor, declared in (
        ("func.func", ALL),
        ("builtin.module", (Depth,)),
        ("func.func", (NumOps, Depth)),
    ):
        nested = session.manager.nest(anchor)
        nested.add_pass(session.step("Inner", preserved_analyses=declared))
    session.manager.add_pass(cached(session))

    assert session.run()[-1] == "Depth"
    assert "NumOps" not in session.log.events


def test_the_ir_is_not_verified_after_a_pass_that_only_reads() -> None:
    verified = list[str]()
    session = Session(MODULE)
    verify = session.context.verify

    def noted(operation: Operation, *, recursive: bool = True) -> None:
        verified.append("verified")
        verify(operation, recursive=recursive)

    session.context.verify = noted  # type: ignore[method-assign] # to see it called
    session.manager.add_pass(session.step("Reads", preserved_analyses=ALL))
    session.run()

    assert verified == []

    session.manager.add_pass(session.step("Keeps", preserved_analyses=(NumOps,)))
    session.run()

    assert verified == ["verified"]


def false_claims(audit: Audit) -> list[tuple[str, str]]:
    return [
        (each.pass_name, each.found)
        for each in audit.violations
        if each.rule == TRUE_CLAIMS
    ]


def test_audit_finds_a_false_declaration() -> None:
    session = Session(MODULE)

    def rename(pass_: Running) -> None:
        name = pass_.operation.sym_name
        pass_.operation.attributes["old_name"] = name

    nested = session.manager.nest("func.func")
    nested.add_pass(session.step("Liar", rename, preserved_analyses=ALL))
    audit = enable_audit(session.manager)

    session.run()

    assert false_claims(audit) == [
        ("Liar", "preserved all analyses, and changed its operation")
    ]


def test_audit_finds_a_declared_analysis_that_is_no_longer_right() -> None:
    session = Session(MODULE)

    def erase_all(pass_: Running) -> None:
        for inner in list(pass_.operation.ops):
            inner.detach()

    session.manager.add_pass(session.step("Provide", compute, preserved_analyses=ALL))
    session.manager.add_pass(
        session.step("Liar", erase_all, preserved_analyses=(NUM_OPS,))
    )
    audit = enable_audit(session.manager)

    session.run()

    assert false_claims(audit) == [
        ("Liar", "preserved 'NumOps', which is no longer right")
    ]


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (
            "no_such_module:Schedule",
            "analysis 'Schedule' (no_such_module:Schedule) does not import: No module named 'no_such_module'",
        ),
        (
            "json:Schedule",
            "analysis 'Schedule' (json:Schedule) does not import: module 'json' has no attribute 'Schedule'",
        ),
        ("json:dumps", "analysis 'dumps' (json:dumps) is no class: "),
    ],
)
def test_what_is_no_analysis_is_found_before_anything_runs(
    target: str, message: str
) -> None:
    session = Session(MODULE)
    session.manager.add_pass(session.step("First"))
    session.manager.add_pass(
        session.step("Wrong", preserved_analyses=(analysis(target),))
    )

    with pytest.raises(AnalysisReferenceError) as caught:
        session.run()

    assert str(caught.value).startswith(message)
    assert session.log.events == []
