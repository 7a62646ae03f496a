"""C++ expressions of option declarations, read as values of a spec.

integer_value("1u", "uint32")    1
enum_values('llvm::cl::values(clEnumValN(Mode::A, "a", "First"))')
                                 (Enumerator("Mode::A", "a", "First"),)

The value of other expressions is `None`: they stay C++.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from passgen.cpp.syntax import Enumerator
from passgen.cpp.types import meaning
from passgen.model import OPTION_TYPES

_TOKEN: Final = re.compile(
    r"""
      (?P<blank>\s+|//[^\n]*|/\*.*?\*/)
    | (?P<raw>R"(?P<delimiter>[^\s()\\]{0,16})\((?P<body>.*?)\)(?P=delimiter)")
    | (?P<string>"(?:\\.|[^"\\\n])*")
    | (?P<number>\.?[0-9](?:[eEpP][+-]|'(?=[0-9A-Za-z])|[0-9A-Za-z_.])*)
    | (?P<name>[A-Za-z_]\w*)
    | (?P<scope>::)
    | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)

_ESCAPE: Final = re.compile(
    r"\\(?:(?P<octal>[0-7]{1,3})|x(?P<hex>[0-9a-fA-F]+)|u(?P<u>[0-9a-fA-F]{4})"
    r"|U(?P<U>[0-9a-fA-F]{8})|(?P<char>.))",
    re.DOTALL,
)
_CHARS: Final = {
    **dict(zip("\\\"'?", "\\\"'?", strict=True)),
    **dict(zip("ntrabfv", "\n\t\r\a\b\f\v", strict=True)),
}
_INTEGER: Final = re.compile(
    r"(?P<sign>[-+]?)\s*(?P<digits>0[xX][0-9a-fA-F]+|0[bB][01]+|[0-9]+)[uUlLzZ]*"
)
_FLOAT: Final = re.compile(
    r"(?P<sign>[-+]?)\s*"
    r"(?P<digits>([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?)[fFlL]?"
)
_LIMIT: Final = re.compile(
    r"(?:::)?std::numeric_limits<(?P<of>[^<>]*)>::(?P<end>max|min|lowest)\(\)"
)
_SUFFIX: Final = re.compile("[uUlLzZ]$")
_CHARACTER: Final = re.compile(r"'((?:\\.[0-9A-Fa-f]*|[^'\\\n]))'")
_STRING: Final = re.compile(
    r"(?:::)?std::string\s*(?:\((?P<inner>.*)\)|\{(?P<braced>.*)\})", re.DOTALL
)
_OPTIONAL: Final = re.compile(r"(?:::)?std::optional<(?P<of>[^<>]*)>")
_COMMENT: Final = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_WRAPPED: Final = re.compile(
    r"(?:static_cast<(?P<cast>[^<>]*)>|(?P<type>[\w:]*))"
    r"\s*(?:\((?P<inner>[^(){}]+)\)|\{(?P<braced>[^(){}]+)\})"
)
"""An expression in brackets, which may be a cast."""


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    """The token as the code has it; the value of a string."""


def _tokens(code: str) -> list[_Token] | None:
    """Return the tokens of `code` without blanks; `None` if a literal is invalid."""
    tokens = []
    for match in _TOKEN.finditer(code):
        kind, text = match.lastgroup or "", match[0]
        if match["raw"] is not None:
            kind, text = "string", match["body"]
        elif kind == "string":
            value = _unescape(text[1:-1])
            if value is None:
                return None
            text = value
        if kind != "blank":
            tokens.append(_Token(kind, text))
    return tokens


def _unescape(text: str) -> str | None:
    try:
        return _ESCAPE.sub(_character, text)
    except (KeyError, ValueError, OverflowError):
        return None


def _character(match: re.Match[str]) -> str:
    if match["char"] is not None:
        return _CHARS[match["char"]]
    if match["octal"] is not None:
        code = int(match["octal"], 8)
    else:
        code = int(match["hex"] or match["u"] or match["U"], 16)
        if match["hex"] is not None and code > 0x7F:  # noqa: PLR2004 - a lone byte
            raise ValueError("a byte of an unknown encoding")
    return chr(code)


def string_value(code: str) -> str | None:
    """Return the value of a string literal, or of adjacent ones, which C++ joins.

    It may be in `std::string(...)` or `std::string{...}`, which may be empty.
    """
    made = _STRING.fullmatch(_COMMENT.sub(" ", code).strip())
    if made:
        code = made["inner"] or made["braced"] or ""
        if not code.strip():
            return ""
    return _join(_tokens(code) or [])


def character_value(code: str) -> str | None:
    """Return the value of a character literal, such as `'.'`."""
    match = _CHARACTER.fullmatch(code.strip())
    value = _unescape(match[1]) if match else None
    return value if value and len(value) == 1 else None


def optional_value(code: str, cpp_type: str) -> tuple[str, str] | None:
    """Return the type and the expression in the `std::optional` that `code` makes.

    The result is `None` if `cpp_type`, the type of the option, is not an optional.
    """
    declared, made = _OPTIONAL.fullmatch(cpp_type.strip()), _OPTIONAL.match(
        code.strip()
    )
    if not (declared and made and made["of"] == declared["of"]):
        return None
    rest = code.strip()[made.end() :].strip()
    is_made = rest[:1] + rest[-1:] in {"()", "{}"} and rest[1:-1].strip()
    return (declared["of"].strip(), rest[1:-1].strip()) if is_made else None


def unwrap(code: str, is_type: Callable[[str], bool]) -> str:
    """Return the expression of a number without comments, brackets and casts around it.

    Args:
        code: the expression.
        is_type: returns whether a type is that of the option, so that a cast to it
            changes nothing.
    """
    code = _COMMENT.sub(" ", code).strip()
    while match := _WRAPPED.fullmatch(code):
        type_ = match["cast"] or match["type"]
        if type_ and not is_type(type_):
            break
        code = (match["inner"] or match["braced"]).strip()
    return code


def integer_value(code: str, type_: str) -> int | None:
    """Return the value of an integer literal, or of a limit of a type.

    Args:
        code: the expression.
        type_: the type of the option in the spec.
    """
    code = code.strip()
    allowed = OPTION_TYPES[type_].integers
    if code.startswith("~"):
        inner = unwrap(code[1:], lambda cast: meaning(cast) == type_)
        # The suffix of a literal makes it another type, whose bits may be fewer.
        has_own_type = inner != code[1:].strip() or not _SUFFIX.search(inner)
        value = _integer(inner) if has_own_type else None
        if value is None:
            return None
        value = allowed.stop - 1 - value if allowed.start == 0 else ~value
        return value if value in allowed else None
    limit = _LIMIT.fullmatch(code)
    value = _limit(limit) if limit else _integer(code)
    if value is None:
        return None
    if allowed.start == 0 and value < 0:
        value += allowed.stop  # as in C++, where -1u is the maximum
    return value if value in allowed else None


def _limit(match: re.Match[str]) -> int | None:
    type_ = meaning(match["of"])
    integers = OPTION_TYPES[type_].integers if type_ else None
    return integers[-1 if match["end"] == "max" else 0] if integers else None


def _integer(code: str) -> int | None:
    match = _INTEGER.fullmatch(code.replace("'", ""))
    if match is None:
        return None
    written = match["digits"]
    if re.fullmatch("0[0-9]+", written):  # octal in C++
        written = f"0o{written[1:]}" if re.fullmatch("[0-7]+", written) else ""
    try:
        value = ast.literal_eval(written)
    except (SyntaxError, ValueError):
        return None
    assert isinstance(value, int)
    return -value if match["sign"] == "-" else value


def float_value(code: str) -> float | None:
    """Return the value of a literal of a finite number."""
    match = _FLOAT.fullmatch(code.strip().replace("'", ""))
    if match is None:
        return None
    value = float(match["sign"] + match["digits"])
    return value if math.isfinite(value) else None


def bool_value(code: str) -> bool | None:
    """Return the value of a boolean, which C++ may write as a number."""
    return {"true": True, "1": True, "false": False, "0": False}.get(code.strip())


def enum_values(flags: str) -> tuple[Enumerator, ...] | None:
    """Return the enumerators of the `cl::values` in `flags`, if they can be read."""
    tokens = _tokens(flags)
    if tokens is None:
        return None
    start = next(
        (
            index
            for index, token in enumerate(tokens[:-1])
            if token == _Token("name", "values") and tokens[index + 1].text == "("
        ),
        None,
    )
    if start is None:
        return None
    arguments = _arguments(tokens, start + 1)
    values = [_enumerator(argument) for argument in arguments or ()]
    found = tuple(value for value in values if value is not None)
    return found if found and len(found) == len(values) else None


_LIST_DEFAULT: Final = re.compile(
    r"(?:::)?(?:llvm::)?cl::list_init\s*<[^(){}]*>\s*"
    r"\(\s*(?:[\w:]*ArrayRef<[^(){}]*>\s*)?\{(?P<elements>.*?)\}\s*\)",
    re.DOTALL,
)


_BRACKETS: Final = "([{}])"
"""The brackets of expressions, where `<` may be a comparison."""


def list_values(flags: str) -> list[str] | None:
    """Return the expressions of the elements of a list's default in `flags`.

    `None` stands for no default, or one that cannot be read.
    """
    matches = [
        _LIST_DEFAULT.fullmatch(element.strip())
        for element in split_parts(flags, _BRACKETS)
    ]
    match = next(filter(None, matches), None)
    if match is None:
        return None
    elements = [
        element.strip() for element in split_parts(match["elements"], _BRACKETS)
    ]
    return elements[:-1] if elements[-1] == "" else elements


def split_parts(code: str, brackets: str = "([{<>}])") -> list[str]:
    """Return the parts of `code` between commas outside `brackets` and literals."""
    opening, closing = brackets[: len(brackets) // 2], brackets[len(brackets) // 2 :]
    parts = [""]
    depth = 0
    for match in _TOKEN.finditer(code):
        text = match[0]
        if match.lastgroup == "other":
            depth += (text in opening) - (text in closing)
        if text == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += text
    return parts


def _arguments(tokens: list[_Token], start: int) -> list[list[_Token]] | None:
    """Return the arguments in the parentheses that open at `start`."""
    arguments: list[list[_Token]] = [[]]
    depth = 0
    for token in tokens[start:]:
        if token.kind == "other" and token.text in "([{":
            depth += 1
            if depth == 1:
                continue
        elif token.kind == "other" and token.text in ")]}":
            depth -= 1
            if depth == 0:
                return arguments if arguments[-1] else arguments[:-1]
        if depth == 1 and token == _Token("other", ","):
            arguments.append([])
        else:
            arguments[-1].append(token)
    return None


def _enumerator(tokens: list[_Token]) -> Enumerator | None:
    head = "".join(token.text for token in tokens[:1])
    arguments = _arguments(tokens, 1) if len(tokens) > 1 else None
    if arguments is None:
        return None
    name = "".join(token.text for token in arguments[0]) if arguments else ""
    texts = [_join(argument) for argument in arguments[1:]]
    if head == "clEnumValN" and len(texts) == 2:  # noqa: PLR2004 - text, description
        text, description = texts
    elif head == "clEnumVal" and len(texts) == 1:
        text, description = name, texts[0]
    else:
        return None
    if text is None or description is None:
        return None
    return Enumerator(name, text, description)


def _join(tokens: list[_Token]) -> str | None:
    if not tokens or any(token.kind != "string" for token in tokens):
        return None
    return "".join(token.text for token in tokens)
