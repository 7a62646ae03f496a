"""The program `passgen-bisect`: its reports, its exit codes, and its commands."""

from __future__ import annotations

import json
import os
import shlex
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from passgen_tools.bisect import main
from passgen_tools.bisect.driver_command import DriverCommand
from passgen_tools.opt import main as opt

pytestmark = pytest.mark.process

SOURCE = """\
func.func @good(%x: i32) -> i32 {
  %c = arith.constant 3 : i32
  %0 = arith.muli %x, %c : i32
  return %0 : i32
}
func.func @bad(%x: i32) -> i32 {
  %c = arith.constant 2 : i32
  %0 = arith.muli %x, %c : i32
  %1 = arith.muli %0, %c : i32
  return %1 : i32
}
func.func private @unused() -> i32
"""
PIPELINE = "builtin.module(func.func(cse,arith-strength-reduction),symbol-dce)"
CHECK = ["sh", "-c", 'test $(grep -c addi "$1") -lt 2', "sh", "{}"]
"""Two additions are bad: the second rewrite of the pass makes the second one."""

Bisect = Callable[..., tuple[int, str, str]]


@pytest.fixture
def record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("input.mlir").write_text(SOURCE)
    assert opt(["input.mlir", "-p", PIPELINE, "--record=run.db", "-o", "out.mlir"]) == 0
    return Path("run.db")


@pytest.fixture
def bisect(capsys: pytest.CaptureFixture[str]) -> Bisect:
    def run(*arguments: object) -> tuple[int, str, str]:
        try:
            code = main(list(map(str, arguments)))
        except SystemExit as error:
            code = int(str(error.code))
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


@pytest.mark.slow
def test_the_culprit_is_named_with_commands_that_run(
    record: Path, bisect: Bisect
) -> None:
    code, out, err = bisect(record, "--", *CHECK)
    *_, repeat, _, reduce = out.splitlines()

    assert code == 0
    assert out.startswith("arith-strength-reduction made good IR bad (step 2 of 3, ")
    assert (
        "  path       builtin.module/func.func[0]/arith-strength-reduction[1]\n" in out
    )
    assert "  operation  @bad\n  location   input.mlir:6:1\n" in out
    assert "  rewrite    2 of 2: mulToAdd on arith.muli\n" in out
    assert "+  %1 = arith.addi %0, %0 : i32\n" in out
    assert err.startswith("   1 good before the first pass\n   2 bad  after symbol-dce")
    assert "@good" not in Path("run.db.mlir").read_text()
    assert shell(repeat).stdout.count("addi") == 2
    program, *_, check, name, placeholder = shlex.split(reduce)
    assert (program, name, placeholder) == ("passgen-reduce", "sh", "{}")

    def exit_code(path: str) -> int:
        return subprocess.run(
            ["/bin/sh", "-c", check, "sh", path], check=False
        ).returncode

    assert exit_code("run.db.mlir") == 1
    Path("fine.mlir").write_text(
        Path("run.db.mlir").read_text().replace("2 : i", "3 : i")
    )
    assert exit_code("fine.mlir") == 0
    assert exit_code("no-such-file.mlir") == 125


def test_the_culprit_and_errors_are_json_on_request(
    record: Path, bisect: Bisect
) -> None:
    code, out, _ = bisect(record, "--json", "--", *CHECK)

    found = json.loads(out)
    assert code == 0
    named = {key: found[key] for key in ("argument", "step", "numSteps", "operation")}
    assert named == {
        "argument": "arith-strength-reduction",
        "step": 2,
        "numSteps": 3,
        "operation": "@bad",
    }
    assert found["location"] == "input.mlir:6:1"
    assert "+  %1 = arith.addi %0, %0 : i32\n" in found["diff"]
    assert found["command"].endswith(" run.db.mlir --run-reproducer")
    assert found["unconfirmed"] is None

    code, out, err = bisect("none.db", "--json", "--", *CHECK)
    assert (code, out) == (2, "")
    assert json.loads(err)["severity"] == "error"


def test_equal_runs_are_json_on_request(record: Path, bisect: Bisect) -> None:
    code, out, _ = bisect(record, record, "--json")

    assert (code, json.loads(out)) == (0, {"areEqual": True})


def test_a_check_that_needs_other_operations_gets_the_whole_module(
    record: Path, bisect: Bisect
) -> None:
    script = 'grep -q @good "$1" || exit 125; test $(grep -c addi "$1") -lt 2'

    code, out, _ = bisect(record, "--", "sh", "-c", script, "sh", "{}")

    assert code == 0
    assert (
        "  reproducer the whole module: CHECK cannot judge the operation alone" in out
    )
    assert "@good" in Path("run.db.mlir").read_text()


@pytest.fixture
def driver() -> str:
    """Return a driver that only marks the IR that it lowers."""
    script = (
        '#!/bin/sh\nfor output do :; done\n{ echo "// $*"; cat "$2"; } > "$output"\n'
    )
    Path("fake-opt").write_text(script)
    Path("fake-opt").chmod(0o755)
    return "--driver=./fake-opt --flag"


def test_ir_is_lowered_before_it_is_judged(
    record: Path, driver: str, bisect: Bisect
) -> None:
    check = "grep -q -e '^// --flag .* --pass-pipeline=lower{} -o' \"$0\" || exit 9; "
    script = f'{check} test $(grep -c addi "$0") -lt 2'

    code, out, err = bisect(
        record, driver, "--lower=lower{}", "--", "sh", "-c", script, "{}"
    )

    assert (code, out.partition(" ")[0]) == (0, "arith-strength-reduction")
    assert "skip" not in err


def test_ir_that_cannot_be_lowered_is_skipped(record: Path, bisect: Bisect) -> None:
    code, out, err = bisect(record, "--driver=false", "--lower=lower", "--", "true")

    assert (code, out) == (1, "")
    assert err.startswith("   1 skip before the first pass\n")


def change_settings(path: Path, settings: object) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE run SET settings = ?", (json.dumps(settings),))


@pytest.mark.parametrize(
    "command", [["touch", "started"], ["passgen-opt", "--record=started"]]
)
def test_a_record_of_others_cannot_choose_what_is_started(
    command: list[str], record: Path, bisect: Bisect
) -> None:
    change_settings(record, {"command": command})

    code, out, _ = bisect(record, "--", *CHECK)

    assert code == 0
    assert out.startswith("arith-strength-reduction made good IR bad (step 2 of 3, ")
    assert out.endswith(f"started only with '--driver={' '.join(command)}'\n")
    assert not Path("started").exists()


@pytest.mark.parametrize("settings", [None, 1, "text", {"command": 1}])
def test_a_record_with_damaged_settings_is_refused(
    settings: object, record: Path, bisect: Bisect
) -> None:
    change_settings(record, settings)

    code, out, err = bisect(record, "--", "true")

    assert (code, out) == (2, "")
    assert "'run.db' is damaged" in err


def test_a_run_that_has_changed_nothing_has_no_culprit(
    record: Path, bisect: Bisect
) -> None:
    del record
    opt(["out.mlir", "--cse", "-o", "same.mlir"])
    opt(["same.mlir", "--cse", "--record=same.db", "-o", "out.mlir"])

    code, _, err = bisect("same.db", "--", "true")

    assert (code, "no pass has changed the IR in 'same.db'" in err) == (1, True)


def test_a_run_without_a_culprit_names_none(record: Path, bisect: Bisect) -> None:
    code, out, err = bisect(record, "--", "true")

    assert (code, out) == (1, "")
    assert err.endswith("is good: there is nothing to find\n")
    assert not Path("run.db.mlir").exists()


def test_a_check_that_fails_for_another_reason_is_seen(
    record: Path, bisect: Bisect
) -> None:
    code, _, err = bisect(record, "--", "grep", "--no-such-flag", "x")

    assert code == 1
    assert "the IR before the first pass is bad" in err
    assert "note: the last check printed: grep: unrecognized option" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run.db", "--timeout=-1", "--", "true"], "expected a positive number"),
        (["run.db", "--run=1", "run.db"], "--run is for one record"),
        (["run.db"], "expected either a second record or `-- CHECK {}`"),
        (["run.db", "run.db", "--", "true"], "expected either a second record or"),
        (
            ["run.db", "--", "no-such-program"],
            "cannot run 'no-such-program': it is not",
        ),
        (
            ["run.db", "--", "sh", "-c", "no-such-program"],
            "the check has judged nothing",
        ),
        (
            ["run.db", "--reproducer=no/r.mlir", "--", "true"],
            "cannot write 'no/r.mlir'",
        ),
        (["run.db", "--driver='x", "--", "true"], "--driver is no command: No closing"),
        (["no.db", "--", "true"], "cannot read the record 'no.db'"),
        (["input.mlir", "--", "true"], "no IR dump in 'input.mlir'"),
        (
            ["run.db", "--run=7", "--", "true"],
            "'run.db' has no run 7, only run 1",
        ),
    ],
)
def test_wrong_usage_is_reported(
    arguments: list[str], message: str, record: Path, bisect: Bisect
) -> None:
    del record
    code, out, err = bisect(*arguments)

    assert (code, out) == (2, "")
    assert message in err


@pytest.mark.start
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_stops_a_bisection_with_its_check(
    number: signal.Signals, record: Path
) -> None:
    folder = Path("temporary").resolve()
    folder.mkdir()
    script = "sleep 60 & echo $! > child; kill -$0 $PPID; sleep 60"
    command = ["passgen-bisect", str(record)]
    ended = subprocess.run(
        [*command, "--", "sh", "-c", script, number.name.removeprefix("SIG")],
        env={**os.environ, "TMPDIR": str(folder)},
        check=False,
    )

    assert ended.returncode == 128 + number
    assert has_ended(int(Path("child").read_text()))
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    "name", ["run.db", "./run.db", "hard.db", "soft.db", "check.sh"]
)
def test_a_reproducer_never_replaces_a_file_that_is_read(
    name: str, record: Path, bisect: Bisect
) -> None:
    Path("hard.db").hardlink_to(record)
    Path("soft.db").symlink_to(record)
    Path("check.sh").write_text("exit 1\n")
    content = record.read_bytes()

    code, _, err = bisect(record, f"--reproducer={name}", "--", "sh", "check.sh", "{}")

    assert (code, "would overwrite" in err) == (2, True)
    assert record.read_bytes() == content
    assert Path("check.sh").read_text() == "exit 1\n"


def test_a_reproducer_never_replaces_the_driver(record: Path, bisect: Bisect) -> None:
    program = "from passgen_tools.opt import console_main\n\nconsole_main()\n"
    Path("my_opt.py").write_text(program)

    driver = f"--driver={sys.executable} my_opt.py"
    code, _, err = bisect(record, driver, "--reproducer=my_opt.py", "--", *CHECK)

    assert (code, "would overwrite 'my_opt.py'" in err) == (2, True)
    assert Path("my_opt.py").read_text() == program


def test_a_file_beside_a_record_that_is_not_of_a_bisection_stays(
    record: Path, bisect: Bisect
) -> None:
    reproducer = Path("run.db.mlir")
    reproducer.write_text(SOURCE)
    code, _, err = bisect(record, "--", *CHECK)
    assert (code, "'run.db.mlir' is there, and is no reproducer" in err) == (2, True)
    assert reproducer.read_text() == SOURCE

    reproducer.unlink()
    assert bisect(record, "--", *CHECK)[0] == 0
    assert bisect(record, "--", *CHECK)[0] == 0, "its own reproducer is replaced"


def test_printed_commands_take_any_name_for_a_name(
    record: Path, bisect: Bisect
) -> None:
    name = '-x {} it\'s "so" $(touch PWNED)`touch PWNED`\nb'
    record = record.rename(name)
    check = Path(f"{name}.sh")
    check.write_text('test $(grep -c addi "$1") -lt 2\n')
    lower = "--lower=builtin.module(canonicalize{})"

    code, out, _ = bisect(f"./{name}", lower, "--", "sh", f"./{name}.sh", "{}")
    repeat, _, small = out.partition("\nreproducer: ")[2].partition("to make it small:")
    repeated = shell(repeat[repeat.index("passgen-opt") :])
    # The check of the printed reduction, on the reproducer that it begins with.
    command = shlex.split(small)
    words = command[command.index("--") + 1 :]
    words = [f"./{name}.mlir" if word == "{}" else word for word in words]
    judged = subprocess.run(words, check=False)

    assert code == 0
    assert repeated.stdout.count("addi") == 2
    assert judged.returncode == 1
    assert not Path("PWNED").exists()


def test_a_pipe_at_the_place_of_the_reproducer_is_not_read(
    record: Path, bisect: Bisect
) -> None:
    os.mkfifo("run.db.mlir")

    assert bisect(record, "--", "true")[2].endswith("there is nothing to find\n")


def test_rewrites_are_named_whatever_a_driver_prints_after_them(
    tmp_path: Path,
) -> None:
    script = tmp_path / "driver.sh"
    script.write_text(
        'echo "BISECT: running pattern (1) first"\n'
        "head -c 200000 /dev/zero | tr '\\0' y\n"
        'cp "$1" "$3"\n'
    )

    output = DriverCommand(["sh", str(script)]).run("module {}")

    assert output.text == "module {}"
    assert output.messages.startswith("BISECT: running pattern (1) first\n")


def test_a_driver_that_is_a_script_is_printed_as_it_was_started(
    record: Path, bisect: Bisect
) -> None:
    del record
    Path("my opt.py").write_text(
        "from passgen_tools.opt import console_main\n"
        "if __name__ == '__main__':\n    console_main()\n"
    )
    command = [sys.executable, "my opt.py", "input.mlir", "-p", PIPELINE, "-o", "o"]
    subprocess.run([*command, "--record=own.db"], check=True)
    python = Path(sys.executable).name

    _, out, _ = bisect("own.db", "--", *CHECK)
    problem = out.splitlines()[-1]
    assert problem.endswith(
        f"""started only with '--driver={python} '"'"'my opt.py'"'"''"""
    )
    (flag,) = shlex.split(problem.partition("only with ")[2])
    out = bisect("own.db", flag, "--", *CHECK)[1]
    assert shell(out.splitlines()[-3]).stdout.count("addi") == 2


def test_ir_of_an_unknown_library_is_refused_by_its_name(
    record: Path, bisect: Bisect
) -> None:
    with closing(sqlite3.connect(record)) as connection, connection:
        versions = json.dumps({"context": "other.library"})
        connection.execute("UPDATE run SET versions = ?", (versions,))

    code, _, err = bisect(record, "--", *CHECK)

    assert (code, "'run.db' has IR of 'other.library'" in err) == (2, True)


def test_two_runs_differ_first_where_one_pass_made_something_else(
    record: Path, bisect: Bisect
) -> None:
    assert bisect(record, record)[0] == 0
    flag = "--pattern-bisect-limit=1"
    opt(["input.mlir", "-p", PIPELINE, flag, "--record=other.db", "-o", "out.mlir"])

    code, out, err = bisect(record, "other.db")

    assert code == 1
    assert "error" not in err
    assert out.startswith("first difference: arith-strength-reduction on @bad: both ")
    assert "+  %1 = arith.muli %0, %c : i32\n" in out
    assert shell(out.splitlines()[-1]).returncode == 0


def test_runs_with_other_inputs_differ_there(record: Path, bisect: Bisect) -> None:
    Path("other.mlir").write_text(SOURCE.replace("3 : i32", "5 : i32"))
    opt(["other.mlir", "-p", PIPELINE, "--record=other.db", "-o", "out.mlir"])

    code, out, _ = bisect(record, "other.db")

    assert (code, out.splitlines()[0]) == (1, "the inputs differ in @good")


def test_the_inputs_of_several_runs_differ_too(record: Path, bisect: Bisect) -> None:
    Path("two.mlir").write_text(f"{SOURCE}// -----\n{SOURCE.replace('3 :', '5 :')}")
    flags = "-p", PIPELINE, "--split-input-file", "--record=two.db", "-o", "out.mlir"
    opt(["two.mlir", *flags])

    code, out, err = bisect(record, "two.db")

    assert (code, err) == (1, "")
    assert out.startswith("the inputs differ in @good of run 2\n")

    Path("two.mlir").write_text(f"{SOURCE}// -----\n{SOURCE.replace('3 :', '7 :')}")
    opt(["two.mlir", *flags[:-3], "--record=other.db", "-o", "out.mlir"])
    _, out, _ = bisect("two.db", "other.db")

    assert out.startswith("the inputs differ in @good of run 2\n")
    assert "-  %c = arith.constant 5 : i32" in out
    assert "+  %c = arith.constant 7 : i32" in out


def test_two_logs_of_another_tool_are_compared(record: Path, bisect: Bisect) -> None:
    del record
    log = """\
// -----// IR Dump Before CSE (cse) //----- //
func.func @f() {
  return
}

// -----// IR Dump After CSE (cse) //----- //
func.func @f() {
  call @a() : () -> ()
  return
}

"""
    Path("old.log").write_text(log)
    Path("new.log").write_text(log.replace("@a", "@b"))

    code, out, _ = bisect("old.log", "new.log")

    assert code == 1
    assert "-  call @a() : () -> ()\n+  call @b() : () -> ()\n" in out
    assert out.splitlines()[-1] == "  mlir-opt new.log.mlir --run-reproducer"


def test_logs_of_modules_and_of_functions_have_the_same_input(
    record: Path, bisect: Bisect
) -> None:
    del record
    function = "func.func @f() {\n  return\n}\n"
    module = f"module {{\n  {function.strip().replace(chr(10), chr(10) + '  ')}\n}}\n"
    for path, text, place in (
        ("old.log", function, ""),
        ("new.log", module, " ('func.func' operation: @f)"),
    ):
        heads = (f"IR Dump {when} CSE (cse){place}" for when in ("Before", "After"))
        dumps = (f"// -----// {head} //----- //\n{text}\n" for head in heads)
        Path(path).write_text("".join(dumps))

    assert bisect("old.log", "new.log")[:2] == (
        0,
        "both runs gave the same IR after every pass\n",
    )
    Path("new.log").write_text(Path("old.log").read_text().replace("ret", "cf.ret"))
    assert bisect("old.log", "new.log")[1].startswith("the inputs differ in @f\n")


def test_logs_without_the_ir_before_passes_differ_where_results_do(
    record: Path, bisect: Bisect
) -> None:
    del record
    log = (
        "// -----// IR Dump After CSE (cse) //----- //\n"
        "func.func @f() {\n  return\n}\n\n"
    )
    Path("old.log").write_text(log)
    Path("new.log").write_text(log.replace("return", "unreachable"))

    code, out, _ = bisect("old.log", "new.log")

    assert code == 1
    assert "cse on @f: the results differ, and no dump shows its input\n" in out
    assert "to repeat" not in out


def shell(command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["/bin/sh", "-c", command], capture_output=True, text=True, check=False
    )


def has_ended(pid: int) -> bool:
    for _ in range(200):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        stat = Path(f"/proc/{pid}/stat")
        if stat.exists() and stat.read_text().rpartition(")")[2].split()[0] == "Z":
            return True
        time.sleep(0.01)
    return False
