"""The driver behind the page of a playground: runs, completes and explains.

A worker of the browser calls it with plain text, and gets JSON. It answers with what
the terminal has: the output of the driver, its completion and its help.
"""

from __future__ import annotations

import io
import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, Final, NamedTuple

from passgen_runtime.pass_manager_builder import PassManagerBuilder
from passgen_runtime.pass_options import OptionInfo
from passgen_runtime.pass_registry import PipelineEntry, RegistryEntry
from passgen_runtime.plugins import load_plugins
from passgen_runtime.textual_pipeline import braced_text, parse_options, quote, text_of
from passgen_tools.ir_diff import ir_diff
from passgen_tools.ir_libraries import XDSLLibrary
from passgen_tools.opt.completion import complete
from passgen_tools.opt.default_parts import DEFAULT_PARTS
from passgen_tools.opt.driver_part import flags_of
from passgen_tools.opt.help import default_text, pass_text, type_text
from passgen_tools.opt.ir_library import offered_passes
from passgen_tools.opt.main import main
from passgen_tools.opt.reports import unexpected_error
from passgen_tools.record import RunRecord
from passgen_tools.report import html_page, report_data

_PROGRAM: Final = "passgen-opt"
_INPUT: Final = "input.mlir"
_RECORD: Final = Path("run.db")
_REPORTS: Final = Path("reports.txt")

_PLACED: Final = re.compile(
    rf"^{re.escape(_INPUT)}:(\d+):(\d+): (error|warning|remark|note): (.*)$",
    re.MULTILINE,
)


class Session:
    """A driver with its passes; its files are in the current folder."""

    def __init__(self, plugins: Sequence[str] = ()) -> None:
        """Offer the passes of `plugins` beside those shipped here and xDSL's.

        Raises:
            PluginError: one of them does not load.
        """
        self._registry = offered_passes(XDSLLibrary(), None)
        load_plugins(PassManagerBuilder(registry=self._registry), plugins)
        self._flags = flags_of(DEFAULT_PARTS)
        self._arguments = [
            "--mlir-pass-statistics",
            "--mlir-timing",
            f"--info-output-file={_REPORTS}",
            f"--record={_RECORD}",
            *(f"--load-pass-plugin={plugin}" for plugin in plugins),
        ]

    def run(self, ir: str, pipeline: str) -> str:
        """Run the driver on `ir`; return output, messages, reports and changes."""
        # Half a pair of surrogates is what the driver refuses as no UTF-8.
        Path(_INPUT).write_bytes(ir.encode("utf-8", "surrogatepass"))
        for path in (_RECORD, _REPORTS):
            path.unlink(missing_ok=True)
        arguments = [_INPUT, *self._arguments]
        if pipeline.strip():
            arguments.append(f"--pass-pipeline={pipeline}")
        output, messages = io.StringIO(), io.StringIO()
        try:
            with redirect_stdout(output), redirect_stderr(messages):
                code = main(arguments, name=_PROGRAM)
        except BaseException as error:  # noqa: BLE001 - a user sees no traceback
            code = 1
            messages.write(unexpected_error(error))
        text = messages.getvalue()
        return json.dumps(
            {
                "code": code,
                "output": output.getvalue(),
                "messages": text,
                "places": [
                    {"line": int(line), "column": int(column), "severity": severity}
                    for line, column, severity, _ in _PLACED.findall(text)
                ],
                "reports": _REPORTS.read_text("utf-8") if _REPORTS.exists() else "",
                "passes": list(_executions()) if _RECORD.exists() else [],
            }
        )

    def report(self) -> str:
        """Return the page of the report of the last run; empty if there is none."""
        if not _RECORD.exists():
            return ""
        return html_page(report_data(_RECORD), _INPUT)

    def assist(self, pipeline: str, cursor: int) -> str:
        """Return completions of the text before `cursor`, and the pass there."""
        line = f"{_PROGRAM} --pass-pipeline={shlex.quote(f'{pipeline[:cursor]} ')[:-2]}"
        found = complete(line, self._flags, self._registry)
        element = _element_at(pipeline, cursor)
        entry = self._registry.lookup(element.name) if element.name else None
        described = None if entry is None else self._describe(entry, element)
        return json.dumps({**found._asdict(), "pass": described})

    def set_option(self, pipeline: str, cursor: int, argument: str, value: str) -> str:
        """Return `pipeline` with another value of an option; empty: without it."""
        element = _element_at(pipeline, cursor)
        entry = self._registry.lookup(element.name)
        infos = entry.options_class.documented_options() if entry else ()
        info = next((info for info in infos if info.argument == argument), None)
        if info is None:  # the text has changed since the form was made
            return pipeline
        spelled = {option.key: str(option) for option in parse_options(element.options)}
        spelled.pop(argument, None)
        if value:
            spelled[argument] = f"{argument}={_spell(info, value)}"
        options = f"{{{' '.join(spelled.values())}}}" if spelled else ""
        before, after = pipeline[: element.start], pipeline[element.end :]
        return f"{before}{element.name}{options}{after}"

    def _describe(
        self, entry: RegistryEntry | PipelineEntry, element: _PlacedElement
    ) -> Mapping[str, Any]:
        given = {
            option.key: "true" if option.value is None else text_of(option.value)
            for option in parse_options(element.options)
        }
        options = [
            {
                "argument": info.argument,
                "type": type_text(info),
                "isList": info.is_list,
                "choices": info.type.choices,
                "default": default_text(info),
                "description": info.description,
                "value": given.get(info.argument),
            }
            for info in entry.options_class.documented_options()
        ]
        help_text = pass_text(entry.argument, self._registry)
        return {"name": entry.argument, "help": help_text, "options": options}


class _PlacedElement(NamedTuple):
    """An element of a pipeline, which may be incomplete."""

    name: str
    start: int
    end: int
    options: str
    """The text between its braces."""


def _element_at(pipeline: str, cursor: int) -> _PlacedElement:
    """Return the element around `cursor`, whose name is empty if there is none."""
    start, depth = 0, 0
    for end, char in enumerate(f"{pipeline},"):
        depth += (char == "{") - (char == "}")
        if (depth <= 0 and char in ",()") or end == len(pipeline):
            if cursor <= end:
                break
            start = end + 1
    text = pipeline[start:end]
    name, _, options = text.partition("{")
    start += len(name) - len(name.lstrip())
    options = options.rstrip().removesuffix("}")
    return _PlacedElement(name.strip(), start, start + len(text.strip()), options)


def _spell(info: OptionInfo, value: str) -> str:
    is_text = info.type.name == "string" and not info.is_list
    return quote(value) if is_text else braced_text(value)


def _executions() -> Iterator[Mapping[str, Any]]:
    """Yield each call of a pass in the record, with the difference that it made."""
    record = RunRecord(_RECORD)
    for execution in record.executions:
        diff = ""
        if execution.has_changed:
            diff = ir_diff(
                *map(record.shown_ir, (execution.before_id, execution.after_id))
            )
        yield {
            "path": execution.path,
            "text": execution.text,
            "operation": execution.operation,
            "status": execution.status,
            "diff": diff,
        }
