"""The files that the driver writes: when they are begun, where, and on full disks."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from fnmatch import fnmatch
from pathlib import Path

import pytest

from passgen_runtime import OperationPass, PassOptions
from passgen_runtime.pass_registry import PassRegistry
from passgen_runtime.passes import with_shipped
from passgen_runtime.remarks import Remarks
from passgen_tools.opt import main
from tests.passgen_test_opt.registry import REGISTRY, make_context

Run = Callable[..., tuple[int, str]]

REMARKS = '"test.op"() : () -> () loc("a.py":3:5)\n'
GROWING = {
    "--log-actions-to=file": ["--pass-pipeline=builtin.module(cse)"],
    "--profile-actions-to=file": ["--pass-pipeline=builtin.module(cse)"],
    "--remarks-output-file=file": [
        "--pass-pipeline=builtin.module(test-remark)",
        "--remarks-filter=.*",
        "--remark-format=yaml",
    ],
}
"""Files that grow while passes run, and what else the line needs."""

WHOLE = ["--mlir-generate-reproducer=file", "--report=file"]
"""Files that are written at once."""


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Run:
    """Return a function that runs the driver; it returns the code and standard error."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str, text: str = REMARKS) -> tuple[int, str]:
        Path("in.mlir").write_text(text, "utf-8")
        code = main(
            ["in.mlir", *arguments], registry=REGISTRY, make_context=make_context
        )
        return code, capfd.readouterr().err

    return call


@pytest.mark.parametrize("flag", GROWING)
@pytest.mark.parametrize("earlier", ["last week", ""])
def test_a_first_part_that_does_not_parse_leaves_nothing_of_last_week(
    flag: str, earlier: str, run: Run
) -> None:
    if earlier:
        Path("file").write_text(earlier, "utf-8")
    parts = f"nonsense\n// -----\n{REMARKS}// -----\n{REMARKS}"

    code, _ = run(flag, "--split-input-file", *GROWING[flag], text=parts)

    written = Path("file").read_text("utf-8")
    assert code == 1
    assert written
    assert "last week" not in written
    if "profile" in flag:
        # Begin and end of the pass in each of two parts.
        assert [event["ph"] for event in json.loads(written)] == ["B", "E"] * 2


@pytest.mark.parametrize("flag", [*GROWING, *WHOLE])
def test_nothing_of_last_week_is_left_if_nothing_parses(flag: str, run: Run) -> None:
    Path("file").write_text("last week", "utf-8")

    run(flag, *GROWING.get(flag, ["--cse"]), text="nonsense")

    assert Path("file").read_text("utf-8") == ""


@pytest.mark.parametrize("flag", GROWING)
@pytest.mark.parametrize(
    "mistake",
    ["--pass-pipeline=builtin.module(cs)", "--nonsense", "--report=in.mlir"],
)
def test_a_wrong_command_line_loses_no_file(flag: str, mistake: str, run: Run) -> None:
    Path("file").write_text("last week", "utf-8")

    code, _ = run(flag, mistake, *GROWING[flag][1:])

    assert code != 0
    assert Path("file").read_text("utf-8") == "last week"


@pytest.mark.parametrize(
    ("flag", "more"),
    [
        *GROWING.items(),
        ("--info-output-file=file", ["--cse", "--mlir-timing"]),
        ("--mlir-generate-reproducer=file", ["--cse"]),
        ("--report=file", ["--cse"]),
        ("--trace=file", ["--cse"]),
        ("-o=file", ["--cse"]),
    ],
)
def test_a_full_disk_is_an_error_with_the_name_of_the_file(
    flag: str, more: list[str], run: Run
) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    name = "full.json" if "trace" in flag else "full"
    Path(name).symlink_to("/dev/full")

    code, err = run(f"{flag.partition('=')[0]}={name}", *more)

    assert code == 1
    assert "error: cannot write " in err
    assert f"{name}': No space left on device\n" in err
    assert "bug" not in err


def test_a_pass_that_changes_the_folder_moves_no_output(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)

    class Wander(Remarks, OperationPass[PassOptions]):
        argument = "wander"
        summary = "Change the folder"

        def run_on_operation(self) -> None:
            self.remarks.passed("gone")
            os.chdir("elsewhere")

    registry = with_shipped(PassRegistry())
    registry.register_pass(Wander)
    Path("elsewhere").mkdir()
    Path("in.mlir").write_text("module {}", "utf-8")
    outputs = {
        "-o": "out.mlir",
        "--info-output-file": "times.txt",
        "--log-actions-to": "log.txt",
        "--mlir-print-ir-tree-dir": "tree",
        "--profile-actions-to": "profile.json",
        "--record": "run.db",
        "--remarks-output-file": "remarks.yaml",
        "--report": "report.html",
        "--trace": "trace.json",
    }
    flags = [f"{flag}={path}" for flag, path in outputs.items() if flag != "-o"]
    more = ["--remarks-filter=.*", "--remark-format=yaml", "--mlir-timing"]

    code = main(
        [
            *("in.mlir", "-o", "out.mlir", "--wander", *flags, *more),
            "--mlir-print-ir-after-all",
        ],
        registry=registry,
    )

    assert code == 0, capfd.readouterr().err
    assert [path for path in outputs.values() if not (tmp_path / path).exists()] == []
    assert [*(tmp_path / "elsewhere").iterdir()] == []


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--record=r.db"], "beside the record 'r.db-wal' would overwrite the input"),
        (["--record=l.db"], "beside the record '*r.db-wal' would overwrite the input"),
        (
            ["--record=s.db", "--log-actions-to=s.db-shm"],
            "beside the record 's.db-shm' would overwrite the log",
        ),
        (
            ["--mlir-print-ir-tree-dir=.", "--mlir-print-ir-after-all"],
            "the input 'r.db-wal' lies in the folder of --mlir-print-ir-tree-dir",
        ),
    ],
)
def test_files_that_are_written_beside_others_replace_none(
    flags: list[str], message: str, run: Run, capfd: pytest.CaptureFixture[str]
) -> None:
    Path("r.db-wal").write_text(REMARKS, "utf-8")
    Path("l.db").symlink_to("r.db")
    del run  # made the folder

    code = main(["r.db-wal", "--allow-unregistered-dialect", "--cse", *flags])

    assert code == 1
    assert fnmatch(capfd.readouterr().err, f"error: *{message}*")
    assert Path("r.db-wal").read_text("utf-8") == REMARKS


@pytest.mark.parametrize("name", ["é.mlir", os.fsdecode(b"n\xff.mlir")])
def test_locations_in_a_file_of_any_name_are_read_back(
    name: str, run: Run, capfd: pytest.CaptureFixture[str]
) -> None:
    del run  # made the folder
    Path(name).write_text("func.func @f() { return }", "utf-8")

    assert main([name, "--mlir-print-debuginfo", "-o", "out.mlir"]) == 0
    assert main(["out.mlir", "--mlir-print-debuginfo"]) == 0
    assert capfd.readouterr().out == Path("out.mlir").read_text("utf-8")
