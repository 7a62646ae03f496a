"""Conditions of tests: the Boolean expressions of `lit` over names of features.

REQUIRES: bindings && !(system-windows || system-darwin)
"""

from __future__ import annotations

import platform
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

_TOKEN: Final = re.compile(r"\s*(&&|\|\||[!()]|(?:[\w+.=*-]|\{\{.+?\}\})+)")
_PART: Final = re.compile(r"\{\{(.+?)\}\}")


def system_feature() -> str:
    """Return the feature that names the operating system, as LLVM's tests do."""
    return f"system-{platform.system().lower()}"


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on the features of the place where a test runs."""

    text: str
    _tokens: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> Condition:
        """Return the condition that `text` spells.

        Raises:
            ValueError: it spells none.
        """
        text = text.strip()
        tokens: list[str] = []
        position = 0
        while position < len(text):
            match = _TOKEN.match(text, position)
            if match is None:
                raise ValueError(_unexpected_text(text[position:], text))
            tokens.append(match[1])
            position = match.end()
        condition = cls(text, tuple(tokens))
        condition.holds(())
        return condition

    def holds(self, features: Iterable[str]) -> bool:
        """Return whether the condition holds where there are `features`.

        Raises:
            ValueError: the text is no condition.
        """
        return _Evaluation(self, frozenset(features)).result()


class _Evaluation:
    """Evaluates a condition by recursive descent."""

    def __init__(self, condition: Condition, features: frozenset[str]) -> None:
        self._text = condition.text
        self._rest = list(condition._tokens)  # noqa: SLF001 - same module
        self._features = features

    def result(self) -> bool:
        value = self._any()
        if self._rest:
            raise ValueError(_unexpected_text(self._rest[0], self._text))
        return value

    def _next_is(self, token: str) -> bool:
        if self._rest[:1] != [token]:
            return False
        self._rest.pop(0)
        return True

    def _any(self) -> bool:
        value = self._all()
        while self._next_is("||"):
            value = self._all() or value
        return value

    def _all(self) -> bool:
        value = self._one()
        while self._next_is("&&"):
            value = self._one() and value
        return value

    def _one(self) -> bool:
        if self._next_is("!"):
            return not self._one()
        if self._next_is("("):
            value = self._any()
            if not self._next_is(")"):
                raise ValueError(f"found no ')' that closes '(' in '{self._text}'")
            return value
        if not self._rest or self._rest[0] in {"&&", "||", ")"}:
            found = self._rest[0] if self._rest else "the end"
            raise ValueError(_unexpected_text(found, self._text))
        return self._is_there(self._rest.pop(0))

    def _is_there(self, name: str) -> bool:
        if name in {"*", "true"}:
            return True
        if "{{" not in name:
            return name in self._features
        pieces = _PART.split(name)
        pattern = "".join(
            piece if index % 2 else re.escape(piece)
            for index, piece in enumerate(pieces)
        )
        return any(re.fullmatch(pattern, feature) for feature in self._features)


def _unexpected_text(found: str, text: str) -> str:
    return f"found '{found}' in '{text}', expected the name of a feature"
