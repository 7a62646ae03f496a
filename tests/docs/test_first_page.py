"""README and the first page of the site show one example, and what is made of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from passgen import Options, generate
from passgen.source import SourceFile
from tests.docs.marked_parts import with_part

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
FIRST_PAGE = ROOT / "docs/index.md"
PARTS = {
    "python": ("py", "@dataclass", "\n\n\ndef create"),
    "cpp": ("cpp", "struct CountOpsOptions", "\n#undef"),
    "markdown": ("md", "## `count-ops`", "\n\n### Example"),
}
"""By target: the language of its excerpt, where it begins and before what it ends."""


@pytest.mark.parametrize("page", [README, FIRST_PAGE], ids=["README", "first page"])
def test_what_the_spec_becomes_is_shown(
    page: Path, golden: Callable[[Path, str], None]
) -> None:
    text = page.read_text(encoding="utf-8")
    spec = SourceFile("count_ops.yaml", blocks(text)["count_ops.yaml"])
    for target, (language, begin, end) in PARTS.items():
        [file] = generate([spec], Options(targets=(target,))).files
        excerpt = file.text[file.text.index(begin) :]
        excerpt = excerpt[: excerpt.index(end)]
        text = with_part(text, target, f"```{language}\n{excerpt}\n```")

    golden(page, text)


@pytest.mark.parametrize("page", [README, FIRST_PAGE], ids=["README", "first page"])
def test_they_begin_in_the_folder_of_the_clone(page: Path) -> None:
    # `test_code_blocks.py` runs what follows the installation.
    shown = re.search(r"```sh\n(.*?)```\n", page.read_text("utf-8"), re.DOTALL)

    assert shown
    install, *commands = shown[1].splitlines()
    assert install == "pip install . ./runtime './runtime/tools[xdsl,test]'"
    # The repository stays as it is.
    assert commands == ["passgen new CountOps -o ../count", "cd ../count", "pytest"]


def test_both_show_the_same_example_and_picture() -> None:
    readme, first_page = (
        path.read_text(encoding="utf-8") for path in (README, FIRST_PAGE)
    )

    assert list(blocks(readme)) == [
        "count_ops.yaml",
        "count_ops_impl.py",
        "powers.mlir",
    ]
    assert blocks(readme) == blocks(first_page)
    assert "](docs/_static/pictures/pipeline.svg)" in readme
    assert "](_static/pictures/pipeline.svg)" in first_page


def blocks(page: str) -> dict[str, str]:
    """Return the files that a reader of `page` writes."""
    return dict(re.findall(r"in `([\w.]+)`:\n\n```\w+\n(.*?)```", page, re.DOTALL))
