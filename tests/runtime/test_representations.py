"""What objects of a program look like at the keyboard: `repr`, iteration, HTML."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

from passgen_runtime import (
    INT64,
    OperationPass,
    OpPassManager,
    PassFailure,
    PassManager,
    PassOptions,
    PassRegistry,
    list_option,
    statistic,
)
from passgen_runtime.extensions.builder import PassManagerBuilder
from passgen_runtime.extensions.notebooks import pipeline_html
from passgen_runtime.instrumentations.observers import statistics, timing
from passgen_runtime.ir.xdsl import XDSLContext

STYLE_SHEET = Path(__file__).parents[2] / "templates/site/static/passgen.css"


@dataclass(kw_only=True)
class TileOptions(PassOptions):
    sizes: list[int] = list_option("sizes", INT64)


class Tile(OperationPass[TileOptions]):
    argument = "tile"
    num_tiled = statistic("num-tiled", "Loops that were tiled.")

    def run_on_operation(self) -> None:
        self.num_tiled += 1


class Unnamed(OperationPass[PassOptions]):
    def run_on_operation(self) -> None: ...


def pipeline() -> PassManager:
    manager = PassManager(XDSLContext())
    manager.nest("func.func").add_pass(Tile(TileOptions(sizes=[4, 8])))
    manager.add_pass(Unnamed())
    return manager


def test_observers_show_their_report_and_failures_their_summary() -> None:
    manager = PassManager(XDSLContext())
    manager.add_pass(Tile())
    module = manager.context.parse("", "empty.mlir")
    with timing(manager) as times, statistics(manager) as counts:
        manager.run(module)
    failure = PassFailure(
        pass_name=Tile.__name__, argument="tile", operation="an operation"
    )

    assert repr(times) == times.report()
    assert "(S) 1 num-tiled" in repr(counts)
    assert repr(failure) == "<PassFailure pass 'tile' failed on an operation>"


def test_managers_and_passes_show_their_text_in_a_pipeline() -> None:
    manager = pipeline()
    nested, unnamed = manager

    assert repr(manager) == (
        "<PassManager builtin.module(func.func(tile{sizes={4,8}}),unknown<Unnamed>)>"
    )
    assert repr(nested) == "<OpPassManager func.func(tile{sizes={4,8}})>"
    assert repr(unnamed) == "<Unnamed unknown<Unnamed>>"


def test_options_without_a_spelling_are_shown_as_values() -> None:
    tile = Tile()
    tile.options.sizes.append("four")  # type: ignore[arg-type] # the point
    manager = OpPassManager("func.func")
    manager.add_pass(tile)

    assert repr(tile) == "<Tile tile{TileOptions(sizes=['four'])}>"
    assert repr(manager) == f"<OpPassManager func.func({tile!r})>"
    assert "TileOptions(sizes=[&#x27;four&#x27;])" in pipeline_html(manager)


def test_registries_builders_contexts_and_declarations_say_what_they_are() -> None:
    registry = PassRegistry()
    registry.register_pass(Tile)
    registry.add_source(lambda _: None)
    builder = PassManagerBuilder(registry=registry)
    builder.add("func.func(tile)")

    assert repr(registry) == (
        "<PassRegistry: 1 passes, 0 pipelines, 1 sources not called yet>"
    )
    assert repr(builder) == "<PassManagerBuilder builtin.module(func.func(tile))>"
    assert re.fullmatch(r"<XDSLContext: \d+ dialects>", repr(XDSLContext()))
    assert repr(INT64) == "<OptionType int64>"
    assert repr(Tile.num_tiled) == "<statistic num-tiled>"
    assert "display_name='num-tiled'" in repr(Tile().num_tiled)
    assert repr(TileOptions(sizes=[4])) == "TileOptions(sizes=[4])"


def test_a_manager_is_iterated_and_counted() -> None:
    manager = pipeline()

    assert list(manager) == manager.elements
    assert len(manager) == 2
    assert [len(each) for each in manager if isinstance(each, OpPassManager)] == [1]


class Boxes(HTMLParser):
    """Reads boxes as a pipeline with its options in braces, and collects styles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.shown = ""
        self.styles: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.shown += {"div": "(", "small": "{"}.get(tag, "")
        if attrs:
            self.styles.add(f"{tag}: {dict(attrs)['style']}")

    def handle_endtag(self, tag: str) -> None:
        self.shown += {"div": ")", "small": "}"}.get(tag, "")

    def handle_data(self, data: str) -> None:
        self.shown += data


def test_a_manager_is_drawn_as_nested_boxes() -> None:
    boxes = Boxes(pipeline_html(pipeline()))

    assert boxes.shown == "(builtin.module(func.func(tile {sizes={4,8}}))(Unnamed))"


def test_boxes_look_as_those_of_the_site() -> None:
    rules = dict(
        re.findall(
            r"^\.passgen-box(\S*.*?) \{ (.*) \}$", STYLE_SHEET.read_text(), re.MULTILINE
        )
    )
    around = f"{rules['']} {rules['es > .passgen-box:has(> .passgen-box)']}"

    styles = Boxes(pipeline_html(pipeline())).styles

    assert styles == {
        f"div: {rules['']}",
        f"div: {around}",
        f"code: color: inherit; {rules[' code.literal']}",
    }


def test_names_are_escaped_in_html() -> None:
    manager = OpPassManager("<b>&")

    assert "&lt;b&gt;&amp;" in pipeline_html(manager)
