"""The process that imports xDSL's passes: a name and folders in JSON in, JSON out.

A line of the output is the module that is imported next, written before its code can
end the process; the last line is the answer. The process is run by its path, and
imports nothing of passgen. What modules print goes to standard error.
"""

from __future__ import annotations

import dataclasses
import inspect
import json
import os
import pkgutil
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from types import ModuleType, NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

Json = dict[str, Any]

_BASE = "xdsl.passes.ModulePass"


def describe(name: str, announce: Callable[[str], None]) -> Json:
    """Return the passes of `name`, and why some of its modules cannot be imported.

    Args:
        name: a module, with its submodules, or `module:Name`: a class, xDSL's universe,
            passes by name, or a function without arguments that returns one of these.
        announce: is called with each module before its import.
    """
    errors: dict[str, str] = {}
    module, _, path = name.partition(":")
    try:
        announce(module)
        found: Any = import_module(module)
        if path:
            classes = list(_classes_of(getattr(found, path)))
        else:
            classes = [
                value
                for part in _modules(found, announce, errors)
                for value in vars(part).values()
                if _is_own_pass(value, module)
            ]
        return {"passes": [*map(_pass, dict.fromkeys(classes))], "errors": errors}
    except BaseException as error:  # noqa: BLE001 - whatever a module does
        return {"passes": [], "errors": {name: _reason(error)}}


def _classes_of(found: Any) -> Iterator[type]:  # noqa: ANN401 - what an author names
    """Yield the classes of passes that an object stands for."""
    if isinstance(found, type):
        yield found
        return
    found = getattr(found, "all_passes", found)
    found = found() if callable(found) else found
    for value in found.values() if isinstance(found, Mapping) else found:
        yield value if isinstance(value, type) else value()


def _modules(
    module: ModuleType, announce: Callable[[str], None], errors: dict[str, str]
) -> Iterator[ModuleType]:
    """Yield `module` and those inside it; `errors` get the modules that fail."""
    yield module
    for info in pkgutil.iter_modules(getattr(module, "__path__", ())):
        name = f"{module.__name__}.{info.name}"
        if info.name == "__main__":
            continue
        announce(name)
        try:
            inner = import_module(name)
        except BaseException as error:  # noqa: BLE001 - as above
            errors[name] = _reason(error)
            continue
        yield from _modules(inner, announce, errors)


def _is_own_pass(value: object, module: str) -> bool:
    """Return whether `value` is a pass of the package that `module` is in."""
    bases = value.__mro__ if isinstance(value, type) else ()
    if not any(f"{base.__module__}.{base.__name__}" == _BASE for base in bases):
        return False
    is_own = value.__module__.split(".")[0] == module.split(".", maxsplit=1)[0]
    is_whole = isinstance(getattr(value, "name", None), str)
    return is_own and is_whole and not inspect.isabstract(value)


def _reason(error: BaseException) -> str:
    text = f"{type(error).__name__}: {error}"
    return text.partition("\n")[0].removesuffix(": ")


def _pass(cls: type) -> Json:
    doc = cls.__doc__ or ""
    try:
        hints, error = get_type_hints(cls), ""
    except Exception as failure:  # noqa: BLE001 - names that only type checkers see
        hints, error = {}, _reason(failure)
    return {
        "class": f"{cls.__module__}:{cls.__qualname__}",
        "argument": getattr(cls, "name", ""),
        # A dataclass without a docstring gets its signature as one.
        "doc": "" if doc.startswith(f"{cls.__name__}(") else inspect.cleandoc(doc),
        "error": error,
        "place": _place(cls),
        "fields": [
            _field(cls, field, hints)
            for field in dataclasses.fields(cls)
            if field.init and field.name != "name"
        ],
    }


def _field(cls: type, field: Any, hints: Mapping[str, Any]) -> Json:  # noqa: ANN401
    found = list(_kinds(hints.get(field.name, field.type)))
    default = field.default
    if field.default_factory is not dataclasses.MISSING:
        default = field.default_factory()
    return {
        "name": field.name,
        "kinds": list(dict.fromkeys(kind for kind, _ in found)),
        "values": list(dict.fromkeys(text for _, text in found if text is not None)),
        "place": _place(cls, field.name),
        **({} if default is dataclasses.MISSING else {"default": default}),
    }


def _kinds(hint: Any) -> Iterator[tuple[str, str | None]]:  # noqa: ANN401
    """Yield the kinds of values that an annotation allows, with texts of literals."""
    hint = getattr(hint, "__value__", hint)  # of `type Name = ...`
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        for member in arguments:
            yield from _kinds(member)
    elif origin is Literal:
        for value in arguments:
            is_text = isinstance(value, str)
            other = "none" if value is None else "other"
            yield ("literal", value) if is_text else (other, None)
    elif origin is tuple and arguments[1:] == (...,):
        for kind, text in _kinds(arguments[0]):
            yield f"tuple of {kind}", text
    elif hint in (bool, int, float, str):
        yield hint.__name__, None
    else:
        yield "none" if hint is NoneType else "other", None


def _place(cls: type, field: str = "") -> list[Any]:
    """Return file, line, column and length of a class or a field; empty if unknown."""
    owners = [base for base in cls.__mro__ if field in inspect.get_annotations(base)]
    owner = owners[0] if owners else cls
    pattern = rf"\s*({field})\s*:" if owners else rf"\s*class ({owner.__name__})\b"
    try:
        lines, first = inspect.getsourcelines(owner)
        file = inspect.getsourcefile(owner)
    except (OSError, TypeError):
        return []
    found = (re.match(pattern, line) for line in lines)
    for line, match in enumerate(found, first):
        if match:
            return [file, line, match.start(1) + 1, len(match[1])]
    return []


def main() -> None:
    """Answer the name on standard input."""
    answer = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    name, folders = json.load(sys.stdin)
    installed = ("site-packages", "dist-packages")
    places = [at for at, path in enumerate(sys.path) if path.endswith(installed)]
    first = min(places, default=len(sys.path))
    sys.path[first:first] = folders
    with os.fdopen(answer, "w", encoding="utf-8") as stream:

        def say(word: object) -> None:
            print(json.dumps(word, default=repr), file=stream, flush=True)

        say(describe(name, say))


if __name__ == "__main__":
    main()
