"""The passes of LLVM 22's MLIR: what each is called, and what it is restricted to.

The bindings cannot tell. A pass that is not here runs as well: it is called by its
argument, and finds out where it cannot run when it does.
"""

from __future__ import annotations

from functools import cache
from typing import Final, NamedTuple

SYMBOL_TABLE: Final = "SymbolTable"
_NOT: Final = "not "
_ONLY: Final = "only "


class NativePassInfo(NamedTuple):
    """What is known of a pass of MLIR beside its argument."""

    name: str
    """The name of its class, which reports show."""

    anchor: str | None = None
    """The operation that it is restricted to."""

    interface: str | None = None
    """The interface or trait that its operations must have."""

    unfit: str | None = None
    """The operation that MLIR ends the process for, if the pass runs on it."""

    is_narrowed: bool = False
    """Whether MLIR knows nothing of `anchor`, and ends the process elsewhere."""

    @property
    def is_dangerous(self) -> bool:
        """Whether MLIR ends the process for some operation that it runs the pass on."""
        return self.is_narrowed or self.unfit is not None

    def endangers(self, operation: str) -> bool:
        """Return whether MLIR may end the process if the pass runs on `operation`."""
        return operation == self.unfit or (
            self.is_narrowed and operation != self.anchor
        )

    @property
    def may_meet_any(self) -> bool:
        """Whether MLIR itself keeps the pass from operations that it cannot run on."""
        return not self.is_dangerous and self.interface != SYMBOL_TABLE


@cache
def known_passes() -> dict[str, NativePassInfo]:
    """Return the passes by argument."""
    passes: dict[str, NativePassInfo] = {}
    for restriction, text in _PASSES.items():
        is_denied = restriction.startswith(_NOT)
        is_narrowed = restriction.startswith(_ONLY)
        what = restriction.removeprefix(_NOT).removeprefix(_ONLY)
        anchor = what if "." in what and not is_denied else None
        interface = what if what and "." not in what else None
        unfit = what if is_denied else None
        words = iter(text.split())
        for argument, name in zip(words, words, strict=True):
            passes[argument] = NativePassInfo(
                name, anchor, interface, unfit, is_narrowed
            )
    return passes


_PASSES: Final = {
    "": """
        affine-expand-index-ops AffineExpandIndexOps
        affine-expand-index-ops-as-affine AffineExpandIndexOpsAsAffine
        affine-fold-memref-alias-ops AffineFoldMemRefAliasOps
        affine-loop-fusion AffineLoopFusion
        amdgpu-emulate-atomics AmdgpuEmulateAtomicsPass
        amdgpu-fold-memrefs-ops AmdgpuFoldMemRefOpsPass
        amdgpu-maskedload-to-load AmdgpuMaskedloadToLoadPass
        amdgpu-resolve-strided-metadata AmdgpuResolveStridedMetadataPass
        arith-emulate-unsupported-floats ArithEmulateUnsupportedFloats
        arith-emulate-wide-int ArithEmulateWideInt
        arith-expand ArithExpandOpsPass
        arith-int-range-narrowing ArithIntRangeNarrowing
        arith-unsigned-when-equivalent ArithUnsignedWhenEquivalentPass
        arm-neon-2d-to-intr ConvertArmNeon2dToIntrPass
        async-runtime-policy-based-ref-counting AsyncRuntimePolicyBasedRefCountingPass
        async-runtime-ref-counting AsyncRuntimeRefCountingPass
        async-runtime-ref-counting-opt AsyncRuntimeRefCountingOptPass
        bubble-down-memory-space-casts BubbleDownMemorySpaceCasts
        buffer-deallocation-simplification BufferDeallocationSimplificationPass
        bufferization-lower-deallocations LowerDeallocationsPass
        canonicalize Canonicalizer
        composite-fixed-point-pass CompositeFixedPointPass
        control-flow-sink ControlFlowSink
        convert-amdgpu-to-rocdl ConvertAMDGPUToROCDLPass
        convert-arith-to-amdgpu ArithToAMDGPUConversionPass
        convert-arith-to-arm-sme ArithToArmSMEConversionPass
        convert-arith-to-emitc ConvertArithToEmitC
        convert-arith-to-llvm ArithToLLVMConversionPass
        convert-arith-to-spirv ConvertArithToSPIRVPass
        convert-arm-sme-to-scf ConvertArmSMEToSCFPass
        convert-bufferization-to-memref ConvertBufferizationToMemRefPass
        convert-cf-to-spirv ConvertControlFlowToSPIRVPass
        convert-complex-to-llvm ConvertComplexToLLVMPass
        convert-complex-to-spirv ConvertComplexToSPIRVPass
        convert-complex-to-standard ConvertComplexToStandardPass
        convert-elementwise-to-linalg ConvertElementwiseToLinalgPass
        convert-index-to-llvm ConvertIndexToLLVMPass
        convert-index-to-spirv ConvertIndexToSPIRVPass
        convert-linalg-to-affine-loops ConvertLinalgToAffineLoopsPass
        convert-linalg-to-loops ConvertLinalgToLoopsPass
        convert-linalg-to-parallel-loops ConvertLinalgToParallelLoopsPass
        convert-math-to-emitc ConvertMathToEmitC
        convert-math-to-llvm ConvertMathToLLVMPass
        convert-math-to-spirv ConvertMathToSPIRVPass
        convert-math-to-xevm ConvertMathToXeVM
        convert-memref-to-spirv ConvertMemRefToSPIRVPass
        convert-nvgpu-to-nvvm ConvertNVGPUToNVVMPass
        convert-nvvm-to-llvm ConvertNVVMToLLVMPass
        convert-parallel-loops-to-gpu ConvertParallelLoopToGpuPass
        convert-scf-to-cf SCFToControlFlowPass
        convert-scf-to-emitc SCFToEmitC
        convert-shape-constraints ConvertShapeConstraintsPass
        convert-shard-to-mpi ConvertShardToMPIPass
        convert-ub-to-llvm UBToLLVMConversionPass
        convert-ub-to-spirv UBToSPIRVConversionPass
        convert-vector-to-amx ConvertVectorToAMX
        convert-vector-to-arm-sme ConvertVectorToArmSMEPass
        convert-vector-to-gpu ConvertVectorToGPU
        convert-vector-to-llvm ConvertVectorToLLVMPass
        convert-vector-to-scf ConvertVectorToSCF
        convert-vector-to-spirv ConvertVectorToSPIRVPass
        convert-vector-to-xegpu ConvertVectorToXeGPU
        convert-xegpu-to-xevm ConvertXeGPUToXeVMPass
        convert-xevm-to-llvm ConvertXeVMToLLVMPass
        cse CSE
        eliminate-empty-tensors EmptyTensorEliminationPass
        empty-tensor-to-alloc-tensor EmptyTensorToAllocTensorPass
        expand-realloc ExpandReallocPass
        expand-strided-metadata ExpandStridedMetadataPass
        flatten-memref FlattenMemrefsPass
        fold-memref-alias-ops FoldMemRefAliasOpsPass
        fold-tensor-subset-ops FoldTensorSubsetOpsPass
        form-expressions FormExpressionsPass
        generate-runtime-verification GenerateRuntimeVerification
        gpu-decompose-memrefs GpuDecomposeMemrefsPass
        gpu-launch-sink-index-computations GpuLaunchSinkIndexComputationsPass
        gpu-module-to-binary GpuModuleToBinaryPass
        int-range-optimizations ArithIntRangeOpts
        lift-cf-to-scf LiftControlFlowToSCFPass
        linalg-block-pack-matmul LinalgBlockPackMatmul
        linalg-fold-into-elementwise LinalgFoldIntoElementwisePass
        linalg-fold-unit-extent-dims LinalgFoldUnitExtentDimsPass
        linalg-fuse-elementwise-ops LinalgElementwiseOpFusionPass
        linalg-generalize-named-ops LinalgGeneralizeNamedOpsPass
        linalg-inline-scalar-operands LinalgInlineScalarOperandsPass
        linalg-morph-ops LinalgMorphOpsPass
        linalg-specialize-generic-ops LinalgSpecializeGenericOpsPass
        llvm-legalize-for-export LLVMLegalizeForExportPass
        llvm-optimize-for-nvvm-target NVVMOptimizeForTargetPass
        llvm-target-to-data-layout LLVMTargetToDataLayout
        llvm-target-to-target-features LLVMTargetToTargetFeatures
        loop-invariant-code-motion LoopInvariantCodeMotion
        loop-invariant-subset-hoisting LoopInvariantSubsetHoisting
        lower-affine LowerAffinePass
        map-memref-spirv-storage-class MapMemRefStorageClass
        math-expand-ops MathExpandOpsPass
        math-extend-to-supported-types MathExtendToSupportedTypes
        math-sincos-fusion MathSincosFusionPass
        math-uplift-to-fma MathUpliftToFMA
        mem2reg Mem2Reg
        memref-emulate-wide-int MemRefEmulateWideInt
        memref-expand ExpandOpsPass
        nvgpu-optimize-shared-memory OptimizeSharedMemory
        nvvm-attach-target GpuNVVMAttachTarget
        ownership-based-buffer-deallocation OwnershipBasedBufferDeallocationPass
        print-ir PrintIRPass
        print-op-stats PrintOpStats
        reconcile-unrealized-casts ReconcileUnrealizedCastsPass
        reify-result-shapes ReifyResultShapesPass
        remove-dead-values RemoveDeadValues
        resolve-ranked-shaped-type-result-dims ResolveRankedShapeTypeResultDimsPass
        resolve-shaped-type-result-dims ResolveShapedTypeResultDimsPass
        rocdl-attach-target GpuROCDLAttachTarget
        sccp SCCP
        scf-for-loop-canonicalization SCFForLoopCanonicalization
        scf-for-loop-peeling SCFForLoopPeeling
        scf-for-loop-range-folding SCFForLoopRangeFolding
        scf-for-loop-specialization SCFForLoopSpecialization
        scf-for-to-while SCFForToWhileLoop
        scf-forall-to-for SCFForallToForLoop
        scf-forall-to-parallel SCFForallToParallelLoop
        scf-parallel-for-to-nested-fors SCFParallelForToNestedFors
        scf-parallel-loop-fusion SCFParallelLoopFusion
        scf-parallel-loop-specialization SCFParallelLoopSpecialization
        scf-parallel-loop-tiling SCFParallelLoopTiling
        simplify-depthwise-conv SimplifyDepthwiseConvPass
        snapshot-op-locations LocationSnapshot
        spirv-attach-target GpuSPIRVAttachTarget
        spirv-canonicalize-gl SPIRVCanonicalizeGLPass
        sroa SROA
        strip-debuginfo StripDebugInfo
        symbol-privatize SymbolPrivatize
        topological-sort TopologicalSort
        tosa-to-arith TosaToArithPass
        tosa-to-scf TosaToSCFPass
        tosa-to-tensor TosaToTensorPass
        transform-dialect-check-uses CheckUsesPass
        transform-infer-effects InferEffectsPass
        transform-interpreter InterpreterPass
        transform-preload-library PreloadLibraryPass
        view-op-graph ViewOpGraph
        wrap-emitc-func-in-class WrapFuncInClassPass
        xegpu-blocking XeGPUBlocking
        xegpu-fold-alias-ops XeGPUFoldAliasOps
        xegpu-optimize-block-loads XeGPUOptimizeBlockLoads
        xegpu-propagate-layout XeGPUPropagateLayout
        xegpu-subgroup-distribute XeGPUSubgroupDistribute
        xegpu-vector-linearize XeGPUVectorLinearize
        xegpu-wg-to-sg-distribute XeGPUWgToSgDistribute
        xevm-attach-target GpuXeVMAttachTarget
    """,
    "SymbolTable": """
        inline Inliner
        symbol-dce SymbolDCE
    """,
    "only builtin.module": """
        strip-func-quant-types StripFuncQuantTypes
    """,
    "only func.func": """
        shard-partition Partition
    """,
    "not func.func": """
        convert-func-to-spirv ConvertFuncToSPIRVPass
        convert-scf-to-spirv SCFToSPIRV
        convert-tensor-to-spirv ConvertTensorToSPIRVPass
        convert-to-emitc ConvertToEmitC
        convert-to-llvm ConvertToLLVMPass
    """,
    "FunctionOpInterface": """
        affine-loop-unroll AffineLoopUnroll
        affine-loop-unroll-jam AffineLoopUnrollAndJam
        affine-simplify-min-max SimplifyAffineMinMaxPass
        convert-affine-for-to-gpu ConvertAffineForToGPUPass
        convert-arm-sme-to-llvm ConvertArmSMEToLLVM
        linalg-detensorize LinalgDetensorizePass
        sharding-propagation ShardingPropagation
        tosa-to-linalg TosaToLinalg
        tosa-to-linalg-named TosaToLinalgNamed
    """,
    "builtin.module": """
        acc-implicit-data ACCImplicitData
        acc-implicit-declare ACCImplicitDeclare
        acc-implicit-routine ACCImplicitRoutine
        arm-sme-vector-legalization VectorLegalization
        async-func-to-async-runtime AsyncFuncToAsyncRuntimePass
        async-parallel-for AsyncParallelForPass
        async-to-async-runtime AsyncToAsyncRuntimePass
        buffer-results-to-out-params BufferResultsToOutParamsPass
        convert-arith-to-apfloat ArithToAPFloatConversionPass
        convert-async-to-llvm ConvertAsyncToLLVMPass
        convert-cf-to-llvm ConvertControlFlowToLLVMPass
        convert-complex-to-libm ConvertComplexToLibm
        convert-complex-to-rocdl-library-calls ConvertComplexToROCDLLibraryCalls
        convert-func-to-emitc ConvertFuncToEmitC
        convert-func-to-llvm ConvertFuncToLLVMPass
        convert-gpu-to-spirv ConvertGPUToSPIRV
        convert-linalg-to-std ConvertLinalgToStandardPass
        convert-math-to-apfloat MathToAPFloatConversionPass
        convert-math-to-funcs ConvertMathToFuncs
        convert-math-to-libm ConvertMathToLibmPass
        convert-math-to-rocdl ConvertMathToROCDL
        convert-memref-to-emitc ConvertMemRefToEmitC
        convert-openacc-to-scf ConvertOpenACCToSCFPass
        convert-openmp-to-llvm ConvertOpenMPToLLVMPass
        convert-pdl-to-pdl-interp ConvertPDLToPDLInterpPass
        convert-scf-to-openmp ConvertSCFToOpenMPPass
        convert-shape-to-std ConvertShapeToStandardPass
        convert-spirv-to-llvm ConvertSPIRVToLLVMPass
        convert-tensor-to-linalg ConvertTensorToLinalgPass
        decorate-spirv-composite-type-layout SPIRVCompositeTypeLayoutPass
        drop-equivalent-buffer-results DropEquivalentBufferResultsPass
        duplicate-function-elimination DuplicateFunctionEliminationPass
        ensure-debug-info-scope-on-llvm-func DIScopeForLLVMFuncOpPass
        finalize-memref-to-llvm FinalizeMemRefToLLVMConversionPass
        gpu-kernel-outlining GpuKernelOutliningPass
        gpu-to-llvm GpuToLLVMConversionPass
        llvm-add-comdats LLVMAddComdats
        llvm-use-default-visibility LLVMUseDefaultVisibilityPass
        lower-host-to-llvm LowerHostCodeToLLVMPass
        lower-sparse-ops-to-foreach LowerSparseOpsToForeach
        mlprogram-pipeline-globals MLProgramPipelineGlobalsPass
        normalize-memrefs NormalizeMemRefsPass
        omp-offload-privatization-prepare PrepareForOMPOffloadPrivatizationPass
        one-shot-bufferize OneShotBufferizePass
        outline-shape-computation OutlineShapeComputationPass
        pre-sparsification-rewrite PreSparsificationRewrite
        set-llvm-module-datalayout SetLLVMModuleDataLayoutPass
        sparse-assembler SparseAssembler
        sparse-buffer-rewrite SparseBufferRewrite
        sparse-gpu-codegen SparseGPUCodegen
        sparse-reinterpret-map SparseReinterpretMap
        sparse-storage-specifier-to-llvm StorageSpecifierToLLVM
        sparse-tensor-codegen SparseTensorCodegen
        sparse-tensor-conversion SparseTensorConversionPass
        sparse-vectorization SparseVectorization
        sparsification SparsificationPass
        sparsification-and-bufferization SparsificationAndBufferization
        tosa-attach-target TosaAttachTarget
        tosa-to-mlprogram TosaToMLProgram
        tosa-validate TosaValidation
    """,
    "func.func": """
        acc-if-clause-lowering ACCIfClauseLowering
        acc-legalize-serial ACCLegalizeSerial
        acc-loop-tiling ACCLoopTiling
        acc-specialize-for-device ACCSpecializeForDevice
        acc-specialize-for-host ACCSpecializeForHost
        affine-data-copy-generate AffineDataCopyGeneration
        affine-loop-coalescing LoopCoalescing
        affine-loop-invariant-code-motion AffineLoopInvariantCodeMotion
        affine-loop-normalize AffineLoopNormalize
        affine-loop-tile AffineLoopTiling
        affine-parallelize AffineParallelize
        affine-pipeline-data-transfer AffinePipelineDataTransfer
        affine-raise-from-memref RaiseMemrefDialect
        affine-scalrep AffineScalarReplacement
        affine-simplify-structures SimplifyAffineStructures
        affine-super-vectorize AffineVectorize
        arm-sme-outer-product-fusion OuterProductFusion
        arm-sve-legalize-vector-storage LegalizeVectorStorage
        buffer-hoisting BufferHoistingPass
        buffer-loop-hoisting BufferLoopHoistingPass
        enable-arm-streaming EnableArmStreaming
        gpu-async-region GpuAsyncRegionPass
        gpu-eliminate-barriers GpuEliminateBarriers
        gpu-map-parallel-loops GpuMapParallelLoopsPass
        llvm-request-c-wrappers LLVMRequestCWrappersPass
        lower-quant-ops LowerQuantOps
        lower-sparse-foreach-to-scf LowerForeachToSCF
        lower-sparse-iteration-to-scf LowerSparseIterationToSCF
        lower-vector-mask LowerVectorMaskPass
        lower-vector-multi-reduction LowerVectorMultiReduction
        lower-vector-to-from-elements-to-shuffle-tree
        LowerVectorToFromElementsToShuffleTree
        normalize-quant-types NormalizeQuantTypes
        offload-livein-value-canonicalization OffloadLiveInValueCanonicalization
        openacc-legalize-data-values LegalizeDataValuesInRegion
        optimize-allocation-liveness OptimizeAllocationLivenessPass
        promote-buffers-to-stack PromoteBuffersToStackPass
        remove-shape-constraints RemoveShapeConstraintsPass
        shape-to-shape-lowering ShapeToShapeLoweringPass
        sparse-space-collapse SparseSpaceCollapse
        stage-sparse-ops StageSparseOperations
        tosa-arith-const-to-tosa-const TosaArithConstantToTosaConstPass
        tosa-convert-integer-type-to-signless TosaConvertIntegerTypeToSignless
        tosa-infer-shapes TosaInferShapesPass
        tosa-layerwise-constant-fold TosaLayerwiseConstantFoldPass
        tosa-make-broadcastable TosaMakeBroadcastablePass
        tosa-narrow-f64-to-f32 TosaNarrowF64ToF32Pass
        tosa-narrow-i64-to-i32 TosaNarrowI64ToI32Pass
        tosa-optional-decompositions TosaOptionalDecompositionsPass
        tosa-reduce-transposes TosaReduceTransposes
    """,
    "gpu.module": """
        convert-gpu-to-llvm-spv ConvertGpuOpsToLLVMSPVOps
        convert-gpu-to-nvvm ConvertGpuOpsToNVVMOps
        convert-gpu-to-rocdl ConvertGpuOpsToROCDLOps
    """,
    "spirv.module": """
        spirv-lower-abi-attrs SPIRVLowerABIAttributesPass
        spirv-promote-to-replicated-constants SPIRVReplicatedConstantCompositePass
        spirv-rewrite-inserts SPIRVRewriteInsertsPass
        spirv-unify-aliased-resource SPIRVUnifyAliasedResourcePass
        spirv-update-vce SPIRVUpdateVCEPass
        spirv-webgpu-prepare SPIRVWebGPUPreparePass
    """,
}
"""Arguments and names, by the operation, interface or trait that the passes need.

Conversions that replace functions look for what is around them, and must not begin at
one. What begins with `only` needs more than MLIR's pass says.
"""
