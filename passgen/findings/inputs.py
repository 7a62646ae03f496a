"""Pass groups as users name them: a spec, a `.td` file, or the dump of one.

All become the model, so that passgen compares and judges TableGen files as it does
specs.
"""

from __future__ import annotations

from collections.abc import Sequence

from passgen import tablegen
from passgen.checks import check
from passgen.generation import read_group
from passgen.model import PassGroup


def read_input(
    name: str, includes: Sequence[str] = (), tool: str | None = None, shown: str = ""
) -> PassGroup:
    """Return the group that the file `name` declares.

    Args:
        name: a spec, or `-`; a `.td` file, or what `llvm-tblgen --dump-json` printed.
        includes: folders that a `.td` file includes others from.
        tool: the `llvm-tblgen` to run, instead of the one that is found.
        shown: the name of a `.td` file in messages, if it is another one.

    Raises:
        SpecError: it is wrong.
        UserError: it cannot be read.
    """
    if not name.endswith((".td", ".json")):
        return read_group(name)
    dump = tablegen.read_dump(name, includes, tool, shown)
    group = tablegen.read_group(dump, shown or name)
    check(group, others=None)
    return group
