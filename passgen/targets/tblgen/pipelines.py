"""Pipelines in C++: the statements of the functions that build them.

`mlir-tblgen` has none. A pass of the group is made by its own function, one of another
group by its argument, with its options as text. Bundles are written out. What C++
cannot say is an error at its place in the spec.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from passgen import naming
from passgen.cpp import declared_enums, group_records, option_literal, option_record
from passgen.diagnostics import Diagnostic, Note, SpecError
from passgen.model import (
    Block,
    BundleElement,
    Condition,
    Element,
    OptionDefault,
    OptionReference,
    Pass,
    PassElement,
    PassGroup,
    Pipeline,
    PipelineElement,
    SetOption,
)
from passgen.source import Location
from passgen.targets.lines import Setting
from passgen.targets.tblgen.statements import (
    Addition,
    Assignment,
    CppPipeline,
    Field,
    Statement,
    Test,
    TextPart,
)

_MANAGER: Final = "pm"


def pipelines(group: PassGroup, others: Sequence[PassGroup]) -> tuple[CppPipeline, ...]:
    """Return the pipelines of `group`, whose passes may be those of `others`.

    Raises:
        SpecError: C++ cannot say what a pipeline does.
    """
    found: list[Diagnostic] = []
    made = tuple(
        _Walk(group, others, pipeline, found).made() for pipeline in group.pipelines
    )
    if found:
        raise SpecError(found)
    return made


class _Walk:
    """The elements of one pipeline; `found` collects what C++ cannot say."""

    def __init__(
        self,
        group: PassGroup,
        others: Sequence[PassGroup],
        pipeline: Pipeline,
        found: list[Diagnostic],
    ) -> None:
        self._group, self._pipeline, self._found = group, pipeline, found
        self._own = {field.declared.name: field for field in _fields(pipeline, group)}
        records = zip(group.passes, group_records(group), strict=True)
        self._passes = {pass_.argument: (pass_, record) for pass_, record in records}
        self._in_python = {
            pass_.argument
            for spec in (*others, group)
            for pass_ in spec.passes
            if spec.library is not None and spec.library.is_python
        }

    def made(self) -> CppPipeline:
        for name, option in self._own.items():
            type_ = option.declared.type
            if option.record.is_list and type_.name in {"bool", "enum"}:
                why = f"MLIR reads no list of {type_.name}"
                self._refuse(f"option '{name}'", why, type_.location)
            cpp_name = option.record.cpp_name
            if cpp_name in naming.CPP_PIPELINE_MEMBERS:
                why = "generated code needs the member of that name"
                self._refuse_name(option, why)
            elif cpp_name in naming.CPP_NO_NAMES:
                self._refuse_name(option, f"'{cpp_name}' is a keyword or a macro")
        return CppPipeline(
            self._pipeline,
            naming.pipeline_stem(self._pipeline.name),
            tuple(self._own.values()),
            declared_enums(self._pipeline.options),
            tuple(self._elements(self._pipeline.elements, 1, (_MANAGER,))),
        )

    def _refuse(
        self, what: str, why: str, place: Location, notes: tuple[Note, ...] = ()
    ) -> None:
        message = f"{what} of pipeline '{self._pipeline.argument}' in C++: {why}"
        self._found.append(Diagnostic(message, place, notes))

    def _refuse_name(self, option: Field, why: str) -> None:
        other = f"{option.record.cpp_name}_"
        note = Note(f"give it another name in C++: 'cpp: {{name: {other}}}'")
        declared = option.declared
        self._refuse(f"option '{declared.name}'", why, declared.location, (note,))

    def _elements(
        self, elements: Iterable[Element], depth: int, managers: tuple[str, ...]
    ) -> Iterator[Statement]:
        for element in elements:
            if element.condition is None:
                yield from self._element(element, depth, managers)
                continue
            yield Statement(depth, test=self._test(element.condition))
            yield from self._element(element, depth + 1, managers)
            yield Statement(depth, is_end=True)

    def _element(
        self, element: Element, depth: int, managers: tuple[str, ...]
    ) -> Iterator[Statement]:
        manager = managers[-1]
        match element:
            case PassElement():
                added = self._added_pass(element)
                yield from _text_of(added, depth)
                yield Statement(depth, manager, pass_=added)
            case PipelineElement():
                added = self._included(element)
                yield from _text_of(added, depth)
                yield Statement(depth, manager, pipeline=added)
            case BundleElement(name=name):
                yield Statement(depth, comment=f"Bundle {name}")
                bundle = next(
                    bundle for bundle in self._group.bundles if bundle.name == name
                )
                yield from self._elements(bundle.elements, depth, managers)
            case Block(kind="nest", name=name, elements=elements):
                nested = _manager(name, managers)
                yield Statement(depth, nested, nest=name, outer=manager)
                yield from self._elements(elements, depth + 1, (*managers, nested))
                yield Statement(depth, is_end=True)
            case Block(kind=kind, name=name, elements=elements):
                if kind == "stage":
                    yield Statement(depth, comment=f"Stage {name}")
                yield from self._elements(elements, depth, managers)

    def _test(self, condition: Condition) -> Test:
        option, value = self._own[condition.option], condition.value
        if isinstance(value, bool):
            return Test(option.record, "", value == condition.is_negated)
        literal = option_literal(option.declared, value, option.record.type)
        return Test(option.record, literal, condition.is_negated)

    def _added_pass(self, element: PassElement) -> Addition:
        argument = element.argument
        if argument in self._in_python:
            why = "it is for xDSL's IR, and has no C++"
            self._refuse(f"pass '{argument}'", why, element.location)
        if argument not in self._passes:
            external = self._group.external_passes
            spelled = {pass_.argument: pass_.cpp_constructor for pass_ in external}
            parts, creation = self._text(element.options), spelled.get(argument, "")
            return Addition(argument, creation, parts=parts, is_checked=True)
        pass_, record = self._passes[argument]
        fields = tuple(_fields(pass_, self._group))
        typed = self._assignments(element.options, fields)
        if typed and record.has_create_functions and not _is_set_by_flags(fields):
            return Addition(
                record.argument,
                f"create{record.name}",
                f"{record.name}Options",
                (*typed, *_list_defaults(element.options, fields)),
            )
        parts = self._text(element.options, fields)
        is_checked = bool(parts or pass_.unknown_anchor)
        creation = record.creation
        return Addition(record.argument, creation, parts=parts, is_checked=is_checked)

    def _included(self, element: PipelineElement) -> Addition:
        argument = element.argument
        pipeline = next(
            pipeline
            for pipeline in self._group.pipelines
            if pipeline.argument == argument
        )
        fields = tuple(_fields(pipeline, self._group))
        typed = self._assignments(element.options, fields)
        return Addition(
            argument,
            naming.build_pipeline_function(pipeline.name),
            naming.options_class(naming.pipeline_stem(pipeline.name)) if fields else "",
            typed or (),
            self._text(element.options, fields) if typed is None else (),
        )

    def _assignments(
        self, settings: Iterable[SetOption], fields: Iterable[Field]
    ) -> tuple[Assignment, ...] | None:
        """Return the settings with types; `None` if only text can say one of them."""
        by_argument = {field.declared.argument: field for field in fields}
        assignments = []
        for setting in settings:
            field = by_argument[setting.argument]
            if isinstance(setting.value, OptionReference):
                source = self._own[setting.value.name]
                is_same = source.record.type == field.record.type
                if not (is_same or (source.meaning and field.meaning)):
                    return None
                assignments.append(Assignment(field.record, source))
            elif field.has_literals:
                assignments.append(_constant(field, setting.value))
            else:
                return None
        return tuple(assignments)

    def _text(
        self, settings: Iterable[SetOption], fields: Iterable[Field] = ()
    ) -> tuple[TextPart, ...]:
        """Return the settings as text; C++ may call one of `fields` otherwise."""
        names = {field.declared.argument: field.record.argument for field in fields}
        parts: list[TextPart] = []
        text = ""
        for setting in settings:
            name, value = names.get(setting.argument, setting.argument), setting.value
            text += " " if text or parts else ""
            if isinstance(value, OptionReference):
                option = self._own[value.name]
                if not option.has_literals:
                    why = "MLIR has no text of its values"
                    self._refuse(f"option '{value.name}'", why, value.location)
                default = option.declared.default
                if isinstance(default, tuple) and "" in default:
                    why = "MLIR has no text of a list with '', which is its default"
                    self._refuse(f"option '{value.name}'", why, value.location)
                if default is not None and not _is_readable(name, default):
                    why = "MLIR reads no such text as its default"
                    self._refuse(f"option '{value.name}'", why, value.location)
                if option.declared.optional and text.strip():
                    parts.append(TextPart(text))
                    text = " "
                parts.append(TextPart(f"{text}{name}=", option))
                text = ""
                continue
            text += str(Setting(name, value, None))
            if not _is_readable(name, value):
                why = "MLIR reads no such value in a text"
                self._refuse(f"option '{name}'", why, setting.value_location)
        return (*parts, TextPart(text)) if text else tuple(parts)


def _fields(owner: Pass | Pipeline, group: PassGroup) -> Iterator[Field]:
    for option in owner.options:
        # An option of a pipeline knows whether it has a value; MLIR reads no optional.
        yield Field(option, option_record(replace(option, optional=False), group.cpp))


def _constant(field: Field, value: OptionDefault) -> Assignment:
    values, type_ = value if isinstance(value, tuple) else (value,), field.record.type
    code = ", ".join(
        option_literal(field.declared, element, type_) for element in values
    )
    return Assignment(
        field.record, code=f"{{{code}}}" if field.record.is_list else code
    )


def _is_readable(name: str, value: OptionDefault) -> bool:
    """Return whether MLIR reads the text of an option with a value."""
    return "$'" not in str(Setting(name, value, None))


def _is_set_by_flags(fields: Iterable[Field]) -> bool:
    """Return whether flags of `llvm::cl` give defaults that a struct has not."""
    return any("init" in (field.declared.cpp.flags or "") for field in fields)


def _list_defaults(
    settings: Iterable[SetOption], fields: Iterable[Field]
) -> Iterator[Assignment]:
    """Yield the defaults of lists, which the struct of `mlir-tblgen` leaves empty."""
    given = {setting.argument for setting in settings}
    for field in fields:
        default = field.declared.default
        if field.record.is_list and default and field.declared.argument not in given:
            yield _constant(field, default)


def _text_of(added: Addition, depth: int) -> Iterator[Statement]:
    """Yield the statement that makes the text of an addition, if options are in it."""
    if added.refers:
        yield Statement(depth, text_parts=added.parts)


def _manager(operation: str, outer: tuple[str, ...]) -> str:
    """Return a variable: `funcPM` for `func.func`, `funcPM2` inside of it."""
    stem = naming.pascal_case(operation.rpartition(".")[2])
    stem = stem[:1].lower() + stem[1:] if stem[:1].isalpha() else f"nested{stem}"
    count = sum(name.startswith(f"{stem}PM") for name in outer)
    return f"{stem}PM{count + 1 if count else ''}"
