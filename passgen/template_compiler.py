"""Shipped templates as Python functions: Jinja reads them once, and no run needs it.

Importing Jinja takes longer than all the rest that a small spec needs. Templates are
made of few things (`tests/passgen/test_templates.py` lists them), so each is easily a
function that appends its parts to a list; the text is the one that Jinja would render.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from jinja2 import nodes

Scope: TypeAlias = Mapping[str, str]
"""What the code calls the values that loops around have named."""

_INDENT: Final = "    "


class CannotCompileError(Exception):
    """A template is made of more than this module knows."""

    def __init__(self, node: nodes.Node) -> None:
        """Say what `node` is."""
        super().__init__(f"line {node.lineno}: {type(node).__name__}")


def module_text(templates: Mapping[str, nodes.Template]) -> str:
    """Return a Python module that renders `templates`, which include each other alone.

    It calls `find` for filters by their names, and has `TEMPLATES` by name: functions
    that take what appends a text, and the values that the template may name.

    Raises:
        CannotCompileError: there is no code for something in a template.
    """
    used = {
        each.name
        for template in templates.values()
        for each in template.find_all(nodes.Filter)
    }
    lines = [f"{_filter(name)} = find({name!r})" for name in sorted(used)]
    for number, template in enumerate(templates.values()):
        lines.append(f"def template_{number}(write, values):")
        lines += _Code().block(template.body, {}, "write", 1) or [f"{_INDENT}pass"]
    table = "".join(f"{name!r}: template_{n}, " for n, name in enumerate(templates))
    return "\n".join([*lines, f"TEMPLATES = {{{table}}}", ""])


class _Code:
    """The code of one template; `_made` counts its variables."""

    def __init__(self) -> None:
        self._made = 0

    def block(
        self, body: Sequence[nodes.Node], scope: Scope, write: str, depth: int
    ) -> list[str]:
        """Return the lines that `write` what is in `body`, at `depth`."""
        return [
            _INDENT * depth + line
            for node in body
            for line in self._statement(node, scope, write)
        ]

    def _statement(self, node: nodes.Node, scope: Scope, write: str) -> Iterator[str]:
        match node:
            case nodes.Output(nodes=parts):
                for part in parts:
                    yield f"{write}({_text(part, scope)})"
            case nodes.If(test=test, body=body, elif_=[], else_=otherwise):
                yield f"if {_value(test, scope)}:"
                yield from self.block(body, scope, write, 1) or [f"{_INDENT}pass"]
                if otherwise:
                    yield "else:"
                    yield from self.block(otherwise, scope, write, 1)
            case nodes.For(target=nodes.Name(name=name), test=None, recursive=False):
                yield from self._loop(node, name, scope, write)
            case nodes.FilterBlock(filter=filter_):
                inner = self._variable("part")
                yield f"{inner} = []"
                yield f"{inner}_write = {inner}.append"
                yield from self.block(node.body, scope, f"{inner}_write", 0)
                text = f"''.join({inner})"
                yield f"{write}({_call(filter_, text, scope)})"
            case nodes.Include(
                template=nodes.Const(value=str(name)), ignore_missing=False
            ):
                named = "".join(f", {each!r}: {code}" for each, code in scope.items())
                yield f"TEMPLATES[{name!r}]({write}, {{**values{named}}})"
            case _:
                raise CannotCompileError(node)

    def _loop(
        self, node: nodes.For, name: str, scope: Scope, write: str
    ) -> Iterator[str]:
        items, item = self._variable("items"), self._variable("item")
        yield f"{items} = tuple({_value(node.iter, scope)})"
        yield f"for {item} in {items}:"
        inside = {**scope, name: item}
        yield from self.block(node.body, inside, write, 1) or [f"{_INDENT}pass"]
        if node.else_:
            yield f"if not {items}:"
            yield from self.block(node.else_, scope, write, 1)

    def _variable(self, stem: str) -> str:
        self._made += 1
        return f"{stem}_{self._made}"


def _text(node: nodes.Node, scope: Scope) -> str:
    """Return the code of a text: what is written as it is, or what a filter returns."""
    if isinstance(node, nodes.TemplateData):
        return repr(node.data)
    if isinstance(node, nodes.Filter):
        return _value(node, scope)
    raise CannotCompileError(node)


def _value(node: nodes.Node, scope: Scope) -> str:
    """Return the code of an expression."""
    match node:
        case nodes.Const(value=value):
            return repr(value)
        case nodes.Name(name=name):
            return scope.get(name, f"values[{name!r}]")
        case nodes.Getattr(node=owner, attr=name):
            return f"{_value(owner, scope)}.{name}"
        case nodes.Filter(node=nodes.Expr() as given):
            return _call(node, _value(given, scope), scope)
        case _:
            raise CannotCompileError(node)


def _call(filter_: nodes.Filter, given: str, scope: Scope) -> str:
    """Return the code that applies `filter_` to the value of the code `given`."""
    if filter_.kwargs or filter_.dyn_args or filter_.dyn_kwargs:
        raise CannotCompileError(filter_)
    values = [given, *(_value(each, scope) for each in filter_.args)]
    return f"{_filter(filter_.name)}({', '.join(values)})"


def _filter(name: str) -> str:
    return f"filter_{name}"
