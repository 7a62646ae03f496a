"""Attributes that are tuples of names."""

from __future__ import annotations


def refuse_text(declaration: object, *names: str) -> None:
    """Check that no attribute of a class or object is a text: a tuple is expected.

    The characters of a text would be read as names.

    Raises:
        TypeError: one is.
    """
    for name in names:
        found = getattr(declaration, name)
        if isinstance(found, str):
            cls = declaration if isinstance(declaration, type) else type(declaration)
            message = f"{cls.__qualname__}.{name}: expected a tuple, found {found!r}"
            raise TypeError(f"{message}\nnote: write ({found!r},)")
