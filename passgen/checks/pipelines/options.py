"""Checks of the options that pipelines set, and of conditions on options."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from passgen.checks.options import check_value, check_values
from passgen.checks.pipelines.conditions import domain
from passgen.checks.pipelines.references import KnownPasses
from passgen.diagnostics import Diagnostic, Note
from passgen.model import (
    FOREIGN,
    OPTION_TYPES,
    Block,
    BundleElement,
    Condition,
    Element,
    Option,
    OptionReference,
    Pass,
    PassElement,
    PassGroup,
    PipelineElement,
    SetOption,
)
from passgen.passgen_rules.suggestions import nearest_name
from passgen.source import Location


def check_pipeline_options(
    group: PassGroup, known: KnownPasses
) -> Iterator[Diagnostic]:
    """Yield wrong settings and conditions in pipelines, and unused options."""
    pipelines = {pipeline.argument: pipeline.options for pipeline in group.pipelines}
    for bundle in group.bundles:
        check = _Check(f"bundle '{bundle.name}'", {}, pipelines, known, set())
        yield from check.elements(bundle.elements)
    for pipeline in group.pipelines:
        own = {own_option.name: own_option for own_option in pipeline.options}
        check = _Check(f"pipeline '{pipeline.name}'", own, pipelines, known, set())
        yield from check.elements(pipeline.elements)
        for option in pipeline.options:
            if option.name not in check.used:
                message = (
                    f"option '{option.argument}' of pipeline '{pipeline.name}' "
                    "has no effect"
                )
                note = Note("no element is set to its value, and no condition tests it")
                yield Diagnostic(message, option.location, (note,), severity="warning")


def check_settings(
    pass_: Pass, settings: tuple[SetOption, ...], place: Location, what: str
) -> Iterator[Diagnostic]:
    """Yield mistakes in the values that something gives to options of a pass.

    Args:
        pass_: the pass.
        settings: the values.
        place: of what gives them.
        what: its name in messages.
    """
    element = PassElement(pass_.argument, place, settings)
    check = _Check(what, {}, {}, KnownPasses({}, {}), set())
    yield from check.settings(element, pass_.options, "pass")


@dataclass(frozen=True)
class _Check:
    """The check of one pipeline or bundle."""

    what: str
    own: Mapping[str, Option]
    """The options of the pipeline, by name."""

    pipelines: Mapping[str, tuple[Option, ...]]
    """The options of each pipeline of the group, by its argument."""

    known: KnownPasses
    used: set[str]
    """The names of the options that are used, filled by the check."""

    def elements(self, elements: Iterable[Element]) -> Iterator[Diagnostic]:
        for element in elements:
            if element.condition:
                yield from self._condition(element.condition)
            if isinstance(element, Block):
                yield from self.elements(element.elements)
            elif isinstance(element, PassElement):
                known = self.known.by_argument.get(element.argument)
                options = known.options if known else None
                yield from self.settings(element, options, "pass")
            elif not isinstance(element, BundleElement):
                options = self.pipelines.get(element.argument)
                yield from self.settings(element, options, "pipeline")

    def _condition(self, condition: Condition) -> Iterator[Diagnostic]:
        option = self._option(condition.option)
        if option is None:
            yield self._unknown(condition.option, condition.location)
            return
        values = domain(option)
        name = f"option '{condition.option}' of {self.what}"
        if not values:
            found = _describe(option)
            message = f"condition on {name}: found {found}, expected bool or enum"
            yield _about(message, condition.location, option)
        elif condition.value not in values or isinstance(condition.value, bool) != (
            option.type.name == "bool"
        ):
            value = condition.value
            if condition.value_location == condition.location:
                message = (
                    f"condition on {name}: found {_describe(option)}, expected bool"
                )
                test = f"{{option: {condition.option}, is: {values[0]}}}"
                note = Note(f"test for a value: '{test}'")
                yield Diagnostic(message, condition.location, (note,))
                return
            wrong = check_value(
                option, value, condition.value_location, f"condition on {name}"
            )
            assert wrong is not None
            yield wrong

    def settings(
        self,
        element: PassElement | PipelineElement,
        options: tuple[Option, ...] | None,
        kind: str,
    ) -> Iterator[Diagnostic]:
        """Yield mistakes in what an element sets of the `options` that it has."""
        of = f"of {kind} '{element.argument}'"
        by_argument = {declared.argument: declared for declared in options or ()}
        given = {setting.argument for setting in element.options}
        for option in by_argument.values():
            if option.required and option.argument not in given:
                message = f"{self.what} sets no '{option.argument}' {of}"
                note = Note("it is required", option.location)
                yield Diagnostic(message, element.location, (note,))
        for setting in element.options:
            what = f"option '{setting.argument}' {of}"
            target = by_argument.get(setting.argument)
            if target is None and options is not None:
                message = f"unknown option '{setting.argument}' {of}"
                yield Diagnostic(
                    message, setting.location, _choices(setting, by_argument)
                )
            if isinstance(setting.value, OptionReference):
                yield from self._reference(setting.value, target, what)
            elif target is not None:
                yield from _check_constant(setting, target, what)

    def _reference(
        self, reference: OptionReference, target: Option | None, what: str
    ) -> Iterator[Diagnostic]:
        source = self._option(reference.name)
        if source is None:
            yield self._unknown(reference.name, reference.location)
        elif target is not None and not _accepts(target, source):
            message = (
                f"{what}: found {_describe(source)}, option '{reference.name}' of "
                f"{self.what}, expected {_describe(target)}"
            )
            notes = (
                Note(f"'{reference.name}' is defined here", source.location),
                Note(f"'{target.argument}' is defined here", target.location),
            )
            yield Diagnostic(message, reference.location, notes)
        elif target is not None and _hides_access(source, target):
            message = (
                f"option '{reference.name}' of {self.what} declares 'outsideAccess: "
                f"false', and gives its value to {what}, which reaches beyond the IR"
            )
            notes = (
                Note("pipelines that are not trusted cannot have either"),
                Note(f"'{target.argument}' is defined here", target.location),
            )
            yield Diagnostic(message, reference.location, notes, severity="warning")

    def _option(self, name: str) -> Option | None:
        self.used.add(name)
        return self.own.get(name)

    def _unknown(self, name: str, location: Location) -> Diagnostic:
        message = f"unknown option '{name}' of {self.what}"
        by_argument = {
            own_option.argument: own_option.name for own_option in self.own.values()
        }
        close = by_argument.get(name) or nearest_name(name, self.own)
        if close:
            notes = (Note(f"did you mean '{close}'?"),)
        elif self.own:
            notes = (Note(f"valid options: {', '.join(self.own)}"),)
        else:
            notes = (Note("it has no options"),)
        return Diagnostic(message, location, notes)


def _choices(setting: SetOption, options: Mapping[str, Option]) -> tuple[Note, ...]:
    if not options:
        return (Note("it has no options"),)
    by_name = {option.name: option.argument for option in options.values()}
    close = by_name.get(setting.argument) or nearest_name(setting.argument, options)
    listing = Note(f"valid options: {', '.join(options)}")
    return (Note(f"did you mean '{close}'?"), listing) if close else (listing,)


def _check_constant(
    setting: SetOption, option: Option, what: str
) -> Iterator[Diagnostic]:
    assert not isinstance(setting.value, OptionReference)
    is_list = isinstance(setting.value, tuple)
    if is_list != option.is_list:
        found = "a list" if is_list else "one value"
        message = f"{what}: found {found}, expected {_describe(option)}"
        yield _about(message, setting.value_location, option)
        return
    places = setting.item_locations if is_list else (setting.value_location,)
    yield from check_values(option, setting.value, places, what)


def _accepts(target: Option, source: Option) -> bool:
    """Return whether each value of `source` is one of `target`."""
    if target.is_list != source.is_list or (source.optional and not target.optional):
        return False
    to, of = target.type, source.type
    if to.name == of.name == "enum":
        allowed = {value.value for value in to.values}
        return all(value.value in allowed for value in of.values)
    if to.name == of.name:
        return to.name != FOREIGN or (to.python, to.cpp) == (of.python, of.cpp)
    wide, narrow = OPTION_TYPES.get(to.name), OPTION_TYPES.get(of.name)
    return bool(wide and narrow and wide.meaning.includes(narrow.meaning))


def _hides_access(source: Option, target: Option) -> bool:
    """Return whether `source` denies the access beyond the IR that `target` has."""
    return source.outside_access is False and target.reaches_outside


def _describe(option: Option) -> str:
    """Return the type of `option`, as messages name it."""
    type_ = option.type
    name = (type_.python or type_.cpp) if type_.name == FOREIGN else type_.name
    if type_.values:
        name = f"enum of {', '.join(value.value for value in type_.values)}"
    name = f"list of {name}" if option.is_list else name
    return f"optional {name}" if option.optional else name


def _about(message: str, location: Location, option: Option) -> Diagnostic:
    return Diagnostic(
        message,
        location,
        (Note(f"'{option.argument}' is defined here", option.location),),
    )
