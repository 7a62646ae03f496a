// Option lists shared through defvar, paste, !listconcat and a record.
include "mlir/Pass/PassBase.td"

defvar loopOptions = [
  Option<"depth", "depth", "unsigned", "1", "How deep to look">,
  ListOption<"sizes", "sizes", "int64_t", "Sizes of tiles">
];

defvar debugOptions = loopOptions # [
  Option<"trace", "trace", "bool", "false", "Tell what is done">
];

def TargetOptions {
  list<Option> options = [
    Option<"triple", "triple", "std::string", [{""}], "What to compile for">
  ];
}

def TileLoops : Pass<"tile-loops"> {
  let summary = "Tile loops";
  let options = loopOptions;
}

def FuseLoops : Pass<"fuse-loops"> {
  let summary = "Fuse loops";
  let options = !listconcat(debugOptions, [
    Option<"greedy", "greedy", "bool", "true", "Whether to fuse all">
  ]);
}

def LowerLoops : Pass<"lower-loops"> {
  let summary = "Lower loops";
  let options = [Option<"first", "first", "bool", "", "What comes first">]
    # TargetOptions.options;
}

def EmitLoops : Pass<"emit-loops"> {
  let summary = "Emit loops";
  let options = TargetOptions.options # loopOptions;
}

def PeelLoops : Pass<"peel-loops"> {
  let summary = "Take a list twice";
  let options = loopOptions # loopOptions;
}
