"""IR printing: what the differential tests cannot show."""

from __future__ import annotations

from pathlib import Path

import pytest

from passgen_runtime import Pass, SchedulingError
from passgen_runtime.context import Operation
from passgen_runtime.instrumentations.ir_printing import (
    NEEDS_ONE_THREAD,
    FileTreeDestination,
    IRPrintingConfig,
    IRTreeError,
    StreamDestination,
    enable_ir_printing,
    every_pass,
    passes_called,
)
from tests.recording import FUNCTIONS, Session, step

A = "func.func @a() {\n  func.return\n}"
B = "func.func @b() {\n  func.return\n}"


def stepping(text: str) -> Session:
    """Return a session whose manager runs a pass that changes no function."""
    session = Session(text)
    session.manager.nest("func.func").add_pass(step("Step", argument="step"))
    return session


def printed(session: Session, config: IRPrintingConfig) -> str:
    """Return what is printed while `session` runs."""
    texts: list[str] = []
    enable_ir_printing(
        session.manager, config, StreamDestination(session.context, texts.append)
    )
    session.run()
    return "".join(texts)


def test_standard_error_and_every_pass_by_default(
    capsys: pytest.CaptureFixture[str],
) -> None:
    session = stepping("func.func @a() { return }")
    enable_ir_printing(session.manager)
    session.run()

    assert capsys.readouterr().err == (
        f"// -----// IR Dump Before Step (step) //----- //\n{A}\n\n"
        f"// -----// IR Dump After Step (step) //----- //\n{A}\n\n"
    )


def test_first_state_comes_once_and_before_everything() -> None:
    session = stepping(FUNCTIONS)
    text = printed(
        session, IRPrintingConfig(first_state=True, before=passes_called("step"))
    )

    assert [line for line in text.splitlines() if line.startswith("//")] == [
        "// -----// IR Dump Before Pipeline (builtin.module) //----- //",
        "// -----// IR Dump Before Step (step) //----- //",
        "// -----// IR Dump Before Step (step) //----- //",
    ]
    assert "builtin.module {" in text.partition("IR Dump Before Step")[0]


def test_filter_sees_pass_and_operation() -> None:
    session = stepping(FUNCTIONS)

    def only_b(pass_: Pass, operation: Operation) -> bool:
        return session.context.symbol_name(operation) == "b" and str(pass_) == "step"

    assert printed(session, IRPrintingConfig(before=only_b)) == (
        f"// -----// IR Dump Before Step (step) //----- //\n{B}\n\n"
    )


def test_ir_that_does_not_print_becomes_a_comment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    session = stepping("func.func @a() { return }")

    def fail(*_: object, **__: object) -> str:
        raise ValueError("no names left\nat all")

    monkeypatch.setattr(session.context, "print", fail)

    assert printed(session, IRPrintingConfig(before=every_pass)) == (
        "// -----// IR Dump Before Step (step) //----- //\n"
        "// 'func.func' does not print: ValueError: no names left\n\n"
    )


def test_threads_print_whole_dumps() -> None:
    text = "\n".join(f"func.func @f{i}() {{ return }}" for i in range(50))
    session = stepping(text)
    session.manager.enable_multithreading(max_workers=4)
    dumps = printed(session, IRPrintingConfig(after=every_pass)).split("// -----// ")

    assert sorted(dumps[1:]) == sorted(
        f"IR Dump After Step (step) //----- //\nfunc.func @f{i}() {{\n  func.return\n}}\n\n"
        for i in range(50)
    )


def test_error_module_scope_with_threads() -> None:
    session = Session()
    session.manager.enable_multithreading()

    with pytest.raises(SchedulingError) as error:
        enable_ir_printing(session.manager, IRPrintingConfig(module_scope=True))

    assert str(error.value) == NEEDS_ONE_THREAD


def test_tree_with_awkward_symbols(tmp_path: Path) -> None:
    session = stepping('func.func private @"../a\\5Cb\\00c.d e"()')
    tree = FileTreeDestination(session.context, tmp_path / "new" / "tree")
    enable_ir_printing(session.manager, IRPrintingConfig(before=every_pass), tree)
    session.run()

    assert [
        path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.mlir")
    ] == ["new/tree/builtin_module_no-symbol-name/func_func_.._a_b_c.d e/0_0_step.mlir"]


def test_tree_that_cannot_be_written_ends_the_printing_only(tmp_path: Path) -> None:
    session = Session(FUNCTIONS)
    session.manager.nest("func.func").add_pass(session.step("Step"))
    tree = FileTreeDestination(session.context, tmp_path)
    (tmp_path / "builtin_module_no-symbol-name").write_text("in the way")
    enable_ir_printing(session.manager, IRPrintingConfig(before=every_pass), tree)

    assert session.run() == ["Step @a", "Step @b"]
    assert len(session.diagnostics) == 1
    assert "warning: IR is no longer printed: error while creating directory" in (
        session.diagnostics[0]
    )


def test_error_tree_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(IRTreeError, match=r"error while creating directory .*/file'"):
        FileTreeDestination(Session().context, tmp_path / "file")
