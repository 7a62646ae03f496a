"""Parts of pages that tests write: from `<!-- NAME -->` to `<!-- end -->`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def with_part(page: str, name: str, text: str) -> str:
    """Return `page` with `text` as the part `name`."""
    before, begin, rest = page.partition(f"<!-- {name} -->\n")
    _, end, after = rest.partition("<!-- end -->")
    assert begin, f"the page has a mark <!-- {name} -->"
    assert end, f"the part {name} has an end"
    return f"{before}{begin}\n{text}\n\n{end}{after}"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table."""
    first, *rest = (f"| {' | '.join(line)} |" for line in (head, *rows))
    return "\n".join((first, f"|{'---|' * len(head)}", *rest))
