"""Registration of passes and pipelines by argument.

Implements "Pass Registration" and "Pass Pipeline Registration" of MLIR's PassManagement
page. `resolution` looks up the names in textual pipelines here.

    register_pass(MyPass)
    register_pass(lambda: MyParametricPass(table))

    def build(manager: OpPassManager, options: MyPipelineOptions) -> None:
        manager.add_pass(MyPass(MyOptions(n=options.size)))

    default_registry.register_pipeline(
        "my-pipeline", "Does it all", build, MyPipelineOptions
    )
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import TypeVar

from passgen_runtime.errors import RegistrationError
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_manager import OpPassManager
from passgen_runtime.pass_options import PassOptions
from passgen_runtime.pass_registry.entries import (
    AnyEntry,
    PassEntry,
    PassFinder,
    PipelineEntry,
    RegistryEntry,
    in_namespace,
    is_same,
    rank_of,
    replaces,
)
from passgen_runtime.textual_pipeline import ANY_ANCHOR, is_name

OptionsT = TypeVar("OptionsT", bound=PassOptions)


class PassRegistry:
    """Passes and pipelines by argument; safe to use from several threads."""

    def __init__(self) -> None:
        """Start empty."""
        self._lock = threading.RLock()
        self._sources: list[Callable[[PassRegistry], object]] = []
        self._called_sources: list[Callable[[PassRegistry], object]] = []
        self._finders: tuple[PassFinder, ...] = ()
        # One table for both kinds: an entry is replaced in one step, so that a lookup,
        # which takes no lock, finds the old or the new one.
        self._entries: dict[str, AnyEntry] = {}

    def register_pass(
        self, pass_: type[Pass] | Callable[[], Pass], *, replace: bool = False
    ) -> None:
        """Register a pass class, or a factory of passes.

        A factory is called once at registration, and for each new pass. Registering the
        same pass again does nothing; a declared base and its implementation are the
        same pass. A class that was defined again replaces the old one: its module and
        qualified name are the same. A shipped pass with the argument of another one
        becomes `passgen.ARGUMENT`.

        Raises:
            RegistrationError: no pipeline can spell its argument, or another pass or
                pipeline has the same one and `replace` is not set.
        """
        if isinstance(pass_, type):
            self.add(PassEntry(pass_), replace=replace)
        else:
            self.add(PassEntry(pass_(), pass_), replace=replace)

    def add(self, entry: AnyEntry, *, replace: bool = False) -> None:
        """Register `entry`, as `register_pass` and `register_pipeline` do.

        Raises:
            RegistrationError: see `register_pass` and `register_pipeline`.
        """
        _check_argument(entry)
        with self._lock:
            known = self._entries.get(entry.argument)
            if (
                known is None
                or (replace and rank_of(entry) == rank_of(known))
                or replaces(entry, known)
            ):
                self._entries[entry.argument] = entry
            elif is_same(entry, known):
                pass
            elif rank_of(entry) != rank_of(known):
                first, second = sorted((entry, known), key=rank_of)
                self._entries[entry.argument] = first
                self.add(in_namespace(second), replace=True)
            else:
                raise RegistrationError(
                    f"'{entry.argument}' is registered twice: by {known.origin} and by "
                    f"{entry.origin}\nnote: replace=True replaces the first"
                )

    def register_pipeline(
        self,
        argument: str,
        summary: str,
        builder: (
            Callable[[OpPassManager], None] | Callable[[OpPassManager, OptionsT], None]
        ),
        options_class: type[OptionsT] | None = None,
        *,
        replace: bool = False,
    ) -> None:
        """Register a pipeline that `builder` adds to a pass manager.

        Args:
            argument: its name in a textual pipeline.
            summary: one line for lists of pipelines.
            builder: gets the pass manager, and the options if there is a class of them.
            options_class: the class of the options between the braces.
            replace: whether to replace a pass or pipeline with the same argument.

        Raises:
            RegistrationError: no pipeline can spell the argument, or another pass or
                pipeline has the same one and `replace` is not set.
        """
        entry = PipelineEntry(argument, summary, builder, options_class)
        self.add(entry, replace=replace)

    def __repr__(self) -> str:
        """Return the numbers of passes and pipelines, without calling any source."""
        with self._lock:
            entries, num_sources = list(self._entries.values()), len(self._sources)
        num_pipelines = sum(isinstance(entry, PipelineEntry) for entry in entries)
        shown = f"{len(entries) - num_pipelines} passes, {num_pipelines} pipelines"
        more = f", {num_sources} sources not called yet" if num_sources else ""
        return f"<{type(self).__qualname__}: {shown}{more}>"

    def add_source(self, register: Callable[[PassRegistry], object]) -> None:
        """Call `register` when a name is not found or all passes are listed.

        For groups of passes that take time to import. Sources are called in the order
        in which they were added; adding one again does nothing. A source that raises is
        called again the next time.
        """
        with self._lock:
            if register not in self._called_sources and register not in self._sources:
                self._sources.append(register)

    def add_finder(self, finder: PassFinder) -> None:
        """Let `finder` look up every name, too.

        For passes that cannot be listed, or that another library registers. Adding a
        finder again does nothing.
        """
        with self._lock:
            if finder not in self._finders:
                self._finders = (*self._finders, finder)

    def take_entries(self, other: PassRegistry) -> None:
        """Add the entries of `other` under names free here, without calling sources."""
        with other._lock:
            entries = other._entries.copy()
        with self._lock:
            self._entries = entries | self._entries

    def lookup_pass(self, argument: str) -> RegistryEntry | None:
        """Return the entry of the pass called `argument`."""
        entry = self.lookup(argument)
        return None if isinstance(entry, PipelineEntry) else entry

    def lookup_pipeline(self, argument: str) -> PipelineEntry | None:
        """Return the entry of the pipeline called `argument`."""
        entry = self.lookup(argument)
        return entry if isinstance(entry, PipelineEntry) else None

    def lookup(self, argument: str, library: str = "") -> AnyEntry | None:
        """Return the entry of the pass or pipeline called `argument`.

        Args:
            argument: the name.
            library: the `library` of the context that it is to run in, if it is known:
                passes of other libraries are then found under free names only.
        """
        entry = self._entries.get(argument)
        while entry is None:
            was_called = self._call_next_source()
            # Another thread may have called the last source during the wait.
            entry = self._entries.get(argument)
            if not was_called:
                break
        foreign: list[PassFinder] = []
        for finder in self._finders:
            if library and finder.library not in {library, ""}:
                foreign.append(finder)
            elif (found := finder.find(argument, entry)) is not None:
                return found
        if entry is None:
            finds = (finder.find(argument, None) for finder in foreign)
            return next(filter(None, finds), None)
        return entry

    def explanations(self, argument: str) -> tuple[str, ...]:
        """Return notes on why no pass called `argument` is found, if any."""
        return tuple(
            note for finder in self._finders for note in finder.explanations(argument)
        )

    def passes(self) -> list[RegistryEntry]:
        """Return all passes, in order of argument."""
        return [entry for entry in self._all() if not isinstance(entry, PipelineEntry)]

    def pipelines(self) -> list[PipelineEntry]:
        """Return all pipelines, in order of argument."""
        return [entry for entry in self._all() if isinstance(entry, PipelineEntry)]

    def arguments(self) -> list[str]:
        """Return the arguments of all passes and pipelines, in order."""
        while self._call_next_source():
            pass
        found = set[str]().union(*(finder.arguments() for finder in self._finders))
        with self._lock:
            return sorted(found.union(self._entries))

    def known_anchors(self) -> set[str]:
        """Return `any`, `builtin.module` and the anchors of registered passes."""
        anchors = {ANY_ANCHOR, "builtin.module"}
        for entry in self.passes():
            # Another kind of entry might import its pass class here.
            if isinstance(entry, PassEntry) and entry.pass_class.anchor is not None:
                anchors.add(entry.pass_class.anchor)
        return anchors

    def _all(self) -> Iterator[AnyEntry]:
        """Yield the entries of all arguments, in order."""
        for argument in self.arguments():
            if (entry := self.lookup(argument)) is not None:
                yield entry

    def _call_next_source(self) -> bool:
        """Let the next source register its passes; return whether there was one."""
        with self._lock:
            if not self._sources:
                return False
            source = self._sources.pop(0)
            self._called_sources.append(source)
            try:
                source(self)
            except BaseException:  # such as an import that is not installed yet
                self._called_sources.remove(source)
                self._sources.insert(0, source)
                raise
            return True


default_registry = PassRegistry()
"""The registry of calls that are given no other."""


def register_pass(
    pass_: type[Pass] | Callable[[], Pass],
    registry: PassRegistry | None = None,
    *,
    replace: bool = False,
) -> None:
    """Register a pass class or factory in `registry`, or in the default one.

    Raises:
        RegistrationError: see `PassRegistry.register_pass`.
    """
    (registry or default_registry).register_pass(pass_, replace=replace)


def _check_argument(entry: AnyEntry) -> None:
    if not entry.argument:
        message = f"{entry.origin} has no argument: a registered pass needs one"
        raise RegistrationError(message)
    if entry.argument == ANY_ANCHOR or entry.argument.startswith("-"):
        raise RegistrationError(
            f"{entry.origin} has the argument '{entry.argument}': 'any' is the anchor "
            "of an op-agnostic pipeline, and a leading '-' marks a flag"
        )
    if not is_name(entry.argument):
        raise RegistrationError(
            f"{entry.origin} has the argument '{entry.argument}', which no pipeline "
            "can spell: blanks, quotes, '=', ',' and brackets separate names"
        )
