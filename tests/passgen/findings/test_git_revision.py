"""`passgen diff --against`: specs as they were at a git revision."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.passgen.findings.compared_versions import OLD, PASSES, run

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("folder")]


def git(*arguments: str) -> None:
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    command = ["git", *identity, *arguments]
    subprocess.run(command, check=True, capture_output=True)


def commit(*paths: str) -> None:
    git("add", *paths)
    git("commit", "-q", "-m", "Declare passes")


def renamed(name: str) -> str:
    """Return the spec of a pass that is called otherwise."""
    return PASSES.replace("Unroll", name).replace("unroll", name.lower())


@pytest.fixture
def repository(folder: Path) -> None:
    """`specs/loops.yaml` and `specs/fusion.yaml`, committed."""
    (folder / "specs").mkdir()
    Path("specs/loops.yaml").write_text(OLD)
    Path("specs/fusion.yaml").write_text(renamed("Fuse"))
    git("init", "-q")
    commit(".")


@pytest.fixture
def against_head(
    repository: None, capfd: pytest.CaptureFixture[str]
) -> Callable[[str], list[str]]:
    """Compare what is given with `HEAD`; return the first lines of findings."""
    del repository

    def findings(given: str) -> list[str]:
        assert run("--against", "HEAD", given) == 1
        lines = capfd.readouterr().out.splitlines()
        return [line for line in lines if line.endswith("]")]

    return findings


def removed(path: str, argument: str = "unroll-loops", line: int = 2) -> str:
    return f"HEAD:{path}:{line}:3: error: pass '{argument}' was removed [pass-removed]"


def test_against_a_git_revision(capfd: pytest.CaptureFixture[str]) -> None:
    Path("specs").mkdir()
    Path("specs/loops.yaml").write_text(OLD)
    git("init", "-q")
    commit("specs")
    Path("specs/loops.yaml").write_text(PASSES)
    Path("specs/more.yaml").write_text(
        PASSES
        + "pipelines: {Go: {argument: go, summary: Go, elements: [unroll-loops]}}"
    )

    assert run("--against", "HEAD", "specs/loops.yaml", "specs/more.yaml") == 1
    lines = capfd.readouterr().out.splitlines()
    assert [line for line in lines if ": " in line and line[0] == "s"] == [
        (
            "specs/loops.yaml:2:3: error: option 'factor' of pass 'unroll-loops' was "
            "removed [option-removed]"
        ),
        "specs/more.yaml:2:3: note: pass 'unroll-loops' is new [pass-added]",
        "specs/more.yaml:5:13: note: pipeline 'go' is new [pipeline-added]",
    ]
    assert "HEAD:specs/loops.yaml:5:40: note: it was here" in lines


def test_error_no_such_revision(capfd: pytest.CaptureFixture[str]) -> None:
    git("init", "-q")

    assert run("--against", "main", "old.yaml") == 2
    assert capfd.readouterr() == (
        "",
        "--against: error: found 'main', expected a git revision\n",
    )


def test_error_no_repository(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))

    assert run("--against", "HEAD", "old.yaml") == 2
    assert capfd.readouterr().err == (
        "old.yaml: error: it is in no git repository, so there is no revision 'HEAD' "
        "to compare with\n"
    )


@pytest.mark.usefixtures("repository")
def test_the_repository_is_that_of_the_spec_in_a_hook_of_git_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GIT_DIR", ".git")

    assert run("--against", "HEAD", "specs/loops.yaml") == 0


@pytest.mark.usefixtures("repository")
def test_error_git_refuses_the_repository(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")

    assert run("--against", "HEAD", "specs/loops.yaml") == 2
    assert capfd.readouterr().err.startswith(
        "specs/loops.yaml: error: detected dubious ownership in repository at "
    )


def test_error_no_git(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", "")

    assert run("--against", "HEAD", "old.yaml") == 2
    message = "git: error: the command was not found, and --against needs it\n"
    assert capfd.readouterr().err == message


def test_a_folder_stands_for_its_specs_then_and_now(
    against_head: Callable[[str], list[str]],
) -> None:
    Path("specs/loops.yaml").unlink()
    Path("specs/tiling.yml").write_text(renamed("Tile"))
    Path("specs/notes.md").touch()
    Path("specs/_common.yaml").write_text("sharedOptions: {}\n")

    assert against_head("specs") == [
        removed("specs/loops.yaml"),
        "specs/tiling.yml:2:3: note: pass 'tile-loops' is new [pass-added]",
    ]


@pytest.mark.parametrize("given", ["specs", "specs/", "./specs"])
def test_a_folder_that_is_gone_breaks_its_users(
    given: str, against_head: Callable[[str], list[str]]
) -> None:
    shutil.rmtree("specs")

    assert against_head(given) == [
        removed("specs/fusion.yaml", "fuse-loops"),
        removed("specs/loops.yaml"),
    ]


def test_a_spec_whose_folder_is_gone_breaks_its_users(
    against_head: Callable[[str], list[str]],
) -> None:
    Path("specs/_all.yaml").write_text("sharedOptions: {}\n")
    Path("specs/tiling.yaml").write_text("include:\n  - _all.yaml\n" + PASSES)
    commit("specs")
    shutil.rmtree("specs")

    assert against_head("specs/tiling.yaml") == [removed("specs/tiling.yaml", line=4)]


def test_a_folder_stands_for_the_specs_of_its_folders_too(
    against_head: Callable[[str], list[str]],
) -> None:
    for name in ("then", "now", "_parts", ".hidden", "ignored"):
        Path("specs/all", name).mkdir(parents=True)
    git("mv", "specs/loops.yaml", "specs/all/then/loops.yaml")
    git("mv", "specs/fusion.yaml", "specs/all/_parts/fusion.yaml")
    commit("specs")
    shutil.rmtree("specs/all/then")
    Path("specs/.gitignore").write_text("ignored\n")
    for name in ("now", "_parts", ".hidden", "ignored"):
        Path("specs/all", name, "tiling.yaml").write_text(renamed("Tile"))

    assert against_head("specs") == [
        removed("specs/all/then/loops.yaml"),
        "specs/all/now/tiling.yaml:2:3: note: pass 'tile-loops' is new [pass-added]",
    ]


def test_a_spec_that_is_gone_breaks_its_users(
    against_head: Callable[[str], list[str]],
) -> None:
    Path("specs/loops.yaml").unlink()

    assert against_head("specs/loops.yaml") == [removed("specs/loops.yaml")]


@pytest.mark.parametrize("given", ["specs", "specs/unroll.yaml", "specs/loops.yaml"])
@pytest.mark.parametrize("knows_git", [True, False])
def test_a_spec_that_was_renamed_is_found(
    given: str,
    knows_git: bool,  # noqa: FBT001 - a parameter of the test
    against_head: Callable[[str], list[str]],
) -> None:
    if knows_git:
        git("mv", "specs/loops.yaml", "specs/unroll.yaml")
    else:
        Path("specs/loops.yaml").rename("specs/unroll.yaml")
    before = Path(".git/index").read_bytes()

    assert against_head(given) == [
        "specs/unroll.yaml:1:1: error: group 'Loops' is 'Unroll' now [group-renamed]"
    ]
    assert Path(".git/index").read_bytes() == before


@pytest.mark.usefixtures("repository")
def test_paths_are_meant_from_the_current_folder(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir("specs")
    git("mv", "loops.yaml", "../loops.yaml")

    assert run("--against", "HEAD", "fusion.yaml") == 0
    assert run("--against", "HEAD", ".", "../loops.yaml") == 0
    assert capfd.readouterr().out == 2 * "nothing found\n"


def test_a_group_is_not_called_after_the_revision(
    capfd: pytest.CaptureFixture[str],
) -> None:
    git("init", "-q")
    commit("old.yaml")
    git("tag", "v1.0")

    assert run("--against", "v1.0", "old.yaml") == 0
    Path("old.yaml").write_text(PASSES)
    assert run("--against", "v1.0", "old.yaml") == 1
    assert "v1.0:./old.yaml:5:40: note: it was here" in capfd.readouterr().out


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize(
    ("given", "code", "message"),
    [
        ("empty", 2, "found no spec there, now or at 'HEAD'"),
        ("specs/none.yaml", 1, "no such file or directory"),
        ("no/a.yaml", 1, "no such file or directory"),
    ],
)
def test_error_no_spec(
    given: str, code: int, message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    Path("empty").mkdir()

    assert run("--against", "HEAD", given) == code
    assert capfd.readouterr().err == f"{given}: error: {message}\n"


@pytest.mark.parametrize(
    ("link", "target", "given"),
    [
        ("specs/link.yaml", "loops.yaml", "specs/link.yaml"),
        ("link", "specs", "link/loops.yaml"),
        ("link", "specs", "link"),
        ("specs/a/link", "..", "specs/a/link/loops.yaml"),
    ],
)
@pytest.mark.parametrize("is_new", [False, True])
def test_links_to_files_and_folders_are_followed(
    *, link: str, target: str, given: str, is_new: bool, repository: None
) -> None:
    del repository
    Path(link).parent.mkdir(exist_ok=True)
    Path(link).symlink_to(target)
    if not is_new:
        commit(".")

    assert run("--against", "HEAD", given) == 0


def test_a_link_is_followed_as_it_was(
    against_head: Callable[[str], list[str]],
) -> None:
    Path("link.yaml").symlink_to("specs/loops.yaml")
    commit(".")
    Path("link.yaml").unlink()
    Path("link.yaml").symlink_to("specs/fusion.yaml")

    assert removed("./link.yaml") in against_head("link.yaml")


def test_a_tree_with_a_link_is_compared(repository: None) -> None:
    del repository
    Path("specs/link.yaml").symlink_to("loops.yaml")
    Path("specs/folder").symlink_to(".")
    commit(".")

    assert run("--against", "HEAD", ".") == 0


def test_an_included_link_is_followed(repository: None) -> None:
    del repository
    Path("shared").mkdir()
    Path("shared/real.yaml").write_text(
        "sharedOptions:\n  o: &o [{name: n, argument: n, type: bool}]\n"
    )
    Path("specs/link").symlink_to("../shared")
    Path("specs/common.yaml").symlink_to("link/real.yaml")
    spec = "include: [common.yaml]\n" + OLD
    Path("specs/loops.yaml").write_text(spec)
    commit(".")

    assert run("--against", "HEAD", "specs/loops.yaml") == 0
