"""The directive `schema-reference`: a JSON Schema as a page for authors of YAML.

Every object with properties becomes a section, in the order of the schema; the option
`first` gives the title of the one that the page begins with. A section lists each
property with its type, whether it is required, its description and its examples. All
texts come from the schema.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Final

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from passgen.spec import write

_TYPE_WORDS: Final = {"object": "mapping", "array": "list", "string": "text"}


@dataclass
class SchemaPage:
    """Writes the Markdown of one schema; `sections` are those not yet written."""

    schema: dict[str, Any]
    sections: list[tuple[str, str, dict[str, Any]]] = field(default_factory=list)
    anchors: dict[str, str] = field(default_factory=dict)

    def markdown(self, first: str) -> Iterator[str]:
        """Yield the blocks of the page, which begins with the definition `first`."""
        for node in (self.schema["$defs"][first], self.schema):
            self.section(node["title"], node)
            yield from self._sections()

    def _sections(self) -> Iterator[str]:
        while self.sections:  # writing one may add others
            anchor, title, node = self.sections.pop(0)
            yield f"({anchor})=\n## {title}\n\n{node.get('description', '')}\n"
            required = node.get("required", [])
            for key, value in node["properties"].items():
                yield from self._key(key, value, is_required=key in required)

    def section(self, title: str, node: dict[str, Any]) -> str:
        """Return the anchor of the section about `node`, which is written once."""
        identity = json.dumps(node, sort_keys=True)
        if identity not in self.anchors:
            words = title.lower().replace("c++", "cpp").split()
            self.anchors[identity] = "spec-" + "-".join(words)
            self.sections.append((self.anchors[identity], title, node))
        return self.anchors[identity]

    def _key(
        self, key: str, node: dict[str, Any], *, is_required: bool
    ) -> Iterator[str]:
        node = self.resolved(node)
        need = ", required" if is_required else ""
        yield f"`{key}` ({self.type_of(node, key)}{need})"
        yield ":   " + _indented(node.get("description", node.get("title", "")))
        if rule := node.get("errorMessage"):
            yield f"\n    Rule: {_indented(rule.removeprefix('expected '))}."
        if examples := node.get("examples"):
            text = "# or\n".join(write({key: each}) for each in examples)
            yield f"\n    ```yaml\n    {_indented(text)}\n    ```"
        yield ""

    def resolved(self, node: dict[str, Any]) -> dict[str, Any]:
        """Return `node` with what it refers to; its own keys win."""
        while reference := node.get("$ref"):
            target = self.schema
            for step in reference.removeprefix("#/").split("/"):
                target = target[step]
            node = {**target, **{k: v for k, v in node.items() if k != "$ref"}}
        return node

    def type_of(self, node: dict[str, Any], key: str) -> str:
        """Return what a value is, with links to the sections about its parts."""
        node = self.resolved(node)
        if choices := node.get("anyOf"):
            texts = [self.type_of(each, key) for each in choices if each != {}]
            return " or ".join(dict.fromkeys(texts))
        if "properties" in node:
            title = node.get("title", key)
            return f"[{title}](#{self.section(title, node)})"
        kind = node.get("type", "text")
        if kind == "array":
            return f"list of {self.type_of(node.get('items', {}), key)}"
        if kind == "object" and isinstance(node.get("additionalProperties"), dict):
            return f"mapping to {self.type_of(node['additionalProperties'], key)}"
        if "enum" in node:
            return " or ".join(f"`{each}`" for each in node["enum"])
        kinds: list[str] = kind if isinstance(kind, list) else [kind]
        return " or ".join(_TYPE_WORDS.get(each, each) for each in kinds)


def _indented(text: str) -> str:
    return text.strip().replace("\n", "\n    ")


class SchemaReference(SphinxDirective):
    """The sections of the schema whose path from the page is the argument."""

    required_arguments = 1
    option_spec: ClassVar = {"first": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        """Return the sections, parsed as the page is."""
        _, path = self.env.relfn2path(self.arguments[0])
        self.env.note_dependency(path)
        self.env.note_dependency(__file__)
        schema = json.loads(Path(path).read_text(encoding="utf-8"))
        text = "\n".join(SchemaPage(schema).markdown(self.options["first"]))
        return self.parse_text_to_nodes(text, allow_section_headings=True)


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the directive."""
    app.add_directive("schema-reference", SchemaReference)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
