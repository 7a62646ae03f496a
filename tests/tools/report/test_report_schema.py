"""The published schema of the data of reports."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from passgen_tools.record import record_dumps
from passgen_tools.report import REPORT_VERSION, main, report_data
from tests.tools.report.recorded_runs import (
    failed,
    recorded,
    recorded_by_driver,
)
from tests.tools.report.test_report_from_log import LOG


@pytest.fixture
def schema(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    assert main(["--json-schema"]) == 0
    schema: dict[str, Any] = json.loads(capsys.readouterr().out)
    return schema


def strict(schema: Any) -> Any:  # noqa: ANN401 - JSON
    """Return the schema without room for keys that it does not describe."""
    if isinstance(schema, list):
        return [strict(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    parts = {key: strict(value) for key, value in schema.items()}
    if isinstance(schema.get("properties"), dict):
        parts.setdefault("additionalProperties", False)
    return parts


def of_log(path: Path) -> Path:
    record_dumps(LOG.encode().splitlines(keepends=True), path)
    return path


@pytest.mark.parametrize("make", [recorded, recorded_by_driver, failed, of_log])
@pytest.mark.parametrize("is_compared", [False, True])
def test_the_data_is_what_the_schema_describes(
    schema: dict[str, Any],
    tmp_path: Path,
    make: Callable[[Path], Path],
    is_compared: bool,  # noqa: FBT001 - of the parameters of the test
) -> None:
    other = recorded(tmp_path / "other.db") if is_compared else None
    data = json.loads(json.dumps(report_data(make(tmp_path / "run.db"), other)))

    errors = list(Draft202012Validator(strict(schema)).iter_errors(data))

    assert [f"{each.json_path}: {each.message}" for each in errors] == []
    assert data["executions"]["pass"]
    assert ("comparison" in data) is is_compared


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("version", 2),
        ("executions", {"pass": []}),
        ("nested", [[1]]),
        ("unsuccessful", [[0, "succeeded"]]),
        ("statistics", [[0, "name", "1"]]),
    ],
)
def test_other_data_is_not(
    schema: dict[str, Any], tmp_path: Path, key: str, value: object
) -> None:
    data = json.loads(json.dumps(report_data(recorded(tmp_path / "run.db"))))

    assert not Draft202012Validator(schema).is_valid({**data, key: value})


def test_every_part_is_described_and_its_version_is_that_of_the_data(
    schema: dict[str, Any],
) -> None:
    Draft202012Validator.check_schema(schema)
    assert schema["properties"]["version"]["const"] == REPORT_VERSION
    for name, part in schema["properties"].items():
        assert part["description"], name
