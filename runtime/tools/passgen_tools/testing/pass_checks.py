"""Checks of the whole IR after each pass of a pipeline in a test.

    assert_rewrites(pipeline, before, after, check=round_trip)
    assert_rewrites(pipeline, before, after, check=same_results("main", [(1, 2)]))

A check is any function of the outermost operation and its context that raises an
exception if the IR is not as it should be. It is called before the first pass as well:
what it finds there is not the fault of a pass.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

from passgen_runtime.context import Context, Operation
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_instrumentation import Detail, PassInstrumentation
from passgen_runtime.printing_flags import PrintingFlags
from passgen_tools.ir_libraries import inspector_of

Check: TypeAlias = Callable[[Operation, Context], object]
"""Raises an exception if the IR of an outermost operation is wrong."""


def round_trip(operation: Operation, context: Context) -> None:
    """Check that the IR is the same when it is printed and parsed again.

    Raises:
        AssertionError: it differs, in the generic form or in the custom one.
        IRError: the text does not parse.
    """
    for generic in (False, True):
        flags = PrintingFlags(generic=generic, debug_info=True)
        text = context.print(operation, flags=flags)
        again = context.parse(text, "round-trip", implicit_module=False)
        context.verify(again)
        found = context.print(again, flags=flags)
        difference = inspector_of(context).first_difference(operation, again)
        if found != text or difference is not None:
            form = "generic" if generic else "custom"
            message = f"the {form} form does not parse to the same IR"
            raise AssertionError(f"{message}:\n{text}\nis parsed to\n{found}")


class _Failure(NamedTuple):
    """A failure of the check that was not expected."""

    when: str
    error: Exception


class CheckAfterPasses(PassInstrumentation):
    """Calls a check after each pass, and compares its failures with those expected."""

    detail = Detail.OPERATIONS

    def __init__(
        self,
        context: Context,
        root: Operation,
        check: Check,
        fails_after: Mapping[str, str],
    ) -> None:
        """Call `check` with `root`, the outermost operation, before any pass.

        Args:
            context: the context of the IR.
            root: the operation that passes run on, or inside of.
            check: the check.
            fails_after: regular expressions of the failures to expect, by argument of
                the pass.

        Raises:
            AssertionError: the check fails on the IR before the first pass.
        """
        self._context = context
        self._root = root
        self._check = check
        self._fails_after = fails_after
        self._missing = set(fails_after)
        """The passes after which the check has not failed as expected so far."""

        self._failures: list[_Failure] = []
        """The failures that were not expected."""

        failure = self._failure()
        if failure is not None:
            message = f"the check fails before the first pass: {_text(failure)}"
            raise AssertionError(message) from failure

    def run_after_pass(self, pass_: Pass, operation: Operation) -> None:
        """Check the IR; note a failure that is not the expected one."""
        failure = self._failure()
        if failure is None:
            return
        name = pass_.argument or pass_.name
        pattern = self._fails_after.get(name)
        if pattern is not None and re.search(pattern, _text(failure)):
            self._missing.discard(name)
            return
        place = self._context.describe(operation)
        self._failures.append(_Failure(f"after pass '{name}' on {place}", failure))

    def check_at_end(self) -> None:
        """Check the IR after all passes, where it could not be checked after each."""
        failure = self._failure()
        if failure is not None:
            self._failures.append(_Failure("after the last pass", failure))

    def require_expected(self) -> None:
        """Check that the check failed where it had to, and nowhere else.

        Raises:
            AssertionError: it failed elsewhere or otherwise, or it did not fail.
        """
        __tracebackhide__ = True
        if self._failures:
            first, *others = self._failures
            message = f"the check fails {first.when}:\n{_text(first.error)}"
            if others:
                message += f"\nand {len(others)} more times after it"
            raise AssertionError(message) from first.error
        for name in sorted(self._missing):
            pattern = self._fails_after[name]
            message = f"expected the check to fail after '{name}' with {pattern!r}"
            raise AssertionError(f"{message}, and it did not")

    def _failure(self) -> Exception | None:
        """Call the check; return the exception that it raises."""
        try:
            self._check(self._root, self._context)
        except Exception as error:  # noqa: BLE001 - a check may raise anything
            return error
        return None


def _text(error: Exception) -> str:
    return str(error) or type(error).__name__
