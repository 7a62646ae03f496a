"""The passes of a pipeline that need a form of IR which an earlier pass breaks.

A form that a pass breaks is broken until a pass gives it; what no pass breaks is
unknown, and no mistake. `tests/cases/forms.yaml` holds `passgen` to the same rules.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from passgen_runtime.forms import NO_FORMS, Form
from passgen_runtime.pass_manager_builder.blocks import (
    FlatPipeline,
    PassNode,
    nests_around,
)
from passgen_runtime.pass_options import PIPELINE
from passgen_runtime.textual_pipeline import ANY_ANCHOR

GIVES_NO_FORM: Final = frozenset(
    {
        *("canonicalize", "control-flow-sink", "cse", "inline", "mem2reg", "sccp"),
        *("loop-invariant-code-motion", "remove-dead-values", "sroa", "symbol-dce"),
        *("strip-debuginfo", "symbol-privatize", "topological-sort"),
    }
)
"""The passes of MLIR that rewrite any IR, and lower none: they give no form."""


def broken_forms(sequence: FlatPipeline, index: int) -> Iterator[tuple[Form, PassNode]]:
    """Yield each form that the pass at `index` needs, and the pass that breaks it."""
    user = sequence.nodes[index]
    for form in user.prototype.forms.needs:
        for earlier in reversed(sequence.nodes[:index]):
            rules = earlier.prototype.forms
            nests = nests_around(earlier), nests_around(user)
            # A pass changes its operation and what is nested in it, and an operation
            # has another form if what is nested in it changes.
            if any(
                own.name != other.name and ANY_ANCHOR not in (own.name, other.name)
                for own, other in zip(*nests, strict=False)
            ):
                continue
            is_near = not form.check or len(nests[0]) == len(nests[1])
            if form in rules.breaks and is_near:
                yield form, earlier
                break
            pass_ = earlier.prototype
            is_known = pass_.declared_in or pass_.argument in GIVES_NO_FORM
            is_open = rules == NO_FORMS and not is_known
            options = pass_.options.declared_options()
            runs_pipelines = any(option.type is PIPELINE for option in options)
            if form in rules.gives or is_open or runs_pipelines:
                break
