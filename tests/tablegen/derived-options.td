// Options and statistics of derived classes, and records of their own.
include "mlir/Pass/PassBase.td"

class Flag<string name, string arg, string desc>
    : Option<name, arg, "bool", "false", desc> {
  string group = "flags";
}

class Sizes<string name> : ListOption<name, name, "unsigned", "Sizes"> {
  let defaultValue = "{1, 2}";
}

class Counter<string name> : Statistic<name, name, "Counts " # name> {
  int weight = 2;
}

def keepOption : Flag<"keep", "keep", "Keep all">;

def Sweep : Pass<"sweep"> {
  let summary = "Sweep";
  let options = [keepOption, Flag<"dry", "dry", "Change nothing">, Sizes<"sizes">];
  let statistics = [Counter<"swept">];
}

def Mop : Pass<"mop"> {
  let summary = "Mop";
  let options = [keepOption];
}
