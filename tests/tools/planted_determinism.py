"""Passes that differ from run to run, and honest ones that look as if they might.

They are classes at the top of a module, so that other processes import them. Each
writes what it has found into the attribute `found` of its function.
"""

from __future__ import annotations

import os
import random
import secrets
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import lru_cache
from itertools import count
from typing import ClassVar, TypeAlias

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation

from passgen_runtime import OperationPass, Pass, PassOptions, statistic
from passgen_runtime.remarks import RemarkEmitter

DIFFERING: list[type[Pass]] = []
HONEST: list[type[Pass]] = []

Find: TypeAlias = Callable[[list[Operation]], object]


class Finding(OperationPass[PassOptions]):
    """Writes what its function finds in the operations of a function."""

    anchor = "func.func"
    find: ClassVar[Find]

    def run_on_operation(self) -> None:
        found = type(self).find([*self.operation.body.block.ops])
        self.operation.attributes["found"] = StringAttr(str(found))


def planted(kind: list[type[Pass]]) -> Callable[[Find], type[Pass]]:
    """Return a decorator that makes a function a pass."""

    def make(find: Find) -> type[Pass]:
        name = find.__name__
        members = {
            "__module__": __name__,
            "__qualname__": name,
            "argument": name.replace("_", "-"),
            "find": staticmethod(find),
        }
        kind.append(type(name, (Finding,), members))
        return kind[-1]

    return make


differs, honest = planted(DIFFERING), planted(HONEST)


def tag(operation: Operation) -> str:
    """Return the attribute `tag` of an operation."""
    found = operation.attributes.get("tag")
    return found.data if isinstance(found, StringAttr) else ""


def tags(operations: Iterable[Operation]) -> list[str]:
    return [tag(operation) for operation in operations]


@differs
def set_of_strings(operations: list[Operation]) -> object:
    return list(set(tags(operations)))


@differs
def set_of_operations(operations: list[Operation]) -> object:
    return tags(set(operations))


@differs
def frozen_set(operations: list[Operation]) -> object:
    return "".join(frozenset(tags(operations)))


@differs
def popped_from_a_set(operations: list[Operation]) -> object:
    return set(tags(operations)).pop()


@differs
def difference_of_keys(operations: list[Operation]) -> object:
    return list(dict.fromkeys(tags(operations)).keys() - {"a"})


@differs
def last_of_a_set(operations: list[Operation]) -> object:
    return dict(enumerate(set(operations))).popitem()[1].attributes


@differs
def union_of_sets(operations: list[Operation]) -> object:
    half = len(operations) // 2
    return tags(set(operations[:half]) | set(operations[half:]))


@differs
def sorted_by_id(operations: list[Operation]) -> object:
    return tags(sorted(operations, key=id))


@differs
def largest_id(operations: list[Operation]) -> object:
    return tag(max(operations, key=id))


@differs
def id_as_name(operations: list[Operation]) -> object:
    return f"value_{id(operations[0])}"


@differs
def address_in_repr(_operations: list[Operation]) -> object:
    return object()


@differs
def hash_as_name(operations: list[Operation]) -> object:
    return hash(tag(operations[0])) % 1000


@differs
def sorted_by_hash(operations: list[Operation]) -> object:
    return sorted(tags(operations), key=hash)


@differs
def hash_of_a_type(operations: list[Operation]) -> object:
    return hash(type(operations[0]))


@differs
def random_number(_operations: list[Operation]) -> object:
    return random.random()  # noqa: S311 - for no secret


@differs
def shuffled(operations: list[Operation]) -> object:
    random.shuffle(operations)
    return tags(operations)


@differs
def secret(_operations: list[Operation]) -> object:
    return secrets.token_hex()


@differs
def unique_name(_operations: list[Operation]) -> object:
    return uuid.uuid4()


@differs
def time_of_the_run(_operations: list[Operation]) -> object:
    return time.time_ns()


@differs
def process_number(_operations: list[Operation]) -> object:
    return os.getpid()


@differs
def temporary_file(_operations: list[Operation]) -> object:
    with tempfile.NamedTemporaryFile() as file:
        return file.name


@differs
def thread_number(_operations: list[Operation]) -> object:
    return threading.get_ident()


_numbers = count()


@differs
def numbered_in_the_module(_operations: list[Operation]) -> object:
    return next(_numbers)


_stack: list[str] = []


@differs
def stack_of_all_threads(operations: list[Operation]) -> object:
    found = []
    for name in tags(operations):
        _stack.append(name)
        time.sleep(1e-4)  # it waits for a lock, say
        found.append(_stack[-1] + str(len(_stack)))
        _stack.pop()
    return found


@differs
def first_thread_that_ends(operations: list[Operation]) -> object:
    with ThreadPoolExecutor(4) as threads:
        futures = [threads.submit(tag, operation) for operation in operations]
        return [future.result() for future in as_completed(futures)]


@honest
def sorted_set(operations: list[Operation]) -> object:
    return sorted(set(tags(operations)))


@honest
def size_of_a_set(operations: list[Operation]) -> object:
    return len(set(operations))


@honest
def is_in_a_set(operations: list[Operation]) -> object:
    known = set(operations[::2])
    return [operation in known for operation in operations]


@honest
def sum_over_a_set(operations: list[Operation]) -> object:
    return sum(len(name) for name in {*tags(operations)})


@honest
def any_of_a_set(operations: list[Operation]) -> object:
    return any(name == "a" for name in {*tags(operations)})


@honest
def order_of_a_dict(operations: list[Operation]) -> object:
    return list(dict.fromkeys(tags(operations)))


@honest
def number_by_id(operations: list[Operation]) -> object:
    numbers = {id(operation): number for number, operation in enumerate(operations)}
    return [numbers[id(operation)] for operation in operations]


@honest
def dict_by_operation(operations: list[Operation]) -> object:
    return list({operation: tag(operation) for operation in operations}.values())


@honest
def same_hash(operations: list[Operation]) -> object:
    return len({hash(name) for name in tags(operations)})


@honest
def hash_of_a_number(operations: list[Operation]) -> object:
    return hash(len(operations))


@honest
def smallest_by_tag(operations: list[Operation]) -> object:
    return tag(min(operations, key=tag))


@honest
def stable_sort(operations: list[Operation]) -> object:
    return tags(sorted(operations, key=lambda operation: len(tag(operation))))


@honest
def seeded_random(_operations: list[Operation]) -> object:
    return random.Random(7).random()  # noqa: S311 - for no secret


@honest
def seeded_shuffle(operations: list[Operation]) -> object:
    random.Random(7).shuffle(operations)  # noqa: S311 - for no secret
    return tags(operations)


@honest
def counted_from_zero(operations: list[Operation]) -> object:
    numbers = count()
    return [next(numbers) for _ in operations]


@honest
def threads_in_order(operations: list[Operation]) -> object:
    with ThreadPoolExecutor(4) as threads:
        return list(threads.map(tag, operations))


_of_thread = threading.local()


@honest
def stack_of_one_thread(operations: list[Operation]) -> object:
    _of_thread.stack = []
    for name in tags(operations):
        _of_thread.stack.append(name)
        time.sleep(1e-4)
    return _of_thread.stack


@lru_cache
def twice(name: str) -> str:
    return name * 2


@honest
def cache_of_a_function(operations: list[Operation]) -> object:
    return [*map(twice, tags(operations))]


@honest
def measured_time(operations: list[Operation]) -> object:
    begin = time.perf_counter()
    found = tags(operations)
    sys.stdout.write(f"{time.perf_counter() - begin}\n")
    return found


@honest
def environment(_operations: list[Operation]) -> object:
    return os.environ.get("HOME")


def words(operations: list[Operation]) -> Iterator[str]:
    yield from tags(operations)


@honest
def lazily(operations: list[Operation]) -> object:
    return " ".join(words(operations))


class Reporting(OperationPass[PassOptions]):
    """Reports or counts a number, and leaves the IR as it is."""

    anchor = "func.func"
    num_found = statistic("num-found", "Numbers")
    number: ClassVar[Callable[[list[Operation]], int]]
    kind: ClassVar[str]

    def run_on_operation(self) -> None:
        number = type(self).number([*self.operation.body.block.ops])
        match self.kind:
            case "statistic":
                self.num_found += number
            case "declared remark":
                RemarkEmitter(self).passed("found {number}", number=number)
            case "place":
                self.emit_remark("found", [*self.operation.body.block.ops][number])
            case "remark":
                self.emit_remark(f"found {number}")
            case "warning":
                self.emit_warning(f"found {number}")


def reporting(kind: str, number: Callable[[list[Operation]], int]) -> type[Pass]:
    """Return a pass that reports or counts what `number` finds."""
    name = f"reports_{kind}_{number.__name__}".replace(" ", "_")
    members = {
        "__module__": __name__,
        "__qualname__": name,
        "argument": name.replace("_", "-"),
        "number": staticmethod(number),
        "kind": kind,
    }
    made: type[Pass] = type(name, (Reporting,), members)
    globals()[name] = made  # other processes import it
    return made


def by_hash(operations: list[Operation]) -> int:
    return hash(tag(operations[0])) % 7


def by_length(operations: list[Operation]) -> int:
    return len(operations) - 1


_REPORTS = ("statistic", "declared remark", "remark", "warning", "place")
DIFFERING_REPORTS = [reporting(kind, by_hash) for kind in _REPORTS]
HONEST_REPORTS = [reporting(kind, by_length) for kind in _REPORTS]


class FailsAtTimes(OperationPass[PassOptions]):
    """Fails by the hash of a text."""

    argument = "fails-at-times"

    def run_on_operation(self) -> None:
        if hash(self.context.symbol_name(self.operation)) % 2:
            self.signal_pass_failure()


class FailsForAReason(OperationPass[PassOptions]):
    """Always fails, with an error that depends on the hash of a text."""

    argument = "fails-for-a-reason"

    def run_on_operation(self) -> None:
        self.emit_error(f"found {hash(self.context.symbol_name(self.operation))}")
        self.signal_pass_failure()


class NeedsParent(OperationPass[PassOptions]):
    """Needs what is not there when it runs on its operation alone."""

    argument = "needs-parent"

    def run_on_operation(self) -> None:
        assert self.operation.parent is not None


class Sends(OperationPass[PassOptions]):
    """Must not run more often than asked."""

    argument = "sends"
    outside_access = "it sends mail"

    def run_on_operation(self) -> None:
        """Do nothing."""


class EndsOthers(OperationPass[PassOptions]):
    """Ends processes that are not those of the tests."""

    argument = "ends-others"

    def run_on_operation(self) -> None:
        if "pytest" not in sys.modules:
            os._exit(1)
