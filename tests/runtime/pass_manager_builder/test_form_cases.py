"""The table of forms, judged by builders and of parsed pipelines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from passgen_runtime import (
    PIPELINE,
    OperationPass,
    Pass,
    PassOptions,
    PassRegistry,
    TextualPipeline,
    option,
)
from passgen_runtime.forms import Form, FormRules
from passgen_runtime.pass_manager_builder import PassManagerBuilder
from tests.cases.reader import read_cases

FORMS = {"a": Form("a", absent=("linalg",)), "c": Form("c", check="my.forms:check")}


@dataclass(kw_only=True)
class BodyOptions(PassOptions):
    body: TextualPipeline = option("body", PIPELINE)


class Nothing(OperationPass[PassOptions]):
    def run_on_operation(self) -> None:
        pass


class Dynamic(OperationPass[BodyOptions]):
    def run_on_operation(self) -> None:
        pass


def class_of(argument: str, declared: dict[str, list[str]]) -> type[Pass]:
    """Return the pass class that passgen would write for `declared`."""
    rules = {
        key: tuple(names if key == "creates" else map(FORMS.__getitem__, names))
        for key, names in declared.items()
    }
    attributes: dict[str, Any] = {"argument": argument, "__module__": __name__}
    if rules:
        attributes["forms"] = FormRules(**rules)  # type: ignore[arg-type] # of the table
    if argument not in {"canonicalize", "open"}:
        attributes["declared_in"] = "spec.yaml"
    base = Dynamic if argument == "dynamic" else Nothing
    return type(argument.title(), (base,), attributes)


def text_of(elements: list[Any]) -> str:
    """Return `elements` of a spec as a textual pipeline."""
    return ",".join(
        (
            f"{each['nest']}({text_of(each['elements'])})"
            if isinstance(each, dict)
            else each
        )
        for each in elements
    )


APPLIED = [case for case in read_cases("forms") if case.get("everywhere")]


@pytest.mark.parametrize("case", APPLIED, ids=str)
def test_case(case: dict[str, Any]) -> None:
    registry = PassRegistry()
    for argument in ("b", "g", "k", "open", "p", "x", "canonicalize", "dynamic"):
        registry.register_pass(class_of(argument, case["passes"].get(argument, {})))
    builder = PassManagerBuilder(registry=registry, defers_checks=True)
    builder.add(text_of(case["pipeline"]))

    wanted = []
    if "broken" in case:
        user, form, breaker = case["broken"]
        what = f"pass '{user}' needs '{form}'; '{breaker}' breaks it before that"
        wanted = [f"{what}, and nothing after it gives it"]
    assert [found.message for found in builder.check()] == wanted
