"""The code blocks of README and pages, run in order in one folder as a reader would.

A block after the words "in `name`:" is written to that file. Each `$ command` of a
console block is run, and what it prints is compared; a line `...` stands for any lines.
Of the first commands of README and first page, those after `pip install` are run, and
must succeed; the reader stays in the folder to which they lead.
Any other Python block is a program that must succeed, any other YAML block a document.
A page that begins with `<!-- needs: bindings -->` or `<!-- needs: llvm -->` is skipped
where MLIR's bindings or LLVM's tools are missing, unless PASSGEN_REQUIRE_LLVM=1; one
that needs `builds`, where a program of MLIR in C++ cannot be built.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml
from _pytest.mark import ParameterSet
from markdown_it import MarkdownIt
from markdown_it.token import Token

from tests.integrations.example_builds import needs
from tests.llvm_tools import find_prefix, find_system_include, find_tool, missing
from tests.mlir_bindings_needed import require_bindings

ROOT = Path(__file__).parents[2]
_COMMAND = re.compile(r"^\$ (.+)$", re.MULTILINE)
_FILE_NAME = re.compile(r"in `([\w./-]+)`:$")
_NEEDS = re.compile(r"<!-- needs: (\w+) -->\n")
# A reader's environment has the extra `test` and no other plugins, which load slowly.
_READERS_PYTEST = {
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    "PYTEST_PLUGINS": "passgen_tools.testing.pytest_plugin",
}
_TIMEOUT_S = 120
_STARTED_TRULY = "docs/tutorial/xdsl.md"
"""The page that other versions of Python run, too."""


def pages() -> Iterator[ParameterSet]:
    for path in (ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))):
        needed = _NEEDS.match(path.read_text(encoding="utf-8"))
        mark = (
            pytest.mark.process if needed is None else getattr(pytest.mark, needed[1])
        )
        name = path.relative_to(ROOT).as_posix()
        marks = [mark, pytest.mark.start] if name == _STARTED_TRULY else [mark]
        yield pytest.param(path, id=name, marks=marks)


@pytest.mark.slow
@pytest.mark.parametrize("page", list(pages()))
def test_code_blocks(
    page: Path,
    tmp_path: Path,
    golden: Callable[[Path, str], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = page.read_text(encoding="utf-8")
    if needed := _NEEDS.match(text):
        _NEEDED[needed[1]](monkeypatch)

    golden(page, as_run(text, tmp_path))


def need_bindings(_: pytest.MonkeyPatch) -> None:
    for package in ("mlir", "jaxlib.mlir"):
        require_bindings(package)


def need_llvm(environment: pytest.MonkeyPatch) -> None:
    """Let pages say $MLIR_INCLUDE, which is in another place on each system."""
    if find_tool("llvm-tblgen") is None:
        missing("llvm-tblgen")
    include = find_system_include() or missing("the include directory")
    environment.setenv("MLIR_INCLUDE", str(include))


def need_builds(environment: pytest.MonkeyPatch) -> None:
    """Let pages say $MLIR_DIR, as above."""
    needs("cmake", "ninja", "g++")
    prefix = find_prefix() or missing("the headers of MLIR and LLVM, with libMLIR,")
    environment.setenv("MLIR_DIR", str(prefix / "lib" / "cmake" / "mlir"))


_NEEDED = {"bindings": need_bindings, "builds": need_builds, "llvm": need_llvm}


@pytest.mark.process
def test_a_page_shows_what_its_commands_print(tmp_path: Path) -> None:
    page = """\
Write this in `a.txt`:

```text
one
two
```

```console
$ cat a.txt
one
three
$ echo 1; echo 2; echo 3
1
...
3
```
"""
    assert as_run(page, tmp_path) == page.replace("three", "two")


@pytest.mark.process
@pytest.mark.parametrize("block", ["python\n1 / 0", "yaml\na: [", "console\nls"])
def test_a_block_that_cannot_run_is_refused(block: str, tmp_path: Path) -> None:
    with pytest.raises((AssertionError, yaml.YAMLError)):
        as_run(f"```{block}\n```\n", tmp_path)


def as_run(page: str, folder: Path) -> str:
    """Return `page` with what its commands print when a reader runs it in `folder`."""
    lines = page.split("\n")
    for block in reversed(list(run_blocks(page, folder))):
        first, last = block.map or (0, 0)
        margin = " " * (len(lines[first]) - len(lines[first].lstrip(" ")))
        content = block.content.removesuffix("\n").split("\n")
        lines[first + 1 : last - 1] = [f"{margin}{each}".rstrip() for each in content]
    return "\n".join(lines)


def run_blocks(page: str, folder: Path) -> Iterator[Token]:
    """Do what the blocks say; yield console blocks with what was printed as content."""
    lines = page.split("\n")
    for block in MarkdownIt("commonmark").parse(page):
        if block.type != "fence" or not block.map:
            continue
        before = "\n".join(lines[: block.map[0]]).rstrip()
        if block.info == "console":
            block.content = session(block.content, folder)
            yield block
        elif block.info == "sh" and block.content.startswith("pip install . "):
            clone = folder / "passgen"
            clone.mkdir()
            folder = begin(block.content.splitlines()[1:], clone)
        elif named := _FILE_NAME.search(before):
            path = folder / named[1]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.content, encoding="utf-8")
        elif block.info == "python":
            done = run(["python", "-c", block.content], folder)
            assert done.returncode == 0, done.stdout
        elif block.info == "yaml":
            yaml.safe_load(block.content)


def begin(commands: list[str], folder: Path) -> Path:
    """Run `commands` in `folder`; return where the reader is then."""
    for command in commands:
        done = run(["bash", "-c", command], folder)
        assert done.returncode == 0, done.stdout
        if command.startswith("cd "):
            folder /= command.removeprefix("cd ")
    return folder


def session(content: str, folder: Path) -> str:
    """Return a console block's commands, each with what it prints now."""
    head, *pieces = _COMMAND.split(content)
    assert pieces, "a console block has commands after '$ '"
    assert not head, f"a console block begins with a command, not with {head!r}"
    shown = []
    for command, expected in zip(pieces[::2], pieces[1::2], strict=True):
        actual = run(["bash", "-c", command], folder).stdout
        as_expected = matches(actual, expected.removeprefix("\n"))
        shown.append(f"$ {command}\n" + (expected[1:] if as_expected else actual))
    return "".join(shown)


def matches(actual: str, expected: str) -> bool:
    """Return whether `actual` is as `expected`, whose lines `...` are any lines."""
    pattern = "".join(
        r"(?:.*\n)*?" if line == "...\n" else re.escape(line)
        for line in expected.splitlines(keepends=True)
    )
    return re.fullmatch(pattern, actual) is not None


def run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    # A reader's make is not called by another one.
    around = {
        name: value for name, value in os.environ.items() if not name.startswith("MAKE")
    }
    return subprocess.run(
        command,
        cwd=folder,
        env={**around, **_READERS_PYTEST},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=_TIMEOUT_S,
    )
