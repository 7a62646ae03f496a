"""`.mlir` files with random changes, for `passgen-opt`."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Final

from xdsl.dialects import get_all_dialects

from passgen_tools.opt import main, shipped_registry
from tests.fuzz.harness import Case, Fuzzer, Outcome, mutated

_FILES: Final = sorted(
    (Path(__file__).parents[1] / "runtime/filecheck").rglob("*.mlir")
)
_ATTRIBUTES: Final = """\
#alias = affine_map<(d0, d1)[s0] -> (d0 + s0, d1 floordiv 2)>
!type = memref<4x?xf32, strided<[?, 1], offset: 3>>
builtin.module @"a b" attributes {a = dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>} {
  func.func private @g(tuple<i1, vector<[4]xf16>>, !type) -> (index, complex<f32>)
  func.func @f(%x: i32, %m: memref<2xi32>) -> i32 {
    %c = arith.constant -1 : i32
    %d = arith.constant dense<"0x0102030405060708"> : tensor<2xi32>
    %e = "test.op"(%x) <{p = [@f, @g::@h, unit, 1.5e-3 : f64, i32, loc(unknown)]}> ({
    ^bb0(%y: i32):
      "test.termop"(%y)[^bb1] {s = "q\\22\\0A", map = #alias} : (i32) -> ()
    ^bb1:
      "test.termop"() : () -> ()
    }) {dictionary = {k = array<i64: 1, 2>, v = dense_resource<r> : tensor<2xi8>}}
      : (i32) -> i32 loc(fused["a.mlir":1:2, callsite("n" at "b.mlir":3:4)])
    %i = arith.constant 0 : index
    affine.for %j = 0 to 10 step 2 {
      %z = affine.load %m[%i + 1] : memref<2xi32>
    }
    cf.cond_br %t, ^bb1(%e : i32), ^bb2
  ^bb1(%w: i32):
    func.return %w : i32
  ^bb2:
    func.return %c : i32
  }
}
{-# dialect_resources: {builtin: {r: "0x0400000001020304"}} #-}
"""
SEEDS: Final = (_ATTRIBUTES, *(path.read_text(encoding="utf-8") for path in _FILES))
_WORDS: Final = (
    "builtin.module", "func.func", "func.return", "arith.constant", "arith.addi", "%0",
    "%a#1", "@f", "^bb0", "^bb1(%x: i32):", "#alias", "!type", "i32", "i1", "index",
    "f32", "memref<", "tensor<", "vector<4x", "dense<", "dense<[", "array<i32: ",
    "affine_map<", "affine_set<(d0) : (d0 >= 0)>", "(d0) -> (", "d0 floordiv 0", "loc(",
    'loc("a":1:1)', "complex<", "tuple<", "strided<[", "unit", "true", "-> ", "({",
    "})", "<{", "}>", "{-#", "#-}", '"', '"a"', "\\", "// -----\n", "//", "0x", "0xF",
    "-1", "1e", "1.", "1.0e999", "99999999999999999999", "i16777215", "i99999999999",
    "tensor<100000x100000xi64>", "\\q", "\v",
    "?", "x", "*", ":", "::", "=", "attributes {", "{a = ", "sym_name", "private",
    "// expected-error {{", "}}", "@below", "dense_resource<r>", "opaque<", "none",
    "\u2028", "é",
)  # fmt: skip
_NESTED: Final = (
    ("builtin.module {", "}"), ('"test.op"() ({', "}) : () -> ()"), ("(", ")"),
    ('"test.op"() {a = ', "} : () -> ()"), ("[", "]"), ("{a = ", "}"), ("-", ""),
    ("tuple<", ">"), ("memref<1x", "xi32>"), ("tensor<2x", "xi32>"), ("dense<", ">"),
    ("vector<", "xf32>"), ("complex<", ">"), ("array<i32: 1,", ">"), ("dense<[", "]>"),
    ("loc(fused[", "])"), ('loc("a"(', "))"), ("affine_map<(d0) -> (", ")>"),
    ("() -> ", ""), ("(() -> ", ")"), ("9", ""), ("0x", "F"), ("1.", ""), ("%a", ""),
    ("@a::", "@b"), ("#a", ""), ("!test.a<", ">"), ("#test.a<[", "]>"), ("//", "\n"),
    (" ", ""), ("\n", ""), ("\t// \n", ""), ("a.", ""), ("^bb0:", ""), ("d0 + ", "d0"),
    ("(d0 + ", ")"), ("-(", ")"), ("#map = affine_map<() -> ()>\n", ""), ("#-}", ""),
)  # fmt: skip
_FRAMES: Final = (
    "%s", '"test.op"() {a = %s} : () -> ()', "func.func @f(%%x: %s)",
    "%%c = arith.constant %s : i32", "#a = affine_map<(d0) -> (%s)>",
    "%%c = arith.constant dense<%s> : tensor<2xi32>", '"test.op"() : () -> (%s)',
    '"test.op"() : () -> () loc(%s)', "{-# %s #-}",
)  # fmt: skip
_COMMANDS: Final = (
    (), (), ("--allow-unregistered-dialect",), ("--canonicalize",), ("--cse",),
    ("--mlir-print-op-generic",), ("--mlir-print-debuginfo",), ("--verify-roundtrip",),
    ("--split-input-file",), ("--split-input-file", "--verify-diagnostics"),
    ("--no-implicit-module",), ("--symbol-dce", "--mlir-print-ir-after-change"),
    ("--pass-pipeline=builtin.module(any(cse,canonicalize))", "--mlir-pass-statistics"),
    ("--affine-loop-unroll", "--mlir-print-local-scope"), ("--print-op-stats",),
    ("--mlir-very-unsafe-disable-verifier-on-parsing", "--cse"),
)  # fmt: skip


def load_libraries() -> None:
    """Import what the driver imports as it is needed, so that no case has to."""
    for make_dialect in get_all_dialects().values():
        make_dialect()
    registry = shipped_registry()
    for argument in registry.arguments():
        registry.lookup(argument)


def _make(random: Random) -> Case:
    data = random_text(random).encode("utf-8", "replace")
    return Case(("f.mlir", *random.choice(_COMMANDS)), {"f.mlir": data})


def random_text(random: Random) -> str:
    """Return IR with random changes, or something deeply nested."""
    if random.random() < 0.8:
        return mutated(random, random.choice(SEEDS), SEEDS, _WORDS)
    opening, closing = random.choice(_NESTED)
    depth = random.choice((10, 100, 1_000, 5_000))
    closings = closing * random.choice((0, depth, depth))
    return random.choice(_FRAMES) % (opening * depth + "1" + closings) + "\n"


def _check(_: Case, outcome: Outcome) -> str:
    for character in outcome.stdout:
        if not (character in "\n\t" or character.isprintable()):
            return f"terminal: U+{ord(character):04X} in standard output"
    return ""


load_libraries()
FUZZER: Final = Fuzzer(
    "ir", "passgen_tools.opt", main, _make, time_s=2, time_per_kib_s=0.1, check=_check
)
