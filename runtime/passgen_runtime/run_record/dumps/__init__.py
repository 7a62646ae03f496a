"""IR dumps of any tool built on MLIR, made into a run record."""

from passgen_runtime.run_record.dumps.dump_record import record_dumps

__all__ = ["record_dumps"]
