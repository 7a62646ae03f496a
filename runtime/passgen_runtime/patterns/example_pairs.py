"""The examples of a pattern, parsed with each text of its variables, and checked."""

from __future__ import annotations

from collections.abc import Mapping

from passgen_runtime.patterns.example_ir import ExampleIR, after_of, before_of
from passgen_runtime.patterns.example_parts import ExampleParts
from passgen_runtime.patterns.example_text import ExampleText
from passgen_runtime.patterns.ir_reader import Type
from passgen_runtime.patterns.library import UnknownTypeError


class ExamplePairs:
    """`before` and `after`, with the first texts and for each open variable."""

    def __init__(self, parts: ExampleParts) -> None:
        """Parse and check the texts.

        Raises:
            IRError: they do not parse, or do not verify.
            PatternError: they show no pattern.
        """
        self._parts = parts
        self._library = parts.library
        self.before_text = before_of(parts.pattern)
        choice = parts.choice
        others = ({**choice, free.name: free.examples[1]} for free in parts.open)
        texts = [choice, *others]
        self.befores = [self.parse(self.before_text, values, {}) for values in texts]
        self.flags = self._flags()
        """The attributes, for each operation of `before`, that depend on flags which
        the choice leaves out."""

        self.replaced = [*self._replaced(self.befores[0])]
        """The names of the results of the root."""

        known = frozenset(self.befores[0].types.keys() - self.replaced)
        self.after_text = after_of(parts.pattern, known)
        self.afters = []
        for values, before in zip(texts, self.befores, strict=True):
            types = {name: before.types[name] for name in known}
            after = self.parse(self.after_text, values, types)
            self._check_results(before, after)
            self.afters.append(after)

    def parse(
        self, text: ExampleText, values: Mapping[str, str], known: Mapping[str, Type]
    ) -> ExampleIR:
        """Return a text, parsed.

        Raises:
            IRError: it does not parse, or does not verify.
            PatternError: a type is not known.
        """
        try:
            return ExampleIR(self._library, text, values, known)
        except UnknownTypeError as error:
            (name,) = error.args
            self._parts.place = next(
                text.place_of(token) for token in text.tokens if token.text == name
            )
            message = f"the type of '{name}' is not known"
            way_out = f"begin 'before' with a line `^bb0({name}: TYPE):`"
            raise self._parts.error(f"{message}: {way_out}") from error

    def _flags(self) -> list[set[str]]:
        first, attributes = self.befores[0], self._library.attributes
        found = [set[str]() for _ in first.operations]
        for flag in self._parts.pattern.variables:
            if not flag.is_flag or self._parts.choice[flag.name]:
                continue
            shown = next(filter(None, flag.examples))
            other = self.parse(first.text, {**self._parts.choice, flag.name: shown}, {})
            if len(other.operations) != len(found):
                self._parts.refuse("operations that depend on a variable")
            pairs = zip(first.operations, other.operations, strict=True)
            for names, (one, with_flag) in zip(found, pairs, strict=True):
                known = attributes(one)
                names.update(
                    name
                    for name, value in attributes(with_flag).items()
                    if name not in known or known[name] != value
                )
        return found

    def _replaced(self, before: ExampleIR) -> dict[str, Type]:
        """Return the results of the root, by name; the root alone is replaced."""
        if not before.operations:
            raise self._parts.error("there is no operation 'before' it")
        if before.text.aliases:
            self._parts.refuse("a line `%0 = %x` in 'before'")
        *others, root = before.operations
        key = self._library.key
        used = {key(value) for value in root.operands}
        for operation in reversed(others):
            self._parts.place = before.place(operation)
            if used.isdisjoint(map(key, operation.results)):
                self._parts.refuse("an operation that the last one does not use")
            used.update(map(key, operation.operands))
        self._parts.place = before.place(root)
        return {before.names.get(old, ""): old.type for old in root.results}

    def _check_results(self, before: ExampleIR, after: ExampleIR) -> None:
        """Check that `after` defines the results of the root, and the right ones."""
        replaced = self._replaced(before)
        self._parts.place = after.text.place
        for token in after.text.repeated:
            self._parts.place = after.text.place_of(token)
            self._parts.refuse("a value that is defined twice")
        for name in after.text.aliases:
            if after.text.resolve(name) not in after.types:
                self._parts.refuse("the use of a value before its definition")
        defined = {
            name for name in after.types if name.partition("#")[0] in after.text.defined
        }
        again = before.types.keys() & defined
        if {name: after.types[name] for name in again} != replaced:
            wanted = ", ".join(f"{name} : {replaced[name]}" for name in replaced)
            message = (
                "'after' must define the results of the last operation of 'before'"
                f" ({wanted or 'none'}), and no other value of it again"
            )
            others = sorted(again - replaced.keys())
            if others:
                message += f"; found {' and '.join(others)} in both"
            raise self._parts.error(message)
