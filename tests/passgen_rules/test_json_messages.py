"""Messages for people become objects for scripts."""

from __future__ import annotations

import json

import pytest

from passgen_rules.json_messages import json_lines, message_at, messages_in

NO_PLACE = {"file": None, "line": None, "column": None}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "a b.yaml:3:5: error: no such key\n  nam: x\n  ^~~\nnote: did you mean 'name'?",
            [
                {
                    "severity": "error",
                    "file": "a b.yaml",
                    "line": 3,
                    "column": 5,
                    "message": "no such key",
                    "notes": [
                        {
                            "severity": "note",
                            **NO_PLACE,
                            "message": "did you mean 'name'?",
                        }
                    ],
                }
            ],
            id="a place, an excerpt and a note",
        ),
        pytest.param(
            "a.py: error: is missing: note: error: so\nmore",
            [
                {
                    "severity": "error",
                    **NO_PLACE,
                    "file": "a.py",
                    "message": "is missing: note: error: so\nmore",
                    "notes": [],
                }
            ],
            id="a file without a line, and a message of two lines",
        ),
        pytest.param(
            "passgen new: error: found 'x'\nwarning: b\npassgen: note: c",
            [
                {"severity": "error", **NO_PLACE, "message": "found 'x'", "notes": []},
                {
                    "severity": "warning",
                    **NO_PLACE,
                    "message": "b",
                    "notes": [{"severity": "note", **NO_PLACE, "message": "c"}],
                },
            ],
            id="programs are no files",
        ),
        pytest.param(
            "next:\n    cd x\nnote: y",
            [
                {
                    "severity": "note",
                    **NO_PLACE,
                    "message": "next:\n    cd x",
                    "notes": [{"severity": "note", **NO_PLACE, "message": "y"}],
                }
            ],
            id="text without a severity",
        ),
    ],
)
def test_messages(text: str, expected: list[object]) -> None:
    lines = json_lines(messages_in(text)).splitlines()

    assert [json.loads(line) for line in lines] == expected


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("C:\\a.mlir:1:2", ("C:\\a.mlir", 1, 2)),
        ("loc(unknown)", (None, None, None)),
        ("<stdin>", (None, None, None)),
    ],
)
def test_places(place: str, expected: tuple[object, ...]) -> None:
    found = message_at(place, "error", "m")

    assert (found.file, found.line, found.column) == expected
