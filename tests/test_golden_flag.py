"""The fixture `golden`, on which other tests rely, tested by running pytest."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.inner_pytest import run_inside

pytestmark = pytest.mark.usefixtures("modules_stay")

TEST = """
from pathlib import Path

def test_text(golden):
    golden(Path(__file__).with_name("text.txt"), "one\\ntwo\\n")
"""


@pytest.fixture
def expectation(pytester: pytest.Pytester) -> Path:
    """The file, yet to be written, that the test of another project compares with."""
    pytester.makepyfile(test_text=TEST)
    pytester.makeini("[pytest]")
    return pytester.path / "text.txt"


def run(pytester: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    own = ("-q", "-p", "no:cacheprovider", "-p", "tests.golden_files")
    return run_inside(pytester, *own, *arguments)


def test_equal_text_passes(pytester: pytest.Pytester, expectation: Path) -> None:
    expectation.write_text("one\ntwo\n")

    run(pytester).assert_outcomes(passed=1)


def test_mismatch_shows_diff_and_command_and_changes_nothing(
    pytester: pytest.Pytester, expectation: Path
) -> None:
    expectation.write_text("one\nthree\n")
    result = run(pytester)

    result.assert_outcomes(failed=1)
    assert (
        "--- text.txt (expected)\n"
        "+++ text.txt (actual)\n"
        "@@ -1,2 +1,2 @@\n"
        " one\n"
        "-three\n"
        "+two\n"
        "\n"
        "To renew: pytest --update-golden 'test_text.py::test_text'\n"
    ) in result.stdout.str()
    assert expectation.read_text() == "one\nthree\n"


def test_missing_expectation_fails_and_is_not_made(
    pytester: pytest.Pytester, expectation: Path
) -> None:
    run(pytester).assert_outcomes(failed=1)
    assert not expectation.exists()


def test_line_ends_are_compared(pytester: pytest.Pytester, expectation: Path) -> None:
    expectation.write_bytes(b"one\r\ntwo\r\n")
    result = run(pytester)

    result.assert_outcomes(failed=1)
    assert "the files differ in their line ends only" in result.stdout.str()


def test_flag_rewrites_and_makes_expectations(
    pytester: pytest.Pytester, expectation: Path
) -> None:
    run(pytester, "--update-golden").assert_outcomes(passed=1)
    assert expectation.read_bytes() == b"one\ntwo\n"

    expectation.write_text("old\n")

    run(pytester, "--update-golden").assert_outcomes(passed=1)
    assert expectation.read_bytes() == b"one\ntwo\n"


def test_flag_leaves_a_right_expectation_alone(
    pytester: pytest.Pytester, expectation: Path
) -> None:
    expectation.write_text("one\ntwo\n")
    before = expectation.stat().st_mtime_ns
    run(pytester, "--update-golden").assert_outcomes(passed=1)

    assert expectation.stat().st_mtime_ns == before
