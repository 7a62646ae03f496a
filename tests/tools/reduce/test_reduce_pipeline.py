"""The pipeline of a reproducer made small."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from passgen_runtime import PipelineError
from passgen_tools.reduce.pipelines import PipelineReducer


def reduced(text: str, is_interesting: Callable[[str], bool]) -> str:
    kept: list[str] = []

    def find_first(pipelines: Iterable[str]) -> int | None:
        for index, pipeline in enumerate(pipelines):
            if is_interesting(pipeline):
                return index
        return None

    reducer = PipelineReducer(text, find_first, lambda: kept.append(str(reducer)))
    while reducer.run():
        pass
    assert kept[-1:] in ([], [str(reducer)])
    return str(reducer)


@pytest.mark.parametrize(
    ("pipeline", "needed", "left"),
    [
        ("builtin.module(a,b,c,d,e)", ["d"], "builtin.module(d)"),
        ("builtin.module(a,b,c,d,e)", ["a", "e"], "builtin.module(a,e)"),
        ("builtin.module(a,func.func(b,d),a)", ["d"], "builtin.module(func.func(d))"),
        ("builtin.module(a,func.func(b,c),a)", ["func"], "builtin.module(func.func())"),
        ("builtin.module(a,a,a)", ["a"], "builtin.module(a)"),
        ("builtin.module(a{x=1 y={2 3} z},b)", ["y="], "builtin.module(a{y={2 3}})"),
        ("builtin.module(a{x=1 y=2 z})", ["a"], "builtin.module(a)"),
        ("builtin.module(a,any(b(c)))", [], "builtin.module()"),
        ("builtin.module()", [], "builtin.module()"),
    ],
)
def test_passes_and_options_that_are_not_needed_are_dropped(
    pipeline: str, needed: list[str], left: str
) -> None:
    def is_interesting(text: str) -> bool:
        return all(name in text.removeprefix("builtin.module") for name in needed)

    assert reduced(pipeline, is_interesting) == left


def test_many_passes_take_few_checks() -> None:
    passes = [f"p{number}" for number in range(64)]
    num_checks = 0

    def is_interesting(pipeline: str) -> bool:
        nonlocal num_checks
        num_checks += 1
        return "p43" in pipeline

    left = reduced(f"builtin.module({','.join(passes)})", is_interesting)

    assert left == "builtin.module(p43)"
    assert num_checks < 20


def test_text_that_is_no_pipeline_is_refused() -> None:
    with pytest.raises(PipelineError, match="unbalanced"):
        reduced("builtin.module(func.func(cse)", lambda _: True)
