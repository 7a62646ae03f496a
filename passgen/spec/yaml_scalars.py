"""The values of unquoted scalars by the core schema of YAML 1.2.

PyYAML follows YAML 1.1, where `no` is false, `012` is ten and `1:30` is ninety. In a
spec, `no` is text, `012` is refused, and only `true` and `false` are truth values.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from passgen.spec.located import ScalarValue

SPELLED_NULLS: Final = ("~", "null", "Null", "NULL")
"""The spellings of null, besides an empty value."""

_WORDS: Final[dict[str, bool | None]] = {
    **dict.fromkeys(("", *SPELLED_NULLS)),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INT: Final = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_WITH_ZERO: Final = re.compile(r"[-+]?0[0-9]+")
_FLOAT: Final = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_INFINITY: Final = re.compile(r"[-+]?\.(inf|Inf|INF)")
_NAN: Final = frozenset({".nan", ".NaN", ".NAN"})

_FIRST_CHARACTERS: Final = frozenset(".+-0123456789")
"""The characters that begin numbers: most text is recognized by its first one."""

MAX_NUMBER_LENGTH: Final = 400
"""In characters; no number that an option needs is longer than a double in full."""

_CORE: Final = "tag:yaml.org,2002:"

_TYPES: Final[dict[str, tuple[type, ...]]] = {
    f"{_CORE}null": (type(None),),
    f"{_CORE}bool": (bool,),
    f"{_CORE}int": (int,),
    f"{_CORE}float": (float, int),
}


def scalar_value(text: str) -> ScalarValue:
    """Return the value of the unquoted scalar `text`.

    Raises:
        ValueError: it is a number of more than `MAX_NUMBER_LENGTH` characters, or has a
            zero before it, which makes it octal for other readers.
    """
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _FIRST_CHARACTERS:
        return text
    if _INFINITY.fullmatch(text) or text in _NAN:
        return float(text.replace(".", ""))
    is_int = _INT.fullmatch(text) is not None
    if not is_int and not _FLOAT.fullmatch(text):
        return text
    if len(text) > MAX_NUMBER_LENGTH:
        raise ValueError(f"found a number of {len(text)} characters")
    if _WITH_ZERO.fullmatch(text):
        raise ValueError(
            f"found {text}, which is octal in YAML 1.1 and C++ and decimal in YAML "
            "1.2; write it without the zero or in quotes"
        )
    base = {"0o": 8, "0x": 16}.get(text[:2], 10)
    return int(text, base) if is_int else float(text)


def is_known_tag(tag: str) -> bool:
    """Return whether a scalar may have `tag`."""
    return tag in {"!", f"{_CORE}str", *_TYPES}


def resolve_tagged(tag: str, text: str) -> ScalarValue:
    """Return the value of `text`, written with `tag`, such as `!!str 5`.

    Raises:
        ValueError: `text` is not a value of that type, or is too long a number.
    """
    if tag not in _TYPES:
        return text
    value = scalar_value(text)
    is_bool = isinstance(value, bool)
    if not isinstance(value, _TYPES[tag]) or (is_bool and bool not in _TYPES[tag]):
        raise ValueError(f"{shown_tag(tag)} does not fit '{text}'")
    return value


def shown_tag(tag: str) -> str:
    """Return `tag` as a spec writes it: `!!str`."""
    return "!!" + tag.removeprefix(_CORE) if tag.startswith(_CORE) else tag
