"""The names that a spec may have at a place, by the keys that lead there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Final

from passgen.editor.cursor import Cursor, Path
from passgen.editor.names import Kind, Name, Names, option_name, values_of
from passgen.model import Option
from passgen.passgen_rules.ordering_rules import RULE_MEANINGS

_KINDS: Final[Mapping[str, Kind]] = {
    "elements": "pass",
    "pass": "pass",
    "bundle": "bundle",
    "pipeline": "pipeline",
    **dict.fromkeys(("needs", "gives", "keeps", "breaks"), "form"),
    **dict.fromkeys(("requires", "provides", "preserves"), "analysis"),
    **dict.fromkeys(("tag", "tags"), "tag"),
    **{str(kind): "pass" for kind in RULE_MEANINGS},
    "rule": "rule",
}
"""The kind of a name, by the key that it stands below."""

_OPTIONS_OF: Final = re.compile(r"([\w.-]+)\{[^{}]*$")
"""In the text of a pipeline, the pass whose options begin before the cursor."""


def names_at(cursor: Cursor, names: Names) -> Iterable[Name]:
    """Return the names that may stand where the cursor is."""
    path = cursor.path
    keys = [step for step in path if isinstance(step, str)]
    if "elements" in keys:
        last = max(index for index, step in enumerate(path) if step == "elements")
        return _names_in_element(cursor, names, path[: last + 2], path[last + 2 :])
    if cursor.earlier.get((*path[:-1], "type")) == "pipeline" and keys[-1] == "default":
        return _names_in_text(cursor, names)
    kind = _KINDS.get(keys[-1]) if keys else None
    return names.of(kind) if kind else ()


def _names_in_element(
    cursor: Cursor, names: Names, element: Path, below: Path
) -> Iterable[Name]:
    """Return the names at a path below an element of a bundle or a pipeline."""
    earlier = cursor.earlier
    own = names.options_of_pipeline(str(cursor.path[1]))
    options = names.options_of_pass(earlier.get((*element, "pass"), ""))
    if called := earlier.get((*element, "pipeline")):
        options = names.options_of_pipeline(called)
    match below:
        case ("when",) | ("when", "option") | ("options", _, "option"):
            return [option_name(option, by_argument=False) for option in own]
        case ("when", "is" | "isNot"):
            tested = earlier.get((*element, "when", "option"))
            return [
                value
                for option in own
                if option.name == tested
                for value in values_of(option)
            ]
        case ("options",):
            return [option_name(option, by_argument=True) for option in options]
        case ("options", _) if cursor.is_key:
            return [option_name(option, by_argument=True) for option in options]
        case ("options", argument, *_):
            given = [option for option in options if option.argument == argument]
            return chain.from_iterable(_values(cursor, names, each) for each in given)
    kind = _KINDS.get(str(below[-1] if below else "elements"))
    return names.of(kind) if kind else ()


def _values(cursor: Cursor, names: Names, option: Option) -> Iterable[Name]:
    if option.type.name == "pipeline":
        return _names_in_text(cursor, names)
    return values_of(option)


def _names_in_text(cursor: Cursor, names: Names) -> Iterable[Name]:
    """Return the passes, or options of one, that the text of a pipeline may name."""
    owner = _OPTIONS_OF.search(cursor.text)
    if owner is None:
        return names.in_pipelines()
    options = names.options_of_pass(owner[1])
    return [option_name(option, by_argument=True) for option in options]
