"""What an example means depends on its tokens, and on nothing that a parser words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TypeAlias

import pytest

from passgen_runtime import PassManager
from passgen_runtime.context import Context, Operation
from passgen_runtime.diagnostics import Diagnostic
from passgen_runtime.errors import IRError
from passgen_runtime.ir.mlir import MLIRContext
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.passes.generated.arith_passes import (
    ArithIdentitiesPassBase,
    ArithStrengthReductionPassBase,
)
from passgen_runtime.patterns import (
    PatternError,
    RewritePattern,
    TypeNode,
    library_of,
    pdl_text,
    read_pattern,
)
from tests.pattern_cases import SQUARE_TO_SELF, WRONG, pass_of, pattern
from tests.pattern_example_cases import (
    INTEGER,
    MATCHES,
    TIMES_TWO,
    WRONG_EXAMPLES,
    shown,
)

pytestmark = pytest.mark.bindings

Rewording: TypeAlias = Callable[[str], str]


def reversed_words(message: str) -> str:
    return re.sub(r"\w+", lambda word: word[0][::-1], message)


def one_word(_message: str) -> str:
    return "no"


def reworded(make_context: type[Context], reword: Rewording) -> Context:
    """Return a context that says each error of its parser with other words."""

    def other(diagnostic: Diagnostic) -> Diagnostic:
        notes = tuple(map(other, diagnostic.notes))
        return replace(diagnostic, message=reword(diagnostic.message), notes=notes)

    class Reworded(make_context):  # type: ignore[misc, valid-type]
        @contextmanager
        def collected_in(self, found: list[Diagnostic]) -> Iterator[None]:
            """Reword what MLIR's parser reports."""
            collected: list[Diagnostic] = []
            try:
                with super().collected_in(collected):
                    yield
            finally:
                found += map(other, collected)

        def parse(
            self, text: str, name: str, *, implicit_module: bool = True
        ) -> Operation:
            try:
                return super().parse(text, name, implicit_module=implicit_module)
            except IRError as error:
                raise IRError(other(error.diagnostic)) from error

    return Reworded()


def pdl_of(shown_pattern: RewritePattern, context: Context) -> list[str]:
    library = library_of(context)
    assert library is not None
    return [pdl_text(graph) for graph in read_pattern(library, shown_pattern)]


both_libraries = pytest.mark.parametrize("make_context", [XDSLContext, MLIRContext])
other_words = pytest.mark.parametrize("reword", [reversed_words, one_word])


ALIASES = shown(
    "!t = i32\n%two = arith.constant 2 : !t\n%0 = arith.muli %x, %two : !t",
    "!t = i32\n%0 = arith.addi %x, %x : !t",
)


@both_libraries
@other_words
def test_other_words_in_errors_change_no_pattern(
    reword: Rewording, make_context: type[Context]
) -> None:
    plain, other = make_context(), reworded(make_context, reword)
    patterns = [row[0] for row in MATCHES.values()]
    patterns += ArithStrengthReductionPassBase.patterns
    patterns += ArithIdentitiesPassBase.patterns
    patterns += [ALIASES]

    for known in patterns:
        assert pdl_of(known, other) == pdl_of(known, plain)


def refusal(known: RewritePattern, context: Context) -> str:
    """Return the place at which a pattern is refused."""
    with pytest.raises(PatternError) as caught:
        PassManager(context, "func.func").add_pass(pass_of(known)())
    found = re.match(r"specs/example.yaml(:\d+)*", str(caught.value))
    assert found is not None
    return found[0]


@both_libraries
@other_words
def test_other_words_in_errors_move_no_error(
    reword: Rewording, make_context: type[Context]
) -> None:
    plain, other = make_context(), reworded(make_context, reword)
    wrong = [known for known, _ in WRONG_EXAMPLES.values()]
    wrong += [pattern(pdl) for pdl, _ in WRONG.values()]

    for known in wrong:
        assert refusal(known, other) == refusal(known, plain)


SUM = "%0 = arith.addi %x, %x : i32"


@both_libraries
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (TIMES_TWO.replace("\n", "\n\n\n     "), f"\n  {SUM}\n"),
        (TIMES_TWO.replace(" : i32", "\n  :\n  i32"), SUM.replace("=", "\n=\n")),
        (TIMES_TWO.replace("= arith", "=arith").replace(", ", ","), SUM),
        (TIMES_TWO.replace(": i32", ': i32 loc("a.py":7:2)'), f"{SUM} loc(unknown)"),
        (
            TIMES_TWO.replace("\n", " // %0 = %x\n// loc(\n"),
            f"// %1 = %x\n{SUM} // %0 = %1",
        ),
        (f"^bb0(%x: i32):\n{TIMES_TWO}", SUM),
        (f"^any(%x : i32) :  // a comment\n{TIMES_TWO}", SUM),
        (TIMES_TWO, f"%1 = %x\n{SUM.replace('%x, %x', '%1, %x')}"),
        (TIMES_TWO, f"{SUM.replace('%0', '%sum')}\n%0 = %sum"),
        (TIMES_TWO, f"{SUM.replace('%0', '%sum')}\n%0\n=%sum"),
    ],
)
def test_blanks_line_ends_comments_and_locations_mean_nothing(
    before: str, after: str, make_context: type[Context]
) -> None:
    context = make_context()

    assert pdl_of(shown(before, after), context) == pdl_of(
        shown(TIMES_TWO, SUM), context
    )


HIGH = "%low, %high = arith.mulsi_extended %x, %y : i32\n%0 = arith.addi %low, %z : i32"


@both_libraries
@pytest.mark.parametrize(
    "before",
    [
        HIGH.replace(", %high", ",\n%high"),
        HIGH.replace("= arith.mul", "=\n// %low = %high\narith.mul"),
        HIGH.replace("i32\n", 'i32 loc("f":11:6)\n'),
        HIGH.replace("i32\n", 'i32 loc(fused["f":1:1, callsite("g" at "h":2:2)])\n'),
        HIGH.replace("%low, %high =", "\t%low\n\n, %high\n="),
    ],
)
def test_names_of_results_come_from_tokens(
    before: str, make_context: type[Context]
) -> None:
    context, after = make_context(), "%0 = arith.subi %high, %z : i32"

    assert pdl_of(shown(before, after), context) == pdl_of(shown(HIGH, after), context)


@both_libraries
@pytest.mark.parametrize(
    "names", ["%low", "%low, %high, %more", "%low:3", "%a, %low:2"]
)
def test_another_number_of_names_is_an_error(
    names: str, make_context: type[Context]
) -> None:
    before = HIGH.replace("%low, %high", names)

    with pytest.raises(PatternError, match=r":10:\d+: error: "):
        pdl_of(shown(before, "%0 = %x"), make_context())


@both_libraries
@pytest.mark.parametrize(
    "after",
    [
        "%0 = %0",
        "%0 = %1\n%1 = %0",
        "%1 = %0\n%0 = %1",
        "%0 = arith.addi %1, %x : i32\n%1 = %0",
        "%0 = %x\n%0 = %y",
        f"{SUM}\n%0 = %x",
    ],
)
def test_a_result_is_not_replaced_by_itself(
    after: str, make_context: type[Context]
) -> None:
    with pytest.raises(PatternError, match="shown"):
        pdl_of(shown("%0 = arith.muli %x, %y : i32", after), make_context())


@both_libraries
def test_pdl_does_not_replace_a_result_by_itself(make_context: type[Context]) -> None:
    by_itself = SQUARE_TO_SELF.replace(
        "pdl.rewrite", "%own = pdl.result 0 of %root\npdl.rewrite"
    ).replace("with (%x", "with (%own")

    with pytest.raises(PatternError, match="replaces an operation by itself"):
        PassManager(make_context(), "func.func").add_pass(pass_of(pattern(by_itself))())


@both_libraries
def test_types_in_pdl_are_types(make_context: type[Context]) -> None:
    context = make_context()
    library = library_of(context)
    assert library is not None
    (graph,) = read_pattern(library, pattern(SQUARE_TO_SELF))

    (type_,) = {node.constant for node in graph.nodes if isinstance(node, TypeNode)}
    assert library.element(type_).width == 32


@both_libraries
def test_results_of_one_name_are_those_of_two(make_context: type[Context]) -> None:
    context = make_context()
    packed = "%0:2 = arith.mulsi_extended %x, %x : i32"
    two = packed.replace("%0:2", "%0, %1")

    assert pdl_of(shown(packed, packed), context) == pdl_of(shown(two, two), context)


@both_libraries
@pytest.mark.parametrize("first_line", ["", "^bb0(%c: i1):\n"])
def test_a_type_that_no_use_spells_comes_from_the_operation(
    first_line: str, make_context: type[Context]
) -> None:
    before = f"{first_line}%0 = arith.select %c, %x, %x : $T"
    (pdl,) = pdl_of(shown(before, "%0 = %x", INTEGER), make_context())

    assert "%type_0 = pdl.type : i1\n  %c_1 = pdl.operand : %type_0" in pdl


@both_libraries
def test_the_first_line_gives_types_with_variables(make_context: type[Context]) -> None:
    shown_types = "^bb0(%c: i1, %y: $T):\n"
    before = "%0 = arith.select %c, %y, %y : $T"
    context = make_context()
    (pdl,) = pdl_of(shown(shown_types + before, "%0 = %y", INTEGER), context)

    assert [pdl] == pdl_of(shown(before, "%0 = %y", INTEGER), context)


@both_libraries
@pytest.mark.parametrize("after_region", ["", "\n%0 = arith.addi %x, %x : i32"])
def test_a_region_is_refused_whatever_it_uses(
    after_region: str, make_context: type[Context]
) -> None:
    before = f"scf.if %c {{\n  %1 = arith.addi %x, %x : i32\n}}{after_region}"
    after = "%0 = %x" if after_region else ""

    with pytest.raises(PatternError, match=r"10:9: .* an example cannot show an op"):
        pdl_of(shown(before, after), make_context())


@both_libraries
def test_a_value_of_the_first_line_is_used(make_context: type[Context]) -> None:
    before = f"^bb0(%z: i32):\n{SUM}"

    with pytest.raises(PatternError, match="'%z', which no operation uses"):
        pdl_of(shown(before, "%0 = %z"), make_context())


@both_libraries
@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("^bb0(%x: i33x):", "10:18: "),
        ("^bb0(%x: f32):", "11:2"),
        ("^bb0(%x: ):", "10:9: "),
        ("^bb0(%x i32):", "10:(9|14): "),
        ("^bb0(%x: i32", "10:9: "),
        ("^bb0(%x: i32, ):", "10:9: "),
        ("^bb0(, %x: i32):", "10:9: "),
        ("^bb0(%x: i32 %y: i32):", "10:18: "),
        ("^bb0(%x: i32, %x: i32):", "10:9: "),
        ("^bb0(%x: i32)", "10:9: "),
        ("^bb0(%0: i32):", "10:18: error: .* '%0' is defined here"),
    ],
)
def test_a_wrong_first_line_is_an_error_at_its_place(
    line: str, place: str, make_context: type[Context]
) -> None:
    with pytest.raises(PatternError, match=rf":{place}"):
        pdl_of(shown(f"{line}\n{SUM}", "%0 = %x"), make_context())


@pytest.mark.parametrize(
    ("before", "num_parses"),
    [
        ("%0 = arith.addi %x, %y : i32", 1),
        ("%0 = arith.select %c, %x, %x : i32", 2),
        ("%0 = memref.load %m[%i] : memref<4xf32>", 3),
    ],
)
def test_few_types_are_tried_on_mlirs_ir(before: str, num_parses: int) -> None:
    parsed: list[str] = []

    class Counting(MLIRContext):
        def parse_module(self, text: str, name: str) -> Operation:
            parsed.append(text)
            return super().parse_module(text, name)

    (pdl,) = pdl_of(shown(before, before), Counting())

    assert "pdl.rewrite" in pdl
    assert len(parsed) == num_parses + 1  # and `after`


MASKED = """\
%0 = vector.transfer_read %m[%i], %p, %mask {in_bounds = [true]} : memref<?xf32>, vector<4xf32>"""


def test_a_type_that_cannot_be_found_is_asked_for() -> None:
    known = shown(MASKED, "%0 = vector.broadcast %p : f32 to vector<4xf32>")

    with pytest.raises(PatternError) as caught:
        pdl_of(known, MLIRContext())

    assert caught.value.place == ":10:47"
    assert caught.value.message == (
        "the type of '%mask' is not known: begin 'before' with a line `^bb0(%mask: TYPE):`"
    )


def test_a_type_that_cannot_be_found_may_be_given() -> None:
    before = f"^bb0(%mask: vector<4xi1>):\n{MASKED}"
    known = shown(before, "%0 = vector.broadcast %p : f32 to vector<4xf32>")

    (pdl,) = pdl_of(known, MLIRContext())

    assert "pdl.type : vector<4xi1>" in pdl


def test_a_misspelt_flag_has_no_note_on_symbols() -> None:
    before = "%0 = arith.addi %x, %y overflow<nws> : i32"
    with pytest.raises(PatternError) as caught:
        pdl_of(shown(before, "%0 = %x"), XDSLContext())

    assert caught.value.notes == ()


OTHER_MODULES = {
    "behind": f"{SUM}\n}}\nmodule {{",
    "a function": f"{SUM}\n}} func.func @f() {{\nfunc.return }} module {{",
    "a module": f"module {{\n{SUM}\n}}",
    "a module without free values": "module {\n%0 = arith.constant 1 : i32\n}",
}


@both_libraries
@pytest.mark.parametrize("case", OTHER_MODULES)
def test_an_example_cannot_end_the_module_around_it(
    case: str, make_context: type[Context]
) -> None:
    known = shown(OTHER_MODULES[case], "%0 = %x")

    assert refusal(known, make_context()).startswith("specs/example.yaml:1")


@pytest.mark.parametrize(
    "operation",
    [
        "arith.addf %x, %x fastmath<no> : f32",
        "arith.cmpf one, %x, %x fastmath<no> : f32",
    ],
)
def test_only_the_error_at_its_place_in_the_spec_is_reported(operation: str) -> None:
    context, reported = MLIRContext(), list[Diagnostic]()

    with context.redirecting_diagnostics(reported.append):
        place = refusal(shown(f"%0 = {operation}", "%0 = %x"), context)

    assert place.startswith("specs/example.yaml:10:")
    assert reported == []


@both_libraries
@pytest.mark.parametrize(
    ("operation", "nearest"),
    [
        ("%0 = arith.adddi %x, %x : i32", "arith.addi"),
        ('%0 = "arith.adddi"(%x, %x) : (i32, i32) -> i32', "arith.addi"),
        ("memref.stor %x, %m[%i] : memref<2xi32>", "memref.store"),
    ],
)
def test_a_mistyped_operation_has_a_note_with_the_nearest_one(
    operation: str, nearest: str, make_context: type[Context]
) -> None:
    with pytest.raises(PatternError) as caught:
        pdl_of(shown(operation, "%0 = %x"), make_context())

    notes = [line for line in str(caught.value).splitlines() if line.startswith("note")]
    assert notes == [f"note: did you mean '{nearest}'?"]


def test_a_mistyped_operation_of_pdl_has_the_nearest_one_on_mlirs_ir() -> None:
    mistyped = pattern(SQUARE_TO_SELF.replace("arith.muli", "arith.mulli"))

    with pytest.raises(PatternError, match=r"did you mean 'arith\.muli'"):
        PassManager(MLIRContext(), "func.func").add_pass(pass_of(mistyped)())


@both_libraries
@pytest.mark.parametrize(
    "before",
    [
        "%0 = arith.addi %x, %y i32",
        "%0 = arith.addi %x %y : i32",
        "%0 = arith.extui %x some : i8 to i16",
    ],
)
def test_what_is_wrong_behind_a_free_value_is_no_question_of_its_type(
    before: str, make_context: type[Context]
) -> None:
    with pytest.raises(PatternError) as caught:
        pdl_of(shown(before, "%0 = %x"), make_context())

    assert ":10:" in caught.value.place
    assert "is not known" not in str(caught.value)


@both_libraries
@pytest.mark.parametrize("after", ["%0 = %x", "%0 = arith.addi %x, %x : i16"])
def test_the_first_line_of_after_changes_no_type(
    after: str, make_context: type[Context]
) -> None:
    known = shown("%0 = arith.extsi %x : i8 to i16", f"^bb0(%x: i16):\n{after}")

    with pytest.raises(PatternError, match=r"14:18: .*'%x' is i16, and i8 in 'before'"):
        pdl_of(known, make_context())
