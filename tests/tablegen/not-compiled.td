// What mlir-tblgen makes C++ of that no compiler takes.
include "mlir/Pass/PassBase.td"

def Ends : Pass<"ends"> {
  let summary = "End )PD\" early";
  let options = [Option<"first", "first", "bool", "", "End )PO\" early">];
  let statistics = [Statistic<"second", "second", "End )PS\" early">];
}

def Twice : Pass<"twice"> {
  let summary = "Define a member twice";
  let options = [Option<"count", "count", "unsigned", "", "To count to">];
  let statistics = [Statistic<"count", "count", "What was counted">];
}
