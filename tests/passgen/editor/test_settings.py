"""The settings of an editor: what is taken, and what is said about the others."""

from __future__ import annotations

import pytest

from passgen.editor import Settings, read_settings


def test_settings_are_taken_from_the_options_of_an_editor() -> None:
    options = {"specs": ["specs/*.yaml"], "schema": False, "driver": "python 'a b.py'"}

    assert read_settings(options) == (
        Settings(("specs/*.yaml",), schema=False, driver=("python", "a b.py")),
        [],
    )


@pytest.mark.parametrize(
    "options", [None, {}, {"specs": None, "schema": None, "driver": None}]
)
def test_what_is_not_given_has_its_default(options: object) -> None:
    assert read_settings(options) == (Settings(), [])


WRONG = {
    "initialization options: found [], expected an object": [],
    "unknown option 'shema'; did you mean 'schema'?": {"shema": False},
    "unknown option 'x'; known: specs, schema, driver": {"x": 1},
    "option 'schema': found \"false\", expected true or false": {"schema": "false"},
    'option \'specs\': found "*.yaml", expected a list, such as ["specs/*.yaml"]': {
        "specs": "*.yaml"
    },
    "option 'specs': found 3, expected a pattern relative to the root": {"specs": [3]},
    "option 'specs': found \"\", expected a pattern relative to the root": {
        "specs": [""]
    },
    "option 'specs': found \"/a/*\", expected a pattern relative to the root": {
        "specs": ["/a/*"]
    },
    "option 'driver': found [], expected a command line, such as \"passgen-opt\"": {
        "driver": []
    },
    'option \'driver\': found "a \'b", expected a command line, such as "passgen-opt"': {
        "driver": "a 'b"
    },
}


@pytest.mark.parametrize("message", WRONG)
def test_a_wrong_setting_has_its_default(message: str) -> None:
    assert read_settings(WRONG[message]) == (Settings(), [message])
