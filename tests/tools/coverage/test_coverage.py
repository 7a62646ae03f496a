"""Coverage of passes: which items of declarations the runs of tests reach."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from passgen_runtime import PassManager, PassRegistry, parse_pass_manager
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.operation_pass import Pass
from passgen_runtime.passes.generated.transforms_passes import (
    registerTransformsPasses,
)
from passgen_runtime.runners import Threads
from passgen_tools.coverage import (
    CoverageData,
    CoverageSummary,
    DeclaredPass,
    Event,
    Item,
    ItemCoverage,
    PassKey,
    coverage_lines,
    coverage_page,
    declared_passes,
    is_of_project,
    is_of_source,
    summarize,
    total_line,
    watching_passes,
)
from passgen_tools.testing import PassTester, assert_pattern_examples
from passgen_tools.workers import Workers
from tests.passes_to_cover import REGISTRY, SOURCE, TWICE, Mode, Reduce, ReduceOptions

REDUCE = "builtin.module(func.func(reduce))"


class Counted:
    """What the runs of a block have reached."""

    def __init__(self) -> None:
        self.data = CoverageData()

    @contextmanager
    def by(self, test: str) -> Iterator[None]:
        with watching_passes(self.data, lambda: test):
            yield

    @property
    def summary(self) -> CoverageSummary:
        known = declared_passes().values()
        return summarize(self.data, [one for one in known if one.key.source == SOURCE])

    def items(self, library: str = "xdsl") -> dict[str, ItemCoverage]:
        [row] = [row for row in self.summary.passes if row.library == library]
        return {" ".join(filter(None, each.item)): each for each in row.items}

    def verdicts(self, library: str = "xdsl") -> dict[str, str]:
        return {name: each.verdict for name, each in self.items(library).items()}


@pytest.fixture
def counted() -> Counted:
    return Counted()


def run(pass_: Pass | None = None, ir: str = TWICE, num_functions: int = 1) -> None:
    context = XDSLContext()
    names = (ir.replace("@", f"@f{number}_") for number in range(num_functions))
    manager = PassManager(context, nesting="implicit")
    manager.add_pass(pass_ or Reduce())
    manager.run(context.parse("\n".join(names), "ir"))


def test_the_items_of_a_pass_are_what_its_class_declares(counted: Counted) -> None:
    run_nothing = counted.summary

    assert [row.declared.key.argument for row in run_nothing.passes] == [
        "never-run",
        "reduce",
    ]
    assert [" ".join(filter(None, i.item)) for i in run_nothing.passes[1].items] == [
        "pass",
        *("pattern mulToAdd", "pattern mulByOne", "pattern subOfEqual"),
        *("option eager=true", "option eager=false"),
        *("option mode=fast", "option mode=small"),
        *("option modes=(empty)", "option modes=fast", "option modes=small"),
        *("option sizes=(empty)", "option sizes=(elements)"),
        *("remark reduced", "remark skipped"),
        *("form needs no-loops", "form gives no-products"),
    ]
    assert run_nothing.num_covered == 0


def test_a_pattern_is_applied_or_tried_or_not_even_tried(counted: Counted) -> None:
    with counted.by("a"):
        run()
    with counted.by("b"):
        run()

    items = counted.items()
    found = {name: (each.verdict, [*each.test_names]) for name, each in items.items()}
    assert found["pattern mulToAdd"] == ("applied twice", ["a", "b"])
    assert found["pattern mulByOne"] == ("tried in 2 runs, never matched", ["a", "b"])
    assert found["pattern subOfEqual"] == ("not tried", [])


def test_a_pattern_that_is_disabled_is_not_tried(counted: Counted) -> None:
    pass_ = Reduce()
    pass_.options.disabled_patterns = ["mulByOne"]

    with counted.by("a"):
        run(pass_)

    assert counted.verdicts()["pattern mulByOne"] == "not tried"


@pytest.mark.parametrize(
    ("options", "reached"),
    [
        ({}, {"eager=false", "mode=fast", "modes=(empty)", "sizes=(empty)"}),
        (
            {"eager": True, "modes": [Mode.SMALL], "sizes": [3, 4]},
            {"eager=true", "mode=fast", "modes=small", "sizes=(elements)"},
        ),
        (
            {"mode": Mode.SMALL, "modes": [Mode.SMALL, Mode.FAST]},
            {"eager=false", "mode=small", "modes=small", "modes=fast", "sizes=(empty)"},
        ),
    ],
)
def test_values_of_options_are_those_that_ran(
    counted: Counted, options: dict[str, Any], reached: set[str]
) -> None:
    with counted.by("a"):
        run(Reduce(ReduceOptions(**options)))

    items = counted.items().values()
    covered = {each.item.name for each in items if each.is_covered}
    assert {name for name in covered if "=" in name} == reached


def test_remarks_are_those_that_were_emitted(counted: Counted) -> None:
    with counted.by("a"):
        run(num_functions=3)

    verdicts = counted.verdicts()
    assert verdicts["remark reduced"] == "emitted 3 times"
    assert verdicts["remark skipped"] == "not emitted"


def test_forms_are_checked_where_a_run_verifies_them(counted: Counted) -> None:
    forms = "form needs no-loops", "form gives no-products"

    with counted.by("a"):
        run()
    assert [counted.verdicts()[form] for form in forms] == ["not checked"] * 2

    with counted.by("b"):
        PassTester(registry=REGISTRY).assert_rewrites(
            REDUCE, TWICE, TWICE.replace("muli %x, %two", "addi %x, %x")
        )
    assert [counted.verdicts()[form] for form in forms] == ["checked once"] * 2


def test_a_pattern_that_is_ir_is_not_reached_by_its_own_example(
    counted: Counted,
) -> None:
    with counted.by("a"):
        assert_pattern_examples(Reduce)

    assert counted.data.counts == {}


@pytest.mark.parametrize("runner", [Threads(), Workers(ThreadPoolExecutor)])
def test_threads_and_workers_count_as_one_thread_does(
    counted: Counted, runner: Threads | Workers
) -> None:
    alone = Counted()
    with alone.by("a"):
        run(num_functions=6)
    if isinstance(runner, Workers):
        runner.sends_always = True
    context = XDSLContext()
    functions = (TWICE.replace("@", f"@f{number}_") for number in range(6))
    module = context.parse("\n".join(functions), "ir")

    with counted.by("a"):
        parse_pass_manager(REDUCE, context, REGISTRY).run(module, runner)

    assert counted.data.counts == alone.data.counts
    assert counted.verdicts()["pattern mulToAdd"] == "applied 6 times"
    if isinstance(runner, Workers):
        assert runner.num_sent == 6


@pytest.mark.bindings
def test_a_pass_has_a_row_for_each_ir_library(counted: Counted) -> None:
    from passgen_runtime.ir.mlir import MLIRContext  # noqa: PLC0415 - needs bindings

    with counted.by("a"):
        run()
    with counted.by("b"):
        context = MLIRContext()
        manager = parse_pass_manager(REDUCE, context, REGISTRY)
        manager.run(context.parse(TWICE.replace("muli", "addi"), "ir"))

    assert counted.verdicts("xdsl")["pattern mulToAdd"] == "applied once"
    assert counted.verdicts("mlir")["pattern mulToAdd"] == "not tried"
    with counted.by("c"):
        manager.run(context.parse(TWICE, "ir"))
    assert counted.verdicts("mlir")["pattern mulToAdd"] == "applied once"
    assert counted.verdicts("mlir")["option mode=fast"] == "ran twice"
    assert counted.verdicts("mlir")["option mode=small"] == "never ran"
    assert "mulToAdd" not in manager.statistics_report()


@pytest.mark.bindings
def test_options_of_a_pass_that_mlir_runs_itself_count(counted: Counted) -> None:
    from passgen_runtime.ir.mlir import (  # noqa: PLC0415 - needs bindings
        MLIRContext,
        use_mlir_passes,
    )

    registry, context = PassRegistry(), MLIRContext()
    registerTransformsPasses(registry)
    use_mlir_passes(registry)
    pipeline = "builtin.module(func.func(canonicalize{top-down=false}))"
    manager = parse_pass_manager(pipeline, context, registry)

    with counted.by("a"):
        manager.run(context.parse(TWICE, "ir"))

    key = PassKey("specs/transforms.yaml", "canonicalize")
    [row] = summarize(counted.data, [declared_passes()[key]]).passes
    covered = {each.item.name for each in row.items if each.is_covered}
    assert {"top-down=false", "region-simplify=normal"} <= covered
    assert not {"top-down=true", "region-simplify=aggressive"} & covered


def test_a_run_that_fails_counts_until_then(counted: Counted) -> None:
    class Failing(Reduce):
        def run_on_operation(self) -> None:
            super().run_on_operation()
            self.signal_pass_failure()

    with counted.by("a"), pytest.raises(Exception, match="failed"):
        run(Failing())

    assert counted.verdicts()["pattern mulToAdd"] == "applied once"


def test_data_of_processes_is_text_that_adds_up(counted: Counted) -> None:
    with counted.by("a"):
        run()
    counted.data.declared = declared_passes()
    sent = CoverageData.decode(counted.data.encode())
    assert sent == counted.data

    sent.merge(counted.data)

    counted.data = sent
    assert counted.verdicts()["pattern mulToAdd"] == "applied twice"


def declared(source: str, module: str, file: str, *, has_spec: bool) -> DeclaredPass:
    [one] = (each for each in declared_passes().values() if each.key.source == SOURCE
             and each.key.argument == "reduce")  # fmt: skip
    key = one.key._replace(source=source)
    return DeclaredPass(key, module, file, has_spec, {})


@pytest.mark.parametrize(
    ("source", "is_one"),
    [
        ("specs/a.yaml", True),
        ("specs/*.yaml", True),
        ("*/b.yaml", False),
        ("dialect", True),
        ("dialect.passes", True),
        ("dialect.pass", False),
    ],
)
def test_a_source_is_a_pattern_of_specs_or_a_module(
    *, source: str, is_one: bool
) -> None:
    one = declared("specs/a.yaml", "dialect.passes", "", has_spec=True)

    assert is_of_source(one, source) == is_one


@pytest.mark.parametrize(
    ("file", "has_spec", "is_own"),
    [
        ("src/passes.py", True, True),
        ("src/passes.py", False, False),
        ("../other/passes.py", True, False),
        (".venv/lib/site-packages/passes.py", True, False),
    ],
)
def test_the_passes_of_a_project_are_those_of_its_specs(
    tmp_path: Path, file: str, *, has_spec: bool, is_own: bool
) -> None:
    path = (tmp_path / "project" / file).resolve()
    one = declared("a.yaml", "passes", str(path), has_spec=has_spec)

    assert is_of_project(one, tmp_path / "project") == is_own


@pytest.fixture
def lines(counted: Counted) -> Callable[[], list[str]]:
    return lambda: list(coverage_lines(counted.summary))


def test_the_text_names_the_first_test_and_the_number_of_others(
    counted: Counted, lines: Callable[[], list[str]]
) -> None:
    for test in ("t.py::b", "t.py::a", "t.py::c"):
        with counted.by(test):
            run()

    text = lines()
    assert text[:6] == [
        "never-run (specs/to-cover.yaml): 0 of 1",
        "  no test runs it",
        "reduce on xdsl (specs/to-cover.yaml): 7 of 17",
        "  pass                     ran 3 times: t.py::a and 2 more",
        "  pattern mulToAdd         applied 3 times: t.py::a and 2 more",
        "  pattern mulByOne         tried in 3 runs, never matched: t.py::a and 2 more",
    ]
    assert text[-1] == "total: 7 of 18 items, 38.8 %"


def test_the_page_shows_all_tests_of_an_item_and_loads_nothing(
    counted: Counted,
) -> None:
    with counted.by("t.py::a[<b>]"):
        run()

    page = coverage_page(counted.summary)
    assert "t.py::a[&lt;b&gt;]" in page
    assert "tried in 1 run, never matched" in page
    assert f"{SOURCE}:9" in page
    assert "default-src 'none'; style-src 'sha256-" in page
    assert "<script" not in page
    assert "src=" not in page.replace("-src", "")


def test_a_share_is_rounded_down() -> None:
    key = PassKey("sums.yaml", "sums")
    items = {Item("pattern", str(number)): "" for number in range(3000)}
    declared = DeclaredPass(key, "sums_passes", "", has_spec=True, places=items)
    data = CoverageData()
    for item in list(items)[1:]:
        data.add(Event(*key, "xdsl", *item, is_hit=True), "a test")

    line = total_line(summarize(data, [declared]))

    assert line == "total: 2999 of 3000 items, 99.9 %"
