import pytest

from passgen import naming


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("maxIter", "max_iter"),
        ("unroll", "unroll"),
        ("cleanUpUnroll", "clean_up_unroll"),
        ("opPipelineList", "op_pipeline_list"),
        ("numCSE", "num_cse"),
        ("numDCE", "num_dce"),
        ("printAsJSON", "print_as_json"),
        ("JSONPath", "json_path"),
        ("lowerSCFLoops", "lower_scf_loops"),
        ("cacheSizeInKiB", "cache_size_in_kib"),
        ("maxMiBPerTile", "max_mib_per_tile"),
        ("useMiBytes", "use_mi_bytes"),
        ("loopIDs", "loop_ids"),
        ("numCSEsFound", "num_cses_found"),
        ("useASsembler", "use_a_ssembler"),
        ("int32Only", "int32_only"),
        ("vec2D", "vec2_d"),
        ("level0", "level0"),
        ("a", "a"),
        ("aB", "a_b"),
    ],
)
def test_snake_case(name: str, expected: str) -> None:
    assert naming.snake_case(name) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("affine", "Affine"),
        ("my-dialect", "MyDialect"),
        ("my_dialect", "MyDialect"),
        ("fusionMode", "FusionMode"),
        ("printAsJSON", "PrintAsJSON"),
        ("SCF loops", "SCFLoops"),
        ("--", ""),
    ],
)
def test_pascal_case(name: str, expected: str) -> None:
    assert naming.pascal_case(name) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("affine.yaml", "Affine"),
        ("specs/my-dialect.yaml", "MyDialect"),
        ("/a.b/scf.passes.yml", "Scf"),
        ("<stdin>", "Stdin"),
        (".yaml", ""),
        ("3d.yaml", "3d"),
    ],
)
def test_group_name_comes_from_the_file_name(path: str, expected: str) -> None:
    assert naming.group_name(path) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("greedy", "GREEDY"),
        ("producer-consumer", "PRODUCER_CONSUMER"),
        ("bottomUp", "BOTTOM_UP"),
        ("O2", "O2"),
        ("none", "NONE"),
        ("2d", "VALUE_2D"),
        ("*", ""),
    ],
)
def test_enum_member(value: str, expected: str) -> None:
    assert naming.enum_member(value) == expected


@pytest.mark.parametrize("name", ["Foo", "FooPass"])
def test_names_of_a_pass(name: str) -> None:
    assert naming.options_class(name) == f"{name}Options"
    assert naming.base_class(name) == "FooPassBase"
    assert naming.create_function(name) == f"create{name}"
    assert naming.register_function(name) == f"register{name}"
    assert naming.enum_class(name, "tileMode") == f"{name}TileMode"


def test_function_that_registers_a_group() -> None:
    assert naming.register_group_function("Affine") == "registerAffinePasses"
