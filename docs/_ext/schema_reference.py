"""A JSON Schema as Markdown for authors of YAML: the keys in `reference/spec.md`.

Every object with properties becomes a section, in the order of the schema. A section
lists each property with its type, whether it is required, its description and its
examples. All texts come from the schema; `tests/docs/test_spec_reference.py` writes
them into the page, which is therefore complete where Markdown is read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from passgen.spec import write

_TYPE_WORDS: Final = {"object": "mapping", "array": "list", "string": "text"}


@dataclass
class SchemaPage:
    """Writes the Markdown of one schema; `sections` are those not yet written."""

    schema: dict[str, Any]
    sections: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    anchors: dict[str, str] = field(default_factory=dict)

    def markdown(self, first: str) -> Iterator[str]:
        """Yield the blocks of the page, which begins with the definition `first`."""
        for node in (self.schema["$defs"][first], self.schema):
            self.section(node["title"], node)
            yield from self._sections()

    def _sections(self) -> Iterator[str]:
        while self.sections:  # writing one may add others
            title, node = self.sections.pop(0)
            yield f"## {title[0].upper()}{title[1:]}\n\n{node.get('description', '')}\n"
            required = node.get("required", [])
            for key, value in node["properties"].items():
                yield from self._key(key, value, is_required=key in required)

    def section(self, title: str, node: dict[str, Any]) -> str:
        """Return the anchor of the section about `node`, which is written once."""
        identity = json.dumps(node, sort_keys=True)
        if identity not in self.anchors:
            # Hosts of repositories, and the site, make the same anchor of a heading.
            anchor = re.sub(r"[^\w -]", "", title).lower().replace(" ", "-")
            self.anchors[identity] = anchor
            self.sections.append((title, node))
        return self.anchors[identity]

    def _key(
        self, key: str, node: dict[str, Any], *, is_required: bool
    ) -> Iterator[str]:
        node = self.resolved(node)
        need = ", required" if is_required else ""
        description = node.get("description", node.get("title", ""))
        kind = self.type_of(node, key)
        yield f"- **`{key}`** ({kind}{need}): {_indented(description)}"
        if rule := node.get("errorMessage"):
            yield f"\n  Rule: {_indented(rule.removeprefix('expected '))}."
        if examples := node.get("examples"):
            text = "# or\n".join(write({key: example}) for example in examples)
            yield f"\n  ```yaml\n  {_indented(text)}\n  ```"
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
            texts = [self.type_of(choice, key) for choice in choices if choice != {}]
            return " or ".join(dict.fromkeys(texts))
        if "properties" in node:
            title = node.get("title", key)
            return f"[{title}](#{self.section(title, node)})"
        kind = node.get("type", "text")
        if kind == "array":
            items = self.type_of(node.get("items", {}), key)
            return f"list of ({items})" if " or " in items else f"list of {items}"
        if kind == "object" and isinstance(node.get("additionalProperties"), dict):
            return f"mapping to {self.type_of(node['additionalProperties'], key)}"
        if "enum" in node:
            return " or ".join(f"`{value}`" for value in node["enum"])
        kinds: list[str] = kind if isinstance(kind, list) else [kind]
        return " or ".join(_TYPE_WORDS.get(word, word) for word in kinds)


def _indented(text: str) -> str:
    return text.strip().replace("\n", "\n  ")
