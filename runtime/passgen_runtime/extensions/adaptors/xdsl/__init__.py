"""The adaptors of xDSL's IR."""

from passgen_runtime.extensions.adaptors.xdsl.editor import XDSLEditor
from passgen_runtime.extensions.adaptors.xdsl.inspector import XDSLInspector
from passgen_runtime.extensions.adaptors.xdsl.transport import XDSLTransport

__all__ = ["XDSLEditor", "XDSLInspector", "XDSLTransport"]
