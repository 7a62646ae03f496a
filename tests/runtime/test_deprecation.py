"""The line that a warning about something deprecated shows: that of an author."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from passgen_runtime.deprecation import warn


@pytest.mark.parametrize(
    "module",
    ["passgen_runtime.pass_options", "passgen_rules.suggestions", "declared_passes"],
)
def test_calls_of_the_infrastructure_and_of_declarations_are_skipped(
    module: str,
) -> None:
    namespace: dict[str, Any] = {"__name__": module}
    exec("def call(function): function()", namespace)  # noqa: S102 - a module by name

    warn_inside = partial(warn, "option 'a'", "Use 'b'.", "declared_passes")
    with pytest.warns(DeprecationWarning, match="'a' is deprecated: Use 'b'.") as found:
        namespace["call"](warn_inside)

    assert found[0].filename == __file__
