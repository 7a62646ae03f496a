"""xDSL's printer, which prints the bits that constants have."""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO
from math import isfinite
from typing import Any, Final

from xdsl.dialects.builtin import (
    AnyFloat,
    ComplexType,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    Float80Type,
    Float128Type,
    IndexType,
    IntegerType,
    Signedness,
)
from xdsl.ir import Attribute
from xdsl.printer import Printer

from passgen_runtime.ir.xdsl.constant_bits import (
    float_bits,
    to_hex_bytes,
    too_many_digits,
    unpacked_floats,
)

MAX_LISTED_ELEMENTS = 100
"""The number of dense elements from which on xDSL and MLIR print hexadecimal."""

_UNSIGNED_BOOL: Final = IntegerType(1, Signedness.UNSIGNED)
_SIGNED_BOOL: Final = IntegerType(1, Signedness.SIGNED)


class ConstantPrinter(Printer):
    """A printer whose constants MLIR reads as they are."""

    def print_attribute(self, attribute: Attribute) -> None:
        """Print an attribute; xDSL's way to print elements loses NaNs and zeros."""
        if isinstance(attribute, DenseIntOrFPElementsAttr):
            self.print_string(f"dense<{self.elements_text(attribute)}> : ")
            super().print_attribute(attribute.get_type())
        elif isinstance(attribute, DenseArrayBase) and isinstance(
            element_type := attribute.elt_type, AnyFloat
        ):
            values = unpacked_floats(attribute.data.data, element_type)
            texts = [float_text(value, element_type) for value in values]
            colon = ": " if texts else ""
            self.print_string(f"array<{element_type.name}{colon}{', '.join(texts)}>")
        elif isinstance(attribute, DenseArrayBase) and attribute.elt_type in {
            _UNSIGNED_BOOL,
            _SIGNED_BOOL,
        }:
            bools = ["true" if byte else "false" for byte in attribute.data.data]
            colon = ": " if bools else ""
            self.print_string(f"array<{attribute.elt_type}{colon}{', '.join(bools)}>")
        else:
            super().print_attribute(attribute)

    def print_float(self, value: float, type: AnyFloat) -> None:  # noqa: A002 - xDSL's
        """Print a float without its type."""
        if not isfinite(value):
            digits = (type.bitwidth + 3) // 4
            self.print_string(f"0x{float_bits(value, type):0{digits}X}")
        elif isinstance(type, Float80Type | Float128Type):
            short = f"{value:e}"
            self.print_string(short if float(short) == value else f"{value:.16e}")
        else:
            super().print_float(value, type)

    def print_int(
        self, value: int, type: IntegerType | IndexType | None = None  # noqa: A002
    ) -> None:
        """Print an integer without its type.

        Raises:
            ValueError: it has more digits than Python prints.
        """
        try:
            super().print_int(value, type)
        except ValueError:
            raise ValueError(too_many_digits()) from None

    def elements_text(
        self,
        attribute: DenseIntOrFPElementsAttr[Any],
        max_listed: int | None = MAX_LISTED_ELEMENTS,
    ) -> str:
        """Return the text of dense elements.

        Args:
            attribute: the elements.
            max_listed: how many elements are printed one by one; `None` for all.
        """
        count = len(attribute)
        if count == 0:
            return ""
        stream = StringIO()
        printer = ConstantPrinter(stream)
        if is_splat(attribute):
            size = len(attribute.data.data) // count
            (value,) = _values(attribute, attribute.data.data[:size])
            attribute._print_one_elem(value, printer)  # noqa: SLF001
        elif max_listed is not None and count > max_listed:
            data = to_hex_bytes(attribute.data.data, attribute.get_element_type())
            return f'"0x{data.hex().upper()}"'
        else:
            shape = attribute.get_shape() if attribute.shape_is_complete else (count,)
            values = _values(attribute, attribute.data.data)
            attribute._print_dense_list(values, shape, printer)  # noqa: SLF001
        return stream.getvalue()


def attribute_text(attribute: Attribute) -> str:
    """Return the text of an attribute; `str` may be the same for different ones."""
    stream = StringIO()
    ConstantPrinter(stream).print_attribute(attribute)
    return stream.getvalue()


def float_text(value: float, type_: AnyFloat) -> str:
    """Return a float without its type."""
    stream = StringIO()
    ConstantPrinter(stream).print_float(value, type_)
    return stream.getvalue()


def is_splat(attribute: DenseIntOrFPElementsAttr[Any]) -> bool:
    """Return whether all elements have the same bits, and there are some."""
    data, count = attribute.data.data, len(attribute)
    return count > 0 and data == data[: len(data) // count] * count


def _values(attribute: DenseIntOrFPElementsAttr[Any], data: bytes) -> Sequence[Any]:
    """Return the elements in `data`, as xDSL prints them."""
    element_type = attribute.get_element_type()
    if isinstance(element_type, AnyFloat):
        return unpacked_floats(data, element_type)
    if isinstance(element_type, ComplexType) and isinstance(
        part_type := element_type.element_type, AnyFloat
    ):
        parts = iter(unpacked_floats(data, part_type))
        return list(zip(parts, parts, strict=True))
    count = len(data) // element_type.compile_time_size
    values: tuple[Any, ...] = element_type.unpack(data, count)
    return values
