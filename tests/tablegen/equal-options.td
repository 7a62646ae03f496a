// Options that two passes merely have alike stay with them.
include "mlir/Pass/PassBase.td"

def First : Pass<"first"> {
  let summary = "Come first";
  let options = [Option<"count", "count", "unsigned", "0", "How many">];
}

def Second : Pass<"second"> {
  let summary = "Come second";
  let options = [Option<"count", "count", "unsigned", "0", "How many">];
}
