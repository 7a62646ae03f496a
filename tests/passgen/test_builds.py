"""What builds need: depfiles, templates of one's own, runs with nothing to do."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from passgen import build_stamp, depfile, frontend, output, resources, user_cache
from passgen.commands import generate, generate_arguments
from passgen.commands.generate_arguments import Arguments
from passgen.model import PassGroup
from passgen.output import OutputFile
from passgen.source import SourceFile
from tests.passgen.conftest import Run

SPEC = "passes:\n  CountOps: {argument: count-ops, summary: Count operations}\n"


@pytest.fixture
def run(run: Run) -> Run:
    """Run `passgen` in a folder with the spec `a.yaml`, written a while ago."""
    write("a.yaml", SPEC)
    return run


def write(path: str, text: str) -> None:
    """Write a file that no run can take to have changed while it ran."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text, "utf-8")
    earlier_s = time.time() - 10
    os.utime(path, (earlier_s, earlier_s))


@pytest.fixture
def works(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The specs that are really read."""
    read: list[str] = []
    real = frontend.read

    def noted(source: SourceFile, name: str | None, prefix: str | None) -> PassGroup:
        read.append(source.name)
        return real(source, name, prefix)

    monkeypatch.setattr(generate, "read", noted)
    return read


def test_depfile_names_spec_schema_and_templates(run: Run) -> None:
    write("b.yaml", SPEC)
    made = ("--target", "cpp", "-o", "gen", "a.yaml", "b.yaml")

    assert run("--depfile", "gen/a.d", *made)[0] == 0
    names = ("_base_class", "_enum", "_options", "_registration", "passes")
    suffixes = (".h.j2", ".h.j2", ".h.j2", ".h.j2", ".h.inc.j2")
    files = [
        "a.yaml",
        "b.yaml",
        str(resources.schema()),
        *(
            f"{resources.templates()}/cpp/{name}{suffix}"
            for name, suffix in zip(names, suffixes, strict=True)
        ),
    ]
    rule = " \\\n  ".join(["gen/a_passes.h.inc gen/b_passes.h.inc:", *files])
    gone = "".join(f"{each}:\n" for each in files)  # as gcc -MP: none stops make
    assert Path("gen/a.d").read_text("utf-8") == f"{rule}\n{gone}"


def test_depfile_names_whatever_templates_of_ones_own_may_include(run: Run) -> None:
    write("mine/rust/passes.rs.j2", '{% include "common/head.j2" %}')
    write("mine/rust/sub/x.j2", "")
    write("mine/rust/lic.txt", "")
    write("mine/common/head.j2", "{% include 'rust/lic.txt' %}")
    write("mine/empty/deeper/.keep", "")
    arguments = ("--target", "rust", "--template-dir", "mine", "a.yaml")

    assert run("--depfile", "a.d", *arguments)[0] == 0
    shipped = resources.templates()
    assert Path("a.d").read_text("utf-8").partition("\n\n")[0].split(" \\\n  ")[
        3:9
    ] == [
        "mine/common/head.j2",
        "mine/empty/deeper/.keep",
        "mine/rust/lic.txt",
        "mine/rust/passes.rs.j2",
        "mine/rust/sub/x.j2",
        str(min(shipped.rglob("*.j2"))),
    ]


def test_depfile_is_left_alone_where_it_stays_the_same(run: Run) -> None:
    run("--depfile", "a.d", "a.yaml")
    os.utime("a.d", (1, 1))
    write("a.yaml", SPEC.replace("Count op", "Count all op"))

    assert run("--depfile", "a.d", "a.yaml")[0] == 0
    assert Path("a.d").stat().st_mtime == 1


def test_depfile_escapes_what_make_and_ninja_would_take_for_their_own() -> None:
    assert depfile.text(
        ["a b", "c#"], ["$d", r"e\f", r"g\ h", "$d", "i:j", "C:/k"]
    ) == (
        r"""a\ b c\#: \
  $$d \
  e\f \
  g\\\ h \
  i\:j \
  C:/k
$$d:
e\f:
g\\\ h:
i\:j:
C:/k:
"""
    )


def test_depfile_holds_any_bytes_of_a_path(run: Run) -> None:
    spec = os.fsdecode(b"caf\xe9.yaml")
    write(spec, SPEC)

    assert run("--depfile", "a.d", spec)[0] == 0
    assert b"\n  caf\xe9.yaml \\\n" in Path("a.d").read_bytes()


@pytest.mark.parametrize("argument", ["--check", "--list-outputs", "-o-"])
def test_error_depfile_without_outputs(run: Run, argument: str) -> None:
    code, _, err = run("--depfile", "a.d", "--target=python", argument, "a.yaml")

    assert code == 2
    assert err.endswith(
        "error: --depfile tells what written files are of, and none is written\n"
    )


def test_outputs_are_listed_without_being_written(run: Run) -> None:
    assert run("--list-outputs", "-o", "gen", "a.yaml") == (
        0,
        "gen/a_passes.py\ngen/a_passes.md\n",
        "",
    )
    assert not Path("gen").exists()


def test_the_schema_is_where_it_is_said_to_be(run: Run) -> None:
    assert run("--schema") == (0, f"{resources.schema()}\n", "")
    assert resources.schema().is_file()


def test_outputs_are_listed_in_a_file_that_is_left_alone(run: Run) -> None:
    run("--outputs-file", "outputs", "-o", "gen", "a.yaml")
    assert Path("outputs").read_text() == "gen/a_passes.py\ngen/a_passes.md\n"

    os.utime("outputs", (1, 1))
    write("a.yaml", SPEC.replace("Count op", "Count all op"))
    run("--outputs-file", "outputs", "-o", "gen", "a.yaml")
    assert Path("outputs").stat().st_mtime == 1


def test_error_outputs_file_without_outputs(run: Run) -> None:
    code, _, err = run("--outputs-file", "outputs", "--check", "a.yaml")

    assert code == 2
    assert err.endswith(
        "error: --outputs-file tells what was written, and nothing is\n"
    )


def test_a_build_may_say_what_outputs_it_expects(run: Run) -> None:
    expected = ("--expect-outputs", "gen/a_passes.md", "./gen/a_passes.py")

    assert run("a.yaml", "-o", "gen", *expected)[::2] == (0, "")


def test_error_outputs_that_a_build_does_not_expect(run: Run) -> None:
    assert run("a.yaml", "--expect-outputs", "a_passes.py", "a.md") == (
        1,
        "",
        (
            "a.md: error: is expected, and not written\n"
            "a_passes.md: error: is written, and not expected\n"
        ),
    )
    assert not Path("a_passes.py").exists()


def test_error_expected_outputs_without_any(run: Run) -> None:
    arguments = ("--target=python", "-o-", "--expect-outputs", "a.py")
    code, _, err = run("a.yaml", *arguments)

    assert code == 2
    assert err.endswith("--expect-outputs is about files, and '-o -' writes none\n")


def test_cmake_dir_holds_the_package(run: Run) -> None:
    code, out, _ = run("--cmake-dir")

    assert code == 0
    assert Path(out.rstrip("\n"), "PassgenConfig.cmake").is_file()


def test_nothing_is_read_where_nothing_changed(run: Run, works: list[str]) -> None:
    assert run("a.yaml") == run("a.yaml")
    assert works == ["a.yaml"]


@pytest.mark.parametrize("stdout", ["/dev/full", "/dev/null"])
def test_the_program_imports_nothing_of_that(run: Run, stdout: str) -> None:
    program = (
        "import sys; sys.argv = ['passgen', 'a.yaml']; from passgen.start import main;"
        "code = main(); print('passgen.cli' in sys.modules, file=sys.stderr);"
        "sys.exit(code)"
    )
    run("a.yaml")
    with Path(stdout).open("w") as stream:
        done = subprocess.run(
            [sys.executable, "-c", program],
            stdout=stream,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stderr) == {
        "/dev/full": (1, "standard output: error: no space left on device\nTrue\n"),
        "/dev/null": (0, "False\n"),
    }[stdout]


def test_warnings_are_repeated_where_nothing_changed(
    run: Run, works: list[str]
) -> None:
    write("a.yaml", 'passes: {CountOps: {argument: count-ops, summary: ""}}')

    first = run("a.yaml")
    assert "warning" in first[2]
    assert run("a.yaml") == first
    assert works == ["a.yaml"]


@pytest.mark.parametrize(
    "change",
    [
        lambda: write("a.yaml", SPEC + "# a comment\n"),
        lambda: write("a_passes.py", "edited"),
        Path("a_passes.md").unlink,
        Path("a.d").unlink,
        Path("outputs").unlink,
        lambda: write("templates/python/_new.py.j2", ""),
    ],
    ids=[
        "spec",
        "output edited",
        "output gone",
        "depfile gone",
        "list gone",
        "template",
    ],
)
def test_a_change_is_seen(
    run: Run, works: list[str], change: Callable[[], object]
) -> None:
    write("templates/python/_pass.py.j2", "")
    arguments = (
        "--depfile=a.d",
        "--outputs-file=outputs",
        "--template-dir=templates",
        "a.yaml",
    )
    first = run(*arguments)
    change()

    assert run(*arguments) == first
    assert works == ["a.yaml", "a.yaml"]
    assert run("--check", "--template-dir=templates", "a.yaml")[0] == 0


def test_a_spec_that_may_have_changed_while_it_was_read_is_read_again(
    run: Run, works: list[str]
) -> None:
    later_s = time.time() + 60
    os.utime("a.yaml", (later_s, later_s))

    assert run("a.yaml") == run("a.yaml")
    assert works == ["a.yaml", "a.yaml"]


def test_a_template_that_changed_after_it_was_read_is_read_again(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    template = "mine/rust/passes.rs.j2"
    write(template, "// one\n")
    arguments = ("--target", "rust", "--template-dir", "mine", "a.yaml")
    with monkeypatch.context() as while_it_writes:
        real = output.write

        def edited(files: Sequence[OutputFile]) -> None:
            real(files)
            Path(template).write_text("// three\n", "utf-8")

        while_it_writes.setattr(output, "write", edited)
        run(*arguments)

    run(*arguments)
    assert Path("a_passes.rs").read_text() == "// three\n"


def test_a_passgen_that_changed_while_it_ran_is_run_again(
    run: Run, works: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    versions, real = ["as it was loaded"], generate_arguments.parse
    monkeypatch.setattr(user_cache, "listing", lambda _folders: versions[-1])

    def edited(argv: Sequence[str]) -> Arguments:
        versions.append("edited")
        return real(argv)

    monkeypatch.setattr(generate, "parse", edited)
    for _ in range(2):
        user_cache.tool.cache_clear()  # each is a process
        run("a.yaml")
    user_cache.tool.cache_clear()
    assert works == ["a.yaml", "a.yaml"]


ORPHAN = (
    "gen/{}: warning: is orphaned: passgen made it from b.yaml, which is gone; "
    "remove it\n"
)


@pytest.mark.parametrize(
    ("target", "name"), [("python", "b_passes.py"), ("cpp", "b_passes.h.inc")]
)
@pytest.mark.parametrize("is_settled", [True, False])
def test_outputs_of_other_calls_are_seen_to_become_orphans(
    run: Run, target: str, name: str, *, is_settled: bool
) -> None:
    write("b.yaml", SPEC)
    arguments = ("--target", target, "-o", "gen")
    run(*arguments, "a.yaml")
    run(*arguments, "b.yaml")
    if is_settled:
        assert run(*arguments, "a.yaml")[2] == ""
    Path("b.yaml").unlink()

    for _ in range(2):
        assert run(*arguments, "a.yaml")[2] == ORPHAN.format(name)


def test_outputs_of_other_calls_are_looked_at_once(run: Run, works: list[str]) -> None:
    write("b.yaml", SPEC)
    for spec in ("a.yaml", "b.yaml") * 3:
        assert run("--target", "cpp", "-o", "gen", spec)[2] == ""

    assert works == ["a.yaml", "b.yaml", "a.yaml"]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"tool": 1, "files": []}'])
def test_a_damaged_stamp_is_no_stamp(
    run: Run, works: list[str], text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PASSGEN_CACHE_DIR", "stamps")
    run("a.yaml")
    (stamp,) = Path("stamps").glob("*.json")
    stamp.write_text(text)

    assert run("a.yaml")[0] == 0
    assert works == ["a.yaml", "a.yaml"]


@pytest.mark.parametrize("cache", ["", "a.yaml"], ids=["none", "no folder"])
def test_without_a_cache_the_work_is_done(
    run: Run, works: list[str], cache: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PASSGEN_CACHE_DIR", cache)

    assert run("a.yaml") == run("a.yaml")
    assert works == ["a.yaml", "a.yaml"]


def test_pipes_leave_no_stamp(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PASSGEN_CACHE_DIR", "stamps")
    for _ in range(2):  # a stamp would have the second call empty the pipe
        reading, writing = os.pipe()
        os.write(writing, SPEC.encode())
        os.close(writing)
        code, out, err = run("--name", "A", f"/dev/fd/{reading}")
        os.close(reading)

        assert (code, out, err) == (0, "a_passes.py\na_passes.md\n", "")
    assert not list(Path("stamps").glob("*.json"))


def test_old_stamps_go(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PASSGEN_CACHE_DIR", "stamps")
    monkeypatch.setattr(build_stamp, "MAX_STAMPS", 2)
    for name in "ABCDE":
        run("--name", name, "a.yaml")

    assert len(list(Path("stamps").glob("*.json"))) == 3


def test_a_template_of_ones_own_comes_first(run: Run) -> None:
    write("mine/python/_pass.py.j2", "# {{ pass_.argument | py_comment }}\n")
    arguments = ("--target=python", "--template-dir=mine", "-o-", "a.yaml")

    code, out, err = run(*arguments)
    assert (code, err) == (0, "")
    assert "\n# count-ops\n" in out
    assert out.split("\n")[0].endswith(
        "To renew: passgen --target python --template-dir mine -o - a.yaml"
    )


def test_a_template_adds_a_target(run: Run) -> None:
    write(
        "mine/rust/passes.rs.j2",
        "// {{ origin.spec }}: {{ origin.command }}\n"
        "{% for pass in group.passes %}\npub struct {{ pass.name }};\n{% endfor %}\n",
    )
    arguments = ("--target", "rust", "--template-dir", "mine", "a.yaml")

    assert run(*arguments) == (0, "a_passes.rs\n", "")
    assert Path("a_passes.rs").read_text() == (
        f"// a.yaml: passgen {' '.join(arguments)}\npub struct CountOps;\n"
    )


def test_each_template_of_a_target_of_ones_own_is_written(run: Run) -> None:
    write("mine/rust/passes.rs.j2", "// passes\n")
    write("mine/rust/tests.rs.j2", "// tests\n")
    arguments = ("--target", "rust", "--template-dir", "mine")

    assert run(*arguments, "a.yaml") == (0, "a_passes.rs\na_tests.rs\n", "")
    assert Path("a_passes.rs").read_text() == "// passes\n"
    assert Path("a_tests.rs").read_text() == "// tests\n"
    assert run(*arguments, "-o-", "a.yaml")[2].endswith(
        "'-o -' prints one output: give one spec, and one --target of one template\n"
    )


def test_folders_of_parts_are_no_targets(run: Run) -> None:
    write("mine/rust/passes.rs.j2", '{% include "_common/head.j2" %}')
    write("mine/_common/head.j2", "// by passgen\n")
    arguments = ("--template-dir", "mine", "a.yaml", "--target")

    assert run(*arguments, "rust")[0] == 0
    assert Path("a_passes.rs").read_text() == "// by passgen\n"
    assert "expected one of python, markdown, cpp, capi-header, capi-impl, " in (
        error := run(*arguments, "_common")[2]
    )
    assert error.endswith("mlir-markdown, tablegen, rust\n")


def test_error_in_a_template_of_ones_own(run: Run) -> None:
    write("mine/rust/passes.rs.j2", "one\n{{ groop.name }}\n")

    assert run("--target", "rust", "--template-dir", "mine", "a.yaml") == (
        1,
        "",
        "mine/rust/passes.rs.j2:2: error: 'groop' is undefined\nnote: templates are taken from mine first\n",
    )


def test_error_a_part_that_is_missing(run: Run) -> None:
    write("mine/rust/passes.rs.j2", '{% include "rust/_pass.rs.j2" %}')

    assert run("--target", "rust", "--template-dir", "mine", "a.yaml") == (
        1,
        "",
        (
            "rust/_pass.rs.j2: error: there is no such template\n"
            "note: templates are taken from mine first\n"
        ),
    )


def test_error_two_targets_write_one_file(run: Run) -> None:
    write("mine/other/passes.py.j2", "")
    targets = ("--target", "python", "--target", "other", "--template-dir", "mine")

    assert run(*targets, "a.yaml") == (
        2,
        "",
        "a.yaml: error: two of its targets write a_passes.py\n",
    )


def test_error_unknown_target(run: Run) -> None:
    code, _, err = run("--target", "pyhton", "a.yaml")

    assert code == 2
    assert err.endswith(
        "passgen: error: argument --target: found 'pyhton', expected one of python, "
        "markdown, cpp, capi-header, capi-impl, mlir-markdown, tablegen; did you mean "
        "'python'?\n"
    )


def test_error_template_dir_is_none(run: Run) -> None:
    code, _, err = run("--template-dir", "mine", "a.yaml")

    assert code == 2
    assert err.endswith("passgen: error: --template-dir: found no folder 'mine'\n")
