"""Methods of dataclasses, ours and xDSL's, compiled when they are first called.

Up to Python 3.12, `@dataclass` compiles each method of each class from text, and has no
public way to do so later. Importing xDSL defines hundreds of dataclasses: compiling
`__eq__`, `__hash__`, `__repr__` and what makes them immutable takes a quarter of the
time of a short run, and few of these methods are ever called. `docs/performance.md`
tells why start-up cannot reach its target without this.

Only `passgen-opt` as a program asks for it, and only classes of these two packages are
affected: those of other passes and dialects are what `@dataclass` makes. Later versions
of Python compile all methods of a class at once: there, nothing is done.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import cache
from typing import Any, Final

_LAZY: Final = frozenset(
    f"__{name}__"
    for name in "repr eq hash setattr delattr lt le gt ge".split()  # noqa: SIM905 - short
)
"""What takes its arguments by position; `__init__` is looked at by many."""

_HOOK: Final = "_create_fn"
"""What makes a method from its text, where this Python has it."""


_MODULES: Final = ("passgen_runtime.", "xdsl.")


def install(modules: tuple[str, ...] = _MODULES) -> None:
    """Let methods of dataclasses that are defined from now on be lazy.

    Args:
        modules: how the names of the modules begin whose dataclasses these are.
    """
    create = getattr(dataclasses, _HOOK, None)
    if create is not None and not getattr(create, "is_lazy", False):
        setattr(dataclasses, _HOOK, _lazy(create, modules))


def _lazy(create: Callable[..., Any], modules: tuple[str, ...]) -> Callable[..., Any]:
    """Return what does as `create` does, later for classes of `modules`."""

    def create_later(
        name: str, *arguments: object, **options: Any  # noqa: ANN401
    ) -> Any:  # noqa: ANN401
        module = (options.get("globals") or {}).get("__name__", "")
        if name not in _LAZY or not module.startswith(modules):
            return create(name, *arguments, **options)

        @cache
        def made() -> Any:  # noqa: ANN401
            return create(name, *arguments, **options)

        def method(self: object, *given: object) -> Any:  # noqa: ANN401
            made().__qualname__ = method.__qualname__
            for cls in type(self).__mro__:
                if vars(cls).get(name) is method:
                    # From now on, calls take no detour.
                    type.__setattr__(cls, name, made())
            return made()(self, *given)

        method.__name__ = name
        return method

    create_later.is_lazy = True  # type: ignore[attr-defined] # a mark of ours
    return create_later
