"""A JSON Schema as Markdown for authors of YAML: the keys in `reference/spec.md`.

Every object with properties becomes a section, the group and the passes first. What
only C++ and TableGen read is on a page of its own. A section lists each property with
its type, whether it is required, its description and its examples. All texts come from
the schema; `tests/docs/test_spec_reference.py` writes them into the pages, which are
therefore complete where Markdown is read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Final

from passgen.spec import write

_TYPE_WORDS: Final = {"object": "mapping", "array": "list", "string": "text"}


SPEC: Final = "spec.md"
CPP: Final = "spec-cpp.md"
"""The page of what is said below the keys `cpp` and `tablegen`."""

_CPP_KEYS: Final = frozenset({"cpp", "tablegen"})


@dataclass(frozen=True, eq=False)
class _Section:
    title: str
    node: dict[str, Any]
    page: str

    @property
    def anchor(self) -> str:
        """The anchor that the site, and hosts of repositories, make of the heading."""
        return re.sub(r"[^\w -]", "", self.title).lower().replace(" ", "-")

    def key_anchor(self, key: str) -> str:
        """Return the anchor of a key of the section."""
        return f"{self.anchor}-{key.lower()}"


@dataclass
class SchemaPages:
    """Writes the Markdown of one schema, on two pages."""

    schema: dict[str, Any]
    first: str
    """The definition whose section follows that of the whole schema."""

    sections: dict[str, _Section] = field(default_factory=dict)
    """By the text of their nodes, each of which is written once."""

    def markdown(self) -> dict[str, str]:
        """Return the text of each page: a table of all keys, then their sections."""
        group = self.schema
        of_pass = self.schema["$defs"][self.first]
        waiting = [self._link(node["title"], node, SPEC) for node in (group, of_pass)]
        texts: dict[_Section, list[str]] = {}
        while waiting:  # that of a pass, last in the list, adds its parts first
            section = waiting.pop()
            texts[section] = list(self._section(section))
            waiting = waiting or [
                each for each in reversed(self.sections.values()) if each not in texts
            ]
        pages: dict[str, str] = {}
        for page in (SPEC, CPP):
            here = [each for each in self.sections.values() if each.page == page]
            lines = ["| section | keys |", "|---|---|", *map(self._row, here), ""]
            blocks = chain(lines, *(texts[each] for each in here))
            pages[page] = "\n".join(blocks).rstrip()
        return pages

    def _row(self, section: _Section) -> str:
        keys = ", ".join(
            f'<a href="#{section.key_anchor(key)}">`{key}`</a>'
            for key in section.node["properties"]
        )
        title = f"{section.title[0].upper()}{section.title[1:]}"
        return f"| [{title}](#{section.anchor}) | {keys} |"

    def _section(self, section: _Section) -> Iterator[str]:
        title, node = section.title, section.node
        yield f"## {title[0].upper()}{title[1:]}\n\n{node.get('description', '')}\n"
        required = node.get("required", [])
        for key, value in node["properties"].items():
            yield from self._key(section, key, value, is_required=key in required)

    def _link(self, title: str, node: dict[str, Any], page: str) -> _Section:
        identity = json.dumps(node, sort_keys=True)
        return self.sections.setdefault(identity, _Section(title, node, page))

    def _key(
        self, section: _Section, key: str, node: dict[str, Any], *, is_required: bool
    ) -> Iterator[str]:
        node = self.resolved(node)
        need = ", required" if is_required else ""
        description = node.get("description", node.get("title", ""))
        kind = self.type_of(node, key, section.page)
        anchor = f'<a id="{section.key_anchor(key)}"></a>'
        yield f"- {anchor}**`{key}`** ({kind}{need}): {_indented(description)}"
        if rule := node.get("errorMessage"):
            yield f"\n  Rule: {_indented(rule.removeprefix('expected '))}."
        _, fence, shown = node.get("markdownDescription", "").partition("```yaml\n")
        text = shown.removesuffix("```")
        if examples := node.get("examples"):
            text = "# or\n".join(write({key: example}) for example in examples)
        if fence or examples:
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

    def type_of(self, node: dict[str, Any], key: str, page: str) -> str:
        """Return what a value is, with links from `page` to sections of its parts."""
        node = self.resolved(node)
        choices = node.get("anyOf")
        if choices and "type" not in node:  # otherwise they are about its keys
            texts = [self.type_of(choice, key, page) for choice in choices if choice]
            return " or ".join(dict.fromkeys(texts))
        if "properties" in node:
            title = node.get("title", key)
            section = self._link(title, node, CPP if key in _CPP_KEYS else page)
            place = "" if section.page == page else section.page
            return f"[{title}]({place}#{section.anchor})"
        kind = node.get("type", "text")
        if kind == "array":
            items = self.type_of(node.get("items", {}), key, page)
            return f"list of ({items})" if " or " in items else f"list of {items}"
        if kind == "object" and isinstance(node.get("additionalProperties"), dict):
            return f"mapping to {self.type_of(node['additionalProperties'], key, page)}"
        if "enum" in node:
            return " or ".join(f"`{value}`" for value in node["enum"])
        kinds: list[str] = kind if isinstance(kind, list) else [kind]
        return " or ".join(_TYPE_WORDS.get(word, word) for word in kinds)


def _indented(text: str) -> str:
    return text.strip().replace("\n", "\n  ")
