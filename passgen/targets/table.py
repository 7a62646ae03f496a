"""The table of targets.

A target is data: its template and the name of its output. Its text is in `templates/`.
All targets would take 18 ms to import, a tenth of the start of `passgen`: the one that
is rendered is imported.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from passgen.diagnostics import Diagnostic, UserError
from passgen.passgen_rules.suggestions import nearest_name
from passgen.targets.origin import Origin

if TYPE_CHECKING:  # `--help` lists the targets, and needs no model
    from passgen.model import PassGroup


@dataclass(frozen=True)
class Target:
    """One kind of output."""

    name: str
    """The argument of `--target`."""

    template: str
    """Path below the templates' folder."""

    file_suffix: str
    """The end of the output's name, after the group's title."""

    def file_name(self, group: PassGroup) -> str:
        """Return the name of the output: `affine_passes.py` of the group `Affine`."""
        from passgen import naming

        return naming.snake_case(group.title) + self.file_suffix

    def values(
        self, group: PassGroup, origin: Origin, others: Sequence[PassGroup] = ()
    ) -> dict[str, object]:
        """Return the variables of the template; a user's takes the model alone.

        Args:
            group: the group.
            origin: the place of the spec.
            others: groups that may hold passes of the pipelines.
        """
        variables: dict[str, object] = {"origin": origin, "group": group}
        match self.name:
            case "python":
                from passgen.targets.python import values
            case "native-python":
                from passgen.targets.native_python import values
            case "markdown":
                from passgen.targets.markdown import values
            case "cpp":
                from passgen.targets.tblgen.cpp import cpp_values

                return variables | cpp_values(group, others)
            case "capi-header" | "capi-impl":
                from passgen.targets.tblgen.cpp import values
            case "mlir-markdown":
                from passgen.targets.tblgen.markdown import values
            case "tablegen":
                from passgen.targets.tblgen.tablegen import values
            case _:
                return variables
        return variables | values(group)

    def warnings(self, group: PassGroup) -> Sequence[Diagnostic]:
        """Return warnings of valid parts of `group` that do not work in this output."""
        if self.name not in {"cpp", "tablegen"}:
            return ()
        from passgen.targets.tblgen.options import uncompiled_lists, unparsed_optionals

        found = [*uncompiled_lists(group)]
        if self.name == "tablegen":
            found += unparsed_optionals(group)
        return found


TARGETS: Final[dict[str, Target]] = {
    target.name: target
    for target in (
        Target("python", "python/passes.py.j2", "_passes.py"),
        Target("native-python", "native-python/passes.py.j2", "_native_passes.py"),
        Target("markdown", "markdown/passes.md.j2", "_passes.md"),
        Target("cpp", "cpp/passes.h.inc.j2", "_passes.h.inc"),
        Target("capi-header", "capi-header/passes.capi.h.inc.j2", "_passes.capi.h.inc"),
        Target("capi-impl", "capi-impl/passes.capi.cpp.inc.j2", "_passes.capi.cpp.inc"),
        Target("mlir-markdown", "mlir-markdown/passes.md.j2", "_passes.mlir.md"),
        Target("tablegen", "tablegen/Passes.td.j2", "_passes.td"),
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
            target = Target(name, f"{name}/{path.name}", file_suffix)
            found.setdefault(name, []).append(target)
    return found


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
            close = nearest_name(name, known)
            raise TargetError(
                f"argument --target: found '{name}', expected one of "
                f"{', '.join(known)}" + (f"; did you mean '{close}'?" if close else "")
            )
    chosen = dict.fromkeys(names or DEFAULT_TARGETS)
    return [target for name in chosen for target in known[name]]
