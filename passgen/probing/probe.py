"""The process that imports what specs name, and parses their patterns.

It gets questions and a setup in JSON, and answers in lines of JSON. A line is what is
tried next, written before it can end the process, or a question and its answer. The
process is run by its path, and imports nothing of passgen, which would take the place
of authors' modules of the same names. What modules print goes to standard error.
"""

from __future__ import annotations

import json
import os
import sys
import sysconfig
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from importlib import import_module
from itertools import accumulate
from pathlib import Path
from types import ModuleType
from typing import Any


def import_object(name: str, announce: Callable[[str], None]) -> dict[str, Any]:
    """Return the description of a `module:Name`, or why it cannot be imported."""
    module, _, path = name.partition(":")
    try:
        for package in accumulate(module.split("."), "{}.{}".format):
            announce(package)
            imported = import_module(package)
        found = getattr(imported, path)
    except BaseException as error:  # noqa: BLE001 - whatever a module does
        return {"error": _reason(error)}
    bases = found.__mro__ if isinstance(found, type) else ()
    return {
        "bases": [base.__name__ for base in bases],
        "types": [base.__name__ for base in type(found).__mro__],
        "is_callable": callable(found),
    }


class PatternParser:
    """Parses the patterns of generated modules with the IR libraries installed."""

    def __init__(
        self, modules: Mapping[str, Any], plugins: Sequence[str], *, writes_pdl: bool
    ) -> None:
        """Serve `modules`: the text of each, and the contexts to try, by name.

        Args:
            modules: their order is that of the questions.
            plugins: the plugins whose dialects patterns use.
            writes_pdl: whether to answer with patterns in PDL. Operations of dialects
                that no library knows are then accepted: another program has them.

        Raises:
            ImportError: the runtime is not installed.
        """
        self._writes_pdl = writes_pdl
        self._patterns = import_module("passgen_runtime.patterns")
        self._modules = modules
        self._plugins = plugins
        self._loaded: dict[str, ModuleType] = {}
        self._libraries: dict[str, Any] = {}
        self._contexts: list[Any] = []  # which libraries do not keep alive

    def parse(self, question: str) -> dict[str, Any]:
        """Return the error of `module/Class/pattern`, or its graphs in PDL if asked.

        Where no IR library of the module is installed, the answer says so.
        """
        try:
            return self._parse(question)
        except BaseException as error:  # noqa: BLE001 - whatever a plugin does
            return {"error": ["", _reason(error), []]}

    def _parse(self, question: str) -> dict[str, Any]:
        module_name, class_name, pattern_name = question.split("/")
        pass_class = getattr(self._module(module_name), class_name)
        pattern = next(
            pattern for pattern in pass_class.patterns if pattern.name == pattern_name
        )
        libraries = [*self._libraries_of(self._modules[module_name]["contexts"])]
        if not libraries:
            return {"unparsed": "no library of its IR is installed"}
        answers = [self._read(library, pass_class, pattern) for library in libraries]
        return next((one for one in answers if "error" not in one), answers[0])

    def _module(self, name: str) -> ModuleType:
        if name not in self._loaded:
            module = self._loaded[name] = ModuleType(name)
            exec(self._modules[name]["text"], vars(module))  # noqa: S102 - generated
        return self._loaded[name]

    def _libraries_of(self, contexts: Sequence[str]) -> Iterator[Any]:
        for name in contexts:
            if name not in self._libraries:
                self._libraries[name] = self._library(name)
            if self._libraries[name] is not None:
                yield self._libraries[name]

    def _library(self, name: str) -> Any:  # noqa: ANN401 - of the runtime
        """Return a library that knows the dialects of the plugins, if it is there."""
        builders = import_module("passgen_runtime.pass_manager_builder")
        registry = import_module("passgen_runtime").PassRegistry()
        module, _, class_name = name.partition(":")
        try:
            make_context = getattr(import_module(module), class_name)
            context = make_context(allow_unregistered=self._writes_pdl)
            library = self._patterns.library_of(context)
            if library.why_not():
                return None
        except (ImportError, import_module("passgen_runtime").PassError):
            return None
        builder = builders.PassManagerBuilder(registry=registry)
        import_module("passgen_runtime.plugins").load_plugins(builder, self._plugins)
        builders.additions_to(registry).register_dialects(context)
        self._contexts.append(context)
        return library

    def _read(
        self,
        library: Any,  # noqa: ANN401 - of the runtime, as below
        pass_class: Any,  # noqa: ANN401
        pattern: Any,  # noqa: ANN401
    ) -> dict[str, Any]:
        """Return place, message and notes of what is wrong, or graphs if asked."""
        natives = {
            "constraint": dict(pass_class.native_constraints),
            "rewrite": dict(pass_class.native_rewrites),
        }
        try:
            graphs = self._patterns.read_pattern(library, pattern)
            self._patterns.check_graphs(
                library, graphs, natives, pass_class.pattern_driver
            )
        except self._patterns.PatternError as error:
            return {"error": [error.place, error.message or str(error), error.notes]}
        if not self._writes_pdl:
            return {}
        counter = f"passgen.count {pass_class.name}.{pattern.name}"
        return {"graphs": [self._written(graph, counter) for graph in graphs]}

    def _written(
        self,
        graph: Any,  # noqa: ANN401 - of the runtime
        counter: str,
    ) -> dict[str, Any]:
        """Return a graph in PDL, and the functions that it calls."""
        writer = self._patterns.PDLWriter(graph, counter=counter)
        return {
            "pdl": writer.write(),
            "counter": counter,
            "constraints": _functions(writer.tests),
            "rewrites": _functions(writer.functions),
        }


def _functions(functions: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the name of each function in PDL, its class, and its fields."""
    return [
        {
            "called": name,
            "class": type(function).__name__,
            "fields": {
                field.name: getattr(function, field.name) for field in fields(function)
            },
        }
        for name, function in functions.items()
    ]


def _reason(error: BaseException) -> str:
    text = str(error).split("\n", 1)[0]
    kind = type(error).__name__
    return f"{kind}: {text}" if text else kind


def _end_of_library() -> int:
    """Return the place in `sys.path` after the folders of the standard library.

    Before them, a module `json` of an author would be imported in place of Python's.
    """
    paths = sysconfig.get_paths()
    library = {paths["stdlib"], paths["platstdlib"]}
    library |= {str(Path(folder, "lib-dynload")) for folder in library}
    places = [place for place, folder in enumerate(sys.path, 1) if folder in library]
    return max(places, default=0)


def main() -> None:
    """Answer the questions on standard input."""
    answer = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    questions, setup = json.load(sys.stdin)
    sys.path[_end_of_library() : 0] = setup["folders"]
    with os.fdopen(answer, "w", encoding="utf-8") as stream:

        def say(*words: object) -> None:
            print(json.dumps(words), file=stream, flush=True)

        if "modules" not in setup:
            for name in questions:
                say(name, import_object(name, say))
            return
        try:
            parser = PatternParser(
                setup["modules"], setup["plugins"], writes_pdl=setup["writes_pdl"]
            )
            unparsed = ""
        except ImportError:
            unparsed = "the package passgen_runtime is not installed"
        for question in questions:
            say(question)
            say(
                question, {"unparsed": unparsed} if unparsed else parser.parse(question)
            )


if __name__ == "__main__":
    main()
