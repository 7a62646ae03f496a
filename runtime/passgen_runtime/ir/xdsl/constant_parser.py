"""xDSL's parser, which keeps the bits that constants have in MLIR."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import prod
from typing import Any, Final, NoReturn

from xdsl.dialects.builtin import (
    AnyDenseElement,
    AnyFloat,
    BytesAttr,
    ComplexType,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    FloatData,
    IndexType,
    IntegerAttr,
    IntegerType,
    RankedStructure,
    Signedness,
    f64,
    i64,
)
from xdsl.parser import Parser
from xdsl.parser.attribute_parser import AttrParser
from xdsl.utils.lexer import Span
from xdsl.utils.mlir_lexer import MLIRTokenKind

from passgen_runtime.ir.xdsl.constant_bits import (
    can_be_packed,
    float_from_bits,
    from_hex_bytes,
    hex_size,
    packed_floats,
    rounded,
)

_NUMBERS: Final = frozenset(
    {MLIRTokenKind.INTEGER_LIT, MLIRTokenKind.FLOAT_LIT, MLIRTokenKind.MINUS}
)
_HEX_BYTES: Final = re.compile("0x(?:[0-9A-Fa-f]{2})*")
_SIGNED_BOOL: Final = IntegerType(1, Signedness.SIGNED)
_INDEX_RANGE: Final = range(-(2**63), 2**63)

_Element = AttrParser._TensorLiteralElement  # noqa: SLF001 - xDSL's parser returns them


@dataclass
class _ComplexElement(_Element):
    """A complex element whose parts are literals; xDSL keeps only their values."""

    parts: tuple[_Element, _Element]


class ConstantParser(Parser):
    """A parser of constants: what MLIR refuses is an error, the rest keeps its bits.

    Outside of arrays, a decimal integer in place of a float is accepted, as xDSL does.
    """

    def parse_optional_builtin_int_or_float_attr(
        self,
    ) -> IntegerAttr[Any] | FloatAttr[Any] | None:
        """Parse a number and its type, or a boolean."""
        if self._current_token.kind not in _NUMBERS:
            return super().parse_optional_builtin_int_or_float_attr()
        parsed = self._parse_optional_bool_int_or_float()
        if parsed is None:
            self.raise_error("Expected integer or float literal after '-'")
        value, literal = parsed
        self._refuse_minus_zero(value, literal)
        if self._current_token.kind != MLIRTokenKind.COLON:
            if isinstance(value, float):
                return FloatAttr(value, f64)
            return IntegerAttr(value, i64)
        type_ = self._parse_attribute_type()
        if isinstance(type_, AnyFloat):
            number = self._float(value, literal, type_)
            return FloatAttr.new((FloatData(number), type_))
        if not isinstance(type_, IntegerType | IndexType):
            self.raise_error("Invalid type given for integer or float attribute.")
        if isinstance(value, float):
            message = "floating point value not valid for an integer type"
            self.raise_error(message, literal)
        if isinstance(type_, IndexType) and value not in _INDEX_RANGE:
            message = f"integer {value} is out of range for index, which has 64 bits"
            self.raise_error(message, literal)
        return IntegerAttr(value, type_)

    def parse_dense_int_or_fp_elements_attr(
        self, type: RankedStructure[AnyDenseElement] | None  # noqa: A002 - xDSL's
    ) -> DenseIntOrFPElementsAttr[Any]:
        """Parse dense elements after the word `dense`; the type too if it is `None`."""
        start = self.pos
        self.parse_punctuation("<", " in dense attribute")
        hex_digits: str | None = None
        elements: list[_Element] | None = None
        shape: list[int] = []
        if self._current_token.text != ">":
            hex_digits = self.parse_optional_str_literal()
            if hex_digits is None:
                elements, shape = self._parse_tensor_literal()
        self.parse_punctuation(">", " in dense attribute")
        literal = Span(start, self.pos, self._current_token.span.input)
        if type is None:
            self.parse_punctuation(":", " in dense attribute")
            type = self._parse_dense_literal_type()  # noqa: A001
        element_type = type.get_element_type()
        self._require_bytes(element_type, literal)
        count = prod(type.get_shape())
        if hex_digits is not None:
            data = self._hex_bytes(hex_digits, element_type, count, literal)
            return DenseIntOrFPElementsAttr(type, BytesAttr(data))
        if elements is None or not (elements or shape):
            if count:
                message = f"found no element, expected {count} for the type {type}"
                self.raise_error(message, literal)
            return DenseIntOrFPElementsAttr(type, BytesAttr(b""))
        if shape and shape != list(type.get_shape()):
            message = f"found elements of shape {shape}, expected "
            self.raise_error(f"{message}{list(type.get_shape())} of {type}", literal)
        data = self._element_bytes(elements, element_type)
        return DenseIntOrFPElementsAttr(
            type, BytesAttr(data if shape else data * count)
        )

    def _parse_builtin_densearray_attr(self) -> DenseArrayBase[Any] | None:
        """Parse a dense array after the word `array`."""
        start = self.pos
        self.parse_characters("<", " in dense array")
        type_ = self.parse_attribute()
        literal = Span(start, self.pos, self.lexer.input)
        if not isinstance(type_, IntegerType | AnyFloat):
            message = (
                "dense array element type must be an integer or floating point type"
            )
            self.raise_error(message, literal)
        self._require_array_type(type_, literal)
        elements: list[_Element] = []
        if self.parse_optional_punctuation(":") is not None:
            elements = self.parse_comma_separated_list(
                self.Delimiter.NONE, self._parse_tensor_literal_element
            )
        self.parse_characters(">", " in dense array")
        if isinstance(type_, IntegerType):
            data = type_.pack([self._array_integer(each, type_) for each in elements])
        else:
            data = packed_floats(
                [self._array_float(each, type_) for each in elements], type_
            )
        return DenseArrayBase(type_, BytesAttr(data))

    def _require_array_type(self, type_: IntegerType | AnyFloat, literal: Span) -> None:
        """Refuse the element types that MLIR's arrays or xDSL's cannot have."""
        if type_.bitwidth != 1 and type_.bitwidth % 8:
            self.raise_error("element type bitwidth must be a multiple of 8", literal)
        self._require_bytes(type_, literal)
        if isinstance(type_, IntegerType) and type_.size != type_.compile_time_size:
            message = (
                f"xDSL cannot hold arrays of type {type_}: expected integers of "
                "8, 16, 32 or 64 bits"
            )
            self.raise_error(message, literal)

    def _array_integer(self, element: _Element, type_: IntegerType) -> int:
        """Return an element of an array; negative unsigned ones wrap, as in MLIR."""
        value = element.value
        if type_.bitwidth == 1:
            if not isinstance(value, bool):
                self._expected(f"true or false for the type {type_}", element)
            return int(value) if type_.normalized_value(-1) is None else -int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            self._expected("an integer literal", element)
        self._refuse_minus_zero(value, element.span)
        normalized = type_.normalized_value(value)
        if normalized is None and -(1 << (type_.bitwidth - 1)) <= value < 0:
            normalized = type_.normalized_value(value + (1 << type_.bitwidth))
        if normalized is None:
            message = f"integer {value} is out of range for the type {type_}"
            self.raise_error(message, element.span)
        return normalized

    def _array_float(self, element: _Element, type_: AnyFloat) -> float:
        """Return an element of an array, in which decimal integers are no floats."""
        is_integer = isinstance(element.value, int)
        if is_integer and "x" not in element.span.text.lower():
            self._expected("a floating point literal", element)
        return self._float_element(element, type_)

    def _parse_tensor_literal_element(self) -> _Element:
        """Parse an element; the parts of a complex one may be of two kinds."""
        if self._current_token.kind != MLIRTokenKind.L_PAREN:
            return super()._parse_tensor_literal_element()
        start = self._consume_token(MLIRTokenKind.L_PAREN).span
        real = super()._parse_tensor_literal_element()
        self.parse_punctuation(",", " in a complex number")
        imaginary = super()._parse_tensor_literal_element()
        end = self._parse_token(
            MLIRTokenKind.R_PAREN, "expected ')' after a complex number"
        ).span
        span = Span(start.start, end.end, start.input)
        return _ComplexElement(False, (0, 0), span, (real, imaginary))  # noqa: FBT003

    def _element_bytes(self, elements: list[_Element], type_: AnyDenseElement) -> bytes:
        """Return the bytes in which xDSL holds `elements`."""
        if isinstance(type_, AnyFloat):
            values = [self._float_element(element, type_) for element in elements]
            return packed_floats(values, type_)
        if not isinstance(type_, ComplexType):
            return self._integer_bytes(elements, type_)
        parts: list[_Element] = []
        for element in elements:
            if not isinstance(element, _ComplexElement):
                self._expected("a complex number as '(1, 2)'", element)
            parts += element.parts
        return self._element_bytes(parts, type_.element_type)

    def _integer_bytes(
        self, elements: list[_Element], type_: IntegerType | IndexType
    ) -> bytes:
        values = []
        for element in elements:
            value = element.to_type(self, type_)
            assert isinstance(value, int)
            self._refuse_minus_zero(value, element.span)
            if isinstance(element.value, bool) and type_ == _SIGNED_BOOL:
                value = -value
            if isinstance(type_, IntegerType):
                normalized = type_.normalized_value(value)
            else:
                normalized = value if value in _INDEX_RANGE else None
            if normalized is None:
                message = f"integer {value} is out of range for the type {type_}"
                self.raise_error(message, element.span)
            values.append(normalized)
        return type_.pack(values)

    def _float_element(self, element: _Element, type_: AnyFloat) -> float:
        value = element.value
        if isinstance(value, bool | tuple):
            self._expected("a floating point literal", element)
        return self._float(value, element.span, type_)

    def _float(self, value: float, literal: Span, type_: AnyFloat) -> float:
        """Return the float of `type_` that a literal stands for."""
        text = literal.text
        try:
            if not isinstance(value, int) or "x" not in text.lower():
                return rounded(float(value), type_)
            if text.startswith("-"):
                message = "hexadecimal float literal should not have a leading minus"
                self.raise_error(message, literal)
            if value.bit_length() > type_.bitwidth:
                message = "hexadecimal float constant out of range for type"
                self.raise_error(f"{message} {type_.name}", literal)
            return float_from_bits(value, type_)
        except (ValueError, OverflowError) as error:
            self.raise_error(str(error), literal)

    def _hex_bytes(
        self, digits: str, type_: AnyDenseElement, count: int, literal: Span
    ) -> bytes:
        if not _HEX_BYTES.fullmatch(digits):
            message = "expected string containing hex digits starting with `0x`"
            self.raise_error(message, literal)
        data = bytes.fromhex(digits[2:])
        found = from_hex_bytes(data, type_, count)
        if found is None:
            message = (
                f"found {len(data)} bytes of hex digits, expected "
                f"{hex_size(type_, count)} for {count} elements of type {type_}"
            )
            self.raise_error(message, literal)
        return found

    def _require_bytes(self, type_: AnyDenseElement, literal: Span) -> None:
        """Refuse elements of a type for which xDSL has no bytes."""
        if not can_be_packed(type_):
            message = (
                f"xDSL cannot hold dense elements of type {type_}: expected integers "
                "and floats of at most 64 bits"
            )
            self.raise_error(message, literal)

    def _refuse_minus_zero(self, value: float, literal: Span) -> None:
        """Refuse the integer `-0`, as MLIR does."""
        if isinstance(value, int) and value == 0 and literal.text.startswith("-"):
            self.raise_error(f"found {literal.text}, expected 0", literal)

    def _expected(self, what: str, element: _Element) -> NoReturn:
        self.raise_error(f"found {element.span.text}, expected {what}", element.span)
