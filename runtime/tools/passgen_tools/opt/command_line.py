"""Command lines in LLVM's manner: one dash or two, values after `=`, passes as flags.

A flag is written `-name` or `--name`. Its value follows a `=`; where a value is
required, it may be the next argument. If a flag is given again, the last value holds.
An argument that is no flag of the program may be a pass: those are kept in their order,
as written. Messages are those of llvm/lib/Support/CommandLine.cpp.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Generic, Literal, Self, TypeVar, overload

from passgen_rules.suggestions import nearest_name
from passgen_runtime.errors import clip
from passgen_runtime.pass_options import parse_bool

ValueKind = Literal[
    "none", "boolean", "required", "optional", "uint", "long", "floating point"
]

# No flag needs more digits, and Python refuses to convert thousands of them.
_NUMBERS: Final[Mapping[str, str]] = {
    "uint": r"\d{1,20}",
    "long": r"-?\d{1,20}",
    "floating point": r"\d{1,20}(\.\d{1,20})?",
}


class UsageError(Exception):
    """An error in the command line; its text has a line for each note."""


T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Flag(Generic[T_co]):
    """A flag of a program: its names, its value and its help.

    An instance of a `Flags` subclass has the value as an attribute.
    """

    name: str
    help: str
    value: ValueKind = "none"
    """`boolean`: `--f`, `--f=false`. `optional`: `--f` stands for the first choice.

    `uint`, `long` and `floating point` are required numbers, as LLVM's messages call
    them.
    """

    metavar: str = ""
    choices: tuple[str, ...] = ()
    more_names: tuple[str, ...] = ()
    default: Any = None
    """The value if the flag is not given; the help shows it unless it is `None`."""

    bare: str = ""
    """The value of a plain `--f`, if the value is optional and may be any text."""

    is_list: bool = False
    """Whether a value is a list, to which the flag adds when it is given again."""

    destination: str = ""
    """The kind of file that the value names, e.g. `record`; empty for no file."""

    is_record: bool = False
    """Whether the file is a record, beside which SQLite writes further files."""

    is_folder: bool = False
    """Whether the value names a folder, in which files are replaced."""

    refuses_empty: bool = False
    """Whether an empty text is an error: mostly a variable that is unset."""

    source: Callable[[str], str] | None = None
    """Returns the file that the flag reads, from its value; `None` if it reads none."""

    convert: Callable[[Any], Any] = lambda value: value
    """Converts the value of the command line to that of the attribute."""

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...
    @overload
    def __get__(self, instance: Flags, owner: type) -> T_co: ...
    def __get__(self, instance: Flags | None, owner: type) -> Self | T_co:
        """Return the value for `instance`, or the flag itself for its class.

        A flag that the program lacks has its default.
        """
        if instance is None:
            return self
        value: T_co = self.convert(instance.line.values.get(self.name, self.default))
        return value

    @property
    def aliases(self) -> tuple[str, ...]:
        """Its other names; a flag of `mlir-opt` may be given without its `mlir-`."""
        if not self.name.startswith("mlir-"):
            return self.more_names
        return (self.name.removeprefix("mlir-"), *self.more_names)

    @property
    def spelling(self) -> str:
        """The flag as help texts show it, e.g. `--verify-each[=BOOL]`.

        The name without `mlir-` is not shown.
        """
        booleans = ("BOOL",) if self.value == "boolean" else ()
        shown = "|".join((*booleans, *self.choices)) or self.metavar
        names = ", ".join(map(dash, (self.name, *self.more_names)))
        if self.value == "none":
            return names
        return f"{names}={shown}" if self.requires_value else f"{names}[={shown}]"

    @property
    def requires_value(self) -> bool:
        """Whether the next argument is the value where there is no `=`."""
        return self.value in {"required", *_NUMBERS}

    def read(self, text: str | None) -> object:
        """Return the value that `text` spells; `None` if there is no `=`.

        Raises:
            UsageError: the flag takes no such value.
        """
        if self.refuses_empty and not text:
            raise self.error("requires a value!", f"'{dash(self.name)}=' has none")
        if self.value == "none":
            if text is not None:
                raise self.error(f"does not allow a value! '{text}' specified.")
            return True
        if self.value == "boolean" and text not in self.choices:
            try:
                return parse_bool(text or "")
            except ValueError as error:
                raise self.error(str(error)) from None
        if self.value in _NUMBERS:
            return self._read_number(text or "")
        if (self.destination or self.is_folder) and text not in {None, "", "-"}:
            # At once: passes may change the folder of the process.
            return str(Path(text or "").absolute())
        if text is None:
            assert self.value == "optional"
            return self.choices[0] if self.choices else self.bare
        if self.choices and text not in self.choices:
            raise self.error(
                f"Cannot find option named '{text}'!",
                f"valid values are {', '.join(self.choices)}",
            )
        return text

    def _read_number(self, text: str) -> int | float:
        if re.fullmatch(_NUMBERS[self.value], text, re.ASCII) is None:
            raise self.error(clip(f"'{text}' value invalid for {self.value} argument!"))
        return float(text) if "." in text else int(text)

    def error(self, message: str, *notes: str) -> UsageError:
        """Return the error about a value of the flag, worded as LLVM words it."""
        lines = (f"for the {dash(self.name)} option: {message}", *notes)
        return UsageError("\n".join(lines))


def switch(name: str, help_: str, *, default: bool | None = None) -> Flag[bool]:
    """Return a flag that is on or off: `--f`, `--f=false`."""
    return Flag(name, help_, "boolean", default=default, convert=bool)


def optional_switch(name: str, help_: str) -> Flag[bool | None]:
    """Return a flag that is on, off or not given."""
    return Flag(name, help_, "boolean")


def question(name: str, help_: str, *, aliases: tuple[str, ...] = ()) -> Flag[bool]:
    """Return a flag without a value, which the program answers."""
    return Flag(name, help_, more_names=aliases, convert=bool)


def text(  # noqa: PLR0913 - the last three are named
    name: str,
    help_: str,
    metavar: str,
    *,
    aliases: tuple[str, ...] = (),
    choices: tuple[str, ...] = (),
    keeps_empty: bool = False,
) -> Flag[str | None]:
    """Return a flag with a text, which may be empty if it `keeps_empty`."""
    flag: Flag[str | None] = Flag(name, help_, "required", metavar, choices, aliases)
    return replace(flag, refuses_empty=not keeps_empty)


def text_with_default(
    name: str, help_: str, metavar: str, *, default: str
) -> Flag[str]:
    """Return a flag with a text, whose default the help shows."""
    return Flag(name, help_, "required", metavar, default=default)


def names(name: str, help_: str, metavar: str) -> Flag[tuple[str, ...]]:
    """Return a flag with a list of names."""
    flag: Flag[tuple[str, ...]] = Flag(name, help_, "required", metavar, is_list=True)
    return replace(flag, convert=lambda value: value or ())


def number(name: str, help_: str, metavar: str) -> Flag[int]:
    """Return a flag with a number that is not negative; 0 if it is not given."""
    return Flag(name, help_, "uint", metavar, default=0)


def seconds(name: str, help_: str) -> Flag[float]:
    """Return a flag with a time, which may have a fraction; 0 if it is not given."""
    return Flag(name, help_, "floating point", "SECONDS", default=0)


def destination(name: str, help_: str, what: str) -> Flag[str | None]:
    """Return a flag with the name of the file to which `what` is written."""
    return replace(text(name, help_, "FILE"), destination=what)


def source(
    name: str, help_: str, metavar: str, path_in: Callable[[str], str] = str
) -> Flag[str | None]:
    """Return a flag with the name of a file that is read, which `path_in` returns."""
    return replace(text(name, help_, metavar), source=path_in)


def optional_number(
    name: str, help_: str, *, value: ValueKind = "uint"
) -> Flag[int | None]:
    """Return a flag with a number."""
    return Flag(name, help_, value, "N")


def choice(  # noqa: PLR0913 - all but the first two are named
    name: str,
    help_: str,
    *,
    choices: tuple[str, ...] = (),
    default: str | None = None,
    value: ValueKind = "required",
    metavar: str = "",
    bare: str = "",
) -> Flag[Any]:
    """Return a flag with one of `choices`; see the fields of `Flag`."""
    return Flag(name, help_, value, metavar, choices, default=default, bare=bare)


@dataclass(slots=True)
class CommandLine:
    """A parsed command line: values by flag, passes in order, other arguments."""

    program: str
    """The name of the program, for its messages."""

    flags: tuple[Flag[Any], ...]
    """All flags of the program, also those that were not given."""

    values: dict[str, Any]
    given: set[str] = field(default_factory=set)
    """The flags that were given; the values of the others are their defaults."""

    passes: list[str] = field(default_factory=list)
    """Other arguments with a dash, e.g. `--affine-loop-unroll=unroll-factor=4`."""

    positional: list[str] = field(default_factory=list)

    def spell(self, flag: str) -> str:
        """Return the argument that gives the flag its value."""
        value = self.values[flag]
        if isinstance(value, bool):
            value = str(value).lower()
        return f"--{flag}={','.join(value) if isinstance(value, tuple) else value}"


class Flags:
    """Flags that a subclass declares as attributes, with the values of one line."""

    def __init__(self, line: CommandLine) -> None:
        """Read the values of `line`."""
        self.line = line

    @classmethod
    def declarations(cls) -> tuple[Flag[Any], ...]:
        """Return the flags in their order, those of base classes first."""
        found = {
            attribute: flag
            for base in reversed(cls.__mro__)
            for attribute, flag in vars(base).items()
            if isinstance(flag, Flag)
        }
        return tuple(found.values())

    def with_values(self, values: Mapping[str, object]) -> Self:
        """Return an object for a line in which flags, by name, have other values."""
        return type(self)(replace(self.line, values={**self.line.values, **values}))


def parse_command_line(
    program: str, arguments: Sequence[str], flags: Iterable[Flag[Any]]
) -> CommandLine:
    """Parse the `arguments` of `program`.

    An argument that is none of `flags` may be a pass. The passes are not known yet,
    because they depend on the flags.

    Raises:
        UsageError: a value is wrong or missing.
    """
    flags = tuple(flags)
    by_name = flag_names(flags)
    found = CommandLine(program, flags, {flag.name: flag.default for flag in flags})
    pending = list(reversed(arguments))
    while pending:
        argument = pending.pop()
        if argument == "--":
            found.positional += reversed(pending)
            break
        dashes = len(argument) - len(argument.lstrip("-"))
        if dashes == 0 or dashes == len(argument):
            found.positional.append(argument)
            continue
        name, equals, text = argument[dashes:].partition("=")
        flag = by_name.get(name)
        if flag is None or dashes > len("--"):
            found.passes.append(argument)
            continue
        if flag.requires_value and not equals:
            if not pending:
                raise flag.error("requires a value!")
            text, equals = pending.pop(), "="
        value = flag.read(text if equals else None)
        if flag.is_list:
            value = (*(found.values[flag.name] or ()), *str(value).split(","))
        found.values[flag.name] = value
        found.given.add(flag.name)
    return found


def unknown_flag(
    line: CommandLine, argument: str, passes: Iterable[str], reason: str | None
) -> UsageError:
    """Return the error about an argument that is neither a flag nor a pass.

    Args:
        line: with the flags of the program.
        argument: as given.
        passes: the names of all passes, which it may be meant to be.
        reason: why the program does not have this flag of `mlir-opt`, if it is one.
    """
    name = argument.lstrip("-").partition("=")[0]
    if reason is not None:
        return UsageError(f"{dash(name)} is not supported: {reason}")
    error = f"Unknown command line argument '{argument}'.  Try: '{line.program} --help'"
    arguments = tuple(passes)
    if not arguments:
        error += "\nNo pass is registered: the driver registers none"
    nearest = nearest_name(name, (*flag_names(line.flags), *arguments))
    if nearest is None:
        return UsageError(error)
    return UsageError(f"{error}\nDid you mean '{dash(nearest)}'?")


def flag_names(flags: Iterable[Flag[Any]]) -> dict[str, Flag[Any]]:
    """Return `flags` by all of their names."""
    return {name: flag for flag in flags for name in (flag.name, *flag.aliases)}


def dash(name: str) -> str:
    """Return a flag's name as help texts show it: one dash before a single letter."""
    return f"-{name}" if len(name) == 1 else f"--{name}"
