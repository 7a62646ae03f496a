"""The texts of IR in the data of a report, each once."""

from __future__ import annotations

from typing import Any, TypeAlias

from passgen_tools.record import RunRecord

_Children: TypeAlias = tuple[tuple[str, int | None], ...]
"""The names of nested operations, with the places of their texts."""

TextKey: TypeAlias = tuple[str, _Children]
"""What two texts have in common if one row stands for both."""


class IRTexts:
    """The texts of a record, which are added to the data when they are asked for."""

    def __init__(
        self, record: RunRecord, rows: list[dict[str, Any]], places: dict[TextKey, int]
    ) -> None:
        """Read the texts of `record`.

        Args:
            record: the record.
            rows: the texts in the data, which may have some of another record.
            places: the places of those texts.
        """
        self._record = record
        self._rows = rows
        self._places = places
        self._compressed = {row.id: row for row in record.compressed_ir}
        """The texts that are not in the data yet, by id."""

        self._place_of_id: dict[int, int] = {}

    def place(self, ir_id: int | None) -> int | None:
        """Return the place of a text; its children stand before it."""
        if ir_id is None:
            return None
        if ir_id not in self._place_of_id:
            self._place_of_id[ir_id] = self._add(ir_id)
        return self._place_of_id[ir_id]

    def _add(self, ir_id: int) -> int:
        """Add a text and its children, unless the data has it; return its place."""
        # Removed first: in a damaged record, a text may be inside itself.
        state = self._compressed.pop(ir_id)
        text = self._record.decompress(state.text)
        text += self._record.resource_comments(ir_id)
        child_ids = self._record.children.get(ir_id, {})
        children = [(name, self.place(child)) for name, child in child_ids.items()]
        key = text, tuple(children)
        place = self._places.get(key)
        if place is None:
            place = self._places[key] = len(self._rows)
            row = {
                "text": text,
                "numOperations": state.num_operations,
                "children": children,
            }
            self._rows.append(row)
        return place
