"""The pass generator: declarative pass specs in, pass boilerplate and docs out.

from passgen import Options, generate, write_outputs

generated = generate(["specs/affine.yaml"], Options(output="gen"))
write_outputs(Path("gen"), generated.files)
"""

from passgen.diagnostics import Diagnostic, SpecError, UserError
from passgen.generate import Generated, Options, SpecsError, generate, read_group
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
