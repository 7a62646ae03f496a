// No default, an empty string, expressions, casts, braces and comments.
include "mlir/Pass/PassBase.td"

def Defaults : Pass<"defaults"> {
  let summary = "Have many defaults";
  let options = [
    Option<"none", "none", "std::string", "", "No default">,
    Option<"emptyText", "empty", "std::string", "\"\"", "An empty text">,
    Option<"raw", "raw", "std::string", "R\"(a \\ b)\"", "A raw text">,
    Option<"called", "called", "std::string", "getDefaultTriple().str()", "A call">,
    Option<"cast", "cast", "unsigned", "static_cast<unsigned>(Level::High)", "A cast">,
    Option<"negative", "negative", "unsigned", "-1U", "All bits">,
    Option<"least", "least", "int64_t", "std::numeric_limits<int64_t>::min()", "The least">,
    Option<"most", "most", "uint64_t", "std::numeric_limits<uint64_t>::max()", "The most">,
    Option<"octal", "octal", "int32_t", "017", "Fifteen">,
    Option<"commented", "commented", "int64_t", "/*none=*/0", "With a comment">,
    Option<"braces", "braces", "int64_t", "{}", "Braces">,
    Option<"number", "number", "bool", "1", "A truth value as a number">,
    Option<"maybe", "maybe", "bool", "!getenv(\"CI\")", "A condition">,
    Option<"lines", "lines", "int64_t", [{
      compute(1,
              2)
    }], "Over several lines">,
    Option<"third", "third", "double", "1.0 / 3", "A third">,
    Option<"sameCast", "same-cast", "uint64_t", "static_cast<size_t>( -1 )", "To its type">,
    Option<"otherCast", "other-cast", "uint64_t", "static_cast<unsigned>(-1)", "To another">,
    Option<"function", "function", "int64_t", "count(1)", "No cast">,
    Option<"wrapped", "wrapped", "int32_t", "int{4} // four", "In braces">,
    Option<"off", "off", "bool", "/*on=*/ false", "A truth value with a comment">,
    Option<"infinite", "infinite", "double", "INFINITY", "No end">,
    Option<"emptyCall", "empty-call", "std::string", "std::string()", "An empty text">,
    Option<"emptyBraces", "empty-braces", "std::string", "::std::string{ }", "An empty text">,
    Option<"madeText", "made-text", "std::string", "std::string(\"a(b\")", "A text">,
    Option<"copied", "copied", "std::string", "std::string(other)", "Only C++ knows it">,
    Option<"separator", "separator", "char", "'.'", "A character">,
    Option<"newline", "newline", "char", "'\\n'", "An escaped character">,
    Option<"allBits", "all-bits", "size_t", "~static_cast<size_t>(0)", "All bits">,
    Option<"allSigned", "all-signed", "int64_t", "~0", "All bits">,
    Option<"allOfInt", "all-of-int", "uint32_t", "~0", "All bits">,
    Option<"narrowBits", "narrow-bits", "uint64_t", "~0u", "The bits of another type">,
    Option<"tristate", "tristate", "std::optional<bool>", "std::optional<bool>(true)", "An optional">,
    Option<"limit", "limit", "std::optional<int64_t>", "std::optional<int64_t>{4}", "An optional">,
    Option<"unset", "unset", "std::optional<bool>", "std::nullopt", "No value">,
    Option<"mode", "mode", "::my::Mode", "defaultMode()", "Only C++ knows which",
           [{::llvm::cl::values(clEnumValN(::my::Mode::Fast, "fast", "Fast"), clEnumValN(::my::Mode::Safe, "safe", "Safe"))}]>
  ];
}
