"""What base classes say of order and analyses: a part of `targets.python`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from passgen.model.constraints import Constraints, Name, OrderingRule
from passgen.render.python_expressions import Call, Expression, Literal
from passgen.targets.python.imports import rule_function


@dataclass(frozen=True)
class Declaration:
    """A class attribute that holds a tuple."""

    name: str
    values: tuple[Expression, ...]

    @property
    def is_single(self) -> bool:
        """Whether there is one value, after which black lets no comma break a line."""
        return len(self.values) == 1


@dataclass(frozen=True)
class PassRules:
    """What a pass asks of the pipeline around it; all of it may be empty."""

    tags: tuple[str, ...]
    declarations: tuple[Declaration, ...]
    preserves_all: bool


def pass_rules(constraints: Constraints, classes: Mapping[str, str]) -> PassRules:
    """Return what a base class says of `constraints`.

    Args:
        constraints: of the pass.
        classes: the classes of the group's analyses by the analyses' names.
    """
    ordering = tuple(_rule(each) for each in constraints.ordering)
    required = tuple(_analyses(constraints.required_analyses, classes))
    provided = tuple(_analyses(constraints.provided_analyses, classes))
    preserved = tuple(_analyses(constraints.preserved_analyses, classes))
    declarations = (
        Declaration("ordering", ordering),
        Declaration("required_analyses", required),
        Declaration("provided_analyses", provided),
        Declaration("preserved_analyses", preserved),
    )
    return PassRules(
        tags=tuple(each.name for each in constraints.tags),
        declarations=tuple(each for each in declarations if each.values),
        preserves_all=constraints.preserves_all,
    )


def _rule(rule: OrderingRule) -> Expression:
    partners = (
        Call("tag", (Literal(each.name),)) if each.is_tag else Literal(each.name)
        for each in rule.partners
    )
    return Call(rule_function(rule.kind), tuple(partners))


def _analyses(
    names: tuple[Name, ...], classes: Mapping[str, str]
) -> Iterator[Expression]:
    for each in names:
        python = classes[each.name]
        is_same = python.endswith(f":{each.name}")
        name = () if is_same else (("name", Literal(each.name)),)
        yield Call("analysis", (Literal(python),), name)
