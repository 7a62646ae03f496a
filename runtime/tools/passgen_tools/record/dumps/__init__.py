"""Conversion of the IR dumps of any MLIR-based tool to a run record."""

from passgen_tools.record.dumps.dump_record import record_dumps

__all__ = ["record_dumps"]
