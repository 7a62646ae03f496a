"""SQL made from the declared tables of a record: CREATE, INSERT, UPDATE and SELECT."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import NoneType
from typing import Annotated, Any, Final, get_args, get_origin, get_type_hints

from passgen_tools.record.tables import KEYS, TABLES

_TYPES: Final = {int: "INTEGER", str: "TEXT", float: "REAL", bytes: "BLOB"}

_REFERENCES: Final = {
    "REFERENCES run": ("run", ":run"),
    "REFERENCES pass": (
        "path",
        "(SELECT id FROM pass WHERE run_id = :run AND path = :path)",
    ),
    "REFERENCES operation": (
        "operation",
        "(SELECT id FROM operation WHERE run_id = :run AND path = :operation)",
    ),
    "REFERENCES ir": ("{}", "(SELECT id FROM ir WHERE digest = :{})"),
    "REFERENCES resource": ("{}", "(SELECT id FROM resource WHERE digest = :{})"),
    "REFERENCES execution": ("{}", ":first + :{}"),
}
"""The parameter and the SQL expression for each kind of reference; `{}` is the column's
name without `_id`."""


def create_statements(tables: Iterable[type[Any]] = TABLES) -> str:
    """Return the SQL that makes `tables`."""
    return "".join(map(_create_statement, tables))


def _create_statement(table: type[Any]) -> str:
    key = KEYS.get(name := TABLES[table])
    lines = [" ".join(filter(None, column)) for column in _columns(table)]
    end = " WITHOUT ROWID" if key and key.startswith("PRIMARY KEY") else ""
    body = ",\n    ".join((*lines, *filter(None, [key])))
    return f"CREATE TABLE {name} (\n    {body}\n){end};\n"


def _columns(table: type[Any]) -> Iterator[tuple[str, str, str, str]]:
    """Yield the name, the type, `NOT NULL` and the constraint of each column."""
    for name, hint in get_type_hints(table, include_extras=True).items():
        kinds = get_args(hint) if get_origin(hint) is not Annotated else (hint,)
        is_optional = NoneType in kinds
        kind = kinds[0] if is_optional else hint
        constraint = ""
        if get_origin(kind) is Annotated:
            kind, constraint = get_args(kind)
        is_free = is_optional or constraint == "PRIMARY KEY"
        yield name, _TYPES[kind], "" if is_free else "NOT NULL", constraint


def insert_statement(
    table: type[Any], fields: Iterable[str], **expressions: str
) -> str:
    """Return the SQL that adds a row to `table`.

    Args:
        table: the declaration.
        fields: the names of the parameters, without those for the run.
        expressions: the SQL of columns that differ from the parameter of their name.
    """
    values = _values(table, {*fields, "run"}, expressions)
    return (
        f"INSERT INTO {TABLES[table]} ({', '.join(values)})"  # noqa: S608 - own names
        f" VALUES ({', '.join(values.values())})"
    )


def update_statement(
    table: type[Any], fields: Iterable[str], row_id: str, **expressions: str
) -> str:
    """Return the SQL that changes the row `row_id`; see `insert_statement`."""
    values = _values(table, {*fields}, expressions)
    changes = ", ".join(f"{name} = {value}" for name, value in values.items())
    return f"UPDATE {TABLES[table]} SET {changes} WHERE id = {row_id}"  # noqa: S608


def _values(
    table: type[Any], fields: set[str], expressions: dict[str, str]
) -> dict[str, str]:
    """Return the SQL for each column that a field or an expression fills."""
    values: dict[str, str] = {}
    for name, _, _, constraint in _columns(table):
        parameter, value = _REFERENCES.get(constraint, (name, f":{name}"))
        target = name.removesuffix("_id")
        if name in expressions:
            values[name] = expressions[name]
        elif parameter.format(target) in fields:
            values[name] = value.format(target)
    return values


def select_statement(table: type[Any], rest: str = "") -> str:
    """Return the SQL that reads rows of `table`; `rest` follows the table's name."""
    name = TABLES[table]
    columns = ", ".join(f"{name}.{column}" for column in table._fields)
    return f"SELECT {columns} FROM {name} {rest}"  # noqa: S608 - own names
