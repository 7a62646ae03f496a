"""What the package brings to a compiler, and where its passes go in any pipeline."""

from __future__ import annotations

from passgen_runtime import tag
from passgen_runtime.pass_manager_builder import PassManagerBuilder

from .generated.toy_forwarding_passes import registerToyForwardingPasses


def register_dialects_and_passes(builder: PassManagerBuilder) -> None:
    """Bring the dialect and the passes, and put them into pipelines that bufferize."""
    builder.register_dialect("toy_hints", _toy_hints)
    registerToyForwardingPasses(builder.registry)
    builder.add_hook(insert_forwarding, where="one-shot-bufferize")


def insert_forwarding(builder: PassManagerBuilder) -> None:
    """Put the passes around one-shot bufferization, the only kind they are for."""
    builder.insert_before("func.func(forward-inserted-elements)", "one-shot-bufferize")
    builder.insert_after("func.func(forward-stored-elements)", tag("bufferization"))
    if tag("llvm-lowering") in builder:
        builder.insert_before("func.func(erase-unread-buffers)", tag("llvm-lowering"))


def _toy_hints() -> object:
    from .hints import ToyHints  # noqa: PLC0415 - imported when the dialect is met

    return ToyHints
