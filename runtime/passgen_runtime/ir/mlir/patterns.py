"""Patterns on MLIR's IR: MLIR applies them itself."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Final, cast

from passgen_runtime.context import Context, Operation
from passgen_runtime.errors import IRError
from passgen_runtime.ir.mlir import MLIRContext
from passgen_runtime.patterns import (
    Ask,
    NativeFunctions,
    ParsedPattern,
    PatternApplier,
    PatternDriver,
    PDLOperation,
    RewritePattern,
    pattern_error,
    read_pattern,
)

_COUNT: Final = "passgen.count."
_ASK: Final = "passgen.ask."

_MAX_REWRITES: Final = 1_000_000
"""The default limit of an iteration of the greedy driver."""

_MALFORMED: Final = re.compile(
    r"'[^']+' op (?:requires attribute '(?P<missing>[^']+)'"
    r"|attribute '[^']+' failed to satisfy .*"
    r"|(?:requires|expected) .*\b(?:region|successor|operand|(?P<result>result))s?\b.*"
    r"|operand count .*)"
)
"""What MLIR says of an operation that lacks what its folder or printer reads."""

_COMPARED_ONCE: Final = frozenset({"pdl.result", "pdl.results", "pdl.types"})
"""What MLIR does not compare again with what it has found."""


def _rewrite_module(package: str) -> Any:  # noqa: ANN401 - a module of the bindings
    """Return the module `rewrite` of the bindings; `None` if they have no PDL."""
    try:
        module = import_module(f"{package}.rewrite")
    except ImportError:
        return None
    return module if hasattr(module, "PDLModule") else None


def _text(operation: Operation) -> str:
    attributes = operation.attributes
    for name in ("opName", "name", "index"):
        if name in attributes:
            return str(attributes[name].value)
    return ""


def _check_values(parsed: ParsedPattern) -> None:
    """Check that attributes and types have a value: MLIR needs it to compile them.

    Raises:
        PatternError: one is no constant, and nothing that is matched has it.
    """
    matched = {"pdl.attribute", "pdl.operand", "pdl.operands", "pdl.operation"}
    bound = {
        id(operand)
        for user in parsed.of_kind(*matched)
        if not user.is_in_rewrite
        for operand in user.operands
    }
    for operation in parsed.of_kind("pdl.attribute", "pdl.type", "pdl.types"):
        is_constant = any(
            name in operation.original.attributes
            for name in ("constantType", "constantTypes", "value")
        )
        if not (operation.is_in_rewrite or is_constant or id(operation) in bound):
            message = f"'{operation.kind}' has no value: nothing that is matched has it"
            raise pattern_error(parsed.pattern, operation.place, message)


def _check_uses(parsed: ParsedPattern) -> None:
    """Check that MLIR compares all uses: of some kinds, it compares only the first.

    Raises:
        PatternError: anything would match where something is used again.
    """
    seen: set[int] = set()
    for user in parsed.of_kind("pdl.operands", "pdl.operation"):
        for operand in user.operands:
            if user.is_in_rewrite or operand.kind not in _COMPARED_ONCE:
                continue
            if id(operand) in seen:
                message = (
                    f"MLIR compares a '{operand.kind}' only where it is used first: "
                    "write one for each use"
                )
                raise pattern_error(parsed.pattern, user.place, message)
            seen.add(id(operand))


def _check_new_operation(
    context: Context, parsed: ParsedPattern, operation: PDLOperation
) -> None:
    """Check that an operation that a rewrite creates has what MLIR expects of it.

    MLIR folds or prints new operations before it verifies them, and ends the process
    where a region or an attribute is missing. Its parser reports the same operation.

    Raises:
        PatternError: something is missing, or an attribute is of the wrong kind.
    """
    attributes = operation.original.attributes
    names = [name.value for name in attributes["attributeValueNames"]]
    if len(set(names)) < len(names):
        message = "the new operation is malformed: an attribute is given twice"
        raise pattern_error(parsed.pattern, operation.place, message)
    if any(operand.kind.endswith("s") for operand in operation.operands):
        return  # only the match knows the number of operands or results
    num_values = attributes["operandSegmentSizes"][0]
    constants, unknown = [], []
    for name, attribute in zip(names, operation.operands[num_values:], strict=False):
        if "value" in attribute.original.attributes:
            constants.append(f'"{name}" = {attribute.original.attributes["value"]}')
        else:
            unknown.append(name)
    has_results = operation.num_types or any(
        operation in user.operands
        for user in parsed.of_kind("pdl.result", "pdl.replace")
    )
    # MLIR looks at the types after the attributes: any will do.
    operands = ", ".join(["%0"] * num_values)
    operand_types = ", ".join(["none"] * num_values)
    types = ", ".join(["none"] * (operation.num_types or int(has_results)))
    text = f"""
        %0 = "builtin.unrealized_conversion_cast"() : () -> none
        "{operation.text}"({operands}) {{{", ".join(constants)}}}
            : ({operand_types}) -> ({types})"""
    try:
        context.parse(text, parsed.name)
    except IRError as error:
        found = _MALFORMED.search(str(error))
        # The types of results that are inferred, and their number, are not known here.
        is_unknown = found and found["result"] and not operation.num_types
        if found and not is_unknown and found["missing"] not in unknown:
            message = f"the new operation is malformed: {found[0]}"
            raise pattern_error(parsed.pattern, operation.place, message) from None


@dataclass(slots=True)
class _Frozen:
    """Patterns as MLIR applies them, and the objects that must live as long."""

    counts: dict[str, int] = field(default_factory=dict)
    ask: Ask | None = None
    """What their callbacks use: that of the run that applies them."""

    patterns: Any = None
    module: Any = None
    pdl_module: Any = None


class MLIRPatternApplier(PatternApplier):
    """Applies patterns to MLIR's IR.

    One object serves all threads and runs of a context.
    """

    always_counts = False

    @staticmethod
    def parse(context: Context, pattern: RewritePattern) -> ParsedPattern:
        """Return `pattern` as an operation of MLIR; see `PatternApplier`."""
        bindings = cast("MLIRContext", context).bindings
        if _rewrite_module(bindings.package) is None:
            message = f"the bindings '{bindings.package}' have no PDL"
            raise pattern_error(pattern, f"{pattern.file}:{pattern.line}", message)
        parsed = read_pattern(context, pattern, _text, bindings.address)
        _check_values(parsed)
        _check_uses(parsed)
        for operation in parsed.of_kind("pdl.operation"):
            if operation.is_in_rewrite and operation.text:
                _check_new_operation(context, parsed, operation)
        return parsed

    @staticmethod
    def attributes(operation: Operation) -> dict[str, str]:
        """Return attributes and properties as texts; see `PatternApplier`."""
        return {name: str(value) for name, value in operation.attributes.items()}

    def __init__(
        self,
        context: Context,
        patterns: Sequence[ParsedPattern],
        functions: NativeFunctions,
        driver: PatternDriver,
    ) -> None:
        """Freeze `patterns`."""
        self._mlir = cast("MLIRContext", context).mlir
        self._bindings = cast("MLIRContext", context).bindings
        self.patterns = patterns
        self._functions = functions
        self._driver = driver
        self._max_rewrites = driver.max_rewrites or _MAX_REWRITES
        self._rewrite = _rewrite_module(self._bindings.package)
        self._config = self._greedy_config()
        self._plain = self._freeze()
        self._idle: dict[bool, list[_Frozen]] = {False: [], True: []}

    def _greedy_config(self) -> Any:  # noqa: ANN401 - of the bindings
        rewrite = self._rewrite
        config = rewrite.GreedyRewriteConfig()
        config.max_iterations = self._driver.max_iterations
        config.max_num_rewrites = self._max_rewrites
        config.region_simplification_level = rewrite.GreedySimplifyRegionLevel.DISABLED
        return config

    def apply(
        self, operation: Operation, counts: dict[str, int] | None, ask: Ask | None
    ) -> str:
        """Apply the patterns inside `operation`; see `PatternApplier`."""
        if counts is None and ask is None:
            return self._apply(operation, self._plain)
        asks = ask is not None
        try:
            frozen = self._idle[asks].pop()
        except IndexError:
            frozen = self._freeze(counts=True, asks=asks)
        frozen.counts, frozen.ask = defaultdict(int) if counts is None else counts, ask
        try:
            return self._apply(operation, frozen)
        finally:
            self._idle[asks].append(frozen)

    def _apply(self, operation: Operation, frozen: _Frozen) -> str:
        if self._driver.name == "walk":
            self._rewrite.walk_and_apply_patterns(operation, frozen.patterns)
            return ""
        try:
            self._rewrite.apply_patterns_and_fold_greedily(
                operation, frozen.patterns, self._config
            )
        except RuntimeError as error:
            # The bindings raise no type of their own, and nothing else says it.
            if str(error) != "pattern application failed to converge":
                raise
            iterations = f"{self._driver.max_iterations} iterations"
            return f"{iterations} or {self._max_rewrites} rewrites"
        return ""

    def _freeze(self, *, counts: bool = False, asks: bool = False) -> _Frozen:
        ir, frozen = self._bindings.ir, _Frozen()
        with self._mlir, ir.Location.unknown():
            module = ir.Module.create()
            for parsed in self.patterns:
                clone = parsed.original.clone(ir.InsertionPoint(module.body))
                if counts:
                    self._add_calls(clone, parsed.name, asks=asks)
            pdl = self._rewrite.PDLModule(module)
            for name, function in self._functions.constraints.items():
                pdl.register_constraint_function(name, _constraint(function))
            for name in self._functions.rewrites:
                pdl.register_rewrite_function(name, self._rewrite_function(name))
            for name in dict.fromkeys(parsed.name for parsed in self.patterns):
                count, ask = _counter(frozen, name), _question(frozen, name)
                pdl.register_rewrite_function(_COUNT + name, count)
                pdl.register_constraint_function(_ASK + name, ask)
            frozen.patterns = pdl.freeze()
        frozen.module, frozen.pdl_module = module, pdl
        return frozen

    def _add_calls(self, pattern: Operation, name: str, *, asks: bool) -> None:
        """Count first in the rewrite of `pattern`, and ask last in its match."""
        ir = self._bindings.ir
        *_, rewrite = pattern.regions[0].blocks[0].operations
        ir.Operation.create(
            "pdl.apply_native_rewrite",
            attributes={"name": ir.StringAttr.get(_COUNT + name)},
            ip=ir.InsertionPoint.at_block_begin(rewrite.regions[0].blocks[0]),
        )
        if asks:
            ir.Operation.create(
                "pdl.apply_native_constraint",
                operands=[rewrite.operands[0]],
                attributes={
                    "name": ir.StringAttr.get(_ASK + name),
                    "isNegated": ir.BoolAttr.get(False),
                },
                ip=ir.InsertionPoint(rewrite),
            )

    def _rewrite_function(self, name: str) -> Callable[..., None]:
        function, ir = self._functions.rewrites[name], self._bindings.ir
        classes = {
            "!pdl.attribute": ir.Attribute,
            "!pdl.operation": (ir.Operation, ir.OpView),
            "!pdl.type": ir.Type,
            "!pdl.value": ir.Value,
        }

        def rewrite(
            rewriter: object,
            results: Any,  # noqa: ANN401 - of the bindings
            values: Sequence[Any],
        ) -> None:
            returned = function(rewriter, *values)
            for result in self._functions.results(name, returned, classes):
                results.append(result)

        return rewrite


def _counter(frozen: _Frozen, name: str) -> Callable[..., None]:
    def count(*_: object) -> None:
        frozen.counts[name] += 1

    return count


def _question(frozen: _Frozen, name: str) -> Callable[..., bool]:
    def ask(_rewriter: object, _results: object, values: Sequence[Any]) -> bool:
        return frozen.ask is not None and not frozen.ask(name, values[0])

    return ask


def _constraint(function: Callable[..., object]) -> Callable[..., bool]:
    def is_violated(_rewriter: object, _results: object, values: Sequence[Any]) -> bool:
        return not function(*values)  # false is success here, as in a `LogicalResult`

    return is_violated
