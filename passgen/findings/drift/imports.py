"""Python objects that specs name, imported in another process, as imports run code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from passgen.probing import ask

Kind: TypeAlias = Literal["class", "form", "function", "option type"]
"""What a spec uses an object as."""


@dataclass(frozen=True)
class Imported:
    """The object that a `module:Name` stands for, as far as it matters here."""

    error: str = ""
    """Why it cannot be imported; empty if it can."""

    bases: Sequence[str] = ()
    """The names of the classes that a class derives from, its own first."""

    types: Sequence[str] = ()
    """The names of the classes that it is an instance of, its own first."""

    is_callable: bool = False

    def why_unfit(self, kind: Kind) -> str:
        """Return why it cannot be used as a `kind`; empty if it can."""
        if self.error:
            return self.error
        fits = {
            "class": bool(self.bases),
            "form": "Form" in self.types,
            "function": self.is_callable,
            "option type": "OptionType" in self.types,
        }
        if fits[kind]:
            return ""
        own = f"the class {self.bases[0]}" if self.bases else ""
        found = own or f"an object of {self.types[0]}"
        return f"it is {found}, expected {_EXPECTED[kind]}"


_EXPECTED: Final[dict[Kind, str]] = {
    "class": "a class",
    "form": "an object of passgen_runtime.Form",
    "function": "a function",
    "option type": "an object of passgen_runtime.OptionType",
}


def import_objects(
    names: Sequence[str], folders: Sequence[Path]
) -> dict[str, Imported]:
    """Import each of `names`, which are `module:Name`.

    A module that ends the process or takes too long is an error of all names in it and
    in its submodules; the other names are imported by a new process.

    Args:
        names: the objects.
        folders: where modules are looked for, after those of the standard library and
            before those that are installed.

    Raises:
        ProbeError: the process that imports cannot be started.
    """
    found: dict[str, Any] = {}
    while waiting := [name for name in dict.fromkeys(names) if name not in found]:
        module, reason = ask(waiting, folders, found)
        if not reason:
            break
        unavailable = {"error": f"importing '{module}' {reason}"}
        within = (f"{module}:", f"{module}.")
        for name in waiting:
            if name.startswith(within):
                found.setdefault(name, unavailable)
    return {name: Imported(**answer) for name, answer in found.items()}
