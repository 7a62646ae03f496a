"""Reproducers with random changes in their resources, for `passgen-opt`."""

from __future__ import annotations

from random import Random
from typing import Final

from passgen_tools.opt import main
from tests.fuzz.harness import Case, Fuzzer, mutated
from tests.fuzz.ir import load_libraries

_MODULE: Final = "func.func @f(%x: i32) -> i32 {\n  func.return %x : i32\n}\n"
_SEEDS: Final = (
    """\
{-#
  external_resources: {
    mlir_reproducer: {
      pipeline: "builtin.module(func.func(cse,canonicalize{max-iterations=2}))",
      disable_threading: true,
      verify_each: true
    }
  }
#-}
""",
    """\
{-#
  dialect_resources: {builtin: {r: "0x0400000001020304"}},
  external_resources: {
    "other group": {"key": "0x04000000", flag: false, text: "a\\22b\\0A"},
    mlir_reproducer: {verify_each: false, pipeline: "any(symbol-dce,cse)"}
  }
#-}
""",
    '{-# external_resources: {mlir_reproducer: {pipeline: "cse"}} #-}\n',
)
_WORDS: Final = (
    "{-#", "#-}", "external_resources", "dialect_resources", "mlir_reproducer", "cse",
    "pipeline", "disable_threading", "verify_each", ": ", ", ", "{", "}", '"', "true",
    "false", '"true"', '"builtin.module(cse)"', "any(", "canonicalize", ")", "\\22",
    "\\1B", "\\FF", "\\", "0x", '"0x04000000"', "//", "// -----\n", "-", "1", "[", "<",
)  # fmt: skip
_COMMANDS: Final = (
    (), (), ("--split-input-file",), ("--dump-pass-pipeline",), ("--cse",),
    ("--pass-pipeline=builtin.module(cse)",), ("--mlir-generate-reproducer=r.mlir",),
    ("--verify-diagnostics",), ("--mlir-print-ir-after-all",),
)  # fmt: skip


def _make(random: Random) -> Case:
    flag = random.choice(("--run-reproducer",) * 4 + ("--run-reproducer=false",))
    data = _text(random).encode("utf-8", "replace")
    return Case(("f.mlir", flag, *random.choice(_COMMANDS)), {"f.mlir": data})


def _text(random: Random) -> str:
    text = mutated(random, random.choice(_SEEDS), _SEEDS, _WORDS)
    if random.random() < 0.1:
        depth = random.choice((100, 1_000, 5_000))
        text = f"{{-# external_resources: {'{a: ' * depth}{'}' * depth} #-}}\n"
    return _MODULE + text if random.random() < 0.9 else text + _MODULE


load_libraries()
FUZZER: Final = Fuzzer(
    "reproducers", "passgen_tools.opt", main, _make, time_s=2, time_per_kib_s=0.1
)
