// Passes that a multiclass and a loop define.
include "mlir/Pass/PassBase.td"

multiclass Lowering<string name> {
  def Lower : Pass<"lower-" # name> {
    let summary = "Lower " # name;
  }
  def Raise : Pass<"raise-" # name> {
    let summary = "Raise " # name;
  }
}

defm Scf : Lowering<"scf">;
defm Affine : Lowering<"affine">;

foreach level = [1, 2] in {
  def Optimize#level : Pass<"optimize-" # level> {
    let summary = "Optimize at level " # level;
    let options = [Option<"rounds", "rounds", "unsigned", !cast<string>(level), "How often">];
  }
}
