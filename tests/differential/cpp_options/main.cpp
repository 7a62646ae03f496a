// Prints the options in each line of input, `wide int32=1`: the struct that the generated
// function returns, or "refused"; whether MLIR's parser accepts them for the pass; and the
// pipeline that MLIR then prints.
#include "mlir/Pass/Pass.h" // first: it is precompiled
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/Format.h"
#include <iostream>
#include <limits>
#include <optional>

#ifdef HAS_OWN_PARSER // of the author, to which the generated one gives way
#define PASSGEN_OPTIONAL_PARSER
namespace mlir::parsed {
enum class MaybeMode;
enum class MaybeKind;
enum class MaybeNoneKind;
llvm::raw_ostream &operator<<(llvm::raw_ostream &stream, MaybeMode value) {
  return stream << (int(value) ? "slow" : "fast");
}
llvm::raw_ostream &operator<<(llvm::raw_ostream &stream, MaybeKind value) {
  return stream << (int(value) ? "some" : "all");
}
llvm::raw_ostream &operator<<(llvm::raw_ostream &stream, MaybeNoneKind value) {
  return stream << (int(value) ? "None" : "all");
}
} // namespace mlir::parsed
namespace llvm::cl {
template <typename T>
class parser<std::optional<T>> : public basic_parser<std::optional<T>> {
public:
  parser(Option &option) : basic_parser<std::optional<T>>(option), values(option) {}
  ValueExpected getValueExpectedFlagDefault() const {
    return values.getValueExpectedFlagDefault();
  }
  template <typename V>
  void addLiteralOption(StringRef name, const V &value, StringRef help) {
    values.addLiteralOption(name, value, help);
  }
  bool parse(Option &option, StringRef name, StringRef text, std::optional<T> &value) {
    value.reset();
    return text != "None" && values.parse(option, name, text, value.emplace());
  }
  void printOptionDiff(const Option &option, const std::optional<T> &,
                       const OptionValue<std::optional<T>> &, size_t width) const {
    this->printOptionName(option, width);
  }

private:
  parser<T> values;
};
} // namespace llvm::cl
#endif // HAS_OWN_PARSER

#define GEN_OPTIONAL_PARSER
#include "parsed_passes.h.inc"
#define GEN_OPTIONAL_PARSER
#include "other_passes.h.inc"

namespace mlir::parsed {
#define GEN_PASS_DECL
#define GEN_OPTIONS_PARSER_DECL
#include "parsed_passes.h.inc"
} // namespace mlir::parsed

namespace mlir::parsed {
#define GEN_PASS_DEF_FLAGS
#define GEN_PASS_DEF_SMALL
#define GEN_PASS_DEF_WIDE
#define GEN_PASS_DEF_NUMBERS
#define GEN_PASS_DEF_TEXTS
#define GEN_PASS_DEF_MODES
#define GEN_PASS_DEF_INTEGERLISTS
#define GEN_PASS_DEF_OTHERLISTS
#define GEN_PASS_DEF_REQUIRED
#define GEN_PASS_DEF_MAYBENUMBERS
#define GEN_PASS_DEF_MAYBEMODES
#define GEN_PASS_DEF_MAYBENONE
#define GEN_PASS_DEF_MAYBETEXTS
#define GEN_OPTIONS_PARSER_DEF
#include "parsed_passes.h.inc"

template <typename T>
void show(const T &value) {
  if constexpr (std::is_enum_v<T>)
    llvm::outs() << "value " << int(value) << ';';
  else if constexpr (std::is_floating_point_v<T>)
    llvm::outs() << llvm::format("%.17g", double(value)) << ';';
  else
    llvm::outs() << value << ';';
}
template <typename T>
void show(const std::optional<T> &value) {
  if (value)
    show(*value);
  else
    llvm::outs() << "unset;";
}
template <typename T>
void show(const llvm::SmallVector<T> &values) {
  llvm::outs() << '[';
  for (const T &value : values)
    show(value);
  llvm::outs() << "];";
}

template <typename... Fields>
void showAll(const Fields &...fields) {
  (show(fields), ...);
}

#define PASS(NAME, ARGUMENT, ...)                                                      \
  struct NAME : impl::NAME##Base<NAME> {                                               \
    using Base::Base;                                                                  \
    void runOnOperation() override {}                                                  \
  };                                                                                   \
  bool show##NAME(llvm::StringRef argument, llvm::StringRef text, std::string &error) {  \
    if (argument != ARGUMENT)                                                          \
      return false;                                                                    \
    auto parsed = parse##NAME##Options(text, [&](const llvm::Twine &message) {         \
      error += message.str();                                                          \
      return success();                                                                \
    });                                                                                \
    if (succeeded(parsed)) {                                                           \
      auto &[__VA_ARGS__] = *parsed;                                                   \
      showAll(__VA_ARGS__);                                                            \
    }                                                                                  \
    return true;                                                                       \
  }
PASS(Flags, "flags", one, two)
PASS(Small, "small", one, two, three, four)
PASS(Wide, "wide", one, two, three, four)
PASS(Numbers, "numbers", one, two)
PASS(Texts, "texts", one, two, three)
PASS(Modes, "modes", one, two)
PASS(IntegerLists, "integer-lists", one, two)
PASS(OtherLists, "other-lists", one, two)
PASS(Required, "required", one, two, three)
PASS(MaybeNumbers, "maybe-numbers", one, two, three, four)
PASS(MaybeModes, "maybe-modes", one, two)
PASS(MaybeNone, "maybe-none", one)
PASS(MaybeTexts, "maybe-texts", one, two)

#define GEN_PASS_REGISTRATION
#include "parsed_passes.h.inc"
} // namespace mlir::parsed

int main() {
  using namespace mlir::parsed;
  registerParsedPasses();
  for (std::string line; std::getline(std::cin, line);) {
    auto [argument, text] = llvm::StringRef(line).split(' ');
    std::string error, ignored, printed;
    bool isShown = showFlags(argument, text, error) || showSmall(argument, text, error) ||
                   showWide(argument, text, error) || showNumbers(argument, text, error) ||
                   showTexts(argument, text, error) || showModes(argument, text, error) ||
                   showIntegerLists(argument, text, error) ||
                   showOtherLists(argument, text, error) ||
                   showRequired(argument, text, error) ||
                   showMaybeNumbers(argument, text, error) ||
                   showMaybeModes(argument, text, error) ||
                   showMaybeNone(argument, text, error) ||
                   showMaybeTexts(argument, text, error);
    assert(isShown);
    (void)isShown;
    llvm::raw_string_ostream errors(ignored), stream(printed);
    mlir::OpPassManager manager;
    auto fail = [&](const llvm::Twine &) { return mlir::failure(); };
    const mlir::PassInfo *info = mlir::PassInfo::lookup(argument);
    if (succeeded(info->addToPipeline(manager, text, fail)))
      manager.printAsTextualPipeline(stream);
    llvm::outs() << '\t' << error << '\t' << printed << '\n';
  }
}
