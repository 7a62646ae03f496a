"""Random patterns change xDSL's IR as MLIR changes its own by the same PDL.

`make explore` tries a thousand modules with each driver.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Final

import pytest
from hypothesis import settings

from passgen_runtime.ir.mlir import MLIRContext
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.patterns import DriverName, PatternDriver, Patterns
from tests.mlir_bindings_needed import require_bindings
from tests.pattern_cases import pass_of, run_pass
from tests.random_patterns import RandomModule, RandomPattern, is_chosen, keep, swap

pytestmark = [pytest.mark.bindings, pytest.mark.slow]

NUM_MODULES: Final = 1_000 if settings().max_examples >= 100 else 150

FEATURES: Final = {
    *("attribute that is a constant", "attribute used twice", "typed attribute"),
    *("constraint", "negated constraint", "erase", "type that is a constant"),
    *("native rewrite of attributes", "native rewrite of values"),
    *("nested operation", "operation used twice", "value used twice"),
    *("replacement by an operation", "replacement by values"),
    *("result of a new operation", "second result", "two results"),
}


def random_patterns(
    choose: random.Random, module: RandomModule, driver: DriverName
) -> list[RandomPattern]:
    """Return up to three patterns whose order of application is determined.

    The greedy drivers visit operations in different orders. So only one pattern is
    applied, and what it replaces is no part of another match.
    """
    if driver == "greedy":
        root = choose.choice(module.operations)
        return [RandomPattern(choose, module, root, unmatched={root.name})]
    roots = choose.choices(module.operations, k=2)
    if choose.random() < 0.5:
        roots.append(roots[0])  # the benefit decides
    return [RandomPattern(choose, module, root) for root in roots]


def pass_of_random(
    choose: random.Random, patterns: list[RandomPattern], driver: DriverName
) -> type[Patterns]:
    """Return a pass with the patterns, called by their numbers."""
    benefits = choose.sample(range(1, 9), k=len(patterns))
    return pass_of(
        *(
            known.declare(f"p{number}", benefit)
            for number, (known, benefit) in enumerate(
                zip(patterns, benefits, strict=True)
            )
        ),
        pattern_driver=PatternDriver(driver),
        native_constraints=(("isChosen", is_chosen),),
        native_rewrites=(("swap", swap), ("keep", keep)),
    )


@pytest.mark.parametrize("driver", ["walk", "greedy"])
def test_random_patterns_change_both_irs_alike(driver: DriverName) -> None:
    require_bindings("mlir")
    of_xdsl = XDSLContext(allow_unregistered=True)
    of_mlir = MLIRContext(allow_unregistered=True)
    applied: Counter[str] = Counter()
    for seed in range(NUM_MODULES):
        choose = random.Random(seed)  # noqa: S311 - the same modules in each run
        module = RandomModule(choose, with_arith=driver == "walk")
        patterns = random_patterns(choose, module, driver)
        class_ = pass_of_random(choose, patterns, driver)
        ours, theirs = class_(), class_()
        by_xdsl = run_pass(ours, of_xdsl, module.text)
        by_mlir = run_pass(theirs, of_mlir, module.text)

        counts = ours.pattern_counts()
        shown = "\n".join((module.text, *(known.pdl for known in class_.patterns)))
        assert of_mlir.print(of_mlir.parse(by_xdsl, "xdsl.mlir")) == by_mlir, shown
        assert counts == theirs.pattern_counts(), shown
        for number, known in enumerate(patterns):
            applied.update(dict.fromkeys(known.features, counts[f"p{number}"]))

    assert not {feature for feature in FEATURES if not applied[feature]}
    assert driver == "greedy" or applied["any name"]
