// Fields that mlir-tblgen does not read, and a spec cannot hold.

include "mlir/Pass/PassBase.td"
def marker;
class Base<string n> : Pass<n> {
  list<Option> baseOptions = [Option<"a", "a", "int", "1", "A">];
  list<list<string>> nested = [["a"], ["b"]];
  Option one = baseOptions[0];
  dag shape = (marker "x");
}
def P : Base<"p"> {
  let summary = "P";
  let options = baseOptions # [Option<"b", "b", "int", "2", "B">];
}
def Q : Base<"q"> {
  let summary = "Q";
  let options = baseOptions;
}
