"""An IR library of one's own is a row: tools know none of the others by name."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from passgen_runtime import (
    Context,
    Diagnostic,
    DialectError,
    IRError,
    OperationPass,
    Pass,
    PassManager,
    PassOptions,
    PassRegistry,
    SchedulingError,
    create_pass,
)
from passgen_runtime.printing_flags import PrintingFlags
from passgen_tools import ir_libraries, run
from passgen_tools.adaptors import Inspector
from passgen_tools.ir_libraries import (
    Adaptors,
    IRLibrary,
    inspector_of,
    register_ir_library,
    registry_of,
    transport_of,
)
from passgen_tools.opt import main


@dataclass(eq=False)
class Word:
    """An operation: a word of a text, or the text, which is called `words`."""

    name: str
    inside: list[Word] = field(default_factory=list)
    parent: Word | None = None


@dataclass(frozen=True)
class WordType:
    name: str
    is_isolated_from_above: bool = True

    def has_interface(self, _interface: str) -> bool:
        return False

    def has_trait(self, _trait: str) -> bool:
        return False


class WordContext(Context):
    library = "words"

    def __init__(self) -> None:
        super().__init__()
        self.native_pass = lambda _, options: Shout(options)

    def lookup(self, name: str) -> WordType:
        return WordType(name)

    def info(self, operation: Word) -> WordType:
        return WordType(operation.name)

    def registered_dialects(self) -> Iterable[str]:
        return ()

    def load_dialects(self, names: Iterable[str]) -> None:
        for name in names:
            raise DialectError(name)

    def name(self, operation: Word) -> str:
        return operation.name

    def symbol_name(self, _operation: Word) -> None:
        return None

    def location(self, operation: Word) -> str:
        return f"words:1:{len(operation.name)}"

    def children(self, operation: Word) -> Sequence[Word]:
        return [*operation.inside]

    def parent(self, operation: Word) -> Word | None:
        return operation.parent

    def verify(self, operation: Word, *, recursive: bool = True) -> None:
        for word in operation.inside if recursive else ():
            if not word.name.isalpha():
                message = f"'{word.name}' is no word"
                raise IRError(Diagnostic("error", message, self.location(word)))

    def print(
        self,
        operation: Word,
        *,
        generic: bool = False,
        flags: PrintingFlags | None = None,
    ) -> str:
        del generic, flags
        return " ".join(word.name for word in operation.inside) or operation.name

    def fingerprint(self, operation: Word, *, with_locations: bool = True) -> bytes:
        del with_locations
        return hashlib.sha256(self.print(operation).encode()).digest()

    def clone(self, operation: Word) -> Word:
        return self.parse(self.print(operation), "clone")

    def parse(
        self, text: str, name: str = "<string>", *, implicit_module: bool = True
    ) -> Word:
        del name, implicit_module
        around = Word("words")
        around.inside = [Word(word, parent=around) for word in text.split()]
        return around


class WordInspector(Inspector):
    """Looks at words."""


class Shout(OperationPass[PassOptions]):
    argument = "shout"
    anchor = "words"

    def run_on_operation(self) -> None:
        for word in self.operation.inside:
            word.name = word.name.upper()


class DeclaredShout(OperationPass[PassOptions]):
    argument = "shout"
    declared_in = "words.yaml"


class Words(IRLibrary):
    name = "words"
    title = "Words"
    why_verifies_input = "words are verified while they are read"

    def context(self, *, allow_unregistered: bool = False) -> Context:
        del allow_unregistered
        return WordContext()

    def context_of(self, operation: object, last: Context | None) -> Context | None:
        return last or WordContext() if isinstance(operation, Word) else None

    def add_passes(self, registry: PassRegistry) -> PassRegistry:
        registry.register_pass(Shout)
        return registry

    def registry(self, given: PassRegistry | None = None) -> PassRegistry:
        return self.add_passes(given or PassRegistry())

    def knows_pass(self, argument: str) -> bool:
        return argument == "shout"

    def adaptors(self) -> Adaptors:
        return Adaptors(inspector=WordInspector)


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(ir_libraries, "_ROWS", {**vars(ir_libraries)["_ROWS"]})
    register_ir_library(Words)
    monkeypatch.chdir(tmp_path)
    Path("in.words").write_text("good morning")
    Path("in.mlir").write_text("")


def test_the_driver_runs_its_passes_on_its_ir(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["in.words", "--ir=words", "--pass-pipeline=words(shout)"]) == 0
    assert capsys.readouterr().out == "GOOD MORNING\n"


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (
            ["in.mlir", "--pass-pipeline=builtin.module(shout)"],
            "note: 'shout' is a pass of Words's: --ir=words runs it",
        ),
        (
            ["in.words", "--ir=words", "--pass-pipeline=words(sccp)"],
            "note: 'sccp' is a pass of MLIR's: --ir=mlir runs it",
        ),
        (
            ["in.words", "--ir=word"],
            "valid values are xdsl, mlir, mlir:PACKAGE and words",
        ),
        (
            ["in.words", "--ir=words", "--very-unsafe-disable-verifier-on-parsing"],
            "words are verified while they are read",
        ),
    ],
)
def test_errors_of_the_driver_are_about_all_libraries(
    arguments: list[str], error: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) != 0
    assert error in capsys.readouterr().err


def test_its_row_has_what_tools_need() -> None:
    context = WordContext()

    assert type(inspector_of(context)) is WordInspector
    assert registry_of(context).arguments() == ["shout"]
    with pytest.raises(SchedulingError, match="WordContext cannot be made in another"):
        transport_of(context)


def test_run_finds_the_context_of_its_operations() -> None:
    result = run("shout", WordContext().parse("good night", "in.words"))

    assert type(result.context) is WordContext
    assert result.ir == "GOOD NIGHT"


def test_its_context_makes_a_declared_pass() -> None:
    manager = PassManager(WordContext(), "words")
    manager.add_pass(create_pass(DeclaredShout))

    passes: list[Pass] = [*manager.passes()]
    assert [type(pass_) for pass_ in passes] == [Shout]


def test_a_library_that_is_not_installed_is_not_asked_further() -> None:
    class Absent(Words):
        name = "absent"

        def context(self, *, allow_unregistered: bool = False) -> Context:
            del allow_unregistered
            raise DialectError("it is not installed")

    class OnNothing(Shout):
        def check_context(self, context: Context) -> None:
            raise SchedulingError(f"not on {type(context).__name__}")

    register_ir_library(Absent)

    with pytest.raises(SchedulingError, match="not on XDSLContext"):
        run(OnNothing(), "")
