"""Prints the passes and options that bindings of MLIR have: their names, a pass a line.

    python names.py torch_mlir > torch-mlir.txt       # where this package is installed
    python names.py flydsl._mlir torch-mlir.txt       # tries these names as well
    mlir-opt --help | python names.py -               # what LLVM's own tool has

Bindings do not list their passes, but they say whether a name is one: each text in the
libraries that looks like a name is tried, and each name of the table.

Packages have passes of their own. Those of LLVM are in several lists:

    python names.py --common torch-mlir.txt flydsl.txt > llvm-24.txt
    git diff --no-index llvm-22.txt llvm-24.txt
    python names.py --versions llvm-22.txt llvm-24.txt     # as the runtime reads them
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

from passgen_runtime.ir.mlir.bindings import Bindings, bindings_of
from passgen_runtime.ir.mlir.known_passes import llvm_passes
from passgen_runtime.ir.mlir.native_options import refusal

Names: TypeAlias = Mapping[str, set[str]]
"""The options of each pass."""

_NAME: Final = re.compile(rb"([a-z][a-z0-9]*(?:-[a-z0-9]+)*)\0")
_HELP: Final = re.compile(r"(?m)^( +)--?([\w-]+)(?:[= ]<[^>]*>)? +- ")
_PRINTED_OPTION: Final = re.compile(r"[{ ]([a-z][\w-]*)=")
_PASS_INDENT: Final = 6
"""The spaces before a pass in the help of `mlir-opt`; its options have more."""


def _texts_in_libraries() -> Iterator[str]:
    """Yield what may be a name in the libraries that this process has loaded.

    A linker may store a name as the end of another one.
    """
    maps = Path("/proc/self/maps").read_text(encoding="utf-8").splitlines()
    files = {line.split(maxsplit=5)[-1] for line in maps if "/site-packages/" in line}
    for file in sorted(files):
        for found in _NAME.finditer(Path(file).read_bytes()):
            words = found[1].decode().split("-")
            for index in range(len(words)):
                yield "-".join(words[index:])


def _printed_options(bindings: Bindings, argument: str) -> set[str]:
    """Return the options that MLIR prints of a pass with default values.

    MLIR ends the process for some passes: so another one prints.
    """
    read_end, write_end = os.pipe()
    child = os.fork()
    if not child:
        parse = bindings.passmanager.PassManager.parse
        os.write(write_end, str(parse(f"any({argument})", bindings.scratch)).encode())
        os._exit(0)
    os.close(write_end)
    with os.fdopen(read_end) as stream:
        text = stream.read()
    os.waitpid(child, 0)
    # A pipeline prints its passes.
    is_pass = text.removeprefix("any(").startswith((f"{argument}{{", f"{argument})"))
    return {*_PRINTED_OPTION.findall(text)} if is_pass else set()


def names_of(bindings: Bindings, tried: Names) -> Names:
    """Return the names of those in their libraries, and `tried`, that are passes."""
    found: dict[str, set[str]] = {}
    for argument in sorted({*_texts_in_libraries(), *tried}):
        if refusal(bindings, argument) is not None:
            continue
        options = _printed_options(bindings, argument)
        for option in tried.get(argument, set()) - options:
            error = refusal(bindings, f"{argument}{{{option}=1}}") or ""
            if "no such option" not in error:
                options.add(option)
        found[argument] = options
    return found


def names_in_help(text: str) -> Names:
    """Return the names in the help of `mlir-opt`."""
    found: dict[str, set[str]] = {}
    options: set[str] = set()
    for indent, name in _HELP.findall(text):
        if len(indent) <= _PASS_INDENT:
            options = found[name] = set()
        else:
            options.add(name)
    return found


def read_names(files: Iterable[str]) -> Names:
    """Return the names in `files` that this module wrote."""
    found: dict[str, set[str]] = {}
    for file in files:
        for line in Path(file).read_text(encoding="utf-8").splitlines():
            argument, *options = line.split()
            found.setdefault(argument, set()).update(options)
    return found


def common_names(lists: Iterable[Names]) -> Names:
    """Return the passes and options that all lists have."""
    first, *others = lists
    return {
        argument: options.intersection(*(other[argument] for other in others))
        for argument, options in first.items()
        if all(argument in other for other in others)
    }


def versions_of(lists: Mapping[str, Names], table: Names) -> dict[str, Any]:
    """Return which versions have each pass and option, without those that all have.

    Args:
        lists: the names of each version.
        table: names of which no version may have some.
    """
    passes: dict[str, list[str]] = {}
    options: dict[str, dict[str, list[str]]] = {}
    for argument in sorted(set(table).union(*lists.values())):
        having = [version for version, names in lists.items() if argument in names]
        if len(having) < len(lists):
            passes[argument] = having
            continue
        known = table.get(argument, set())
        for option in sorted(known.union(*(lists[each][argument] for each in having))):
            found = [each for each in having if option in lists[each][argument]]
            if len(found) < len(having):
                options.setdefault(argument, {})[option] = found
    return {"versions": [*lists], "passes": passes, "options": options}


def _names_in_table() -> Names:
    return {name: {*info.options} for name, info in llvm_passes().items()}


def _main(package: str, *files: str) -> None:
    if package == "--versions":
        lists = {
            Path(each).stem.removeprefix("llvm-"): read_names([each]) for each in files
        }
        found = versions_of(lists, _names_in_table())
        sys.stdout.write(f"{json.dumps(found, indent=1)}\n")
        return
    if package == "--common":
        names = common_names(read_names([file]) for file in files)
    elif package == "-":
        names = names_in_help(sys.stdin.read())
    else:
        tried = {**_names_in_table()}
        for argument, options in read_names(files).items():
            tried[argument] = options | tried.get(argument, set())
        names = names_of(bindings_of(package), tried)
    for argument, options in names.items():
        sys.stdout.write(f"{' '.join((argument, *sorted(options)))}\n")


if __name__ == "__main__":
    _main(*sys.argv[1:])
