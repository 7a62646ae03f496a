"""The Python classes of the operations that passes run on, by IR library.

They are for editors and type checkers: generated modules import no IR library.
"""

from __future__ import annotations

from passgen.model import PassGroup


def operation_classes(group: PassGroup) -> dict[str, str]:
    """Return the class of the operations of each pass, by the pass's name.

    There is none without an `ir`: the passes may run on the IR of several libraries.
    """
    library = group.library
    if library is None:
        return {}
    named = {operation.name: operation.python for operation in group.operations}
    known = {**library.classes, **named} if library.is_typed else {}
    return {
        pass_.name: known.get(pass_.operation, library.operation)
        for pass_ in group.passes
    }
