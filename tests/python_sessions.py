"""Tests as Python sessions: a `.pycon` file has what is typed and what Python prints.

Each heading, a line that begins with `# `, is the name of a test; what stands above the
first one is typed before each of them. An error is printed as its class and its message.
"""

from __future__ import annotations

import contextlib
import difflib
import doctest
import io
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

_PARSER = doctest.DocTestParser()


def pytest_collect_file(
    file_path: Path, parent: pytest.Collector
) -> pytest.Collector | None:
    if file_path.suffix != ".pycon":
        return None
    return _SessionFile.from_parent(parent, path=file_path)


class _SessionFile(pytest.File):
    def collect(self) -> Iterable[pytest.Item]:
        text = self.path.read_text("utf-8")
        setup, *sections = re.split(r"^(?=# )", text, flags=re.MULTILINE)
        for section in sections:
            name = section.partition("\n")[0].removeprefix("# ")
            yield _Session.from_parent(self, name=name, setup=setup, section=section)


class _Session(pytest.Item):
    def __init__(
        self, *, setup: str, section: str, **node: Any  # noqa: ANN401 - pytest's
    ) -> None:
        super().__init__(**node)
        self.setup_text = setup
        self.section = section

    def runtest(self) -> None:
        expected = self.setup_text + self.section
        actual = _rerun(expected)
        if actual == expected:
            return
        if not self.config.getoption("--update-golden"):
            lines = expected.splitlines(), actual.splitlines()
            diff = difflib.unified_diff(*lines, "expected", "actual", lineterm="")
            text = "\n".join(diff)
            command = f"pytest --update-golden '{self.nodeid}'"
            pytest.fail(f"{text}\n\nTo renew: {command}", pytrace=False)
        if not actual.startswith(self.setup_text):
            pytest.fail(
                "what is typed before each test prints something", pytrace=False
            )
        section = actual.removeprefix(self.setup_text)
        text = self.path.read_text("utf-8").replace(self.section, section)
        self.path.write_text(text, "utf-8")

    def reportinfo(self) -> tuple[Path, int, str]:
        before = self.path.read_text("utf-8").partition(self.section)[0]
        return self.path, before.count("\n"), self.name


def _rerun(text: str) -> str:
    """Return a session with what is printed today."""
    names: dict[str, Any] = {"__name__": "session"}
    examples = _PARSER.get_examples(text)
    printed = [_printed(example, names) for example in examples]
    lines = text.splitlines(keepends=True)
    for example, output in reversed([*zip(examples, printed, strict=True)]):
        begin = example.lineno + example.source.count("\n")
        lines[begin : begin + example.want.count("\n")] = [output]
    return "".join(lines)


def _printed(example: doctest.Example, names: dict[str, Any]) -> str:
    """Return what the interpreter prints for an example, as a file has it."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        try:
            code = compile(example.source, "<session>", "single", dont_inherit=True)
            exec(code, names)  # noqa: S102
        except (Exception, SystemExit) as error:  # noqa: BLE001 - compared
            print(f"{type(error).__name__}: {error}")  # noqa: T201 - captured
    text = output.getvalue()
    if text and not text.endswith("\n"):
        text += "\n"
    text = re.sub(r" at 0x[0-9a-f]+>", " at 0x...>", text)  # addresses of objects
    return re.sub(r"^(?=\n)", "<BLANKLINE>", text, flags=re.MULTILINE)
