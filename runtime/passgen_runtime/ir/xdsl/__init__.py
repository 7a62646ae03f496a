"""xDSL's IR: `XDSLContext` is a `Context` over `xdsl.context.Context`.

The modules here add what the pass infrastructure needs and xDSL lacks: every verifier
error has a location, no dialect is loaded while a pipeline runs, and operations that
meet the requirements of MLIR's `FunctionOpInterface` have it.
"""

from passgen_runtime.ir.xdsl_versions import require_supported_xdsl

require_supported_xdsl()  # the imports below fail with some older versions

from passgen_runtime.ir.xdsl.context import (  # noqa: E402
    XDSLContext,
    apply_module_pass,
)

__all__ = ["XDSLContext", "apply_module_pass"]
