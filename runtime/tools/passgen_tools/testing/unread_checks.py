"""Finds lines of a test that look like checks, and that no checker reads.

    // CHEKC: func.func @f
    // CHECK-NXT: return
    // OLD-NEXT: return          no RUN line has `--check-prefix=OLD`

A comment `// UNREAD: allow` on such a line or above it accepts it, and
`// UNREAD: allow OLD, OLDER` all lines of these prefixes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

from filecheck.ops import OP_KINDS
from filecheck.options import Options
from filecheck.parser import pattern_for_opts

from passgen_rules.suggestions import nearest_name
from passgen_tools.testing.lit_test import KEYWORDS

_DEFAULT: Final = "CHECK"
_SUFFIXES: Final = tuple(kind for kind in OP_KINDS if kind != _DEFAULT)
_SUFFIX: Final = "|".join(_SUFFIXES).replace("COUNT", r"COUNT-\d+")
_WITH_SUFFIX: Final = re.compile(rf"(?P<prefix>.+?)-(?P<suffix>{_SUFFIX})")
_LOOKS_LIKE_CHECK: Final = re.compile(
    r"//+[ \t]*(?P<word>[A-Za-z_][\w.-]*)(?:\{LITERAL\})?(?P<blank>[ \t]*):(?P<rest>.*)"
)
_ALLOW: Final = re.compile(r"//+[ \t]*UNREAD:[ \t]*(?P<text>.*)")
_ALLOWED: Final = re.compile(r"allow(?P<prefixes>\s+[\w-]+(\s*,\s*[\w-]+)*)?")
_LEAST_SIMILAR: Final = 5  # letters: `NOTE` is one edit from `NONE`, and prose
_LEAST_CONTAINED: Final = 4


class Reader(NamedTuple):
    """A checker that reads a test."""

    line: int
    """The line of its RUN line; 0 if that is in another test."""

    options: Options


class Finding(NamedTuple):
    """A fault of a test, with its place."""

    line: int
    column: int
    message: str
    advice: str
    kind: Literal["malformed", "nearly spelt", "no line", "unread"]

    @property
    def is_guess(self) -> bool:
        """Whether a line is only nearly spelt as one that is read."""
        return self.kind == "nearly spelt"

    def at(self, path: object, severity: Literal["error", "warning"]) -> str:
        """Return the finding as a message about the file at `path`."""
        place = f"{path}:{self.line}:{self.column}: {severity}:"
        return f"{place} {self.message}\nnote: {self.advice}"


class _Line(NamedTuple):
    """A line that looks like a check, and that no checker reads."""

    number: int
    column: int
    word: str
    prefix: str
    suffix: str
    blank: str
    """What stands between the word and its colon."""

    is_heading: bool
    """Whether nothing follows the colon, as after a word above some prose."""


@dataclass(slots=True)
class _Allowed:
    """What comments in a test accept."""

    lines: set[int] = field(default_factory=set)
    prefixes: set[str] = field(default_factory=set)


def find_unread(
    text: str, readers: Sequence[Reader], elsewhere: Callable[[], Collection[str]]
) -> list[Finding]:
    """Return the faults of a test by line.

    Args:
        text: the test.
        readers: the checkers that read it.
        elsewhere: returns the prefixes that are read in other tests; it is called if
            the test has a line that only they can tell from prose.
    """
    lines = text.splitlines()
    findings: list[Finding] = []
    prefixes = {each for reader in readers for each in reader.options.check_prefixes}
    allowed = _read_allowed(lines, prefixes, findings)
    unread = [
        line
        for line in _unread_lines(lines, readers)
        if line.number not in allowed.lines and line.prefix not in allowed.prefixes
    ]
    by_prefix: dict[str, list[_Line]] = {}
    for line in unread:
        if right := _right_spelling(line, prefixes):
            message = f"found '{line.word}{line.blank}:', which is not read"
            advice = f"write {right}"
            findings.append(Finding(*line[:2], message, advice, "nearly spelt"))
        elif not line.blank and not line.is_heading:
            by_prefix.setdefault(line.prefix, []).append(line)
    dead = [
        prefix
        for prefix, same in by_prefix.items()
        if _is_check(prefix, same, prefixes) or prefix in elsewhere()
    ]
    findings += [_dead_prefix(each, by_prefix[each], prefixes) for each in dead]
    for reader in readers:
        if reader.line and reader.line not in allowed.lines:
            findings += _prefixes_without_lines(reader, lines, dead)
    return sorted(set(findings))


def _read_allowed(
    lines: Sequence[str], prefixes: Collection[str], findings: list[Finding]
) -> _Allowed:
    """Return what comments accept; malformed ones become findings."""
    allowed = _Allowed()
    for number, line in enumerate(lines, 1):
        comment = _ALLOW.search(line)
        if comment is None or "UNREAD" in prefixes:
            continue
        match = _ALLOWED.fullmatch(comment["text"].strip())
        if match is None:
            column = comment.start() + 1
            message = f"found 'UNREAD: {comment['text'].strip()}'"
            advice = "write 'UNREAD: allow', or 'UNREAD: allow PREFIX, ...'"
            findings.append(Finding(number, column, message, advice, "malformed"))
        elif match["prefixes"]:
            allowed.prefixes |= {*re.split(r"[\s,]+", match["prefixes"].strip())}
        else:
            allowed.lines |= {number, number + 1}
    return allowed


def _unread_lines(lines: Sequence[str], readers: Sequence[Reader]) -> Iterator[_Line]:
    """Yield the lines that look like checks, and that no checker reads."""
    patterns = [pattern_for_opts(reader.options) for reader in readers]
    comments = {each for reader in readers for each in reader.options.comment_prefixes}
    ignored = {*KEYWORDS, "UNREAD"}
    comments |= {"COM"}
    for number, line in enumerate(lines, 1):
        match = _LOOKS_LIKE_CHECK.search(line)
        if match is None or match["word"] in ignored:
            continue
        if match["word"].partition("-")[0] in comments:  # as `COM:` and `COM-CHECK:`
            continue
        if any(check.search(line) for check, _ in patterns):
            continue
        word = match["word"]
        with_suffix = _WITH_SUFFIX.fullmatch(word)
        prefix, suffix = with_suffix.groups() if with_suffix else (word, "")
        is_heading = not match["rest"].strip() and suffix != "EMPTY"
        column = match.start("word") + 1
        blank = match["blank"]
        yield _Line(number, column, word, prefix, suffix, blank, is_heading)


def _directive(prefix: str, suffix: str) -> str:
    return f"'{prefix}-{suffix}:'" if suffix else f"'{prefix}:'"


def _right_spelling(line: _Line, prefixes: Collection[str]) -> str:
    """Return the directive that a line is nearly spelt as; empty if there is none."""
    for prefix in sorted(prefixes, key=len, reverse=True):
        if line.blank and line.prefix == prefix and not line.is_heading:
            return _directive(prefix, line.suffix)
        suffix = _nearly_suffix(line.word, prefix)
        if suffix and (not line.is_heading or suffix == "EMPTY"):
            return _directive(prefix, suffix)
        if (
            not line.suffix
            and not line.blank
            and not line.is_heading
            and _is_one_edit(line.prefix, prefix)
            and not _differ_in_digits(line.prefix, prefix)
        ):
            return _directive(prefix, "")
    return ""


def _nearly_suffix(word: str, prefix: str) -> str:
    """Return the suffix that follows `prefix` in `word`, nearly spelt."""
    if not word.upper().startswith(prefix.upper()):
        return ""
    rest = word[len(prefix) :]
    name = rest.lstrip("-_.")
    if name == "COUNT":
        return "COUNT-2"
    match = re.fullmatch(_SUFFIX, name.upper())
    if match and (rest != name or word.isupper()):  # `Cannot` is no `CAN-NOT`
        return match[0]
    if rest == name:
        return ""
    near = [kind for kind in _SUFFIXES if _distance_is_one(name.upper(), kind)]
    return (nearest_name(name, near) or "").replace("COUNT", "COUNT-2")


def _is_check(prefix: str, lines: Sequence[_Line], prefixes: Collection[str]) -> bool:
    """Return whether the lines of a prefix that no checker reads are no prose."""
    return (
        prefix == _DEFAULT
        or any(line.suffix for line in lines)
        or any(_is_similar(prefix, each) for each in prefixes)
    )


def _dead_prefix(
    prefix: str, lines: Sequence[_Line], prefixes: Collection[str]
) -> Finding:
    """Return the fault that no checker reads the lines of a prefix."""
    first = lines[0]
    more = f" (and {len(lines) - 1} more such lines)" if lines[1:] else ""
    why = "which no RUN line reads" if prefixes else "and no RUN line has a checker"
    flag = "" if prefix == _DEFAULT else f" --check-prefix={prefix}"
    nearest = nearest_name(prefix, prefixes)
    return Finding(
        first.number,
        first.column,
        f"found {_directive(prefix, first.suffix)}{more}, {why}",
        f"write '| filecheck %s{flag}' in a RUN line"
        + (f", or '{nearest}:' here" if nearest else "")
        + f"; '// UNREAD: allow {prefix}' accepts it",
        "unread",
    )


def _prefixes_without_lines(
    reader: Reader, lines: Sequence[str], dead: Collection[str]
) -> Iterator[Finding]:
    """Yield the faults that a test has no line of a prefix that its RUN line names."""
    named = reader.options.check_prefixes
    if named == [_DEFAULT]:
        return  # the checker itself says so
    check, comment = pattern_for_opts(reader.options)
    found = {
        match[2]
        for line in lines
        if (match := check.search(line)) and not comment.search(line)
    }
    for prefix in named:
        if prefix not in found:
            message = f"found --check-prefix={prefix}, and no line '{prefix}: ...'"
            nearest = nearest_name(prefix, dead)
            advice = (
                f"write '{prefix}:' in place of '{nearest}:'"
                if nearest
                else ("write such a line, or remove the prefix from the RUN line")
            )
            yield Finding(reader.line, 1, message, advice, "no line")


def _is_similar(word: str, prefix: str) -> bool:
    """Return whether a word contains a prefix, or is nearly spelt as it."""
    is_part = prefix in re.split("[-_.]", word)
    is_contained = len(prefix) >= _LEAST_CONTAINED and prefix in word
    return is_part or is_contained or _is_one_edit(word, prefix)


def _is_one_edit(word: str, prefix: str) -> bool:
    return len(prefix) >= _LEAST_SIMILAR and _distance_is_one(word, prefix)


def _differ_in_digits(one: str, other: str) -> bool:
    return re.sub(r"\d", "", one) == re.sub(r"\d", "", other)


def _distance_is_one(one: str, other: str) -> bool:
    """Return whether one letter more, less or other, or two exchanged, is all."""
    if abs(len(one) - len(other)) > 1 or one == other:
        return False
    same = 0
    while one[same : same + 1] == other[same : same + 1] != "":
        same += 1
    one, other = one[same:], other[same:]
    return (
        one[1:] == other[1:]
        or one[1:] == other
        or one == other[1:]
        or (one[2:] == other[2:] and one[:2] == other[1::-1])
    )
