"""The schema file, and the keys and types that it shares with the generator."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from passgen import naming, resources
from passgen.model import IR_LIBRARIES, MAX_DESCRIPTION_INDENT, OPTION_TYPES
from passgen.source import SourceFile
from passgen.spec import read, schema
from passgen.spec.fields import Keys

Json = dict[str, Any]

SCHEMA = schema.load_schema()


def parts(value: object) -> Iterator[Json]:
    """Yield every subschema of a schema without references."""
    if isinstance(value, dict):
        yield value
        for each in value.values():
            yield from parts(each)
    elif isinstance(value, list):
        for each in value:
            yield from parts(each)


def keys() -> Iterator[tuple[str, Json]]:
    """Yield every key with its subschema and, below that, the one it refers to."""
    for part in parts(SCHEMA):
        if "additionalProperties" in part:
            for key, each in part.get("properties", {}).items():
                name = each.get("$ref", "").removeprefix("#/$defs/")
                yield key, SCHEMA["$defs"].get(name, {}) | each


def test_it_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)

    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"


@pytest.mark.parametrize(("key", "part"), list(keys()), ids=lambda each: str(each)[:20])
def test_every_key_has_title_description_and_examples(key: str, part: Json) -> None:
    assert part["title"], key
    assert part["description"].endswith("."), key
    assert [*examples(key, part)], key


def examples(key: str, part: Json) -> Iterator[object]:
    """Yield the examples that editors complete, or else those that they show."""
    yield from part.get("examples", ())
    shown = part["markdownDescription"].partition("\n\n```yaml\n")[2]
    for example in filter(None, shown.removesuffix("```").split("# or\n")):
        [(named, value)] = yaml.safe_load(example).items()
        assert named == key
        yield value


def test_editors_show_the_descriptions_as_markdown(
    golden: Callable[[Path, str], None],
) -> None:
    path = resources.schema()
    lines = path.read_text("utf-8").split("\n")
    for number, line in enumerate(lines):
        described = re.fullmatch(r' *"description": "(.*)",', line)
        if described and '"label"' not in line:
            key, text = lines[number + 1].split(": ", 1)
            assert key.strip() == '"markdownDescription"', line
            _, fence, shown = text.removesuffix(",").partition(r"\n\n```yaml\n")
            end = fence + shown if fence else '"'
            lines[number + 1] = f'{key}: "{described[1]}{end},'

    golden(path, "\n".join(lines))


def test_editors_complete_no_example_that_is_a_mapping_or_a_list() -> None:
    offered = [each for part in parts(SCHEMA) for each in part.get("examples", ())]

    assert {*map(type, offered)} == {str}


def test_every_enum_has_the_type_of_its_values_with_a_sentence_for_each() -> None:
    for part in parts(SCHEMA):
        if part.get("enum"):
            assert part["type"] == "string", part
            sentences = part["enumDescriptions"]
            assert len(sentences) == len(part["enum"]), part
            assert all(sentence.endswith(".") for sentence in sentences)


def test_keys_of_which_one_is_needed_have_a_message_that_editors_show() -> None:
    for part in parts(SCHEMA):
        choices = part.get("anyOf", ())
        if "errorMessage" in part and all("required" in choice for choice in choices):
            # Editors show the message of the first one that could be meant.
            assert not choices or choices[0]["errorMessage"] == part["errorMessage"]


def test_a_key_that_others_exclude_has_a_message_that_editors_show() -> None:
    excluded = [part for part in parts(SCHEMA) if part.get("enum") == []]

    assert excluded
    assert all(part["errorMessage"] for part in excluded)
    assert not any("not" in part for part in parts(SCHEMA))


def test_ir_names_a_row_of_the_table() -> None:
    assert SCHEMA["properties"]["ir"]["enum"] == [*IR_LIBRARIES]


def test_every_integer_has_bounds() -> None:
    integers = [part for part in parts(SCHEMA) if "integer" in part.get("type", ())]

    assert integers
    assert all({"minimum", "maximum"} <= part.keys() for part in integers)
    indent = SCHEMA["$defs"]["pass"]["properties"]["tablegen"]["properties"]
    assert indent["descriptionIndent"]["maximum"] == MAX_DESCRIPTION_INDENT


def test_every_example_is_valid() -> None:
    checked = 0
    for key, part in keys():
        for example in examples(key, part):
            whole = {**part, "$defs": SCHEMA["$defs"]}
            jsonschema.Draft202012Validator(whole).validate(example)
            checked += 1

    assert checked >= len(list(keys()))


# All forms of all parts; a reader takes each key of a part, whether it is there or not.
ALL_PARTS = """\
passes:
  A:
    argument: a
    summary: A
    after: [{tag: a}]
    options:
      - {name: b, argument: b, type: enum, values: [c, {value: d}]}
      - {name: e, argument: e, type: {cpp: E}}
    statistics: [{name: f}]
    remarks: [{name: u, kind: passed, message: V}]
    patterns: [{name: p, pdl: P, benefit: 1}, {name: s, pdl: S}, {name: v, before: B, after: A,
      types: {T: [x], U: {any: type, examples: [x, y]}},
      attributes: {c: {example: 1, where: q}, d: {examples: [x, y], make: r}}}]
    examples: [{input: X, options: {b: c}, output: Y}, {input: Z, pipeline: m(a), check: W, ir: mlir}]
    driver: {maxIterations: 1}
    constraints: {q: 'q:Q'}
    rewrites: {r: 'r:R'}
    semantics: {x.y: 'y:Y'}
    ignore: [{rule: option-added, reason: None.}]
lint: [example-missing]
analyses: {G: {python: 'g:G'}}
forms: {t: {absent: [t]}}
externalForms: {w: 'w:W'}
externalPasses: [{argument: h}]
bundles: {i: {summary: I, elements: [a]}}
pipelines:
  J:
    argument: j
    summary: J
    options: [{name: k, argument: k, type: bool}]
    elements:
      - {pass: a, options: {b: {option: k}}, when: {option: k, is: true}}
      - {pipeline: j}
      - {bundle: i}
      - {stage: l, elements: [a]}
      - {nest: m.n, elements: [a]}
cpp: {dialects: {n: {class: N, namespace: o}}}
"""


def test_the_keys_of_the_schema_are_those_that_resolve_takes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    taken: set[str] = set()
    take = Keys.take

    def note(self: Keys, key: str) -> object:
        taken.add(key)
        return take(self, key)

    monkeypatch.setattr(Keys, "take", note)

    read(SourceFile("spec.yaml", ALL_PARTS))

    assert taken == {key for key, _ in keys()}


def test_the_types_of_the_schema_are_those_of_the_table(
    golden: Callable[[Path, str], None],
) -> None:
    path = resources.schema()
    before, start, rest = path.read_text("utf-8").partition('"plainType": {')
    names = [f'        "{name}"' for name in OPTION_TYPES if name != "enum"]
    listed = re.sub(r"(?<=\[\n)[^]]*(?=\n *\])", ",\n".join(names), rest, count=1)

    golden(path, before + start + listed)


@pytest.mark.parametrize(
    ("definition", "pattern"),
    [
        ("argument", naming.ARGUMENT_PATTERN),
        ("optionArgument", naming.OPTION_ARGUMENT_PATTERN),
    ],
)
def test_the_arguments_of_the_schema_are_the_names_of_pipelines(
    definition: str, pattern: str, golden: Callable[[Path, str], None]
) -> None:
    path = resources.schema()
    before, start, rest = path.read_text("utf-8").partition(f'\n    "{definition}": {{')
    written = json.dumps(f"^{pattern}$")
    named = re.sub('(?<="pattern": )".*"', lambda _: written, rest, count=1)

    golden(path, before + start + named)


def test_every_pattern_has_a_message_that_explains_it() -> None:
    for part in parts(SCHEMA):
        if "pattern" in part and isinstance(part["pattern"], str):
            assert part["pattern"].startswith("^")
            assert part["pattern"].endswith("$")
            assert part["errorMessage"].startswith("expected ")


def test_the_schema_in_the_file_is_formatted_by_rule() -> None:
    text = resources.schema().read_text("utf-8")

    assert json.loads(text) == SCHEMA
    assert "\t" not in text
    assert text.endswith("}\n")
