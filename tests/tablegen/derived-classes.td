// Classes derived from Pass with arguments, fields, options and statistics.
include "mlir/Pass/PassBase.td"

class Stage<string name, int number> {
  string stageName = name;
  int stageNumber = number;
}

class ProjectPass<string arg, string op, string name, int number>
    : Pass<arg, op>, Stage<name, number> {
  let options = [Option<"verbose", "verbose", "bool", "false", "Tell more">];
  let statistics = [Statistic<"numChanged", "num-changed", "Operations changed">];
  bit isPublic = 1;
  list<string> tags = ["a", "b\"c"];
  list<int> empty = [];
  int later = ?;
  code extra = [{
    // code
  }];
}

def Early : ProjectPass<"early", "ModuleOp", "front", 1> {
  let summary = "Come early";
}

def Late : ProjectPass<"late", "func::FuncOp", "back", 2> {
  let summary = "Come late";
  let isPublic = 0;
  let later = 3;
}

def Mixed : Stage<"none", 0>, Pass<"mixed"> {
  let summary = "Derive from another class first";
}
