"""Patterns that are shown as the IR before and after them, written as PDL."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from textwrap import indent
from typing import Any, Final

from passgen_runtime.context import Context, Operation
from passgen_runtime.errors import IRError
from passgen_runtime.patterns.applier import PatternApplier
from passgen_runtime.patterns.pdl import pattern_error
from passgen_runtime.patterns.rewrite_pattern import PatternError, RewritePattern
from passgen_runtime.patterns.rewrite_pattern import PatternVariable as Variable

_VALUE: Final = re.compile(r"%[\w$.-]+")
_DEFINITION: Final = re.compile(r"^\s*((?:%[\w$.-]+[\s,]*)+)=(?!=)", re.MULTILINE)
_ALIAS: Final = re.compile(r"^(\s*%[\w$.-]+\s*=\s*)(%[\w$.-]+)[ \t]*$", re.MULTILINE)
_TOKEN: Final = re.compile(
    r'"(?:[^"\\\n]|\\.)*"|(?P<comment>//.*)'
    r"|%(?P<pack>[\w$.-]+)(?::(?P<size>\d\d?)\b|#(?P<at>\d+))"
    r"|[%@^#][\w$.-]+|[A-Za-z_][\w$.]*|[\w?*\]]+|\$(?P<variable>\w+)"
)
"""A variable, results as `%r:2` and `%r#0`, or what may have a `$` that is text."""

_TYPES: Final = re.compile(
    r"prior uses: '(.*)' vs '(.*)'"
    r"|used with type (.*), but has been previously used or defined with type (.*)"
)
"""The two types of a value in errors of MLIR, and of xDSL."""

_PLACE: Final = re.compile(r":(\d+):(\d+)$")
_COMPOSITE: Final = re.compile(r"dense|.*[\[({]")
_CAST: Final = "builtin.unrealized_conversion_cast"


def choices(pattern: RewritePattern) -> Iterator[dict[str, str]]:
    """Yield the first examples of the variables, with each choice of listed types."""
    names = [variable.name for variable in pattern.variables]
    lists = [known.examples[: known.is_open or None] for known in pattern.variables]
    return (dict(zip(names, texts, strict=True)) for texts in product(*lists))


def fill(text: str, values: Mapping[str, str]) -> str:
    """Return `text` without comments, with `values`, and `%r, %_r.1` for `%r:2`."""

    def value_of(found: re.Match[str]) -> str:
        if pack := found["pack"]:
            numbers = range(int(found["size"])) if found["size"] else [int(found["at"])]
            return ", ".join(f"%_{pack}.{n}" if n else f"%{pack}" for n in numbers)
        text = "" if found["comment"] else found[0]
        return values.get(found["variable"], text)

    return _TOKEN.sub(value_of, text)


def written_patterns(
    context: Context,
    library: type[PatternApplier],
    pattern: RewritePattern,
    line_end: str = " ",
) -> Iterator[RewritePattern]:
    """Yield `pattern` with PDL, once for each choice of listed types.

    By default, the PDL is one line, so that its place is that of `before`.

    Raises:
        IRError: `before` or `after` does not parse, or does not verify.
        PatternError: they show no pattern.
    """
    if pattern.pdl:
        yield pattern
        return
    for values in choices(pattern):
        pdl = _PDLWriter(context, library, pattern, values).write()
        yield replace(pattern, pdl=pdl.replace("\n", line_end))


class ExampleIR:
    """`before` or `after`, parsed; lines `%0 = %x` become casts."""

    def __init__(
        self,
        context: Context,
        pattern: RewritePattern,
        values: Mapping[str, str],
        known: Mapping[str, str] | None = None,
    ) -> None:
        """Parse `before`, or `after` if the types of `known` values are given.

        The types of values that it does not define are found by mistakes: an unknown
        one is said to be `none`, and the parser tells what it expects.

        Raises:
            IRError: it does not parse, or does not verify.
        """
        text, line, column = pattern.before, pattern.line, pattern.column
        if known is not None:
            text, line, column = pattern.after, pattern.after_line, pattern.after_column
        self.place = f"{pattern.file}:{line}:{column}"
        text = indent(fill(text, values), " " * (column - 1))
        types = dict(known or {})
        defined = _VALUE.findall(" ".join(_DEFINITION.findall(text)))
        used = [name for name in _VALUE.findall(text) if name not in defined]
        self.free = [*dict.fromkeys(n for n in used if known is None or n in known)]
        while True:
            lines = ["" for _ in range(line - 2)]
            lines.append(_cast(self.free, types))
            lines += _ALIAS.sub(lambda found: _alias(found, types), text).split("\n")
            try:
                self._module = context.parse("\n".join(lines), pattern.file)
                context.verify(self._module)
                break
            except IRError as error:
                name = _VALUE.match(_line_around(error.diagnostic.location, lines)[1])
                found = _TYPES.search(str(error))
                if name is None or found is None or name[0] in types:
                    raise
                types[name[0]] = ({*found.groups()} - {None, "none"}).pop()
        operations = list(context.children(self._module))
        self.operations = operations[bool(self.free) :]
        self.names: dict[Any, str] = {}
        """The names of values."""

        for operation in operations:
            before, _ = _line_around(context.location(operation), lines)
            results = list(operation.results)
            names = _VALUE.findall(before)[-len(results) :]
            self.names.update(zip(results, names, strict=False))
        self.types = {name: str(value.type) for value, name in self.names.items()}


def _cast(names: Sequence[str], types: Mapping[str, str]) -> str:
    """Return an operation that defines values."""
    listed = ", ".join(types.get(name, "none") for name in names)
    return f'{", ".join(names)} = "{_CAST}"() : () -> ({listed})' if names else ""


def _alias(found: re.Match[str], types: Mapping[str, str]) -> str:
    type_ = types.get(found[2], "none")
    return f'{found[1]}"{_CAST}"({found[2]}) : ({type_}) -> {type_}'


def _line_around(place: str, lines: Sequence[str]) -> tuple[str, str]:
    """Return the line of `place`, before it and after it."""
    found = _PLACE.search(place)
    line, column = map(int, found.groups()) if found else (1, 1)
    return lines[line - 1][: column - 1], lines[line - 1][column - 1 :]


@dataclass(slots=True)
class _PDLWriter:
    """Writes the PDL of a pattern.

    The texts are parsed once more for each open variable, with another example of it:
    what differs is the variable. So the parts of IR are sequences: as the first
    examples make them, and as the others do.
    """

    context: Context
    library: type[PatternApplier]
    pattern: RewritePattern
    choice: Mapping[str, str]
    """The first examples of variables."""

    place: str = ""
    lines: list[str] = field(default_factory=list)
    end_of_match: int = 0
    """The number of lines above the rewrite, once it begins."""

    values: dict[str | None, str] = field(default_factory=dict)
    """PDL of values by name, of types by text, and of what is called `$variable`."""

    texts: dict[str, Sequence[str]] = field(default_factory=dict)
    """What the attributes stand for that are called `$variable`."""

    @property
    def _open(self) -> list[Variable]:
        return [variable for variable in self.pattern.variables if variable.is_open]

    def write(self) -> str:
        """Return the PDL."""
        others = ({**self.choice, free.name: free.examples[1]} for free in self._open)
        pairs = (self._parse(values) for values in (self.choice, *others))
        befores, afters = zip(*pairs, strict=True)
        before, after = befores[0], afters[0]
        for name in before.free:
            type_ = self._type([parsed.types[name] for parsed in befores])
            self.values[name] = self._define(name[1:], f"pdl.operand : {type_}")
        for operations in zip(*(parsed.operations for parsed in befores), strict=True):
            root = self._operation(operations, before.names)
        self.end_of_match = len(self.lines)
        self.lines.append(f"pdl.rewrite {root} {{")
        results = [before.names[result] for result in before.operations[-1].results]
        for name in results:
            del self.values[name]
        for operations in zip(*(parsed.operations for parsed in afters), strict=True):
            self._operation(operations, after.names)
        values = [self._value(name) for name in results]
        replacement = f"pdl.replace {root} with ({_list_typed(values, 'value')})"
        self.lines.append(replacement if values else f"pdl.erase {root}")
        for variable in self._open:
            if f"${variable.name}" not in self.values:
                raise self._refusal(f"'${variable.name}', by which no part differs")
        header = f"pdl.pattern : benefit({self.pattern.benefit}) {{"
        at = self.end_of_match + 1
        lines = *self.lines[:at], *(f"  {line}" for line in self.lines[at:]), "}"
        body = indent("\n".join(lines), "  ")
        return f"{header}\n{body}\n}}"

    def _parse(self, values: Mapping[str, str]) -> tuple[ExampleIR, ExampleIR]:
        """Return both texts, parsed, after a check that the root alone is replaced."""
        before = ExampleIR(self.context, self.pattern, values)
        self.place = before.place
        if not before.operations:
            raise self._error("there is no operation 'before' it")
        *others, root = before.operations
        used = {*root.operands}
        for operation in reversed(others):
            self.place = self.context.location(operation)
            if used.isdisjoint(operation.results):
                raise self._refusal("an operation that the last one does not use")
            used.update(operation.operands)
        replaced = {before.names.get(old, ""): str(old.type) for old in root.results}
        known = {name: before.types[name] for name in before.types.keys() - replaced}
        after = ExampleIR(self.context, self.pattern, values, known)
        again = before.types.keys() & after.types.keys() - {*after.free}
        if {name: after.types[name] for name in again} != replaced:
            self.place = after.place
            wanted = ", ".join(f"{name} : {replaced[name]}" for name in replaced)
            message = (
                "'after' must define the results of the last operation of 'before'"
            )
            note = "and no other value of it again"
            raise self._error(f"{message} ({wanted or 'none'}), {note}")
        return before, after

    def _operation(
        self, operations: Sequence[Operation], names: Mapping[object, str]
    ) -> str:
        """Write an operation, whose values have `names`."""
        first, name = operations[0], self.context.name(operations[0])
        self.place = self.context.location(first)
        if len(first.regions) or len(first.successors):
            raise self._refusal("an operation with regions or successors")
        operands = [self._value(names.get(value, "")) for value in first.operands]
        if self.end_of_match and name == _CAST and len(operands) == 1:
            self.values[names[first.results[0]]] = operands[0]
            return ""
        readings = [self.library.attributes(operation) for operation in operations]
        attributes = []
        for key in sorted(readings[0]):
            texts = [reading.get(key, "") for reading in readings]
            if len({*texts}) > 1 or not self._has_default(first, readings[0], key):
                attributes.append(f'"{key}" = {self._attribute(key, texts)}')
        results = zip(*(parsed.results for parsed in operations), strict=True)
        types = [self._type([str(value.type) for value in same]) for same in results]
        text = f'pdl.operation "{name}"'
        text += f" ({_list_typed(operands, 'value')})" if operands else ""
        text += f" {{{', '.join(attributes)}}}" if attributes else ""
        text += f" -> ({_list_typed(types, 'type')})" if types else ""
        found = self._define(name.rpartition(".")[2], text)
        for number, result in enumerate(first.results):
            self.values[names.get(result)] = f"{number} of {found}"
        return found

    def _has_default(
        self, operation: Operation, attributes: Mapping[str, str], name: str
    ) -> bool:
        """Return whether the library gives the attribute if it is left out.

        Both libraries give `arith.addi` its `overflowFlags`, printed or not.
        """
        types = {
            f"%{at}": str(value.type) for at, value in enumerate(operation.operands)
        }
        listed = ", ".join(f'"{k}" = {attributes[k]}' for k in attributes if k != name)
        text = f'"{self.context.name(operation)}"({", ".join(types)}) {{{listed}}}'
        results = ", ".join(str(result.type) for result in operation.results)
        text += f" : ({', '.join(types.values())}) -> ({results})"
        try:
            module = self.context.parse(f"{_cast([*types], types)}\n{text}", "-")
        except IRError:
            return False
        *_, parsed = self.context.children(module)
        return self.library.attributes(parsed).get(name) == attributes[name]

    def _value(self, name: str) -> str:
        found = self.values.get(name)
        if found is None:
            raise self._refusal("the use of a value before its definition")
        # MLIR needs a `pdl.result` for each use.
        is_result = found[0] != "%"
        return self._define("value", f"pdl.result {found}") if is_result else found

    def _type(self, texts: Sequence[str]) -> str:
        variable = self._variable(texts)
        if variable is None:
            return self._find_or_define(texts[0], "type", f"pdl.type : {texts[0]}")
        key = f"${variable.name}"
        if variable.is_attribute or texts[0] != variable.examples[0]:
            raise self._refusal(f"'{key}' as a part of {texts[0]}")
        if key not in self.values and self.end_of_match:
            raise self._refusal(f"'{key}' in 'after' alone")
        if key not in self.values and variable.any != "type":
            value = self._find_or_define(key, variable.name, "pdl.type")
            self._constrain(f'"passgen.any {variable.any}" ({value} : !pdl.type)')
        return self._find_or_define(key, variable.name, "pdl.type")

    def _attribute(self, name: str, texts: Sequence[str]) -> str:
        if len({*texts}) == 1:
            return self._define(name, f"pdl.attribute = {texts[0]}")
        parts = [text.partition(" : ") for text in texts]
        literal, variable = parts[0][0], self._variable([part[0] for part in parts])
        is_part = any(_COMPOSITE.match(part[0]) for part in parts)
        if is_part or (variable is not None and not variable.is_attribute):
            raise self._refusal(f"a variable as a part of {texts[0]}")
        type_ = self._type([part[2] for part in parts]) if parts[0][2] else ""
        typed = f"pdl.attribute : {type_}" if type_ else "pdl.attribute"
        if variable is not None:
            return self._varying(variable, texts, typed)
        if self.end_of_match:
            self._constrain(f'"passgen.fits {literal}" ({type_} : !pdl.type)')
            call = f'"passgen.make {literal}" ({type_} : !pdl.type)'
            text = f"pdl.apply_native_rewrite {call} : !pdl.attribute"
            return self._define(name, text)
        value = self._define(name, typed)
        self._constrain(f'"passgen.is {literal}" ({value} : !pdl.attribute)')
        return value

    def _varying(self, variable: Variable, texts: Sequence[str], text: str) -> str:
        """Return the attribute that `variable` stands for."""
        key = f"${variable.name}"
        if (known := self.texts.setdefault(key, texts)) != texts:
            raise self._refusal(f"'{key}' for {known[0]} and for {texts[0]}")
        if key in self.values:
            return self.values[key]
        if self.end_of_match:
            call = self._call(variable, variable.make)
            text = f"pdl.apply_native_rewrite {call} : !pdl.attribute"
        value = self._find_or_define(key, variable.name, text)
        if variable.where and not self.end_of_match:
            self._constrain(self._call(variable, variable.where))
        return value

    def _call(self, variable: Variable, text: str) -> str:
        """Return a call of a native function, given names of variables."""
        function, _, listed = text.removesuffix(")").partition("(")
        if not function:
            raise self._refusal(f"'${variable.name}' in 'after' without 'make'")
        attributes = {free.name for free in self._open if free.is_attribute}
        values, types = [], []
        for name in re.findall(r"[^\s,]+", listed) or [variable.name]:
            value = self.values.get(f"${name}", self.values.get(self.choice.get(name)))
            if value is None:
                raise self._refusal(f"`{text}`, as nothing matched is called '{name}'")
            values.append(value)
            types.append(f"!pdl.{'attribute' if name in attributes else 'type'}")
        return f'"{function}" ({", ".join(values)} : {", ".join(types)})'

    def _variable(self, texts: Sequence[str]) -> Variable | None:
        """Return the variable by which `texts` differ, if they do."""
        pairs = zip(self._open, texts[1:], strict=True)
        found = [variable for variable, text in pairs if text != texts[0]]
        if len(found) > 1:
            names = " and ".join(f"'${variable.name}'" for variable in found)
            raise self._refusal(f"{texts[0]}, which depends on {names}")
        return found[0] if found else None

    def _constrain(self, call: str) -> None:
        at = self.end_of_match or len(self.lines)
        self.lines.insert(at, f"pdl.apply_native_constraint {call}")
        self.end_of_match += bool(self.end_of_match)

    def _find_or_define(self, key: str, name: str, text: str) -> str:
        """Return the value for `key`, which `text` defines if it is new."""
        if key not in self.values:
            self.values[key] = self._define(name, text)
        return self.values[key]

    def _define(self, name: str, text: str) -> str:
        """Write a value, whose name begins with `name`; return it."""
        value = f"%{'_' * name[0].isdigit()}{name}_{len(self.lines)}"
        self.lines.append(f"{value} = {text}")
        return value

    def _refusal(self, what: str) -> PatternError:
        return self._error(f"an example cannot show {what}: say it in PDL")

    def _error(self, message: str) -> PatternError:
        return pattern_error(self.pattern, self.place, message)


def _list_typed(values: Sequence[str], kind: str) -> str:
    types = ", ".join([f"!pdl.{kind}"] * len(values))
    return f"{', '.join(values)} : {types}"
