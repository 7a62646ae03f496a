// Several dialects in one string, one dialect spelled in several ways.
include "mlir/Pass/PassBase.td"

def Several : Pass<"several"> {
  let summary = "Name several at once";
  let dependentDialects = ["tensor::TensorDialect, scf::SCFDialect", "arith::ArithDialect"];
}

def Ways : Pass<"ways"> {
  let summary = "Spell one in several ways";
  let dependentDialects = [
    "memref::MemRefDialect", "mlir::memref::MemRefDialect", "::mlir::memref::MemRefDialect"
  ];
}

def Elsewhere : Pass<"elsewhere"> {
  let summary = "Name those of other projects";
  let dependentDialects = [
    "mlir::iree_compiler::IREE::Flow::FlowDialect", "hw::HWDialect",
    "triton::gpu::TritonGPUDialect", "::mlir::LLVM::LLVMDialect", "stablehlo::StablehloDialect"
  ];
}

def Odd : Pass<"odd"> {
  let summary = "Have blanks and nothing";
  let dependentDialects = [" arith::ArithDialect ", "", "decltype(x)::Dialect<1, 2>"];
}

def Templates : Pass<"templates"> {
  let summary = "Give arguments to classes";
  let dependentDialects = [
    "my::MyDialect<my::Kind<1, 2>>", "hw::HWDialect<3>, your::YourDialect<4>"
  ];
}
