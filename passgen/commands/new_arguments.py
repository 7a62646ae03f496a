"""The arguments of `passgen new`: the passes to write."""

from __future__ import annotations

import argparse
import keyword
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from passgen import naming
from passgen.commands.outcome import CommandParser
from passgen.findings import summary_faults
from passgen.model import DEFAULT_IR_LIBRARY, IR_LIBRARIES, OPTION_TYPES
from passgen.passgen_rules.outside_access import suggests_outside_access
from passgen.passgen_rules.suggestions import nearest_name


@dataclass(frozen=True)
class NewOption:
    """The names and the type of an option of the pass to write."""

    name: str
    """In camelCase."""

    type: str

    @property
    def outside_access(self) -> bool:
        """Whether its name suggests that its value is a file or a program."""
        return suggests_outside_access(naming.kebab_case(self.name), self.type)

    @property
    def description(self) -> str:
        """The words of its name, as a sentence."""
        return f"{' '.join(naming.words(self.name)).capitalize()}."


@dataclass(frozen=True)
class NewPass:
    """The names and the summary of the pass to write."""

    name: str
    argument: str
    group: str
    summary: str
    ir: str = DEFAULT_IR_LIBRARY.name
    """The IR library that its implementation is written for."""

    has_lit: bool = False
    """Whether `lit` is to run its test, too."""

    anchor: str = "func.func"
    """The operation that it runs on, or `any`."""

    options: tuple[NewOption, ...] = ()

    dialect: str = ""
    """The dialect that the driver registers, as `module:Name`, if any."""

    @property
    def ir_flag(self) -> str:
        """The flag of drivers that chooses its IR library; empty for the default."""
        return "" if self.ir == NewPass.ir else f"--ir={self.ir}"

    @property
    def has_own_argument(self) -> bool:
        """Whether its argument is not that of its name."""
        return self.argument != naming.pass_argument(self.name)


def default_summary(name: str) -> str:
    """Return the words of a pass `name` as the beginning of a sentence."""
    first, *rest = naming.words(naming.pass_stem(name))
    later = [word if word.isupper() else word.lower() for word in rest]
    return " ".join([first, *later])


_ARGUMENT: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_OPTION: Final = re.compile("[a-z][A-Za-z0-9]*(-[A-Za-z0-9]+)*")
_DIALECT: Final = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*")
_TYPES: Final = [name for name in OPTION_TYPES if name != "enum"]


class _NewArguments(argparse.Namespace):
    names: list[str]
    group: str | None = None
    argument: str | None = None
    summary: str | None = None
    ir: str = NewPass.ir
    lit: bool = False
    anchor: str = NewPass.anchor
    options: list[str] | None = None
    dialect: str = ""
    output: str = "."


def parse(argv: Sequence[str]) -> tuple[list[NewPass], Path]:
    """Return the passes that `argv` asks for, and their folder, or exit."""
    parser = CommandParser("passgen new")
    add = parser.add_argument
    add("names", metavar="NAME", nargs="+", help="a pass, in PascalCase: UnrollLoops")
    add(
        "--group",
        metavar="NAME",
        help="group of the passes, in PascalCase; by default the first NAME",
    )
    add("--argument", help="name in pipelines; by default NAME in kebab case")
    add("--summary", metavar="TEXT", help="effect of the pass, in one line")
    add("--ir", choices=IR_LIBRARIES, help=f"IR of the pass; {NewPass.ir} by default")
    add(
        "--anchor",
        metavar="OP",
        help="operation it runs on, or any; by default func.func",
    )
    add(
        "--option",
        dest="options",
        metavar="NAME:TYPE",
        action="append",
        help=f"an option of the passes, may be repeated; TYPE is {', '.join(_TYPES)}",
    )
    add(
        "--dialect",
        metavar="MODULE:NAME",
        help="a dialect of your own, which the driver registers",
    )
    add("--lit", action="store_true", help="write a lit.cfg.py for the test, too")
    add("-o", dest="output", metavar="DIR", help="folder to write into")
    arguments = parser.parse_args(argv, _NewArguments())
    given = arguments.summary
    names, group = arguments.names, arguments.group or arguments.names[0]
    _check_names(parser, names, group)
    _check_texts(parser, arguments)
    options = _options(parser, arguments.options or ())
    news: list[NewPass] = []
    for name in names:
        summary = (given or default_summary(name)).strip()
        for _, fault in summary_faults(summary):
            parser.error(f"--summary: found '{summary}', which {fault}")
        argument = arguments.argument or naming.pass_argument(name)
        of_name = name, argument, group, summary
        of_all = arguments.ir, arguments.lit, arguments.anchor, options
        news.append(NewPass(*of_name, *of_all, arguments.dialect))
    return news, Path(arguments.output)


def _options(parser: CommandParser, texts: Sequence[str]) -> tuple[NewOption, ...]:
    """Return the options that `texts` declare, or exit with a message."""
    options = tuple(_option(parser, text) for text in texts)
    for name, count in Counter(option.name for option in options).items():
        if count > 1:
            parser.error(f"--option: found '{name}' twice")
    return options


def _option(parser: CommandParser, text: str) -> NewOption:
    """Return the option that `text` declares, or exit with a message."""
    name, _, type_ = text.partition(":")
    if not _OPTION.fullmatch(name) or not type_:
        parser.error(
            f"--option: found '{text}', expected NAME:TYPE, such as 'tileSize:uint32'"
        )
    if type_ not in _TYPES:
        close = nearest_name(type_, _TYPES)
        hint = f"; did you mean '{close}'?" if close else ""
        types = ", ".join(_TYPES)
        parser.error(f"--option: found type '{type_}', expected one of {types}{hint}")
    in_code = naming.pascal_case(name)
    return NewOption(f"{in_code[0].lower()}{in_code[1:]}", type_)


def _check_names(parser: CommandParser, names: Sequence[str], group: str) -> None:
    """Exit with a message if a name cannot be the name of a class."""
    for flag, name in (*(("NAME", name) for name in names), ("--group", group)):
        if not naming.is_pascal_case(name):
            parser.error(
                f"{flag}: found '{name}', expected a name in PascalCase, such as "
                "'UnrollLoops'"
            )
    for name in names:
        if keyword.iskeyword(name):  # None, True, False
            parser.error(
                f"NAME: found '{name}', a word of Python, expected the name of a "
                "class, such as 'UnrollLoops'"
            )
        if names.count(name) > 1:
            parser.error(f"NAME: found '{name}' twice")


def _check_texts(parser: CommandParser, arguments: _NewArguments) -> None:
    """Exit with a message if a text cannot be in a spec."""
    if len(arguments.names) > 1 and (arguments.argument or arguments.summary):
        parser.error("--argument and --summary are for one pass")
    argument, given = arguments.argument, arguments.summary
    if argument is not None and not _ARGUMENT.fullmatch(argument):
        parser.error(
            f"--argument: found '{argument}', expected a name in kebab case, such as "
            "'unroll-loops'"
        )
    if given is not None and not given.isprintable():
        parser.error("--summary takes one line of text")
    if given is not None and not given.strip():
        parser.error("--summary takes one line of text, and it is empty")
    if arguments.dialect and not _DIALECT.fullmatch(arguments.dialect):
        parser.error(
            f"--dialect: found '{arguments.dialect}', expected MODULE:NAME, such as "
            "'my_dialect:MyDialect'"
        )
    if arguments.dialect and not IR_LIBRARIES[arguments.ir].is_python:
        none = f"--ir={arguments.ir} has none of them"
        parser.error(f"--dialect is for xDSL's dialects, and {none}")
    if arguments.anchor != "any" and not naming.is_operation(arguments.anchor):
        parser.error(
            f"--anchor: found '{arguments.anchor}', expected an operation with its "
            "dialect, such as 'func.func', or 'any'"
        )
