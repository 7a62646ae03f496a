"""What editors ask about the text of a spec: problems, completions, hovers, places.

The answers are those of the checker, for texts that may be unsaved or half typed;
`language_server` gives them to editors.
"""

# ruff: noqa: I001 - `A as A` re-exports A; isort would write an import per name

from passgen.editor.cursor import (
    Cursor as Cursor,
    cursor_on as cursor_on,
    cursor_typing as cursor_typing,
)
from passgen.editor.names import Name as Name
from passgen.editor.workspace import Settings as Settings, Workspace as Workspace
