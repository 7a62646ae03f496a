"""The parts of `passgen-opt`, in the order in which their blocks stand."""

from __future__ import annotations

from typing import Final

from passgen_runtime.opt.containment import Containment
from passgen_runtime.opt.driver_part import DriverPart
from passgen_runtime.opt.parts.audit import Audit
from passgen_runtime.opt.parts.ir_printing import IRPrinting
from passgen_runtime.opt.parts.recording import Recording
from passgen_runtime.opt.parts.reproducers import Reproducers
from passgen_runtime.opt.parts.statistics import Statistics
from passgen_runtime.opt.parts.streams import Progress, StandardStreams
from passgen_runtime.opt.parts.timing import Timing
from passgen_runtime.opt.parts.verify_diagnostics import VerifyDiagnostics
from passgen_runtime.opt.parts.workers import WorkersPart

DEFAULT_PARTS: Final[tuple[type[DriverPart], ...]] = (
    Containment,
    VerifyDiagnostics,
    WorkersPart,
    IRPrinting,
    Reproducers,
    Timing,
    Statistics,
    Recording,
    StandardStreams,
    Audit,
    Progress,
)
