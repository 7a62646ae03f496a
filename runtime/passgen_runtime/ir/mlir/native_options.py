"""Options of MLIR's own passes: MLIR parses them, `known_passes` lists them.

A pass outside that table accepts any option that MLIR accepts.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Self

from passgen_runtime.diagnostics import print_text
from passgen_runtime.errors import PassOptionError, nearest_note
from passgen_runtime.ir.mlir.bindings import Bindings
from passgen_runtime.ir.mlir.pass_versions import version_note
from passgen_runtime.pass_options import BOOL, OptionInfo, OptionType, PassOptions
from passgen_runtime.textual_pipeline import TextualOption, quote


def _print(value: Any) -> str:  # noqa: ANN401 - checked by the type
    if isinstance(value, list | tuple):
        return f"{{{','.join(map(_print, value))}}}"
    return BOOL.print(value) if isinstance(value, bool) else quote(str(value))


_ANY: Final[OptionType[Any]] = OptionType(
    "any type",
    zero="",
    parse=str,
    accepts=lambda value: isinstance(value, bool | int | float | str | list | tuple),
    print=_print,
    expected="a string, a number, a boolean or a list of these",
)
"""The type of an option outside the table: MLIR parses its values."""

_READER: Final = "<Pass-Options-Parser>: "
_STANDARD_ERROR: Final = 2


@dataclass(kw_only=True)
class NativePassOptions(PassOptions):
    """Options of one of MLIR's passes, which MLIR parses."""

    known: ClassVar[Mapping[str, OptionInfo]] = {}
    """The options of the pass in the table, by argument."""

    given: str = ""
    """The given options in pipeline syntax."""

    @classmethod
    def declared_options(cls) -> tuple[OptionInfo, ...]:
        """Return no options: `given` holds all of them as text."""
        return ()

    @classmethod
    def documented_options(cls) -> tuple[OptionInfo, ...]:
        """Return the options in the table, without their defaults."""
        return tuple(cls.known.values())

    @classmethod
    def from_textual(
        cls, options: Iterable[TextualOption], base: Self | None = None
    ) -> Self:
        """Return the options of `base` followed by `options`, unparsed."""
        before = () if base is None else (base.given,)
        return cls(given=" ".join((*before, *map(str, options))))

    @classmethod
    def option_info(cls, argument: str) -> OptionInfo:
        """Return the option in the table, else one of any type."""
        return cls.known.get(argument) or OptionInfo(
            argument, argument, _ANY, is_list=False, default=None, description=""
        )

    def _spellings(self) -> Iterator[str]:
        if self.given:
            yield self.given


def refusal(bindings: Bindings, text: str) -> str | None:
    """Return MLIR's error for the pass in `text`, `None` if MLIR accepts it."""
    try:
        bindings.passmanager.PassManager.parse(f"any({text})", bindings.scratch)
    except ValueError as error:
        return str(error)
    return None


def check_options(
    bindings: Bindings,
    argument: str,
    parsed: PassOptions,
    given: Sequence[TextualOption],
) -> None:
    """Check that MLIR accepts options of a pass.

    Args:
        bindings: the bindings that have the pass.
        argument: the name of the pass.
        parsed: its options.
        given: the text of each option.

    Raises:
        PassOptionError: MLIR refuses them.
    """
    text = str(parsed)
    if not text:
        return
    with _native_standard_error() as output:
        message = refusal(bindings, f"{argument}{{{text}}}")
    if message is None:
        print_text(output[0])
        return
    # The exception reports an unknown option; only standard error has the report of a
    # wrong value.
    lines = [line.strip() for line in (*output[0].splitlines(), *message.splitlines())]
    reasons = [line.removeprefix(_READER).lstrip(": ") for line in lines if line]
    reason = reasons[0] if reasons else message
    error = PassOptionError(reason)
    named = re.split(r"[^\w-]+", reason.replace("--", " "))
    quoted = re.findall(r"'([\w.-]+)'", reason)
    by_key = [entry for entry in given if entry.key in named]
    by_value = [entry for entry in given if any(name in str(entry) for name in quoted)]
    if by_key:
        error.span = by_key[0].span
        if reason.startswith("no such option"):
            known = [info.argument for info in parsed.documented_options()]
            note = version_note(argument, by_key[0].key)
            error.notes = (note,) if note else nearest_note(by_key[0].key, known)
    elif by_value:  # the value is a pipeline, and the reason quotes its wrong pass
        error.span = by_value[0].value_span
    raise error


@contextmanager
def _native_standard_error() -> Iterator[list[str]]:
    """Capture native code's standard error in the one string of the yielded list."""
    output = [""]
    print_text("")  # flush earlier output
    with tempfile.TemporaryFile() as file:
        kept = os.dup(_STANDARD_ERROR)
        os.dup2(file.fileno(), _STANDARD_ERROR)
        try:
            yield output
        finally:
            os.dup2(kept, _STANDARD_ERROR)
            os.close(kept)
            file.seek(0)
            output[0] = file.read().decode(errors="replace")
