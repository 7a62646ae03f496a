"""The names that specs declare and use: what editors complete, show and find."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from passgen.finding_rules import RULES
from passgen.model import (
    Analysis,
    Bundle,
    ExternalPass,
    Form,
    Option,
    Pass,
    PassGroup,
    Pipeline,
    without_blocks,
)
from passgen.source import Location

Kind: TypeAlias = Literal[
    "pass", "bundle", "pipeline", "form", "analysis", "tag", "rule", "option", "value"
]


@dataclass(frozen=True)
class Name:
    """A name, and what it stands for."""

    kind: Kind
    name: str
    summary: str
    """One line; may be empty."""

    location: Location | None = None
    """The place of its declaration; `None` outside of specs."""

    details: str = ""
    """Markdown; may be empty."""

    @property
    def markdown(self) -> str:
        """What editors show about it."""
        headline = f"{self.kind} `{self.name}`"
        if self.summary:
            headline += f": {self.summary}"
        return "\n\n".join(filter(None, (headline, self.details)))


class Names:
    """The names in a group, and the passes of others."""

    def __init__(
        self,
        group: PassGroup | None,
        others: Iterable[PassGroup],
        registered: Iterable[str] = (),
    ) -> None:
        """Take the names of `group`, and those that it may use.

        Args:
            group: the group; `None` if its spec never was valid.
            others: other groups whose passes it may name.
            registered: passes that only pipelines in texts may name.
        """
        self._pipelines = group.pipelines if group else ()
        groups = [*([group] if group else ()), *others]
        external = {
            each.argument: each for given in groups for each in given.external_passes
        }
        declared = {pass_.argument: pass_ for given in groups for pass_ in given.passes}
        self._passes: dict[str, Pass | ExternalPass] = {**external, **declared}
        self._registered = tuple(registered)
        tags = [tag for each in self._passes.values() for tag in each.constraints.tags]
        self._by_kind: dict[Kind, list[Name]] = {
            "pass": [*map(_pass, self._passes.values())],
            "tag": [Name("tag", tag.name, "", tag.location) for tag in tags],
            "rule": [Name("rule", rule.name, rule.meaning) for rule in RULES.values()],
        }
        if group:
            self._by_kind |= {
                "bundle": [*map(_bundle, group.bundles)],
                "pipeline": [*map(_pipeline, group.pipelines)],
                "form": [*map(_form, group.forms)],
                "analysis": [*map(_analysis, group.analyses)],
            }

    def of(self, kind: Kind) -> list[Name]:
        """Return the names of a kind, except those that have an owner."""
        return self._by_kind.get(kind, [])

    def in_pipelines(self) -> list[Name]:
        """Return what a pipeline in a text may name."""
        declared = [*self.of("pass"), *self.of("pipeline")]
        return [Name("pass", name, "") for name in self._registered] + declared

    def options_of_pass(self, argument: str) -> tuple[Option, ...]:
        """Return the options of the pass with an argument."""
        pass_ = self._passes.get(argument)
        return pass_.options if isinstance(pass_, Pass) else ()

    def options_of_pipeline(self, name: str) -> tuple[Option, ...]:
        """Return the options of the pipeline with a name or an argument."""
        for pipeline in self._pipelines:
            if name in {pipeline.name, pipeline.argument}:
                return pipeline.options
        return ()


def option_name(option: Option, *, by_argument: bool) -> Name:
    """Return an option by its argument, or by its name in the spec."""
    name = option.argument if by_argument else option.name
    return Name("option", name, _facts(option), option.location, option.description)


def values_of(option: Option) -> Iterator[Name]:
    """Yield the values of an option that have names."""
    for value in option.type.values:
        yield Name("value", value.value, value.description, value.location)
    if option.type.name == "bool":
        yield Name("value", "true", "")
        yield Name("value", "false", "")


def _facts(option: Option) -> str:
    """Return type and default of an option in a line."""
    type_ = option.type.name if option.type.row else "a type of its own"
    facts = [f"a list of {type_}" if option.is_list else type_]
    if option.default is not None:
        facts.append(f"by default {option.default}")
    return ", ".join(filter(None, (*facts, option.presence)))


def _pass(pass_: Pass | ExternalPass) -> Name:
    anchor = pass_.anchor
    facts = [f"Runs on `{anchor.name}`."] if anchor else []
    if not isinstance(pass_, Pass):
        details = "\n\n".join([*facts, "Declared elsewhere."])
        return Name("pass", pass_.argument, "", pass_.location, details)
    facts += [
        f"- `{option.argument}` ({_facts(option)}): {option.description}".rstrip(": ")
        for option in pass_.options
    ]
    details = "\n\n".join(filter(None, ("\n".join(facts), pass_.details)))
    place = pass_.location
    return Name("pass", pass_.argument, pass_.summary, place, details)


def _form(form: Form) -> Name:
    found = form.kind
    listed = ", ".join(f"`{name}`" for name in found.names)
    details = f"{found.words} {listed}"
    return Name("form", form.name, form.summary, form.location, details)


def _analysis(analysis: Analysis) -> Name:
    details = f"`{analysis.python}`"
    return Name("analysis", analysis.name, analysis.summary, analysis.location, details)


def _bundle(bundle: Bundle) -> Name:
    parts = (bundle.description, _listed(bundle))
    details = "\n\n".join(filter(None, parts))
    return Name("bundle", bundle.name, bundle.summary, bundle.location, details)


def _pipeline(pipeline: Pipeline) -> Name:
    details = "\n\n".join(filter(None, (pipeline.description, _listed(pipeline))))
    place = pipeline.location
    return Name("pipeline", pipeline.argument, pipeline.summary, place, details)


def _listed(owner: Bundle | Pipeline) -> str:
    names = (
        getattr(element, "argument", None) or getattr(element, "name", "")
        for element in without_blocks(owner.elements)
    )
    return ", ".join(f"`{name}`" for name in names)
