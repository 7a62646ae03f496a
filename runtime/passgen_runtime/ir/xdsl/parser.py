"""xDSL's parser, with features of MLIR's parser that it lacks.

Parsed operations get their file positions, an input without operations is an empty
module, the top-level operation need not be a module, `external_resources` are skipped,
and every error has a location.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections.abc import Callable
from functools import cached_property
from itertools import accumulate, count
from math import prod
from typing import Final, TypeVar

from xdsl.context import Context as XDSLIRContext
from xdsl.dialect_interfaces.op_asm import OpAsmDialectInterface
from xdsl.dialects.builtin import (
    AnyDenseElement,
    FileLineColLoc,
    IntAttr,
    IntegerType,
    LocationAttr,
    ModuleOp,
    RankedStructure,
    StringAttr,
)
from xdsl.ir import Attribute, AttributeInvT, Operation, SSAValue, TypeAttribute
from xdsl.parser import UnresolvedOperand
from xdsl.parser.generic_parser import ParserState
from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Input, Span
from xdsl.utils.mlir_lexer import MLIRLexer, MLIRToken, MLIRTokenKind

from passgen_runtime.diagnostics import Diagnostic
from passgen_runtime.errors import IRError, RegistrationError, nearest_note
from passgen_runtime.ir.xdsl.constant_bits import too_many_digits
from passgen_runtime.ir.xdsl.constant_parser import ConstantParser
from passgen_runtime.ir.xdsl.printer import place_in_file

_MAX_NAMES: Final = 20
"""The maximum number of undeclared values that an error names."""

_MAX_INTEGER_BITS: Final = 2**24 - 1
"""The limit in MLIR."""

_MAX_DENSE_ELEMENTS: Final = 2**28

P = TypeVar("P", bound="LocatingParser")
T = TypeVar("T")

_HEX_DIGITS_PER_DECIMAL: Final = 0.83
"""An integer with fewer hexadecimal digits has fewer decimal digits, too."""

_WIDE_INTEGER_TYPE: Final = re.compile("[su]?i[0-9]{9,}")
_UNREGISTERED: Final = re.compile("Operation (.+) is not registered")


def parse_ir(
    context: XDSLIRContext,
    text: str,
    name: str,
    on_token: Callable[[int], object] | None,
    *,
    implicit_module: bool,
) -> Operation:
    """Return the top-level operation in `text`.

    Args:
        context: the context with the dialects.
        text: the IR.
        name: the file name for diagnostics.
        on_token: called with the offset of each token, before it is read.
        implicit_module: whether a new module is put around anything but one module; if
            not, the text must be one operation.

    Raises:
        IRError: the text does not parse.
        RegistrationError: a package that extends xDSL is broken.
    """

    def read(parser: LocatingParser) -> Operation:
        operations = parser.parse_top_level()
        return parser.only_operation(operations, implicit_module=implicit_module)

    # xDSL's lexer does not accept a byte order mark.
    text = text.removeprefix("\ufeff")
    return parse_with(lambda: LocatingParser(context, text, name, on_token), name, read)


def parse_with(make: Callable[[], P], name: str, read: Callable[[P], T]) -> T:
    """Return the result of `read` for a new parser.

    Args:
        make: makes the parser, which reads the first token.
        name: the file name for diagnostics.
        read: parses.

    Raises:
        IRError: the text does not parse.
        RegistrationError: a package that extends xDSL is broken.
    """
    parser: P | None = None
    try:
        parser = make()
        return read(parser)
    except ParseError as error:
        message, place = error.msg.strip(), str(error.span.get_location())
        notes: tuple[str, ...] = ()
        unregistered = _UNREGISTERED.fullmatch(message)
        if parser and unregistered:
            place = parser.place_of_name()
            notes = _registration_notes(parser.ctx, unregistered[1])
        noted = tuple(Diagnostic("note", note, place) for note in notes)
        raise IRError(Diagnostic("error", message, place, noted)) from error
    except (IRError, RegistrationError):  # a broken plugin is no fault of the text
        raise
    except Exception as error:
        # Verifiers of attributes and parsers of dialects run here: an exception of any
        # class is about the text.
        is_deep = isinstance(error, RecursionError)
        message = "the IR is nested too deeply here" if is_deep else message_of(error)
        place = parser.place() if parser else f"{name}:1:1"
        raise IRError(Diagnostic("error", message, place)) from error


def message_of(error: Exception) -> str:
    """Return the message of an exception of xDSL in one line, or its type."""
    return " ".join(str(error).split()) or type(error).__name__


def _registration_notes(context: XDSLIRContext, name: str) -> tuple[str, ...]:
    """Return a note on the nearest operation, or on unregistered dialects."""
    dialect = context.get_optional_dialect(name.partition(".")[0])
    if dialect is None:
        note = (
            "with --allow-unregistered-dialect, operations of other dialects are "
            "accepted in the generic form"
        )
        own = "register_dialect() of a context or of a plugin's builder adds a dialect"
        return note, own
    return nearest_note(name, (operation.name for operation in dialect.operations))


class _Lexer(MLIRLexer):
    """xDSL's lexer, in linear time for a string without an end.

    It refuses integers that Python could not print, decimal and hexadecimal ones alike.
    """

    # As in xDSL, but possessive: no backtracking if the string does not match.
    _unescaped_characters_regex = re.compile(
        r'"(?:[^"\\\n\v\f]++|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*+"'
    )

    def _lex_number(self, start_pos: int) -> MLIRToken:
        token = super()._lex_number(start_pos)
        if token.kind == MLIRTokenKind.INTEGER_LIT:
            _require_printable(token.span)
        return token

    def _lex_prefixed_ident(self, start_pos: int) -> MLIRToken:
        token = super()._lex_prefixed_ident(start_pos)
        if token.kind == MLIRTokenKind.HASH_IDENT:  # such as the index in '%0#1'
            _require_printable(token.span)
        return token


def _kept_key(key: str, content: str | None, interface: OpAsmDialectInterface) -> str:
    """Return the key of a resource in the context: a new one for other contents."""
    from passgen_runtime.instrumentations.file_metadata import (  # noqa: PLC0415
        key_text,  # few texts have resources
    )

    kept, known = key_text(key), interface.lookup(key_text(key))
    for number in count():
        if known is None or (number == 0 and known == content):
            break
        kept = key_text(f"{key}_{number}")
        known = interface.lookup(kept)
    return kept


def _require_printable(span: Span) -> None:
    """Check that Python can print an integer.

    Raises:
        ParseError: it has too many decimal digits.
    """
    limit = sys.get_int_max_str_digits()
    if not limit or span.len <= limit * _HEX_DIGITS_PER_DECIMAL:
        return
    text = span.text.removeprefix("#")
    if text.startswith("0x"):
        is_printable = int(text, 16) < 10**limit
    else:
        is_printable = len(text) <= limit or not text.isdecimal()
    if not is_printable:
        raise ParseError(span, too_many_digits())


class _ObservedLexer(_Lexer):
    """A lexer that reports its position, since some tokens take very long."""

    def __init__(self, text: Input[str], on_token: Callable[[int], object]) -> None:
        super().__init__(text)
        self._on_token = on_token

    def lex(self) -> MLIRToken:
        self._on_token(self.pos)
        return super().lex()


class LocatingParser(ConstantParser):
    """xDSL's parser, which also records the position of each operation's name."""

    def __init__(
        self,
        context: XDSLIRContext,
        text: str,
        name: str,
        on_token: Callable[[int], object] | None,
    ) -> None:
        """Prepare to parse `text`, and read its first token."""
        super().__init__(context, "", name)
        source = Input(text, name)
        lexer = _Lexer(source) if on_token is None else _ObservedLexer(source, on_token)
        self._parser_state = ParserState(lexer)
        self._file = StringAttr(name)
        self._line_starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
        self._name_positions: list[int] = []
        self._first_uses: dict[str, tuple[int, int]] = {}
        self._found_location = False
        self._location_depth = 0
        self._resource_keys: dict[tuple[str, str], str] = {}
        self._text, self._name = text, name

    def parse_top_level(self) -> list[Operation]:
        """Parse the whole input."""
        operations: list[Operation] = []
        while self._current_token.kind != MLIRTokenKind.EOF:
            kind = self._current_token.kind
            if kind in (MLIRTokenKind.HASH_IDENT, MLIRTokenKind.EXCLAMATION_IDENT):
                self._parse_alias_def()  # type: ignore[no-untyped-call] # xDSL's
            elif kind == MLIRTokenKind.FILE_METADATA_BEGIN:
                self._parse_file_metadata_dictionary()
            elif (operation := self.parse_optional_operation()) is not None:
                operations.append(operation)
            else:
                self.raise_error("expected operation name in quotes")
        if self.forward_ssa_references:
            names = [f"%{name}" for name in self.forward_ssa_references]
            more = names[_MAX_NAMES:]
            names[_MAX_NAMES:] = [f"and {len(more)} more"] if more else []
            message = f"use of undeclared SSA value name: {', '.join(names)}"
            self.raise_error(message, *self._first_uses.get(names[0], ()))
        return operations

    def resolve_operand(
        self, operand: UnresolvedOperand, type: AttributeInvT  # noqa: A002 - xDSL's
    ) -> SSAValue[AttributeInvT]:
        """Resolve `operand` as xDSL does, and keep the place of its first use."""
        name, span = operand.operand_name, operand.span
        if name not in self.forward_ssa_references:
            self._first_uses[f"%{name}"] = (span.start, span.end)
        return super().resolve_operand(operand, type)

    def parse_only_type(self) -> Attribute:
        """Parse the whole input, a type."""
        type_ = self.parse_type()
        if self._current_token.kind != MLIRTokenKind.EOF:
            self.raise_error("expected a type and nothing else")
        return type_

    def only_operation(
        self, operations: list[Operation], *, implicit_module: bool
    ) -> Operation:
        """Return the only operation, or a new module around `operations`.

        Raises:
            IRError: the operation is not the only one, and the module is explicit.
        """
        if len(operations) == 1 and (
            not implicit_module or isinstance(operations[0], ModuleOp)
        ):
            return operations[0]
        if not implicit_module:
            message = "source must contain a single top-level operation, found: "
            message, place = f"{message}{len(operations)}", f"{self._file.data}:0:0"
            raise IRError(Diagnostic("error", message, place))
        module = ModuleOp(operations)
        # MLIR's location of an implicit module.
        module.location = FileLineColLoc(self._file, IntAttr(0), IntAttr(0))
        return module

    def parse_operation(self) -> Operation:
        """Parse an operation, which gets its place if the text gives no location."""
        operation = super().parse_operation()
        position = self._name_positions.pop()
        # The location of an operation, if any, is the end of its text.
        if not self._found_location:
            operation.location = self._location_at(position)
        return operation

    def parse_optional_location(self) -> LocationAttr | None:
        """Parse a location, and keep whether there is one."""
        location = super().parse_optional_location()
        self._found_location = location is not None
        return location

    def _parse_location(self) -> LocationAttr:
        self._location_depth += 1
        try:
            return super()._parse_location()
        finally:
            self._location_depth -= 1

    def parse_optional_str_literal(self) -> str | None:
        """Parse a string; names in locations may be printed as bytes of UTF-8."""
        text = super().parse_optional_str_literal()
        if text is None and self._location_depth:
            data = self.parse_optional_bytes_literal()
            return None if data is None else data.decode(errors="replace")
        return text

    def place_of_name(self) -> str:
        """Return the place of the name of the operation being parsed."""
        return self._place_at(self._name_positions[-1])

    def place(self) -> str:
        """Return the place of the next token."""
        return self._place_at(self.pos)

    def _place_at(self, position: int) -> str:
        return str(place_in_file(self._location_at(position)))

    def _parse_op_result_list(self) -> list[tuple[Span, int]]:
        results = super()._parse_op_result_list()
        self._name_positions.append(self.pos)
        return results

    def _parse_optional_integer_or_float_type(self) -> TypeAttribute | None:
        """Parse a type; limit the width of integers, as MLIR does."""
        span = self._current_token.span
        is_wide = _WIDE_INTEGER_TYPE.fullmatch(span.text) is not None
        parsed = None if is_wide else super()._parse_optional_integer_or_float_type()
        if isinstance(parsed, IntegerType):
            is_wide = parsed.width.data > _MAX_INTEGER_BITS
        if is_wide:
            message = f"integer bitwidth is limited to {_MAX_INTEGER_BITS} bits"
            self.raise_error(message, span.start, span.end)
        return parsed

    def _parse_dense_literal_type(self) -> RankedStructure[AnyDenseElement]:
        """Parse the type of dense elements; limit their number, as xDSL stores all."""
        start = self.pos
        parsed = super()._parse_dense_literal_type()
        count = prod(parsed.get_shape())
        if count > _MAX_DENSE_ELEMENTS:
            message = f"found {count} elements, expected at most {_MAX_DENSE_ELEMENTS}"
            self.raise_error(message, start, self.pos)
        return parsed

    def _location_at(self, position: int) -> FileLineColLoc:
        line = bisect_right(self._line_starts, position)
        column = position - self._line_starts[line - 1] + 1
        return FileLineColLoc(self._file, IntAttr(line), IntAttr(column))

    def _parse_dialect_resource_handle(
        self, dialect_name: str, interface: OpAsmDialectInterface
    ) -> str:
        """Parse a key, which is renamed if it has other contents in the context.

        xDSL prints keys as they are: one that must be quoted is kept with its quotes.
        """
        key = self.parse_optional_str_literal()
        if key is None:
            key = self.parse_identifier(context_msg=" for resource handle")
        if (dialect_name, key) not in self._resource_keys:
            content = self._resources.get((dialect_name, key))
            kept = _kept_key(key, content, interface)
            if interface.lookup(kept) is None:
                interface.declare_resource(kept)
            self._resource_keys[dialect_name, key] = kept
        return self._resource_keys[dialect_name, key]

    @cached_property
    def _resources(self) -> dict[tuple[str, str], str]:
        """The contents of resources in the text, by dialect and key."""
        from passgen_runtime.instrumentations.file_metadata import (  # noqa: PLC0415
            DIALECT_RESOURCES,  # few texts have resources
            section_values,
            unquote,
        )

        literals = section_values(self._text, DIALECT_RESOURCES, self._name)
        return {key: unquote(literal) for key, literal in literals.items()}

    def _parse_external_resources(self) -> None:
        """Parse `{group: {key: value, ...}, ...}`, which xDSL refuses."""
        self.parse_comma_separated_list(self.Delimiter.BRACES, self._parse_group)

    def _parse_group(self) -> None:
        def parse_entry() -> None:
            self._parse_resource_key()
            if self.parse_optional_str_literal() is None:
                self.parse_boolean()

        self._parse_resource_key()
        self.parse_comma_separated_list(self.Delimiter.BRACES, parse_entry)

    def _parse_resource_key(self) -> None:
        """Parse a key and the colon after it."""
        if self.parse_optional_str_literal() is None:
            self.parse_identifier(context_msg=" as the key of a resource")
        self.parse_punctuation(":")
