"""Specs that include others for their shared options."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.passgen.conftest import Run

GIT = shutil.which("git") or "git"
COMMON = """\
sharedOptions:
  tiling: &tiling
    - {name: tileSize, argument: tile-size, type: uint32, description: Size of a tile.}
"""
SPEC = """\
include: [shared/common.yaml]
passes:
  Tile: {argument: tile, summary: Tile loops, options: *tiling}
"""


@pytest.fixture
def run(run: Run) -> Run:
    """Run `passgen` in a folder with a spec and what it includes."""
    Path("shared").mkdir()
    Path("shared/common.yaml").write_text(COMMON)
    Path("a.yaml").write_text(SPEC)
    return run


def test_shared_options_come_from_an_included_spec(run: Run) -> None:
    assert run("--target", "python", "a.yaml") == (0, "a_passes.py\n", "")
    assert '"tile-size", UINT32' in Path("a_passes.py").read_text()


def test_included_specs_include_others_from_their_own_folder(run: Run) -> None:
    Path("shared/all.yaml").write_text("include: [common.yaml]\n")
    Path("a.yaml").write_text(SPEC.replace("common", "all"))

    run("--depfile", "a.d", "--target", "python", "a.yaml")
    assert Path("a.d").read_text().split(" \\\n  ")[:4] == [
        "a_passes.py:",
        "a.yaml",
        "shared/common.yaml",
        "shared/all.yaml",
    ]


def test_an_included_spec_that_changed_is_seen(run: Run) -> None:
    run("--target", "python", "a.yaml")
    Path("shared/common.yaml").write_text(COMMON.replace("uint32", "int64"))

    run("--target", "python", "a.yaml")
    assert '"tile-size", INT64' in Path("a_passes.py").read_text()


def test_an_own_anchor_comes_before_an_included_one(run: Run) -> None:
    own = "sharedOptions: {mine: &tiling [{name: own, argument: own, type: bool}]}\n"
    Path("a.yaml").write_text(SPEC.replace("passes:", f"{own}passes:"))

    run("--target", "python", "a.yaml")
    assert "tile-size" not in Path("a_passes.py").read_text()


@pytest.mark.process
def test_a_revision_includes_what_it_had_then(run: Run) -> None:
    commit_all()
    Path("shared/common.yaml").write_text(COMMON.replace("uint32", "bool"))

    code, out, _ = run("diff", "--against", "HEAD", "a.yaml")
    assert code == 1
    assert "tile-size" in out


@pytest.fixture
def repository(run: Run) -> Run:
    """Run `passgen` where a spec and its part lie in one folder and a revision."""
    Path("specs").mkdir()
    Path("specs/common.yaml").write_text(COMMON)
    Path("specs/a.yaml").write_text(SPEC.replace("shared/", ""))
    commit_all()
    return run


def commit_all() -> None:
    for command in ("init", "add .", "-c user.name=A -c user.email=a@b commit -m x"):
        arguments = command.split()
        subprocess.run([GIT, *arguments], check=True, stdout=subprocess.DEVNULL)


IMPLEMENTATION = """\
from gen.a_passes import TilePassBase

class TilePass(TilePassBase):
    def run_on_operation(self):
        self.options.tile_size
"""
GIVEN = ("specs/a.yaml", "./specs/common.yaml")


@pytest.mark.process
@pytest.mark.parametrize(
    "command",
    [
        ("-o", "gen", *GIVEN),
        ("--check", "-o", "gen", *GIVEN),
        ("lint", "--fail-on", "error", *GIVEN),
        ("drift", "--source", "src", *GIVEN),
        ("list", *GIVEN),
        ("diff", "--against", "HEAD", "specs"),
        ("diff", "--against", "HEAD", *GIVEN),
        ("format", "--check", *GIVEN),
    ],
    ids=lambda command: " ".join(command[:2]),
)
def test_a_part_is_passed_over_where_what_includes_it_is_given(
    repository: Run, command: tuple[str, ...]
) -> None:
    assert repository("-o", "gen", *GIVEN)[0] == 0
    Path("src").mkdir()
    Path("src/tile.py").write_text(IMPLEMENTATION)

    code, _, err = repository(*command)
    assert (code, err) == (0, "")


@pytest.mark.process
def test_passes_of_what_became_a_part_are_missed(repository: Run) -> None:
    Path("specs/a.yaml").rename("specs/b.yaml")
    commit_all()
    Path("specs/b.yaml").write_text(COMMON)
    Path("specs/c.yaml").write_text(
        "include: [common.yaml, b.yaml]\n"
        "passes: {Top: {argument: top, summary: Top, options: *tiling}}\n"
    )

    code, out, _ = repository("diff", "--against", "HEAD", "specs")
    assert code == 1
    assert out.startswith(
        "HEAD:specs/b.yaml:3:3: error: pass 'tile' was removed [pass-removed]\n"
    )


@pytest.mark.process
def test_a_part_that_went_is_no_mistake(repository: Run) -> None:
    Path("specs/common.yaml").rename("specs/_common.yaml")
    Path("specs/a.yaml").write_text(SPEC.replace("shared/", "_"))

    assert repository("diff", "--against", "HEAD", "specs")[::2] == (0, "")


def test_each_file_is_read_once(run: Run) -> None:
    for level in range(30):  # two files each of which includes the next two
        following = f"include: [a{level + 1}.yaml, b{level + 1}.yaml]\n"
        for name in "ab":
            text = COMMON if level == 29 else following
            Path(f"shared/{name}{level}.yaml").write_text(text)
    Path("a.yaml").write_text(SPEC.replace("common", "a0"))

    assert run("list", "a.yaml") == (0, "A\n  tile  Tile loops\n", "")


def test_error_files_that_include_one_another_too_deep(run: Run) -> None:
    for number in range(2000):
        text = f"include: [c{number + 1}.yaml]\n"
        Path(f"shared/c{number}.yaml").write_text(text)
    Path("a.yaml").write_text(SPEC.replace("common", "c0"))

    code, _, err = run("list", "a.yaml")
    assert code == 1
    assert err == (
        "shared/c31.yaml:1:11: error: found files that include one another over 32 deep\n"
        "include: [c32.yaml]\n"
        "          ^~~~~~~~\n"
        "a.yaml:1:11: note: included from here\n"
        "include: [shared/c0.yaml]\n"
        "          ^~~~~~~~~~~~~~\n"
    )


def test_patterns_of_an_included_spec_are_at_their_places(run: Run) -> None:
    pattern = "name: {}, pdl: 'pdl.rewrite %root {{ }}'"
    in_file = "{name: third, pdlFile: third.mlir}"
    Path("shared/third.mlir").write_text("pdl.rewrite %root { }\n")
    Path("shared/common.yaml").write_text(
        "passes: {B: {argument: b, summary: B, patterns: [\n"
        f"  &first {{{pattern.format('first')}}}, &third {in_file}]}}}}\n"
    )
    Path("specs").mkdir()
    Path("specs/a.yaml").write_text(
        "include: [../shared/common.yaml]\n"
        "passes: {A: {argument: a, summary: A, patterns: [\n"
        f"  *first, *third, {{{pattern.format('second')}}}]}}}}\n"
    )

    assert run("--target", "python", "specs/a.yaml")[0] == 0

    lines = Path("a_passes.py").read_text().splitlines()
    places = [line.strip() for line in lines if "file=" in line or "line=" in line]
    assert places == [
        'file="shared/common.yaml",',
        "line=2,",
        'file="shared/third.mlir",',
        "line=1,",
        "line=3,",
    ]
