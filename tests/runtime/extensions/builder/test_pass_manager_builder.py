"""The pass manager builder: what can be added and edited, and what is refused."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from passgen_runtime import (
    ALL_ANALYSES,
    INT32,
    OperationPass,
    OpPassManager,
    Pass,
    PassError,
    PassOptionError,
    PassOptions,
    PassRegistry,
    PipelineError,
    SchedulingError,
    after,
    after_if_present,
    before,
    cleanup,
    list_option,
    option,
    parse_pass_manager,
    register_pass,
    tag,
)
from passgen_runtime.extensions.builder import (
    PassBundle,
    PassManagerBuilder,
    PipelineConstraintError,
    PipelineEditError,
    register_pipeline_builder,
)
from passgen_runtime.extensions.builder.additions import OldPass, stage
from passgen_runtime.extensions.builder.edits import Match
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.passes import register_all_passes
from tests.recording import step


@dataclass(kw_only=True)
class TileOptions(PassOptions):
    size: int = option("size", INT32, default=4)
    loops: list[int] = list_option("loops", INT32)


class Nothing(OperationPass[PassOptions]):
    def run_on_operation(self) -> None:
        pass


class Tile(OperationPass[TileOptions]):
    argument = "tile"
    tags = ("loops",)

    def run_on_operation(self) -> None:
        pass


class Facts:
    """An analysis that nothing computes here."""


def named(argument: str, **attributes: object) -> type[Pass]:
    """Return a pass class called `argument`, with class `attributes`."""
    attributes = {"argument": argument, "__module__": __name__, **attributes}
    return type(argument, (Nothing,), attributes)


ORDINARY = [named(each) for each in "abcdef"]


@pytest.fixture
def registry() -> PassRegistry:
    registry = PassRegistry()
    for each in ORDINARY:
        register_pass(each, registry)
    register_pass(Tile, registry)
    return registry


@pytest.fixture
def make(registry: PassRegistry) -> Callable[..., PassManagerBuilder]:
    """Make builders of pipelines from passes, texts and classes with rules."""

    def make(*passes: str | type[Pass], deferred: bool = False) -> PassManagerBuilder:
        for each in passes:
            if isinstance(each, str):
                continue
            if registry.lookup(each.argument) is None:
                registry.register_pass(each)
        builder = PassManagerBuilder(
            XDSLContext(), registry=registry, defers_checks=deferred
        )
        for each in passes:
            builder.add(each)
        return builder

    return make


Make = Callable[..., PassManagerBuilder]


def messages(builder: PassManagerBuilder) -> list[str]:
    return [each.message for each in builder.check()]


class TestWhatCanBeAdded:
    def test_arguments_texts_classes_factories_and_bundles(self, make: Make) -> None:
        builder = make("a")
        builder.add("b,func.func(c,d)")
        builder.add(named("unregistered"))
        builder.add(lambda: step("Made", argument="made"))
        builder.add(PassBundle("pair", ("e", PassBundle("inner", ("f",)))))
        with builder.nest("func.func"):
            builder.add("a")

        assert str(builder) == (
            "builtin.module(a,b,func.func(c,d),unregistered,made,e,f,func.func(a))"
        )

    def test_options_are_given_in_the_text_by_argument_or_as_an_object(
        self, make: Make
    ) -> None:
        builder = make("tile{size=8}")
        builder.add("tile", {"size": 16, "loops": [1, 2]})
        builder.add(Tile, TileOptions(loops=[3]))
        builder.add(lambda: Tile(TileOptions(size=7)), {"loops": [4]})

        assert str(builder) == (
            "builtin.module(tile{size=8},tile{loops={1,2} size=16},tile{loops={3} size=4},tile{loops={4} size=7})"
        )

    def test_each_build_makes_new_passes(self, make: Make) -> None:
        builder = make("tile", "a")
        one, other = builder.build(), builder.build()

        assert one == other
        assert not {*map(id, one.passes())} & {*map(id, other.passes())}

    @pytest.mark.parametrize(
        ("new", "options", "message"),
        [
            (
                Tile(),
                None,
                "tile{size=4} is a pass, where a class or factory of passes is expected\nnote: a pipeline makes its passes itself: it may be built many times",
            ),
            (7, None, "7 is no pass: it is no name, class, factory or bundle"),
            (
                "tils",
                {"size": 3},
                "'tils' does not refer to a registered pass or pass pipeline\nnote: did you mean 'tile'?",
            ),
            (
                "tile{size=3}",
                {"size": 4},
                "'tile{size=3}' does not refer to a registered pass or pass pipeline\nnote: options stand either in the text or beside it",
            ),
            (
                "tile",
                {"siz": 4},
                "no such option siz\nnote: did you mean 'size'?\nnote: valid options are loops, size\nnote: in the options of 'tile'",
            ),
            (
                "tile",
                {"size": 2.5},
                "for the --size option: 2.5 is not a value of int32\nnote: expected an integer of -2147483648 to 2147483647, decimal or prefixed 0x, 0b, 0o or 0\nnote: in the options of 'tile'",
            ),
            (
                "a",
                TileOptions(),
                "TileOptions given, PassOptions expected\nnote: in the options of 'a'",
            ),
        ],
    )
    def test_what_cannot_be_added(
        self, make: Make, new: object, options: object, message: str
    ) -> None:
        builder = make("a")

        with pytest.raises((PipelineEditError, PassOptionError)) as caught:
            builder.add(new, options)  # type: ignore[arg-type] # that is refused

        assert str(caught.value) == message
        assert str(builder) == "builtin.module(a)"

    def test_what_is_no_factory(self, make: Make) -> None:
        builder = make()

        with pytest.raises(
            PipelineEditError, match=r"is no factory of passes: it takes"
        ):
            builder.add(lambda _: Tile())  # type: ignore[arg-type, misc] # that is refused
        with pytest.raises(PipelineEditError, match=r"passes: it makes 3$"):
            builder.add(lambda: 3)  # type: ignore[arg-type, return-value] # that is refused

    def test_a_wrong_text_is_shown_with_the_place(self, make: Make) -> None:
        builder = make("a")

        with pytest.raises(PipelineError) as caught:
            builder.add("b,func.func(tils)")

        assert str(caught.value) == textwrap.dedent("""\
            pass-pipeline:1:13: error: 'tils' does not refer to a registered pass or pass pipeline
            b,func.func(tils)
                        ^~~~
            note: did you mean 'tile'?""")
        assert str(builder) == "builtin.module(a)"

    def test_a_block_that_fails_is_not_there(self, make: Make) -> None:
        builder = make("a")

        def fail() -> None:
            with builder.stage("late"), builder.nest("func.func"):
                builder.add("b")
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            fail()

        assert str(builder) == "builtin.module(a)"
        assert stage("late") not in builder

    def test_a_pass_for_other_operations_is_refused(self, make: Make) -> None:
        builder = make("a")

        with pytest.raises(PipelineConstraintError) as caught:
            builder.add(named("on-functions", anchor="func.func"))

        assert str(caught.value) == textwrap.dedent("""\
            pass-pipeline:1:18: error: Can't add pass 'on-functions' restricted to 'func.func' on a PassManager intended to run on 'builtin.module', did you intend to nest?
            builtin.module(a,on-functions)
                             ^~~~~~~~~~~~
            note: 'func.func(on-functions)' nests it""")
        assert str(builder) == "builtin.module(a)"

    def test_a_pipeline_for_other_operations_is_refused(self, make: Make) -> None:
        builder = make("a")

        builder.require_anchor("builtin.module", "whole")
        with pytest.raises(SchedulingError) as caught:
            builder.require_anchor("func.func", "functions")
        with builder.nest("func.func"):
            builder.require_anchor("func.func", "functions")
            with builder.stage("inside"):
                builder.require_anchor("func.func", "functions")
        with builder.nest("any"):
            builder.require_anchor("func.func", "functions")

        assert str(caught.value) == (
            "Can't add pipeline 'functions' restricted to 'func.func' on a PassManager "
            "intended to run on 'builtin.module', did you intend to nest?"
        )

    def test_a_builder_without_a_context_builds_into_other_managers(
        self, registry: PassRegistry
    ) -> None:
        builder = PassManagerBuilder(registry=registry, anchor="any")
        builder.add("a")
        manager = OpPassManager()
        builder.build_into(manager)

        assert str(manager) == "any(a)"
        with pytest.raises(PipelineEditError, match=r"^a builder without a context"):
            builder.build()


class TestWhereEditsGo:
    @pytest.fixture
    def builder(self, make: Make) -> PassManagerBuilder:
        """Return a builder of `a,tile,func.func(a,b),tile,c` with a stage."""
        builder = make("a", "tile")
        with builder.stage("middle"):
            builder.add("func.func(a,b)")
        builder.add("tile,c")
        return builder

    @pytest.mark.parametrize(
        ("where", "old", "match", "expected"),
        [
            ("before", "a", "first", "d,e,a,tile,func.func(a,b),tile,c"),
            ("before", "a", "last", "a,tile,func.func(d,e,a,b),tile,c"),
            ("before", "a", 2, "a,tile,func.func(d,e,a,b),tile,c"),
            ("before", "a", "every", "d,e,a,tile,func.func(d,e,a,b),tile,c"),
            ("before", Tile, "first", "a,d,e,tile,func.func(a,b),tile,c"),
            ("before", Tile, 2, "a,tile,func.func(a,b),d,e,tile,c"),
            ("before", tag("loops"), "every", "a,d,e,tile,func.func(a,b),d,e,tile,c"),
            ("before", stage("middle"), "first", "a,tile,d,e,func.func(a,b),tile,c"),
            ("after", "a", "last", "a,tile,func.func(a,d,e,b),tile,c"),
            ("after", tag("loops"), "every", "a,tile,d,e,func.func(a,b),tile,d,e,c"),
            ("after", stage("middle"), "first", "a,tile,func.func(a,b),d,e,tile,c"),
        ],
    )
    def test_insertion(
        self,
        builder: PassManagerBuilder,
        where: str,
        old: OldPass,
        match: Match,
        expected: str,
    ) -> None:
        insert = builder.insert_before if where == "before" else builder.insert_after
        insert("d,e", old, match)

        assert str(builder).replace("{size=4}", "") == f"builtin.module({expected})"

    def test_any_code_that_adds_can_be_put_somewhere(
        self, builder: PassManagerBuilder
    ) -> None:
        with builder.before(stage("middle")), builder.nest("func.func"):
            builder.add("d")
            builder.add("tile", {"size": 2})

        assert str(builder) == (
            "builtin.module(a,tile{size=4},func.func(d,tile{size=2}),func.func(a,b),tile{size=4},c)"
        )

        with builder.after(stage("middle")):
            builder.add_bundle(PassBundle("pair", ("e", "f")))

        assert str(builder).endswith("func.func(a,b),e,f,tile{size=4},c)")

    def test_an_empty_stage_is_a_place_too(self, make: Make) -> None:
        builder = make("a")
        with builder.stage("empty"):
            pass
        builder.add("b")
        builder.insert_after("c", stage("empty"))

        assert str(builder) == "builtin.module(a,c,b)"

    def test_replace(self, builder: PassManagerBuilder) -> None:
        builder.replace("tile", "d,e", "last")
        builder.replace("a", "f")
        builder.replace(stage("middle"), "tile", options={"size": 1})

        assert str(builder) == "builtin.module(f,tile{size=4},tile{size=1},d,e,c)"

    def test_remove(self, builder: PassManagerBuilder) -> None:
        builder.remove("tile")
        builder.remove("a", "last")
        builder.remove("b")

        assert str(builder) == "builtin.module(a,c)"

    def test_skip_holds_for_what_comes_later_and_leaves_the_places(
        self, builder: PassManagerBuilder
    ) -> None:
        builder.skip("a")
        builder.skip(tag("loops"))
        builder.skip("b")
        builder.add("a")
        builder.insert_before("d", "tile")

        assert str(builder.build()) == "builtin.module(d,c)"
        assert str(builder) == "builtin.module(d,c)"

    @pytest.mark.parametrize(
        ("old", "match", "message", "note"),
        [
            ("tiles", "first", "holds nothing that is 'tiles'", "did you mean 'tile'?"),
            (
                tag("loop"),
                "first",
                "holds nothing that is a pass with tag 'loop'",
                "did you mean 'loops'?",
            ),
            (
                stage("midle"),
                "first",
                "holds nothing that is stage 'midle'",
                "did you mean 'middle'?",
            ),
            ("tile", 3, "holds 'tile' 2 times, so there is no 3.", ""),
            ("c", 2, "holds 'c' once, so there is no 2.", ""),
        ],
    )
    def test_no_such_place(
        self,
        builder: PassManagerBuilder,
        old: OldPass,
        match: Match,
        message: str,
        note: str,
    ) -> None:
        before = str(builder)

        with pytest.raises(PipelineEditError) as caught:
            builder.insert_before("d", old, match)

        notes = [note] * bool(note) + ["its passes are a, tile, a, b, tile, c"]
        assert str(caught.value) == "\nnote: ".join((f"the pipeline {message}", *notes))
        assert str(builder) == before

    def test_no_such_match(self, builder: PassManagerBuilder) -> None:
        with pytest.raises(PipelineEditError) as caught:
            builder.insert_before("d", "tile", "second")  # type: ignore[arg-type] # wrong

        assert str(caught.value) == (
            "'second' matches nothing\n"
            "note: a match is 'first', 'last', 'every' or a number from 1"
        )

    def test_what_is_to_be_skipped_must_be_there_in_the_end(
        self, builder: PassManagerBuilder
    ) -> None:
        builder.skip("tiel")

        with pytest.raises(PipelineConstraintError) as caught:
            builder.build()

        assert [each.message for each in caught.value.violations] == [
            "the pipeline holds nothing that is 'tiel', to skip"
        ]
        assert caught.value.violations[0].notes[0] == "did you mean 'tile'?"

    def test_what_stands_for_no_pass_is_refused(self, make: Make) -> None:
        with pytest.raises(PipelineEditError) as caught:
            make("a").remove(None)  # type: ignore[arg-type] # that is the mistake

        assert str(caught.value) == (
            "None stands for no passes of a pipeline\n"
            "note: an argument, a class, tag(...) or stage(...) does"
        )


class TestRules:
    def test_an_addition_is_refused_if_nothing_behind_could_mend_it(
        self, make: Make
    ) -> None:
        builder = make("a")

        with pytest.raises(PipelineConstraintError):
            builder.add(named("x", ordering=(after("b"),)))
        builder.add(named("y", ordering=(before("b"), cleanup("c"))))

        assert messages(builder) == [
            "pass 'y' must come before 'b', which the pipeline does not hold",
            "pass 'y' must be cleaned up by 'c', which does not follow",
        ]
        builder.add("b,c")
        assert str(builder.build()) == "builtin.module(a,y,b,c)"

    def test_an_edit_is_refused_if_a_pass_that_stays_needs_what_goes(
        self, make: Make
    ) -> None:
        builder = make("a", named("x", ordering=(after("a"),)))

        with pytest.raises(PipelineConstraintError):
            builder.remove("a")
        with pytest.raises(PipelineConstraintError):
            builder.replace("a", "b")

        assert str(builder) == "builtin.module(a,x)"

    def test_a_skipped_pass_does_not_count(self, make: Make) -> None:
        builder = make("a", named("x", ordering=(after("a"),)))
        builder.skip("a")

        with pytest.raises(PipelineConstraintError) as caught:
            builder.build()

        assert str(caught.value) == textwrap.dedent(
            """\
            pass-pipeline:1:16: error: pass 'x' must come after 'a', which the pipeline does not hold
            builtin.module(x)
                           ^
            note: 'a' is skipped
            note: the rule is declared in tests.runtime.extensions.builder.test_pass_manager_builder.x.ordering"""
        )

    def test_five_violations_are_one_report(self, make: Make) -> None:
        declared = {"declared_in": "specs/loops.yaml"}
        builder = make(
            named(
                "analyse",
                name="Analyse",
                provided_analyses=(Facts,),
                preserved_analyses=ALL_ANALYSES,
                **declared,
            ),
            named("fuse", name="Fuse", ordering=(after("tiel"),), **declared),
            named(
                "use",
                name="Use",
                required_analyses=(Facts,),
                preserved_analyses=ALL_ANALYSES,
                ordering=(before(tag("loops")),),
                **declared,
            ),
            named("lower", name="Lower", ordering=(cleanup("a", "b"),), **declared),
            named(
                "outline", name="Outline", ordering=(after_if_present("c"),), **declared
            ),
            named("on-functions", anchor="func.func"),
            deferred=True,
        )
        builder.insert_before("tile", "fuse")
        builder.add("c")

        with pytest.raises(PipelineConstraintError) as caught:
            builder.build()

        assert str(caught.value) == textwrap.dedent("""\
            pass-pipeline:1:24: error: pass 'tile' does not preserve analysis 'Facts', which 'use' requires after it
            builtin.module(analyse,tile{size=4},fuse,use,lower,outline,on-functions,c)
                                   ^~~~
            note: 'analyse' provides it
            note: 'tile': inserted before 'fuse'
            note: the rule is declared in specs/loops.yaml: Use.requires
            pass-pipeline:1:37: error: pass 'fuse' must come after 'tiel', which the pipeline does not hold
            builtin.module(analyse,tile{size=4},fuse,use,lower,outline,on-functions,c)
                                                ^~~~
            note: did you mean 'tile'?
            note: the rule is declared in specs/loops.yaml: Fuse.after
            pass-pipeline:1:37: error: pass 'fuse' does not preserve analysis 'Facts', which 'use' requires after it
            builtin.module(analyse,tile{size=4},fuse,use,lower,outline,on-functions,c)
                                                ^~~~
            note: 'analyse' provides it
            note: the rule is declared in specs/loops.yaml: Use.requires
            pass-pipeline:1:42: error: pass 'use' must come before a pass with tag 'loops', but comes after 'tile'
            builtin.module(analyse,tile{size=4},fuse,use,lower,outline,on-functions,c)
                                                     ^~~
            note: the rule is declared in specs/loops.yaml: Use.before
            pass-pipeline:1:46: error: pass 'lower' must be cleaned up by 'a' or 'b', none of which follows
            builtin.module(analyse,tile{size=4},fuse,use,lower,outline,on-functions,c)
                                                         ^~~~~
            note: the rule is declared in specs/loops.yaml: Lower.cleanup
            pass-pipeline:1:52: error: pass 'outline' must come after 'c', but comes before it
            builtin.module(analyse,tile{size=4},fuse,use,lower,outline,on-functions,c)
                                                               ^~~~~~~
            note: the rule is declared in specs/loops.yaml: Outline.afterIfPresent
            pass-pipeline:1:60: error: Can't add pass 'on-functions' restricted to 'func.func' on a PassManager intended to run on 'builtin.module', did you intend to nest?
            builtin.module(analyse,tile{size=4},fuse,use,lower,outline,on-functions,c)
                                                                       ^~~~~~~~~~~~
            note: 'func.func(on-functions)' nests it""")

    def test_a_long_report_is_cut(self, make: Make) -> None:
        ruled = named("x", ordering=(after("a"),))
        builder = make(*[ruled] * 23, deferred=True)

        with pytest.raises(PipelineConstraintError) as caught:
            builder.build()

        assert str(caught.value).count("must come after") == 20
        assert str(caught.value).endswith("\nerror: and 3 more")

    def test_a_pass_does_not_stand_before_itself(self, registry: PassRegistry) -> None:
        register_pass(named("alone", ordering=(after("alone"),)), registry)

        with pytest.raises(PipelineConstraintError) as caught:
            PassManagerBuilder(registry=registry).add("alone")

        assert str(caught.value).splitlines() == [
            "pass-pipeline:1:16: error: pass 'alone' must come after 'alone', which the pipeline does not hold",
            "builtin.module(alone)",
            "               ^~~~~",
            f"note: the rule is declared in {__name__}.alone.ordering",
        ]


class TestSorting:
    def test_moves_what_rules_want_elsewhere_and_nothing_else(self, make: Make) -> None:
        builder = make(
            named("x", ordering=(after("c"),)),
            "a",
            "func.func(b,d)",
            named("y", ordering=(before("a"),)),
            "c",
            deferred=True,
        )

        moves = builder.sort()

        assert str(builder.build()) == "builtin.module(y,a,func.func(b,d),c,x)"
        assert list(map(str, moves)) == [
            f"'y' moved from 5. to 1.: 'y' must come before 'a' ({__name__}.y.ordering)",
            f"'x' moved from 1. to 6.: 'x' must come after 'c' ({__name__}.x.ordering)",
        ]

    def test_a_pass_stays_nested_as_it_was(self, make: Make) -> None:
        builder = make("a", deferred=True)
        register_pass(named("x", ordering=(after("c"),)), builder.registry)
        register_pass(named("z", ordering=(after("d"),)), builder.registry)
        builder.add("func.func(x),b,z,func.func(c,d,e)")

        builder.sort()

        assert str(builder.build()) == (
            "builtin.module(a,b,func.func(c,x,d),z,func.func(e))"
        )

    def test_a_pass_goes_before_whole_pass_managers(self, make: Make) -> None:
        register_pass(named("x", ordering=(before("a"),)), make().registry)
        builder = make("func.func(a,b),x", deferred=True)
        nested = make("func.func(any(a),b,x)", deferred=True)

        builder.sort()
        nested.sort()

        assert str(builder.build()) == "builtin.module(x,func.func(a,b))"
        assert str(nested.build()) == "builtin.module(func.func(x,any(a),b))"

    def test_a_bundle_in_a_pass_manager_is_split_with_it(self, make: Make) -> None:
        register_pass(named("x", ordering=(after("a"),)), make().registry)
        builder = make("x", deferred=True)
        with builder.nest("func.func"), builder.bundle("pair"):
            builder.add("a,b")
        builder.add(named("y", ordering=(before("b"), after("x"))))

        builder.sort()

        assert str(builder.build()) == "builtin.module(func.func(a),x,y,func.func(b))"
        assert builder.explain().count("of bundle 'pair'") == 2

    def test_bundles_part_where_a_pass_must_go_between(self, make: Make) -> None:
        builder = make("a", deferred=True)
        ruled = named("x", ordering=(after("b"), before("c")))
        with builder.nest("func.func"):
            builder.add(ruled)
            builder.add_bundle(PassBundle("pair", ("b", "c")))

        builder.sort()

        assert str(builder.build()) == "builtin.module(a,func.func(b,x,c))"

    def test_an_ordered_pipeline_stays_as_it_is(self, make: Make) -> None:
        builder = make("a", named("x", ordering=(after("a"),)), "b", deferred=True)

        assert builder.sort() == []
        assert str(builder) == "builtin.module(a,x,b)"

    def test_rules_that_contradict_each_other_are_named(self, make: Make) -> None:
        builder = make(
            named("x", ordering=(after("y"),)),
            "a",
            named("y", ordering=(after("x"),)),
            deferred=True,
        )

        with pytest.raises(PipelineEditError) as caught:
            builder.sort()

        assert str(caught.value) == textwrap.dedent(f"""\
            no order of the passes obeys all rules
            note: 'x' must come after 'y' ({__name__}.x.ordering)
            note: 'y' must come after 'x' ({__name__}.y.ordering)""")
        assert str(builder) == "builtin.module(x,a,y)"


READS: dict[str, object] = {"preserved_analyses": ALL_ANALYSES}


class TestRedundancyElimination:
    @pytest.fixture
    def tidy(self, make: Make) -> Make:
        """Make builders that know clean-ups, analyses and passes that only read."""

        def tidy(*passes: str) -> PassManagerBuilder:
            builder = make()
            for each in (
                named("tidy", tags=("cleanup",)),
                named("sweep", tags=("cleanup",)),
                named("look", **READS),
                named("facts", provided_analyses=(Facts,), **READS),
                named("keeps", preserved_analyses=(Facts,)),
                named("messy", ordering=(cleanup("tidy", "sweep"),)),
                named("uses", required_analyses=(Facts,), **READS),
            ):
                register_pass(each, builder.registry)
            for text in passes:
                with builder.bundle(text):
                    builder.add(text)
            return builder

        return tidy

    @pytest.mark.parametrize(
        ("bundles", "expected"),
        [
            (("a,tidy", "tidy,b"), "a,tidy,b"),
            (("a,tidy,sweep", "tidy,sweep,b"), "a,tidy,sweep,b"),
            (("a,tidy", "look,tidy,b"), "a,tidy,look,b"),
            (("a,tidy", "b,tidy"), "a,tidy,b,tidy"),
            (("a,tidy,tidy",), "a,tidy,tidy"),
            (("a,tidy,func.func(tidy)",), "a,tidy,func.func(tidy)"),
            (("func.func(tidy)", "func.func(tidy,b)"), "func.func(tidy),func.func(b)"),
            (("facts,a", "facts"), "facts,a,facts"),
            (("facts,keeps", "facts,uses"), "facts,keeps,uses"),
            (("look", "look"), "look,look"),
            (("messy", "a"), "messy,tidy,a"),
            (("messy", "a", "messy"), "messy,a,messy,tidy"),
            (("messy", "a,sweep"), "messy,a,sweep"),
            (("func.func(messy,a)",), "func.func(messy,tidy,a)"),
            # Where it is wanted first, it would invalidate an analysis.
            (("facts,keeps", "uses"), "facts,keeps,uses"),
        ],
    )
    def test_removes_what_repeats_and_inserts_missing_clean_ups(
        self, tidy: Make, bundles: tuple[str, ...], expected: str
    ) -> None:
        builder = tidy(*bundles)
        builder.economize()

        assert str(builder.build()) == f"builtin.module({expected})"

    def test_does_not_lose_an_analysis_for_a_clean_up(self, tidy: Make) -> None:
        builder = tidy()
        messy = named(
            "messy-too", ordering=(cleanup("tidy"),), preserved_analyses=(Facts,)
        )
        builder.add("facts")
        builder.add(messy)
        builder.add("uses,a")

        done = builder.economize()

        assert str(builder.build()) == "builtin.module(facts,messy-too,uses,tidy,a)"
        assert done == [
            f"inserted 'tidy' after 'uses': 'messy-too' asks for it ({__name__}.messy-too.ordering)"
        ]

    def test_where_any_operation_may_be_met_nothing_is_taken_out(
        self, tidy: Make
    ) -> None:
        builder = tidy("any(tidy),func.func(tidy)", "func.func(tidy)")

        assert builder.economize() == []

    def test_adds_the_first_clean_up_that_there_is(self, tidy: Make) -> None:
        builder = tidy()
        builder.add(named("x", ordering=(cleanup(tag("no"), "unknown", "sweep"),)))
        builder.add("func.func(a)")
        builder.economize()

        assert str(builder.build()) == "builtin.module(x,sweep,func.func(a))"

    def test_says_nothing_of_clean_ups_that_there_are_not(self, tidy: Make) -> None:
        builder = tidy()
        builder.add(named("x", ordering=(cleanup("unknown"),)))

        assert builder.economize() == []
        assert len(builder.check()) == 1

    def test_keeps_what_a_rule_needs(self, tidy: Make) -> None:
        builder = tidy("tidy")
        builder.add(named("x", ordering=(before("tidy"),), **READS))
        with builder.bundle("last"):
            builder.add("tidy")

        assert builder.economize() == []


def test_explain_says_why_each_pass_is_where_it_is(make: Make) -> None:
    tidy = named("tidy", tags=("cleanup",))
    register_pass(tidy, make().registry)
    builder = make(named("x", ordering=(cleanup("tidy"),)), deferred=True)
    with builder.stage("loops", declared_in="specs/loops.yaml"), builder.nest("f"):
        builder.add("a")
        builder.add(
            named("y", ordering=(after("b"),), required_analyses=(Facts,), **READS)
        )
    with builder.bundle("end"):
        builder.add("b,c")
    builder.insert_after("tile", "a")
    builder.insert_before(named("facts", provided_analyses=(Facts,)), "a")
    builder.remove("c")
    builder.skip("a")
    builder.sort()
    builder.economize()

    assert builder.explain() == textwrap.dedent(f"""\
        builtin.module:
          1. x
             cleaned up by 2. 'tidy': {__name__}.x.ordering
          2. tidy
             inserted by economize(): 'x' asks for it ({__name__}.x.ordering)
          3. facts, on f
             inserted before 'a'
             of stage 'loops' (specs/loops.yaml)
          4. tile{{size=4}}, on f
             inserted after 'a'
             of stage 'loops' (specs/loops.yaml)
          5. b
             of bundle 'end'
          6. y, on f
             moved by sort(): 'y' must come after 'b' ({__name__}.y.ordering)
             after 5. 'b': {__name__}.y.ordering
             uses 'Facts' of 3. 'facts': {__name__}.y.required_analyses
        removed: 'c', by remove()
        skipped: 'a'""")


class TestRegisteredPipelines:
    @pytest.fixture
    def pipelines(self, registry: PassRegistry) -> PassRegistry:
        """Register `tiled`, built by a builder, and `old`, by a pass manager."""

        def tiled(builder: PassManagerBuilder, options: TileOptions) -> None:
            with builder.stage("tiling"):
                builder.add("tile", {"size": options.size})
            builder.add("a")

        def old(manager: OpPassManager) -> None:
            manager.nest("func.func").add_pass(Tile())

        for _ in range(2):  # again is harmless
            register_pipeline_builder(
                "tiled", "Tile", tiled, TileOptions, registry=registry
            )
        registry.register_pipeline("old", "As before", old)
        return registry

    def test_are_named_in_texts_and_added_to_builders(
        self, pipelines: PassRegistry
    ) -> None:
        context = XDSLContext()
        manager = parse_pass_manager(
            "builtin.module(tiled{size=2},b)", context, pipelines
        )
        builder = PassManagerBuilder(context, registry=pipelines)
        builder.add("tiled", {"size": 8})
        builder.add("old,tiled{size=1}")
        builder.insert_after("c", stage("tiling"), "every")

        assert str(manager) == "builtin.module(tile{size=2},a,b)"
        assert str(builder.build()) == (
            "builtin.module(tile{size=8},c,a,func.func(tile{size=4}),tile{size=1},c,a)"
        )
        assert "     of pipeline 'tiled'\n" in builder.explain()

    def test_are_edited_by_hooks_for_them(self, pipelines: PassRegistry) -> None:
        context = XDSLContext()
        builder = PassManagerBuilder(registry=pipelines)
        builder.add_hook(
            lambda each: each.insert_before("b", stage("tiling")), pipeline="tiled"
        )
        builder.add_hook(lambda each: each.add("f"))
        builder.add_hook(lambda each: each.add("d"), where="c")
        text = "builtin.module(tiled,c)"

        assert str(parse_pass_manager(text, context, pipelines)) == (
            "builtin.module(b,tile{size=4},a,f,c)"
        )

        builder = PassManagerBuilder(context, registry=pipelines)
        builder.add("tiled,c")

        assert str(builder.build()) == "builtin.module(b,tile{size=4},a,c,f,d)"
        assert str(builder.build()) == "builtin.module(b,tile{size=4},a,c,f,d)"

    @pytest.mark.parametrize(
        ("hook", "message"),
        [
            (
                lambda each: each.remove("b"),
                "failed: the pipeline holds nothing that is 'b'\nnote: its passes are a",
            ),
            (lambda _: 1 / 0, "failed: it raised ZeroDivisionError: division by zero"),
        ],
    )
    def test_a_hook_that_fails_is_named(
        self, make: Make, hook: Callable[[PassManagerBuilder], None], message: str
    ) -> None:
        builder = make("a")
        builder.add_hook(hook)

        with pytest.raises(PassError) as caught:
            builder.build()

        assert str(caught.value).startswith(f"the hook {__name__}.TestReg")
        assert str(caught.value).endswith(message)

    def test_what_a_hook_did_that_fails_is_undone_and_fails_again(
        self, make: Make
    ) -> None:
        def half(each: PassManagerBuilder) -> None:
            each.add("b")
            sys.exit("half done")

        builder = make("a")
        builder.add_hook(half)

        for _ in range(2):
            with pytest.raises(PipelineEditError, match="raised SystemExit: half done"):
                builder.build()
            assert str(builder) == "builtin.module(a)"

    def test_broken_rules_are_told_where_the_pipeline_is_named(
        self, pipelines: PassRegistry
    ) -> None:
        register_pass(named("x", ordering=(after("c"),)), pipelines)
        register_pipeline_builder(
            "bad", "Break a rule", lambda each: each.add("x"), registry=pipelines
        )

        with pytest.raises(PipelineError) as caught:
            parse_pass_manager("builtin.module(a,bad)", XDSLContext(), pipelines)

        assert str(caught.value) == textwrap.dedent(
            f"""\
            pass-pipeline:1:18: error: the passes of 'bad' break their rules
            builtin.module(a,bad)
                             ^~~
            note: pass 'x' must come after 'c', which the pipeline does not hold ({__name__}.x.ordering)"""
        )


def test_passes_that_run_pipelines_of_their_options_can_be_added() -> None:
    registry = PassRegistry()
    register_all_passes(registry)
    builder = PassManagerBuilder(XDSLContext(), registry=registry)
    builder.add("composite-fixed-point-pass", {"pipeline": "cse"})
    builder.add("composite-fixed-point-pass{pipeline=canonicalize}")
    context = builder.context
    assert context is not None
    module = context.parse("func.func @f() { return }", "f.mlir")

    builder.build().run(module)

    assert context.print(module).count("func.func") == 1


def test_dialects_are_registered_in_the_context_of_the_builder() -> None:
    context = XDSLContext()
    builder = PassManagerBuilder(context, registry=PassRegistry())
    made: list[str] = []

    def make_dialect() -> object:
        made.append("toy")
        raise AssertionError

    builder.register_dialect("toy", make_dialect)
    builder.register_dialect("toy", make_dialect)

    assert "toy" in set(context.registered_dialects())
    assert made == []
    with pytest.raises(PassError) as caught:
        builder.register_dialect("func", make_dialect)
    assert (
        str(caught.value)
        == "dialect 'func' is registered already, with another definition"
    )
