"""The gate: conditions on what run B has lost against run A."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from passgen_tools.report import main
from tests.tools.report.recorded_runs import recorded, with_remarks

PASSED = ("passed", "unroll", "unrolled", "@f")
MISSED = ("missed", "unroll", "trip count", "@g")


@pytest.fixture
def records(tmp_path: Path) -> list[str]:
    """Record two runs: the second one has lost an unrolled loop, and counts less."""
    old, new = recorded(tmp_path / "a.db"), recorded(tmp_path / "b.db")
    with_remarks(old, PASSED, PASSED, MISSED)
    with_remarks(new, PASSED, MISSED, MISSED)
    with closing(sqlite3.connect(old)) as connection, connection:
        connection.execute("UPDATE statistic SET value = 20 WHERE name = 'num-cse''d'")
    with closing(sqlite3.connect(new)) as connection, connection:
        connection.execute("UPDATE statistic SET value = 19 WHERE name = 'num-cse''d'")
    return [str(old), str(new)]


def test_remarks_that_are_lost_or_new_fail(
    records: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    code = main([*records, "--fail-on=lost-passed,new-missed,new-failed"])

    said = capsys.readouterr()
    assert code == 1
    assert said.out.splitlines() == [
        "condition    pass    what        operation  A  B",
        "lost-passed  unroll  unrolled    @f         2  1",
        "new-missed   unroll  trip count  @g         1  2",
    ]
    assert said.err == f"passgen-report: '{records[1]}' fails 2 of 3 conditions\n"


def test_a_single_condition_that_fails_is_named(
    records: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*records, "--fail-on=lost-passed"]) == 1

    error = capsys.readouterr().err
    assert error == f"passgen-report: '{records[1]}' fails the condition lost-passed\n"


@pytest.mark.parametrize(
    ("condition", "is_met"),
    [
        ("<-4%", False),
        ("<-5%", True),
        ("<-0.5", False),
        ("<-1", True),
        (">0", True),
        (">-2", False),
    ],
)
def test_a_statistic_may_change_as_far_as_a_limit(
    records: list[str],
    capsys: pytest.CaptureFixture[str],
    condition: str,
    is_met: bool,  # noqa: FBT001 - of the parameters of the test
) -> None:
    conditions = f"new-passed,statistic:num-cse'd{condition}"

    assert main([*records, f"--fail-on={conditions}"]) == (0 if is_met else 1)
    shown = capsys.readouterr().out.splitlines()
    assert shown[1:] == [] if is_met else [f"statistic:num-cse'd{condition}"]


@pytest.mark.parametrize("turn", [1, -1])
def test_equal_runs_meet_all_conditions(
    records: list[str], turn: int, capsys: pytest.CaptureFixture[str]
) -> None:
    pair = [records[::turn][0]] * 2

    assert main([*pair, "--fail-on=lost-passed,new-missed,statistic:num-cse'd<0%"]) == 0
    assert capsys.readouterr() == ("", "")


def test_a_page_may_be_written_too(records: list[str], tmp_path: Path) -> None:
    page = tmp_path / "compared.html"

    assert main([*records, "--fail-on=lost-passed", f"--output={page}"]) == 1
    assert page.read_text("utf-8").startswith("<!DOCTYPE html>")


def test_a_name_of_the_run_is_shown_without_its_control_characters(
    records: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with_remarks(Path(records[1]), ("failed", "unroll", "\x1b[2J", "@f"))

    assert main([*records, "--fail-on=new-failed"]) == 1
    assert "\\x1b[2J" in capsys.readouterr().out


def test_a_message_that_names_a_remark_takes_one_line(
    records: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    many_lines, long = ("missed", "p", "two\nlines", "@f"), (
        "missed",
        "p",
        "x" * 999,
        "@f",
    )
    with_remarks(Path(records[1]), many_lines, long)
    main([*records, "--fail-on=new-missed"])

    said = capsys.readouterr().out.splitlines()
    assert [line.split()[2:4] for line in said[1:3]] == [
        ["two", "lines"],
        [f"{'x' * 80}...", "@f"],
    ]


@pytest.mark.parametrize(
    ("conditions", "message"),
    [
        ("lost-passd", "'lost-passd' is no condition, such as lost-passed, new-missed"),
        ("lost-passd", "did you mean 'lost-passed'?"),
        ("lost-passed,", "'' is no condition"),
        ("statistic:num-cse'd<", "is no condition"),
    ],
)
def test_a_mistake_in_a_condition_is_reported(
    records: list[str],
    capsys: pytest.CaptureFixture[str],
    conditions: str,
    message: str,
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main([*records, f"--fail-on={conditions}"])
    assert message in capsys.readouterr().err


def test_a_statistic_that_no_pass_has_is_an_error(
    records: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*records, "--fail-on=statistic:num-csed<0"]) == 1
    assert capsys.readouterr().err == (
        "passgen-report: error: no pass of the records has the statistic 'num-csed'\n"
        "note: did you mean 'num-cse'd'?\n"
    )


def test_conditions_are_on_two_records(
    records: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main([records[0], "--fail-on=lost-passed"])
    assert "--fail-on expects two records" in capsys.readouterr().err
