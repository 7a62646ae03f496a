"""Methods of dataclasses, compiled when they are first called.

Up to Python 3.12, `@dataclass` compiles each method of each class from text. Importing
xDSL defines hundreds of dataclasses; compiling `__eq__`, `__hash__`, `__repr__` and
what makes them immutable takes a quarter of the time of a short run, and few of them
are ever called. A program that calls `install` before it imports them does not wait
for the others. Later versions of Python compile all methods of a class at once: there,
nothing is done.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, Final

_LAZY: Final = frozenset(
    f"__{name}__"
    for name in "repr eq hash setattr delattr lt le gt ge".split()  # noqa: SIM905 - short
)
"""What takes its arguments by position; `__init__` is looked at by many."""

_HOOK: Final = "_create_fn"
"""What makes a method from its text, where this Python has it."""


def install() -> None:
    """Let the methods of dataclasses that are defined from now on be lazy."""
    create = getattr(dataclasses, _HOOK, None)
    if create is not None and not getattr(create, "is_lazy", False):
        setattr(dataclasses, _HOOK, _lazy(create))


def _lazy(create: Callable[..., Any]) -> Callable[..., Any]:
    """Return what does as `create` does, later."""

    def create_later(
        name: str, *arguments: object, **options: object
    ) -> Any:  # noqa: ANN401
        if name not in _LAZY:
            return create(name, *arguments, **options)

        def method(self: object, *given: object) -> Any:  # noqa: ANN401
            made = create(name, *arguments, **options)
            made.__qualname__ = method.__qualname__
            for cls in type(self).__mro__:
                if vars(cls).get(name) is method:
                    # From now on, calls take no detour.
                    type.__setattr__(cls, name, made)
            return made(self, *given)

        method.__name__ = name
        return method

    create_later.is_lazy = True  # type: ignore[attr-defined] # a mark of ours
    return create_later
