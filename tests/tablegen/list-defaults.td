// Defaults of lists, which are flags in TableGen.

include "mlir/Pass/PassBase.td"

def TileLoops : Pass<"tile-loops"> {
  let summary = "Tile loops";
  let options = [
    ListOption<"sizes", "sizes", "int64_t", "Tile sizes.",
               "llvm::cl::list_init<int64_t>({32, 32})">,
    ListOption<"names", "names", "std::string", "Names, one with a comma.",
               "llvm::cl::list_init<std::string>({\"a,b\", \"c\"})">,
    ListOption<"flags", "flags", "bool", "Spelled otherwise.",
               "::llvm::cl::list_init<bool>( { true,false, } )">,
    ListOption<"ratios", "ratios", "double", "Of an `ArrayRef`.",
               "llvm::cl::list_init<double>(llvm::ArrayRef<double>{1, .5})">,
    ListOption<"many", "many", "unsigned", "With another flag.",
               "llvm::cl::list_init<unsigned>({1u, 2u}), llvm::cl::ZeroOrMore">,
    ListOption<"kinds", "kinds", "::my::Kind", "Of an enum.",
               [{llvm::cl::list_init<::my::Kind>({::my::Kind::Fast, ::my::Kind::Safe}), ::llvm::cl::values(clEnumValN(::my::Kind::Fast, "fast", "Fast"), clEnumValN(::my::Kind::Safe, "safe", "Safe"))}]>,
    ListOption<"known", "known", "int64_t", "Only C++ knows it.",
               "llvm::cl::list_init<int64_t>({kSize, 32})">,
    ListOption<"called", "called", "int64_t", "Only C++ knows it.",
               "llvm::cl::list_init<int64_t>(sizes())">,
    ListOption<"empty", "empty", "int64_t", "Empty.",
               "llvm::cl::list_init<int64_t>({})">,
  ];
}
