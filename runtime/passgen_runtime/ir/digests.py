"""Digests of IR, in a module of their own: importing `hashlib` is slow."""

from __future__ import annotations

import hashlib


def digest_of(text: str) -> bytes:
    """Return a short digest of `text`, for fingerprints."""
    data = text.encode(errors="surrogatepass")  # strings of IR may hold surrogates
    return hashlib.blake2b(data, digest_size=16).digest()
