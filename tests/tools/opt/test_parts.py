"""The parts of a driver: its flags, and the blocks around what it does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar

import pytest

from passgen_runtime import PassFailure, PassRegistry, Runner
from passgen_runtime.pass_manager.nested import NestedPipelines
from passgen_tools.opt import (
    DEFAULT_PARTS,
    DriverCall,
    DriverPart,
    DriverRun,
    UsageError,
    main,
    switch,
    text,
)

SOURCE = "func.func @f() { return }\n"


class Tracing(DriverPart):
    """Notes the blocks, and what is there in them."""

    greeting = text("greeting", "say this when all is done", "TEXT")
    is_refused = switch("refused", "be refused")
    events: ClassVar[list[str]] = []

    def check(self, passes: Callable[[], PassRegistry]) -> None:
        del passes
        if self.is_refused:
            raise UsageError("for the --refused option: it is refused")

    @contextmanager
    def around_call(self, call: DriverCall) -> Iterator[None]:
        del call
        self.events.append("call")
        yield
        self.events.append(f"end of call: {self.greeting}")

    @contextmanager
    def around_input(self, run: DriverRun) -> Iterator[None]:
        self.events.append(f"input {run.number}: {run.operation}")
        try:
            yield
        except Exception as error:
            self.events.append(f"input {run.number} failed: {type(error).__name__}")
            raise
        self.events.append(f"end of input {run.number}")

    @contextmanager
    def around_passes(self, run: DriverRun) -> Iterator[None]:
        self.events.append(f"passes on {run.context.name(run.operation)}")
        yield
        self.events.append("end of passes")


class Inner(DriverPart):
    """A part in the blocks of another one."""

    @contextmanager
    def around_passes(self, run: DriverRun) -> Iterator[None]:
        del run
        Tracing.events.append("inner")
        yield
        Tracing.events.append("end of inner")


@pytest.fixture(autouse=True)
def events() -> list[str]:
    Tracing.events.clear()
    return Tracing.events


@pytest.fixture
def source(tmp_path: Path) -> str:
    path = tmp_path / "in.mlir"
    path.write_text(f"{SOURCE}// -----\nno IR\n", encoding="utf-8")
    return str(path)


def test_blocks_stand_around_the_call_the_input_and_the_passes(
    source: str, events: list[str]
) -> None:
    arguments = [source, "--cse", "--split-input-file", "--greeting=bye"]

    assert main(arguments, parts=(*DEFAULT_PARTS, Tracing)) == 1

    assert events == [
        "call",
        "input 0: None",
        "passes on builtin.module",
        "end of passes",
        "end of input 0",
        "input 1: None",
        "input 1 failed: IRError",
        "end of call: bye",
    ]


def test_blocks_of_the_first_part_are_outermost(source: str, events: list[str]) -> None:
    class Nested(Inner):
        pass

    main([source, "--split-input-file"], parts=(Tracing, Nested))

    begin = events.index("passes on builtin.module")
    assert events[begin + 1 : begin + 4] == ["inner", "end of inner", "end of passes"]


def test_a_part_refuses_its_flags_before_the_input_is_read(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code = main(["missing.mlir", "--refused"], parts=(*DEFAULT_PARTS, Tracing))

    assert code == 2
    assert capsys.readouterr().err == (
        "passgen-opt: for the --refused option: it is refused\n"
    )


@pytest.mark.process
def test_without_parts_a_driver_parses_verifies_runs_and_prints(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "in.mlir"
    path.write_text(SOURCE, encoding="utf-8")

    assert main([str(path), "--cse"], parts=()) == 0
    assert capsys.readouterr().out == (
        "builtin.module {\n  func.func @f() {\n    func.return\n  }\n}\n"
    )
    assert main([str(path), "--mlir-timing"], parts=()) == 2
    assert "Unknown command line argument '--mlir-timing'" in capsys.readouterr().err
    assert main(["--help"], parts=()) == 0
    assert "--mlir-timing" not in capsys.readouterr().out


class Greeter(Tracing):
    """A part in the place of another one, with a flag in the place of its flag."""

    greeting = text("greeting", "say another thing", "TEXT")


class TakesAlias(DriverPart):
    """A part whose flag is another spelling of one that is there."""

    times = switch("timing", "print times")


@pytest.mark.parametrize(
    "parts", [(Tracing, Tracing), (Tracing, Greeter), (TakesAlias,)]
)
def test_two_parts_with_one_flag_are_an_error_of_the_author(
    parts: tuple[type[DriverPart], ...],
) -> None:
    with pytest.raises(ValueError, match="two parts of the driver have the flag"):
        main([], parts=(*DEFAULT_PARTS, *parts))


def test_a_part_may_stand_in_the_place_of_its_base(
    source: str, events: list[str]
) -> None:
    arguments = [source, "--split-input-file", "--greeting=hi"]

    assert main(arguments, parts=(Greeter,)) == 1
    assert events[-1] == "end of call: hi"


class SetsRunner(DriverPart):
    """A part that runs nested pipelines in its own way."""

    num_groups: ClassVar[list[str]] = []

    @contextmanager
    def around_passes(self, run: DriverRun) -> Iterator[None]:
        class Counting(Runner):
            def run(self, group: NestedPipelines) -> Sequence[PassFailure]:
                SetsRunner.num_groups.append(str(group))
                return super().run(group)

        run.runner = Counting()
        yield


@pytest.mark.parametrize("is_first", [True, False])
def test_a_part_sets_the_runner(tmp_path: Path, *, is_first: bool) -> None:
    path = tmp_path / "in.mlir"
    path.write_text(SOURCE, encoding="utf-8")
    parts = [*DEFAULT_PARTS]
    parts.insert(0 if is_first else len(parts), SetsRunner)
    SetsRunner.num_groups.clear()

    pipeline = "builtin.module(func.func(cse))"
    assert main([str(path), "-p", pipeline, "-o", "/dev/null"], parts=parts) == 0
    assert SetsRunner.num_groups == ["func.func(cse)"]
