"""C++ spellings where they are regular: types, dialects, operations.

The regular spelling is the one that MLIR's own declarations use most. A group, or a
place in it, that spells something otherwise says so under `cpp:`.
"""

from __future__ import annotations

from typing import Final

from passgen import naming

TYPES: Final = {
    "bool": "bool",
    "int8": "int32_t",
    "int16": "int32_t",
    "int32": "int32_t",
    "int64": "int64_t",
    "uint8": "unsigned",
    "uint16": "unsigned",
    "uint32": "unsigned",
    "uint64": "uint64_t",
    "float": "float",
    "double": "double",
    "string": "std::string",
    "pipeline": "std::string",
}
"""The type of one value by spec name. `llvm::cl` parses no integer of 8 or 16 bits."""

PIPELINE_ELEMENT: Final = "OpPassManager"
"""The type of the elements of a list of pipelines, which MLIR parses itself."""

MEANINGS: Final = {
    "bool": "bool",
    "int": "int32",
    "signed": "int32",
    "signed int": "int32",
    "int8_t": "int8",
    "int16_t": "int16",
    "short": "int16",
    "int32_t": "int32",
    "int64_t": "int64",
    "long": "int64",
    "long long": "int64",
    "ssize_t": "int64",
    "ptrdiff_t": "int64",
    "intptr_t": "int64",
    "unsigned": "uint32",
    "unsigned int": "uint32",
    "uint": "uint32",
    "uint8_t": "uint8",
    "uint16_t": "uint16",
    "unsigned short": "uint16",
    "uint32_t": "uint32",
    "uint64_t": "uint64",
    "unsigned long": "uint64",
    "unsigned long long": "uint64",
    "size_t": "uint64",
    "uintptr_t": "uint64",
    "float": "float",
    "double": "double",
    "std::string": "string",
    "string": "string",
    "OpPassManager": "pipeline",
    "mlir::OpPassManager": "pipeline",
}
"""What a type means in a spec, by its spelling without `::` or `std::` before it."""

_DIALECTS: Final = {
    "acc": "acc::OpenACCDialect",
    "amdgpu": "amdgpu::AMDGPUDialect",
    "amx": "amx::AMXDialect",
    "arm_neon": "arm_neon::ArmNeonDialect",
    "arm_sme": "arm_sme::ArmSMEDialect",
    "arm_sve": "arm_sve::ArmSVEDialect",
    "builtin": "BuiltinDialect",
    "cf": "cf::ControlFlowDialect",
    "dlti": "DLTIDialect",
    "emitc": "emitc::EmitCDialect",
    "gpu": "gpu::GPUDialect",
    "irdl": "irdl::IRDLDialect",
    "llvm": "LLVM::LLVMDialect",
    "memref": "memref::MemRefDialect",
    "ml_program": "ml_program::MLProgramDialect",
    "mpi": "mpi::MPIDialect",
    "nvgpu": "nvgpu::NVGPUDialect",
    "nvvm": "NVVM::NVVMDialect",
    "omp": "omp::OpenMPDialect",
    "pdl": "pdl::PDLDialect",
    "pdl_interp": "pdl_interp::PDLInterpDialect",
    "ptr": "ptr::PtrDialect",
    "rocdl": "ROCDL::ROCDLDialect",
    "scf": "scf::SCFDialect",
    "smt": "smt::SMTDialect",
    "spirv": "spirv::SPIRVDialect",
    "ub": "ub::UBDialect",
    "vcix": "vcix::VCIXDialect",
    "wasmssa": "wasmssa::WasmSSADialect",
    "x86vector": "x86vector::X86VectorDialect",
    "xegpu": "xegpu::XeGPUDialect",
    "xevm": "xevm::XeVMDialect",
}
"""Classes whose name is not that of the namespace in PascalCase."""

_REGULAR_DIALECTS: Final = frozenset(
    {"affine", "arith", "async", "bufferization", "complex", "func", "index", "linalg"}
    | {
        "math",
        "quant",
        "shape",
        "shard",
        "sparse_tensor",
        "tensor",
        "tosa",
        "transform",
        "vector",
    }
)
"""The other dialects of MLIR, known to be named by the rule."""

OPERATIONS: Final = {
    "builtin.module": "ModuleOp",
    "emitc.func": "emitc::FuncOp",
    "func.func": "func::FuncOp",
    "gpu.func": "gpu::GPUFuncOp",
    "gpu.launch": "gpu::LaunchOp",
    "gpu.module": "gpu::GPUModuleOp",
    "llvm.func": "LLVM::LLVMFuncOp",
    "ml_program.func": "ml_program::FuncOp",
    "pdl_interp.func": "pdl_interp::FuncOp",
    "spirv.func": "spirv::FuncOp",
    "spirv.module": "spirv::ModuleOp",
    "transform.named_sequence": "transform::NamedSequenceOp",
}
"""Classes of the operations that passes run on."""


def regular_dialect_class(namespace: str) -> str:
    """Return the class of a dialect: `scf::SCFDialect`; by rule where none is known."""
    known = _DIALECTS.get(namespace)
    if known:
        return known
    return f"{namespace}::{naming.pascal_case(namespace)}Dialect"


def operation_class(name: str) -> str:
    """Return the class of an operation; by rule where none is known.

    `my.loop_nest` is `my::LoopNestOp`.
    """
    known = OPERATIONS.get(name)
    if known:
        return known
    namespace, _, rest = name.partition(".")
    return f"{namespace}::{naming.pascal_case(rest)}Op"


def known_dialect(class_name: str) -> str | None:
    """Return the namespace of one of MLIR's dialects, however it is qualified."""
    return _DIALECTS_BY_CLASS.get(unqualified(class_name))


def known_operation(class_name: str) -> str | None:
    """Return the name of an operation whose class is known, however it is qualified."""
    return _OPERATIONS_BY_CLASS.get(unqualified(class_name))


def unqualified(class_name: str) -> str:
    """Return a name without the `::` and `mlir::` that MLIR's code may leave out."""
    return class_name.removeprefix("::").removeprefix("mlir::")


_DIALECTS_BY_CLASS: Final = {
    regular_dialect_class(name): name for name in (*_DIALECTS, *_REGULAR_DIALECTS)
}
_OPERATIONS_BY_CLASS: Final = {spelling: name for name, spelling in OPERATIONS.items()}
