"""Files of known verdicts, by which a check fails on news only."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import get_args

from passgen_runtime.errors import PassError
from passgen_tools.verify.judgements import Judgement, Verdict
from passgen_tools.verify.pattern_verdicts import PatternVerdicts


@dataclass(frozen=True, order=True)
class KnownVerdict:
    """A verdict about a pattern that is known."""

    pass_name: str
    pattern: str
    verdict: str
    types: str = ""
    """The types of a counterexample; what is not decided depends on the machine."""

    flags: str = ""

    def __str__(self) -> str:
        """Return the pattern and the verdict."""
        subject = f"{self.pass_name}: {self.pattern}"
        types = f": {self.types}" if self.types else ""
        flags = f" ({self.flags})" if self.flags else ""
        return f"{subject}: {self.verdict.replace('-', ' ')}{types}{flags}"


_FIELDS = {
    "pass": "pass_name",
    "pattern": "pattern",
    "verdict": "verdict",
    "types": "types",
    "flags": "flags",
}
"""The keys of a row in the file, and the fields that they stand for."""


def failing_verdicts(
    verdicts: Iterable[PatternVerdicts], failing: Collection[str]
) -> list[KnownVerdict]:
    """Return the verdicts that are among `failing`, each once."""
    found = {
        _known(row.pass_name, judgement): None
        for row in verdicts
        for judgement in row.judgements
        if judgement.verdict in failing
    }
    return list(found)


def _known(pass_name: str, judgement: Judgement) -> KnownVerdict:
    if judgement.verdict != "wrong":
        return KnownVerdict(pass_name, judgement.pattern, judgement.verdict)
    return KnownVerdict(
        pass_name,
        judgement.pattern,
        judgement.verdict,
        judgement.types,
        judgement.flags,
    )


def known_verdicts_text(known: Iterable[KnownVerdict]) -> str:
    """Return the content of a file of known verdicts: a list, a row for each."""
    rows: list[str] = []
    for verdict in sorted(known):
        values = asdict(verdict)
        row = {key: values[name] for key, name in _FIELDS.items() if values[name]}
        rows.append(f"  {json.dumps(row)}")
    listed = ",\n".join(rows)
    return f"[\n{listed}\n]\n" if rows else "[]\n"


def read_known_verdicts(path: Path) -> set[KnownVerdict]:
    """Return the verdicts in a file.

    Raises:
        PassError: it cannot be read, or has something else.
    """
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise PassError(f"cannot read '{path}': {error.strerror}") from error
    except ValueError as error:
        raise PassError(f"'{path}' is no JSON: {error}") from error
    if not isinstance(rows, list):
        raise PassError(f"'{path}': expected a list of verdicts")
    return {_read_row(row, f"'{path}': row {at}") for at, row in enumerate(rows, 1)}


def _read_row(row: object, place: str) -> KnownVerdict:
    """Return the verdict in a row.

    Raises:
        PassError: it is none.
    """
    expected = "expected 'pass', 'pattern' and 'verdict', perhaps 'types' and 'flags'"
    if not isinstance(row, dict) or not row.keys() <= _FIELDS.keys():
        raise PassError(f"{place}: {expected}")
    if not all(isinstance(value, str) for value in row.values()):
        raise PassError(f"{place}: expected strings")
    if not row.keys() >= {"pass", "pattern", "verdict"}:
        raise PassError(f"{place}: {expected}")
    if row["verdict"] not in get_args(Verdict):
        names = ", ".join(get_args(Verdict))
        raise PassError(f"{place}: verdict '{row['verdict']}', expected one of {names}")
    return KnownVerdict(**{_FIELDS[key]: value for key, value in row.items()})
