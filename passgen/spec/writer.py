"""Data to readable YAML: plain scalars where possible, blocks for long texts.

This is the inverse of `loader`, which reads the same data again. Keys keep their order.
`Commented` and `Shared` add comments and anchors to values.

    write({"summary": "Unroll loops", "cpp": Commented({"type": "int"}, "not int32_t")})
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from passgen.spec import yaml_scalars

Scalar: TypeAlias = "str | int | float | bool"
Data: TypeAlias = (
    "Scalar | Sequence[Data] | Mapping[str, Data] | Commented | Shared | Alias"
)


@dataclass(frozen=True)
class Commented:
    """A value with a comment at the end of its first line."""

    value: Data
    comment: str


@dataclass(frozen=True)
class Shared:
    """A value with an anchor, for aliases below it."""

    value: Data
    anchor: str


@dataclass(frozen=True)
class Alias:
    """A reference to a shared value above it."""

    anchor: str


_INDENT: Final = "  "
_FLOW_WIDTH: Final = 80
"""The longest list of words, in characters, that is written on one line."""

_PLAIN: Final = re.compile(
    r"""
    (?![-?:,\[\]{}\#&*!|>'"%@`])            # indicators
    (?!---|\.\.\.|<<\Z)
    [^\s\x00-\x1f\x7f]                      # no blank at either end
    (?:[^\n]*[^\s:])?
    """,
    re.VERBOSE,
)
_FLOW_PLAIN: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.+/-]*")
_OTHER_IN_YAML_1_1: Final = re.compile(
    r"y|n|yes|no|on|off|=|[-+]?[0-9][0-9_:.,tz +-]*|[-+]?0b[01_]+", re.IGNORECASE
)
"""Texts that are truth values, numbers or dates in YAML 1.1."""

_UNPRINTABLE: Final = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]"
)
"""Characters that need an escape for YAML 1.2 or PyYAML, or are a line end to it."""


def write(data: Mapping[str, Data], heading: str = "") -> str:
    """Return `data` as a YAML document below the comment lines in `heading`.

    The entries of the mapping `passes`, which are long, are separated by blank lines.
    """
    return heading + "".join(f"{line}\n" for line in _mapping(data, "", ()))


def _mapping(
    data: Mapping[str, Data], margin: str, path: tuple[str, ...]
) -> Iterator[str]:
    for index, (key, value) in enumerate(data.items()):
        if index and path == ("passes",):
            yield ""
        yield from _entry(f"{margin}{yaml_scalar(key)}:", value, margin, (*path, key))


def _entry(head: str, value: Data, margin: str, path: tuple[str, ...]) -> Iterator[str]:
    value, properties, comment = _unwrap(value)
    head += properties
    if isinstance(value, Alias):
        yield f"{head} *{value.anchor}{comment}"
    elif isinstance(value, Mapping):
        if value:
            yield head + comment
            yield from _mapping(value, margin + _INDENT, path)
        else:
            yield f"{head} {{}}{comment}"
    elif _is_list(value):
        flow = _flow(value)
        is_short = flow is not None and len(head) + len(flow) <= _FLOW_WIDTH
        if is_short or not value:
            yield f"{head} {flow}{comment}"
        else:
            yield head + comment
            yield from _sequence(value, margin + _INDENT, path)
    elif isinstance(value, str) and "\n" in value and _is_block(value):
        yield from _block(head, value, margin + _INDENT, comment)
    else:
        yield f"{head} {yaml_scalar(value)}{comment}"


def _unwrap(value: Data) -> tuple[Data, str, str]:
    """Return the wrapped value, its anchor and its comment."""
    anchor = comment = ""
    while isinstance(value, (Commented, Shared)):
        if isinstance(value, Commented):
            comment = f"  # {_UNPRINTABLE.sub('?', ' '.join(value.comment.split()))}"
        else:
            anchor = f" &{value.anchor}"
        value = value.value
    return value, anchor, comment


def _is_list(value: Data) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _sequence(items: Data, margin: str, path: tuple[str, ...]) -> Iterator[str]:
    assert isinstance(items, Sequence)
    for element in items:
        value, properties, comment = _unwrap(element)
        if isinstance(value, Mapping) and value and not properties:
            lines = _mapping(value, margin + _INDENT, (*path, "-"))
            first = next(lines)
            if comment:
                yield f"{margin}#{comment[3:]}"
            yield f"{margin}- {first.removeprefix(margin + _INDENT)}"
            yield from lines
        else:
            yield from _entry(f"{margin}-", element, margin, (*path, "-"))


def _flow(items: Data) -> str | None:
    """Return a list of words on one line, `None` if an item is not a word."""
    assert isinstance(items, Sequence)
    words = []
    for element in items:
        if isinstance(element, Alias):
            words.append(f"*{element.anchor}")
        elif isinstance(element, (int, float)) or (
            isinstance(element, str) and _FLOW_PLAIN.fullmatch(element)
        ):
            words.append(yaml_scalar(element))
        else:
            return None
    return f"[{', '.join(words)}]"


def yaml_scalar(value: Data) -> str:
    """Return a scalar on one line, quoted if its value would change otherwise."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, int):
        return str(value)
    assert isinstance(value, str)
    if _is_plain(value):
        return value
    if _UNPRINTABLE.search(value) or re.search("[\n\t]", value) or "'" in value:
        text = json.dumps(value, ensure_ascii=False)
        return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    return f'"{value}"' if not re.search(r'["\\]', value) else f"'{value}'"


def _float(value: float) -> str:
    """Return a number in the form of YAML 1.1: with point, sign and exponent."""
    mantissa, e, exponent = repr(value).partition("e")
    if not e:
        return mantissa
    point = "" if "." in mantissa else ".0"
    return f"{mantissa}{point}e{int(exponent):+d}"


def _is_plain(text: str) -> bool:
    return (
        _PLAIN.fullmatch(text) is not None
        and ": " not in text
        and " #" not in text
        and "\t" not in text
        and not _UNPRINTABLE.search(text)
        and _is_text(text)
    )


def _is_text(text: str) -> bool:
    if _OTHER_IN_YAML_1_1.fullmatch(text):
        return False
    try:
        return isinstance(yaml_scalars.scalar_value(text), str)
    except ValueError:
        return False


def _is_block(text: str) -> bool:
    # With several line ends, the blank line before the next entry would be text.
    is_fit = not text.endswith("\n\n") and not _UNPRINTABLE.search(text)
    return is_fit and "\n" in text.strip()


def _block(head: str, text: str, margin: str, comment: str) -> Iterator[str]:
    body = text.removesuffix("\n")
    chomping = "" if text.endswith("\n") else "-"
    # The indentation cannot be inferred from a first line that begins with blanks.
    is_odd = body.startswith((" ", "\n", "\t"))
    indicator = str(len(_INDENT)) if is_odd else ""
    yield f"{head} |{indicator}{chomping}{comment}"
    for line in body.split("\n"):
        yield margin + line if line else ""
