"""Plugins: packages that extend compilers which do not know them.

`tests/toy_forwarding` is such a package, and is installed here into a folder of its
own. `tests/toy_compiler` is one of the compilers; nothing of it is changed.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from passgen_runtime import PassRegistry
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.pass_manager_builder import PassManagerBuilder
from passgen_runtime.passes import register_all_passes
from passgen_runtime.plugins import PluginError, load_plugins
from passgen_tools.opt import main
from tests.toy_compiler.plugin import register_dialects_and_passes

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[2]
MODULE = """\
func.func @main(%x: f32, %i: index) -> f32 {
  %empty = tensor.empty() : tensor<4xf32>
  %0 = tensor.insert %x into %empty[%i] : tensor<4xf32>
  %1 = tensor.extract %0[%i] : tensor<4xf32>
  return %1 : f32
}
"""
HINTED = """\
func.func @main(%x: f32, %i: index) -> f32 {
  %0 = memref.alloc() : memref<4xf32>
  toy_hints.keep %0 : memref<4xf32>
  memref.store %x, %0[%i] : memref<4xf32>
  %1 = memref.load %0[%i] : memref<4xf32>
  return %1 : f32
}
"""


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the example package; return the folder."""
    folder = tmp_path_factory.mktemp("site")
    # Without isolation nothing is downloaded: what builds the package is there.
    isolation = ["--no-build-isolation"] * bool(importlib.util.find_spec("hatchling"))
    command = ["-m", "pip", "install", "--quiet", "--no-deps", *isolation]
    package = ROOT / "tests/toy_forwarding"
    subprocess.run(
        [sys.executable, *command, "--target", str(folder), str(package)],
        check=True,
        capture_output=True,
    )
    return folder


def opt(folder: Path, *arguments: str, text: str = "") -> tuple[int, str, str]:
    """Run `passgen-opt` where what is in `folder` is installed."""
    path = os.pathsep.join((str(folder), str(ROOT), str(ROOT / "runtime")))
    done = subprocess.run(
        [
            "python",
            "-c",
            "from passgen_tools.opt import console_main; console_main()",
            *arguments,
        ],
        input=text,
        env={**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def announce(folder: Path, package: str, code: str, *entries: str) -> None:
    """Install a package into `folder` by hand: one module, and its entry points."""
    (folder / f"{package}.py").write_text(textwrap.dedent(code), encoding="utf-8")
    metadata = folder / f"{package}-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n", encoding="utf-8"
    )
    (metadata / "entry_points.txt").write_text(
        "\n".join(("[passgen.plugins]", *entries, "")), encoding="utf-8"
    )


COMPILER = "--load-pass-plugin=tests.toy_compiler.plugin"


class TestAnInstalledPackage:
    @pytest.mark.slow
    def test_extends_a_pipeline_of_a_compiler_that_does_not_know_it(
        self, installed: Path
    ) -> None:
        code, output, errors = opt(
            installed, COMPILER, "--toy-lower", "--dump-pass-pipeline=line", text=MODULE
        )

        assert code == 0
        assert "forward-inserted-elements" not in errors
        assert "ptr_xdsl.load" in output

        code, output, errors = opt(
            installed,
            COMPILER,
            "--load-pass-plugin=toy-forwarding",
            "--toy-lower",
            "--dump-pass-pipeline=line",
            text=MODULE,
        )

        assert code == 0
        options = "{max-iterations=10 max-num-rewrites=-1 region-simplify=normal test-convergence=false top-down=true}"
        assert errors.replace(options, "") == (
            "builtin.module(canonicalize,cse,func.func(forward-inserted-elements),one-shot-bufferize,func.func(forward-stored-elements),canonicalize,cse,func.func(erase-unread-buffers),lower-memref-to-ptr,canonicalize,cse)\n"
        )
        assert output == textwrap.dedent("""\
            builtin.module {
              func.func @main(%x: f32, %i: index) -> f32 {
                func.return %x : f32
              }
            }
            """)

    def test_brings_its_dialect_and_its_passes(self, installed: Path) -> None:
        code, output, errors = opt(
            installed,
            "--load-pass-plugin",
            "toy-forwarding",
            "--forward-stored-elements",
            "--erase-unread-buffers",
            text=HINTED,
        )

        assert code == 0
        assert "must come after a pass with tag 'bufferization'" in errors
        assert output == textwrap.dedent("""\
            builtin.module {
              func.func @main(%x: f32, %i: index) -> f32 {
                %0 = memref.alloc() : memref<4xf32>
                toy_hints.keep %0 : memref<4xf32>
                memref.store %x, %0[%i] : memref<4xf32>
                func.return %x : f32
              }
            }
            """)

    @pytest.mark.start
    def test_is_listed_with_what_it_brings(self, installed: Path) -> None:
        assert opt(installed, "--list-plugins") == (
            0,
            textwrap.dedent("""\
                toy-forwarding: toy_forwarding.plugin:register_dialects_and_passes (toy-forwarding 1.2.0)
                  dialects: toy_hints
                  passes: erase-unread-buffers, forward-inserted-elements, forward-stored-elements
                  extends: whole pipelines
                """),
            "",
        )

    def test_extends_the_builder_of_a_framework(
        self, installed: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.syspath_prepend(str(installed))
        registry = PassRegistry()
        register_all_passes(registry)
        builder = PassManagerBuilder(XDSLContext(), registry=registry)
        register_dialects_and_passes(builder)
        builder.add("toy-lower")

        # The framework looks for whatever is installed.
        plugins = load_plugins(builder)
        again = load_plugins(builder, ["toy-forwarding"])

        assert [plugin.name for plugin in plugins + again] == ["toy-forwarding"] * 2
        arguments = [each.argument for each in builder.build().passes()]
        assert arguments[2:5] == [
            "forward-inserted-elements",
            "one-shot-bufferize",
            "forward-stored-elements",
        ]
        assert [each.argument for each in builder.build().passes()] == arguments


FINE = """\
    from passgen_runtime import OperationPass, PassOptions

    class Fine(OperationPass[PassOptions]):
        argument = "fine"
        def run_on_operation(self) -> None:
            pass

    def register(builder):
        builder.register_pass(Fine)
        builder.register_pipeline("fine-twice", "", lambda b: b.add("fine,fine"))

    def extend(builder):
        builder.add_hook(lambda b: b.add("fine"), pipeline="fine-twice")

    def instance(builder):
        builder.register_pass(Fine())

    def same(builder):
        builder.register_pass(lambda: Fine())

    def misdirected(builder):
        builder.add_hook(lambda b: None, pipeline="fine-twise")

    def raises(builder):
        return 1 / 0

    def wrong(builder, registry):
        pass

    not_callable = 1
"""


def test_broken_plugins_are_reported_beside_those_that_work(tmp_path: Path) -> None:
    announce(
        tmp_path,
        "kit",
        FINE,
        "a-extends = kit:extend",
        "fine = kit:register",
        "instance = kit:instance",
        "misdirected = kit:misdirected",
        "missing = kit:no_such_function",
        "number = kit:not_callable",
        "raises = kit:raises",
        "registered-twice = kit:same",
        "same-name = kit:register",
        "wrong-signature = kit:wrong",
    )
    announce(
        tmp_path,
        "other",
        "import no_such_module\n",
        "does-not-import = other:register",
        "same-name = other:register",
    )

    code, output, errors = opt(tmp_path, "--list-plugins")

    lines = output.splitlines()
    assert (code, errors) == (1, "")
    assert lines[:4] == [
        "a-extends: kit:extend (kit 1.0)",
        "  extends: 'fine-twice'",
        "error: plugin 'does-not-import' (other:register, of other 1.0) does not import: ModuleNotFoundError: No module named 'no_such_module'",
        "fine: kit:register (kit 1.0)",
    ]
    assert lines[4:6] == ["  passes: fine", "  pipelines: fine-twice"]
    assert lines[6:14] == [
        "error: plugin 'instance' (kit:instance, of kit 1.0) failed: it raised TypeError: 'Fine' object is not callable",
        "error: plugin 'misdirected' (kit:misdirected, of kit 1.0): a hook is for 'fine-twise', which is no registered pipeline",
        "note: did you mean 'fine-twice'?",
        "error: plugin 'missing' (kit:no_such_function, of kit 1.0) does not import: AttributeError: module 'kit' has no attribute 'no_such_function'",
        "error: plugin 'number' (kit:not_callable, of kit 1.0) is no function: 1",
        "error: plugin 'raises' (kit:raises, of kit 1.0) failed: it raised ZeroDivisionError: division by zero",
        "error: plugin 'registered-twice' (kit:same, of kit 1.0) failed: 'fine' is registered twice: by kit.Fine (kit.py:3) and by kit.same.<locals>.<lambda> (kit.py:19)",
        "note: replace=True replaces the first",
    ]
    assert lines[14:16] == [
        "error: plugin 'same-name' (kit:register, of kit 1.0) has the same name as plugin 'same-name' (other:register, of other 1.0)",
        "error: plugin 'same-name' (other:register, of other 1.0) has the same name as plugin 'same-name' (kit:register, of kit 1.0)",
    ]
    assert lines[16:] == [
        "error: plugin 'wrong-signature' (kit:wrong, of kit 1.0) does not take a builder alone: it is wrong(builder, registry)"
    ]


SEARCHED = (
    "note: modules are those of installed packages, and of the folders in PYTHONPATH\n"
)

FILES = {
    "plug.py": "name the module, 'plug', and its folder: PYTHONPATH=.",
    "my/plug.py:extend": "name the module, 'plug:extend', and its folder: PYTHONPATH=my",
    "./plug.py": "name the module, 'plug', and its folder: PYTHONPATH=.",
    "MyPlugin.so": "plugins are modules in Python",
    "lib/plug": "plugins are modules in Python",
}


@pytest.mark.parametrize("name", FILES)
def test_a_plugin_is_a_module_and_no_file(name: str) -> None:
    with pytest.raises(PluginError) as raised:
        load_plugins(PassManagerBuilder(registry=PassRegistry()), [name])

    message = f"'{name}' is a file, expected a module or an installed plugin"
    assert str(raised.value) == f"{message}\nnote: {FILES[name]}"


def test_a_plugin_that_fails_stops_the_driver_with_one_message(tmp_path: Path) -> None:
    announce(tmp_path, "kit", FINE, "raises = kit:raises", "fine = kit:register")

    assert opt(tmp_path, "--load-pass-plugin=raises", "--fine") == (
        1,
        "",
        "error: plugin 'raises' (kit:raises, of kit 1.0) failed: it raised ZeroDivisionError: division by zero\n",
    )
    assert opt(tmp_path, "--load-pass-plugin=fime") == (
        1,
        "",
        f"error: 'fime' is no installed plugin and no module\nnote: did you mean 'fine'?\nnote: installed plugins are fine, raises\n{SEARCHED}",
    )
    assert opt(tmp_path, "--load-pass-plugin=no.such") == (
        1,
        "",
        f"error: plugin 'no.such' (no.such:register_dialects_and_passes) does not import: ModuleNotFoundError: No module named 'no'\n{SEARCHED}",
    )
    assert opt(tmp_path, "--load-pass-plugin=kit:extend", "--help-pass=cse")[0] == 1


UNRULY = """\
    import sys

    def leaves(builder):
        sys.exit()

    def raises(builder):
        raise BaseException("odd")

    def prints(builder):
        print("of the plugin")
"""


def test_a_plugin_can_neither_end_the_driver_nor_print_into_its_output(
    tmp_path: Path,
) -> None:
    announce(
        tmp_path,
        "kit",
        UNRULY,
        "leaves = kit:leaves",
        "prints = kit:prints",
        "raises = kit:raises",
    )
    announce(tmp_path, "odd", "raise BaseException('odd')\n", "sinks = odd:register")

    assert opt(tmp_path, "--list-plugins") == (
        1,
        (
            "error: plugin 'leaves' (kit:leaves, of kit 1.0) failed: it exits\n"
            "prints: kit:prints (kit 1.0)\n"
            "  it registers nothing\n"
            "error: plugin 'raises' (kit:raises, of kit 1.0) failed: it raised BaseException: odd\n"
            "error: plugin 'sinks' (odd:register, of odd 1.0) does not import: BaseException: odd\n"
        ),
        "of the plugin\n",
    )
    assert opt(tmp_path, "--load-pass-plugin=leaves")[0] == 1


def test_several_plugins_are_loaded_in_any_place(tmp_path: Path) -> None:
    announce(tmp_path, "kit", FINE, "fine = kit:register", "extends = kit:extend")

    code, _, errors = opt(
        tmp_path,
        "--fine-twice",
        "--dump-pass-pipeline=line",
        "--load-pass-plugin=fine,extends",
    )

    assert (code, errors) == (0, "builtin.module(fine,fine,fine)\n")


def test_no_plugins_are_a_fine_answer(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list-plugins"], registry=PassRegistry()) == 0
    assert capsys.readouterr().out == (
        "no installed package has entry points in 'passgen.plugins'\n"
    )


def test_a_module_is_a_plugin_by_its_function() -> None:
    builder = PassManagerBuilder(registry=PassRegistry())

    load_plugins(builder, ["tests.toy_compiler.plugin"])

    assert builder.registry.lookup("toy-lower") is not None

    with pytest.raises(PluginError) as caught:
        load_plugins(builder, ["tests.toy_compiler.plugin:register"])

    assert str(caught.value) == (
        "plugin 'tests.toy_compiler.plugin:register' (tests.toy_compiler.plugin:register) does not import: AttributeError: module 'tests.toy_compiler.plugin' has no attribute 'register'"
    )
