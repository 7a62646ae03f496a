// Passes that are deprecated.
include "mlir/Pass/PassBase.td"
include "mlir/IR/Utils.td"

def Old : Pass<"old">, Deprecated<"Use 'new': it is # better"> {
  let summary = "Be old";
}

def Older : Deprecated<"Do not">, Pass<"older"> {
  let summary = "Be older";
}

def New : Pass<"new"> {
  let summary = "Be new";
}
