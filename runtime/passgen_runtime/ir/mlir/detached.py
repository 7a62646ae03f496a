"""Operations of MLIR's IR that come back from workers into the IR around them."""

from __future__ import annotations

from passgen_runtime.ir.mlir.bindings import MLIRObject


def take_contents(operation: MLIRObject, other: MLIRObject) -> MLIRObject:
    """Move attributes, location and blocks of `other` into `operation`; return it.

    `other` gets the old blocks, and Python destroys them with it. Where the bindings
    cannot set a location, `other` itself is put in the place of `operation`.
    """
    try:
        operation.location = other.location
    except AttributeError:
        other.move_before(operation)
        operation.erase()
        return other
    before = [list(region.blocks) for region in operation.regions]
    after = [list(region.blocks) for region in other.regions]
    for region, blocks in zip(other.regions, before, strict=True):
        for block in blocks:
            block.append_to(region)
    for region, blocks in zip(operation.regions, after, strict=True):
        for block in blocks:
            block.append_to(region)
    wanted = _attributes(other)
    present = _attributes(operation)
    for name in present.keys() - wanted.keys():
        del operation.attributes[name]
    for name, value in wanted.items():
        if present.get(name) != value:
            operation.attributes[name] = value
    return operation


def _attributes(operation: MLIRObject) -> dict[str, MLIRObject]:
    attributes = operation.attributes
    named = (attributes[index] for index in range(len(attributes)))
    return {each.name: each.attr for each in named}
