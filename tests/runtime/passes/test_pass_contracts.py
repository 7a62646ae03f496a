"""Preserved analyses, statistics, and other effects that printed IR does not show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from xdsl.dialects.builtin import UnknownLoc
from xdsl.ir import Block, Operation

from passgen_runtime import (
    INT64,
    OperationPass,
    Pass,
    PassManager,
    PassOptions,
    PassRegistry,
    PipelineError,
    default_registry,
    option,
    parse_pass_manager,
)
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.pass_registry import RegistryEntry
from passgen_runtime.passes import cse
from passgen_runtime.passes.analysis import memory_effects, symbols
from passgen_runtime.passes.analysis.dominance import DominanceInfo, dominator_tree
from passgen_runtime.passes.analysis.operation_equivalence import are_regions_equivalent
from passgen_runtime.passes.analysis.symbols import symbol_name
from passgen_runtime.passes.symbol_dce import erase_dead_symbols
from passgen_tools.opt import shipped_registry

Programs = Callable[[str], Any]


class AnyAnalysis:
    def __init__(self, operation: Operation) -> None:
        self.operation = operation


class Request(OperationPass[PassOptions]):
    def run_on_operation(self) -> None:
        self.get_analysis(AnyAnalysis)
        self.get_analysis(DominanceInfo)
        self.mark_all_analyses_preserved()


class Look(OperationPass[PassOptions]):
    seen: tuple[bool, bool] = (False, False)

    def run_on_operation(self) -> None:
        Look.seen = (
            self.get_cached_analysis(AnyAnalysis) is not None,
            self.get_cached_analysis(DominanceInfo) is not None,
        )


def shipped(argument: str) -> RegistryEntry:
    entry = shipped_registry().lookup_pass(argument)
    assert entry is not None
    return entry


def registry_with(pass_class: type[Pass]) -> PassRegistry:
    """Return a registry of the pass and `composite-fixed-point-pass`."""
    registry = PassRegistry()
    registry.add(shipped("composite-fixed-point-pass"))
    registry.register_pass(pass_class)
    return registry


def kept_analyses(text: str, argument: str) -> tuple[bool, bool]:
    """Return whether any analysis, and whether dominance, survives the pass."""
    context = XDSLContext()
    entry = shipped(argument)
    manager = PassManager(context)
    functions = manager.nest("func.func")
    functions.add_pass(Request())
    functions.add_pass(entry.create(entry.options_class()))
    functions.add_pass(Look())
    manager.run(context.parse(text, "input.mlir"))
    return Look.seen


NOTHING_TO_DO = "func.func @f(%a: i32) -> i32 { return %a : i32 }"
WORK = """
func.func @f(%a: i32) -> (i32, i32) {
  %0 = arith.addi %a, %a : i32
  %1 = arith.addi %a, %a : i32
  %2 = arith.constant 0 : i32
  %3 = arith.addi %1, %2 : i32
  affine.for %i = 0 to 8 step 2 {
    %4 = arith.addi %a, %a : i32
    "test.op"(%i, %4) : (index, i32) -> ()
  }
  return %0, %3 : i32, i32
}
"""


@pytest.mark.parametrize(
    "argument",
    [
        "affine-loop-invariant-code-motion",
        "affine-loop-normalize",
        "affine-loop-unroll",
        "composite-fixed-point-pass",
        "cse",
        "loop-invariant-code-motion",
        "print-ir",
        "print-op-stats",
        "strip-debuginfo",
        "symbol-privatize",
        "topological-sort",
    ],
)
def test_analyses_survive_a_pass_that_changes_nothing(argument: str) -> None:
    assert kept_analyses(NOTHING_TO_DO, argument) == (True, True)


def test_a_use_that_cse_replaces_is_a_change_without_an_erased_operation() -> None:
    used_before = """
    func.func @f() {
      builtin.module {
        %use = "arith.addi"(%b, %b) : (i32, i32) -> i32
        %a = arith.constant 1 : i32
        %b = arith.constant 1 : i32
        "test.op"(%use, %a, %b) : (i32, i32, i32) -> ()
      }
      return
    }
    """
    assert kept_analyses(used_before, "cse") == (False, True)


def test_canonicalize_keeps_no_analysis_as_in_mlir() -> None:
    """Timing reports show it: the next pass computes its analyses again."""
    assert kept_analyses(NOTHING_TO_DO, "canonicalize") == (False, False)


@pytest.mark.parametrize(
    ("argument", "kept"),
    [
        ("affine-loop-invariant-code-motion", (False, False)),
        ("affine-loop-normalize", (False, False)),
        ("affine-loop-unroll", (False, False)),
        ("canonicalize", (False, False)),
        ("cse", (False, True)),
        ("loop-invariant-code-motion", (False, False)),
    ],
)
def test_analyses_do_not_survive_a_change(
    argument: str, kept: tuple[bool, bool]
) -> None:
    assert kept_analyses(WORK, argument) == kept


def test_strip_debuginfo_forgets_all_locations(program: Programs) -> None:
    module = program("func.func @main(%a: i32) -> i32 { return %a : i32 }")

    def locations() -> list[object]:
        operations = list(module.module.walk())
        blocks = [block for op in operations for r in op.regions for block in r.blocks]
        arguments = [argument for block in blocks for argument in block.args]
        return [each.location for each in (*operations, *arguments)]

    assert any(each != UnknownLoc() for each in locations())

    module.run_passes("builtin.module(strip-debuginfo)")

    assert locations() == [UnknownLoc()] * 4


def test_dominator_tree_of_a_loop_with_a_branch(program: Programs) -> None:
    module = program("""
        func.func @main(%c: i1) {
          cf.br ^head
        ^head:
          cf.cond_br %c, ^left, ^right
        ^left:
          cf.br ^join
        ^right:
          cf.cond_br %c, ^join, ^exit
        ^join:
          cf.br ^head
        ^exit:
          return
        ^nowhere:
          cf.br ^exit
        }
        """)
    region = module.module.body.block.first_op.body
    names = {block: block.name_hint or "entry" for block in region.blocks}

    def named(blocks: list[Block]) -> list[str]:
        return [names[block] for block in blocks]

    tree = dominator_tree(region)

    assert {names[block]: named(children) for block, children in tree.items()} == {
        "entry": ["head"],
        "head": ["left", "right", "join"],
        "left": [],
        "right": ["exit"],
        "join": [],
        "exit": [],
    }


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ("arith.addi %a, %b : i32", "arith.addi %b, %a : i32", True),
        ("arith.subi %a, %b : i32", "arith.subi %b, %a : i32", False),
        ("arith.extsi %a : i32 to i64", "arith.extsi %a : i32 to i48", False),
        ("arith.constant 1 : i32", "arith.constant 2 : i32", False),
    ],
)
def test_equivalence_of_regions(
    program: Programs, one: str, other: str, *, equal: bool
) -> None:
    module = program(f"""
        func.func @main(%a: i32, %b: i32, %c: i1) {{
          scf.if %c {{
            %0 = {one}
            scf.yield
          }} else {{
            %0 = {other}
            scf.yield
          }}
          return
        }}
        """)
    branch = module.module.body.block.first_op.body.block.first_op

    assert are_regions_equivalent(branch.true_region, branch.false_region) == equal


def nested_conditions(depth: int) -> str:
    """Return that many conditions, each with a sum in front that is used."""
    head = (
        '%{0} = arith.addi %a, %a : i32\n"test.op"(%{0}) : (i32) -> ()\nscf.if %c {{\n'
    )
    heads = "".join(map(head.format, (f"s{level}" for level in range(depth))))
    return f"func.func @f(%c: i1, %a: i32) {{\n{heads}{'}' * depth}\nreturn\n}}"


@pytest.mark.parametrize("work", ["own_effects", "Expression.__hash__"])
def test_cse_does_as_much_for_an_operation_however_deeply_it_is_nested(
    work: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[object] = []
    owner, _, name = work.rpartition(".")
    place: Any = getattr(cse, owner) if owner else memory_effects
    original = getattr(place, name)

    def counting(subject: object) -> object:
        calls.append(subject)
        return original(subject)

    monkeypatch.setattr(place, name, counting)
    counts = []
    for depth in (20, 40):
        calls.clear()
        context = XDSLContext()
        module = context.parse(nested_conditions(depth), "input.mlir")
        parse_pass_manager("builtin.module(cse)", context, shipped_registry()).run(
            module
        )
        assert context.print(module).count("arith.addi") == 1
        counts.append(len(calls))

    assert 0 < counts[1] <= 2 * counts[0]


def test_composite_pass_finds_the_passes_of_its_own_registry() -> None:
    class Listed(OperationPass[PassOptions]):
        argument = "known-to-one-registry"

        def run_on_operation(self) -> None:
            ran.append(self.context.name(self.operation))

    ran: list[str] = []
    registry = registry_with(Listed)
    inner = "composite-fixed-point-pass{pipeline=known-to-one-registry}"
    outer = f"composite-fixed-point-pass{{pipeline={inner}}}"
    context = XDSLContext()

    manager = parse_pass_manager(f"builtin.module({outer})", context, registry)
    manager.run(context.parse(NOTHING_TO_DO, "input.mlir"))

    assert ran == ["builtin.module"]
    assert default_registry.lookup("known-to-one-registry") is None


def test_composite_pass_made_without_a_registry_uses_the_default_one() -> None:
    entry = shipped("composite-fixed-point-pass")
    options = entry.options_class.parse("pipeline=unknown-pass")
    context = XDSLContext()
    manager = PassManager(context)
    manager.add_pass(entry.create(options))

    with pytest.raises(PipelineError) as raised:
        manager.run(context.parse(NOTHING_TO_DO, "input.mlir"))

    assert raised.value.message == (
        "'unknown-pass' does not refer to a registered pass or pass pipeline"
    )


@dataclass(kw_only=True)
class CountedOptions(PassOptions):
    size: int = option("size", INT64)


class Counted(OperationPass[CountedOptions]):
    argument = "counted"
    made = 0

    def __init__(self, options: CountedOptions | None = None) -> None:
        super().__init__(options)
        Counted.made += 1

    def run_on_operation(self) -> None:
        """Do nothing."""


def in_composite_passes(element: str, depth: int) -> str:
    for _ in range(depth):
        element = f"composite-fixed-point-pass{{pipeline={{{element}}}}}"
    return f"builtin.module({element})"


def test_inner_pipelines_are_resolved_once_at_any_depth(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Counted, "made", 0)
    context = XDSLContext()

    manager = parse_pass_manager(
        in_composite_passes("counted", 14), context, registry_with(Counted)
    )
    manager.run(context.parse(NOTHING_TO_DO, "input.mlir"))

    assert Counted.made == 1


def test_mistake_in_inner_pipelines_is_reported_once() -> None:
    text = in_composite_passes("counted{size=x},conted", 2)

    with pytest.raises(PipelineError) as raised:
        parse_pass_manager(text, XDSLContext(), registry_with(Counted))

    assert str(raised.value) == f"""\
pass-pipeline:1:103: error: for the --size option: 'x' value invalid for long argument!
{text}
{" " * 102}^
note: expected an integer of -9223372036854775808 to 9223372036854775807, decimal or prefixed 0x, 0b, 0o or 0
note: failed to add `counted` with options `size=x`
pass-pipeline:1:106: error: 'conted' does not refer to a registered pass or pass pipeline
{text}
{" " * 105}^~~~~~
note: did you mean 'counted'?"""


def test_symbols_are_looked_up_without_a_walk_for_each_reference(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: list[int] = []

    def counted(operation: Operation) -> str | None:
        calls[-1] += 1
        return symbol_name(operation)

    monkeypatch.setattr(symbols, "symbol_name", counted)
    context = XDSLContext()
    for size in (50, 100):
        functions = [
            f"func.func @f{i}() {{ func.call @f{(i + 1) % size}() : () -> () return }}"
            for i in range(size)
        ]
        module = context.parse("\n".join(functions), "input.mlir")
        calls.append(0)
        erase_dead_symbols(module)

    small, large = calls
    assert large < 3 * small
