"""What builds need: depfiles, lists of outputs, templates of one's own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from passgen import resources
from passgen.diagnostics import UserError
from passgen.output import depfile_text
from tests.passgen.conftest import Run

SPEC = "passes:\n  CountOps: {argument: count-ops, summary: Count operations}\n"
OTHER = "passes:\n  Fuse: {argument: fuse, summary: Fuse loops}\n"


@pytest.fixture
def run(run: Run) -> Run:
    """Run `passgen` in a folder with the spec `a.yaml`."""
    write("a.yaml", SPEC)
    return run


def write(path: str, text: str) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text, "utf-8")


def test_depfile_names_spec_schema_and_templates(run: Run) -> None:
    write("b.yaml", OTHER)
    made = ("--target", "cpp", "-o", "gen", "a.yaml", "b.yaml")

    assert run("--depfile", "gen/a.d", *made)[0] == 0
    templates = sorted(str(path) for path in (resources.templates() / "cpp").iterdir())
    assert {Path(each).name for each in templates} > {"_enum.h.j2", "_pipelines.h.j2"}
    files = ["a.yaml", "b.yaml", str(resources.schema()), *templates]
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


@pytest.mark.parametrize("flag", ["--depfile", "--outputs-file"])
def test_a_list_that_stays_the_same_is_left_alone(run: Run, flag: str) -> None:
    run(flag, "list", "a.yaml")
    os.utime("list", (1, 1))
    write("a.yaml", SPEC.replace("Count op", "Count all op"))

    assert run(flag, "list", "a.yaml")[0] == 0
    assert Path("list").stat().st_mtime == 1


def test_depfile_escapes_what_make_and_ninja_would_take_for_their_own() -> None:
    assert depfile_text(
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


@pytest.mark.parametrize(
    "name",
    [
        *(f"a{char}b" for char in "\n\t\x7f\"&'*;<=>?[^`|"),
        *("~a", "a\\", "a:", "lib(a)", r"a\#b", r"a\$b", r"a\:b"),
    ],
)
def test_error_depfile_refuses_names_that_make_or_ninja_cannot_read(name: str) -> None:
    with pytest.raises(UserError, match="which make and ninja cannot both read"):
        depfile_text(["out"], [name])
    with pytest.raises(UserError, match="which make and ninja cannot both read"):
        depfile_text([name], ["in"])


def test_depfile_keeps_percent_signs_out_of_rules(run: Run) -> None:
    assert depfile_text(["out"], ["a%b", "c"]) == "out: \\\n  a%b \\\n  c\nc:\n"
    assert run("--depfile", "a.d", "-o", "c%d", "a.yaml")[2] == (
        "--depfile: error: c%d/a_passes.py: found '%', which make and ninja cannot both "
        "read in a name\n"
    )
    assert not Path("c%d").exists()


def test_depfile_holds_any_bytes_of_a_path(run: Run) -> None:
    spec = os.fsdecode(b"caf\xe9.yaml")
    write(spec, SPEC)

    assert run("--depfile", "a.d", spec)[0] == 0
    assert b"\n  caf\xe9.yaml \\\n" in Path("a.d").read_bytes()


def test_the_schema_is_where_it_is_said_to_be(run: Run) -> None:
    assert run("--schema") == (0, f"{resources.schema()}\n", "")
    assert resources.schema().is_file()


def test_cmake_dir_holds_the_package(run: Run) -> None:
    code, out, _ = run("--cmake-dir")

    assert code == 0
    assert Path(out.rstrip("\n"), "PassgenConfig.cmake").is_file()


@pytest.mark.parametrize(
    ("target", "name"), [("python", "b_passes.py"), ("cpp", "b_passes.h.inc")]
)
def test_outputs_of_other_calls_are_seen_to_become_orphans(
    run: Run, target: str, name: str
) -> None:
    write("b.yaml", SPEC)
    arguments = ("--target", target, "-o", "gen")
    run(*arguments, "a.yaml")
    run(*arguments, "b.yaml")
    assert run(*arguments, "a.yaml")[2] == ""
    Path("b.yaml").unlink()

    for _ in range(2):
        assert run(*arguments, "a.yaml")[2] == (
            f"gen/{name}: warning: is orphaned: passgen made it from b.yaml, which is "
            "gone; remove it\n"
        )


def test_a_template_of_ones_own_comes_first(run: Run) -> None:
    write("mine/python/_pass.py.j2", "# {{ pass_.argument | py_comment }}\n")
    arguments = ("--target=python", "--template-dir=mine", "-o-", "a.yaml")

    code, out, err = run(*arguments)
    assert (code, err) == (0, "")
    assert "\n# count-ops\n" in out
    assert out.split("\n")[1].endswith(
        "To renew: passgen --target python --template-dir mine -o - a.yaml"
    )
