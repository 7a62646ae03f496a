"""Digests of IR; `hashlib`, whose import is slow, is imported by the first one."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, TypeAlias

Resources: TypeAlias = Mapping[tuple[str, str], str]
"""The contents of resources as literals of MLIR, by dialect and key."""

NO_RESOURCES: Final[Resources] = MappingProxyType({})


def digest_of(text: str) -> bytes:
    """Return a short digest of `text`, for fingerprints."""
    from hashlib import blake2b

    data = text.encode(errors="surrogatepass")  # strings of IR may hold surrogates
    return blake2b(data, digest_size=16).digest()


def digest_with(text: str, resources: Resources) -> bytes:
    """Return a short digest of `text` and of the resources that it refers to."""
    if not resources:
        return digest_of(text)
    digests = [(key, digest_of(resources[key]).hex()) for key in sorted(resources)]
    return digest_of(f"{text}\0{digests}")
