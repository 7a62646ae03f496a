"""Tests as Python sessions, on which other tests rely, tested by running pytest."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.inner_pytest import run_inside

pytestmark = pytest.mark.usefixtures("modules_stay")

SESSION = """\
>>> number = 1

# A number is printed

>>> number + 1
2
>>> print("a\\n\\nb")
a
<BLANKLINE>
b

# An error is its class and its message

>>> {}[number]
KeyError: 1
>>> number = 5

# What is typed first is typed before each test

>>> number
1
"""


@pytest.fixture
def session(pytester: pytest.Pytester) -> Path:
    pytester.makeini("[pytest]")
    path = pytester.path / "numbers.pycon"
    path.write_text(SESSION, "utf-8")
    return path


def run(pytester: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    plugins = ("-p", "tests.golden_files", "-p", "tests.python_sessions")
    return run_inside(pytester, "-q", "-p", "no:cacheprovider", *plugins, *arguments)


@pytest.mark.usefixtures("session")
def test_each_heading_is_a_test(pytester: pytest.Pytester) -> None:
    run(pytester).assert_outcomes(passed=3)


def test_other_output_is_a_diff_and_a_command_and_changes_nothing(
    pytester: pytest.Pytester, session: Path
) -> None:
    wrong = SESSION.replace("\n2\n", "\n3\n")
    session.write_text(wrong, "utf-8")

    result = run(pytester)

    result.assert_outcomes(passed=2, failed=1)
    assert (
        " >>> number + 1\n-3\n+2\n"
        ' >>> print("a\\n\\nb")\n a\n <BLANKLINE>\n\n'
        "To renew: pytest --update-golden 'numbers.pycon::A number is printed'\n"
    ) in result.stdout.str()
    assert session.read_text("utf-8") == wrong


def test_the_flag_writes_what_is_printed(
    pytester: pytest.Pytester, session: Path
) -> None:
    session.write_text(SESSION.replace("2\n", "").replace("KeyError", "E"), "utf-8")

    run(pytester, "--update-golden").assert_outcomes(passed=3)

    assert session.read_text("utf-8") == SESSION


def test_what_is_typed_first_prints_nothing(
    pytester: pytest.Pytester, session: Path
) -> None:
    text = f">>> 7\n{SESSION}"
    session.write_text(text, "utf-8")

    run(pytester, "--update-golden").assert_outcomes(failed=3)

    assert session.read_text("utf-8") == text
