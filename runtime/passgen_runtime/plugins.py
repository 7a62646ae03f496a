"""Plugins: packages that bring dialects, passes, pipelines and hooks to other tools.

A package names a function in its metadata,

    [project.entry-points."passgen.plugins"]
    toy-tiling = "toy_tiling.plugin:register_dialects_and_passes"

which gets a builder: of a pipeline that is being built, or an empty one if a driver
only loads the plugin's registrations.

    def register_dialects_and_passes(builder: PassManagerBuilder) -> None:
        builder.register_dialect("toy", lambda: Toy)
        builder.register_pass(ToyTile)
        builder.add_hook(insert_tiling, where="one-shot-bufferize")
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable
from contextlib import redirect_stdout
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

from passgen_runtime.errors import PassError, nearest_note, text_of
from passgen_runtime.pass_manager_builder import (
    PassManagerBuilder,
    PipelineHook,
    additions_to,
)
from passgen_runtime.pass_registry import PassRegistry

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

ENTRY_POINT_GROUP: Final = "passgen.plugins"
DEFAULT_FUNCTION: Final = "register_dialects_and_passes"
"""The name of the plugin function in a module given without one."""

_FILE_ENDINGS: Final = {".py", ".so", ".dylib", ".dll"}

_SEARCHED: Final = (
    "modules are those of installed packages, and of the folders in PYTHONPATH"
)

_Register = Callable[[PassManagerBuilder], None]


class PluginError(PassError):
    """A plugin cannot be loaded."""

    def __init__(self, message: str, notes: Iterable[str] = ()) -> None:
        """Keep `message` and notes that help to correct the mistake."""
        self.message = message
        self.notes = tuple(notes)
        super().__init__("\nnote: ".join((message, *self.notes)))


@dataclass(frozen=True, slots=True)
class Plugin:
    """A plugin that a package announces, or that is named by its module."""

    name: str
    target: str
    """`module:function`."""

    package: str = ""
    """Name and version of the distribution that announces it, if one does."""

    def __str__(self) -> str:
        """Return its name in messages."""
        package = f", of {self.package}" if self.package else ""
        return f"plugin '{self.name}' ({self.target}{package})"

    def load(self) -> _Register:
        """Return its function.

        Raises:
            PluginError: it does not import, or is no function of a builder.
        """
        module, _, path = self.target.partition(":")
        try:
            found: object = import_module(module)
            for name in path.split("."):
                found = getattr(found, name)
        except KeyboardInterrupt:
            raise
        except SystemExit as error:
            raise PluginError(f"{self} does not import: it exits") from error
        except BaseException as error:  # importing may raise anything; it is chained
            raised = f"{type(error).__name__}: {text_of(error)}"
            notes = (_SEARCHED,) if _lacks_module(error, module) else ()
            raise PluginError(f"{self} does not import: {raised}", notes) from error
        if not callable(found):
            raise PluginError(f"{self} is no function: {found!r}")
        if not _takes_a_builder(found):
            signature = f"{path}{inspect.signature(found)}"
            message = f"{self} does not take a builder alone: it is {signature}"
            raise PluginError(message)
        return found

    def apply(self, builder: PassManagerBuilder) -> None:
        """Call the function of the plugin with `builder`.

        Its output goes to standard error: a driver's standard output is IR.

        Raises:
            PluginError: it does not load, or fails.
        """
        try:
            with redirect_stdout(sys.stderr):
                self.load()(builder)
        except (KeyboardInterrupt, PluginError):
            raise
        except PassError as error:
            raise PluginError(f"{self} failed: {error}") from error
        except SystemExit as error:
            raise PluginError(f"{self} failed: it exits") from error
        except BaseException as error:  # of the plugin's own code: chained
            raised = f"{type(error).__name__}: {text_of(error)}"
            raise PluginError(f"{self} failed: it raised {raised}") from error


def installed_plugins() -> list[Plugin]:
    """Return all plugins that installed packages announce, in order of name."""
    # It takes longer than all imports of a run without plugins.
    from importlib.metadata import entry_points  # noqa: PLC0415

    return sorted(
        map(_plugin_of, entry_points(group=ENTRY_POINT_GROUP)),
        key=lambda plugin: (plugin.name, plugin.package, plugin.target),
    )


def load_plugins(
    builder: PassManagerBuilder, names: Iterable[str] | None = None
) -> list[Plugin]:
    """Let plugins register and edit through `builder`; return them.

    A plugin that is loaded in the builder's registry already is not called again.

    Args:
        builder: of a pipeline, or an empty one.
        names: of installed plugins, modules, or `module:function`; all installed
            plugins if not given.

    Raises:
        PluginError: one is not found or fails.
    """
    if names is None:
        plugins = installed_plugins()
        _refuse_clashes(plugins)
    else:
        plugins = [_find(name) for name in names]
    loaded = additions_to(builder.registry).plugins
    for plugin in plugins:
        if plugin.target not in loaded:
            plugin.apply(builder)
            loaded[plugin.target] = plugin.name
    check_hooks(builder.registry, additions_to(builder.registry).hooks)
    return plugins


def plugins_text(registry: PassRegistry) -> tuple[str, bool]:
    """Return the text of `--list-plugins`, and whether all plugins are fine.

    Args:
        registry: a scratch registry, into which all plugins are loaded, broken ones
            in part.
    """
    plugins = installed_plugins()
    listed: dict[Plugin, PluginError | list[str]] = {}
    hooks: dict[Plugin, list[PipelineHook]] = {}
    for plugin in plugins:
        num_hooks = len(additions_to(registry).hooks)
        try:
            others = [other for other in plugins if other.name == plugin.name]
            _refuse_clashes([plugin, *others])
            listed[plugin] = _contribution(plugin, registry)
            hooks[plugin] = additions_to(registry).hooks[num_hooks:]
        except PluginError as error:
            listed[plugin] = error
    # A plugin may extend a pipeline of one that comes later.
    for plugin, added in hooks.items():
        try:
            check_hooks(registry, added)
        except PluginError as error:
            listed[plugin] = PluginError(f"{plugin}: {error.message}", error.notes)
    text = "".join(_list_lines(plugin, found) for plugin, found in listed.items())
    is_fine = not any(isinstance(outcome, PluginError) for outcome in listed.values())
    nothing = f"no installed package has entry points in '{ENTRY_POINT_GROUP}'\n"
    return text or nothing, is_fine


def check_hooks(registry: PassRegistry, hooks: Iterable[PipelineHook]) -> None:
    """Check that the pipelines that `hooks` name are registered.

    Raises:
        PluginError: one is not.
    """
    for hook in hooks:
        name = hook.pipeline
        if name is not None and registry.lookup_pipeline(name) is None:
            known = [entry.argument for entry in registry.pipelines()]
            message = f"a hook is for '{name}', which is no registered pipeline"
            raise PluginError(message, nearest_note(name, known))


def _list_lines(plugin: Plugin, found: PluginError | list[str]) -> str:
    if isinstance(found, PluginError):
        return f"error: {found}\n"
    package = f" ({plugin.package})" if plugin.package else ""
    head = f"{plugin.name}: {plugin.target}{package}"
    return "\n  ".join((head, *found)) + "\n"


def _contribution(plugin: Plugin, registry: PassRegistry) -> list[str]:
    """Return a line for each kind of contribution of `plugin` to `registry`.

    Raises:
        PluginError: it is broken.
    """

    def contents() -> dict[str, set[str]]:
        return {
            "dialects": set(additions_to(registry).dialects),
            "passes": {pass_.argument for pass_ in registry.passes()},
            "pipelines": {pipeline.argument for pipeline in registry.pipelines()},
        }

    before, num_hooks = contents(), len(additions_to(registry).hooks)
    plugin.apply(PassManagerBuilder(registry=registry))
    lines = [
        f"{kind}: {', '.join(sorted(names - before[kind]))}"
        for kind, names in contents().items()
        if names - before[kind]
    ]
    extended = {
        "whole pipelines" if hook.pipeline is None else f"'{hook.pipeline}'"
        for hook in additions_to(registry).hooks[num_hooks:]
    }
    if extended:
        lines.append(f"extends: {', '.join(sorted(extended))}")
    return lines or ["it registers nothing"]


def _find(name: str) -> Plugin:
    """Return the plugin called `name`, or that of the module `name`.

    Raises:
        PluginError: there is none, or more than one.
    """
    installed = installed_plugins()
    if named := [plugin for plugin in installed if plugin.name == name]:
        _refuse_clashes(named)
        return named[0]
    module, _, function = name.partition(":")
    _refuse_file(name, module)
    if "." in name or ":" in name or _is_importable(module):
        return Plugin(name, f"{module}:{function or DEFAULT_FUNCTION}")
    known = [plugin.name for plugin in installed]
    listed = f"installed plugins are {', '.join(known)}" if known else ""
    notes = (*nearest_note(name, known), listed or "no plugins are installed")
    message = f"'{name}' is no installed plugin and no module"
    raise PluginError(message, (*notes, _SEARCHED))


def _refuse_file(name: str, module: str) -> None:
    """Check that the plugin `name` is not named by a file, as `mlir-opt` names one.

    Raises:
        PluginError: it is.
    """
    path = PurePath(module)
    if path.suffix not in _FILE_ENDINGS and len(path.parts) <= 1:
        return
    message = f"'{name}' is a file, expected a module or an installed plugin"
    if path.suffix != ".py":
        raise PluginError(message, ("plugins are modules in Python",))
    folder = "" if path.parent == PurePath() else str(path.parent)
    given = name.replace(module, path.stem, 1)
    note = f"name the module, '{given}', and its folder: PYTHONPATH={folder or '.'}"
    raise PluginError(message, (note,))


def _lacks_module(error: BaseException, module: str) -> bool:
    """Return whether `error` says that there is no `module`, or no package of it."""
    if not isinstance(error, ModuleNotFoundError):
        return False
    return f"{module}.".startswith(f"{error.name}.")


def _is_importable(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):
        return False


def _refuse_clashes(plugins: list[Plugin]) -> None:
    """Check that no two plugins have one name.

    Raises:
        PluginError: two do.
    """
    by_name: dict[str, Plugin] = {}
    for plugin in plugins:
        other = by_name.setdefault(plugin.name, plugin)
        if other.target != plugin.target:
            raise PluginError(f"{other} has the same name as {plugin}")


def _plugin_of(entry_point: EntryPoint) -> Plugin:
    package = ""
    if entry_point.dist is not None:
        package = f"{entry_point.dist.name} {entry_point.dist.version}"
    target = entry_point.value
    if ":" not in target:
        target = f"{target}:{DEFAULT_FUNCTION}"
    return Plugin(entry_point.name, target.replace(" ", ""), package)


def _takes_a_builder(function: Callable[..., object]) -> bool:
    try:
        inspect.signature(function).bind(None)
    except TypeError:
        return False
    except ValueError:  # of a builtin that does not tell
        return True
    return True
