"""The build hook `passgen` of hatchling: generates files before a wheel is built.

    [build-system]
    requires = ["hatchling", "mlir-passgen"]

    [tool.hatch.build.hooks.passgen]
    specs = ["specs/*.yaml"]
    targets = ["python"]
    output = "src/my_dialect/generated"

The files become part of the wheel and of the source distribution, even if version
control ignores them.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Any, Final

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.plugin import hookimpl

from passgen.diagnostics import SpecError, UserError, for_terminal
from passgen.generation import Options, generate
from passgen.output import find_remarks, write_outputs
from passgen.passgen_rules.suggestions import nearest_name

_TABLE: Final = "tool.hatch.build.hooks.passgen"

_KEYS: Final = frozenset({
    "dependencies", "enable-by-default", "require-runtime-dependencies",
    "require-runtime-features", "specs", "targets", "output", "template-dir",
})  # fmt: skip
"""The keys of the hook's table; the first four are hatchling's."""

_PATTERN_SYNTAX: Final = re.compile(r"[\\*?\[\]!# ]")
"""Characters with a meaning in the patterns of `artifacts`, whose syntax is git's."""


class _SettingError(ValueError):
    """A setting is wrong; the text names it, its value and the expected value."""


class PassgenBuildHook(BuildHookInterface[Any]):
    """Generates files from specs before anything is packed."""

    PLUGIN_NAME = "passgen"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the outputs and add them to the packed files; abort if this fails."""
        del version
        root = Path(self.root)
        try:
            options = _options(self.config, root)
            specs = _specs(self.config, root)
        except _SettingError as error:
            self.app.abort(f"{_TABLE}: {error}")  # which ends the process
        # Specs, outputs, and the command in the outputs are named from the project.
        with contextlib.chdir(root):
            outputs = self._generate(specs, options)
        build_data["artifacts"] += [
            "/" + _PATTERN_SYNTAX.sub(r"\\\g<0>", output) for output in outputs
        ]

    def _generate(self, specs: Sequence[str], options: Options) -> list[str]:
        """Write the outputs; return their paths."""
        folder = Path(options.output or "")
        try:
            made = generate(specs, options)
            spec_folders = {Path(spec).parent for spec in specs}
            remarks = find_remarks(folder, made.files, spec_folders)
            for warning in made.warnings:
                self.app.display_warning(for_terminal(str(warning)))
            write_outputs(folder, made.files)
        except (SpecError, UserError) as error:
            self.app.display_error(for_terminal(str(error)))
            self.app.abort(f"{_TABLE}: passgen failed, for the reasons above")
        for path, text in remarks:
            self.app.display_warning(for_terminal(f"{path}: warning: {text}"))
        return [file.path.as_posix() for file in made.files]


def _options(config: dict[str, Any], root: Path) -> Options:
    """Return the options in the table `config` of the project in `root`."""
    for key in config:
        if key not in _KEYS:
            close = nearest_name(key, _KEYS)
            hint = f"; did you mean '{close}'?" if close else ""
            expected = ", ".join(sorted(_KEYS))
            raise _SettingError(f"found '{key}', expected one of {expected}{hint}")
    paths = {
        key: _path(key, config[key])
        for key in ("output", "template-dir")
        if key in config
    }
    return Options(
        targets=tuple(dict.fromkeys(_texts(config, "targets"))),
        output=paths.get("output"),
        template_dir=paths.get("template-dir"),
        folder=root,
    )


def _specs(config: dict[str, Any], root: Path) -> list[str]:
    found: dict[str, None] = {}
    for pattern in _texts(config, "specs"):
        matches = sorted(root.glob(_path("specs", pattern)))
        specs = [match.relative_to(root) for match in matches if match.is_file()]
        if not specs:
            raise _SettingError(f"'specs': '{pattern}' matches no file")
        found |= dict.fromkeys(spec.as_posix() for spec in specs)
    if not found:
        raise _SettingError("found no 'specs', expected a list of paths or patterns")
    return list(found)


def _texts(config: dict[str, Any], key: str) -> list[str]:
    value = config.get(key, [])
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise _SettingError(f"'{key}': found {value!r}, expected a list of texts")
    return value


def _path(key: str, value: object) -> str:
    """Return `value` if it is a path in the project, where packed files lie."""
    if not isinstance(value, str) or not value:
        raise _SettingError(f"'{key}': found {value!r}, expected a path")
    path = PurePosixPath(value)
    if path.is_absolute() or ".." in path.parts:
        message = f"'{key}': found '{value}', expected a path below the project"
        raise _SettingError(message)
    return value


@hookimpl
def hatch_register_build_hook() -> type[PassgenBuildHook]:
    """Return the hook, for hatchling."""
    return PassgenBuildHook
