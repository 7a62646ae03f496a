"""A pass with an option and a statistic, and a manager with an attribute."""

from __future__ import annotations

from dataclasses import dataclass

from passgen_runtime import (
    INT32,
    UINT32,
    OperationPass,
    Pass,
    PassManager,
    PassOptions,
    option,
    statistic,
)
from passgen_runtime.context import Context
from tests.recording import Session


@dataclass(kw_only=True)
class CountOptions(PassOptions):
    step: int = option("step", UINT32, default=1, description="What is added.")


class Count(OperationPass[CountOptions]):
    argument = "count"
    num_seen = statistic("num-seen", "Operations seen.")

    def run_on_operation(self) -> None:
        self.num_seen += self.options.step


class TitledManager(PassManager):
    def __init__(self, context: Context, title: str) -> None:
        super().__init__(context)
        self.title = title


@dataclass(kw_only=True)
class Number(PassOptions):
    n: int = option("n", INT32, default=1)


def initialized(session: Session, name: str, **attributes: object) -> Pass:
    """Return a pass with an option that logs its initialization."""

    def initialize(_: object, context: object) -> None:
        del context
        session.log.add(f"initialize {name}")

    attributes |= {"initialize": initialize, "options_class": Number}
    return session.step(name, None, **attributes)
