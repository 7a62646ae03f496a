"""The adaptors of xDSL's IR."""

from passgen_tools.adaptors.xdsl.editor import XDSLEditor
from passgen_tools.adaptors.xdsl.inspector import XDSLInspector
from passgen_tools.adaptors.xdsl.transport import XDSLTransport

__all__ = ["XDSLEditor", "XDSLInspector", "XDSLTransport"]
