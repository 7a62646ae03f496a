"""Names that a spec accepts, made of the names in a `.td` file, which may be any text.

A name that a spec accepts stays. Another name is changed to one that is accepted and
unique, and the caller keeps the original as the spelling in C++.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from passgen import naming
from passgen.passgen_rules.outside_access import suggests_outside_access

_CAMEL: Final = re.compile("[a-z][A-Za-z0-9]*")


def _itself(name: str) -> tuple[str]:
    return (name,)


class Names:
    """The names that are taken in one scope."""

    def __init__(self, reserved_names: Iterable[str] = ()) -> None:
        """Begin with names that are taken from the start."""
        self._taken = set(reserved_names)

    def are_free(self, names: Iterable[str]) -> bool:
        """Return whether none of `names` is taken."""
        return self._taken.isdisjoint(names)

    def take(self, wanted: str, keys: Callable[[str], Iterable[str]] = _itself) -> str:
        """Return `wanted`, with a number at the end if one of its keys is taken.

        Args:
            wanted: a name that a spec accepts.
            keys: returns the names that a name defines.
        """
        name, number = wanted, 1
        while not self.are_free(keys(name)):
            number += 1
            name = f"{wanted}{number}"
        self._taken |= set(keys(name))
        return name


def outside_access(argument: str, type_: object) -> dict[str, bool]:
    """Return the entry of an option that seems to reach beyond the IR, or none.

    Args:
        argument: its name in pipelines.
        type_: its `type` or `listOf` in the spec: a name, or spellings per language.
    """
    spelled = type_ if isinstance(type_, str) else "".join(str(type_).split())
    # `std::optional<bool>` is a truth value that may be unset.
    type_name = "bool" if "optional<bool>" in spelled else spelled
    return (
        {"outsideAccess": True} if suggests_outside_access(argument, type_name) else {}
    )


def pass_names(group: str | None) -> Names:
    """Return the names of a generated module before its first pass."""
    own = [] if group is None else [naming.register_group_function(group)]
    return Names([*naming.IMPORTS, *keyword.kwlist, *own])


def pass_name(name: str, names: Names) -> str:
    """Return the pass's name in PascalCase; none of its names in Python clashes."""
    wanted = name
    if not naming.is_pascal_case(name):
        wanted = naming.pascal_case(name)
        if not naming.is_pascal_case(wanted):
            wanted = f"Pass{wanted}"
    return names.take(wanted, _module_names)


def _module_names(name: str) -> tuple[str, ...]:
    return (
        name,
        naming.base_class(name),
        naming.options_class(name),
        naming.create_function(name),
        naming.register_function(name),
    )


def argument(text: str, fallback: str, names: Names) -> str:
    """Return the argument of a pass, unique in `names`."""
    return _argument(text, fallback, names, naming.ARGUMENT_PATTERN)


def option_argument(text: str, fallback: str, names: Names) -> str:
    """Return the argument of an option, unique in `names`."""
    return _argument(text, fallback, names, naming.OPTION_ARGUMENT_PATTERN)


def _argument(text: str, fallback: str, names: Names, pattern: str) -> str:
    wanted = text
    if not re.fullmatch(pattern, text):
        wanted = "-".join(re.findall(pattern, text)).strip("-")
        wanted = wanted or naming.snake_case(fallback).replace("_", "-") or "unnamed"
    return names.take(wanted)


def is_argument(text: str) -> bool:
    """Return whether a spec accepts `text` as an argument of a pass, or in an enum."""
    return re.fullmatch(naming.ARGUMENT_PATTERN, text) is not None


def option_names() -> Names:
    """Return the names of an options class before its first option."""
    return Names([*naming.OPTIONS_MEMBERS, *naming.OPTION_SCOPE, *keyword.kwlist])


def statistic_names() -> Names:
    """Return the names of a pass's base class before its first statistic."""
    return Names([*naming.PASS_MEMBERS, *naming.STATISTIC_SCOPE, *keyword.kwlist])


def member_names(wanted: Sequence[str], names: Names) -> list[str]:
    """Return names of options or statistics in camelCase, unique in Python.

    Names that need no change are taken first.
    """
    forms = [_camel_case(name) for name in wanted]
    is_kept = [
        form == name and names.are_free(_python_names(form))
        for form, name in zip(forms, wanted, strict=True)
    ]
    by_form = sorted(range(len(forms)), key=lambda index: not is_kept[index])
    found = {index: names.take(forms[index], _python_names) for index in by_form}
    return [found[index] for index in range(len(forms))]


def _python_names(name: str) -> tuple[str]:
    return (naming.snake_case(name),)


def _camel_case(name: str) -> str:
    if _CAMEL.fullmatch(name):
        return name
    pascal = naming.pascal_case(name)
    # All capitals of an acronym at the start become small: LLVMTarget, llvmTarget.
    head = re.match("[A-Z]+(?![a-z])|[A-Z]", pascal)
    camel = pascal[: head.end()].lower() + pascal[head.end() :] if head else pascal
    return camel if _CAMEL.fullmatch(camel) else f"x{camel}"


def display_name(text: str, fallback: str, names: Names) -> str:
    """Return the name of a statistic in reports: one line, unique in the pass."""
    return names.take(" ".join(text.split()) or fallback)


def block(text: str) -> str:
    """Return `text` with the line end that a spec drops from texts of several lines."""
    return f"{text}\n" if "\n" in text else text
