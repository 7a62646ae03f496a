"""`passgen site`: what the site holds, and that all of its links lead somewhere."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from functools import partial
from http.server import ThreadingHTTPServer
from io import BytesIO, TextIOWrapper
from pathlib import Path
from threading import Thread
from urllib.request import urlopen

import pytest

from passgen import cli
from passgen.commands.serving import Handler
from passgen.generation import read_groups
from passgen.site import empty_example, first_example, site_pages
from passgen.site.html import Links, html_id, html_markdown, page_file, rst_title
from tests.docs.site_pages import Page, dead_links

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]

ODD = """\
name: Odd
summary: "*Odd* `names` <b>"
passes:
  First:
    argument: 1.a*b`c_
    summary: ":orphan: |x| <script>alert(1)</script>"
    description: |
      .. raw:: html

         <script>alert(2)</script>

      `second` and [`second`](other.html), `limit`.

      # Heading

      ```nonsense
      {{ x }}
      ```
    options:
      - {name: limit, argument: limit, type: uint32, description: "See `second`."}
  Second:
    argument: second
    summary: Second.
"""


def passgen(*arguments: str, folder: Path = ROOT) -> tuple[int, str, str]:
    """Run `passgen` in `folder`; return its exit code, output and messages."""
    out, err = (TextIOWrapper(BytesIO(), "utf-8", write_through=True) for _ in range(2))
    with chdir(folder), redirect_stdout(out), redirect_stderr(err):
        code = cli.main([*arguments])
    return code, text_of(out), text_of(err)


def text_of(stream: TextIOWrapper[BytesIO]) -> str:
    return stream.buffer.getvalue().decode()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    specs = "specs/affine.yaml", "specs/transforms.yaml"
    made = passgen("site", *specs, "-o", str(folder), "--driver", "none")
    assert made == (0, f"{folder}/index.html\n", "")
    return folder


def test_a_page_for_each_pass_and_pipeline_under_a_stable_name(site: Path) -> None:
    assert len(list(site.glob("affine/*.html"))) == 18 + 1 + 1
    assert len(list(site.glob("transforms/*.html"))) == 10 + 1
    options = Page(site / "affine" / "affine-loop-unroll.html").ids
    assert {"option-unroll-factor", "option-cleanup-unroll"} <= options


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kernels")
    spec = "tests/passgen/golden/pipelines/spec.yaml"
    assert passgen("site", spec, "-o", str(folder))[0] == 0
    return folder


@pytest.fixture
def odd(tmp_path: Path) -> Path:
    """A folder with `odd.yaml`."""
    (tmp_path / "odd.yaml").write_text(ODD, encoding="utf-8")
    return tmp_path


def found(site: Path, word: str) -> list[str]:
    """Return the arguments whose rows of the index have `word`."""
    index = (site / "index.html").read_text(encoding="utf-8")
    rows = re.findall(r'data-words="([^"]*)"', index)
    return [row.split()[0] for row in rows if word in row]


def text(path: Path) -> str:
    """Return what a reader sees, a line a text; boxes are brackets."""
    main = path.read_text(encoding="utf-8").partition("<article")[2]
    main = main.partition("</article>")[0]
    boxed = re.sub(r'<div class="passgen-box [^"]*">', "[", main).replace("</div>", "]")
    plain = re.sub(r"<[^>]+>", "", boxed)
    return " ".join(plain.split())


def test_a_pipeline_is_drawn_as_boxes_in_one_another(kernels: Path) -> None:
    page = kernels / "kernels" / "kernels-lower.html"

    assert (
        "[ builtin.module [ stage bufferization "
        "[ if bufferize is true "
        "[ 1 one-shot-bufferize "
        "bufferize-function-boundaries=true dialect-filter={linalg,tensor} ] ] "
        "[ if optimize is true "
        "[ bundle cleanup [ 2 canonicalize ] [ 3 cse ] ] ] ] "
        "[ stage scheduling "
        "[ func.func "
        "[ if bufferize is true [ 4 kernels-hoist-buffers ] [ 5 canonicalize ] ] "
        "[ 6 pipeline kernels-schedule "
        "num-units=&lt;num-units&gt; policy=modulo weights={1.0,0.5} ] ] "
        "[ if optimize is false "
        "[ bundle kernel-cleanup [ func.func "
        "[ bundle cleanup [ 7 canonicalize ] [ 8 cse ] ] ] ] ] ] "
        "[ func.func [ 9 kernels-emit ] ] [ any [ 10 canonicalize ] ] ]"
    ) in text(page)
    assert {
        "kernels-hoist-buffers.html",
        "kernels-schedule.html",
        "index.html#bundle-cleanup",
        "kernels-emit.html",
    } <= set(Page(page).links)
    assert "option-num-units" in Page(page).ids


def test_a_pass_says_what_it_asks_of_its_pipeline_and_what_it_is_part_of(
    kernels: Path,
) -> None:
    page = kernels / "kernels" / "kernels-materialize-schedule.html"

    assert (
        "After kernels-generate-schedule "
        "Before, where present {tag: emission} "
        "Requires analyses Schedule Liveness "
        "Preserves analyses Liveness "
        "Part of kernels-schedule"
    ) in text(page)
    assert "kernels-schedule.html" in Page(page).links


def test_the_index_draws_pipelines_and_passes_repeat_no_text(kernels: Path) -> None:
    index = text(kernels / "index.html")
    assert "[ 9 kernels-emit ]" in index
    assert "&lt;name&gt; is the value of the pipeline" in index
    assert "passgen-box" not in (kernels / "kernels/kernels-emit.html").read_text()


def test_groups_are_a_filter_where_there_are_several(site: Path, kernels: Path) -> None:
    assert 'id="passgen-group"' in (site / "index.html").read_text()
    assert 'id="passgen-group"' not in (kernels / "index.html").read_text()


def test_a_group_without_passes_has_a_page() -> None:
    spec = str(ROOT / "tests/passgen/golden/bundles-only/spec.yaml")
    (group,) = read_groups([spec], are_all=False).by_spec.values()

    pages = site_pages([group], "Passes", "")

    assert [page.document for page in pages] == ["index", "fragments/index"]


def test_forms_stand_on_the_pages_of_what_names_them() -> None:
    spec = str(ROOT / "tests/passgen/golden/forms/spec.yaml")
    (group,) = read_groups([spec], are_all=False).by_spec.values()

    pages = {page.document: page.text for page in site_pages([group], "Passes", "")}

    of_group = pages["kernels/index"].partition("Forms of IR")[2]
    for form in ("noLinalg", "llvmOnly", "normalizedLoops", "noTensors"):
        assert f">{form}</code>" in of_group
    for document in ("lower-kernels", "lowering"):
        assert "<dt>Gives forms</dt>" in pages[f"kernels/{document}"]
    assert "<dd>no operations</dd>" in pages["kernels/count-kernels"]


def test_the_sidebar_lists_the_passes_of_the_group_that_one_is_in(site: Path) -> None:
    def sidebar(page: str) -> list[str]:
        text = (site / page).read_text(encoding="utf-8")
        tree = text.partition('class="sidebar-tree"')[2].partition("</aside>")[0]
        return re.findall(r'href="(#|[^"#]+)"', tree)

    passes = sidebar("affine/affine-loop-tile.html")
    assert passes[0] == "index.html"
    assert passes[-1] == "../transforms/index.html"
    assert len(passes) == 18 + 1 + 2
    assert "affine-loop-unroll.html" in passes
    assert sidebar("affine/index.html") == [
        "#",
        *sidebar_links(site, "affine"),
        passes[-1],
    ]
    assert sidebar("index.html") == ["affine/index.html", "transforms/index.html"]


def sidebar_links(site: Path, group: str) -> list[str]:
    """Return the links of the page of a group to its passes, in their order."""
    text = (site / group / "index.html").read_text(encoding="utf-8")
    listed = text.partition('<dl class="passgen-list">')[2].partition("</dl>")[0]
    return re.findall(r'<dt>\s*<a href="([^"]+)"', listed)


def test_pages_do_not_grow_with_the_number_of_groups(tmp_path: Path) -> None:
    sizes = []
    for count in (21, 24):
        specs = []
        for number in range(count):
            spec = tmp_path / f"group{number}.yaml"
            spec.write_text(GROUP.format(number=number), encoding="utf-8")
            specs.append(spec.name)
        folder = tmp_path / f"site{count}"
        assert passgen("site", *specs, "-o", str(folder), folder=tmp_path)[0] == 0
        sizes.append((folder / "group7" / "first-7.html").stat().st_size)

    assert sizes[0] == sizes[1]


GROUP = """\
name: Group{number}
passes:
  First: {{argument: first-{number}, summary: First}}
  Second: {{argument: second-{number}, summary: Second}}
"""


def test_a_pipeline_describes_the_values_that_a_pass_describes(tmp_path: Path) -> None:
    spec = tmp_path / "p.yaml"
    spec.write_text(POLICIES, encoding="utf-8")
    (group,) = read_groups([str(spec)], are_all=False).by_spec.values()

    pages = {page.document: page.text for page in site_pages([group], "Passes", "")}

    assert "First come, first served." in pages["p/lower"]
    assert "Own words." in pages["p/lower"]
    assert "Nobody" not in pages["p/lower"]


POLICIES = """\
name: P
pipelines:
  Lower:
    argument: lower
    summary: Lower
    anchor: builtin.module
    options:
      - {name: policy, type: enum, enumName: Policy, default: greedy, values: [greedy, {value: modulo, description: Own words.}]}
    elements:
      - {pass: schedule, options: {policy: {option: policy}}}
passes:
  Schedule:
    summary: Schedule
    anchor: builtin.module
    options:
      - name: policy
        type: enum
        enumName: Policy
        default: greedy
        values:
          - {value: greedy, description: "First come, first served."}
          - {value: modulo, description: Nobody reads this.}
"""


def test_a_description_repeats_no_heading_of_the_page() -> None:
    links = Links({}, {}, ("tile", "Options"))

    text = html_markdown("# Tile\n\n## options:\n\nmany\n\n## Limits\n", 2, links)

    assert text == "<p>many</p>\n<h3>Limits</h3>"


def test_a_playground_without_examples_opens_with_an_empty_function(
    tmp_path: Path,
) -> None:
    spec = tmp_path / "p.yaml"
    passes = {"First": "", "Second": ", constructor: 'mine:Second'"}
    lines = (
        f"  {name}: {{summary: {name}, anchor: func.func{constructor}}}\n"
        for name, constructor in passes.items()
    )
    spec.write_text(f"name: P\npasses:\n{''.join(lines)}", encoding="utf-8")
    (group,) = read_groups([str(spec)], are_all=False).by_spec.values()

    assert first_example([group]) is None
    example = empty_example([group])
    assert example["pipeline"] == "builtin.module(func.func(second))"
    assert example["ir"].splitlines()[1:] == ["  func.return", "}"]
    assert empty_example([])["pipeline"] == "builtin.module()"


def test_a_site_with_a_playground_links_to_it_on_the_index_and_in_the_sidebar() -> None:
    (group,) = read_groups(["specs/affine.yaml"], are_all=False).by_spec.values()

    pages = site_pages([group], "Passes", "", playground="play")
    texts = {page.document: page.text for page in pages}

    assert 'data-passgen="play/index"' in texts["index"]
    assert "   /playground\n" in texts["index"]
    assert 'data-passgen="play/index"' in texts["playground"]


def test_passes_of_a_group_follow_one_another(site: Path) -> None:
    links = Page(site / "affine" / "affine-loop-tile.html").links

    assert "affine-loop-invariant-code-motion.html" in links
    assert "affine-loop-unroll.html" in links
    page = (site / "affine" / "affine-loop-tile.html").read_text(encoding="utf-8")
    assert '<a class="next-page" href="affine-loop-unroll.html">' in page


def test_a_page_names_the_places_of_declaration_and_implementation(
    tmp_path: Path,
) -> None:
    (tmp_path / "mine.py").write_text("import os\n\n\nclass A: ...\n", "utf-8")
    spec = "passes:\n  A: {argument: a, summary: Do it, constructor: 'mine:A'}\n"
    (tmp_path / "a.yaml").write_text(spec, encoding="utf-8")
    url = "https://example.com/blob/main/{path}#L{line}"
    given = ("site", "a.yaml", "-o", "out", "--source", ".")

    assert passgen(*given, "--source-url", url, folder=tmp_path)[0] == 0
    links = Page(tmp_path / "out/a/a.html").links
    assert "https://example.com/blob/main/a.yaml#L2" in links
    assert "https://example.com/blob/main/mine.py#L4" in links

    assert passgen(*given, folder=tmp_path)[0] == 0
    page = tmp_path / "out/a/a.html"
    assert "Implementation mine:A Group A Declared in a.yaml:2" in text(page)
    assert not any("example.com" in link for link in Page(page).links)


@pytest.mark.parametrize("url", ["https://example.com/", "javascript:{path}"])
def test_error_address_of_sources(odd: Path, url: str) -> None:
    given = ("site", "odd.yaml", "-o", "out", "--source-url", url)
    code, _, err = passgen(*given, folder=odd)
    assert code == 1
    assert err.startswith(f"passgen site: error: address of sources: found '{url}'")


def test_deprecated_passes_are_marked(tmp_path: Path) -> None:
    spec = "passes:\n  A: {argument: a, summary: Do it, deprecated: Use b.}\n"
    (tmp_path / "a.yaml").write_text(spec, encoding="utf-8")
    assert passgen("site", "a.yaml", "-o", "out", folder=tmp_path)[0] == 0

    assert "a deprecated Do it" in text(tmp_path / "out/index.html")
    assert "a deprecated Do it" in text(tmp_path / "out/a/index.html")
    assert "Deprecated. Use b." in text(tmp_path / "out/a/a.html")


def test_pipelines_are_searched_as_passes(kernels: Path) -> None:
    assert found(kernels, "bufferize") == ["kernels-lower"]
    assert list(dead_links(kernels)) == []


def test_every_link_leads_somewhere(site: Path) -> None:
    assert list(dead_links(site)) == []


def test_the_index_can_be_filtered_by_argument_option_and_dialect(site: Path) -> None:
    assert len(found(site, "")) == 18 + 1 + 10
    assert found(site, "cleanup-unroll") == ["affine-loop-unroll"]


def test_texts_of_authors_stay_texts(odd: Path) -> None:
    made = passgen("site", "odd.yaml", "-o", "out", folder=odd)
    assert made == (0, "out/index.html\n", "")
    page = odd / "out" / "odd" / f"{html_id('1.a*b`c_')}.html"
    text = page.read_text(encoding="utf-8")
    assert "<script>alert" not in text
    assert ".. raw:: html" in text
    assert "<h3>Heading</h3>" in text
    assert "<h1>1.a*b`c_" in text
    assert '<a href="second.html"><code class="literal">second</code></a> and' in text
    assert '<a href="other.html"><code class="literal">second</code></a>' in text
    assert '<a href="#option-limit"><code class="literal">limit</code></a>' in text
    dead = dead_links(odd / "out")
    assert [link for link in dead if "other.html" not in link] == []


def test_links_of_descriptions_lead_to_passes_or_are_reported(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(
        "passes:\n"
        "  A:\n"
        "    argument: aa\n"
        "    summary: First\n"
        "    description: |\n"
        "      [1](#bb) [2](#-bb) [3](b_passes.md#bb) [4](#aa) [5](#why) [6](#bundle-c)\n"
        "      [7](Canonicalization.md) [8](#ba)\n\n"
        "      # Why\n"
        "    options: [{name: n, type: int32, description: '[9](#x) [10](#bundle-c)'}]\n"
        "  C:\n"
        "    summary: Third\n"
        "    description: '[11](#y)'\n"
        "    ignore: [{rule: link-lost, reason: Read as Markdown only.}]\n"
        "bundles: {c: {summary: All, description: '[12](#aa)', elements: [aa]}}\n",
        encoding="utf-8",
    )
    (tmp_path / "b.yaml").write_text(
        "passes: {B: {argument: bb, summary: Second}}\n", encoding="utf-8"
    )
    code, _, err = passgen("site", "a.yaml", "b.yaml", "-o", "out", folder=tmp_path)

    assert code == 0, err
    warned = [line.partition("a.yaml:")[2] for line in err.splitlines()]
    assert [line for line in warned if line] == [
        f"{place}: warning: a link of {what}, which is no pass [link-lost]"
        for place, what in (
            ("2:3", "pass 'aa' leads to 'Canonicalization.md'"),
            ("2:3", "pass 'aa' leads to '#ba'"),
            ("10:22", "option 'n' of pass 'aa' leads to '#x'"),
        )
    ]
    dead = {link.partition(" ")[2] for link in dead_links(tmp_path / "out")}
    assert dead == {"Canonicalization.md", "#ba", "#x", "#y"}


def test_pages_have_names_of_their_own_and_links_stay_in_the_site(
    tmp_path: Path,
) -> None:
    hostile = "[x](passgen://evil.example/y) [y](passgen:../../../z) `cse`"
    (tmp_path / "odd.yaml").write_text(
        "passes:\n"
        f"  A: {{argument: index, summary: First, description: '{hostile}'}}\n"
        "  B: {argument: cse, summary: Second}\n"
        "  C: {argument: CSE, summary: Third}\n",
        encoding="utf-8",
    )
    made = passgen("site", "odd.yaml", "-o", "out", "--title=t<i32>", folder=tmp_path)
    assert made == (0, "out/index.html\n", "")
    pages = tmp_path / "out" / "odd"

    names = sorted(page.name for page in pages.glob("*.html"))
    assert names == ["cse.html", "cse_7.html", "index.html", "index_0.html"]
    for name, heading in zip(names, ("cse", "CSE", "Odd", "index"), strict=True):
        text = (pages / name).read_text(encoding="utf-8")
        assert f"<title>{heading} - t&lt;i32&gt;</title>" in text
        assert f"<h1>{heading}<" in text
    text = (pages / "index_0.html").read_text(encoding="utf-8")
    assert '<a href="passgen://evil.example/y">x</a>' in text
    assert '<a href="passgen:../../../z">y</a>' in text
    assert '<a href="cse.html">' in text
    assert [
        each for each in dead_links(tmp_path / "out") if "passgen:" not in each
    ] == []


@pytest.mark.parametrize(
    ("argument", "name"),
    [
        ("cse", "cse"),
        ("CSE", "cse_7"),
        ("Cse", "cse_1"),
        ("cse_7", "cse_5f_7"),
        ("index", "index_0"),
        ("Index", "index_1"),
        ("É", "_c9_"),
    ],
)
def test_file_names_differ_in_more_than_case(argument: str, name: str) -> None:
    assert page_file(argument) == name


def test_parts_of_specs_have_no_pages(tmp_path: Path) -> None:
    (tmp_path / "common.yaml").write_text("sharedOptions: {}\n", encoding="utf-8")
    spec = "include: [common.yaml]\npasses: {A: {argument: a, summary: Do it}}\n"
    (tmp_path / "a.yaml").write_text(spec, encoding="utf-8")
    given = ("site", "common.yaml", "a.yaml", "-o", "out")
    assert passgen(*given, folder=tmp_path) == (0, "out/index.html\n", "")

    (tmp_path / "a.yaml").write_text(spec.partition("\n")[2], encoding="utf-8")
    code, _, err = passgen(*given, folder=tmp_path)
    assert (code, err.partition(": error")[0]) == (1, "common.yaml:1:1")


def test_a_pass_with_an_implementation_and_ir_has_a_link_that_runs_it() -> None:
    groups = read_groups([str(ROOT / "specs/affine.yaml")], are_all=False)
    pages = {
        page.document: re.findall(r'data-pipeline="(.*?)"', page.text)
        for page in site_pages(
            list(groups.by_spec.values()), "", "passes/", playground="playground"
        )
    }

    assert pages["passes/affine/affine-loop-unroll"] == [
        "builtin.module(func.func(affine-loop-unroll))",
        "builtin.module(func.func(affine-loop-unroll{unroll-factor=2}))",
    ]
    assert (
        pages["passes/affine/affine-loop-invariant-code-motion"]
        == ["builtin.module(func.func(affine-loop-invariant-code-motion))"] * 2
    )
    # Only C++ has this one.
    assert pages["passes/affine/affine-loop-tile"] == []


def test_a_site_has_its_passes_in_one_text(site: Path) -> None:
    text = (site / "llms.txt").read_text(encoding="utf-8")

    assert "\n## `affine-loop-unroll`\n" in text
    assert "\n- `unroll-factor` (" in text
    assert "\n## `cse`\n" in text


def test_a_site_without_a_playground_has_no_such_links(site: Path) -> None:
    pages = [page.read_text("utf-8") for page in site.rglob("*.html")]

    assert not any("data-pipeline" in page for page in pages)


@pytest.mark.process
def test_error_a_playground_without_pyodide(odd: Path) -> None:
    plugin = "--playground=tests.toy_compiler.plugin"
    code, _, said = passgen(
        "site", str(odd / "odd.yaml"), "-o", str(odd / "site"), plugin
    )

    assert code == 1
    assert said.startswith("passgen site: error: 'node_modules/pyodide' is not the")
    assert "passgen site: note: `npm install pyodide@314.0.7` installs it" in said
    assert not (odd / "site").exists()


@pytest.mark.process
def test_error_a_playground_of_a_plugin_that_does_not_exist(odd: Path) -> None:
    pyodide = odd / "npm"
    pyodide.mkdir()
    (pyodide / "package.json").write_text('{"version": "314.0.7"}', "utf-8")
    code, _, said = passgen(
        *("site", str(odd / "odd.yaml"), "-o", str(odd / "site")),
        *("--playground=no_such_plugin", f"--pyodide={pyodide}"),
    )

    assert code == 1
    assert "no_such_plugin" in said
    assert "Traceback" not in said


def test_error_nothing_to_build_or_to_serve() -> None:
    code, _, said = passgen("site", "-o", "site")

    assert code == 2
    assert "it needs specs, or --serve to show a site that there is" in said


def test_error_a_folder_without_a_site(tmp_path: Path) -> None:
    code, _, said = passgen("site", "--serve", "-o", str(tmp_path))

    assert code == 1
    assert said.startswith(f"passgen site: error: '{tmp_path}' has no index.html")


def test_error_a_port_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "index.html").touch()
    code, _, said = passgen("site", "--serve", "--port=99999", "-o", str(tmp_path))

    assert code == 1
    assert said.startswith("passgen site: error: port 99999: it cannot be used\n")


def test_error_a_port_that_is_taken(tmp_path: Path) -> None:
    (tmp_path / "index.html").touch()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, _, said = passgen(
            "site", "--serve", f"--port={port}", "-o", str(tmp_path)
        )

    assert code == 1
    assert said.startswith(f"passgen site: error: port {port}: ")


def test_serving_sends_the_types_that_browsers_ask_for(tmp_path: Path) -> None:
    for name in ("a.mjs", "b.wasm"):
        (tmp_path / name).write_bytes(b"")
    types = {}
    with ThreadingHTTPServer(
        ("127.0.0.1", 0), partial(Handler, directory=tmp_path)
    ) as (server):
        thread = Thread(target=server.serve_forever)
        thread.start()
        for name in ("a.mjs", "b.wasm"):
            address = f"http://127.0.0.1:{server.server_port}/{name}"
            with urlopen(address) as answer:
                types[name] = answer.headers["Content-Type"]
        server.shutdown()
        thread.join()

    assert types == {"a.mjs": "text/javascript", "b.wasm": "application/wasm"}


def test_error_wrong_spec(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("passes: {A: {argument: 1}}\n", encoding="utf-8")
    code, out, err = passgen("site", "a.yaml", "-o", "out", folder=tmp_path)
    assert (code, out) == (1, "")
    assert err.startswith("a.yaml:1:")
    assert not (tmp_path / "out").exists()


def test_error_output_that_cannot_be_written(odd: Path) -> None:
    (odd / "out").touch()
    made = passgen("site", "odd.yaml", "-o", "out", folder=odd)
    assert made == (1, "", "out: error: file exists\n")


def test_error_groups_with_the_same_folder(tmp_path: Path) -> None:
    for name in ("Affine", "affine"):
        run = f"{{argument: run-{name}, summary: Run}}"
        spec = f"name: {name}\npasses: {{Run{name}: {run}}}\n"
        (tmp_path / f"of_{name}.yaml").write_text(spec)
    given = ("site", "of_Affine.yaml", "of_affine.yaml", "-o", "out")
    assert passgen(*given, folder=tmp_path) == (
        1,
        "",
        (
            "passgen site: error: groups 'Affine' and 'affine' have the same folder "
            "'affine'; rename one of them\n"
        ),
    )
    assert not (tmp_path / "out").exists()


@pytest.mark.process
def test_error_without_sphinx(odd: Path) -> None:
    (odd / "sphinx.py").write_text("raise ImportError(name='sphinx')\n")
    command = [sys.executable, "-m", "passgen.cli", "site", "odd.yaml", "-o", "out"]
    done = subprocess.run(command, cwd=odd, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (
        1,
        "",
        (
            "passgen site: error: it needs Sphinx and furo, and sphinx cannot be imported\n"
            "note: install the extra 'site' of mlir-passgen\n"
        ),
    )


PAGES = {"cse": "t/cse", "c": "t/c", "bundle-clean": "t/index#bundle-clean"}


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ("a <b>", "<p>a &lt;b&gt;</p>"),
        ("# a\n\n## b", "<h3>a</h3>\n<h4>b</h4>"),
        ("`cse`", '<p><a data-passgen="t/cse"><code class="literal">cse</code></a></p>'),
        (
            "[`cse`](x)",
            '<p><a href="x"><code class="literal">cse</code></a></p>',
        ),
        ("[x](#cse)", '<p><a data-passgen="t/cse">x</a></p>'),
        ("[x](#-cse)", '<p><a data-passgen="t/cse">x</a></p>'),
        ("[x](#-cse-merge-equal-operations)", '<p><a data-passgen="t/cse">x</a></p>'),
        ("[x](#pass-cse)", '<p><a data-passgen="t/cse">x</a></p>'),
        ("[x](../Passes/#-cse)", '<p><a data-passgen="t/cse">x</a></p>'),
        ("[x](my_passes.md#cse 't')", '<p><a title="t" data-passgen="t/cse">x</a></p>'),
        ("[x](#bundle-clean)", '<p><a data-passgen="t/index#bundle-clean">x</a></p>'),
        ("[x](design.md#cse)", '<p><a href="design.md#cse">x</a></p>'),
        ("[x](https://a.b/passes#cse)", '<p><a href="https://a.b/passes#cse">x</a></p>'),
        ("[x](#how-so)\n# How `so`?\n# b", '<p><a href="#how-so">x</a></p>\n<h3 id="how-so">How <code class="literal">so</code>?</h3>\n<h3>b</h3>'),
        ("[x](javascript:alert(1))", "<p>[x](javascript:alert(1))</p>"),
        ("|a|\n|-|\n|b|", "<table>\n<thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>b</td>\n</tr>\n</tbody>\n</table>"),
    ],
)  # fmt: skip
def test_markdown(markdown: str, html: str) -> None:
    assert html_markdown(markdown, 2, Links({"cse": "t/cse"}, PAGES)) == html


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("cse", "cse\n======"),
        ("a_b", "a\\_b\n========"),
        ("1. a", "\\1. a\n=========="),
        ("", "\n===="),
    ],
)
def test_rst_title(text: str, title: str) -> None:
    assert rst_title(text, "=") == title
