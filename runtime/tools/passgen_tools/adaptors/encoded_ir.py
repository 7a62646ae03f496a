"""The frame around encoded IR: format, version and checksum.

The checksum finds data that was damaged on its way. It is no signature: who may send
encoded IR may send any IR.
"""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct, pack, unpack, unpack_from
from struct import error as StructError  # noqa: N812 - a class, whatever its name
from typing import Final
from zlib import crc32

from passgen_runtime.diagnostics import Diagnostic, visible
from passgen_runtime.errors import IRError

PLACE: Final = "<encoded IR>"
"""The placeholder for a file name in errors about encoded IR."""

MAGIC: Final = b"PGIR"
"""The magic number of every encoding."""

_HEADER: Final = Struct("<4s4sHI")
"""Magic number, format, version of the format, checksum of what follows."""

_LENGTH: Final = Struct("<I")


def ir_error(message: str) -> IRError:
    """Return the error that encoded IR is not what `encode` returns."""
    return IRError(Diagnostic("error", visible(message), PLACE))


def frame(content: bytes, form: bytes, version: int) -> bytes:
    """Return `content` after a header.

    Args:
        content: the encoded IR.
        form: which IR library's encoding it is, in four letters.
        version: of this encoding.
    """
    return _HEADER.pack(MAGIC, form, version, crc32(content)) + content


def content_of(data: bytes, form: bytes, version: int) -> memoryview:
    """Return the part of `data` after the header.

    Raises:
        IRError: it is of another form or version, or damaged.
    """
    if len(data) < _HEADER.size or not data.startswith(MAGIC):
        raise ir_error("not encoded IR: it does not begin with a header of passgen")
    _, found_form, found_version, checksum = _HEADER.unpack_from(data)
    if found_form != form:
        found = found_form.decode("ascii", "backslashreplace").strip()
        message = f"encoded as {found!r}, expected {form.decode().strip()!r}"
        raise ir_error(f"{message}: decode it with a context of the same IR library")
    if found_version != version:
        message = f"encoded in version {found_version}, expected version {version}"
        raise ir_error(f"{message}: encode it with this version of passgen")
    content = memoryview(data)[_HEADER.size :]
    if crc32(content) != checksum:
        raise ir_error("damaged: the checksum of the encoded IR does not match")
    return content


def packed_numbers(numbers: Sequence[int]) -> bytes:
    """Return numbers of 32 bits as bytes."""
    return pack(f"<{len(numbers)}I", *numbers)


def unpacked_numbers(data: bytes) -> tuple[int, ...]:
    """Return the numbers in `data`.

    Raises:
        IRError: it is damaged.
    """
    count, rest = divmod(len(data), _LENGTH.size)
    if rest:
        raise ir_error("damaged: expected numbers of 32 bits")
    return unpack(f"<{count}I", data)


def pack_parts(parts: Sequence[bytes]) -> bytes:
    """Return `parts` as one."""
    lengths = [_LENGTH.pack(len(part)) for part in parts]
    return b"".join((_LENGTH.pack(len(parts)), *lengths, *parts))


def unpack_parts(data: bytes, num_parts: int | None = None) -> list[bytes]:
    """Return the parts of `data`.

    Raises:
        IRError: it is damaged, or does not have the number of parts.
    """
    try:
        (count,) = _LENGTH.unpack_from(data)
        lengths = unpack_from(f"<{count}I", data, _LENGTH.size)
    except StructError as error:
        raise ir_error("damaged: it ends too early") from error
    begin = _LENGTH.size * (count + 1)
    if begin + sum(lengths) != len(data) or num_parts not in {None, count}:
        raise ir_error("damaged: its size is not the sum of its parts")
    parts = []
    for length in lengths:
        parts.append(data[begin : begin + length])
        begin += length
    return parts
