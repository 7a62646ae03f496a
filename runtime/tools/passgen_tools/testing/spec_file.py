"""Specs as tests of pytest: each example of a pass is one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from passgen_tools.testing.example_run import ExampleDriver, run_example
from passgen_tools.testing.example_update import update_example
from passgen_tools.testing.settings import UPDATED, driver_of_spec
from passgen_tools.testing.spec_examples import SpecError, SpecExample, read_examples
from passgen_tools.testing.update import why_not_restorable


class SpecFile(pytest.File):
    """A spec."""

    refusals: Mapping[str, str] = {}
    """Why files with its examples must not be written, by file; none if they may."""

    def collect(self) -> Iterator[pytest.Item]:
        """Yield the examples of the passes that the spec declares."""
        words, place = driver_of_spec(self.config, self.path)
        driver = ExampleDriver(place, words, chooses_library=words[0] == "passgen-opt")
        try:
            examples = read_examples(self.path)
        except SpecError as error:
            # An error of the collection would keep all other tests from running.
            yield ExampleItem.from_parent(
                self, name="examples", example=str(error), driver=driver
            )
            return
        if _is_updating(self.config) and not self.config.getoption("--force-update"):
            # Asked before the first test: an update is a change of the file, too.
            files = {example.file for example in examples}
            self.refusals = {file: why_not_restorable(Path(file)) for file in files}
        for example in examples:
            yield ExampleItem.from_parent(
                self, name=example.name, example=example, driver=driver
            )


class ExampleItem(pytest.Item):
    """A test: an example of a pass."""

    def __init__(
        self,
        *,
        example: SpecExample | str,
        driver: ExampleDriver,
        **rest: Any,  # noqa: ANN401
    ) -> None:
        """Make the item of an example, or of the reason why there is none."""
        super().__init__(**rest)
        self._example = example
        self._driver = driver

    def runtest(self) -> None:
        """Run the example.

        Raises:
            Failed: it is stale, or its result is to be updated, and cannot.
        """
        if isinstance(self._example, str):
            pytest.fail(self._example, pytrace=False)
        run = run_example(self._example, self._driver)
        if not run.failure:
            return
        if not _is_updating(self.config):
            renew = f"To renew: pytest --update-checks '{self.nodeid}'"
            advice = f"\n\n{renew}" if run.result else ""
            pytest.fail(f"{run.failure.rstrip()}{advice}", pytrace=False)
        if not run.result:
            pytest.fail(run.failure, pytrace=False)
        spec = self.getparent(SpecFile)
        refusal = spec.refusals.get(self._example.file, "") if spec else ""
        change = update_example(self.path, run, refusal)
        self.user_properties.append((UPDATED, change))

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return the place of the example, and its name in headings."""
        line = 1 if isinstance(self._example, str) else self._example.line
        return self.path, line - 1, self.name


def _is_updating(config: pytest.Config) -> bool:
    return bool(
        config.getoption("--update-checks") or config.getoption("--update-all-checks")
    )
