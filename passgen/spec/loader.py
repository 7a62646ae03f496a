"""YAML text to a tree of located values: the first phase, before `schema`.

The tree is built from the parser's events, not by PyYAML's constructors: a spec is
YAML 1.2, where `no` is text, and a key given twice is a mistake. Mistakes that leave
the rest readable are collected and raised together. Time and memory are linear in the
text and in what its aliases stand for, which is bounded.

    passes: {Cse: {argument: cse}}

is a `Mapping` whose entry `passes` holds a `Mapping`, down to `Scalar('cse', 1:26)`.
"""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Final, TypeAlias

import yaml

from passgen.diagnostics import Diagnostic, Note, SpecError, nearest
from passgen.source import Location, SourceFile, read_file
from passgen.spec import includes, yaml_errors, yaml_scalars
from passgen.spec.includes import Reader
from passgen.spec.located import (
    Entry,
    Mapping,
    Node,
    Scalar,
    ScalarValue,
    Sequence,
    describe,
)

if TYPE_CHECKING:
    from yaml._yaml import Mark as CMark
    from yaml.error import Mark as PythonMark

    _Mark: TypeAlias = CMark | PythonMark | None

MAX_DEPTH: Final = 32
"""Lists and mappings inside one another; a spec needs eight."""

MAX_ALIASED: Final = 1_000_000
"""Values that all aliases of a spec together may stand for."""

_SPEC: Final = "a mapping, such as one with 'passes'"

_PARSER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_TAG: Final = re.compile(r"![^\s,\[\]{}]*")

_BLOCK_HEADER: Final = re.compile(r"[|>][0-9+-]*")


def decode(name: str, data: bytes) -> SourceFile:
    """Return the source file `name` whose bytes are `data`.

    Raises:
        SpecError: the bytes are not UTF-8.
    """
    try:
        return SourceFile(name, data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        readable = SourceFile(name, data.decode("utf-8", "replace"))
        before = error.object[: error.start].decode("utf-8")
        line = before.count("\n") + 1
        column = len(before) - (before.rfind("\n") + 1) + 1
        message = f"found the byte 0x{data[error.start]:02x}, expected text in UTF-8"
        place = Location(readable, line, column)
        raise SpecError([Diagnostic(message, place)]) from None


def load(source: SourceFile, reader: Reader = read_file) -> Mapping:
    """Return the mapping that `source` holds.

    Args:
        source: the spec.
        reader: reads the files that it includes.

    Raises:
        SpecError: it is not YAML, is not one mapping, or holds what a spec has no
            meaning for: duplicate keys, keys that are not text, unknown tags, merge
            keys, aliases without bound, files that cannot be included.
    """
    return _load(source, reader, ()).build()


def _load(source: SourceFile, reader: Reader, chain: tuple[Location, ...]) -> _Builder:
    if source.text.startswith("\ufeff"):
        source = SourceFile(source.name, source.text[1:])
    unreadable = yaml_errors.unreadable_character(source)
    if unreadable:
        raise SpecError([unreadable])
    return _Builder(source, reader, chain)


class _Frame:
    """A list or mapping that is being read."""

    __slots__ = (
        "anchor",
        "entries",
        "expects_value",
        "first_key",
        "is_flow",
        "items",
        "key",
        "key_location",
        "size",
        "start",
    )

    def __init__(
        self,
        start: _Mark,
        anchor: str | None,
        items: list[Node] | None,
        *,
        is_flow: bool,
    ) -> None:
        """Begin a list of `items`, or a mapping if they are `None`."""
        self.start = start
        self.is_flow = is_flow
        self.anchor = anchor
        self.items = items
        self.entries: dict[str, Entry] = {}
        self.expects_value = False
        """Whether a mapping's key has been read; else the key comes next."""

        self.key: str | None = None
        """The key of the next value; `None` if the value is read and dropped."""

        self.key_location: Location | None = None
        self.first_key: Location | None = None
        self.size = 1
        """Values in it so far; an alias counts as all that it stands for."""


class _StopReadingError(Exception):
    """What follows cannot be read in bounded time or space."""


class _Builder:
    """Turns the events of one source file into its tree."""

    def __init__(
        self, source: SourceFile, reader: Reader, chain: tuple[Location, ...]
    ) -> None:
        self._source = source
        self._reader = reader
        self._chain = chain
        self._included: dict[str, Mapping] = {}
        self._diagnostics: list[Diagnostic] = []
        self._frames: list[_Frame] = []
        self._root: Node | None = None
        self._anchors: dict[str, tuple[Node, int]] = {}
        self._aliased = 0

    def build(self) -> Mapping:
        """Return the top-level mapping, or raise every mistake found."""
        try:
            self._read()
        except yaml.MarkedYAMLError as error:
            self._diagnostics.append(_syntax_error(self._source, error, self._frames))
        except _StopReadingError:
            pass
        else:
            self._check_root()
        if self._diagnostics:
            raise SpecError(self._diagnostics)
        assert isinstance(self._root, Mapping)
        return replace(self._root, included=tuple(self._included.values()))

    def _read(self) -> None:
        documents = 0
        for event in yaml.parse(self._source.text, Loader=_PARSER):
            if isinstance(event, yaml.ScalarEvent):
                self._read_scalar(event)
            elif isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
                self._open(event)
            elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
                self._close(event)
            elif isinstance(event, yaml.AliasEvent):
                self._read_alias(event)
            elif isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    place = self._span(event.start_mark, event.end_mark)
                    self._error("found a second document, expected one", place)
                    raise _StopReadingError

    def _check_root(self) -> None:
        root = self._root
        if root is None or (isinstance(root, Scalar) and root.value is None):
            place = Location(self._source, 1, 1)
            self._error(f"the spec is empty, expected {_SPEC}", place)
        elif not isinstance(root, Mapping) and not self._diagnostics:
            self._error(f"found {describe(root)}, expected {_SPEC}", root.location)

    def _read_scalar(self, event: yaml.ScalarEvent) -> None:
        text: str = event.value
        is_plain: bool = event.implicit[0]
        location = self._span(event.start_mark, event.end_mark)
        if yaml_errors.has_surrogate(text):
            message = f"found escapes of UTF-16, {yaml_errors.WHOLE_CHARACTER}"
            self._error(message, location)
            raise _StopReadingError
        value: ScalarValue = text
        try:
            if event.tag is not None:
                if not yaml_scalars.is_known_tag(event.tag):
                    self._refuse_tag(event.tag, event.start_mark)
                value = yaml_scalars.resolve_tagged(event.tag, text)
            elif is_plain:
                value = yaml_scalars.scalar_value(text)
        except ValueError as error:
            self._error(str(error), location)
        frame = self._frames[-1] if self._frames else None
        if frame is not None and frame.items is None:
            if not frame.expects_value:
                self._take_scalar_key(frame, value, location, is_plain=is_plain)
                self._remember(event.anchor, Scalar(value, location), 1)
                return
            if not text and is_plain and frame.key_location is not None:
                location = frame.key_location
        node = Scalar(value, location)
        self._remember(event.anchor, node, 1)
        self._attach(node, 1)

    def _take_scalar_key(
        self, frame: _Frame, value: ScalarValue, location: Location, *, is_plain: bool
    ) -> None:
        frame.expects_value = True
        frame.key = None
        frame.key_location = location
        frame.first_key = frame.first_key or location
        if not isinstance(value, str):
            key = Scalar(value, location)
            notes = (Note(f"quote it: '{key.spelling}'"),) if value is not None else ()
            self._error(
                f"found {describe(key)} as a key, expected text", location, *notes
            )
        elif is_plain and value == "<<":
            note = Note("an alias can stand for a whole value: 'options: *shared'")
            message = "found the merge key '<<', which YAML 1.2 does not have"
            self._error(message, location, note)
        elif value in frame.entries:
            note = Note("first defined here", frame.entries[value].key)
            self._error(f"duplicate key '{value}'", location, note)
        else:
            frame.key = sys.intern(value)

    def _open(self, event: yaml.MappingStartEvent | yaml.SequenceStartEvent) -> None:
        if len(self._frames) == MAX_DEPTH:
            place = self._span(event.start_mark, event.end_mark)
            message = f"found more than {MAX_DEPTH} lists and mappings inside another"
            self._error(message, place)
            raise _StopReadingError
        is_list = isinstance(event, yaml.SequenceStartEvent)
        expected = "tag:yaml.org,2002:" + ("seq" if is_list else "map")
        if event.tag not in {None, "!", expected}:
            self._refuse_tag(event.tag, event.start_mark)
        items: list[Node] | None = [] if is_list else None
        frame = _Frame(
            event.start_mark, event.anchor, items, is_flow=bool(event.flow_style)
        )
        self._frames.append(frame)

    def _close(self, event: yaml.MappingEndEvent | yaml.SequenceEndEvent) -> None:
        frame = self._frames.pop()
        location = frame.first_key
        if location is None or frame.is_flow:
            end = event.end_mark if frame.is_flow else None
            location = self._span(frame.start, end)
        node: Node
        if frame.items is None:
            node = Mapping(frame.entries, location)
        else:
            node = Sequence(tuple(frame.items), location)
        self._remember(frame.anchor, node, frame.size)
        self._attach(node, frame.size)

    def _attach(self, node: Node, size: int) -> None:
        """Put a value where the innermost list or mapping expects one."""
        if not self._frames:
            self._root = node
            return
        frame = self._frames[-1]
        frame.size += size
        if frame.items is not None:
            frame.items.append(node)
        elif frame.expects_value:
            frame.expects_value = False
            if frame.key is not None and frame.key_location is not None:
                frame.entries[frame.key] = Entry(frame.key_location, node)
                if frame.key == "include" and len(self._frames) == 1:
                    self._include(node)
        elif isinstance(node, Scalar):
            self._take_scalar_key(frame, node.value, node.location, is_plain=False)
        else:
            message = f"found {describe(node)} as a key, expected text"
            self._error(message, node.location)
            frame.expects_value = True
            frame.key = None
            frame.key_location = node.location

    def _include(self, node: Node) -> None:
        """Take the anchors of the files that `node` lists."""
        try:
            for path, place in includes.paths(node):
                data = includes.read(path, place, self._chain, self._reader)
                chain = (*self._chain, place)
                builder = _load(decode(path, data), self._reader, chain)
                root = builder.build()
                for each in (*root.included, root):
                    self._included[each.location.source.name] = each
                self._anchors |= builder.anchors
        except SpecError as error:
            self._diagnostics += error.diagnostics
            raise _StopReadingError from error  # aliases would be unknown

    @property
    def anchors(self) -> dict[str, tuple[Node, int]]:
        """What aliases may stand for after this file."""
        return self._anchors

    def _remember(self, anchor: str | None, node: Node, size: int) -> None:
        if anchor is not None:
            self._anchors[anchor] = (node, size)

    def _read_alias(self, event: yaml.AliasEvent) -> None:
        name = event.anchor or ""
        place = self._span(event.start_mark, event.end_mark)
        target: tuple[Node, int]
        if any(frame.anchor == name for frame in self._frames):
            self._error(f"alias '*{name}' is part of the value it stands for", place)
            target = (_nothing(place), 1)
        elif name not in self._anchors:
            close = nearest(name, self._anchors)
            notes = (Note(f"did you mean '*{close}'?"),) if close else ()
            self._error(f"alias '*{name}' without an anchor '&{name}'", place, *notes)
            target = (_nothing(place), 1)
        else:
            target = self._anchors[name]
        node, size = target
        self._aliased += size
        if self._aliased > MAX_ALIASED:
            message = f"aliases stand for more than {MAX_ALIASED} values"
            self._error(message, place)
            raise _StopReadingError
        self._attach(node, size)

    def _refuse_tag(self, tag: str, start: _Mark) -> None:
        begin = self._span(start, None)
        text = self._source.line_text(begin.line)
        match = _TAG.search(text, begin.column - 1)
        if match:
            begin = Location(self._source, begin.line, match.start() + 1, len(match[0]))
        shown = yaml_scalars.shown_tag(tag)
        self._error(f"unknown tag '{shown}'", begin, Note("a spec needs no tags"))

    def _error(self, message: str, place: Location, *notes: Note) -> None:
        self._diagnostics.append(Diagnostic(message, place, notes))

    def _span(self, start: _Mark, end: _Mark) -> Location:
        """Return the place from `start` to `end`, or to the end of the first line."""
        assert start is not None  # the type allows it, no parser does it
        line = start.line
        column = start.column
        if end is None:
            length = 1
        elif end.line == line:
            length = max(1, end.column - column)
        else:
            first = self._source.line_text(line + 1).rstrip()[column:]
            header = _BLOCK_HEADER.match(first)
            length = max(1, len(header[0] if header else first))
        return Location(self._source, line + 1, column + 1, length)


def _nothing(place: Location) -> Scalar:
    """Return what stands for an alias that is refused, usable as a key."""
    return Scalar("", place)


def _syntax_error(
    source: SourceFile, error: yaml.MarkedYAMLError, frames: list[_Frame]
) -> Diagnostic:
    problem, context = error.problem_mark, error.context_mark
    bracket = frames[-1].start if frames and frames[-1].is_flow else None
    assert problem is not None
    complaint = yaml_errors.Complaint(
        problem=error.problem or "",
        problem_at=(problem.line, problem.column),
        context=error.context or "",
        context_at=(context.line, context.column) if context else None,
        bracket_at=(bracket.line, bracket.column) if bracket else None,
    )
    return yaml_errors.explain(source, complaint)
