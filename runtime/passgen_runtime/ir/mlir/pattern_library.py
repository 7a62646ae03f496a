"""The interface of patterns to MLIR's IR."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any, Final, cast

from passgen_runtime.context import Operation
from passgen_runtime.diagnostics import Diagnostic
from passgen_runtime.errors import IRError
from passgen_runtime.ir.mlir import MLIRContext
from passgen_runtime.ir.mlir.bindings import Bindings
from passgen_runtime.ir.mlir.pattern_checks import check_graph
from passgen_runtime.ir.mlir.patterns import WHY_NO_MISSES, MLIRPatternApplier
from passgen_runtime.patterns import (
    Element,
    FilledText,
    NativeFunctions,
    ParsedExample,
    PatternDriver,
    PatternGraph,
    PatternLibrary,
    UnknownTypeError,
    integer_fits,
)

MLIRObject = Any
"""An object of the bindings."""

_CAST: Final = "builtin.unrealized_conversion_cast"
_INDEX_WIDTH: Final = 64
_MAX_WIDTH_READ: Final = 64
"""The width of integers that the bindings read; of others, they end the process."""

_LONG_FLOATS: Final = {"f80": 80, "f128": 128}
"""Float types for which the bindings have no class, and their widths."""

_FLAGS: Final = re.compile(r"(#\w+\.[\w.]+)<([a-z][\w, |]*)>")
"""An attribute that consists of flags."""

_PROPERTIES: Final = re.compile(r'[^"]*"[^"]*"\([^)]*\)(\[[^]]*\])? <\{')
"""The generic form of an operation up to its properties."""

_ALL_FAST: Final = {"afn", "arcp", "contract", "ninf", "nnan", "nsz", "reassoc"}
"""The flags that are printed as `fast`."""

_USUAL_TYPES: Final = ("i1", "index")
"""Types of operands that operations have without spelling them."""


def rewrite_module(bindings: Bindings) -> MLIRObject:
    """Return the module `rewrite` of the bindings; `None` if they have no PDL."""
    module = bindings.rewrite
    return module if hasattr(module, "PDLModule") else None


class MLIRPatternLibrary(PatternLibrary):
    """The interface of patterns to MLIR's IR."""

    why_no_misses = WHY_NO_MISSES

    def __init__(self, context: MLIRContext) -> None:
        """Serve `context`."""
        super().__init__(context)
        self._mlir = context.mlir
        self._bindings = context.bindings
        self._ir = ir = context.bindings.ir
        self.classes = {
            "attribute": ir.Attribute,
            "operation": (ir.Operation, ir.OpView),
            "type": ir.Type,
            "value": ir.Value,
        }
        self._elements: dict[MLIRObject, Element] = {}

    def why_not(self) -> str:
        """Return that the bindings have no PDL, if so; see `PatternLibrary`."""
        package = self._bindings.package
        # Some bindings have MLIR's drivers without the dialect.
        has_dialect = self.context.lookup("pdl.pattern") is not None
        if rewrite_module(self._bindings) is not None and has_dialect:
            return ""
        return f"the bindings '{package}' have no PDL"

    # Reading patterns.

    def parse_example(
        self, example: FilledText, known: Mapping[str, MLIRObject]
    ) -> ParsedExample:
        """Parse an example; see `PatternLibrary`.

        Types that are not known are tried. An error at the use of such a value refutes
        its type; any other error ends the search.
        """
        given = {name: str(type_) for name, type_ in known.items()}
        unknown = [name for name in example.free if name not in given]
        tried = {name: self._candidates(example, name) for name in unknown}
        guesses = {name: next(tried[name]) for name in unknown}
        best: IRError | None = None
        while True:
            try:
                return self._parse(example, {**given, **guesses})
            except IRError as error:
                place = error.diagnostic.location
                token = example.token_at(place)
                best = error if best is None else _later(best, error)
                name = token.text if token and token.text in guesses else None
                if token is None or name is None or not example.starts_at(token, place):
                    raise
                try:
                    guesses[name] = next(tried[name])
                except StopIteration:
                    first = example.token_at(best.diagnostic.location)
                    if first and example.is_first_use(first):
                        raise UnknownTypeError(first.text) from error
                    raise best from error

    def _parse(self, example: FilledText, types: Mapping[str, str]) -> ParsedExample:
        groups: dict[str, list[str]] = {}
        for name in sorted(types, key=lambda name: int(name.partition("#")[2] or 0)):
            group = name.partition("#")[0]
            if group in example.free:
                groups.setdefault(group, []).append(types[name])
        names = ", ".join(f"{name}:{len(listed)}" for name, listed in groups.items())
        listed = ", ".join(type_ for group in groups.values() for type_ in group)
        # The first operation of several: the module around them is a new one.
        line = f'{names}{" = " if names else ""}"{_CAST}"() : () -> ({listed or "i1"})'
        module = cast("MLIRContext", self.context).parse_module(
            f"{line}{example.text}", example.file
        )
        return self._read(module, example, groups)

    def _read(
        self,
        module: Operation,
        example: FilledText,
        groups: Mapping[str, Sequence[str]],
    ) -> ParsedExample:
        cast_operation, *operations = self.context.children(module)
        names: dict[MLIRObject, str] = {}
        values = iter(cast_operation.results)
        for group, types in groups.items():
            for number in range(len(types)):
                names[next(values)] = f"{group}#{number}" if number else group
        for operation in operations:
            place = self.context.location(operation)
            found = example.results_at(place)
            names.update(zip(operation.results, found, strict=False))
        return ParsedExample(module, operations, names)

    def _candidates(self, example: FilledText, name: str) -> Iterator[str]:
        """Yield types that a value may have, the likeliest ones first."""
        first_use = example.first_use(name)
        found = [
            (start < first_use, start, text)
            for start, text in example.type_texts()
            if self._is_type(text)
        ]
        spelled = [text for _, _, text in sorted(found)]
        parsed = [self.parse_type(text) for text in spelled]
        elements = (getattr(type_, "element_type", None) for type_ in parsed)
        inner = (str(element) for element in elements if element is not None)
        yield from dict.fromkeys((*spelled, *_USUAL_TYPES, *inner))

    def _is_type(self, text: str) -> bool:
        try:
            self.parse_type(text)
        except IRError:
            return False
        return True

    def parse_pdl(self, text: str, name: str) -> Operation:
        """Return the module in a text in PDL; see `PatternLibrary`."""
        return cast("MLIRContext", self.context).parse_module(text, name)

    def parse_type(self, text: str) -> MLIRObject:
        """Return the type that a text stands for; see `PatternLibrary`."""
        found: list[Diagnostic] = []
        try:
            with cast("MLIRContext", self.context).collected_in(found):
                # An empty text would end the process.
                return self._ir.Type.parse(text or " ", self._mlir)
        except self._ir.MLIRError as error:
            known = Diagnostic("error", f"'{text}' is no type", "-:1:1")
            raise IRError(next(iter(found), known)) from error

    def check(self, graph: PatternGraph) -> None:
        """Check that MLIR can apply a pattern; see `PatternLibrary`."""
        check_graph(cast("MLIRContext", self.context), graph)

    def applier(
        self,
        graphs: Sequence[PatternGraph],
        functions: NativeFunctions,
        driver: PatternDriver,
    ) -> MLIRPatternApplier:
        """Return an applier of patterns; see `PatternLibrary`."""
        context = cast("MLIRContext", self.context)
        rewrite = rewrite_module(self._bindings)
        return MLIRPatternApplier(context, rewrite, graphs, functions, driver)

    # Reading IR.

    def attributes(self, operation: Operation) -> dict[str, MLIRObject]:
        """Return attributes and properties; see `PatternLibrary`."""
        found = dict(operation.attributes.items())
        if self.context.lookup(self.context.name(operation)) is None:
            # The bindings list these properties in no other way, but get each.
            for name in self._properties(operation):
                found[name] = operation.attributes[name]
        return found

    def _properties(self, operation: Operation) -> Sequence[str]:
        """Return the names of the properties of an operation that is unknown."""
        text = operation.get_asm(
            print_generic_op_form=True, use_local_scope=True, skip_regions=True
        )
        begin = _PROPERTIES.match(text)
        if begin is None:
            return ()
        context, start = cast("MLIRContext", self.context), begin.end() - 1
        for end in re.finditer("}>", text):
            # A text may contain the same characters.
            with suppress(self._ir.MLIRError), context.collected_in([]):
                parsed = self._ir.Attribute.parse(
                    text[start : end.start() + 1], self._mlir
                )
                return [named.name for named in parsed]
        return ()

    def default(self, operation: Operation, name: str) -> MLIRObject:
        """Return an attribute that MLIR adds; see `PatternLibrary`."""
        ir = self._ir
        others = {k: v for k, v in operation.attributes.items() if k != name}
        with self._mlir, ir.Location.unknown():
            made = ir.Operation.create(
                self.context.name(operation),
                results=[value.type for value in operation.results],
                operands=list(operation.operands),
                attributes=others,
                ip=ir.InsertionPoint(operation),
            )
        found = dict(made.attributes.items()).get(name)
        made.operation.erase()
        return found

    def key(self, part: MLIRObject) -> object:
        """Return the value, or the address of the operation; see `PatternLibrary`."""
        return (
            part if isinstance(part, self._ir.Value) else self._bindings.address(part)
        )

    def count_uses(self, value: MLIRObject, limit: int) -> int:
        """Return how often operations use `value`; see `PatternLibrary`."""
        return len([*islice(value.uses, limit)])

    def plain(self, attribute: MLIRObject) -> Any:  # noqa: ANN401 - as the field is
        """Return an attribute as an object of Python; see `PatternLibrary`."""
        ir = self._ir
        if isinstance(attribute, ir.ArrayAttr):
            return tuple(attribute)
        if isinstance(
            attribute, ir.TypeAttr | ir.StringAttr | ir.IntegerAttr | ir.BoolAttr
        ):
            return attribute.value
        return tuple(attribute)

    def type_of(self, attribute: MLIRObject) -> MLIRObject:
        """Return the type of a typed attribute; see `PatternLibrary`."""
        type_ = attribute.type
        return None if isinstance(type_, self._ir.NoneType) else type_

    def number(self, attribute: MLIRObject) -> float | None:
        """Return the number that an attribute is; see `PatternLibrary`."""
        ir = self._ir
        if isinstance(attribute, ir.DenseElementsAttr):
            if not attribute.is_splat:
                return None
            attribute = attribute.get_splat_value()
        if isinstance(attribute, ir.IntegerAttr | ir.BoolAttr):
            return self._integer(attribute)
        return float(attribute.value) if isinstance(attribute, ir.FloatAttr) else None

    def _integer(self, attribute: MLIRObject) -> int:
        """Return the value of an integer attribute."""
        type_ = attribute.type
        if isinstance(type_, self._ir.IntegerType) and type_.width > _MAX_WIDTH_READ:
            return int(str(attribute).partition(" ")[0])
        return int(attribute.value)

    def constant(self, number: float, type_: MLIRObject) -> MLIRObject:
        """Return a number as an attribute; see `PatternLibrary`."""
        ir, (kind, width, is_shaped) = self._ir, self.element(type_)
        element = type_.element_type if is_shaped else type_
        if is_shaped and not (type_.has_rank and type_.has_static_shape):
            return None
        with self._mlir, ir.Location.unknown():
            if kind == "integer":
                fits = isinstance(number, int) and integer_fits(
                    number, width or _INDEX_WIDTH
                )
                # `IntegerAttr.get` takes 64 bits, and does not extend their sign.
                text = f"{number} : {element}"
                scalar = ir.Attribute.parse(text) if fits else None
            elif kind == "float" and isinstance(number, float):
                scalar = ir.FloatAttr.get(element, number)
            else:
                return None
            if scalar is None or not is_shaped:
                return scalar
            return ir.DenseElementsAttr.get_splat(type_, scalar)

    def flags(self, attribute: MLIRObject) -> frozenset[str] | None:
        """Return the names of the flags in an attribute; see `PatternLibrary`."""
        found = _FLAGS.fullmatch(str(attribute))
        if found is None:
            return None
        names = set(re.findall(r"\w+", found[2])) - {"none"}
        return frozenset(names | (_ALL_FAST if "fast" in names else set()))

    def with_flags(self, attribute: MLIRObject, flags: frozenset[str]) -> MLIRObject:
        """Return an attribute with some of its flags; see `PatternLibrary`."""
        found = _FLAGS.fullmatch(str(attribute))
        assert found is not None, "it has flags"
        text = f"{found[1]}<{', '.join(sorted(flags)) or 'none'}>"
        return self._ir.Attribute.parse(text, self._mlir)

    def element(self, type_: MLIRObject) -> Element:
        """Return the type of the numbers in a type; see `PatternLibrary`."""
        if type_ not in self._elements:
            self._elements[type_] = self._element(type_)
        return self._elements[type_]

    def _element(self, type_: MLIRObject) -> Element:
        ir = self._ir
        shaped = ir.VectorType, ir.RankedTensorType, ir.UnrankedTensorType
        is_shaped = isinstance(type_, shaped)
        element = type_.element_type if is_shaped else type_
        if isinstance(element, ir.IntegerType) and element.is_signless:
            return Element("integer", element.width, is_shaped)
        if isinstance(element, ir.IndexType):
            return Element("integer", None, is_shaped)
        if isinstance(element, ir.FloatType):
            return Element("float", element.width, is_shaped)
        for text, width in _LONG_FLOATS.items():
            if element == self.parse_type(text):
                return Element("float", width, is_shaped)
        return Element("", None, is_shaped)

    def is_composite(self, attribute: MLIRObject) -> bool:
        """Return whether it consists of others; see `PatternLibrary`."""
        ir = self._ir
        arrays = ir.ArrayAttr, ir.DictAttr, ir.DenseElementsAttr
        return isinstance(attribute, arrays) or hasattr(attribute, "__getitem__")


def _later(error: IRError, other: IRError) -> IRError:
    """Return the error of which the place is behind that of the other one."""

    def line_and_column(found: IRError) -> tuple[int, ...]:
        return tuple(map(int, found.diagnostic.location.rsplit(":", 2)[1:]))

    return max(error, other, key=line_and_column)
