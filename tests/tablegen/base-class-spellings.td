// Base classes of MLIR's own that are not spelled as TableGen's classes spell them.
include "mlir/Pass/PassBase.td"

def Unqualified : PassBase<"unqualified", "OperationPass<func::FuncOp>"> {
  let summary = "Rely on a using directive";
}

def Anywhere : PassBase<"anywhere", "mlir::OperationPass<>"> {
  let summary = "Run on any operation";
}

def Interface : PassBase<"interface", "mlir::InterfacePass<mlir::FunctionOpInterface>"> {
  let summary = "Run on an interface";
}

def Blanks : Pass<"blanks", " mlir::ModuleOp "> {
  let summary = "Have blanks around the operation";
}

def Unknown : PassBase<"unknown", "mlir::OperationPass<my::LoopOp>"> {
  let summary = "Run on an operation of its own";
}
