"""The examples of patterns, held against what the patterns do."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from passgen_runtime.context import Context, Operation
from passgen_runtime.errors import IRError
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.pass_manager import PassManager
from passgen_runtime.pass_registry import create_pass, parse_pass_manager
from passgen_runtime.patterns import Patterns, RewritePattern
from passgen_tools.ir_libraries import registry_of
from passgen_tools.testing.assertions import ir_difference, nameless_text

_NAME: Final = re.compile(r"%[\w$.-]+")
_DEFINITION: Final = re.compile(r"(%[\w$.-]+)(?::\d+)?\s*=(?!=)")
_UNKNOWN_TYPE: Final = "none"
_TYPES: Final = re.compile(
    r"prior uses: '(.*)' vs '(.*)'"
    r"|used with type (.*), but has been previously used or defined with type (.*)"
)
"""The two types of a value in errors of MLIR, and of xDSL."""


def assert_pattern_examples(
    pass_class: type[Patterns], context: Context | None = None
) -> None:
    """Check that each pattern of a pass turns its `before` into its `after`.

    Both become the body of a function, without unused operations: values that they do
    not define are its arguments, and it returns those that both define.

    Args:
        pass_class: a generated class, or an implementation of it.
        context: of the IR library; by default, a new context of xDSL.

    Raises:
        AssertionError: a pattern does something else; the text shows the difference.
        IRError: an example is no valid IR.
    """
    __tracebackhide__ = True
    for pattern in pass_class.patterns:
        if pattern.before:
            _check_example(pass_class, pattern, context or XDSLContext())


def _check_example(
    pass_class: type[Patterns], pattern: RewritePattern, context: Context
) -> None:
    __tracebackhide__ = True
    before, after = (
        dict.fromkeys(_DEFINITION.findall(text))
        for text in (pattern.before, pattern.after)
    )
    arguments = [
        name
        for text, defined in ((pattern.before, before), (pattern.after, after))
        for name in _NAME.findall(text)
        if name not in defined
    ]
    example = _Example(
        context,
        f"{pattern.name} at {pattern.file}:{pattern.line}",
        list(dict.fromkeys(arguments)),
        [name for name in before if name in after],
    )
    found, wanted = example.parse(pattern.before), example.parse(pattern.after)
    pass_ = create_pass(pass_class)
    if hasattr(pass_.options, "enabled_patterns"):
        pass_.options.enabled_patterns = [pattern.name]
    manager = PassManager(context, nesting="implicit")
    manager.add_pass(pass_)
    manager.run(found)
    cleanup = "builtin.module(func.func(cse))"
    registry = registry_of(context)
    for module in (found, wanted):
        parse_pass_manager(cleanup, context, registry).run(module)
    if nameless_text(context, found) != nameless_text(context, wanted):
        difference = ir_difference(context.print(wanted), context.print(found))
        text = f"the pattern {example.name} does not do what its example says"
        raise AssertionError(f"{text}:\n{difference}")


class _Example:
    """The functions of an example, which share the types of values."""

    def __init__(
        self, context: Context, name: str, arguments: Sequence[str], results: list[str]
    ) -> None:
        self._context = context
        self.name = name
        self._arguments = arguments
        self._results = results
        self._types: dict[str, str] = {}

    def parse(self, body: str) -> Operation:
        """Return a module with the function that has the `body`.

        Types are found by mistakes: an unknown one is said to be `none`, and the
        parser tells which type it finds instead.
        """
        while True:
            text = self._function(body)
            try:
                return self._context.parse(text, self.name)
            except IRError as error:
                line, column = error.diagnostic.location.split(":")[-2:]
                place = text.splitlines()[int(line) - 1][int(column) - 1 :]
                name, types = _NAME.match(place), _TYPES.search(str(error))
                if name is None or types is None or name[0] in self._types:
                    raise
                found = {*types.groups()} - {None, _UNKNOWN_TYPE}
                self._types[name[0]] = found.pop()

    def _function(self, body: str) -> str:
        arguments, results = (
            [self._types.get(name, _UNKNOWN_TYPE) for name in names]
            for names in (self._arguments, self._results)
        )
        parameters = ", ".join(map("{}: {}".format, self._arguments, arguments))
        types = ", ".join(results)
        returned = f"{', '.join(self._results)} : {types}" if results else ""
        return (
            f"func.func @example({parameters}) -> ({types}) {{\n"
            f"{body}\nfunc.return {returned}\n}}"
        )
