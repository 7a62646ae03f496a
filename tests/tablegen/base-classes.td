// Base classes other than OperationPass and InterfacePass.
include "mlir/Pass/PassBase.td"

class ModulePass<string arg> : PassBase<arg, "::project::ModulePassBase<1, 2>">;

def Link : ModulePass<"link"> {
  let summary = "Link";
}

def Load : PassBase<"load", "::mlir::OperationPass<mlir::ModuleOp>"> {
  let summary = "Load";
}

def Store : PassBase<"store", "mlir::OperationPass< >"> {
  let summary = "Store";
}

def Run : InterfacePass<"run", "::project::RunnableOpInterface"> {
  let summary = "Run";
}

def Stop : InterfacePass<"stop", "Interface<int, 2>"> {
  let summary = "Stop";
}

def Wait : Pass<"wait", "hw::HWModuleOp"> {
  let summary = "Wait on an operation that is not known";
}

def Pause : Pass<"pause", " func::FuncOp "> {
  let summary = "Pause with blanks";
}

def Kernel : Pass<"kernel", "::mlir::gpu::GPUFuncOp"> {
  let summary = "Run on a kernel";
}
