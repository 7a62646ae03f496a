"""Digests of IR, in a module of their own: importing `hashlib` is slow."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, TypeAlias

Resources: TypeAlias = Mapping[tuple[str, str], str]
"""The contents of resources as literals of MLIR, by dialect and key."""

NO_RESOURCES: Final[Resources] = MappingProxyType({})


def digest_of(text: str) -> bytes:
    """Return a short digest of `text`, for fingerprints."""
    data = text.encode(errors="surrogatepass")  # strings of IR may hold surrogates
    return hashlib.blake2b(data, digest_size=16).digest()


def digest_with(text: str, resources: Resources) -> bytes:
    """Return a short digest of `text` and of the resources that it refers to."""
    if not resources:
        return digest_of(text)
    digests = [(key, digest_of(resources[key]).hex()) for key in sorted(resources)]
    return digest_of(f"{text}\0{digests}")
