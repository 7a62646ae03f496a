"""Link references of one description, kept apart from those of others on the page.

A label is known on a whole page, so two descriptions that both define `[1]` would share
its link. Each gets labels of its own: a suffix, which no reader sees, is put to the
definitions and to the references to them. Text without definitions stays as it is.

    rewrite("See [one][1] and [1].", {"1"}, "x") == "See [one][1 x] and [1][1 x]."
"""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

_LABEL: Final = r"\[(?P<label>(?:[^\[\]\\]|\\.)*)\]"
_PLAIN: Final = r"[^\s()\\]|\\(?:\S|(?!\S))"
_POINTED: Final = r"<(?:[^<>\n\\]|\\[^\n])*>"
_TARGET: Final = (
    rf"(?:{_POINTED}|(?!<)(?:{_PLAIN}|\((?:{_PLAIN}|\((?:{_PLAIN})*\))*\))+)"
)
_TITLE: Final = r"""(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\((?:[^()\\]|\\.)*\))"""
_LINE_BREAK: Final = r"[ \t]*\n?[ \t]*"
_DEFINITION: Final = re.compile(
    rf"{_LABEL}:{_LINE_BREAK}(?P<target>{_TARGET})"
    rf"(?:(?=[ \t\n]){_LINE_BREAK}{_TITLE})?[ \t]*(?:\n|\Z)",
    re.DOTALL,
)
_REFERENCE: Final = re.compile(_LABEL, re.DOTALL)
_INLINE: Final = re.compile(
    rf"\([ \t\n]*(?:{_TARGET}(?:(?=[ \t\n])[ \t\n]*{_TITLE})?)?[ \t\n]*\)", re.DOTALL
)
_POINTED_INLINE: Final = re.compile(
    rf"(?<!\\)\]\([ \t\n]*(?P<target>{_POINTED})"
    rf"(?:(?=[ \t\n])[ \t\n]*{_TITLE})?[ \t\n]*\)",
    re.DOTALL,
)
_MARK: Final = re.compile(
    r"\\.|(?P<run>`+)|<[a-z]+:[^\s<>]*>|(?P<opening>!?\[)|(?P<closing>\])", re.DOTALL
)


def definitions(text: str) -> Iterator[re.Match[str]]:
    """Yield the definitions that the paragraph `text` begins with."""
    position = 0
    while match := _DEFINITION.match(text, position):
        if not match["label"].strip():
            return
        yield match
        position = match.end()


def pointed_targets(text: str) -> dict[int, int]:
    """Return where the `<...>` of the paragraph `text` end that links lead to.

    By where they begin; some of them may be parts of code.
    """
    found = (*definitions(text), *_POINTED_INLINE.finditer(text))
    return {match.start("target"): match.end("target") for match in found}


def normalized(label: str) -> str:
    """Return what two spellings of one label have in common."""
    return " ".join(label.split()).casefold()


def rewrite(text: str, labels: Collection[str], suffix: str) -> str:
    """Return the paragraph `text` with `suffix` at its labels; lines stay lines.

    Args:
        text: inline Markdown, after definitions or not.
        labels: the normalized labels that are defined.
        suffix: what to put to them.
    """
    if not labels:
        return text
    out: list[str] = []
    end = 0
    for match in definitions(text):
        out.append(f"{text[end : match.end('label')]} {suffix}")
        end = match.end("label")
    rest = max((match.end() for match in definitions(text)), default=0)
    out.append(text[end:rest])
    out.append(_rewrite_references(text[rest:], labels, suffix))
    return "".join(out)


def _rewrite_references(text: str, labels: Collection[str], suffix: str) -> str:
    code_ends = _code_ends(text)
    out: list[str] = []
    copied = position = 0
    openings: list[tuple[int, bool]] = []  # the text's start, and whether of an image
    while match := _MARK.search(text, position):
        position = code_ends.get(match.start(), match.end())
        if match["opening"]:
            openings.append((position, match["opening"] == "!["))
        if not match["closing"] or not openings:
            continue
        start, is_image = openings.pop()
        if start < 0:  # inside a link there is no other
            continue
        if inline := _INLINE.match(text, position):
            position = inline.end()
        else:
            label, end = _reference(text, start, match.start())
            if normalized(label) not in labels:
                continue
            out += text[copied:position], f"[{' '.join(label.split())} {suffix}]"
            copied = position = end
        if not is_image:
            openings = [each if each[1] else (-1, False) for each in openings]
    return "".join(out) + text[copied:]


def _reference(text: str, start: int, closing: int) -> tuple[str, int]:
    """Return the label that a link from `start` to its bracket takes, and its end."""
    given = _REFERENCE.match(text, closing + 1)
    end = given.end() if given else closing + 1
    if given and given["label"]:
        return given["label"], end
    own = text[start:closing]
    return (own if _REFERENCE.fullmatch(f"[{own}]") else ""), end


def _code_ends(text: str) -> dict[int, int]:
    """Return where code spans end, by where they could begin."""
    starts: defaultdict[int, list[int]] = defaultdict(list)
    for run in re.finditer("`+", text):
        starts[len(run[0])].append(run.start())
    return {
        start: following + length
        for length, of_length in starts.items()
        for start, following in pairwise(of_length)
    }
