"""Encoded IR of xDSL with random changes, below a checksum that is right."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from random import Random
from struct import pack
from typing import Final

from passgen_runtime.errors import IRError
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_tools.adaptors.encoded_ir import (
    MAGIC,
    frame,
    pack_parts,
    packed_numbers,
)
from passgen_tools.adaptors.xdsl.decoding import FORM, VERSION
from passgen_tools.ir_libraries import transport_of
from tests.fuzz.harness import Case, Fuzzer
from tests.fuzz.ir import SEEDS

_HEADER_SIZE: Final = 14
_MAX_CHANGES: Final = 5


def main(arguments: Sequence[str]) -> int:
    """Decode a file and print what it holds; return 1 if it is damaged.

    It is one encoding, or several that were packed as operations apart.
    """
    context = XDSLContext()
    data = Path(arguments[0]).read_bytes()
    try:
        if data.startswith(MAGIC):
            operations = [transport_of(context).decode(data)]
        else:
            operations = list(transport_of(context).decode_isolated(data))
    except IRError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    names = "\n".join(map(context.name, operations))
    sys.stdout.write(f"{names}\n")
    return 0


@cache
def _encodings() -> list[bytes]:
    context = XDSLContext()
    return [
        transport_of(context).encode(context.parse(text, "f.mlir"))
        for text in SEEDS
        if _is_parsed(context, text)
    ]


def _is_parsed(context: XDSLContext, text: str) -> bool:
    try:
        context.parse(text, "f.mlir")
    except IRError:
        return False
    return True


def mutated_encoding(random: Random) -> bytes:
    """Return encoded IR with a few changes, most of them under a new checksum."""
    data = random.choice(_encodings())
    content = bytearray(data[_HEADER_SIZE:])
    for _ in range(random.randint(1, _MAX_CHANGES)):
        place = random.randrange(len(content) + 1)
        # Numbers are in the front, strings behind them.
        if random.random() < 0.5:
            place = min(place, random.randrange(200))
        _change(random, content, place)
    if random.random() < 0.05:
        return bytes(data[:_HEADER_SIZE] + content)
    if random.random() < 0.1:
        sizes = random.choice(([1], [1, 1], [0], [], [2**32 - 1]))
        parts = [packed_numbers(sizes), frame(bytes(content), FORM, VERSION)]
        apart = bytearray(pack_parts(parts[: random.choice((1, 2, 2, 2))]))
        if random.random() < 0.5:
            _change(random, apart, random.randrange(20))
        return bytes(apart)
    return frame(bytes(content), FORM, VERSION)


def _change(random: Random, content: bytearray, place: int) -> None:
    other = random.choice(_encodings())
    begin = random.randrange(len(other))
    piece = other[begin : begin + random.choice((1, 2, 4, 20))]
    match random.randrange(6):
        case 0:
            content[place : place + 1] = random.randbytes(1)
        case 1:
            number = random.choice((0, 1, 2, 255, 65535, 2**31, 2**32 - 1))
            content[place : place + 4] = pack("<I", number)
        case 2:
            content[place : place + len(piece)] = piece
        case 3:
            content[place:place] = piece
        case 4:
            del content[place : place + random.choice((1, 2, 4, 100))]
        case _:
            number = random.choice((0, 1, 2, 3, 14, 15, 255))
            content[place : place + 2] = pack("<H", number)
    if not content:
        content += b"\0"


def _make(random: Random) -> Case:
    return Case(("f.bin",), {"f.bin": mutated_encoding(random)})


FUZZER: Final = Fuzzer("encoded", "tests.fuzz.encoded", main, _make)

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
