"""The rewrites of MLIR's dialect `arith` can be written by example."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from passgen_runtime import PassManager
from passgen_runtime.context import Context
from passgen_runtime.ir.mlir import MLIRContext
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.patterns import (
    PatternError,
    PatternGraph,
    PatternVariable,
    RewritePattern,
    library_of,
    read_pattern,
)
from passgen_tools.verify import example_modules, examples, verify_patterns
from tests.arith_rewrites import (
    ARITH_REWRITES,
    arith_pass,
    on_few_bits,
    rewrite_pattern,
)
from tests.pattern_cases import pass_of, run_pass
from tests.pattern_example_cases import (
    FLOAT,
    INTEGER,
    function,
    shown,
)

pytestmark = pytest.mark.bindings

NUM_REWRITES = 43
IN_XDSL = [name for name, row in ARITH_REWRITES.items() if not row.mlir_only]
CASES: list[tuple[type[Context], str]] = [
    (MLIRContext, name) for name in ARITH_REWRITES
]
CASES += [(XDSLContext, name) for name in IN_XDSL]


def test_each_rewrite_of_arith_is_written() -> None:
    assert len(ARITH_REWRITES) == NUM_REWRITES
    assert len(IN_XDSL) == NUM_REWRITES - 5


@pytest.mark.parametrize(("make_context", "name"), CASES)
def test_a_rewrite_does_what_its_example_says(
    make_context: type[Context], name: str
) -> None:
    context, pattern = make_context(), rewrite_pattern(name)
    library = library_of(context)
    assert library is not None
    shown = [*examples(pattern, library)]
    assert shown
    for example in shown:
        found, wanted = example_modules(example, library)
        manager = PassManager(context)
        pass_ = arith_pass(pattern)()
        manager.counts_optional = True
        manager.nest("func.func").add_pass(pass_)
        manager.run(found)

        assert pass_.pattern_counts() == {name: 1}
        assert canonical(context.print(found)) == canonical(context.print(wanted))


def canonical(ir: str) -> str:
    """Return IR without operations that nothing uses, as MLIR prints it."""
    context = MLIRContext()
    module = context.parse(ir, "example.mlir")
    with context.mlir:
        pipeline = "builtin.module(func.func(cse))"
        manager = context.bindings.passmanager.PassManager.parse(pipeline)
        manager.run(module)
    return context.print(module)


@pytest.mark.slow
@pytest.mark.parametrize("name", ARITH_REWRITES)
def test_a_rewrite_is_judged_on_integers_of_a_few_bits(name: str) -> None:
    judged = [*verify_patterns(arith_pass(on_few_bits(name)), MLIRContext())]

    assert {known.verdict for known in judged} == {ARITH_REWRITES[name].verdict}


def without_flags(pattern: RewritePattern) -> RewritePattern:
    before, after = (
        re.sub(r"overflow<\$\w>", "", text) for text in (pattern.before, pattern.after)
    )
    variables = (known for known in pattern.variables if known.name not in {*"fgh"})
    return replace(pattern, before=before, after=after, variables=tuple(variables))


@pytest.mark.parametrize(
    "name", [name for name, row in ARITH_REWRITES.items() if row.verdict == "wrong"]
)
def test_a_rewrite_that_keeps_wrong_flags_is_right_without_them(name: str) -> None:
    pattern = without_flags(on_few_bits(name))

    judged = [*verify_patterns(arith_pass(pattern), MLIRContext())]

    assert {known.verdict for known in judged} == {"proved"}


SHIFTED = "%c = arith.constant 0 : {0}\n%0 = arith.addi %x, %c : {0}"


@pytest.mark.parametrize("make_context", [XDSLContext, MLIRContext])
@pytest.mark.parametrize(
    ("constant", "count"), [("dense<0>", 1), ("dense<[0, 0]>", 1), ("dense<[0, 1]>", 0)]
)
def test_a_literal_matches_vectors_that_repeat_it(
    constant: str, count: int, make_context: type[Context]
) -> None:
    pass_ = pass_of(shown(SHIFTED.format("$T"), "%0 = %x", INTEGER))()
    body = SHIFTED.format("vector<2xi32>").replace("constant 0", f"constant {constant}")
    types = "vector<2xi32>"

    run_pass(pass_, make_context(), function(body, f"%x: {types}", "%0", types))

    assert pass_.pattern_counts() == {"shown": count}


def graphs_of(context: Context, pattern: RewritePattern) -> list[PatternGraph]:
    library = library_of(context)
    assert library is not None
    return read_pattern(library, pattern)


BOTH = pytest.mark.parametrize("make_context", [XDSLContext, MLIRContext])
SUM = "%0, %1 = arith.addui_extended %x, %x : i32, i1"
UNUSED = replace(
    shown(SUM, "%0 = arith.shli %x, %x : i32\n%no = arith.constant false\n%1 = %no"),
    unused=("1",),
)


@BOTH
@pytest.mark.parametrize(("results", "count"), [("%0", 1), ("%0, %1", 0)])
def test_a_result_that_must_be_unused_is_looked_at(
    results: str, count: int, make_context: type[Context]
) -> None:
    pass_ = pass_of(UNUSED)()
    types = "i32, i1" if "," in results else "i32"

    run_pass(pass_, make_context(), function(SUM, "%x: i32", results, types))

    assert pass_.pattern_counts() == {"shown": count}


USED_ONCE = replace(
    shown("%a = arith.ori %x, %y : i8\n%0 = arith.andi %a, %x : i8", "%0 = %x"),
    one_use=("a",),
)


@BOTH
@pytest.mark.parametrize(
    ("other_operand", "results", "count"),
    [("%x", "%0", 1), ("%a", "%0", 0), ("%x", "%0, %a", 0)],
)
def test_the_uses_of_a_result_are_counted(
    other_operand: str, results: str, count: int, make_context: type[Context]
) -> None:
    # An operation that uses a result twice does not use it once.
    body = USED_ONCE.before.replace("%a, %x", f"%a, {other_operand}")
    pass_ = pass_of(replace(USED_ONCE, before=body))()
    types = "i8, i8" if "," in results else "i8"

    run_pass(pass_, make_context(), function(body, "%x: i8, %y: i8", results, types))

    assert pass_.pattern_counts() == {"shown": count}


@BOTH
@pytest.mark.parametrize("name", ["x", "%x", "high"])
@pytest.mark.parametrize("condition", ["unused", "used once"])
def test_only_results_may_have_their_uses_counted(
    condition: str, name: str, make_context: type[Context]
) -> None:
    context = make_context()
    is_unused = condition == "unused"
    wrong = (
        replace(UNUSED, unused=(name,))
        if is_unused
        else replace(USED_ONCE, one_use=(name,))
    )

    with pytest.raises(
        PatternError, match=f"'{name}' that is {condition}, as it is no result"
    ):
        graphs_of(context, wrong)


WIDE = PatternVariable(name="T", examples=("i3", "i16"))
NARROW = PatternVariable(name="S", examples=("i2", "i8"))
EXTENSION = "%0 = arith.extsi %x : $S to $T"
AGAIN = "%0 = arith.extui %x : $S to $T"


@BOTH
def test_pairs_of_listed_types_that_the_ir_excludes_are_left_out(
    make_context: type[Context],
) -> None:
    context = make_context()

    graphs = graphs_of(context, shown(EXTENSION, AGAIN, WIDE, NARROW))

    pairs = [f"{graph.values['S']} {graph.values['T']}" for graph in graphs]
    assert pairs == ["i2 i3", "i2 i16", "i8 i16"]


@BOTH
def test_a_mistake_in_all_pairs_is_an_error(make_context: type[Context]) -> None:
    context = make_context()

    with pytest.raises(PatternError, match="10:14: error: "):
        graphs_of(
            context, shown(EXTENSION, AGAIN, replace(WIDE, examples=("i1",)), NARROW)
        )


@BOTH
@pytest.mark.parametrize(
    ("where", "pairs"),
    [
        ("narrower(S, T)", ["i2 i3", "i2 i16", "i8 i16"]),
        ("wider(S, T)", []),
        ("sameWidth(S, S)", ["i2 i3", "i2 i16", "i8 i16"]),
    ],
)
def test_a_relation_of_listed_types_chooses_pairs(
    where: str, pairs: list[str], make_context: type[Context]
) -> None:
    context = make_context()
    known = shown(EXTENSION, AGAIN, replace(WIDE, where=where), NARROW)

    if pairs:
        graphs = graphs_of(context, known)
        assert [f"{one.values['S']} {one.values['T']}" for one in graphs] == pairs
    else:
        with pytest.raises(PatternError, match="no choice of types is possible"):
            graphs_of(context, known)


@BOTH
@pytest.mark.parametrize("type_", ["f16", "bf16", "f80", "f128", "vector<2xf64>"])
def test_a_literal_is_made_of_each_float(
    type_: str, make_context: type[Context]
) -> None:
    half = shown("%0 = arith.subf %x, %x : $T", "%0 = arith.constant 0.5 : $T", FLOAT)
    pass_ = pass_of(half)()
    body = f"%0 = arith.subf %x, %x : {type_}"

    ir = run_pass(pass_, make_context(), function(body, f"%x: {type_}", "%0", type_))

    assert pass_.pattern_counts() == {"shown": 1}
    assert "5.000000e-01" in ir


def test_a_literal_that_xdsl_cannot_make_does_not_match() -> None:
    half = shown("%0 = arith.subf %x, %x : $T", "%0 = arith.constant 0.5 : $T", FLOAT)
    pass_, type_ = pass_of(half)(), "vector<2xf80>"
    body = f"%0 = arith.subf %x, %x : {type_}"

    run_pass(pass_, XDSLContext(), function(body, f"%x: {type_}", "%0", type_))

    assert pass_.pattern_counts() == {"shown": 0}


COMPARED = shown(
    "%c = arith.constant 0 : $T\n%n = arith.subi %c, %x : $T\n"
    "%0 = arith.subi %c, %n : $T",
    "%c2 = arith.constant 0 : $T\n%b = arith.cmpi eq, %x, %c2 : $T\n"
    "%0 = arith.select %b, %c2, %x : $T",
    INTEGER,
)


@pytest.mark.parametrize(("type_", "count"), [("i32", 1), ("vector<2xi32>", 0)])
def test_vectors_do_not_match_where_they_need_other_types(
    type_: str, count: int
) -> None:
    """On xDSL's IR, `arith.cmpi` of vectors has one bit."""
    constant = "dense<0>" if "vector" in type_ else "0"
    body = (
        f"%c = arith.constant {constant} : {type_}\n%n = arith.subi %c, %x : {type_}\n"
        f"%0 = arith.subi %c, %n : {type_}"
    )
    pass_ = pass_of(COMPARED)()

    run_pass(pass_, MLIRContext(), function(body, f"%x: {type_}", "%0", type_))

    assert pass_.pattern_counts() == {"shown": count}


@BOTH
def test_strings_may_have_any_characters(make_context: type[Context]) -> None:
    before = '%0 = arith.negf %x {"é" = "gr\u00fc\u00df \\n \u6587", "a \\"b\\" \\\\" = 1 : i8} : f32'
    pass_ = pass_of(shown(before, f"%a = {before[5:]}\n%0 = %x"))()
    other = before.replace("gr", "Gr")

    for text, count in ((before, 1), (other, 0)):
        run_pass(pass_, make_context(), function(text, "%x: f32", "%0", "f32"))
        assert pass_.pattern_counts() == {"shown": count}
        pass_ = pass_of(shown(before, "%0 = %x"))()


@BOTH
@pytest.mark.parametrize(
    "before",
    ["func.return %x : i32", "%0 = func.call @f(%x) : (i32) -> i32"],
)
def test_what_needs_a_symbol_or_a_parent_is_refused_with_the_way_out(
    before: str, make_context: type[Context]
) -> None:
    context = make_context()

    with pytest.raises(PatternError, match=r"10:\d+: .*(.|\n)*declare it in PDL"):
        graphs_of(context, shown(before, "%0 = %x" if "=" in before else ""))


NO_SIGNED_WRAP = PatternVariable(
    name="f", examples=("overflow<nsw>", ""), is_attribute=True
)


@BOTH
@pytest.mark.parametrize(
    ("where", "flags", "kept"),
    [
        ("", "", "none"),
        ("", "overflow<nsw>", "nsw"),
        ("", "overflow<nsw, nuw>", None),
        ("absent", "", "none"),
        ("absent", "overflow<nsw>", None),
        ("absent", "overflow<nuw>", None),
    ],
)
def test_a_flag_with_a_default_is_matched_as_it_is_there(
    where: str, flags: str, kept: str | None, make_context: type[Context]
) -> None:
    """`arith.addi` has flags even if none is set."""
    flag = replace(NO_SIGNED_WRAP, where=where)
    known = shown(
        "%0 = arith.addi %x, %y $f : i8", "%0 = arith.subi %x, %y $f : i8", flag
    )
    pass_ = pass_of(known)()
    body = f"%0 = arith.addi %x, %y {flags} : i8"

    ir = run_pass(pass_, make_context(), function(body, "%x: i8, %y: i8", "%0", "i8"))

    assert pass_.pattern_counts() == {"shown": int(kept is not None)}
    assert ("nsw" in ir) == (kept == "nsw" or "nsw" in flags)
