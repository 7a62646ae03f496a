"""Passes of xDSL, dataclasses that derive from `ModulePass`, to the spec of passes."""

from passgen.module_passes.importer import ImportedPasses, import_module_passes

__all__ = ["ImportedPasses", "import_module_passes"]
