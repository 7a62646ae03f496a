"""Patterns that are shown as IR, right and wrong ones, for tests on both libraries."""

from __future__ import annotations

from passgen_runtime.patterns import PatternVariable, RewritePattern

INTEGER = PatternVariable(name="T", examples=("i32", "i8"), any="integer")
FLOAT = PatternVariable(name="T", examples=("f32", "f64"), any="float")
SMALL = PatternVariable(name="T", examples=("i8", "i16"))
CONSTANT = PatternVariable(name="c", examples=("8", "9"), is_attribute=True)
TIMES_TWO = "%two = arith.constant 2 : i32\n%0 = arith.muli %x, %two : i32"


def shown(
    before: str, after: str, *variables: PatternVariable, name: str = "shown"
) -> RewritePattern:
    """Return a pattern whose texts stand at 10:9 and 14:9 of their spec."""
    return RewritePattern(
        name=name,
        before=before,
        after=after,
        variables=variables,
        line=10,
        column=9,
        after_line=14,
        after_column=9,
    )


def function(body: str, arguments: str, results: str, types: str) -> str:
    """Return a function with a `body` and results."""
    return (
        f"func.func @f({arguments}) -> ({types}) {{\n"
        f"{body}\nfunc.return {results} : {types}\n}}\n"
    )


MATCHES = {
    "a constant of one type": (
        shown(TIMES_TWO, "%0 = arith.addi %x, %x : i32"),
        TIMES_TWO,
        "i32",
        1,
    ),
    "another constant": (
        shown(TIMES_TWO, "%0 = arith.addi %x, %x : i32"),
        TIMES_TWO.replace("constant 2", "constant 3"),
        "i32",
        0,
    ),
    "another type": (
        shown(TIMES_TWO, "%0 = arith.addi %x, %x : i32"),
        TIMES_TWO.replace("i32", "i64"),
        "i64",
        0,
    ),
    "operands in the other order": (
        shown(TIMES_TWO, "%0 = arith.addi %x, %x : i32"),
        TIMES_TWO.replace("%x, %two", "%two, %x"),
        "i32",
        0,
    ),
    "a flag that is not shown": (
        shown("%0 = arith.addi %x, %x : i32", "%0 = %x"),
        "%0 = arith.addi %x, %x overflow<nsw> : i32",
        "i32",
        1,
    ),
    "a flag that is shown": (
        shown("%0 = arith.addi %x, %x overflow<nsw> : i32", "%0 = %x"),
        "%0 = arith.addi %x, %x overflow<nsw> : i32",
        "i32",
        1,
    ),
    "the lack of a flag that is shown": (
        shown("%0 = arith.addi %x, %x overflow<nsw> : i32", "%0 = %x"),
        "%0 = arith.addi %x, %x : i32",
        "i32",
        0,
    ),
    "fast mathematics that are not shown": (
        shown("%1 = arith.negf %x : f32\n%0 = arith.negf %1 : f32", "%0 = %x"),
        "%1 = arith.negf %x fastmath<fast> : f32\n%0 = arith.negf %1 : f32",
        "f32",
        1,
    ),
    "fast mathematics that are shown": (
        shown("%0 = arith.negf %x fastmath<fast> : f32", "%0 = %x"),
        "%1 = arith.negf %x : f32\n%0 = arith.negf %1 fastmath<fast> : f32",
        "f32",
        1,
    ),
    "a type of a list": (
        shown("%0 = arith.andi %x, %x : $T", "%0 = %x", SMALL),
        "%0 = arith.andi %x, %x : i16",
        "i16",
        1,
    ),
    "a type that is not in the list": (
        shown("%0 = arith.andi %x, %x : $T", "%0 = %x", SMALL),
        "%0 = arith.andi %x, %x : i32",
        "i32",
        0,
    ),
    "an open type with a literal": (
        shown(
            "%c = arith.constant 0 : $T\n%0 = arith.ori %x, %c : $T", "%0 = %x", INTEGER
        ),
        "%c = arith.constant 0 : i64\n%0 = arith.ori %x, %c : i64",
        "i64",
        1,
    ),
    "an open type with another literal": (
        shown(
            "%c = arith.constant 0 : $T\n%0 = arith.ori %x, %c : $T", "%0 = %x", INTEGER
        ),
        "%c = arith.constant 1 : i64\n%0 = arith.ori %x, %c : i64",
        "i64",
        0,
    ),
    "a vector of an open type": (
        shown("%0 = arith.subi %x, %x : $T", "%0 = arith.constant 0 : $T", INTEGER),
        "%0 = arith.subi %x, %x : vector<4xi32>",
        "vector<4xi32>",
        1,
    ),
    "a type that a new literal does not fit": (
        shown("%0 = arith.subi %x, %x : $T", "%0 = arith.constant 4 : $T", INTEGER),
        "%0 = arith.subi %x, %x : i1",
        "i1",
        0,
    ),
    "a type of another kind": (
        shown(
            "%0 = arith.select %c, %x, %x : $T",
            "%0 = %x",
            FLOAT,
        ),
        "%c = arith.constant true\n%0 = arith.select %c, %x, %x : i32",
        "i32",
        0,
    ),
    "an attribute that stands for any": (
        shown(
            "%k = arith.constant $c : i32\n%0 = arith.addi %k, %x : i32",
            "%k2 = arith.constant $c : i32\n%0 = arith.addi %x, %k2 : i32",
            CONSTANT,
        ),
        "%k = arith.constant 5 : i32\n%0 = arith.addi %k, %x : i32",
        "i32",
        1,
    ),
    "a predicate": (
        shown(
            "%1 = arith.cmpi $p, %x, %x : i1\n%0 = arith.andi %1, %1 : i1",
            "%0 = arith.cmpi $p, %x, %x : i1",
            PatternVariable(name="p", examples=("eq", "ne"), is_attribute=True),
        ),
        "%1 = arith.cmpi slt, %x, %x : i1\n%0 = arith.andi %1, %1 : i1",
        "i1",
        1,
    ),
    "two results": (
        shown(
            "%0, %1 = arith.mulsi_extended %x, %x : i32",
            "%0 = arith.muli %x, %x : i32\n%1 = %x",
        ),
        "%0, %1 = arith.mulsi_extended %x, %x : i32",
        "i32",
        1,
    ),
    "results of one name": (
        shown(
            "%p:2 = arith.mulsi_extended %x, %x : i32\n"
            "%0:2 = arith.mulsi_extended %p#0, %p#1 : i32",
            "%0:2 = arith.mulsi_extended %p#1, %p : i32",
        ),
        (
            "%1:2 = arith.mulsi_extended %x, %x : i32\n"
            "%0, %2 = arith.mulsi_extended %1#0, %1#1 : i32"
        ),
        "i32",
        1,
    ),
    "a `$` that is text": (
        shown(
            '%$T = arith.constant {"$T" = "$c"} 2 : i32 // $c\n'
            "%0 = arith.muli %x, %$T : i32",
            "%0 = %x",
        ),
        '%c = arith.constant {"$T" = "$c"} 2 : i32\n%0 = arith.muli %x, %c : i32',
        "i32",
        1,
    ),
}
"""A pattern, the IR that it is applied to, the type of `%x`, how often it matches."""

_ROOT = "the results of the last operation of 'before'"

WRONG_EXAMPLES = {
    "an unknown operation": (shown(TIMES_TWO.replace("muli", "mulli"), ""), "11:14: "),
    "another type": (
        shown(TIMES_TWO, "%0 = arith.negf %x : f32"),
        "14:25: error: ",
    ),
    "a value that 'before' lacks": (
        shown(TIMES_TWO, "%0 = arith.addi %x, %y : i32"),
        "14:29: error: pattern 'shown': use of undeclared SSA value name",
    ),
    "a value that is defined again": (
        shown(TIMES_TWO, "%two = arith.constant 4 : i32\n%0 = %two"),
        f"14:9: error: pattern 'shown': 'after' must define {_ROOT} (%0 : i32)",
    ),
    "a result that is not defined": (shown(TIMES_TWO, ""), f"{_ROOT} (%0 : i32)"),
    "a result of another type": (
        shown(TIMES_TWO, "%0 = arith.extsi %x : i32 to i64"),
        f"{_ROOT} (%0 : i32)",
    ),
    "a use before the definition": (
        shown(TIMES_TWO, "%0 = arith.addi %1, %x : i32\n%1 = arith.addi %x, %x : i32"),
        "14:14: error: pattern 'shown': an example cannot show the use of a value before",
    ),
    "the replaced value": (
        shown(TIMES_TWO, "%0 = arith.addi %0, %x : i32"),
        "an example cannot show the use of a value before its definition",
    ),
    "an operation that the root does not use": (
        shown(f"%a = arith.constant 4 : i32\n{TIMES_TWO}", "%0 = %x"),
        "10:14: error: pattern 'shown': an example cannot show an operation that the last one",
    ),
    "a region": (
        shown('"scf.execute_region"() ({\n"scf.yield"() : () -> ()\n}) : () -> ()', ""),
        "10:9: error: pattern 'shown': an example cannot show an operation with regions",
    ),
    "a variable that is not declared": (
        shown(TIMES_TWO.replace("constant 2", "constant $c"), "%0 = %x"),
        "10:31: error: ",
    ),
    "a part of a type": (
        shown("%0 = arith.negf %x : vector<4x$T>", "%0 = %x", FLOAT),
        "'$T' as a part of vector<4xf32>: say it in PDL",
    ),
    "a part of an attribute": (
        shown(
            "%k = arith.constant dense<$c> : vector<2xi8>\n"
            "%0 = arith.addi %x, %k : vector<2xi8>",
            "%0 = %x",
            CONSTANT,
        ),
        "a variable as a part of dense<8> : vector<2xi8>: say it in PDL",
    ),
    "an attribute in 'after' alone": (
        shown("%0 = arith.addi %x, %x : i32", "%0 = arith.constant $c : i32", CONSTANT),
        "14:14: error: pattern 'shown': an example cannot show '$c' in 'after' without 'make'",
    ),
    "one attribute of two types": (
        shown(
            "%k = arith.constant $c : i32\n%0 = arith.extsi %k : i32 to i64",
            "%0 = arith.constant $c : i64",
            CONSTANT,
        ),
        "an example cannot show '$c' for 8 : i32 and for 8 : i64",
    ),
    "no operation": (shown("// nothing", ""), "there is no operation 'before' it"),
}
"""Patterns, and a part of the error."""
