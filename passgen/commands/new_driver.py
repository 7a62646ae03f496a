"""The driver of a group: a program, and a plugin of other drivers."""

from __future__ import annotations

from passgen import naming


def driver_module(group: str) -> str:
    """Return the name of the module of the driver, in the folder of the spec."""
    return f"{naming.snake_case(group)}_opt"


def driver_program(group: str) -> str:
    """Return the name by which tests call the driver."""
    return f"{naming.kebab_case(group)}-opt"


def driver_values(
    group: str,
    package: str,
    ir_flag: str = "",
    dialect: str = "",
    name: str | None = None,
) -> dict[str, object]:
    """Return the variables of `new/driver.py.j2`.

    Args:
        group: the title of the group whose passes it registers.
        package: the package of the modules, with a dot at its end, or nothing.
        ir_flag: the flag that chooses the IR library; empty for the default.
        dialect: a dialect that it registers, as `module:Name`, if any.
        name: the name of the group, by default its title; it may be empty.
    """
    name = group if name is None else name
    register = naming.register_group_function(name)
    pipelines = naming.register_pipelines_function(name)
    module, _, dialect_name = dialect.partition(":")
    names = {f"{package}{naming.snake_case(group)}_passes": [register, pipelines]}
    if dialect:
        names[module] = [dialect_name]
    return {
        "group": group,
        "driver": {"ir_flag": ir_flag, "dialect": dialect_name},
        "own_imports": [
            {"module": each, "names": names[each]} for each in sorted(names)
        ],
        "register_function": register,
        "register_pipelines": pipelines,
        "program": driver_program(group),
    }
