"""The schema in the language server of editors' YAML modes: what it completes and says."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from lsprotocol import types as lsp

from passgen import resources
from passgen.model import OPTION_TYPES
from passgen.source import SourceFile
from passgen.spec import read
from tests.editors.language_client import LanguageClient
from tests.passgen.spec.test_schema import SCHEMA
from tests.requirements import missing

pytestmark = pytest.mark.browser

SERVER = (
    Path(__file__).parents[2]
    / "build/editors/node_modules/yaml-language-server/bin/yaml-language-server"
)
SETTINGS = {
    "yaml": {
        "schemas": {resources.schema().as_uri(): ["*.yaml"]},
        "schemaStore": {"enable": False},
        "validate": True,
        "completion": True,
        "hover": True,
        "hoverSchemaSource": False,
    }
}


@pytest.fixture(scope="module")
def editor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LanguageClient]:
    node = shutil.which("node")
    if node is None or not SERVER.is_file():
        missing("the YAML language server is not installed", "BROWSER")
    folder = tmp_path_factory.mktemp("editor")
    command = [node, str(SERVER), "--stdio"]
    with LanguageClient(command, folder, settings=SETTINGS) as client:
        client.problems("passes: {A: {summary: S}}\n")  # the schema is loaded then
        yield client
    assert client.errors == []


MINIMAL = "passes:\n  A:\n    summary: S\n"
OF_OPTION = f"{MINIMAL}    options:\n      - name: x\n"
OF_PIPELINE = "pipelines:\n  P:\n    summary: S\n"
OF_ELEMENT = f"{OF_PIPELINE}    elements:\n      - pass: a\n"
DEFINITIONS = SCHEMA["$defs"]
GROUP = SCHEMA["properties"]
ELEMENT = DEFINITIONS["elements"]["items"]["anyOf"][1]
EXTERNAL = GROUP["externalPasses"]["items"]["anyOf"][1]
VALUE = DEFINITIONS["option"]["properties"]["values"]["items"]["anyOf"][1]

KEYS = {
    "group": ("name: N\n¦\n", SCHEMA),
    "pass": (f"{MINIMAL}    ¦\n", DEFINITIONS["pass"]),
    "first key of a pass": ("passes:\n  A:\n    ¦\n", DEFINITIONS["pass"]),
    "C++ of a pass": (f"{MINIMAL}    cpp:\n      ¦\n", "pass"),
    "TableGen of a pass": (f"{MINIMAL}    tablegen:\n      ¦\n", "pass"),
    "driver": (
        f"{MINIMAL}    driver:\n      ¦\n",
        DEFINITIONS["pass"]["properties"]["driver"]["anyOf"][1],
    ),
    "option": (f"{OF_OPTION}        ¦\n", DEFINITIONS["option"]),
    "first key of an option": (
        f"{MINIMAL}    options:\n      - ¦\n",
        DEFINITIONS["option"],
    ),
    "C++ of an option": (f"{OF_OPTION}        cpp:\n          ¦\n", "option"),
    "value of an enum": (
        f"{OF_OPTION}        values:\n          - value: v\n            ¦\n",
        VALUE,
    ),
    "statistic": (
        f"{MINIMAL}    statistics:\n      - name: x\n        ¦\n",
        DEFINITIONS["statistic"],
    ),
    "remark": (
        f"{MINIMAL}    remarks:\n      - name: x\n        ¦\n",
        DEFINITIONS["remark"],
    ),
    "field": (
        f"{MINIMAL}    remarks:\n      - fields:\n          - name: f\n            ¦\n",
        DEFINITIONS["remarkField"],
    ),
    "pattern": (
        f"{MINIMAL}    patterns:\n      - name: x\n        ¦\n",
        DEFINITIONS["pattern"],
    ),
    "ignore": (
        f"{MINIMAL}    ignore:\n      - rule: r\n        ¦\n",
        DEFINITIONS["ignores"]["items"],
    ),
    "form": (
        "forms:\n  f:\n    summary: S\n    ¦\n",
        GROUP["forms"]["additionalProperties"],
    ),
    "analysis": (
        "analyses:\n  A:\n    summary: S\n    ¦\n",
        GROUP["analyses"]["additionalProperties"],
    ),
    "external pass": ("externalPasses:\n  - argument: a\n    ¦\n", EXTERNAL),
    "bundle": (
        "bundles:\n  a-b:\n    summary: S\n    ¦\n",
        GROUP["bundles"]["additionalProperties"],
    ),
    "pipeline": (f"{OF_PIPELINE}    ¦\n", GROUP["pipelines"]["additionalProperties"]),
    "element": (f"{OF_PIPELINE}    elements:\n      - ¦\n", ELEMENT),
    "second key of an element": (f"{OF_ELEMENT}        ¦\n", ELEMENT),
    "condition": (
        f"{OF_ELEMENT}        when:\n          option: o\n          ¦\n",
        ELEMENT["properties"]["when"]["anyOf"][1],
    ),
}


@pytest.mark.parametrize("place", KEYS)
def test_all_keys_of_the_schema_are_completed(
    editor: LanguageClient, place: str
) -> None:
    text, part = KEYS[place]
    if isinstance(part, str):
        key = "cpp" if "C++" in place else "tablegen"
        part = DEFINITIONS[part]["properties"][key]
    last = text[: text.index("¦")].splitlines()[-2:]
    present = {line.strip(" -").partition(":")[0] for line in last}

    labels = [item.label.removesuffix(": ") for item in editor.complete(text)]

    wanted = [key for key in part["properties"] if key not in present]
    assert sorted(set(wanted) - set(labels)) == []
    assert [key for key in wanted if labels.count(key) > 1] == []


@pytest.mark.parametrize("place", KEYS)
def test_each_key_is_written_with_its_colon(editor: LanguageClient, place: str) -> None:
    for item in editor.complete(KEYS[place][0]):
        if item.kind == lsp.CompletionItemKind.Property:
            assert written(item).startswith(f"{item.label}:"), item.label


def written(item: lsp.CompletionItem) -> str:
    """Return the text that a completion writes, with its placeholders."""
    edit = item.text_edit
    return edit.new_text if edit else item.insert_text or ""


VALUES = {
    f"{OF_OPTION}        type: ¦\n": [*OPTION_TYPES, "enum"],
    f"{OF_OPTION}        type: bool\n        default: ¦\n": ["true", "false"],
    f"{MINIMAL}    anchor: ¦\n": ["func.func", "builtin.module", "any"],
    f"{MINIMAL}    preserves: ¦\n": ["all"],
    f"{MINIMAL}    required: ¦\n": ["true", "false"],
    "ir: ¦\n": ["xdsl", "mlir"],
    f"{OF_PIPELINE}    elements:\n      - pass: ¦\n": [],
    f"{OF_PIPELINE}    elements:\n      - bundle: ¦\n": [],
    f"{OF_ELEMENT}        when: ¦\n": [],
    f"{MINIMAL}    needs:\n      - ¦\n": [],
    f"{MINIMAL}    summary: ¦\n": [],
}


@pytest.mark.parametrize("text", VALUES)
def test_values_are_completed_and_names_are_not_invented(
    editor: LanguageClient, text: str
) -> None:
    labels = {item.label for item in editor.complete(text)}

    assert labels == set(VALUES[text])


def test_each_type_has_a_sentence(editor: LanguageClient) -> None:
    for item in editor.complete(f"{OF_OPTION}        type: ¦\n"):
        assert isinstance(item.documentation, str), item.label
        assert item.documentation.endswith("."), item.label


SNIPPETS = {
    "pass": "passes:\n  ¦\n",
    "pass with patterns": "passes:\n  ¦\n",
    "option": f"{MINIMAL}    options:\n      - ¦\n",
    "list option": f"{MINIMAL}    options:\n      - ¦\n",
    "enum option": f"{MINIMAL}    options:\n      - ¦\n",
    "pattern": f"{MINIMAL}    patterns:\n      - ¦\n",
    "constructor: ": f"{MINIMAL}    ¦\n",
}


@pytest.mark.parametrize("label", SNIPPETS)
def test_a_snippet_writes_a_valid_part(editor: LanguageClient, label: str) -> None:
    text = SNIPPETS[label]
    item = next(item for item in editor.complete(text) if item.label == label)
    # Editors indent the lines of a snippet as the line that it is written to.
    margin = re.search(r"^ *", text.partition("¦")[0].rpartition("\n")[2])
    assert margin is not None
    plain = re.sub(r"\$\{\d+:([^}]*)\}", r"\1", written(item))
    after = text.replace("¦", plain.replace("\n", f"\n{margin[0]}"))

    group = read(SourceFile("a.yaml", after))

    assert len(group.passes) == 1
    assert editor.problems(after) == []


HOVERS = {
    f"{MINIMAL}    an¦chor: func.func\n": "#### Anchor\n\nThe only operation that the pass runs on. Excludes `interface`;",
    f"{MINIMAL}    constr¦uctor: a.b:C\n": "```yaml\nconstructor: my_dialect.unroll:AffineLoopUnroll\n```",
    f"{MINIMAL}    ne¦eds: [noLinalg]\n": "#### Needed forms\n\nForms that must hold",
    f"{OF_OPTION}        type: ui¦nt32\n": "* `uint32`: An integer of 32 bits, not negative.",
    f"{MINIMAL}    preser¦ves: all\n": "The pass changes nothing.",
    "ir: xd¦sl\n": "#### IR library",
}


@pytest.mark.parametrize("text", HOVERS)
def test_a_hover_shows_markdown(editor: LanguageClient, text: str) -> None:
    shown = editor.hover(text)

    assert HOVERS[text] in shown
    assert "\\`" not in shown


PROBLEMS = {
    f"{OF_OPTION}        type: bool\n        required: true\n        default: true\n": "'required' and 'default' exclude each other",
    f"{OF_OPTION}        type: bool\n        listOf: bool\n": "'type' and 'listOf' exclude each other",
    f"{OF_OPTION}        type: enum\n": "is an enum and needs 'values'",
    f"{MINIMAL}    options: [{{name: X, type: bool}}]\n": "expected a name in camelCase, such as 'unrollFactor'",
    f"{MINIMAL}    anchor: func.func\n    interface: X\n": "'anchor' and 'interface' exclude each other",
    f"{MINIMAL}    patterns:\n      - name: x\n": "needs 'before' and 'after', 'pdl' or 'pdlFile'",
    f"{MINIMAL}    options:\n      - name: x\n": "needs 'type' for one value or 'listOf' for a list",
    f"{MINIMAL}    summry: x\n": "Property summry is not allowed.",
    f"{MINIMAL}    constructor: x\n": "expected a Python object as 'module:Name', such as 'my_dialect.unroll:LoopUnroll'",
    f"{OF_ELEMENT}        bundle: b-c\n": "'pass' and 'bundle' exclude each other",
    f"{OF_PIPELINE}    elements:\n      - bundle: b-c\n        options: {{a: 1}}\n": "a bundle has no options",
    "pipelines:\n  P:\n    elements: [a]\n": 'Missing property "summary".',
}


@pytest.mark.parametrize("text", PROBLEMS)
def test_a_wrong_spec_has_a_message_that_explains_it(
    editor: LanguageClient, text: str
) -> None:
    messages = [problem.message for problem in editor.problems(text)]

    assert messages == [PROBLEMS[text]]
