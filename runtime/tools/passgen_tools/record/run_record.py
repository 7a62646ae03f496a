"""Records of runs as plain data: passes, times, statistics, diagnostics and IR."""

from __future__ import annotations

import re
import textwrap
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Final, NamedTuple

from passgen_runtime.instrumentations.file_metadata import (
    DIALECT_RESOURCES,
    EXTERNAL_RESOURCES,
    metadata_text,
    unquote,
)
from passgen_tools.record.executions import Change, Execution, executions_of
from passgen_tools.record.ir_store import OMITTED_REGION
from passgen_tools.record.operation_paths import inner_path
from passgen_tools.record.record_check import report_damage
from passgen_tools.record.record_file import (
    VERSION_WITHOUT_RESOURCES,
    RecordError,
    decompress,
)
from passgen_tools.record.record_reader import RecordReader

_MAX_TEXT_BYTES: Final = 2**28
"""The limit on the text of all IR of a record; each text counts once."""

_MAX_RESOURCE_BYTES: Final = 2**31
"""The limit on the contents of all resources of a record; each content counts once."""

BUILTIN: Final = "builtin"
"""The dialect of `dense_resource`."""

_STRING: Final = r'"(?:[^"\\\n]++|\\.)*+"'
_LITERAL: Final = re.compile(rf"{_STRING}|[\w.-]+")
_DENSE_RESOURCE: Final = re.compile(
    rf"dense_resource<({_STRING}|[\w$.-]+)>|{_STRING}|//[^\n]*"
)

_MAX_OPERATIONS: Final = 10**7
"""The limit on texts nested in one text; a shared text counts at each place."""


class MissingResourceError(RecordError):
    """A record lacks the content of a resource that its IR refers to."""


class JoinedText(NamedTuple):
    """The text of an operation with all nested ones."""

    text: str
    states: Sequence[int]
    """The states that it consists of."""


def referenced_keys(text: str) -> list[str]:
    """Return the keys of the dense resources in `text`, each once."""
    found = (match[1] for match in _DENSE_RESOURCE.finditer(text) if match[1])
    return [*dict.fromkeys(unquote(k) if k[0] == '"' else k for k in found)]


class RunRecord(RecordReader):
    """A record that is read, also while its run is still going on."""

    def __init__(self, path: str | Path) -> None:
        """Open the record at `path`.

        Raises:
            RecordError: it is not a record, or has another version.
        """
        super().__init__(path)
        self._texts: dict[int, str] = {}
        self._bytes_left = _MAX_TEXT_BYTES
        self._contents: dict[int, str] = {}
        self._resource_bytes_left = _MAX_RESOURCE_BYTES

    @cached_property
    def executions(self) -> tuple[Execution, ...]:
        """All calls of passes on operations, in the order of one thread."""
        return executions_of(self)

    @property
    def changed(self) -> tuple[Execution, ...]:
        """The executions that have changed their operation."""
        return tuple(call for call in self.executions if call.has_changed)

    @property
    def running(self) -> tuple[Execution, ...]:
        """The executions that have not ended."""
        return tuple(call for call in self.executions if call.status == "running")

    @property
    def timing(self) -> dict[str, float]:
        """The wall time of each pass in all runs, in seconds, by its path."""
        times: dict[str, float] = defaultdict(float)
        for execution in self.executions:
            times[execution.path] += execution.wall_time_s or 0.0
        return dict(times)

    @property
    def statistics(self) -> dict[str, dict[str, int]]:
        """The statistics of each pass in all runs, by its path."""
        pass_ids = {row.id: row.pass_id for row in self.begun_executions()}
        passes = self.passes
        statistics: dict[str, dict[str, int]] = {}
        for execution_id, name, value in sorted(
            self.counts, key=lambda count: (pass_ids[count.execution_id], count.name)
        ):
            counts = statistics.setdefault(passes[pass_ids[execution_id]].path, {})
            counts[name] = counts.get(name, 0) + value
        return statistics

    def ir(self, ir_id: int | None) -> str:
        """Return the text of a state of the IR, with all it refers to.

        Args:
            ir_id: the state; the text is empty for `None`.

        Raises:
            MissingResourceError: the record lacks a resource.
        """
        return "" if ir_id is None else self.complete(self.joined(ir_id))

    def shown_ir(self, ir_id: int | None) -> str:
        """Return the text of a state of the IR for people.

        Comments describe the resources that it refers to, which may be very long.
        """
        return "" if ir_id is None else self._join(ir_id, self.shown_text)

    def joined(
        self,
        ir_id: int,
        states: Mapping[str, int] | None = None,
        path: str = "",
        unmet: set[str] | None = None,
    ) -> JoinedText:
        """Return the text of a state with all nested operations, without resources.

        Args:
            ir_id: the state.
            states: other states of nested operations, by path.
            path: the path of the operation, if there are `states`.
            unmet: the paths in `states`; the paths that are used are removed.
        """
        used: list[int] = []

        def text_of(state: int) -> str:
            used.append(state)
            return self._text(state)

        return JoinedText(self._join(ir_id, text_of, states, path, unmet), used)

    def _join(
        self,
        ir_id: int,
        text_of: Callable[[int], str],
        states: Mapping[str, int] | None = None,
        path: str = "",
        unmet: set[str] | None = None,
    ) -> str:
        if unmet is not None:
            unmet.discard(path)
        shell, texts = text_of(ir_id), []
        for name, child in self.children.get(ir_id, {}).items():
            inner = inner_path(path, name)
            state = child if states is None else states.get(inner, child)
            texts.append(self._join(state, text_of, states, inner, unmet))
        if not texts:
            return shell
        inside = "\n".join(texts)
        head, omitted, tail = shell.rpartition(OMITTED_REGION)
        if not omitted:
            head, tail = f"{shell} ", ""
        return f"{head}{{\n{textwrap.indent(inside, '  ')}\n}}{tail}"

    # Resources.

    def complete(self, joined: JoinedText, run_id: int | None = None) -> str:
        """Return a text with the resources that it refers to.

        Args:
            joined: the text and its states.
            run_id: the run whose external resources are added.

        Raises:
            MissingResourceError: the record lacks a resource.
            RecordError: the states have two contents of one resource.
        """
        resources = self._resources_of(joined)
        external = {} if run_id is None else self.external_resources(run_id)
        metadata = metadata_text(
            {
                DIALECT_RESOURCES: self._contents_of(sorted(resources.items())),
                EXTERNAL_RESOURCES: self._contents_of(external.items()),
            }
        )
        return f"{joined.text}\n\n{metadata}" if metadata else joined.text

    def _resources_of(self, joined: JoinedText) -> dict[tuple[str, str], int]:
        """Return the ids of the resources of a text, by dialect and key.

        Raises:
            MissingResourceError: the record may lack one: it is of an older version, or
                of a log.
            RecordError: the states have two contents of one resource.
        """
        found: dict[tuple[str, str], int] = {}
        for ir_id in joined.states:
            for name, resource_id in self.references.get(ir_id, {}).items():
                if found.setdefault(name, resource_id) != resource_id:
                    raise RecordError(
                        f"'{self.path}' has two contents of the resource '{name[1]}'"
                        " in one state of the IR: a pass replaced it while other"
                        " operations referred to it"
                    )
        if self._has_all_resources:
            return found
        for key in referenced_keys(joined.text):
            name = BUILTIN, key
            if name not in found:
                found[name] = self._only_content(name)
        return found

    @cached_property
    def _has_all_resources(self) -> bool:
        """Whether a resource without a row has no content: recordings write all."""
        is_log = any(run.process_id == 0 for run in self.runs)
        return self.version != VERSION_WITHOUT_RESOURCES and not is_log

    def _only_content(self, name: tuple[str, str]) -> int:
        """Return the one resource with a name that other states of a log show.

        Raises:
            MissingResourceError: there is none, or several.
        """
        ids = {resources.get(name) for resources in self.references.values()} - {None}
        (found,) = ids if len(ids) == 1 else (None,)
        if found is not None:
            return found
        reason = "its log shows none"
        if self.version == VERSION_WITHOUT_RESOURCES:
            reason = f"records of version {self.version} keep none"
        message = f"'{self.path}' lacks the resource '{name[1]}': {reason}"
        raise MissingResourceError(f"{message}\nnote: record the run again")

    def _contents_of(
        self, resources: Iterable[tuple[tuple[str, str], int]]
    ) -> dict[tuple[str, str], str]:
        """Return the contents of resources as literals."""
        return {name: self._content(name[1], number) for name, number in resources}

    def _content(self, key: str, resource_id: int) -> str:
        """Return the content of a resource as a literal.

        Raises:
            MissingResourceError: the record has only its digest.
        """
        if resource_id not in self._contents:
            content = self.resource_row(resource_id).content
            if content is None:
                message = f"'{self.path}' has only the hash of the resource '{key}'"
                hint = "record the run again, without --record-resource-hashes"
                raise MissingResourceError(f"{message}\nnote: {hint}")
            with report_damage(self.path):
                data = decompress(content, self._resource_bytes_left)
                self._resource_bytes_left -= len(data)
                literal = data.decode(errors="surrogatepass")
                if not _LITERAL.fullmatch(literal):  # it could hold a pipeline
                    raise ValueError("the content of a resource is no literal")
                self._contents[resource_id] = literal
        return self._contents[resource_id]

    def shown_text(self, ir_id: int) -> str:
        """Return a text without its children, and a comment for each resource."""
        return self._text(ir_id) + self.resource_comments(ir_id)

    def resource_comments(self, ir_id: int) -> str:
        """Return a line end and a comment for each resource of a text, with its hash.

        For people, who compare them; the content may be very long.
        """
        resources = self.references.get(ir_id, {})
        return "".join(
            f"\n// resource '{key}' of '{dialect}': {self.resource_digests[number]}"
            for (dialect, key), number in sorted(resources.items())
        )

    def shown_external_resources(self, run_id: int) -> str:
        """Return a comment, with its hash, for each resource that no dialect owns."""
        found = self.external_resources(run_id)
        return "".join(
            f"// external resource '{key}' of '{owner}':"
            f" {self.resource_digests[number]}\n"
            for (owner, key), number in sorted(found.items())
        )

    def has_same_shell(self, ir_id: int, other_id: int) -> bool:
        """Return whether two states differ only in their children."""
        return self.shown_text(ir_id) == self.shown_text(other_id)

    def introduced(self, text: str) -> list[Change]:
        """Return, for each operation, the pass that first added `text` to it.

        The text may be an operation's name, an attribute, a type or a location. A
        change is not certain if a log does not show the IR before the pass.
        """
        first: dict[str, Change] = {}
        for change in self._changes_of(text, is_added=True):
            first.setdefault(change.operation, change)
        return list(first.values())

    def removed(self, text: str) -> list[Change]:
        """Return, for each operation, the pass that last removed `text` from it."""
        changes = self._changes_of(text, is_added=False)
        return list({change.operation: change for change in changes}.values())

    def _changes_of(self, text: str, *, is_added: bool) -> Iterator[Change]:
        """Yield the changes that added `text` to an operation, or removed it."""

        @cache
        def contains(ir_id: int | None) -> bool:
            return ir_id is not None and text in self._text(ir_id)

        last: dict[int, dict[str, int]] = {}
        """The latest states of operations, by run and path."""

        shows_all = all(call.before_id is not None for call in self.executions)
        for execution in self.executions:
            before_id, after_id = execution.before_id, execution.after_id
            if after_id is None or (before_id == after_id and shows_all):
                continue
            after = self.parts(execution.operation, after_id)
            seen = last.setdefault(execution.run_id, {})
            if before_id is None:
                before = {path: seen[path] for path in after if path in seen}
            else:
                before = self.parts(execution.operation, before_id)
            seen |= after
            for path in {**before, **after}:
                old, new = before.get(path), after.get(path)
                if old != new and contains(new) is is_added is not contains(old):
                    yield Change(path, execution, before_id is not None)

    def parts(self, path: str, ir_id: int) -> dict[str, int]:
        """Return a state and those of its nested operations, by path."""
        parts = {path: ir_id}
        for name, child in self.children.get(ir_id, {}).items():
            parts |= self.parts(inner_path(path, name), child)
        return parts

    def _text(self, ir_id: int) -> str:
        if ir_id not in self._texts:
            with report_damage(self.path):
                self._texts[ir_id] = self.decompress(self.ir_row(ir_id).text)
        return self._texts[ir_id]

    def decompress(self, data: bytes) -> str:
        """Return the text of IR from the form of the record.

        Raises:
            ValueError: `data` is damaged, or the record has too much text.
            zlib.error: `data` is damaged.
        """
        content = decompress(data, self._bytes_left)
        self._bytes_left -= len(content)
        return content.decode(errors="surrogatepass")

    @cached_property
    def children(self) -> Mapping[int, Mapping[str, int]]:
        """The children of each text that has any, by the names of operations.

        Raises:
            RecordError: a text has too many nested texts.
        """
        children: defaultdict[int, dict[str, int]] = defaultdict(dict)
        sizes: defaultdict[int, int] = defaultdict(lambda: 1)
        for ir_id, _, child, name in self.child_rows:
            children[ir_id][name] = child
            sizes[ir_id] += sizes[child]
            if sizes[ir_id] > _MAX_OPERATIONS:
                message = f"'{self.path}' is damaged: a text of its IR is without end"
                raise RecordError(message)
        return dict(children)
