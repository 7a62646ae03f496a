#include "mlir/Pass/Pass.h" // first: it is precompiled
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SaveAndRestore.h"

#include <map>

namespace arithPatterns {
static llvm::LogicalResult isPowerOfTwo(mlir::PatternRewriter &, mlir::Attribute attribute) {
  auto found = llvm::dyn_cast<mlir::IntegerAttr>(attribute);
  return llvm::success(found && found.getValue().sgt(1) && found.getValue().isPowerOf2());
}

static mlir::Attribute log2(mlir::PatternRewriter &, mlir::Attribute attribute) {
  auto found = llvm::cast<mlir::IntegerAttr>(attribute);
  return mlir::IntegerAttr::get(found.getType(), found.getValue().exactLogBase2());
}

static llvm::LogicalResult isEquality(mlir::PatternRewriter &, mlir::Attribute predicate) {
  return llvm::success(llvm::cast<mlir::IntegerAttr>(predicate).getInt() < 2);
}
} // namespace arithPatterns

namespace randomized {
/// Returns whether a constraint holds: as `is_chosen` of tests/random_patterns.py.
static llvm::LogicalResult isChosen(mlir::PatternRewriter &, mlir::PDLResultList &, llvm::ArrayRef<mlir::PDLValue> values) {
  if (values[0].isa<mlir::Operation *>())
    return llvm::success(values[0].cast<mlir::Operation *>()->getNumOperands() == 1);
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (values[0].isa<mlir::Value>())
    stream << values[0].cast<mlir::Value>().getType();
  else
    stream << values[0].cast<mlir::Attribute>();
  unsigned sum = 0;
  for (char character : text)
    sum += static_cast<unsigned char>(character);
  return llvm::success(sum % 2 == 0);
}

static std::pair<mlir::Value, mlir::Value> swap(mlir::PatternRewriter &, mlir::Value first, mlir::Value second) {
  return {second, first};
}

static mlir::Attribute keep(mlir::PatternRewriter &, mlir::Attribute attribute) { return attribute; }
} // namespace randomized

namespace mlir::ours {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#define GEN_PATTERNS_DECL
#include "arith_passes.h.inc"
#define GEN_PASS_DEF_ARITHSTRENGTHREDUCTION
#define GEN_PASS_DEF_ARITHIDENTITIES
#define GEN_PATTERNS_DEF
#define GEN_PATTERNS_PASS
#include "arith_passes.h.inc"
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#define GEN_PATTERNS_DECL
#include "rewrites_passes.h.inc"
#define GEN_PASS_DEF_REWRITES
#define GEN_PASS_DEF_REWRITESGREEDILY
#define GEN_PASS_DEF_REWRITESINXDSL
#define GEN_PATTERNS_DEF
#define GEN_PATTERNS_PASS
#include "rewrites_passes.h.inc"
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#define GEN_PATTERNS_DECL
#include "randomized_passes.h.inc"
#define GEN_PASS_DEF_RANDOMIZED
#define GEN_PATTERNS_DEF
#define GEN_PATTERNS_PASS
#include "randomized_passes.h.inc"
} // namespace mlir::ours

using namespace mlir;

using Populate = void (*)(RewritePatternSet &, llvm::function_ref<bool(StringRef)>, std::function<void(StringRef)>);

/// Applies patterns to each function as their pass does, and prints how often each is applied.
static void printCounts(ModuleOp ir, Populate populate, bool isGreedy) {
  std::map<std::string, int> counts;
  RewritePatternSet set(ir.getContext());
  populate(set, [](StringRef) { return true; }, [&](StringRef name) { ++counts[name.str()]; });
  FrozenRewritePatternSet patterns(std::move(set));
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  for (Operation &function : ir.getBody()->without_terminator()) {
    if (isGreedy)
      (void)applyPatternsGreedily(&function, patterns, config);
    else
      walkAndApplyPatterns(&function, patterns);
  }
  for (auto &[name, count] : counts)
    llvm::outs() << "// " << name << ' ' << count << '\n';
}

/// Runs the pipeline in the second argument on each module of the file in the first.
int main(int, char **arguments) {
  DialectRegistry registry;
  registry.insert<arith::ArithDialect, func::FuncDialect>();
  MLIRContext context(registry);
  context.allowUnregisteredDialects();
  ours::registerArithPasses();
  ours::registerRewritesPasses();
  ours::registerRandomizedPasses();
  StringRef pipeline = arguments[2];
  std::map<StringRef, std::pair<Populate, bool>> populates = {
      {"func.func(arith-strength-reduction)", {ours::populateArithStrengthReductionPatterns, false}},
      {"func.func(arith-identities)", {ours::populateArithIdentitiesPatterns, true}},
      {"func.func(randomized)", {ours::populateRandomizedPatterns, false}},
      {"func.func(rewrites)", {ours::populateRewritesPatterns, false}},
      {"func.func(rewrites-in-xdsl)", {ours::populateRewritesInXdslPatterns, false}},
      {"func.func(rewrites-greedily)", {ours::populateRewritesGreedilyPatterns, true}},
  };
  PassManager pm(&context);
  if (failed(parsePassPipeline(pipeline, pm, llvm::errs())))
    return 2;
  auto file = llvm::MemoryBuffer::getFile(arguments[1]);
  SmallVector<StringRef> texts;
  (*file)->getBuffer().split(texts, "// -----\n");
  for (StringRef text : texts) {
    OwningOpRef<ModuleOp> ir = parseSourceString<ModuleOp>(text, &context);
    OwningOpRef<ModuleOp> copy = ir ? ir->clone() : ModuleOp();
    if (!ir || failed(pm.run(*ir)))
      return 1;
    llvm::outs() << *ir << '\n';
    if (auto found = populates.find(pipeline); found != populates.end())
      printCounts(*copy, found->second.first, found->second.second);
    llvm::outs() << "// -----\n";
  }
  return 0;
}
