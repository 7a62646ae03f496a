// Passes that are deprecated.
include "mlir/Pass/PassBase.td"
include "mlir/IR/Utils.td"

def Old : Pass<"old">, Deprecated<"Use 'new': it is # better"> {
  let summary = "Be old";
}

def Older : Deprecated<"Do not">, Pass<"older"> {
  let summary = "Be older";
}

class OldOption<string name, string reason>
    : Option<name, name, "int", "1", "Old">, Deprecated<reason>;

def Newer : Pass<"newer"> {
  let summary = "Have options that are deprecated";
  let options = [OldOption<"factor", "Use 'unroll-factor'">];
}

def OldList : ListOption<"sizes", "sizes", "int64_t", "Old">, Deprecated<"Do not">;

def Newest : Pass<"newest"> {
  let summary = "Have a list that is deprecated";
  let options = [OldList];
}

def New : Pass<"new"> {
  let summary = "Be new";
}
