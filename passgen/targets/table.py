"""The table of targets.

A target is data: its template, the name of its output, and the function that computes
the variables of the template. Its text is in `templates/`. All targets would take 18 ms
to import, a tenth of the start of `passgen`: one is imported when it is chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from passgen import naming
from passgen.diagnostics import UserError, nearest
from passgen.model import PassGroup
from passgen.targets.origin import Origin

Values: TypeAlias = Callable[[PassGroup, Origin], dict[str, object]]
"""A function that returns the variables of a template."""


@dataclass(frozen=True)
class Target:
    """One kind of output."""

    name: str
    """The argument of `--target`."""

    template: str
    """Path below the templates' folder."""

    file_suffix: str
    """The end of the output's name, after the group's title."""

    values: Values

    def file_name(self, group: PassGroup) -> str:
        """Return the name of the output: `affine_passes.py` of the group `Affine`."""
        return naming.snake_case(group.title) + self.file_suffix


def _python(group: PassGroup, origin: Origin) -> dict[str, object]:
    from passgen.targets.python import values

    return values(group, origin)


def _markdown(group: PassGroup, origin: Origin) -> dict[str, object]:
    from passgen.targets.markdown import values

    return values(group, origin)


def _cpp(group: PassGroup, origin: Origin) -> dict[str, object]:
    from passgen.targets.tblgen.cpp import values

    return values(group, origin)


def _mlir_markdown(group: PassGroup, origin: Origin) -> dict[str, object]:
    from passgen.targets.tblgen.markdown import values

    return values(group, origin)


def _tablegen(group: PassGroup, origin: Origin) -> dict[str, object]:
    from passgen.targets.tblgen.tablegen import values

    return values(group, origin)


TARGETS: Final[dict[str, Target]] = {
    target.name: target
    for target in (
        Target("python", "python/passes.py.j2", "_passes.py", _python),
        Target("markdown", "markdown/passes.md.j2", "_passes.md", _markdown),
        Target("cpp", "cpp/passes.h.inc.j2", "_passes.h.inc", _cpp),
        Target(
            "capi-header",
            "capi-header/passes.capi.h.inc.j2",
            "_passes.capi.h.inc",
            _cpp,
        ),
        Target(
            "capi-impl",
            "capi-impl/passes.capi.cpp.inc.j2",
            "_passes.capi.cpp.inc",
            _cpp,
        ),
        Target(
            "mlir-markdown",
            "mlir-markdown/passes.md.j2",
            "_passes.mlir.md",
            _mlir_markdown,
        ),
        Target("tablegen", "tablegen/Passes.td.j2", "_passes.td", _tablegen),
    )
}
"""Every target by its name, in the order in which they are written."""


def user_targets(root: Path | None) -> dict[str, list[Target]]:
    """Return the targets that the templates in `root` add to `TARGETS`.

    A folder is a target, and each template in it one of its outputs:
    `rust/passes.rs.j2` writes `affine_passes.rs`. A folder or template whose name
    begins with an underscore is only for use by other templates. A folder with the name
    of one of passgen's targets overrides templates of this target.
    """
    found: dict[str, list[Target]] = {}
    for path in sorted(root.glob("[!_]*/[!_]*.j2")) if root else ():
        name = path.parent.name
        if name not in TARGETS:
            file_suffix = f"_{path.name.removesuffix('.j2')}"
            target = Target(name, f"{name}/{path.name}", file_suffix, _model)
            found.setdefault(name, []).append(target)
    return found


def _model(group: PassGroup, origin: Origin) -> dict[str, object]:
    """Return the variables of a user's template: it takes the model itself."""
    return {"origin": origin, "group": group}


DEFAULT_TARGETS: Final = ("python", "markdown")
"""The targets without `--target`."""


class TargetError(UserError):
    """The target or the folder of templates does not exist; the text says which do."""

    code = 2


def chosen_targets(names: Sequence[str], root: Path | None) -> list[Target]:
    """Return the targets called `names`, each once; by default `DEFAULT_TARGETS`.

    Args:
        names: of passgen's targets and of those that `root` adds.
        root: the folder of the user's own templates.

    Raises:
        TargetError: there is no such folder, or no such target.
    """
    if root is not None and not root.is_dir():
        raise TargetError(f"--template-dir: found no folder '{root}'")
    own = user_targets(root)
    known = {**{name: [target] for name, target in TARGETS.items()}, **own}
    for name in names:
        if name not in known:
            close = nearest(name, known)
            raise TargetError(
                f"argument --target: found '{name}', expected one of "
                f"{', '.join(known)}" + (f"; did you mean '{close}'?" if close else "")
            )
    chosen = dict.fromkeys(names or DEFAULT_TARGETS)
    return [target for name in chosen for target in known[name]]
