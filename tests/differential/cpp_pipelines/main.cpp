// Passes that do nothing, and a tool that prints pipelines: without arguments, a line of
// output for each line of input; with arguments, `mlir-opt`.
#include "mlir/Pass/Pass.h" // first: it is precompiled
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/Format.h"
#include <iostream>
#include <limits>
// The dialects alone: headers with their operations take seconds to compile.
#include "mlir/Dialect/Affine/IR/AffineOpsDialect.h.inc"
#include "mlir/Dialect/Arith/IR/ArithOpsDialect.h.inc"
#include "mlir/Dialect/MemRef/IR/MemRefOpsDialect.h.inc"
#include "mlir/Dialect/SCF/IR/SCFOpsDialect.h.inc"

namespace mlir::outside {
#define GEN_PASS_DECL
#include "outside_passes.h.inc"

#define PASS(NAME, ...)                                                                \
  struct NAME : impl::NAME##Base<NAME> {                                               \
    using Base::Base;                                                                  \
    void runOnOperation() override {}                                                  \
  };
#define GEN_PASS_DEF_ONANY
#define GEN_PASS_DEF_FOREIGN
#include "outside_passes.h.inc"
PASS(OnAny)
PASS(Foreign)
#define GEN_PASS_REGISTRATION
#include "outside_passes.h.inc"
} // namespace mlir::outside

namespace mlir::shown {
std::unique_ptr<Pass> createMadePass();
#define GEN_PASS_DECL
#define GEN_PIPELINE_DECL
#include "shown_passes.h.inc"

#define GEN_PASS_DEF_PLAIN
#define GEN_PASS_DEF_ONFUNC
#define GEN_PASS_DEF_UNKNOWN
#define GEN_PASS_DEF_SCALARS
#define GEN_PASS_DEF_LISTS
#define GEN_PASS_DEF_MADE
#define GEN_PASS_DEF_OTHER
#define GEN_PASS_DEF_WIDE
#define GEN_PASS_DEF_MAYBE
#define GEN_PIPELINE_DEF
#include "shown_passes.h.inc"
PASS(Plain)
PASS(OnFunc)
PASS(Unknown)
PASS(Scalars)
PASS(Lists)
PASS(Made)
PASS(Other)
PASS(Wide)
PASS(Maybe)
std::unique_ptr<Pass> createMadePass() { return std::make_unique<Made>(); }

#define GEN_PASS_REGISTRATION
#define GEN_PIPELINE_REGISTRATION
#include "shown_passes.h.inc"
} // namespace mlir::shown

int main(int argc, char **argv) {
  mlir::registerTransformsPasses();
  mlir::outside::registerOutsidePasses();
  mlir::shown::registerShownPasses();
  mlir::shown::registerShownPipelines();
  if (argc > 1) {
    mlir::DialectRegistry registry;
    registry.insert<mlir::affine::AffineDialect, mlir::arith::ArithDialect,
                    mlir::func::FuncDialect, mlir::memref::MemRefDialect,
                    mlir::scf::SCFDialect>();
    return failed(mlir::MlirOptMain(argc, argv, "shown-opt", registry));
  }
  for (std::string line; std::getline(std::cin, line);) {
    std::string errors, printed;
    llvm::raw_string_ostream error(errors), print(printed);
    auto pipeline = mlir::parsePassPipeline(line, error);
    if (succeeded(pipeline))
      pipeline->printAsTextualPipeline(print);
    llvm::StringRef message = llvm::StringRef(errors).split('\n').first;
    llvm::outs() << (succeeded(pipeline) ? printed : message.str()) << '\n';
  }
}
