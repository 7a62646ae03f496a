"""Misspelt names in a pass: its failure has the suggestion that Python would show."""

from __future__ import annotations

import dataclasses  # noqa: F401 - the codes name it
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from passgen_runtime.errors import PassFailure, text_of
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_options import INT64, PassOptions, option
from tests import planted_faults  # noqa: F401 - the codes name it
from tests.recording import Session


@dataclass(kw_only=True)
class BoundDelaysOptions(PassOptions):
    """The options of the pass."""

    max_delay: int = option("max-delay", INT64, default=4, description="d")


class Counter:
    """An object with public and private names."""

    num_bounds = 0
    _hidden_count = 0

    def add(self, *, amount: int = 1) -> None:
        """Add `amount`."""
        self.num_bounds += amount

    @property
    def total(self) -> int:
        """The total, which always raises."""
        raise AttributeError(name="total", obj=self)

    def __dir__(self) -> list[str]:
        """Return the names, also the one that raises."""
        return ["num_bounds", "_hidden_count", "add", "total"]


class Special(Counter):
    """An object whose method is inherited."""


class Undirected:
    """An object that does not list its names."""

    def __dir__(self) -> list[str]:
        """Raise."""
        raise ValueError


def added(amount: int) -> int:
    """Return one more."""
    return amount + 1


def failure_of(do: Callable[[], object]) -> str:
    """Return the note on what a pass raised that calls `do`."""
    session = Session()

    def work(_: Pass) -> None:
        do()

    session.manager.add_pass(session.step("P", work))
    with pytest.raises(PassFailure) as raised:
        session.run()
    (note,) = (line for line in str(raised.value).splitlines() if "it raised" in line)
    return note


OPTIONS = BoundDelaysOptions()


@pytest.mark.parametrize(
    ("code", "meant"),
    [
        ("OPTIONS.max_delays", "max_delay"),
        ("Counter().num_bound", "num_bounds"),
        ("Counter().Num_Bounds", "num_bounds"),
        ("planted_faults.dataclas", "dataclass"),
        ("Countre()", "Counter"),
        ("qqqq", None),
        ("lenn", "len"),
        ("BoundDelaysOptions(max_dely=3)", "max_delay"),
        ("dataclasses.replace(OPTIONS, max_dely=3)", "max_delay"),
        ("added(amuont=1)", "amount"),
        ("Counter().add(amuont=1)", "amount"),
        ("Special().add(amuont=1)", "amount"),
        ("dataclasses.replace(OPTIONS, changse=3)", None),
        ("added(quantity=1)", None),
        ("Counter().quantity", None),
        ("Counter().hidden_count", None),
        ("Counter()._hidden_coun", "_hidden_count"),
        ("Counter().total", None),
        ("Undirected().x", None),
    ],
)
def test_the_name_that_was_meant_is_in_the_failure(
    code: str, meant: str | None
) -> None:
    note = failure_of(lambda: eval(code))  # noqa: S307 - the code of this test
    # Since 3.13, Python itself suggests keywords, without a colon.
    shown = note.partition("id you mean")[2].removeprefix(":")
    assert shown == (f" '{meant}'?" if meant else "")


def test_a_suggestion_of_python_or_of_the_author_stands_alone() -> None:
    error = AttributeError("no x\nnote: did you mean 'y'?", name="x", obj=Counter())
    assert text_of(error) == str(error)
    error = AttributeError("no num_bound", name="num_bound", obj=Counter())
    assert text_of(error) == "no num_bound. Did you mean: 'num_bounds'?"
    assert text_of(AttributeError("by hand")) == "by hand"
