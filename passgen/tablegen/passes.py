"""Passes of a dump as entries of a spec, and the warnings about them.

An entry has `cpp:` and `tablegen:` only where the tables of `passgen.cpp` spell
something otherwise.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from passgen import diagnostics, naming
from passgen.cpp import (
    RAW_OPTION_END,
    RAW_STATISTIC_END,
    RAW_SUMMARY_END,
    laid_out,
    regular_classes,
    split_parts,
)
from passgen.diagnostics import Diagnostic
from passgen.imported_names import (
    Names,
    argument,
    block,
    member_names,
    option_names,
    statistic_names,
)
from passgen.model import (
    MAX_DESCRIPTION_INDENT,
    DescriptionLayout,
    OptionRecord,
    PassRecord,
    StatisticRecord,
)
from passgen.spec import Commented, Data
from passgen.tablegen.cpp_spellings import BaseClass, Spellings, namespace
from passgen.tablegen.dump import DumpedPass
from passgen.tablegen.enums import EnumKey
from passgen.tablegen.options import option, record_entries, statistic


class Importer:
    """Turns passes to entries of a spec, and collects warnings."""

    def __init__(self, table: Spellings, enums: Mapping[EnumKey, str]) -> None:
        """Begin without warnings.

        Args:
            table: the spellings of the group.
            enums: the classes of enums in Python.
        """
        self._warnings: list[tuple[str, Diagnostic]] = []
        """Each warning with its cause, which is empty if it concerns one pass."""

        self._causes: Counter[str] = Counter()
        self._table = table
        self._enums = enums
        self._arguments = Names(naming.ARGUMENTS)

    def warnings(self) -> Iterator[Diagnostic]:
        """Yield the warnings about the passes that were read."""
        for cause, warning in self._warnings:
            others = self._causes[cause] - 1
            if others > 0:
                passes = "pass has it" if others == 1 else "passes have it"
                message = f"{warning.message}; {others} more {passes}"
                yield replace(warning, message=message)
            else:
                yield warning

    def read(self, dumped: DumpedPass, name: str) -> dict[str, Data]:
        """Return the entry of the pass `name`."""
        record = dumped.record
        cpp: dict[str, Data] = {}
        text = argument(record.argument, name, self._arguments)
        is_default = text == naming.pass_argument(name)
        data: dict[str, Data] = {} if is_default else {"argument": text}
        if name != record.name:
            cpp["name"] = record.name
            self._warn(dumped, f"its name in a spec is '{name}'")
        if text != record.argument:
            cpp["argument"] = record.argument
            self._warn(dumped, f"argument '{record.argument}' is '{text}' in a spec")
        summary = " ".join(record.summary.split())
        data["summary"] = summary
        if not summary:
            cpp["summary"] = record.summary  # so that the spec may have one
            note = "give one as 'summary' of the spec; C++ keeps none"
            self._warn(dumped, "it has no summary", note, cause="summary")
        elif summary != record.summary:
            cpp["summary"] = record.summary
            if "\n" in record.summary.strip():
                self._warn(dumped, "its summary is one line in a spec")
        description, layout = describe(record.description)
        if description:
            data["description"] = block(description)
        data |= self._anchor(dumped, cpp)
        data |= self._dialects(dumped, cpp)
        if record.constructor:
            cpp["constructor"] = record.constructor
        if cpp:
            data["cpp"] = cpp
        regular = regular_classes(record.base_class)
        deprecated, part = record_entries(record.classes, regular, record.fields)
        data |= deprecated
        if layout | part:
            data["tablegen"] = layout | part
        data |= self._options(record)
        self._warn_of_invalid_cpp(dumped)
        return data

    def _warn_of_invalid_cpp(self, dumped: DumpedPass) -> None:
        """Warn of texts and names of which `mlir-tblgen` makes C++ that is invalid."""
        record = dumped.record
        members: list[tuple[str, str, OptionRecord | StatisticRecord]] = [
            *(("option", RAW_OPTION_END, option) for option in record.options),
            *(
                ("statistic", RAW_STATISTIC_END, statistic)
                for statistic in record.statistics
            ),
        ]
        texts = [("its summary", RAW_SUMMARY_END, record.summary)]
        texts += [
            (f"the description of {kind} '{member.cpp_name}'", end, member.description)
            for kind, end, member in members
        ]
        for what, end, text in texts:
            if end in text:
                self._warn(
                    dumped,
                    f"{what} holds '{end}', which ends the text in C++ of mlir-tblgen",
                )
        for name, count in Counter(member.cpp_name for *_, member in members).items():
            if count > 1:
                self._warn(dumped, f"'{name}' names {count} members of its C++ class")

    def _options(self, record: PassRecord) -> dict[str, Data]:
        data: dict[str, Data] = {}
        if record.options:
            wanted = [declared.cpp_name for declared in record.options]
            names, arguments = member_names(wanted, option_names()), Names()
            types = self._table.tables["types"]
            data["options"] = [
                option(declared, name, arguments, types, self._enums)
                for declared, name in zip(record.options, names, strict=True)
            ]
        if record.statistics:
            wanted = [declared.cpp_name for declared in record.statistics]
            names, shown = member_names(wanted, statistic_names()), Names()
            data["statistics"] = [
                statistic(declared, name, shown)
                for declared, name in zip(record.statistics, names, strict=True)
            ]
        return data

    def _anchor(self, dumped: DumpedPass, cpp: dict[str, Data]) -> dict[str, Data]:
        base_class = dumped.record.base_class
        base = BaseClass.of(base_class)
        spelled = base.anchor
        if not base.is_regular:
            cpp["baseClass"] = base_class
        if base.kind == "Operation" and not spelled:
            return {}
        name: str | None = base.interface
        regular = self._table.spell("interfaces", base.interface)
        if base.kind == "Operation":
            name = self._table.known.operation(spelled)
            if name is None:
                if base.is_regular:
                    cpp["anchor"] = Commented(spelled, _UNKNOWN)
                what = f"operation of class '{spelled}' is not known"
                note = (
                    "name the folder of its .td file with -I, or give its name in "
                    f"'cpp: {{operations: {{NAME: {spelled}}}}}' of the spec"
                )
                self._warn(dumped, what, note, cause=spelled)
                return {}
            regular = self._table.spell("operations", name)
        if name:
            if base.is_regular and regular != spelled:
                cpp["anchor"] = Commented(spelled, f"not {regular}")
            return {"anchor" if base.kind == "Operation" else "interface": name}
        cpp["baseClass"] = base_class
        what = f"what it runs on is not known of base class '{base_class}'"
        note = "give it as 'anchor' or 'interface' of the spec"
        self._warn(dumped, what, note, cause=base_class)
        return {}

    def _dialects(self, dumped: DumpedPass, cpp: dict[str, Data]) -> dict[str, Data]:
        record = dumped.record
        if not record.dependent_dialects:
            return {}
        found: dict[str, str] = {}
        is_regular = True
        for spelled in record.dependent_dialects:
            for part in split_parts(spelled):
                name = namespace(part.strip(), self._table.known)
                is_regular = is_regular and part == spelled and name is not None
                is_regular = is_regular and name not in found
                if name is not None:
                    found.setdefault(name, part)
                    self._warn_of_guess(dumped, name, part.strip())
                elif part.strip():
                    what = f"dialect of class '{part.strip()}' is not known"
                    note = "give its namespace in 'dependentDialects' of the spec"
                    self._warn(dumped, what, note, cause=part.strip())
        if is_regular:
            irregular: dict[str, Data] = {
                name: Commented(spelled, f"not {usual}")
                for name, spelled in found.items()
                if (usual := self._table.spell("dialects", name)) != spelled
            }
            if irregular:
                cpp["dialects"] = irregular
        else:
            cpp["dependentDialects"] = list(record.dependent_dialects)
        return {"dependentDialects": list(found)} if found else {}

    def _warn_of_guess(self, dumped: DumpedPass, name: str, spelled: str) -> None:
        if self._table.known.namespace(spelled) is None:
            what = f"namespace '{name}' of dialect class '{spelled}' is a guess"
            note = (
                "name the folder of its .td file with -I, or give its namespace in "
                f"'cpp: {{dialects: {{{name}: ...}}}}' of the spec"
            )
            self._warn(dumped, what, note, cause=f"dialect {name}")

    def _warn(
        self, dumped: DumpedPass, what: str, *notes: str, cause: str = ""
    ) -> None:
        """Warn of a pass, and once of a cause that passes share: in the first of them.

        A class is one cause, also where it is written without its outer namespaces.
        """
        cause = cause.removeprefix("::").removeprefix("mlir::")
        self._causes[cause] += bool(cause)
        if self._causes[cause] <= 1:
            message = f"pass '{dumped.record.name}': {what}"
            found = tuple(map(diagnostics.Note, notes))
            warning = Diagnostic(message, dumped.location, found, "warning")
            self._warnings.append((cause, warning))


_UNKNOWN: Final = "an operation whose name is not known"


def describe(raw: str) -> tuple[str, dict[str, Data]]:
    """Return a description without its indentation, and the entries of its layout."""
    body = _BLANK_LINES.sub("", raw).rstrip()
    start = raw[: raw.find(body)] if body else ""
    end = raw[len(start) + len(body) :]
    lines = body.split("\n")
    indent = min(
        (len(line) - len(line.lstrip(" ")) for line in lines if line.strip()), default=0
    )
    text = "\n".join(line[indent:] for line in lines)
    is_regular = laid_out(text, DescriptionLayout(start, indent, end)) == raw
    if not is_regular or indent > MAX_DESCRIPTION_INDENT:
        return text.strip("\n"), {"description": raw}
    if not text:
        return "", {}
    regular = DescriptionLayout()
    layout: tuple[tuple[str, Data, Data], ...] = (
        ("descriptionStart", start, regular.start),
        ("descriptionIndent", indent, regular.indent),
        ("descriptionEnd", end, regular.end),
    )
    return text, {key: found for key, found, default in layout if found != default}


_BLANK_LINES: Final = re.compile(r"\A(?:[ \t]*\n)*")
