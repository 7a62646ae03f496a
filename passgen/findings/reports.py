"""Reports as texts: for people, for programs, and for sites that show code reviews.

There is a function for each format; `FORMATS` is the table of them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, TypeAlias
from urllib.parse import quote

from passgen.diagnostics import Note
from passgen.finding_rules import Rule
from passgen.findings.finding import Finding, Ignored, Report
from passgen.output import json_text
from passgen.source import Location

Json: TypeAlias = dict[str, Any]


def text(report: Report) -> str:
    """Return the findings as messages with their places, and their number."""
    lines = [finding.diagnostic().render() for finding in report.findings]
    return "\n".join([*lines, summary(report)]) + "\n"


def brief(report: Report, files: Collection[str]) -> str:
    """Return the text of the findings, with one line for each rule in `files`."""
    alike: dict[tuple[str, str], list[Finding]] = {}
    for finding in report.findings:
        file = finding.location.source.name
        key = (file, finding.rule.name) if file in files else ("", str(len(alike)))
        alike.setdefault(key, []).append(finding)
    lines = []
    for (file, _), (first, *others) in alike.items():
        if not file:
            lines.append(first.diagnostic().render())
            continue
        more = f", and {len(others)} more" if others else ""
        found = replace(first, message=first.message + more)
        lines.append(found.diagnostic().render().partition("\n")[0])
    lines.append(summary(report))
    if any(file for file, _ in alike):
        lines.append("note: --verbose shows all findings of imported files")
    return "\n".join(lines) + "\n"


def summary(report: Report) -> str:
    """Return the numbers of findings: `1 error, 2 warnings; 1 ignored`."""
    counted = [
        f"{count} {severity}{'s' * (count != 1)}"
        for severity, count in report.counts().items()
        if count
    ]
    counts = ", ".join(counted) or "nothing found"
    return f"{counts}; {len(report.ignored)} ignored" if report.ignored else counts


def as_json(report: Report) -> str:
    """Return the report as one JSON object."""
    data = {
        "command": report.command,
        "findings": [_finding(finding) for finding in report.findings],
        "ignored": [
            {**_finding(entry.finding), "reason": entry.ignore.reason}
            for entry in report.ignored
        ],
        "counts": report.counts(),
    }
    return json_text(data)


def _finding(finding: Finding) -> Json:
    notes = [_note(note) for note in finding.notes]
    return {
        "rule": finding.rule.name,
        "severity": finding.rule.severity,
        "message": finding.message,
        **({"name": finding.name} if finding.name else {}),
        **_place(finding.location),
        **({"notes": notes} if notes else {}),
    }


def _note(note: Note) -> Json:
    place = _place(note.location) if note.location else {}
    return {"message": note.message, **place}


def _place(location: Location) -> Json:
    return {
        "file": location.source.name,
        "line": location.line,
        "column": location.column,
        "endColumn": location.column + location.length,
    }


def github(report: Report) -> str:
    """Return GitHub workflow commands that annotate a pull request with findings."""
    return "".join(f"{_annotation(finding)}\n" for finding in report.findings)


def _annotation(finding: Finding) -> str:
    place = finding.location
    properties = {
        "file": place.source.name,
        "line": str(place.line),
        "col": str(place.column),
        "endColumn": str(place.column + place.length - 1),
        "title": finding.rule.name,
    }
    listed = ",".join(
        f"{name}={_escape(value, ':,')}" for name, value in properties.items()
    )
    message = "\n".join(
        [finding.message, *(_markdown_line(note) for note in finding.notes)]
    )
    severity = finding.rule.severity
    command = "notice" if severity == "note" else severity
    return f"::{command} {listed}::{_escape(message)}"


def _markdown_line(note: Note) -> str:
    return f"{note.location}: {note.message}" if note.location else note.message


def _escape(value: str, separators: str = "") -> str:
    for char in "%\r\n" + separators:
        value = value.replace(char, f"%{ord(char):02X}")
    return value


_SARIF_SCHEMA: Final = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
    "sarif-schema-2.1.0.json"
)


def sarif(report: Report) -> str:
    """Return the report as SARIF 2.1.0, the ignored findings as suppressed."""
    rules = list(report.rules.values())
    driver = {
        "name": f"passgen {report.command}",
        "rules": [_sarif_rule(rule) for rule in rules],
    }
    index = {rule.name: position for position, rule in enumerate(rules)}
    results = [_sarif_result(finding, index) for finding in report.findings]
    results += [_sarif_suppressed(entry, index) for entry in report.ignored]
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    return json_text({"$schema": _SARIF_SCHEMA, "version": "2.1.0", "runs": [run]})


def _sarif_rule(rule: Rule) -> Json:
    return {
        "id": rule.name,
        "shortDescription": {"text": rule.meaning},
        "defaultConfiguration": {"level": rule.severity},
    }


def _sarif_result(finding: Finding, index: dict[str, int]) -> Json:
    plain = [note.message for note in finding.notes if not note.location]
    result: Json = {
        "ruleId": finding.rule.name,
        "ruleIndex": index[finding.rule.name],
        "level": finding.rule.severity,
        "message": {"text": "\n".join([finding.message, *plain])},
        "locations": [_sarif_location(finding.location)],
    }
    related = [
        {**_sarif_location(note.location), "message": {"text": note.message}}
        for note in finding.notes
        if note.location
    ]
    if related:
        result["relatedLocations"] = related
    return result


def _sarif_suppressed(ignored: Ignored, index: dict[str, int]) -> Json:
    suppression = {
        "kind": "inSource",
        "justification": ignored.ignore.reason,
        "location": _sarif_location(ignored.ignore.location),
    }
    return {**_sarif_result(ignored.finding, index), "suppressions": [suppression]}


def _sarif_location(location: Location) -> Json:
    region = {
        "startLine": location.line,
        "startColumn": location.column,
        "endColumn": location.column + location.length,
    }
    artifact = {"uri": _uri(location.source.name)}
    return {"physicalLocation": {"artifactLocation": artifact, "region": region}}


def _uri(name: str) -> str:
    """Return the path `name` as a URI, relative where the path is."""
    path = Path(name)
    if path.is_absolute():
        return path.as_uri()
    return quote(os.fsencode(path.as_posix()))


FORMATS: Final[dict[str, Callable[[Report], str]]] = {
    "text": text,
    "json": as_json,
    "github": github,
    "sarif": sarif,
}
"""The functions by the values of `--format`."""
