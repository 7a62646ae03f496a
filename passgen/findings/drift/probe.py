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

    def __init__(self, modules: Mapping[str, Any], plugins: Sequence[str]) -> None:
        """Serve `modules`: the text of each, and the contexts to try, by name.

        Raises:
            ImportError: the runtime is not installed.
        """
        self._patterns = import_module("passgen_runtime.patterns")
        self._modules = modules
        self._plugins = plugins
        self._loaded: dict[str, ModuleType] = {}
        self._libraries: dict[str, Any] = {}
        self._contexts: list[Any] = []  # which libraries do not keep alive

    def parse(self, question: str) -> dict[str, Any]:
        """Return the error of `module/Class/pattern`; an empty answer if it parses.

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
        errors = [self._error(library, pass_class, pattern) for library in libraries]
        return {} if None in errors else {"error": errors[0]}

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
            context = getattr(import_module(module), class_name)()
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

    def _error(
        self,
        library: Any,  # noqa: ANN401 - of the runtime, as below
        pass_class: Any,  # noqa: ANN401
        pattern: Any,  # noqa: ANN401
    ) -> list[Any] | None:
        """Return place, message and notes of what is wrong; `None` if nothing is."""
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
            return [error.place, error.message or str(error), error.notes]
        return None


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
            parser = PatternParser(setup["modules"], setup["plugins"])
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
