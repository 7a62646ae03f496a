"""Two runs in one report: what belongs together, what differs, and where it began."""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from xdsl.dialects.builtin import StringAttr

from passgen_runtime import Pass, parse_pass_manager
from passgen_runtime.context import Operation
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.passes import shipped_registry
from passgen_runtime.passes.canonicalize import Canonicalizer
from passgen_runtime.passes.cse import CSE
from passgen_runtime.passes.symbol_dce import SymbolDCE
from passgen_tools.bisect import first_difference
from passgen_tools.ir_diff.alignment import align_by_least_edits
from passgen_tools.record import record
from passgen_tools.report import html_page, main, report_data
from tests.recording import Running, Session, step
from tests.tools.report.recorded_runs import (
    FUNCTIONS,
    recorded,
    recorded_variant,
)


@pytest.fixture
def data(tmp_path: Path) -> dict[str, Any]:
    return report_data(recorded(tmp_path / "a.db"), recorded_variant(tmp_path / "b.db"))


class Compare:
    """Compares the runs of two pipelines."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(
        self, old: str, new: str, texts: tuple[str, str] = (FUNCTIONS, FUNCTIONS)
    ) -> dict[str, Any]:
        paths = self.folder / "a.db", self.folder / "b.db"
        for path, pipeline, text in zip(paths, (old, new), texts, strict=True):
            context = XDSLContext()
            module = context.parse(text, "input.mlir")
            manager = parse_pass_manager(pipeline, context, shipped_registry())
            with record(manager, path):
                manager.run(module)
        return report_data(*paths)


@pytest.fixture
def compare(tmp_path: Path) -> Compare:
    return Compare(tmp_path)


def rows(data: dict[str, Any]) -> Iterator[tuple[str | None, ...]]:
    """Yield the passes of each row, and the operations on which they differ."""
    operations, executions = data["operations"], data["executions"]
    for row in data["comparison"]["passes"]:
        passes = (
            None if each is None else data["passes"][each]["argument"]
            for each in row["passes"]
        )
        paths = (
            operations[executions["operation"][old if new is None else new]]["path"]
            for old, new in row["executions"]
        )
        yield *passes, *paths


def passes_of_row(data: dict[str, Any], row: int) -> list[int | None]:
    places: list[int | None] = data["comparison"]["passes"][row]["passes"]
    return places


def first(data: dict[str, Any]) -> tuple[str | None, str, list[str]]:
    """Return the pass, the operation and the two texts of the first divergence."""
    divergence = data["comparison"]["firstDivergence"]
    place = divergence["pass"]
    pass_ = None
    if place is not None:
        old, new = passes_of_row(data, place)
        pass_ = data["passes"][new if old is None else old]["argument"]
    ir = ["" if each is None else data["ir"][each]["text"] for each in divergence["ir"]]
    return pass_, divergence["operation"], ir


def test_passes_belong_together_though_others_stand_before_them(
    data: dict[str, Any],
) -> None:
    assert list(rows(data)) == [
        (None, "begin"),
        ("cse", "cse"),
        ("canonicalize", "canonicalize"),
        ("plant", "plant", "@g"),
        ("symbol-dce", None, "builtin.module"),
    ]


def test_a_pass_belongs_to_itself_with_other_options(compare: Compare) -> None:
    data = compare(
        "builtin.module(func.func(cse,canonicalize{max-iterations=3}))",
        "builtin.module(func.func(cse,canonicalize{max-iterations=4},cse))",
    )

    assert list(rows(data)) == [
        ("cse", "cse"),
        ("canonicalize", "canonicalize"),
        (None, "cse"),
    ]
    for place, number in zip(passes_of_row(data, 1), (3, 4), strict=True):
        assert place is not None
        assert f"max-iterations={number}" in data["passes"][place]["text"]


def test_a_pass_that_has_moved_stands_twice(compare: Compare) -> None:
    data = compare(
        "builtin.module(func.func(cse,canonicalize),symbol-dce)",
        "builtin.module(func.func(canonicalize,cse),symbol-dce)",
    )

    assert [row[:2] for row in rows(data)].count(("symbol-dce", "symbol-dce")) == 1
    sides = [{row[side] for row in rows(data)} for side in (0, 1)]
    assert sides == [{"cse", "canonicalize", "symbol-dce", None}] * 2


def test_passes_on_other_operations_do_not_belong_together(compare: Compare) -> None:
    data = compare("builtin.module(cse)", "builtin.module(func.func(cse))")

    assert sorted(row[:2] for row in rows(data) if row[0]) == [("cse", None)]


def test_the_first_divergence_is_a_pass_that_got_the_same_ir(
    data: dict[str, Any],
) -> None:
    pass_, operation, ir = first(data)

    assert (pass_, operation) == ("plant", "@g")
    assert "</script>" in ir[0]
    assert '"else"' in ir[1]


def test_a_pass_of_one_run_alone_diverges_where_it_changes_something(
    compare: Compare,
) -> None:
    data = compare(
        "builtin.module(func.func(canonicalize),symbol-dce)",
        "builtin.module(func.func(canonicalize,cse),symbol-dce)",
    )

    assert list(rows(data)) == [
        ("canonicalize", "canonicalize"),
        (None, "cse", "@f"),
        ("symbol-dce", "symbol-dce", "builtin.module"),
    ]
    pass_, operation, ir = first(data)
    assert (pass_, operation) == ("cse", "@f")
    # The IR that run A went on with stands first.
    assert [each.count("arith.addi") for each in ir] == [2, 1]


def test_else_the_first_difference_of_the_inputs(compare: Compare) -> None:
    pipeline = "builtin.module(func.func(canonicalize))"
    data = compare(pipeline, pipeline, (FUNCTIONS, FUNCTIONS.replace("muli", "subi")))

    pass_, operation, ir = first(data)
    assert (pass_, operation) == (None, "@f")
    assert "arith.muli" in ir[0]
    assert "arith.subi" in ir[1]
    assert list(rows(data)) == [("canonicalize", "canonicalize", "@f")]
    assert data["comparison"]["inputsDiffer"]


def test_a_pass_that_adds_to_a_difference_of_the_inputs_is_no_divergence(
    compare: Compare,
) -> None:
    data = compare(
        "builtin.module(func.func(canonicalize))",
        "builtin.module(func.func(canonicalize,cse))",
        (FUNCTIONS, FUNCTIONS.replace("muli", "subi")),
    )

    assert data["comparison"]["firstDivergence"]["pass"] is None


def test_equal_runs_have_no_divergence_and_share_their_ir(compare: Compare) -> None:
    pipeline = "builtin.module(func.func(cse))"
    data = compare(pipeline, pipeline)

    assert data["comparison"]["firstDivergence"] is None
    assert not data["comparison"]["inputsDiffer"]
    assert list(rows(data)) == [("cse", "cse")]
    alone = report_data(compare.folder / "a.db")
    assert data["ir"] == alone["ir"]


def test_a_skipped_pass_is_no_difference_to_one_that_changes_nothing(
    tmp_path: Path,
) -> None:
    paths = tmp_path / "a.db", tmp_path / "b.db"
    for path, skips in zip(paths, (True, False), strict=True):
        session = Session(FUNCTIONS)
        session.manager.skips_unchanged = skips
        for _ in range(3):
            session.manager.add_pass(SymbolDCE())
            session.manager.add_pass(Canonicalizer())
        with record(session.manager, path):
            session.run()
    data = report_data(*paths)

    executions = data["executions"]
    names = [data["passes"][executions["pass"][at]]["path"] for at in data["skipped"]]
    assert names == [f"builtin.module/canonicalize[{place}]" for place in (3, 5)]
    assert data["unsuccessful"] == []
    assert data["comparison"]["firstDivergence"] is None
    assert [row["executions"] for row in data["comparison"]["passes"]] == [[]] * 6


def test_statistics_and_diagnostics_that_are_not_counted_alike(
    data: dict[str, Any],
) -> None:
    plant, symbol_dce = data["comparison"]["passes"][-2:]

    assert plant["diagnostics"] == [("remark", "planted an attribute", 1, 0)]
    assert plant["statistics"] == []
    assert symbol_dce["statistics"] == [("num-dce'd", 1, 0)]


def test_times_of_both_runs(data: dict[str, Any]) -> None:
    begin, cse, *_ = data["comparison"]["passes"]

    assert begin["timeS"][0] is None
    assert begin["timeS"][1] > 0
    times = data["executions"]["timeS"]
    own = [
        sum(
            time
            for time, pass_ in zip(times, data["executions"]["pass"], strict=True)
            if pass_ == each
        )
        for each in cse["passes"]
    ]
    assert cse["timeS"] == pytest.approx(own)


def test_a_pass_without_a_time_has_none(tmp_path: Path) -> None:
    paths = recorded(tmp_path / "a.db"), recorded_variant(tmp_path / "b.db")
    with closing(sqlite3.connect(paths[1])) as connection, connection:
        connection.execute(
            "UPDATE execution SET end_s = NULL WHERE pass_id ="
            " (SELECT id FROM pass WHERE argument = 'cse')"
        )
    data = report_data(*paths)

    cse = data["comparison"]["passes"][1]
    assert cse["timeS"][0] > 0
    assert cse["timeS"][1] is None


def test_the_same_runs_give_the_same_page_without_times(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = []
    for name in ("first", "second"):
        folder = tmp_path / name
        folder.mkdir()
        monkeypatch.chdir(folder)
        recorded(Path("a.db"))
        recorded_variant(Path("b.db"))
        data = report_data("a.db", "b.db", with_times=False)
        pages.append(html_page(data, "two runs"))

    assert pages[0] == pages[1]


def test_the_program_compares_two_records(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = [
        str(recorded(tmp_path / "a.db")),
        str(recorded_variant(tmp_path / "b.db")),
    ]

    assert main([*paths, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data == json.loads(json.dumps(report_data(*paths)))
    assert data["comparison"]["records"] == paths

    page = tmp_path / "two.html"
    assert main([*paths, "-o", str(page)]) == 0
    assert "<title>a.db and b.db</title>" in page.read_text(encoding="utf-8")


def marking(name: str) -> Pass:
    """Return a pass that counts its runs on each function, and so changes all IR."""

    def mark(running: Running) -> None:
        operation: Operation = running.operation
        count = operation.attributes.get(name, StringAttr(""))
        operation.attributes[name] = StringAttr(f"{count.data}+")

    return step(name, do=mark, argument=name)


def record_of(path: Path, names: Sequence[str]) -> Path:
    """Record the passes called `names`: real ones, and those that mark a function."""
    session = Session(FUNCTIONS.partition("func.func private")[0])
    real: dict[str, type[Pass]] = {"canonicalize": Canonicalizer, "cse": CSE}
    functions = session.manager.nest("func.func")
    for name in names:
        functions.add_pass(real[name]() if name in real else marking(name))
    with record(session.manager, path):
        session.run()
    return path


def test_no_repeated_pass_is_named_for_one_that_only_one_run_has(
    tmp_path: Path,
) -> None:
    pair = ["canonicalize", "cse"]
    old = record_of(tmp_path / "a.db", 3 * pair)
    new = record_of(tmp_path / "b.db", [*pair, "tag", *pair, *pair])

    assert first(report_data(old, new))[0] == "tag"
    difference = first_difference(old, new)
    assert difference is not None
    assert difference.old is None
    assert difference.new is not None
    assert difference.new.text == "tag"


def planted(random_: random.Random) -> tuple[list[str], list[str], str]:
    """Return two pipelines that repeat passes, and their first difference."""
    kinds = ["canonicalize", "cse", "mark", "note"]
    block = random_.choices(kinds, k=random_.randint(1, 3))
    old = block * random_.randint(2, 4)
    places = sorted(random_.sample(range(len(old)), min(len(old), random_.choice(NUM))))
    new = list(old)
    for place in reversed(places):
        new.insert(place, f"tag-{place}")
    pair = (old, new) if random_.randrange(2) else (new, old)
    return *pair, f"tag-{places[0]}"


NUM = (1, 1, 2, 3)
"""How many passes are planted."""


@pytest.mark.slow
def test_the_first_of_the_planted_passes_is_named_in_many_pairs_of_runs(
    tmp_path: Path,
) -> None:
    @cache  # a third of the pipelines come again
    def record_once(*names: str) -> Path:
        return record_of(tmp_path / f"{'-'.join(names)}.db", names)

    random_ = random.Random(44)  # noqa: S311 - of test data
    wrong = []
    for _ in range(2 * settings().max_examples):
        old, new, expected = planted(random_)
        found = first(report_data(record_once(*old), record_once(*new)))[0]
        if found != expected:
            wrong.append((old, new, expected, found))

    assert wrong == []


@pytest.mark.parametrize(
    ("old", "new", "pairs"),
    [
        ("icxcx", "cxcxi", [(1, 0), (2, 1), (3, 2), (4, 3)]),  # not the lone key
        ("xc", "ycbc", [(1, 1)]),  # not the equal end
        ("cxcxcx", "cxtcxcx", [(0, 0), (1, 1), (2, 3), (3, 4), (4, 5), (5, 6)]),
        ("", "c", []),
    ],
)
def test_an_alignment_by_least_edits_prefers_early_pairs(
    old: str, new: str, pairs: list[tuple[int, int]]
) -> None:
    assert align_by_least_edits(old, new) == pairs


def test_two_long_sequences_without_much_in_common_are_aligned() -> None:
    old, new = ("a", *"xy" * 1500, "b"), ("c", *"yx" * 1500, "b")

    assert align_by_least_edits(old, new)[-1] == (3001, 3001)
