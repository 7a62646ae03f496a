// Names and arguments that a spec of our own does not have.
include "mlir/Pass/PassBase.td"

def same_argument : Pass<"same"> {
  let summary = "Share an argument";
}

def SameArgument : Pass<"same"> {
  let summary = "Share an argument, and a name but for its case";
}

def Trailing_ : Pass<"trailing"> {
  let summary = "End in an underscore";
  let options = [
    Option<"trailing_", "trailing", "bool", "false", "As members are named">,
    Option<"CamelCase", "camel case", "bool", "false", "A blank in the argument">,
    Option<"default_", "default", "bool", "false", "A keyword with its underscore">,
    Option<"lambda", "lambda", "bool", "false", "A keyword elsewhere">,
    Option<"parse", "parse", "bool", "false", "What options have">,
    Option<"tile_size", "tile-size", "unsigned", "1", "With an underscore">,
    Option<"tileSize", "tile-size", "unsigned", "1", "The same but for it">,
    Option<"LLVMTarget", "target", "std::string", "", "An acronym">
  ];
  let statistics = [
    Statistic<"num_ops", "number of ops (all)", "Operations">,
    Statistic<"NumOps", "", "Operations again">,
    Statistic<"options", "café #1: a", "What passes have">,
    Statistic<"quoted", [{say \"hi\"}], "Escaped as C++ wants it">,
    Statistic<"unescaped", [{say "hi"}], "Not escaped">,
    Statistic<"again", "number of ops (all)", "The same name">
  ];
}

def empty : Pass<""> {
  let summary = "Have no argument";
}

def Any : Pass<"any"> {
  let summary = "Be called as an anchor is";
}

def Foo : Pass<"foo"> {
  let summary = "Come before FooPass";
}

def FooPass : Pass<"foo-pass"> {
  let summary = "Come after Foo";
}
