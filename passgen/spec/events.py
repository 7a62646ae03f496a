"""The events of PyYAML's parser, built to a tree of located values.

PyYAML's constructors are not used: a spec is YAML 1.2, where `no` is text, and a
duplicate key is an error. Errors after which the rest can be read are collected and
raised together. Time and memory are linear in the length of the text and in the size of
the aliased values, which is bounded.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import yaml

from passgen.diagnostics import Diagnostic, Note, SpecError
from passgen.passgen_rules.suggestions import nearest_name
from passgen.source import Location, SourceFile
from passgen.spec import yaml_errors, yaml_scalars
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
    from passgen.spec.yaml_errors import Mark

MAX_DEPTH: Final = 32
"""The depth of nested lists and mappings; a spec needs eight."""

MAX_ALIASED: Final = 1_000_000
"""The number of values that all aliases of a spec together may stand for."""

_SPEC: Final = "a mapping, such as one with 'passes'"

_PARSER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_BLOCK_HEADER: Final = re.compile(r"[|>][0-9+-]*")


class Anchored(NamedTuple):
    """An anchored value and its size, in which the values of its aliases count."""

    node: Node
    size: int = 1
    """The number of values."""

    depth: int = 0
    """The depth of nested lists and mappings."""


Anchors: TypeAlias = dict[str, Anchored]
"""The anchored values of one file."""


@dataclass(slots=True)
class _Frame:
    """A list or mapping that is being read."""

    start: Mark
    anchor: str | None
    items: list[Node] | None
    """`None` in a mapping."""

    is_flow: bool
    entries: dict[str, Entry] = field(default_factory=dict)
    expects_value: bool = False
    """Whether the key has been read and the value comes next, in a mapping."""

    key: str | None = None
    """The key of the next value; `None` if the value is dropped."""

    key_location: Location | None = None
    first_key: Location | None = None
    size: int = 1
    """The number of values in it so far, those that aliases stand for included."""

    depth: int = 1
    """The depth of nested lists and mappings, this one included."""


class _StopReadingError(Exception):
    """The rest of the text cannot be read, or only in unbounded time or memory."""


class TreeBuilder:
    """Turns the events of one source file into its tree."""

    def __init__(
        self, source: SourceFile, anchors: Anchors, include: Callable[[Node], None]
    ) -> None:
        """Prepare to read `source`.

        Args:
            source: the spec.
            anchors: receives the anchored values.
            include: called with the value of the key `include`; adds to `anchors`.
        """
        self._source = source
        self._anchors = anchors
        self._include = include
        self._num_aliased = 0
        self._diagnostics: list[Diagnostic] = []
        self._frames: list[_Frame] = []
        self._root: Node | None = None

    def build(self) -> Mapping:
        """Return the top-level mapping.

        Raises:
            SpecError: every error found.
        """
        try:
            self._read()
        except yaml.MarkedYAMLError as error:
            frame = self._frames[-1] if self._frames else None
            bracket = frame.start if frame and frame.is_flow else None
            found = yaml_errors.syntax_error(self._source, error, bracket)
            self._diagnostics.append(found)
        except _StopReadingError:
            pass
        else:
            self._check_root()
        if self._diagnostics:
            raise SpecError(self._diagnostics)
        assert isinstance(self._root, Mapping)
        return self._root

    def _read(self) -> None:
        documents = 0
        for event in self._events():
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

    def _events(self) -> Iterator[yaml.Event]:
        """Yield the events of the text, up to a value that the parser cannot decode."""
        parser = _PARSER(self._source.text)
        end: Mark = None
        try:
            while parser.check_event():
                event = parser.get_event()
                end = event.end_mark
                yield event
        except (ValueError, OverflowError) as error:
            # Only the parser in Python tells where it is.
            mark = parser.get_mark() if hasattr(parser, "get_mark") else end
            found = yaml_errors.decoding_error(self._span(mark, None), error)
            self._diagnostics.append(found)
            raise _StopReadingError from error

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
        if is_plain:
            self._refuse_cut_text(event.end_mark)
        frame = self._frames[-1] if self._frames else None
        if frame is not None and frame.items is None:
            if not frame.expects_value:
                self._take_scalar_key(frame, value, location, is_plain=is_plain)
                self._remember(event.anchor, Anchored(Scalar(value, location)))
                return
            if not text and is_plain and frame.key_location is not None:
                location = frame.key_location
        found = Anchored(Scalar(value, location))
        self._remember(event.anchor, found)
        self._attach(found)

    def _refuse_cut_text(self, end: Mark) -> None:
        """Report a comment that was meant as text: prose, one blank, and `#`."""
        frame = self._frames[-1] if self._frames else None
        if (
            frame is None
            or not frame.expects_value
            or frame.key not in yaml_errors.PROSE
        ):
            return
        start = self._span(end, None)
        rest = self._source.line_text(start.line)[start.column - 1 :]
        if re.match(r" #", rest):
            place = Location(self._source, start.line, start.column + 1, len(rest[1:]))
            self._error(
                f"the text of '{frame.key}' ends here, where a comment begins",
                place,
                Note("quote the text, or put two blanks before a comment"),
            )

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
            self._refuse_depth(self._span(event.start_mark, event.end_mark))
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
        found = Anchored(node, frame.size, frame.depth)
        self._remember(frame.anchor, found)
        self._attach(found)

    def _attach(self, value: Anchored) -> None:
        """Add a value to the innermost open list or mapping."""
        node = value.node
        if not self._frames:
            self._root = node
            return
        frame = self._frames[-1]
        frame.size += value.size
        frame.depth = max(frame.depth, value.depth + 1)
        if frame.items is not None:
            frame.items.append(node)
        elif frame.expects_value:
            frame.expects_value = False
            if frame.key is not None and frame.key_location is not None:
                frame.entries[frame.key] = Entry(frame.key_location, node)
                if frame.key == "include" and len(self._frames) == 1:
                    self._take_anchors(node)
        elif isinstance(node, Scalar):
            self._take_scalar_key(frame, node.value, node.location, is_plain=False)
        else:
            message = f"found {describe(node)} as a key, expected text"
            self._error(message, node.location)
            frame.expects_value = True
            frame.key = None
            frame.key_location = node.location

    def _remember(self, anchor: str | None, value: Anchored) -> None:
        """Let aliases of `anchor`, unless it is `None`, stand for `value`."""
        if anchor is not None:
            self._anchors[anchor] = value

    def _take_anchors(self, node: Node) -> None:
        """Add the anchors of the files that `node` lists."""
        try:
            self._include(node)
        except SpecError as error:
            self._diagnostics += error.diagnostics
            raise _StopReadingError from error  # aliases would be unknown

    def _read_alias(self, event: yaml.AliasEvent) -> None:
        name = event.anchor or ""
        place = self._span(event.start_mark, event.end_mark)
        found = self._anchors.get(name)
        if any(frame.anchor == name for frame in self._frames):
            self._error(f"alias '*{name}' is part of the value it stands for", place)
            found = None
        elif found is None:
            close = nearest_name(name, self._anchors)
            notes = (Note(f"did you mean '*{close}'?"),) if close else ()
            if self._frames and self._frames[-1].key in yaml_errors.PROSE:
                notes = (*notes, Note(yaml_errors.QUOTE_IT.format("*")))
            self._error(f"alias '*{name}' without an anchor '&{name}'", place, *notes)
        value = found or Anchored(Scalar("", place))  # can be a key
        if len(self._frames) + value.depth > MAX_DEPTH:
            self._refuse_depth(place)
        self._num_aliased += value.size
        if self._num_aliased > MAX_ALIASED:
            message = f"aliases stand for more than {MAX_ALIASED} values"
            self._error(message, place)
            raise _StopReadingError
        self._attach(value)

    def _refuse_depth(self, place: Location) -> None:
        message = f"found lists and mappings nested more than {MAX_DEPTH} deep"
        self._error(message, place)
        raise _StopReadingError

    def _refuse_tag(self, tag: str, start: Mark) -> None:
        shown = yaml_scalars.shown_tag(tag)
        found = yaml_errors.unknown_tag(self._span(start, None), shown)
        self._diagnostics.append(found)

    def _error(self, message: str, place: Location, *notes: Note) -> None:
        self._diagnostics.append(Diagnostic(message, place, notes))

    def _span(self, start: Mark, end: Mark) -> Location:
        """Return the location from `start` to `end`, cut at the end of the line."""
        assert start is not None  # only the stubs allow it
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
