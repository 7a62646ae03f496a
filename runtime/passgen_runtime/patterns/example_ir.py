"""The IR of examples: their texts, parsed with examples in place of variables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product

from passgen_runtime.context import Context, Operation
from passgen_runtime.diagnostics import Diagnostic
from passgen_runtime.errors import IRError, nearest_note
from passgen_runtime.patterns.example_text import ExampleText
from passgen_runtime.patterns.filled_text import FilledText, operation_name
from passgen_runtime.patterns.ir_reader import Type
from passgen_runtime.patterns.library import PatternLibrary
from passgen_runtime.patterns.rewrite_pattern import RewritePattern


def choices(pattern: RewritePattern) -> Iterator[dict[str, str]]:
    """Yield the first examples of the variables, with each choice of listed types."""
    names = [variable.name for variable in pattern.variables]
    lists = [known.examples[: known.is_open or None] for known in pattern.variables]
    return (dict(zip(names, texts, strict=True)) for texts in product(*lists))


def before_of(pattern: RewritePattern) -> ExampleText:
    """Return the text of `before`."""
    return ExampleText(pattern.before, pattern.file, pattern.line, pattern.column)


def after_of(pattern: RewritePattern, known: frozenset[str] | None) -> ExampleText:
    """Return the text of `after`, which may use the values that are `known`."""
    file, line, column = pattern.file, pattern.after_line, pattern.after_column
    return ExampleText(pattern.after, file, line, column, known)


class ExampleIR:
    """`before` or `after`, parsed with texts in place of the variables."""

    def __init__(
        self,
        library: PatternLibrary,
        text: ExampleText,
        values: Mapping[str, str],
        known: Mapping[str, Type],
    ) -> None:
        """Parse `text`.

        Args:
            library: it parses.
            text: the example.
            values: texts of the variables.
            known: the types of values that another example defines.

        Raises:
            IRError: it does not parse, or does not verify.
            UnknownTypeError: the type of a free value cannot be found out.
        """
        self.text = text
        self._library = library
        self._filled = text.fill(values)
        given = {
            name: self._type(type_text, name)
            for name, type_text in text.fill_types(values).items()
        }
        for name, type_ in given.items():
            self._check_given(name, type_, known)
        try:
            self._parsed = library.parse_example(self._filled, {**known, **given})
        except IRError as error:
            raise _at_place_in_spec(error, self._filled, library.context) from error
        self.operations = self._parsed.operations
        self.names = self._parsed.names
        """The names of values."""

        self.types: dict[str, Type] = {}
        """The types of values, by their names."""

        for value, name in self.names.items():
            self.types[name] = value.type
        for name in text.aliases:
            value_name = text.resolve(name)
            if value_name in self.types:
                self.types[name] = self.types[value_name]

    @property
    def free(self) -> tuple[str, ...]:
        """The names of the values that it uses and does not define."""
        return self.text.free

    def place(self, operation: Operation) -> str:
        """Return the place of an operation in the spec."""
        location = self._library.context.location(operation)
        return self._filled.place_in_spec(location)

    @property
    def starts(self) -> list[int]:
        """The offsets in the text of the statements of operations."""
        location = self._library.context.location
        tokens = map(self._filled.token_at, map(location, self.operations))
        return [self.text.statement(token) for token in tokens if token]

    def _type(self, text: str, name: str) -> Type:
        try:
            return self._library.parse_type(text)
        except IRError as error:
            place = self._place_of_type(name)
            diagnostic = replace(error.diagnostic, location=place, notes=())
            raise IRError(diagnostic) from error

    def _check_given(self, name: str, type_: Type, known: Mapping[str, Type]) -> None:
        """Check that the first line gives a type that is not known."""
        message = ""
        if name in self.text.defined:
            message = f"'{name}' is defined here: the first line is for other values"
        elif name in known and known[name] != type_:
            message = f"'{name}' is {type_}, and {known[name]} in 'before'"
        if message:
            raise IRError(Diagnostic("error", message, self._place_of_type(name)))

    def _place_of_type(self, name: str) -> str:
        """Return the place of the type of a value in the first line."""
        tokens = self.text.types[name]
        return self.text.place_of(tokens[0]) if tokens else self.text.place


def _at_place_in_spec(error: IRError, filled: FilledText, context: Context) -> IRError:
    """Return an error about the filled text at its place in the spec."""
    diagnostic = error.diagnostic
    notes = tuple(
        replace(note, location=filled.place_in_spec(note.location))
        for note in diagnostic.notes
    )
    place = filled.place_in_spec(diagnostic.location)
    token = filled.token_at(diagnostic.location)
    ways_out: tuple[str, ...] = ()
    if token is not None and (name := operation_name(token)):
        if context.lookup(name) is None:
            dialect = name.partition(".")[0]
            # xDSL's parser has such a note.
            known = () if notes else context.operation_names(dialect)
            ways_out = nearest_note(name, known)
        elif filled.may_need_surroundings(token):
            need = f"if {token.text} needs a symbol or a parent"
            ways_out = (f"{need}, declare it in PDL: `pdl:`",)
    notes += tuple(Diagnostic("note", text, place) for text in ways_out)
    return IRError(replace(diagnostic, location=place, notes=notes))
