"""Generated modules work with the runtime: import, register, and run by their docs."""

from __future__ import annotations

import copy
import dataclasses
import importlib.util
import re
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import cast, get_type_hints

import pytest
from xdsl.dialects.builtin import ModuleOp

from passgen_runtime import (
    BOOL,
    STRING,
    OperationPass,
    PassManager,
    PassOptionError,
    PassOptions,
    PassRegistry,
    PipelineError,
    SchedulingError,
    list_option,
    option,
    parse_pass_pipeline,
)
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.operation_pass.operation_pass import Pass
from passgen_runtime.pass_manager_builder import PassManagerBuilder

GOLDEN = Path(__file__).parents[1] / "golden"
MODULES = sorted(
    path.relative_to(GOLDEN).as_posix()
    for path in GOLDEN.glob("*/*_passes.py")
    # Two import a package that is made up, the other works without the runtime.
    if path.parent.name not in {"foreign-type", "forms", "native-python"}
)


def of(module: str) -> pytest.MarkDecorator:
    """Give a test the fixture `module` for one generated module."""
    return pytest.mark.parametrize("module", [module], indirect=True)


@pytest.fixture
def module(request: pytest.FixtureRequest) -> Iterator[ModuleType]:
    """Import a generated module."""
    path = GOLDEN / request.param
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = loaded  # where dataclasses look for their annotations
    spec.loader.exec_module(loaded)
    yield loaded
    del sys.modules[path.stem]


def bases(module: ModuleType) -> list[type[Pass]]:
    return [
        value
        for name, value in vars(module).items()
        if name.endswith("PassBase") and issubclass(value, OperationPass)
    ]


def implement(base: type[Pass]) -> type[Pass]:
    base.constructor = ""  # of a package that is made up
    body = {"run_on_operation": lambda _self: None, "__module__": base.__module__}
    return cast("type[Pass]", type(f"{base.__name__}Implementation", (base,), body))


def registered(module: ModuleType) -> PassRegistry:
    registry = PassRegistry()
    for name, register in vars(module).items():
        if re.fullmatch("register.*Passes", name):  # not there without passes
            register(registry)
            register(registry)
    return registry


EXAMPLE = r"```+text\n(builtin\.module\(.*\))\n"


def page_of(module: ModuleType) -> str:
    assert module.__file__ is not None
    return Path(module.__file__).with_suffix(".md").read_text("utf-8")


@pytest.mark.filterwarnings("ignore:.* is deprecated:DeprecationWarning")
@pytest.mark.parametrize("module", MODULES, indirect=True)
def test_examples_of_the_docs_are_pipelines(module: ModuleType) -> None:
    implementations = [implement(base) for base in bases(module)]
    registry = registered(module)
    about_passes, _, _ = page_of(module).partition("\n## Pipeline ")

    examples = re.findall(EXAMPLE, about_passes)
    assert len(examples) == sum(not each.unknown_anchor for each in implementations)
    for example in examples:
        parsed = str(parse_pass_pipeline(example, registry))
        assert str(parse_pass_pipeline(parsed, registry)) == parsed
        without_options = example.partition("{")[0].rstrip(")")
        assert parsed.partition("{")[0].rstrip(")") == without_options


def of_others(*arguments: str) -> list[type[Pass]]:
    """Return passes that groups name but do not declare."""
    run = {"run_on_operation": lambda _self: None}
    return [
        type(name, (OperationPass,), run | {"argument": name}) for name in arguments
    ]


@dataclass(kw_only=True)
class BufferizeOptions(PassOptions):
    at_boundaries: bool = option("bufferize-function-boundaries", BOOL)
    dialects: list[str] = list_option("dialect-filter", STRING)


class OneShotBufferize(OperationPass[BufferizeOptions]):
    argument = "one-shot-bufferize"
    anchor = "builtin.module"
    tags = ("bufferization",)

    def run_on_operation(self) -> None:
        pass


def with_pipelines(module: ModuleType) -> PassRegistry:
    registry = registered(module)
    module.registerKernelsPipelines(registry)
    module.registerKernelsPipelines(registry)
    passes = [implement(base) for base in bases(module)]
    passes += [*of_others("canonicalize", "cse"), OneShotBufferize]
    for pass_ in passes:
        registry.register_pass(pass_)
    return registry


@of("pipelines/kernels_passes.py")
def test_a_pipeline_is_what_its_spec_draws(module: ModuleType) -> None:
    registry = with_pipelines(module)

    def parsed(text: str) -> str:
        return str(parse_pass_pipeline(f"builtin.module({text})", registry))

    assert parsed("kernels-lower{optimize=true}") == (
        "builtin.module(one-shot-bufferize{bufferize-function-boundaries=true "
        "dialect-filter={linalg,tensor}},canonicalize,cse,"
        "func.func(kernels-hoist-buffers,canonicalize,kernels-generate-schedule{"
        "num-units=2 policy=modulo weights={1.0,0.5}},kernels-print-schedule,"
        "kernels-materialize-schedule),func.func(kernels-emit),any(canonicalize))"
    )
    assert parsed("kernels-lower{bufferize=false num-units=8}") == (
        "builtin.module(func.func(kernels-generate-schedule{num-units=8 policy=modulo "
        "weights={1.0,0.5}},kernels-print-schedule,kernels-materialize-schedule),"
        "func.func(canonicalize,cse),func.func(kernels-emit),any(canonicalize))"
    )
    assert parsed("func.func(kernels-schedule)") == (
        "builtin.module(func.func(kernels-generate-schedule{num-units=4 policy=greedy},"
        "kernels-materialize-schedule))"
    )


@of("pipelines/kernels_passes.py")
def test_a_pipeline_runs_on_the_operation_of_its_spec(module: ModuleType) -> None:
    registry = with_pipelines(module)
    text = "builtin.module(kernels-schedule)"

    with pytest.raises(PipelineError) as caught:
        parse_pass_pipeline(text, registry)
    with pytest.raises(SchedulingError, match="Can't add pipeline 'kernels-schedule'"):
        module.buildSchedulingPipeline(PassManagerBuilder(registry=registry))

    assert str(caught.value) == (
        "pass-pipeline:1:16: error: Can't add pipeline 'kernels-schedule' restricted "
        "to 'func.func' on a PassManager intended to run on 'builtin.module', did you "
        f"intend to nest?\n{text}\n{' ' * 15}^{'~' * 15}"
    )


@of("pipelines/kernels_passes.py")
def test_examples_of_pipelines_are_pipelines(module: ModuleType) -> None:
    registry = with_pipelines(module)
    _, _, about_pipelines = page_of(module).partition("\n## Pipeline ")

    # Of each, what it is by default and an example.
    examples = re.findall(EXAMPLE, about_pipelines)
    assert len(examples) == 4
    for example in examples:
        parsed = str(parse_pass_pipeline(example, registry))
        assert "kernels-generate-schedule" in parsed


@of("pipelines/kernels_passes.py")
def test_a_builder_names_the_spec_that_declares_a_rule(module: ModuleType) -> None:
    builder = PassManagerBuilder(registry=with_pipelines(module))
    module.buildLoweringPipeline(builder)

    assert builder.check() == []
    assert "after 1. 'one-shot-bufferize': spec.yaml: HoistBuffers.after" in (
        builder.explain()
    )
    assert "of stage 'scheduling' (spec.yaml)" in builder.explain()


@of("option-types/option_types_passes.py")
def test_defaults_are_the_specs_or_zero(module: ModuleType) -> None:
    defaults: PassOptions = module.DefaultsOptions()
    zeros: PassOptions = module.NoDefaultsOptions()

    assert str(defaults) == (
        "bool=true double=1e+300 empty= enum=exact float=1.0 int16=32767 int32=0 "
        "int64=-9223372036854775808 int8=-128 "
        "pipeline={lists,no-defaults{bool=true}} string='two words' uint16=65535 "
        "uint32=4294967295 uint64=18446744073709551615 uint8=255"
    )
    assert str(zeros) == "bool=false double=0.0 enum=fast int64=0 pipeline= string="
    assert str(module.ListsOptions()) == ""


@of("only-cpp-knows/only_cpp_knows_passes.py")
def test_a_pass_runs_nowhere_until_its_spec_says_where(module: ModuleType) -> None:
    unknown = implement(module.OfAClassPassBase)
    manager = PassManager(XDSLContext())

    with pytest.raises(SchedulingError) as caught:
        manager.add_pass(unknown())
    assert str(caught.value) == (
        "pass 'of-a-class' runs on operations that only C++ names, by operation class "
        "xyz::KernelOp: write their name as the 'anchor' of OfAClass in spec.yaml, or "
        "'any' if the pass runs on any operation"
    )

    anywhere = PassManager(XDSLContext(), "any")
    anywhere.add_pass(unknown())
    with pytest.raises(SchedulingError, match=r"only C\+\+ names"):
        anywhere.run(ModuleOp([]))

    unknown.anchor = "builtin.module"
    manager.add_pass(unknown())
    manager.add_pass(implement(module.SettledPassBase)())
    assert str(manager) == "builtin.module(of-a-class,settled{full=true})"


@of("only-cpp-knows/only_cpp_knows_passes.py")
def test_a_base_class_of_cpp_is_not_called_an_operation(module: ModuleType) -> None:
    unknown = implement(module.OfABaseClassPassBase)

    with pytest.raises(SchedulingError, match="names, by base class xyz::KernelPass: "):
        PassManager(XDSLContext()).add_pass(unknown())


@of("optional-bool/optional_bool_passes.py")
def test_an_optional_bool_of_cpp_is_unset_until_it_is_set(module: ModuleType) -> None:
    options = module.VectorizeOptions()

    assert (options.scalable, options.masked, options.unrolled) == (None, True, False)
    assert str(options) == "masked=true unrolled=false"
    assert module.VectorizeOptions.parse("scalable masked=") == module.VectorizeOptions(
        scalable=True, masked=None
    )
    options.scalable = False
    assert str(options) == "masked=true scalable=false unrolled=false"
    options.masked = None
    assert str(options) == "masked= scalable=false unrolled=false"
    assert module.VectorizeOptions.parse(str(options)) == options
    with pytest.raises(PassOptionError):
        options.scalable = 1


@of("options-without-value/tiling_passes.py")
def test_a_pipeline_gives_required_options(module: ModuleType) -> None:
    implementation = implement(module.TilePassBase)
    registry = registered(module)

    with pytest.raises(PipelineError, match="--shape option: must be specified"):
        parse_pass_pipeline("func.func(tile{target=gpu sizes={}})", registry)
    text = "func.func(tile{factor=0 shape=round sizes={} target=gpu})"
    assert str(parse_pass_pipeline(text, registry)) == text
    with pytest.raises(TypeError, match="'target', 'sizes', and 'shape'"):
        implementation()


@of("options-without-value/tiling_passes.py")
def test_an_optional_option_without_value_is_left_out(module: ModuleType) -> None:
    given = {"target": "gpu", "sizes": [], "shape": module.TileShape.ROUND}
    options = module.TileOptions(**given)
    rest = "factor=0 shape=round sizes={} target=gpu"

    assert options.limit is options.order is options.peeled is options.cleanup is None
    assert str(options) == rest
    options.label, options.peeled = "", []
    assert (
        str(options) == f"factor=0 label= peeled={{}} {rest.removeprefix('factor=0 ')}"
    )
    assert module.TileOptions.parse(str(options)) == options
    options.label, options.peeled = None, None
    assert str(options) == rest


@of("options-without-value/tiling_passes.py")
def test_a_pipeline_hands_on_that_an_option_has_no_value(module: ModuleType) -> None:
    registry = registered(module)
    registry.register_pass(implement(module.TilePassBase))
    module.registerTilingPipelines(registry)
    rest = "shape=square sizes={8,8} target=gpu"

    for text, limit in (("", ""), ("limit=0 ", "limit=0 ")):
        manager = parse_pass_pipeline(f"any(tiling{{{text}target=gpu}})", registry)
        assert str(manager) == f"any(func.func(tile{{factor=0 {limit}{rest}}}))"


@of("deprecated/deprecated_passes.py")
def test_a_deprecated_pass_warns_where_it_is_created(module: ModuleType) -> None:
    implementation = implement(module.OldPassBase)
    warning = "^pass 'old' is deprecated: Use 'new' instead.$"

    with pytest.warns(DeprecationWarning, match=warning) as caught:
        made = module.createOld()
    assert [each.filename for each in caught] == [__file__]
    with pytest.warns(DeprecationWarning, match=warning) as caught:
        implementation()
    assert [each.filename for each in caught] == [__file__]
    with pytest.warns(DeprecationWarning, match=warning) as caught:
        parse_pass_pipeline("builtin.module(old)", registered(module))
    assert [each.filename for each in caught] == [__file__]

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made.clone()


@of("deprecated/deprecated_passes.py")
def test_a_deprecated_option_warns_where_its_default_is_changed(
    module: ModuleType,
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        options: PassOptions = module.NewOptions(depth=3)
        assert str(copy.deepcopy(options)) == "depth=3 mode=fast size=4"
        assert str(module.NewOptions.from_textual((), options)) == str(options)
        deeper = dataclasses.replace(options, depth=7)  # type: ignore[call-arg]
        assert str(deeper) == "depth=7 mode=fast size=4"

    warning = "^option 'size' is deprecated: Use 'sizes' instead.$"
    with pytest.warns(DeprecationWarning, match=warning) as caught:
        module.NewOptions(size=3)
    assert [each.filename for each in caught] == [__file__]
    with pytest.warns(DeprecationWarning, match=warning) as caught:
        options.size = 5  # type: ignore[attr-defined]
    assert [each.filename for each in caught] == [__file__]
    with pytest.warns(DeprecationWarning, match=warning):
        assert str(module.NewOptions.parse("size=5 depth=3")) == str(options)


@of("ir-xdsl/ir_xdsl_passes.py")
def test_type_hints_are_read_without_the_ir_library(module: ModuleType) -> None:
    for name, base in vars(module).items():
        if name.endswith("PassBase"):
            assert "options" in get_type_hints(base)


@of("documented-example/affine_passes.py")
def test_an_implementation_is_what_create_returns(module: ModuleType) -> None:
    base = module.AffineLoopUnrollPassBase
    implementation = implement(base)
    base.constructor = f"{base.__module__}:{implementation.__name__}"
    vars(module)[implementation.__name__] = implementation

    made = module.createAffineLoopUnroll(
        module.AffineLoopUnrollOptions(unroll_factor=8)
    )
    made.num_unrolled += 3

    assert (made.options.unroll_factor, made.options.loop_depths) == (8, [])
    assert int(made.num_unrolled) == 3
    assert (made.argument, made.anchor) == ("affine-loop-unroll", "func.func")
    assert made.dependent_dialects == ("affine", "arith")
    assert type(made) is implementation
