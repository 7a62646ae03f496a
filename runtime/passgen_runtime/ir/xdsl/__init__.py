"""xDSL's IR: `XDSLContext` is a `Context` over `xdsl.context.Context`.

The modules of this folder add what MLIR's infrastructure needs and xDSL lacks: every
error of the verifier has a location, no dialect is loaded while a pipeline runs, and an
operation has `FunctionOpInterface` if it has what MLIR's interface requires.
"""

from passgen_runtime.ir.xdsl.context import XDSLContext

__all__ = ["XDSLContext"]
