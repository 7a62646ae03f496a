// Types from any namespace, with template arguments and commas.
include "mlir/Pass/PassBase.td"

def Types : Pass<"types"> {
  let summary = "Have many types";
  let options = [
    Option<"pair", "pair", "std::pair<int, std::vector<int>>", "{1, {2, 3}}", "A pair">,
    Option<"maybe", "maybe", "std::optional<unsigned>", "std::nullopt", "Perhaps">,
    Option<"size", "size", "::size_t", "sizeof(int)", "A size">,
    Option<"wide", "wide", "std::uint64_t", "0xFFFF'FFFF'FFFF'FFFFull", "All bits">,
    Option<"narrow", "narrow", "uint8_t", "'a'", "A character">,
    Option<"ratio", "ratio", "float", "1.5e-3f", "A ratio">,
    Option<"text", "text", "::std::string", "\"a\" \"b\\n\"", "A text">,
    Option<"spaced", "spaced", " int ", " 4 ", "With blanks">,
    Option<"mine", "mine", "my::ns::Type", "my::ns::make(1, \"x\")", "Of mine">,
    Option<"pipeline", "pipeline", "OpPassManager", "", "A pipeline">,
    ListOption<"pairs", "pairs", "std::pair<int, int>", "Pairs">,
    ListOption<"pipelines", "pipelines", "mlir::OpPassManager", "Pipelines">,
    ListOption<"paths", "paths", "std::string", "Paths", "llvm::cl::ZeroOrMore, llvm::cl::Hidden">
  ];
}
