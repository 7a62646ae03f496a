"""The pass generator: declarative pass specs in, pass boilerplate and docs out.

from passgen import Options, generate, write_outputs

generated = generate(["specs/affine.yaml"], Options(output="gen"))
write_outputs(Path("gen"), generated.files)
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from passgen.diagnostics import Diagnostic, SpecError, UserError
    from passgen.generation import Generated, Options, SpecsError, generate, read_group
    from passgen.model import PassGroup
    from passgen.output import OutputFile, write_outputs

__all__ = [
    "Diagnostic",
    "Generated",
    "Options",
    "OutputFile",
    "PassGroup",
    "SpecError",
    "SpecsError",
    "UserError",
    "generate",
    "read_group",
    "write_outputs",
]


def __getattr__(name: str) -> object:
    """Import what Python code uses of this package, and the program may not need."""
    if name in __all__:
        from passgen import (  # noqa: PLC0415 - slow to import
            diagnostics,
            generation,
            model,
            output,
        )

        modules = (diagnostics, generation, model, output)
        return next(vars(module)[name] for module in modules if name in vars(module))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
