"""`passgen watch`: which changes it sees, and how it ends."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from passgen import cli

SPEC = "passes:\n  CountOps: {argument: count-ops, summary: Count operations}\n"
OTHER = SPEC.replace("Count op", "Count all op")

Watch = Callable[..., tuple[int, str, str]]


@pytest.fixture
def watch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Watch:
    """Run `passgen watch`, make the changes while it waits, then press Ctrl-C."""
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    Path("a.yaml").write_text(SPEC)

    def watched(
        *arguments: str, changes: Sequence[tuple[str, str | None]] = ()
    ) -> tuple[int, str, str]:
        waiting = iter(changes)

        def change(_interval_s: float) -> None:
            path, text = next(waiting, ("", ""))
            if not path:
                raise KeyboardInterrupt
            if text is None:
                Path(path).unlink()
            else:
                Path(path).write_text(text, "utf-8")

        monkeypatch.setattr(time, "sleep", change)
        monkeypatch.setattr(time, "strftime", lambda _format: "12:30:00")
        code = cli.main(["watch", *arguments])
        captured = capfd.readouterr()
        return code, captured.out, captured.err

    return watched


def test_files_are_renewed_after_a_change_that_is_right(watch: Watch) -> None:
    changes = [("a.yaml", SPEC + "1"), ("a.yaml", OTHER)]

    code, out, err = watch("--target", "python", "a.yaml", changes=changes)
    assert (code, out) == (0, "a_passes.py\na_passes.py\n")
    assert err.startswith("12:30:00: a.yaml changed\na.yaml:3:1: error: ")
    assert err.endswith("12:30:00: a.yaml changed\n12:30:00: ok again\n")
    assert "Count all operations" in Path("a_passes.py").read_text()


def test_nothing_is_written_where_nothing_changes(watch: Watch) -> None:
    changes = [("notes.txt", "")] * 3

    assert watch("--target", "python", "a.yaml", changes=changes)[1] == "a_passes.py\n"


@pytest.mark.parametrize("gone", ["a_passes.py", "a.d", "outputs"])
def test_what_was_written_and_is_gone_is_written_again(watch: Watch, gone: str) -> None:
    arguments = ("--depfile=a.d", "--outputs-file=outputs", "--target=python", "a.yaml")
    changes: list[tuple[str, str | None]] = [("notes.txt", ""), (gone, None)]

    assert watch(*arguments, changes=changes) == (
        0,
        "a_passes.py\na_passes.py\n",
        f"12:30:00: {gone} is gone\n",
    )
    assert Path(gone).is_file()


def test_outputs_of_a_wrong_spec_are_not_waited_for(watch: Watch) -> None:
    changes: list[tuple[str, str | None]] = [
        ("a.yaml", SPEC + "1"),
        ("a_passes.py", None),
        ("notes.txt", ""),
    ]

    code, out, err = watch("--target=python", "a.yaml", changes=changes)
    assert (code, out, err.count("error")) == (0, "a_passes.py\n", 1)


def test_a_spec_may_be_gone_for_a_while(watch: Watch) -> None:
    changes = [("a.yaml", None), ("a.yaml", OTHER)]

    assert watch("--target", "python", "a.yaml", changes=changes) == (
        0,
        "a_passes.py\na_passes.py\n",
        (
            "12:30:00: a.yaml is gone\n"
            "a.yaml: error: no such file or directory\n"
            "12:30:00: a.yaml is new\n"
            "12:30:00: ok again\n"
        ),
    )


def test_included_specs_are_watched_wherever_they_are(watch: Watch) -> None:
    Path("../common.yaml").write_text("sharedOptions: {}\n")
    Path("a.yaml").write_text("include: [../common.yaml]\n" + SPEC)
    changes = [
        ("../common.yaml", "sharedOptions: {"),
        ("../common.yaml", "sharedOptions: {} # none\n"),
    ]

    code, out, err = watch("--target", "python", "a.yaml", changes=changes)
    assert (code, out) == (0, "a_passes.py\na_passes.py\n")
    assert err.startswith(
        "12:30:00: ../common.yaml changed\n"
        "../common.yaml:1:16: error: '{' is never closed\n"
    )


def test_settings_of_black_are_watched(watch: Watch) -> None:
    changes: list[tuple[str, str | None]] = [
        ("pyproject.toml", "[tool.black"),
        ("pyproject.toml", "[tool.black]\nline-length = 20\n"),
    ]

    code, out, err = watch("--target=python", "-o", "gen", "a.yaml", changes=changes)
    assert (code, out) == (0, "gen/a_passes.py\ngen/a_passes.py\n")
    assert "pyproject.toml:1:1: error: " in err
    assert "import (\n    OperationPass,\n" in Path("gen/a_passes.py").read_text()


def test_templates_of_ones_own_are_watched(watch: Watch) -> None:
    template = Path("mine/rust/passes.rs.j2")
    template.parent.mkdir(parents=True)
    template.write_text("// one\n")
    arguments = ("--target", "rust", "--template-dir", "mine", "a.yaml")

    assert watch(*arguments, changes=[(str(template), "// two {{ 1 }}\n")])[0] == 0
    assert Path("a_passes.rs").read_text() == "// two 1\n"


@pytest.mark.slow
@pytest.mark.process
def test_tests_beside_the_spec_run_whenever_files_were_written(watch: Watch) -> None:
    Path("tests").mkdir()
    Path("tests/test_summary.py").write_text(
        "from pathlib import Path\n\n\n"
        "def test_summary() -> None:\n"
        "    assert 'Count ops' in Path('a_passes.py').read_text()\n"
    )
    changes = [
        ("a.yaml", SPEC.replace("operations", "all")),
        ("a.yaml", SPEC + "1"),
        ("a.yaml", SPEC.replace("operations", "ops")),
    ]

    code, out, err = watch("--test", "--target=python", "a.yaml", changes=changes)

    assert code == 0
    assert err.count("error") == 1
    assert err.endswith("12:30:00: a.yaml changed\n12:30:00: ok again\n")
    assert (out.count("1 failed"), out.count("1 passed")) == (2, 1)


def test_error_no_tests_beside_the_spec(watch: Watch) -> None:
    code, _, err = watch("--test", "a.yaml")

    assert (code, Path("a_passes.py").exists()) == (2, False)
    assert err.endswith("error: --test: found no folder 'tests' beside a.yaml\n")


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("-", "specs must be files here, not standard input"),
        ("-o=-", "-o takes a folder here, not '-'"),
        ("--check", "unrecognized arguments: --check"),
    ],
)
def test_error_nothing_to_watch(watch: Watch, argument: str, message: str) -> None:
    code, out, err = watch(argument, "a.yaml")

    assert (code, out) == (2, "")
    assert err.endswith(f"passgen watch: error: {message}\n")
