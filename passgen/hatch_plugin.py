"""The build hook `passgen` of hatchling: specs to files before a wheel is made.

    [build-system]
    requires = ["hatchling", "mlir-passgen"]

    [tool.hatch.build.hooks.passgen]
    specs = ["specs/*.yaml"]
    targets = ["python"]
    output = "src/my_dialect/generated"

What is written becomes a part of the wheel and of the source distribution even where
the version control ignores it.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.plugin import hookimpl

_KEYS: Final = frozenset({
    "dependencies", "enable-by-default", "require-runtime-dependencies",
    "require-runtime-features", "specs", "targets", "output", "template-dir",
})  # fmt: skip
"""What the table of the hook may hold; the first four are hatchling's."""


class PassgenBuildHook(BuildHookInterface[Any]):
    """Writes what specs become, before anything is packed."""

    PLUGIN_NAME = "passgen"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the outputs and add them to what is packed.

        Raises:
            ValueError: the hook's table is wrong.
            RuntimeError: a spec is wrong; passgen has said where.
        """
        del version
        done = subprocess.run(  # noqa: S603 - our own program
            [sys.executable, "-m", "passgen.cli", *self._arguments()],
            cwd=self.root,
            stdout=subprocess.PIPE,
            text=True,
            check=False,
        )
        if done.returncode:
            message = "passgen: the specs cannot be generated, see above"
            raise RuntimeError(message)
        outputs = [Path(line).as_posix() for line in done.stdout.splitlines()]
        build_data["artifacts"] += [f"/{output}" for output in outputs]

    def _arguments(self) -> Iterator[str]:
        for key in self.config:
            if key not in _KEYS:
                message = (
                    f"tool.hatch.build.hooks.passgen: found '{key}', "
                    f"expected one of {', '.join(sorted(_KEYS))}"
                )
                raise ValueError(message)
        specs = [
            path.relative_to(self.root).as_posix()
            for pattern in self.config.get("specs", ())
            for path in sorted(Path(self.root).glob(pattern))
        ]
        if not specs:
            message = "tool.hatch.build.hooks.passgen: 'specs' match no file"
            raise ValueError(message)
        for target in self.config.get("targets", ()):
            yield from ("--target", target)
        for key, option in (("output", "-o"), ("template-dir", "--template-dir")):
            if key in self.config:
                yield from (option, self.config[key])
        yield from specs


@hookimpl
def hatch_register_build_hook() -> type[PassgenBuildHook]:
    """Return the hook, for hatchling."""
    return PassgenBuildHook
