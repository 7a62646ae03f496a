"""The spec that `passgen import` wrote, as the table of passes that the runtime reads.

    passgen import Passes.td -o passes.yaml && python table.py passes.yaml

The table is a spec too, since JSON is YAML. The runtime has no parser of YAML, but that
of JSON reads all passes in a millisecond: names and anchors need no index. The file is
called `.yaml` because commands of `passgen` take `.json` for a dump of llvm-tblgen.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Final

import yaml

from passgen.naming import kebab_case, pass_argument

_LEFT_OUT: Final = frozenset({"description", "flags", "sharedOptions", "tablegen"})
"""LLVM's prose and C++ code, and lists of options, which stand where they are used."""


def _facts(value: Any) -> Any:  # noqa: ANN401 - any value of a spec
    """Return a value of the spec without what is left out, its nested lists merged."""
    if isinstance(value, dict):
        kept = {key: _facts(value[key]) for key in value if key not in _LEFT_OUT}
        return {key: fact for key, fact in kept.items() if fact != {}}
    if not isinstance(value, list):
        return value
    merged: list[Any] = []
    for element in value:
        if isinstance(element, list):  # shared options among those of the pass
            merged += _facts(element)
        else:
            merged.append(_facts(element))
    return merged


def _with_arguments(spec: Any) -> Any:  # noqa: ANN401 - as above
    """Return the spec with the arguments that follow from names."""
    for name, pass_ in spec["passes"].items():
        spec["passes"][name] = {"argument": pass_argument(name), **pass_}
        for option in pass_.get("options", ()):
            rest = {"argument": kebab_case(option["name"]), **option}
            option.clear()
            option |= {"name": rest.pop("name"), **rest}
    return spec


if __name__ == "__main__":
    spec = yaml.safe_load(Path(sys.argv[1]).read_text(encoding="utf-8"))
    json.dump(_with_arguments(_facts(spec)), sys.stdout, indent=1, ensure_ascii=False)
    sys.stdout.write("\n")
