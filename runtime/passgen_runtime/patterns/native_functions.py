"""The functions in Python that patterns call."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from importlib import import_module
from typing import Any, Final, TypeAlias, cast

from passgen_runtime.context import Context
from passgen_runtime.errors import IRError, nearest_note
from passgen_runtime.patterns.rewrite_pattern import PatternError

OWN_FUNCTION: Final = re.compile(r"passgen\.(any|fits|is|make) (.+)")
"""The name of a function of the runtime: what it does, and a kind or a literal."""

_KINDS: Final = {
    kind: re.compile(rf"(?:(?:vector|tensor)<(?:.*x)?)?(?:{element})(?:[>,].*)?")
    for kind, element in {"integer": r"i\d+|index", "float": r"(?:b|t)?f\d\w*"}.items()
}
"""Texts of types that are of a kind, or have elements of it."""

NativeFunction: TypeAlias = Callable[..., Any]

NamedFunctions: TypeAlias = tuple[tuple[str, str | NativeFunction], ...]


@dataclass(frozen=True)
class NativeFunctions:
    """The functions in Python that patterns call."""

    constraints: Mapping[str, NativeFunction]
    """They get what PDL gives them, and return whether it matches."""

    rewrites: Mapping[str, NativeFunction]
    """They get the library's rewriter, and what PDL gives them.

    They return a result, a tuple of several, or `None`.
    """

    result_types: Mapping[str, Sequence[str]]
    """The types of the results of each rewrite, such as `!pdl.attribute`."""

    def results(
        self, name: str, returned: object, classes: Mapping[str, Any]
    ) -> tuple[Any, ...]:
        """Return the results that the rewrite called `name` has returned.

        Args:
            name: of the rewrite.
            returned: its value.
            classes: the classes of results, by type.

        Raises:
            TypeError: there should be more, fewer, or others.
        """
        results = returned if isinstance(returned, tuple) else (returned,)
        if returned is None:
            results = ()
        types = self.result_types.get(name, ())
        is_right = len(results) == len(types) and all(
            isinstance(result, classes[type_])
            for result, type_ in zip(results, types, strict=True)
        )
        if not is_right:
            expected = ", ".join(types) or "nothing"
            message = f"rewrite '{name}' returned {returned!r}, expected {expected}"
            raise TypeError(message)
        return results


def import_functions(functions: NamedFunctions, what: str) -> dict[str, NativeFunction]:
    """Return the functions that are given as `module:function`, or as they are.

    Args:
        functions: by name.
        what: the file that declares them and their kind, for errors.

    Raises:
        PatternError: there is no such function.
    """
    return {
        name: (
            _import(function, f"{what} '{name}'")
            if isinstance(function, str)
            else function
        )
        for name, function in functions
    }


def _import(function: str, subject: str) -> NativeFunction:
    module_name, _, name = function.partition(":")
    try:
        module = import_module(module_name)
    except Exception as error:  # importing may raise anything; it is chained
        message = f"{subject}: '{function}' does not import: {error}"
        raise PatternError(message) from error
    found = getattr(module, name, None)
    if not callable(found):
        notes = nearest_note(name, vars(module))
        message = f"{subject}: '{module_name}' has no function '{name}'"
        raise PatternError("\nnote: ".join((message, *notes)))
    return cast("NativeFunction", found)


def own_functions(context: Context, names: Iterable[str]) -> dict[str, NativeFunction]:
    """Return the functions of the runtime among `names`, for types and literals."""

    @cache
    def attribute(literal: str, type_: str) -> object:
        """Return the attribute, which vectors repeat; `None` if there is none."""
        value = f"dense<{literal}>" if "<" in type_ else literal
        cast = f'"builtin.unrealized_conversion_cast"() {{a = {value} : {type_}}}'
        try:
            module = context.parse(f"%0 = {cast} : () -> i1", "-")
        except IRError:
            return None
        return context.children(module)[0].attributes["a"]

    @lru_cache
    def is_any(kind: str, type_: object) -> bool:
        return _KINDS[kind].fullmatch(str(type_)) is not None

    @lru_cache
    def is_literal(literal: str, found: Any) -> bool:  # noqa: ANN401 - of the library
        type_ = str(getattr(found, "type", "<"))
        return "<" not in type_ and bool(found == attribute(literal, type_))

    functions: dict[str, NativeFunction] = {
        "any": is_any,
        "fits": lambda literal, type_: attribute(literal, str(type_)) is not None,
        "is": is_literal,
        "make": lambda literal, _, type_: attribute(literal, str(type_)),
    }
    matches = {name: OWN_FUNCTION.fullmatch(name) for name in names}
    return {n: partial(functions[f[1]], f[2]) for n, f in matches.items() if f}
