"""The pass generator: declarative pass specs in, pass boilerplate and docs out.

from passgen import Options, generate, write_outputs

generated = generate(["specs/affine.yaml"], Options(output="gen"))
write_outputs(Path("gen"), generated.files)
"""
