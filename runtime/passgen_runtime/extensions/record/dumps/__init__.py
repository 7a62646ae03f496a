"""The conversion of IR dumps of any tool built on MLIR to a run record."""

from passgen_runtime.extensions.record.dumps.dump_record import record_dumps

__all__ = ["record_dumps"]
